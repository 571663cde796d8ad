//! A range of every copy with what is beside it, and what a kind of page says about the copies there.
//!
//! Must not know a kind of page.

use super::map::BLOCK_BYTES;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// How certain that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Certainty {
    /// Proven by a checksum that cannot match by chance, or only once in 65535 times.
    Certain,
    /// There is evidence, but no checksum.
    Likely,
    /// It is not known which copy is right.
    Unknown,
}

/// A range with its surroundings, of every copy.
#[derive(Clone, Debug)]
pub struct Window<'a> {
    /// First byte of the window, counted over everything that is compared.
    pub at: u64,
    /// Its bytes in every copy; `None` for a copy that cannot be read.
    pub copies: Vec<Option<&'a [u8]>>,
    /// The range in it.
    pub range: Range<usize>,
    /// Where the window begins in the file, if the copies are files and start at the same offset in both. A file of
    /// PostgreSQL is a segment of 1 GiB: its number is reported too.
    pub in_file: Option<(u64, u32)>,
}

impl Window<'_> {
    /// `len` bytes of a copy, if it can be read and the window contains them.
    pub(super) fn bytes(&self, copy: usize, at: usize, len: usize) -> Option<&[u8]> {
        (*self.copies.get(copy)?)?.get(at..at.checked_add(len)?)
    }

    /// Starts of pages of this size that hold the block at `block`, on the grid of blocks.
    pub(super) fn starts(&self, block: usize, page: usize) -> impl Iterator<Item = usize> + use<> {
        let step = usize::try_from(BLOCK_BYTES).unwrap_or(4096);
        (0..page / step).filter_map(move |back| block.checked_sub(back * step))
    }
}

/// A page or block in the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub start: usize,
    pub len: usize,
}

/// What a kind of page says about its copies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PageJudge {
    pub right: Option<usize>,
    pub certainty: Certainty,
    pub why: String,
}

impl PageJudge {
    pub(super) fn of(right: usize, certainty: Certainty, why: String) -> Self {
        Self { right: Some(right), certainty, why }
    }

    pub(super) const fn unknown(why: String) -> Self {
        Self { right: None, certainty: Certainty::Unknown, why }
    }
}
