//! The extents of a regular file: written, unwritten, holes. From FIEMAP, or from SEEK_DATA where that fails.
//!
//! Of a file with very many extents only a part is examined, because this happens before every run and must not take
//! long. Must not read the file.

use crate::targets::ioctl::{Extent, ExtentPage, FIEMAP_SYNC, extent_flags as flags};
use crate::targets::node::Node;
use rigel_core::facts::{ExtentFacts, ExtentSource, TargetKind};
use rustix::fs::{self, OFlags, SeekFrom};
use rustix::io::Errno;
use std::fs::File;
use std::os::fd::AsFd as _;
use std::time::{Duration, Instant};

/// The search ends after this many extents.
const MOST_EXTENTS: u64 = 1_000_000;
/// The search ends after this time. Some filesystems (btrfs) find out for each extent whether it is shared.
const MOST_TIME: Duration = Duration::from_millis(250);

/// The extents of the first `size_bytes` of a file; `None` for a device, and where the filesystem does not answer.
pub(super) fn find(node: &Node, size_bytes: u64) -> Option<ExtentFacts> {
    if node.kind != TargetKind::File {
        return None;
    }
    let fd = node.open(OFlags::RDONLY).ok()?;
    by_fiemap(&fd, size_bytes).or_else(|| by_seek(&fd, size_bytes))
}

/// Per cent of a file that its filesystem stores compressed, if 1 or more. Does not force writeback.
pub(super) fn compressed_percent(node: &Node) -> Option<u64> {
    let fd = node.open(OFlags::RDONLY).ok()?;
    let size = u64::try_from(node.stat.st_size).ok()?;
    walk_fiemap(&fd, size, 0)?.compressed_percent()
}

fn by_fiemap(fd: &File, size: u64) -> Option<ExtentFacts> {
    let found = walk_fiemap(fd, size, 0)?;
    if found.unwritten_bytes == 0 {
        return Some(found);
    }
    // Data in the page cache may not have reached its extent yet: write it back, then ask again. A file that was never
    // written has nothing to write back, and direct reads would wait for the same.
    walk_fiemap(fd, size, FIEMAP_SYNC).or(Some(found))
}

fn walk_fiemap(fd: &File, size: u64, flags: u32) -> Option<ExtentFacts> {
    let mut count = Count::new(ExtentSource::Fiemap, size);
    let mut page = ExtentPage::boxed();
    while count.goes_on() {
        let (from, len) = (count.at, size - count.at);
        match page.ask(fd.as_fd(), from, len, flags) {
            Ok(extents) => {
                extents.iter().for_each(|extent| count.take(extent));
                // The page is not full, so these were the last.
                if extents.len() < ExtentPage::ROOM || extents.iter().any(|extent| extent.has(flags::LAST)) {
                    return Some(count.ended());
                }
                if count.at == from {
                    break;
                }
            }
            // The first question failed: the filesystem has no FIEMAP.
            Err(_) if from == 0 => return None,
            Err(_) => break,
        }
    }
    Some(count.facts())
}

fn by_seek(fd: &File, size: u64) -> Option<ExtentFacts> {
    let mut count = Count::new(ExtentSource::Seek, size);
    while count.goes_on() {
        let data = match fs::seek(fd, SeekFrom::Data(count.at)) {
            Ok(data) => data,
            // No data from here on.
            Err(Errno::NXIO) => return Some(count.ended()),
            Err(_) if count.at == 0 => return None,
            Err(_) => break,
        };
        match fs::seek(fd, SeekFrom::Hole(data)) {
            Ok(hole) if hole > data => count.take(&Extent::new(data, hole - data, 0)),
            // The file changed in between.
            _ => break,
        }
    }
    Some(count.facts())
}

/// Adds up extents in the order of their offsets.
struct Count {
    began: Instant,
    size: u64,
    /// All bytes before this offset are counted.
    at: u64,
    facts: ExtentFacts,
}

impl Count {
    fn new(source: ExtentSource, size: u64) -> Self {
        let facts = ExtentFacts { source, ..ExtentFacts::default() };
        Self { began: Instant::now(), size, at: 0, facts }
    }

    fn goes_on(&self) -> bool {
        self.at < self.size && self.facts.extents < MOST_EXTENTS && self.began.elapsed() < MOST_TIME
    }

    /// Counts an extent and the hole before it. Bytes beyond the size, or counted before, are left out.
    fn take(&mut self, extent: &Extent) {
        let start = extent.logical.clamp(self.at, self.size);
        let end = extent.logical.saturating_add(extent.length).clamp(start, self.size);
        self.facts.hole_bytes += start - self.at;
        self.at = end;
        let bytes = end - start;
        if bytes == 0 {
            return;
        }
        self.facts.extents += 1;
        // Data that is still to be allocated counts as data.
        if extent.has(flags::UNWRITTEN) && !extent.has(flags::DELALLOC) {
            self.facts.unwritten_bytes += bytes;
            return;
        }
        self.facts.written_bytes += bytes;
        // Encrypted extents have the flag of compressed ones, but also another one.
        let compressed = extent.has(flags::ENCODED) && !extent.has(flags::DATA_ENCRYPTED);
        for (is, sum) in [
            (extent.has(flags::SHARED), &mut self.facts.shared_bytes),
            (extent.has(flags::INLINE | flags::TAIL), &mut self.facts.inline_bytes),
            (compressed, &mut self.facts.encoded_bytes),
        ] {
            *sum += if is { bytes } else { 0 };
        }
    }

    /// Ends after the last extent: the remainder of the file is a hole.
    fn ended(mut self) -> ExtentFacts {
        self.facts.hole_bytes += self.size - self.at;
        self.at = self.size;
        self.facts()
    }

    fn facts(self) -> ExtentFacts {
        ExtentFacts { truncated: self.at < self.size, ..self.facts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIB: u64 = 1024;

    fn counted(size: u64, extents: &[(u64, u64, u32)]) -> Count {
        let mut count = Count::new(ExtentSource::Fiemap, size);
        extents.iter().for_each(|&(at, len, flags)| count.take(&Extent::new(at, len, flags)));
        count
    }

    #[test]
    fn every_byte_is_counted_once() {
        let extents = [
            (4 * KIB, 4 * KIB, 0),
            (8 * KIB, 8 * KIB, flags::UNWRITTEN),
            // Said again, as when the file changes under the walk.
            (12 * KIB, 8 * KIB, flags::SHARED | flags::ENCODED),
            // A hole of 12 KiB, then one that reaches beyond the size.
            (32 * KIB, 1000 * KIB, flags::INLINE),
            (2000 * KIB, KIB, 0),
        ];
        let facts = counted(50 * KIB, &extents).ended();
        assert_eq!(facts.looked_bytes(), 50 * KIB);
        assert_eq!((facts.hole_bytes, facts.unwritten_bytes), (16 * KIB, 8 * KIB));
        assert_eq!((facts.written_bytes, facts.extents), (26 * KIB, 4));
        assert_eq!(
            (facts.shared_bytes, facts.encoded_bytes, facts.inline_bytes),
            (4 * KIB, 4 * KIB, 18 * KIB)
        );
        assert!(!facts.truncated);
    }

    #[test]
    fn data_that_waits_for_its_place_is_data() {
        let flagged = |flags| counted(8 * KIB, &[(0, 8 * KIB, flags)]).ended();
        assert_eq!(flagged(flags::DELALLOC | flags::UNWRITTEN).written_bytes, 8 * KIB);
        assert_eq!(flagged(flags::UNWRITTEN).unwritten_bytes, 8 * KIB);
        let encrypted = flagged(flags::ENCODED | flags::DATA_ENCRYPTED);
        assert_eq!((encrypted.written_bytes, encrypted.encoded_bytes), (8 * KIB, 0));
    }

    #[test]
    fn what_was_not_looked_at_is_in_no_figure() {
        let facts = counted(100 * KIB, &[(0, 8 * KIB, 0), (16 * KIB, 8 * KIB, flags::UNWRITTEN)]).facts();
        assert!(facts.truncated);
        assert_eq!(facts.looked_bytes(), 24 * KIB);
        assert_eq!(counted(0, &[]).ended().looked_bytes(), 0);
    }
}
