//! The layout of the buffers in physical memory, as the kernel shows it in /proc/self.
//!
//! What the kernel does not show is `None`, never a guess.

use std::fs::File;
use std::os::unix::fs::FileExt as _;

/// Bits 0 to 54 of an entry of pagemap: the number of the page frame.
const FRAME_MASK: u64 = (1 << 55) - 1;
/// Bit 63: the page is in memory.
const PRESENT: u64 = 1 << 63;

/// Counts physically contiguous pieces of memory.
pub(super) struct Segments {
    pagemap: File,
    page_bytes: usize,
}

impl Segments {
    /// `None` without /proc.
    pub(super) fn open() -> Option<Self> {
        let pagemap = File::open("/proc/self/pagemap").ok()?;
        Some(Self { pagemap, page_bytes: rustix::param::page_size() })
    }

    /// Pieces of the range at `address`. `None` when a page is not in memory, or when its frame is hidden
    /// (shown as 0) from a process without CAP_SYS_ADMIN.
    pub(super) fn count(&self, address: usize, bytes: usize) -> Option<u32> {
        let first = address / self.page_bytes;
        let pages = (address + bytes).div_ceil(self.page_bytes) - first;
        let mut raw = vec![0; pages * size_of::<u64>()];
        let offset = u64::try_from(first * size_of::<u64>()).ok()?;
        self.pagemap.read_exact_at(&mut raw, offset).ok()?;
        let (entries, _) = raw.as_chunks::<8>();
        contiguous_pieces(entries.iter().map(|entry| u64::from_ne_bytes(*entry)))
    }
}

fn contiguous_pieces(entries: impl Iterator<Item = u64>) -> Option<u32> {
    let mut pieces = 0;
    let mut expected = None;
    for entry in entries {
        let frame = entry & FRAME_MASK;
        if entry & PRESENT == 0 || frame == 0 {
            return None;
        }
        if expected != Some(frame) {
            pieces += 1;
        }
        expected = Some(frame + 1);
    }
    Some(pieces)
}

/// Bytes of the mapping at each of `starts` that are in transparent huge pages. `None` without /proc, or when
/// a start is not the start of a mapping.
pub(super) fn transparent_huge_bytes(starts: &[usize]) -> Option<Vec<u64>> {
    let maps = procfs::process::Process::myself().and_then(|process| process.smaps()).ok()?;
    let huge_bytes_at = |start: &usize| {
        let address = u64::try_from(*start).ok()?;
        let map = maps.0.iter().find(|map| map.address.0 == address)?;
        map.extension.map.get("AnonHugePages").copied()
    };
    starts.iter().map(huge_bytes_at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(frames: &[u64]) -> Option<u32> {
        contiguous_pieces(frames.iter().map(|frame| frame | PRESENT))
    }

    #[test]
    fn pieces_are_runs_of_frames() {
        assert_eq!(pieces(&[]), Some(0));
        assert_eq!(pieces(&[7, 8, 9]), Some(1));
        assert_eq!(pieces(&[7, 9, 10, 5]), Some(3));
        assert_eq!(pieces(&[9, 8, 7]), Some(3));
    }

    #[test]
    fn a_hidden_or_missing_page_makes_the_count_unknown() {
        assert_eq!(pieces(&[7, 0]), None);
        assert_eq!(contiguous_pieces([7 | PRESENT, 8].into_iter()), None);
    }
}
