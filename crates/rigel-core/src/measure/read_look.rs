//! Checks the data of a sample of the reads: zeros and blocks of another place did not come from the medium.
//!
//! A check reads 128 bytes of the buffer, so it costs far less than the I/O. Must not choose which reads are
//! checked; the worker does. Must not judge the counts; the findings do.

use crate::guard::scratch::{BLOCK_BYTES, Stamps};
use crate::units::to_f64;
use serde::{Deserialize, Serialize};

/// Bytes that are checked in one place: those of one or two cache lines.
const LOOK_BYTES: usize = 64;
/// The lower half of a random word.
const LOW: u64 = 0xffff_ffff;

/// Counts of the sampled reads of one class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadLook {
    /// Reads that were examined, one block of 4 KiB of each.
    pub sampled: u64,
    /// Blocks that were zero in both places: at their beginning, and elsewhere.
    pub zero_blocks: u64,
    /// Other blocks that did not begin with the right stamp; only scratch files have stamps.
    pub wrong_stamps: u64,
}

impl ReadLook {
    /// Checks the buffer of one read at byte `offset` of its target. `chance`, 64 random bits, selects one of its 4
    /// KiB blocks and the place in it. `stamps` are those of a scratch file.
    pub fn take(&mut self, buffer: &[u8], offset: u64, stamps: Option<&Stamps>, chance: u64) {
        self.sampled += 1;
        let place = Block::choose(buffer.len(), offset, chance >> 32);
        let block = &buffer[place.start..place.end];
        if is_zero(&block[..LOOK_BYTES.min(block.len())]) && is_zero(elsewhere(block, chance & LOW)) {
            self.zero_blocks += 1;
        } else if place.is_whole_start
            && stamps.is_some_and(|stamps| !stamps.admit(block, offset + place.start as u64))
        {
            self.wrong_stamps += 1;
        }
    }

    /// Blocks that held no data of their place.
    pub(crate) const fn without_data(&self) -> u64 {
        self.zero_blocks.saturating_add(self.wrong_stamps)
    }

    /// Their part of the sample, 0 to 1.
    pub fn share(&self) -> f64 {
        if self.sampled == 0 { 0.0 } else { to_f64(self.without_data()) / to_f64(self.sampled) }
    }

    /// Adds another worker's or another visit's.
    pub const fn add(&mut self, other: &Self) {
        self.sampled = self.sampled.saturating_add(other.sampled);
        self.zero_blocks = self.zero_blocks.saturating_add(other.zero_blocks);
        self.wrong_stamps = self.wrong_stamps.saturating_add(other.wrong_stamps);
    }
}

/// A 4 KiB block of the target inside a buffer, as far as the buffer contains it.
struct Block {
    start: usize,
    end: usize,
    /// Its beginning is in the buffer; false only for an I/O within one block.
    is_whole_start: bool,
}

impl Block {
    fn choose(io_bytes: usize, offset: u64, chance: u64) -> Self {
        let lead =
            usize::try_from(offset.next_multiple_of(BLOCK_BYTES as u64) - offset).unwrap_or(usize::MAX);
        // Blocks that begin inside the I/O.
        let blocks = io_bytes.saturating_sub(lead).div_ceil(BLOCK_BYTES);
        if blocks == 0 {
            return Self { start: 0, end: io_bytes, is_whole_start: false };
        }
        let start = lead + below(chance, blocks) * BLOCK_BYTES;
        Self { start, end: io_bytes.min(start + BLOCK_BYTES), is_whole_start: true }
    }
}

/// A place in the block after its first 64 bytes; the whole block if it has no room for two.
fn elsewhere(block: &[u8], chance: u64) -> &[u8] {
    match block.len() / LOOK_BYTES {
        0 | 1 => block,
        places => {
            let at = (1 + below(chance, places - 1)) * LOOK_BYTES;
            &block[at..at + LOOK_BYTES]
        }
    }
}

/// A number below `bound` from 32 random bits; an I/O has far fewer blocks than they can count.
fn below(chance: u64, bound: usize) -> usize {
    usize::try_from((chance * bound as u64) >> 32).unwrap_or(0)
}

/// Checks every byte without a branch for each, so that the compiler can vectorise it.
fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().fold(0, |seen, byte| seen | byte) == 0
}

#[cfg(test)]
mod tests;
