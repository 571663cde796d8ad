//! Copies of data compared: where they lie, what of a difference counts, and which copy is right.
//!
//! The storage is read elsewhere; here is what its bytes mean. A difference is no finding until it has stayed the same over several reads
//! ([`settle`]), because a mirror that is in use is written one leg after the other. Must not read a device.

mod crc32c;
pub mod extents;
mod found;
mod innodb;
pub mod judge;
mod map;
mod own;
mod pages;
mod postgres;
pub mod settle;
mod state;
mod verified;

pub use found::{CopyFound, Difference, Found, MOST_LISTED, Stretch};
pub use judge::{Certainty, Judged, Kind};
pub use map::{BLOCK_BYTES, CHUNK_BYTES, Chunk, Extent, MOST_COPIES, Map, Place, Strip};
pub use state::{FileNumber, SCHEMA as STATE_SCHEMA, Source, State, Who};

/// The name of a copy by its place: `A`, `B`, `C`.
pub fn letter(copy: usize) -> char {
    u8::try_from(copy).ok().filter(|&copy| copy < 26).map_or('?', |copy| char::from(b'A' + copy))
}
