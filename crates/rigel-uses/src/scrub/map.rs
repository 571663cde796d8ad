//! Where the copies lie: strips, each with a place for every copy. Two devices are one strip; a mirror of several segments or a disk group
//! of a database has many. Must not read anything.

use rigel_core::facts::copies::{Place, Strip};
use sha2::{Digest, Sha256};

/// Bytes in which differences are counted: the smallest page of a database or filesystem.
pub const BLOCK_BYTES: u64 = 4096;
/// Bytes that are read from each copy in one step.
pub const CHUNK_BYTES: u64 = 1 << 20;
/// Copies of one strip.
pub const MOST_COPIES: usize = 8;

/// A part of a strip that is read in one step. At most [`CHUNK_BYTES`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// First byte, counted over all strips.
    pub at: u64,
    /// Bytes.
    pub len: u64,
    /// Where each copy of it begins.
    pub copies: Vec<Place>,
}

/// All strips, one after another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Map {
    strips: Vec<Strip>,
    /// First byte of each strip, counted over all of them.
    starts: Vec<u64>,
    total: u64,
}

impl Map {
    /// From strips in this order; empty ones are left out.
    pub fn new(strips: Vec<Strip>) -> Self {
        let strips: Vec<Strip> = strips.into_iter().filter(|strip| strip.len > 0).collect();
        let mut total = 0_u64;
        let mut starts = Vec::with_capacity(strips.len());
        for strip in &strips {
            starts.push(total);
            total = total.saturating_add(strip.len);
        }
        Self { strips, starts, total }
    }

    /// Bytes of each copy.
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// The strips in their order.
    pub fn strips(&self) -> &[Strip] {
        &self.strips
    }

    /// The most copies of a strip.
    pub fn most_copies(&self) -> usize {
        self.strips.iter().map(|strip| strip.copies.len()).max().unwrap_or(0)
    }

    /// The strip that contains a byte, and where that strip begins.
    pub fn strip_at(&self, at: u64) -> Option<(&Strip, u64)> {
        let index = self.starts.partition_point(|&start| start <= at).checked_sub(1)?;
        let (strip, start) = (self.strips.get(index)?, *self.starts.get(index)?);
        (at - start < strip.len).then_some((strip, start))
    }

    /// `len` bytes from `at` on, as far as its strip has them.
    pub fn part(&self, at: u64, len: u64) -> Option<Chunk> {
        let (strip, start) = self.strip_at(at)?;
        let into = at - start;
        let moved = |place: &Place| Place { disk: place.disk, offset: place.offset + into };
        let copies = strip.copies.iter().map(moved).collect();
        Some(Chunk { at, len: len.min(strip.len - into), copies })
    }

    /// The chunk that continues at `at`; it ends where the strip or its next whole chunk does.
    pub fn chunk(&self, at: u64) -> Option<Chunk> {
        let (_, start) = self.strip_at(at)?;
        self.part(at, CHUNK_BYTES - (at - start) % CHUNK_BYTES)
    }

    /// A digest by which a resumed scrub recognises that the copies have not moved.
    pub fn fingerprint(&self) -> String {
        let mut digest = Sha256::new();
        for strip in &self.strips {
            digest.update(strip.len.to_le_bytes());
            for place in &strip.copies {
                digest.update(place.disk.to_le_bytes());
                digest.update(place.offset.to_le_bytes());
            }
        }
        hex(&digest.finalize())
    }
}

/// Bytes as hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(disk: u16, offset: u64) -> Place {
        Place { disk, offset }
    }

    fn map() -> Map {
        let strip = |len, a, b| Strip { len, copies: vec![place(0, a), place(1, b)], of: None };
        Map::new(vec![strip(CHUNK_BYTES + 5, 10, 20), strip(0, 1, 1), strip(7, 1000, 2000)])
    }

    #[test]
    fn chunks_cover_every_byte_once_and_stay_in_their_strip() {
        let map = map();
        let mut at = 0;
        let mut seen = Vec::new();
        while let Some(chunk) = map.chunk(at) {
            at += chunk.len;
            seen.push((chunk.at, chunk.len, chunk.copies[1].offset));
        }
        assert_eq!(
            seen,
            [(0, CHUNK_BYTES, 20), (CHUNK_BYTES, 5, 20 + CHUNK_BYTES), (CHUNK_BYTES + 5, 7, 2000)]
        );
        assert_eq!((at, map.most_copies()), (map.total(), 2));
        assert_eq!(map.chunk(3).unwrap().len, CHUNK_BYTES - 3, "to the next border");
    }

    #[test]
    fn the_fingerprint_knows_every_place() {
        let mut other = map();
        other.strips[1].copies[1].offset += 1;
        assert_ne!(map().fingerprint(), other.fingerprint());
        assert_eq!(map().fingerprint(), map().fingerprint());
    }
}
