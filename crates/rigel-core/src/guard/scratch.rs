//! The format of a scratch file, which Rigel fills before a run and recognises later.
//!
//! Every 4 KiB block begins with a stamp of 24 bytes: a magic number, the offset of the block and the seed, each a
//! little-endian `u64`. Random bytes drawn from seed and offset follow. So each block can be checked alone, and the check
//! distinguishes zeros, a block of another place, and a flipped bit.
//!
//! A trailer of 1 MiB follows the data. It begins with a header and is zeros otherwise. No I/O of a run goes there, so a
//! file that a killed run wrote to is still recognised. The header says whether the fill was finished, and whether a
//! later run may remove the file. Must not touch a file.

use crate::error::Problem;
use crate::load::draw::Generator;
use crate::units::{Bytes, GIB, MIB};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

/// The default name of a scratch file.
pub const FILE_NAME: &str = "rigel-scratch.dat";
/// Bytes of one block, and of the header.
pub const BLOCK_BYTES: usize = 4096;
/// Bytes after the data, which no I/O of a run touches. A large power of two, so file sizes stay aligned.
pub const TRAILER_BYTES: u64 = MIB;
/// Bytes of the stamp at the head of a block.
pub(crate) const STAMP_BYTES: usize = 24;
/// The version that this program writes.
pub const VERSION: u32 = 1;
/// A smaller scratch file says too little about the device below it.
pub(crate) const LEAST_BYTES: u64 = 256 * MIB;

const HEADER_MAGIC: [u8; 8] = *b"RIGELSCR";
const BLOCK_MAGIC: u64 = u64::from_le_bytes(*b"RigelBlk");
/// The beginning of verified blocks (`crate::verify`), followed by the offset at byte 8 and the seed at byte 24.
pub(crate) const VERIFIED_MAGIC: u64 = u64::from_le_bytes(*b"RigelVer");
/// Text for people who open the file; it is not checked.
const HEADER_TEXT: &[u8] =
    b"\nThis file holds random data for a storage measurement by Rigel. It may be deleted.\n";
const HEADER_TEXT_AT: usize = 64;
/// Keeps these generators apart from those that draw offsets.
const PURPOSE: u64 = BLOCK_MAGIC;

/// Whether a file has the name of a scratch file: `rigel-scratch*.dat`.
pub fn is_scratch_name(name: &OsStr) -> bool {
    let name = name.as_bytes();
    name.starts_with(b"rigel-scratch") && name.ends_with(b".dat")
}

/// The name of the scratch file with a number, for several runs in one directory: `rigel-scratch.dat`, then
/// `rigel-scratch-2.dat` and so on.
pub fn numbered_name(number: u32) -> String {
    match number {
        0 | 1 => FILE_NAME.to_owned(),
        _ => format!("rigel-scratch-{number}.dat"),
    }
}

/// The state of a scratch file, and its number in the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The fill is incomplete: it must not be measured.
    Filling = 0,
    /// Filled for one run. A later run may use or remove it if no run uses it.
    Temporary = 1,
    /// Filled, and kept for later runs.
    Kept = 2,
}

/// The contents of the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Bytes of data, which a run measures; the trailer follows.
    pub data_bytes: u64,
    /// Seed of every block.
    pub seed: u64,
    /// The state of the file.
    pub state: State,
}

/// The reason why bytes are not a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderError {
    /// The magic number is not there.
    NotOurs,
    /// A later version of Rigel wrote it.
    Version(u32),
    /// The magic number is there, the check value is wrong.
    Damaged,
}

impl Header {
    /// Size of the whole file.
    pub const fn file_bytes(&self) -> u64 {
        self.data_bytes.saturating_add(TRAILER_BYTES)
    }

    /// Whether the fill is complete.
    pub const fn is_whole(&self) -> bool {
        !matches!(self.state, State::Filling)
    }

    /// Whether it is kept for later runs.
    pub const fn is_kept(&self) -> bool {
        matches!(self.state, State::Kept)
    }

    /// The first block of the trailer.
    pub fn encode(&self) -> [u8; BLOCK_BYTES] {
        let mut block = [0; BLOCK_BYTES];
        block[..8].copy_from_slice(&HEADER_MAGIC);
        block[8..12].copy_from_slice(&VERSION.to_le_bytes());
        block[12..16].copy_from_slice(&(self.state as u32).to_le_bytes());
        block[16..24].copy_from_slice(&self.seed.to_le_bytes());
        block[24..32].copy_from_slice(&self.data_bytes.to_le_bytes());
        let check = fnv1a(&block[..32]);
        block[32..40].copy_from_slice(&check.to_le_bytes());
        block[HEADER_TEXT_AT..HEADER_TEXT_AT + HEADER_TEXT.len()].copy_from_slice(HEADER_TEXT);
        block
    }

    /// Reads the header from the first bytes of a trailer.
    ///
    /// # Errors
    /// When the bytes are not a header, or one that is damaged or of another version.
    pub fn decode(bytes: &[u8]) -> Result<Self, HeaderError> {
        let fields: &[u8; 40] = bytes.first_chunk().ok_or(HeaderError::NotOurs)?;
        if fields[..8] != HEADER_MAGIC {
            return Err(HeaderError::NotOurs);
        }
        if word(fields, 32) != fnv1a(&fields[..32]) {
            return Err(HeaderError::Damaged);
        }
        let version = u32::from_le_bytes([fields[8], fields[9], fields[10], fields[11]]);
        if version != VERSION {
            return Err(HeaderError::Version(version));
        }
        let number = u32::from_le_bytes([fields[12], fields[13], fields[14], fields[15]]);
        let mut states = [State::Filling, State::Temporary, State::Kept].into_iter();
        let state = states.find(|&state| state as u32 == number).ok_or(HeaderError::Damaged)?;
        Ok(Self { state, seed: word(fields, 16), data_bytes: word(fields, 24) })
    }
}

/// FNV-1a, 64 bit (Fowler, Noll, Vo): enough to detect random bytes and a torn write, and to distinguish texts that nobody made collide.
pub(crate) fn fnv1a(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn word(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}

/// Writes the block that belongs at `offset` into `out`.
///
/// # Panics
/// When `out` is not [`BLOCK_BYTES`] long.
pub fn block(seed: u64, offset: u64, out: &mut [u8]) {
    assert_eq!(out.len(), BLOCK_BYTES, "a block has {BLOCK_BYTES} bytes");
    write_stamps(seed, offset, out);
    Generator::new(seed, &[PURPOSE, offset]).fill(&mut out[STAMP_BYTES..]);
}

/// Writes the contents of a fill from `offset` on, a multiple of [`BLOCK_BYTES`]. A last partial block is the beginning of a block.
pub fn write_blocks(seed: u64, offset: u64, out: &mut [u8]) {
    for (at, part) in (offset..).step_by(BLOCK_BYTES).zip(out.chunks_mut(BLOCK_BYTES)) {
        if part.len() == BLOCK_BYTES {
            block(seed, at, part);
        } else {
            let mut whole = [0; BLOCK_BYTES];
            block(seed, at, &mut whole);
            part.copy_from_slice(&whole[..part.len()]);
        }
    }
}

/// Whether a block read at `offset`, or the beginning of a last one, is what a fill writes there, with any seed. Each byte is compared, so
/// foreign data never passes.
pub fn is_of_fill(offset: u64, found: &[u8]) -> bool {
    let Some((_, seed)) = stamp(found).filter(|&(place, _)| place == offset) else { return false };
    let mut expected = [0; BLOCK_BYTES];
    block(seed, offset, &mut expected);
    expected.get(..found.len()) == Some(found)
}

/// Stamps each block that begins inside an I/O to `offset`. So all written 4 KiB blocks differ, and no array can
/// deduplicate them.
#[inline]
pub fn write_stamps(seed: u64, offset: u64, out: &mut [u8]) {
    let lead = offset.next_multiple_of(BLOCK_BYTES as u64) - offset;
    let mut at = usize::try_from(lead).unwrap_or(usize::MAX);
    while let Some(stamp) = out.get_mut(at..).and_then(<[u8]>::first_chunk_mut::<STAMP_BYTES>) {
        stamp[..8].copy_from_slice(&BLOCK_MAGIC.to_le_bytes());
        stamp[8..16].copy_from_slice(&(offset + at as u64).to_le_bytes());
        stamp[16..].copy_from_slice(&seed.to_le_bytes());
        at += BLOCK_BYTES;
    }
}

/// Whether Rigel may have written the block at `offset`, in any run: it has the stamp of its place, or is all zeros. Only
/// the stamp is checked, because I/Os smaller than a block change the remainder.
pub fn may_be_own(offset: u64, block: &[u8]) -> bool {
    any_stamp(block).is_some_and(|(at, _)| at == offset) || block.iter().all(|&byte| byte == 0)
}

/// The offset and the seed in the stamp of a block, if it has one.
pub fn stamp(block: &[u8]) -> Option<(u64, u64)> {
    let stamp: &[u8; STAMP_BYTES] = block.first_chunk()?;
    (word(stamp, 0) == BLOCK_MAGIC).then(|| (word(stamp, 8), word(stamp, 16)))
}

/// The same for verified blocks, too.
#[inline]
pub fn any_stamp(block: &[u8]) -> Option<(u64, u64)> {
    let verified = || {
        let stamp: &[u8; 32] = block.first_chunk()?;
        (word(stamp, 0) == VERIFIED_MAGIC).then(|| (word(stamp, 8), word(stamp, 24)))
    };
    stamp(block).or_else(verified)
}

/// The stamps that the blocks of a scratch file can have during a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamps {
    fill_seed: u64,
    run_seed: u64,
    used_before: bool,
}

impl Stamps {
    /// For a file filled with `fill_seed` in a run with `run_seed`. `used_before`: earlier runs may have written to it with
    /// other, unknown seeds.
    pub const fn new(fill_seed: u64, run_seed: u64, used_before: bool) -> Self {
        Self { fill_seed, run_seed, used_before }
    }

    /// Whether a block read at `offset` has a stamp that belongs there. A block must begin at `offset`.
    #[inline]
    pub fn admit(&self, block: &[u8], offset: u64) -> bool {
        any_stamp(block).is_some_and(|(found, seed)| {
            found == offset && (self.used_before || seed == self.fill_seed || seed == self.run_seed)
        })
    }
}

/// The default size of a scratch file: large enough to exceed the caches, small enough to be filled quickly and to leave
/// space on the disk.
///
/// # Errors
/// When less than 1 GiB is free, because a quarter of it would measure little more than caches.
pub fn choose_size(free_bytes: u64, memory_bytes: u64) -> Result<u64, Problem> {
    let wanted = (memory_bytes / 4).clamp(GIB, 4 * GIB);
    let size = wanted.min(free_bytes / 4) / MIB * MIB;
    if size >= LEAST_BYTES {
        return Ok(size);
    }
    Err(Problem::refused("there is not enough free space for a scratch file")
        .because(format!(
            "{} are free; a scratch file takes a quarter of that and needs {}",
            Bytes(free_bytes),
            Bytes(LEAST_BYTES)
        ))
        .next(format!(
            "free {}, give a smaller size with --scratch-size, or name a target",
            Bytes((4 * LEAST_BYTES).saturating_sub(free_bytes))
        )))
}

#[cfg(test)]
mod tests;
