//! Which files have bytes on a device, according to the file systems mounted from it. Must not search for them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Files on given bytes of a device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OwnerFacts {
    /// Parts of files, at most 10000.
    pub files: Vec<FilePart>,
    /// Mount points of the file systems that were searched.
    pub mounts: Vec<String>,
    /// Why there may be more files; null if all are known.
    pub doubt: Option<String>,
}

/// A part of a file that lies on bytes of a device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FilePart {
    /// First byte on the device.
    pub at: u64,
    /// Bytes.
    pub len: u64,
    /// The file, printable.
    pub path: String,
    /// First byte in the file.
    pub offset: u64,
}

impl FilePart {
    /// Whether it overlaps these bytes of the device.
    pub const fn touches(&self, at: u64, len: u64) -> bool {
        self.at < at.saturating_add(len) && at < self.at.saturating_add(self.len)
    }
}
