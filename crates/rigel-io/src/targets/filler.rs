//! Writes the random data of a fill, and finds out how far an earlier fill came. Scratch files and `rigel fill` share it.
//!
//! A fill writes from the beginning to the end, and waits now and then until all of it is on the medium. So how far it came is seen by
//! the data itself, and nothing else has to be kept. Must not decide whether a target may be written.

use super::aligned::AlignedBuffer;
use super::own_file::{evenly_spread, read_all};
use rigel_core::guard::scratch::{self, BLOCK_BYTES};
use rigel_core::units::{GIB, MIB};
use rustix::fs;
use rustix::io::Errno;
use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::sync::atomic::{AtomicBool, Ordering};

const BLOCK: u64 = BLOCK_BYTES as u64;
/// Bytes of one write.
const PIECE: u64 = 4 * MIB;
/// All that was written before so many bytes is on the medium.
const DURABLE: u64 = GIB;
/// Blocks that are looked at of what an earlier fill wrote.
const SAMPLES: u64 = 1024;

/// Why a fill ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// The user wanted it.
    Stopped,
    /// The write at this offset failed.
    Failed(u64, Errno),
}

/// Writes a range, which begins with a block. `progress` gets the offset up to which all is written. At the end all of it is on the medium.
pub(super) fn write(
    fd: &File,
    range: Range<u64>,
    seed: u64,
    progress: &mut dyn FnMut(u64),
    stop: &AtomicBool,
) -> Result<(), Cut> {
    let mut buffer = AlignedBuffer::new(usize::try_from(PIECE).unwrap_or(usize::MAX));
    let (mut at, mut durable) = (range.start, range.start);
    while at < range.end {
        if stop.load(Ordering::Relaxed) {
            return Err(Cut::Stopped);
        }
        let len = PIECE.min(range.end - at);
        let piece = &mut buffer.bytes()[..usize::try_from(len).unwrap_or(usize::MAX)];
        scratch::write_blocks(seed, at, piece);
        write_all(fd, piece, at).map_err(|errno| Cut::Failed(at, errno))?;
        at += len;
        if at - durable >= DURABLE {
            fs::fdatasync(fd).map_err(|errno| Cut::Failed(durable, errno))?;
            durable = at;
        }
        progress(at);
    }
    fs::fsync(fd).map_err(|errno| Cut::Failed(durable, errno))
}

pub(super) fn write_all(file: &File, bytes: &[u8], at: u64) -> Result<(), Errno> {
    file.write_all_at(bytes, at).map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
}

/// The offset from which on a fill of `bytes` has to write; all before it holds what an earlier one wrote. The end is searched by halving. Spread
/// blocks before it tell whether something else was written or discarded there since, and all that may not have been on the medium when the
/// power went is read.
pub(super) fn filled(file: &File, bytes: u64) -> Result<u64, Errno> {
    let mut reader = Reader { file, bytes, buffer: AlignedBuffer::new(usize::try_from(PIECE).unwrap_or(0)) };
    let (mut low, mut high) = (0, bytes.div_ceil(PIECE));
    while low < high {
        let middle = low.midpoint(high);
        if reader.is_ours((middle + 1) * PIECE - BLOCK)? { low = middle + 1 } else { high = middle }
    }
    let end = (low * PIECE).min(bytes);
    for block in evenly_spread(SAMPLES, end / BLOCK) {
        if !reader.is_ours(block * BLOCK)? {
            return Ok(block * BLOCK / PIECE * PIECE);
        }
    }
    for piece in (end.saturating_sub(DURABLE + PIECE) / PIECE)..low {
        if !reader.all_ours(piece * PIECE)? {
            return Ok(piece * PIECE);
        }
    }
    Ok(end)
}

struct Reader<'a> {
    file: &'a File,
    bytes: u64,
    buffer: AlignedBuffer,
}

impl Reader<'_> {
    /// Whether the block at an offset is one of a fill; of one behind the end, whether the last one is.
    fn is_ours(&mut self, offset: u64) -> Result<bool, Errno> {
        let at = offset.min(self.bytes.saturating_sub(1) / BLOCK * BLOCK);
        self.are_ours(at, BLOCK)
    }

    /// Whether all blocks of the piece at an offset are.
    fn all_ours(&mut self, offset: u64) -> Result<bool, Errno> {
        self.are_ours(offset, PIECE)
    }

    fn are_ours(&mut self, at: u64, len: u64) -> Result<bool, Errno> {
        let wanted = usize::try_from(len.min(self.bytes - at)).unwrap_or(0);
        // The file may be shorter than it will be.
        if !read_all(self.file, &mut self.buffer.bytes()[..wanted], at)? {
            return Ok(false);
        }
        let blocks = self.buffer.bytes()[..wanted].chunks(BLOCK_BYTES);
        Ok((at..).step_by(BLOCK_BYTES).zip(blocks).all(|(at, block)| scratch::is_of_fill(at, block)))
    }
}

#[cfg(test)]
mod tests;
