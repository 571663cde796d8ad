//! The format of a scratch file: what Rigel fills before it measures, and how a later reader knows it again.
//!
//! Every 4 KiB block begins with a stamp of 24 bytes (a magic number, the block's own offset and the seed, each a
//! little-endian `u64`) and goes on with random bytes drawn from the seed and the offset. So each block can be checked
//! alone: zeros, a block from elsewhere and a flipped bit are told apart.
//!
//! Behind the data comes a trailer of 1 MiB that begins with a header and is zeros otherwise. No I/O of a run goes
//! there, so a file that a killed run wrote to is still known. The header says whether the fill was finished and
//! whether the file may be removed by whoever finds it with nobody at work on it.
//! Must not touch a file.

use crate::error::Problem;
use crate::load::draw::Generator;
use crate::units::{Bytes, GIB, MIB};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

/// The name of a scratch file, unless the user gave another one that begins and ends alike.
pub const FILE_NAME: &str = "rigel-scratch.dat";
/// Bytes of one block, and of the header.
pub const BLOCK_BYTES: usize = 4096;
/// Bytes behind the data, where no I/O of a run goes. As large as most things that a device aligns to.
pub const TRAILER_BYTES: u64 = MIB;
/// Bytes of the stamp at the head of a block.
pub(crate) const STAMP_BYTES: usize = 24;
/// The version that this program writes.
pub const VERSION: u32 = 1;
/// Below this a scratch file says too little about the device under it.
pub(crate) const LEAST_BYTES: u64 = 256 * MIB;

const HEADER_MAGIC: [u8; 8] = *b"RIGELSCR";
const BLOCK_MAGIC: u64 = u64::from_le_bytes(*b"RigelBlk");
/// For whoever looks into the file; not part of what is checked.
const HEADER_TEXT: &[u8] =
    b"\nThis file holds random data for a storage measurement by Rigel. It may be deleted.\n";
const HEADER_TEXT_AT: usize = 64;
/// Sets these generators apart from those that draw offsets.
const PURPOSE: u64 = BLOCK_MAGIC;

/// Whether a file may be a scratch file by its name: `rigel-scratch*.dat`.
#[must_use]
pub fn is_scratch_name(name: &OsStr) -> bool {
    let name = name.as_bytes();
    name.starts_with(b"rigel-scratch") && name.ends_with(b".dat")
}

/// The name of the scratch file with a number, for a directory where other runs are at work: `rigel-scratch.dat`,
/// then `rigel-scratch-2.dat` and so on.
#[must_use]
pub fn numbered_name(number: u32) -> String {
    match number {
        0 | 1 => FILE_NAME.to_owned(),
        _ => format!("rigel-scratch-{number}.dat"),
    }
}

/// What is to become of a scratch file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Its fill has begun and not ended: not to be measured.
    Filling,
    /// Filled for one run. Whoever finds it with nobody at work on it may use and remove it.
    Temporary,
    /// Filled, and to stay for further runs.
    Kept,
}

impl State {
    const fn code(self) -> u32 {
        match self {
            Self::Filling => 0,
            Self::Temporary => 1,
            Self::Kept => 2,
        }
    }

    const fn from_code(code: u32) -> Option<Self> {
        Some(match code {
            0 => Self::Filling,
            1 => Self::Temporary,
            2 => Self::Kept,
            _ => return None,
        })
    }
}

/// What the header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Bytes of data, which are what a run measures; the trailer comes behind them.
    pub data_bytes: u64,
    /// Seed of every block.
    pub seed: u64,
    /// How far it is, and what is to become of it.
    pub state: State,
}

/// Why bytes are no header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    /// The magic number is not there.
    #[error("it has no header of a scratch file")]
    NotOurs,
    /// A later program wrote it.
    #[error("its header has version {0}, this program knows version {VERSION}")]
    Version(u32),
    /// The magic number is there, the check value is wrong.
    #[error("its header is damaged")]
    Damaged,
}

impl Header {
    /// Size of the whole file.
    #[must_use]
    pub const fn file_bytes(&self) -> u64 {
        self.data_bytes.saturating_add(TRAILER_BYTES)
    }

    /// Whether the data is all there.
    #[must_use]
    pub const fn is_whole(&self) -> bool {
        !matches!(self.state, State::Filling)
    }

    /// The first block of the trailer.
    #[must_use]
    pub fn encode(&self) -> [u8; BLOCK_BYTES] {
        let mut block = [0; BLOCK_BYTES];
        block[..8].copy_from_slice(&HEADER_MAGIC);
        block[8..12].copy_from_slice(&VERSION.to_le_bytes());
        block[12..16].copy_from_slice(&self.state.code().to_le_bytes());
        block[16..24].copy_from_slice(&self.seed.to_le_bytes());
        block[24..32].copy_from_slice(&self.data_bytes.to_le_bytes());
        let check = fnv1a(&block[..32]);
        block[32..40].copy_from_slice(&check.to_le_bytes());
        block[HEADER_TEXT_AT..HEADER_TEXT_AT + HEADER_TEXT.len()].copy_from_slice(HEADER_TEXT);
        block
    }

    /// The header in the first bytes of a trailer.
    ///
    /// # Errors
    /// When they are none, or not one that this program can trust.
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
        let state = u32::from_le_bytes([fields[12], fields[13], fields[14], fields[15]]);
        let state = State::from_code(state).ok_or(HeaderError::Damaged)?;
        Ok(Self { state, seed: word(fields, 16), data_bytes: word(fields, 24) })
    }
}

/// FNV-1a, 64 bit (Fowler, Noll, Vo): enough to tell a header from chance and from a torn write.
fn fnv1a(bytes: &[u8]) -> u64 {
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

/// Stamps every whole block boundary inside an I/O that goes to `offset`, so that each 4 KiB that is written is
/// unlike every other: no array can store them once.
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

/// Whether a block at `offset` may be one that Rigel filled or wrote, in any run: it has the stamp of its place, or
/// holds nothing. Only the head is looked at, because I/Os smaller than a block change the rest.
#[must_use]
pub fn may_be_own(offset: u64, block: &[u8]) -> bool {
    stamp(block).is_some_and(|(at, _)| at == offset) || block.iter().all(|&byte| byte == 0)
}

/// What is wrong with a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BlockFault {
    /// All zeros: lost, or never written.
    #[error("the block is all zeros")]
    Zeros,
    /// No stamp.
    #[error("the block has no stamp")]
    NotStamped,
    /// The stamp of another place: a misdirected read or write.
    #[error("the block belongs to byte {found}")]
    WrongOffset {
        /// The offset in the stamp.
        found: u64,
    },
    /// The stamp of another fill: a stale block.
    #[error("the block is from a fill with seed {found}")]
    WrongSeed {
        /// The seed in the stamp.
        found: u64,
    },
    /// The stamp is right, a later byte is not.
    #[error("byte {at} of the block is not what was written")]
    WrongByte {
        /// Index in the block.
        at: usize,
    },
}

/// Judges the block read at `offset` of a file filled with `seed`.
///
/// # Errors
/// The first thing that is wrong with it.
///
/// # Panics
/// When `found` is not [`BLOCK_BYTES`] long.
pub fn check_block(seed: u64, offset: u64, found: &[u8]) -> Result<(), BlockFault> {
    let mut expected = [0; BLOCK_BYTES];
    block(seed, offset, &mut expected);
    assert_eq!(found.len(), BLOCK_BYTES, "a block has {BLOCK_BYTES} bytes");
    let Some(at) = found.iter().zip(&expected).position(|(found, expected)| found != expected) else {
        return Ok(());
    };
    Err(match stamp(found) {
        None if found.iter().all(|&byte| byte == 0) => BlockFault::Zeros,
        None => BlockFault::NotStamped,
        Some((found, _)) if found != offset => BlockFault::WrongOffset { found },
        Some((_, found)) if found != seed => BlockFault::WrongSeed { found },
        Some(_) => BlockFault::WrongByte { at },
    })
}

/// The offset and the seed in the stamp of a block, if it has one.
#[must_use]
pub fn stamp(block: &[u8]) -> Option<(u64, u64)> {
    let stamp: &[u8; STAMP_BYTES] = block.first_chunk()?;
    (word(stamp, 0) == BLOCK_MAGIC).then(|| (word(stamp, 8), word(stamp, 16)))
}

/// The stamps that the blocks of a scratch file can have during a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamps {
    fill_seed: u64,
    run_seed: u64,
    used_before: bool,
}

impl Stamps {
    /// Of a file filled with `fill_seed` that a run with `run_seed` may write to. `used_before`: earlier runs may have
    /// written to it too, with seeds that nobody knows any more.
    #[must_use]
    pub const fn new(fill_seed: u64, run_seed: u64, used_before: bool) -> Self {
        Self { fill_seed, run_seed, used_before }
    }

    /// Whether a block that was read at `offset`, where a block begins, has a stamp that belongs there.
    #[inline]
    #[must_use]
    pub fn admit(&self, block: &[u8], offset: u64) -> bool {
        stamp(block).is_some_and(|(found, seed)| {
            found == offset && (self.used_before || seed == self.fill_seed || seed == self.run_seed)
        })
    }
}

/// How large a scratch file should be: large enough to leave the caches, small enough to be filled soon and not to
/// crowd the disk.
///
/// # Errors
/// When less than 1 GiB is free, so that a quarter of it would measure little more than caches.
pub fn choose_size(free_bytes: u64, memory_bytes: u64) -> Result<u64, Problem> {
    let wanted = (memory_bytes / 4).clamp(GIB, 4 * GIB);
    let size = wanted.min(free_bytes / 4) / MIB * MIB;
    if size >= LEAST_BYTES {
        return Ok(size);
    }
    Err(Problem::refused("there is too little free space for a scratch file")
        .because(format!(
            "{} are free; a scratch file takes a quarter of that and needs {}",
            Bytes(free_bytes),
            Bytes(LEAST_BYTES)
        ))
        .next(format!("free {}, or name a target", Bytes((4 * LEAST_BYTES).saturating_sub(free_bytes)))))
}

#[cfg(test)]
mod tests;
