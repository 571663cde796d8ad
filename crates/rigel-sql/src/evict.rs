//! Keeps the pages of the table out of the page cache while it is measured.
//!
//! Cached pages not only answer look-ups: if neighbours of a block are in the cache, the kernel mistakes a random read for a sequential one and
//! reads ahead. Pages that running statements are about to use are left alone, because they would be fetched twice. Nothing is
//! lost: the files are opened read-only. Must not touch any file except those of the table.

use rustix::fs::{Advice, Mode, OFlags, fadvise, fstat, open};
use std::num::NonZeroU64;
use std::ops::Range;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

/// Between two checks a fast device fills a few megabytes. A check costs almost nothing.
const PERIOD: Duration = Duration::from_millis(5);
/// Once this part of the table has been read, it is evicted: two neighbours of a block are rarely present by then.
/// Not sooner, because what a session has fetched and not seen yet is evicted too, and fetched twice.
const PART: u32 = 100;

/// A thread that has the kernel forget, until this is dropped.
#[derive(Debug)]
pub struct Evictor {
    /// The files of the table, each with its place in it.
    files: Arc<Vec<(OwnedFd, Range<u64>)>>,
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Evictor {
    /// For the table of this many blocks whose first file this is; `None` if its files cannot be opened. `read` shows how many blocks
    /// were read until now, and `needed` which pages, bytes of the table, are still needed.
    pub fn start(
        first: &Path,
        blocks: u32,
        read: impl Fn() -> u64 + Send + 'static,
        needed: impl Fn() -> Vec<Range<u64>> + Send + 'static,
    ) -> Option<Self> {
        let mut from = 0;
        let placed = |path: &PathBuf| {
            let file = opened(path)?;
            let start = from;
            from += fstat(&file).ok()?.st_size.unsigned_abs();
            Some((file, start..from))
        };
        let files = Arc::new(segments(first).iter().map(placed).collect::<Option<Vec<_>>>()?);
        let all = Arc::clone(&files);
        let (end, ended) = mpsc::channel();
        let forget = move || {
            let mut forgotten = 0;
            while ended.recv_timeout(PERIOD) == Err(RecvTimeoutError::Timeout) {
                let now = read();
                if now.saturating_sub(forgotten) <= u64::from(blocks / PART) {
                    continue;
                }
                forgotten = now;
                forget_all_but(&all, &needed());
            }
        };
        let thread = Builder::new().name("rigel-evictor".to_owned()).spawn(forget).ok()?;
        Some(Self { files, end: Some(end), thread: Some(thread) })
    }

    /// Evicts everything while nothing is read.
    pub fn forget(&self) {
        forget_all_but(&self.files, &[]);
    }
}

impl Drop for Evictor {
    fn drop(&mut self) {
        self.end = None;
        if let Some(thread) = self.thread.take() {
            // One that panicked has told so already.
            let _ = thread.join();
        }
    }
}

fn forget_all_but(files: &[(OwnedFd, Range<u64>)], kept: &[Range<u64>]) {
    for (file, all) in files {
        for part in outside(all.clone(), kept) {
            let bytes = NonZeroU64::new(part.end - part.start);
            // What the kernel does not forget, the counters show.
            let _ = fadvise(file, part.start - all.start, bytes, Advice::DontNeed);
        }
    }
}

/// The parts of `all` that are in none of `kept`.
fn outside(all: Range<u64>, kept: &[Range<u64>]) -> Vec<Range<u64>> {
    let mut kept: Vec<&Range<u64>> =
        kept.iter().filter(|one| one.start < all.end && one.end > all.start).collect();
    kept.sort_by_key(|one| one.start);
    let (mut parts, mut at) = (Vec::new(), all.start);
    for one in kept {
        if one.start > at {
            parts.push(at..one.start);
        }
        at = at.max(one.end);
    }
    if at < all.end {
        parts.push(at..all.end);
    }
    parts
}

/// Opens a file of a table for reading. Never waits or follows a link, whatever the server has put there.
pub fn opened(path: &Path) -> Option<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    open(path, flags, Mode::empty()).ok()
}

/// The files of a table: `16385`, `16385.1` and so on.
pub fn segments(first: &Path) -> Vec<PathBuf> {
    let numbered = |number: u32| {
        let mut name = first.as_os_str().to_owned();
        name.push(format!(".{number}"));
        PathBuf::from(name)
    };
    let more = (1..).map(numbered).take_while(|path| path.is_file());
    std::iter::once(first.to_owned()).chain(more).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn what_is_still_needed_is_left_alone() {
        let left = |kept: &[(u64, u64)]| -> Vec<(u64, u64)> {
            let kept: Vec<_> = kept.iter().map(|&(start, end)| start..end).collect();
            outside(10..20, &kept).into_iter().map(|part| (part.start, part.end)).collect()
        };
        assert_eq!(left(&[]), [(10, 20)]);
        assert_eq!(left(&[(15, 17), (0, 5), (8, 11), (16, 18)]), [(11, 15), (18, 20)]);
        assert_eq!(left(&[(15, 30)]), [(10, 15)]);
        assert!(left(&[(5, 30)]).is_empty());
    }

    #[test]
    fn a_table_has_a_file_for_each_gibibyte() {
        let dir = tempfile::tempdir().unwrap();
        let first = dir.path().join("16385");
        for name in ["16385", "16385.1", "16385.2", "16385.4", "16385_fsm"] {
            fs::write(dir.path().join(name), "x").unwrap();
        }
        let names =
            segments(&first).iter().map(|path| path.file_name().unwrap().to_owned()).collect::<Vec<_>>();
        assert_eq!(names, ["16385", "16385.1", "16385.2"]);
        assert!(Evictor::start(&first, 1, || 0, Vec::new).is_some());
        assert!(Evictor::start(&dir.path().join("missing"), 1, || 0, Vec::new).is_none());
    }
}
