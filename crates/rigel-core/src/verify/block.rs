//! The format of a verified block of 4 KiB: eight sectors of 512 bytes, each of which says all that the block says.
//!
//! A device writes a sector whole or not at all, and several of them in any order. So every sector has a head, a body and a checksum
//! of its own, and a block that consists of two writes shows which sector is of which.
//!
//! | bytes of a sector | what |
//! | --- | --- |
//! | 0..8 | `RigelVer` |
//! | 8..16 | the byte offset of the sector in its target |
//! | 16..24 | the generation, and in the upper 16 bits the number of the target |
//! | 24..32 | the seed of the run |
//! | 32..504 | drawn from seed, target, offset and generation: no array can compress it |
//! | 504..512 | XXH3 (64 bits) of the bytes before |
//!
//! All numbers are little-endian. XXH3 reads many times faster than a device delivers, and a wrong sector passes once in 2^64. The body could be compared
//! without it, but it costs more to draw than to sum up, and it is drawn only to say which bits are wrong. Must not judge what is found.

use crate::guard::scratch;
use crate::load::draw::Generator;
use crate::load::volume::Place;
use twox_hash::XxHash3_64;

/// Bytes of a block.
pub const BLOCK_BYTES: usize = scratch::BLOCK_BYTES;
/// Bytes of a sector.
pub const SECTOR_BYTES: usize = 512;
/// Sectors of a block.
pub const SECTORS: usize = BLOCK_BYTES / SECTOR_BYTES;
/// Generations that can be distinguished.
pub const MOST_GENERATIONS: u64 = 1 << GENERATION_BITS;

const GENERATION_BITS: u32 = 48;
const HEAD_BYTES: usize = 32;
const CHECK_AT: usize = SECTOR_BYTES - 8;
const MAGIC: u64 = scratch::VERIFIED_MAGIC;
/// Keeps the generator apart from those of other contents.
const PURPOSE: u64 = MAGIC;

/// The label of a sector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// Its position; the offset is that of the sector.
    pub place: Place,
    /// The number of the write to that place, from 1.
    pub generation: u64,
    /// The run that wrote it.
    pub seed: u64,
}

impl Head {
    fn words(self) -> [u64; 4] {
        [MAGIC, self.place.offset, stamped(self.place.target, self.generation), self.seed]
    }

    /// The label of a sector; `None` if it is foreign, or damaged.
    pub fn of(sector: &[u8]) -> Option<Self> {
        let words = [0, 8, 16, 24].map(|at| word(sector, at));
        let target = u16::try_from(words[2] >> GENERATION_BITS).unwrap_or(u16::MAX);
        let place = Place { target, offset: words[1] };
        let head = Self { place, generation: words[2] & (MOST_GENERATIONS - 1), seed: words[3] };
        (words[0] == MAGIC && is_sound(sector)).then_some(head)
    }
}

const fn stamped(target: u16, generation: u64) -> u64 {
    (target as u64) << GENERATION_BITS | generation & (MOST_GENERATIONS - 1)
}

fn word(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |word| u64::from_le_bytes(*word))
}

#[inline]
fn is_sound(sector: &[u8]) -> bool {
    word(sector, CHECK_AT) == XxHash3_64::oneshot(&sector[..CHECK_AT])
}

/// Writes the block of a position into `out`.
///
/// # Panics
/// When `out` is not [`BLOCK_BYTES`] long.
pub fn fill(seed: u64, place: Place, generation: u64, out: &mut [u8]) {
    assert_eq!(out.len(), BLOCK_BYTES, "a block has {BLOCK_BYTES} bytes");
    let mut body = Generator::new(seed, &[PURPOSE, place.target.into(), place.offset, generation]);
    let mut offset = place.offset;
    for sector in out.chunks_exact_mut(SECTOR_BYTES) {
        let head = Head { place: Place { offset, ..place }, generation, seed };
        for (bytes, word) in sector.chunks_exact_mut(8).zip(head.words()) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        body.fill(&mut sector[HEAD_BYTES..CHECK_AT]);
        let sum = XxHash3_64::oneshot(&sector[..CHECK_AT]);
        sector[CHECK_AT..].copy_from_slice(&sum.to_le_bytes());
        offset = offset.wrapping_add(SECTOR_BYTES as u64);
    }
}

/// The generation of a block whose sectors are all sound and of this run, position and one write; otherwise `None`.
#[inline]
pub fn whole(seed: u64, place: Place, block: &[u8]) -> Option<u64> {
    let generation = word(block, 16) & (MOST_GENERATIONS - 1);
    let stamp = stamped(place.target, generation);
    let mut offset = place.offset;
    let mut right = block.len() == BLOCK_BYTES;
    for sector in block.chunks_exact(SECTOR_BYTES) {
        right &= word(sector, 0) == MAGIC
            && word(sector, 8) == offset
            && word(sector, 16) == stamp
            && word(sector, 24) == seed
            && is_sound(sector);
        offset = offset.wrapping_add(SECTOR_BYTES as u64);
    }
    right.then_some(generation)
}
