//! Where copies of the same data lie on several disks, according to the kernel or the program that manages them. Must not compare them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where a copy begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Index of the disk.
    pub disk: u16,
    /// Bytes from its start.
    pub offset: u64,
}

/// The meaning of a strip for the program that manages the copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Extent {
    /// Number of the file.
    pub file: u64,
    /// Number of the extent in it.
    pub extent: u64,
}

/// Bytes with copies, contiguous on every disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strip {
    /// Bytes of each copy.
    pub len: u64,
    /// Where each copy begins. A single one is read, not compared.
    pub copies: Vec<Place>,
    /// What it holds, if known.
    pub of: Option<Extent>,
}
