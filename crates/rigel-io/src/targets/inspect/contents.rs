//! Whether a target holds data. The filesystem is asked first, then the bytes are read.
//!
//! Only reading everything can show that a target was never written. A sample finds data, or leaves the question open.
//! Reads bypass the page cache where direct I/O works, so cached data of others stays. Must not write.

use crate::targets::aligned::AlignedBuffer;
use crate::targets::errno::refusal;
use crate::targets::node::Node;
use crate::targets::own_file::evenly_spread;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::facts::{TargetFacts, TargetKind};
use rigel_core::guard::safety::Evidence;
use rigel_core::guard::scratch::{BLOCK_BYTES, is_of_fill};
use rigel_core::units::{Bytes, GIB, MIB};
use rustix::fs::{self, Advice, OFlags, SeekFrom};
use rustix::io::{Errno, pread, retry_on_intr};
use std::fs::File;
use std::sync::atomic::{AtomicBool, Ordering};

/// Larger targets are only sampled.
const MOST_READ_WHOLE: u64 = 4 * GIB;
/// Bytes of a sample at either end, where most formats have their labels.
const ENDS: u64 = 4 * MIB;
/// Blocks of a sample between the ends.
const SAMPLES: u64 = 1024;
/// Bytes of one read, and steps of progress.
const READ: u64 = MIB;
const BLOCK: u64 = BLOCK_BYTES as u64;

/// How much to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scan {
    /// Both ends and evenly spread blocks: a few milliseconds to a few seconds.
    Sample,
    /// Every byte of a target of up to 4 GiB, and a sample of a larger one.
    Whole,
    /// The same, and every byte of a file, however large; what `rigel fill` wrote is not data to lose.
    Fill,
}

/// Gets the bytes done and the bytes to do.
pub type Progress<'a> = &'a mut dyn FnMut(u64, u64);

/// Always one of `NeverWritten`, `HoldsData`, `NotWhollyRead`, and for a fill `OurFill`. `of_fill`: blocks of a fill are not data.
pub(crate) fn evidence(
    node: &Node,
    facts: &TargetFacts,
    (look, of_fill): (Scan, bool),
    progress: Progress<'_>,
    stop: &AtomicBool,
) -> Result<Evidence, Problem> {
    let mut reader = Reader::open(node, facts, (of_fill, stop))?;
    if facts.kind == TargetKind::File && reader.next_data(0)?.is_none() {
        return Ok(Evidence::NeverWritten {
            how: "none of its blocks was ever written (holes or unwritten extents)".to_owned(),
        });
    }
    let most = match look {
        // A sample of a small target would read everything anyway.
        Scan::Sample => 2 * ENDS,
        Scan::Fill if reader.is_file => u64::MAX,
        Scan::Whole | Scan::Fill => MOST_READ_WHOLE,
    };
    if facts.size_bytes <= most { whole(&mut reader, progress) } else { sample(&mut reader, progress) }
}

fn whole(reader: &mut Reader<'_>, progress: Progress<'_>) -> Result<Evidence, Problem> {
    let size = reader.size;
    let mut at = 0;
    while let Some(data) = reader.next_data(at)? {
        if let Some(first_offset) = reader.first_data_in(data, READ)? {
            return Ok(Evidence::HoldsData { first_offset });
        }
        at = data + READ;
        progress(at.min(size), size);
    }
    if reader.met_fill {
        return Ok(Evidence::OurFill);
    }
    Ok(Evidence::NeverWritten { how: format!("all {} of it read as zeros", Bytes(size)) })
}

fn sample(reader: &mut Reader<'_>, progress: Progress<'_>) -> Result<Evidence, Problem> {
    let places = sample_places(reader.size, reader.block);
    let total = places.iter().map(|&(_, len)| len).sum();
    let mut looked_bytes = 0;
    for (offset, len) in places {
        if let Some(first_offset) = reader.first_data_in(offset, len)? {
            return Ok(Evidence::HoldsData { first_offset });
        }
        looked_bytes += len;
        progress(looked_bytes, total);
    }
    Ok(Evidence::NotWhollyRead { looked_bytes })
}

/// Offsets and lengths of a sample, all within the size. The ends come first, because most data shows there.
fn sample_places(size: u64, block: u64) -> Vec<(u64, u64)> {
    let tail = size.saturating_sub(ENDS).next_multiple_of(block).max(ENDS.min(size));
    let pieces = |from: u64, to: u64| {
        (from..to).step_by(usize::try_from(READ).unwrap_or(usize::MAX)).map(move |at| (at, READ.min(to - at)))
    };
    let mut places: Vec<(u64, u64)> = pieces(0, ENDS.min(size)).chain(pieces(tail, size)).collect();
    let between = tail.saturating_sub(ENDS) / block;
    places.extend(evenly_spread(SAMPLES, between).map(|index| (ENDS + index * block, block)));
    places
}

/// Reads without filling the page cache, as far as the system allows.
struct Reader<'a> {
    node: &'a Node,
    fd: File,
    direct: bool,
    is_file: bool,
    size: u64,
    /// Offsets and lengths of reads are multiples of this.
    block: u64,
    buffer: AlignedBuffer,
    /// Blocks of a fill are not data.
    of_fill: bool,
    met_fill: bool,
    stop: &'a AtomicBool,
}

impl<'a> Reader<'a> {
    fn open(
        node: &'a Node,
        facts: &TargetFacts,
        (of_fill, stop): (bool, &'a AtomicBool),
    ) -> Result<Self, Problem> {
        let direct = facts.direct_io == Some(true);
        let flags = if direct { OFlags::RDONLY | OFlags::DIRECT } else { OFlags::RDONLY };
        let fd = node.open(flags).map_err(|errno| refusal("the target cannot be read", &node.path, errno))?;
        let buffer = AlignedBuffer::new(usize::try_from(READ).unwrap_or(usize::MAX));
        let block = BLOCK.max(u64::from(facts.logical_block_bytes));
        let is_file = facts.kind == TargetKind::File;
        let size = facts.size_bytes;
        Ok(Self { node, fd, direct, is_file, size, block, buffer, of_fill, met_fill: false, stop })
    }

    /// The first offset from `at` on that may hold data. Holes of a file are skipped; `None` at the end.
    fn next_data(&self, at: u64) -> Result<Option<u64>, Problem> {
        if at >= self.size {
            return Ok(None);
        }
        if !self.is_file {
            return Ok(Some(at));
        }
        match fs::seek(&self.fd, SeekFrom::Data(at)) {
            Ok(data) if data >= self.size => Ok(None),
            Ok(data) => Ok(Some(data / self.block * self.block)),
            Err(Errno::NXIO) => Ok(None),
            // A filesystem that does not report holes: everything may be data.
            Err(Errno::INVAL | Errno::OPNOTSUPP) => Ok(Some(at)),
            Err(errno) => Err(refusal("the target cannot be searched for data", &self.node.path, errno)),
        }
    }

    /// Offset of the first nonzero block in a range of at most [`READ`] bytes, which may reach beyond the target's end.
    fn first_data_in(&mut self, offset: u64, len: u64) -> Result<Option<u64>, Problem> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(Problem::new(ExitKind::CutShort, "the search for data on the target was stopped")
                .at(self.node.place())
                .because("stopped by the user")
                .next("nothing was measured or written; start again"));
        }
        let wanted = usize::try_from(len.next_multiple_of(self.block).min(READ)).unwrap_or(usize::MAX);
        let mut have = 0;
        while have < wanted {
            let at = offset + have as u64;
            match retry_on_intr(|| pread(&self.fd, &mut self.buffer.bytes()[have..wanted], at)) {
                Ok(0) => break,
                Ok(got) => have += got,
                Err(errno) => {
                    let what = format!("the target cannot be read at byte {at}");
                    return Err(refusal(&what, &self.node.path, errno));
                }
            }
            // The target ends in the middle of a block, where a second direct read could not begin.
            if self.direct && !(have as u64).is_multiple_of(self.block) {
                break;
            }
        }
        if (have as u64) < len && offset + (have as u64) < self.size {
            let problem = Problem::refused(format!(
                "the target ended at byte {} during the read",
                offset + have as u64
            ));
            return Err(problem
                .at(self.node.place())
                .because("something is changing its size")
                .next("wait until nothing uses it"));
        }
        if !self.direct {
            // Only advice: without it the pages stay in the cache.
            let _ = fs::fadvise(&self.fd, offset, std::num::NonZeroU64::new(len), Advice::DontNeed);
        }
        Ok(self.first_foreign(offset, have))
    }

    /// The first block of those read from `offset` on that has something to lose.
    fn first_foreign(&mut self, offset: u64, have: usize) -> Option<u64> {
        let blocks = self.buffer.bytes()[..have].chunks(BLOCK_BYTES);
        for (at, block) in (offset..).step_by(BLOCK_BYTES).zip(blocks).filter(|(_, block)| !is_zero(block)) {
            if !(self.of_fill && is_of_fill(at, block)) {
                return Some(at);
            }
            self.met_fill = true;
        }
        None
    }
}

/// Has no branch per byte, so the compiler can compare many together.
fn is_zero(block: &[u8]) -> bool {
    block.iter().fold(0, |seen, byte| seen | byte) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_sees_both_ends_and_stays_inside() {
        for size in
            [1, 512, 4096, 4097, MIB, 4 * MIB, 4 * MIB + 512, 8 * MIB - 1, 8 * MIB, 9 * MIB, GIB + 3, 1 << 50]
        {
            let places = sample_places(size, 4096);
            assert!(
                places.iter().all(|&(at, len)| at.is_multiple_of(4096) && len > 0 && at + len <= size),
                "{size}"
            );
            let mut sorted = places.clone();
            sorted.sort_unstable();
            assert!(
                sorted.windows(2).all(|pair| pair[0].0 + pair[0].1 <= pair[1].0),
                "overlap at size {size}"
            );
            assert_eq!(sorted[0].0, 0);
            let (at, len) = sorted[sorted.len() - 1];
            assert_eq!(at + len, size, "the last byte of {size}");
            if size <= 2 * ENDS {
                assert_eq!(sorted.iter().map(|&(_, len)| len).sum::<u64>(), size, "all of {size}");
            } else if size > GIB {
                assert_eq!(places.len() as u64, 2 * ENDS / READ + SAMPLES);
            }
        }
    }

    #[test]
    fn zeros() {
        assert!(is_zero(&[]) && is_zero(&[0; 4096]));
        assert!(!is_zero(&[0, 0, 1]));
    }
}
