//! Writes the random data of a fill, and finds out how far an earlier fill came. Scratch files and `rigel fill` share it.
//!
//! A fill writes from the beginning to the end, some pieces at a time, and flushes from time to time. So the data itself shows how far it got, and
//! nothing else has to be stored. Must not decide whether a target may be written.

use super::aligned::AlignedBuffer;
use super::own_file::{evenly_spread, read_all};
use rigel_core::guard::scratch::{self, BLOCK_BYTES};
use rigel_core::units::{GIB, MIB};
use rustix::fs;
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

const BLOCK: u64 = BLOCK_BYTES as u64;
/// Bytes of one write.
const PIECE: u64 = 4 * MIB;
/// Pieces that are in flight, or whose data is made, at the same time.
const WRITERS: u64 = 4;
/// Everything written before this many bytes is on the medium.
const DURABLE: u64 = GIB;
/// Blocks that are checked of what an earlier fill wrote.
const SAMPLES: u64 = 1024;

/// Why a fill ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FillStop {
    /// The user stopped it.
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
) -> Result<(), FillStop> {
    let mut at = range.start;
    while range.end - at > DURABLE {
        // At the end of a stretch no write is in flight, so that what is durable has no gap.
        Stretch::new(fd, at..at + DURABLE, seed, stop).write(progress)?;
        fs::fdatasync(fd).map_err(|errno| FillStop::Failed(at, errno))?;
        at += DURABLE;
    }
    Stretch::new(fd, at..range.end, seed, stop).write(progress)?;
    fs::fsync(fd).map_err(|errno| FillStop::Failed(at, errno))
}

/// A piece that was written, by its offset; or why it was not.
type PieceDone = Result<u64, (u64, Errno)>;

/// What is written between two waits for the medium.
struct Stretch<'a> {
    fd: &'a File,
    end: u64,
    seed: u64,
    stop: &'a AtomicBool,
    begin: u64,
    /// The next unclaimed piece.
    next: AtomicU64,
    failed: AtomicBool,
}

impl<'a> Stretch<'a> {
    const fn new(fd: &'a File, range: Range<u64>, seed: u64, stop: &'a AtomicBool) -> Self {
        let (begin, end) = (range.start, range.end);
        Self { fd, end, seed, stop, begin, next: AtomicU64::new(begin), failed: AtomicBool::new(false) }
    }

    /// Some threads write, so one produces data while the device writes that of others.
    fn write(&self, progress: &mut dyn FnMut(u64)) -> Result<(), FillStop> {
        let (sender, done) = mpsc::channel();
        thread::scope(|scope| {
            let mut writers = 0;
            for _ in 0..WRITERS.min((self.end - self.begin).div_ceil(PIECE)) {
                let sender = sender.clone();
                let begun = thread::Builder::new().spawn_scoped(scope, move || self.pieces(&sender));
                writers += u64::from(begun.is_ok());
            }
            // Where the limits of the process allow no thread more, this one writes.
            if writers == 0 {
                self.pieces(&sender);
            }
            drop(sender);
            self.follow(&done, progress)
        })
    }

    /// What one thread does. A piece that was begun is finished, so a fill that is stopped leaves no gap.
    fn pieces(&self, done: &Sender<PieceDone>) {
        let mut buffer = AlignedBuffer::new(usize::try_from(PIECE).unwrap_or(usize::MAX));
        while !self.stop.load(Ordering::Relaxed) && !self.failed.load(Ordering::Relaxed) {
            let at = self.next.fetch_add(PIECE, Ordering::Relaxed);
            if at >= self.end {
                return;
            }
            let len = PIECE.min(self.end - at);
            let piece = &mut buffer.bytes()[..usize::try_from(len).unwrap_or(usize::MAX)];
            scratch::write_blocks(self.seed, at, piece);
            let written = write_all(self.fd, piece, at);
            if written.is_err() {
                self.failed.store(true, Ordering::Relaxed);
            }
            if done.send(written.map(|()| at).map_err(|errno| (at, errno))).is_err() {
                return;
            }
        }
    }

    /// Reports how far the data reaches without a gap, until the last thread has ended.
    fn follow(&self, done: &Receiver<PieceDone>, progress: &mut dyn FnMut(u64)) -> Result<(), FillStop> {
        let mut beyond = BTreeSet::new();
        let (mut at, mut first_failed) = (self.begin, None::<(u64, Errno)>);
        for piece in done {
            match piece {
                Ok(piece) => {
                    beyond.insert(piece);
                    let before = at;
                    while beyond.remove(&at) {
                        at = self.end.min(at + PIECE);
                    }
                    if at > before {
                        progress(at);
                    }
                }
                Err(failed) => {
                    first_failed = Some(first_failed.filter(|one| one.0 < failed.0).unwrap_or(failed))
                }
            }
        }
        match first_failed {
            Some((at, errno)) => Err(FillStop::Failed(at, errno)),
            None if at < self.end => Err(FillStop::Stopped),
            None => Ok(()),
        }
    }
}

pub(super) fn write_all(file: &File, bytes: &[u8], at: u64) -> Result<(), Errno> {
    file.write_all_at(bytes, at).map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
}

/// The offset at which a fill of `bytes` has to start; everything before it holds what an earlier one wrote. The end is found by bisection. Spread
/// blocks before it show whether something else was written or discarded there since, and everything that may not have reached the medium before
/// a power loss is read.
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
    /// Whether the block at an offset belongs to a fill; beyond the end, whether the last one does.
    fn is_ours(&mut self, offset: u64) -> Result<bool, Errno> {
        let at = offset.min(self.bytes.saturating_sub(1) / BLOCK * BLOCK);
        self.are_ours(at, BLOCK)
    }

    /// Whether all blocks of the piece at an offset do.
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
