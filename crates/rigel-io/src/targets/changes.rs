//! Changes of an open target: its size, its allocation, its name, the target of its path, whether it is read-only.
//!
//! Checked between visits. A property that cannot be read counts as unchanged, except the size. Must not judge, and must
//! not read or write data.

use super::ioctl;
use super::node::{identity_of, plain_kind};
use rigel_core::facts::{Identity, TargetChange, TargetKind};
use rigel_core::path_text;
use rustix::fs;
use rustix::io::Errno;
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};

/// The unit of `st_blocks`.
const BLOCK_BYTES: u64 = 512;

/// The state of a target at the time it was opened.
#[derive(Debug)]
pub(super) struct Baseline {
    path: PathBuf,
    kind: TargetKind,
    was: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    size: Result<u64, Errno>,
    allocated_bytes: Option<u64>,
    named: Option<bool>,
    /// The file or device that the path leads to.
    at_path: Result<Option<Identity>, Errno>,
    read_only: Option<bool>,
}

impl Baseline {
    pub(super) fn of(path: &Path, kind: TargetKind, fd: BorrowedFd<'_>) -> Self {
        Self { path: path.to_owned(), kind, was: State::of(path, kind, fd) }
    }

    /// The path, printable.
    pub(super) fn place(&self) -> String {
        path_text::encode(&self.path)
    }

    pub(super) fn changes(&self, fd: BorrowedFd<'_>) -> Vec<TargetChange> {
        differences(&self.was, &State::of(&self.path, self.kind, fd))
    }
}

impl State {
    fn of(path: &Path, kind: TargetKind, fd: BorrowedFd<'_>) -> Self {
        let at_path = at_path(path);
        if kind != TargetKind::File {
            let read_only = ioctl::device_is_read_only(fd).ok();
            let size = ioctl::device_size_bytes(fd);
            return Self { size, allocated_bytes: None, named: None, at_path, read_only };
        }
        let stat = fs::fstat(fd);
        let unsigned = |number: i64| u64::try_from(number).unwrap_or(0);
        let flags = fs::fstatvfs(fd).map(|answer| answer.f_flag);
        Self {
            size: stat.map(|stat| unsigned(stat.st_size)),
            allocated_bytes: stat.ok().map(|stat| unsigned(stat.st_blocks).saturating_mul(BLOCK_BYTES)),
            named: stat.ok().map(|stat| stat.st_nlink > 0),
            at_path,
            read_only: flags.ok().map(|flags| flags.contains(fs::StatVfsMountFlags::RDONLY)),
        }
    }
}

/// The identity of the file or device at the path, links followed.
fn at_path(path: &Path) -> Result<Option<Identity>, Errno> {
    match fs::stat(path) {
        // A directory or FIFO has an identity too; its inode differs from the target's.
        Ok(stat) => Ok(Some(identity_of(&stat, plain_kind(&stat).unwrap_or(TargetKind::File)))),
        Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
        Err(errno) => Err(errno),
    }
}

fn differences(was: &State, now: &State) -> Vec<TargetChange> {
    let size = match (was.size, now.size) {
        (Ok(before), Ok(bytes)) if before != bytes => Some(TargetChange::Size { bytes }),
        (Ok(_), Err(errno)) => Some(TargetChange::NoSize { errno: errno.raw_os_error() }),
        _ => None,
    };
    let gone = was.named == Some(true) && now.named == Some(false);
    let elsewhere = match (was.at_path, now.at_path) {
        (Ok(before), Ok(now)) if before != now => Some(TargetChange::OtherAtPath { now }),
        _ => None,
    };
    // A deleted file is not at its path either: one change is enough.
    let elsewhere = elsewhere.filter(|change| !(gone && *change == TargetChange::OtherAtPath { now: None }));
    let read_only = was.read_only == Some(false) && now.read_only == Some(true);
    let found = [
        size,
        lost(was, now).map(|bytes| TargetChange::Allocated { bytes }),
        gone.then_some(TargetChange::NoName),
        elsewhere,
        read_only.then_some(TargetChange::ReadOnly),
    ];
    found.into_iter().flatten().collect()
}

/// The allocated bytes of a file that was fully allocated and has holes now. A compressing filesystem allocates less
/// than the size from the beginning, and a filesystem may free blocks beyond the end: neither is a loss.
fn lost(was: &State, now: &State) -> Option<u64> {
    let (before, size) = (was.size.ok()?, now.size.ok()?);
    let (had, has) = (was.allocated_bytes?, now.allocated_bytes?);
    (had >= before && has < had && has < size).then_some(has)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::os::fd::AsFd as _;

    fn opened(bytes: u64) -> (tempfile::TempDir, PathBuf, File, Baseline) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        std::fs::write(&path, vec![7; usize::try_from(bytes).unwrap()]).unwrap();
        let file = File::options().read(true).write(true).open(&path).unwrap();
        file.sync_all().unwrap();
        let baseline = Baseline::of(&path, TargetKind::File, file.as_fd());
        (directory, path, file, baseline)
    }

    #[test]
    fn a_file_left_alone_has_not_changed() {
        let (_directory, _path, file, baseline) = opened(1 << 20);
        assert_eq!(baseline.changes(file.as_fd()), []);
    }

    #[test]
    fn sizes_and_holes_are_seen() {
        let (_directory, _path, file, baseline) = opened(1 << 20);
        file.set_len(4096).unwrap();
        assert_eq!(baseline.changes(file.as_fd()), [TargetChange::Size { bytes: 4096 }]);
        file.set_len(1 << 20).unwrap();
        let [TargetChange::Allocated { bytes }] = baseline.changes(file.as_fd())[..] else {
            panic!("{:?}", baseline.changes(file.as_fd()))
        };
        assert!(bytes < 1 << 20, "{bytes}");
    }

    #[test]
    fn names_are_seen() {
        let (directory, path, file, baseline) = opened(4096);
        let moved = directory.path().join("moved");
        std::fs::rename(&path, &moved).unwrap();
        assert_eq!(baseline.changes(file.as_fd()), [TargetChange::OtherAtPath { now: None }]);
        std::fs::write(&path, "another").unwrap();
        let changes = baseline.changes(file.as_fd());
        assert!(matches!(changes[..], [TargetChange::OtherAtPath { now: Some(_) }]), "{changes:?}");
        std::fs::remove_file(&moved).unwrap();
        let changes = baseline.changes(file.as_fd());
        let [TargetChange::NoName, TargetChange::OtherAtPath { now: Some(_) }] = changes[..] else {
            panic!("{changes:?}")
        };
        std::fs::remove_file(&path).unwrap();
        assert_eq!(baseline.changes(file.as_fd()), [TargetChange::NoName]);
    }

    #[test]
    fn what_was_not_known_has_not_changed() {
        let identity = Identity { device: (8, 1), inode: 3 };
        let was = State {
            size: Ok(4096),
            allocated_bytes: Some(4096),
            named: Some(true),
            at_path: Ok(Some(identity)),
            read_only: Some(false),
        };
        let unknown =
            State { allocated_bytes: None, named: None, at_path: Err(Errno::ACCESS), read_only: None, ..was };
        assert_eq!(differences(&was, &unknown), []);
        assert_eq!(differences(&unknown, &was), []);
        let silent = State { size: Err(Errno::IO), ..was };
        assert_eq!(differences(&was, &silent), [TargetChange::NoSize { errno: 5 }]);
        assert_eq!(differences(&silent, &was), []);
        let locked = State { read_only: Some(true), ..was };
        assert_eq!(differences(&was, &locked), [TargetChange::ReadOnly]);
        assert_eq!(differences(&locked, &was), []);
        let compressed = State { allocated_bytes: Some(2048), ..was };
        let less = State { allocated_bytes: Some(1024), ..was };
        assert_eq!(differences(&compressed, &less), [], "it was never whole");
    }
}
