//! Copies of data compared: where they lie, which part of a difference counts, and which copy is right. One copy alone is read: which part of it
//! cannot be, and what is much slower than the rest ([`pace`]).
//!
//! The storage is read elsewhere; here is what its bytes mean. A difference is not a finding until it has stayed the same over several reads
//! ([`settle`]), because a mirror that is in use is written one leg after the other. Must not read a device.

mod crc32c;
pub mod extents;
mod found;
mod innodb;
pub mod judge;
mod map;
mod own;
pub mod pace;
mod pages;
mod postgres;
pub mod settle;
mod state;
mod verified;
pub mod window;

pub use found::{Difference, MOST_LISTED, RangeCopy, ScrubFindings, SlowFindings, SlowRange, Stretch};
pub use judge::{CopyJudgement, Kind};
pub use map::{BLOCK_BYTES, CHUNK_BYTES, Chunk, MOST_COPIES, Map};
pub use rigel_core::facts::copies::{Extent, Place, Strip};
pub use state::{DiskIdentity, FileNumber, SCHEMA as STATE_SCHEMA, Source, State};
pub use window::Certainty;

/// The name of a copy by its place: `A`, `B`, `C`.
pub fn letter(copy: usize) -> char {
    u8::try_from(copy).ok().filter(|&copy| copy < 26).map_or('?', |copy| char::from(b'A' + copy))
}
