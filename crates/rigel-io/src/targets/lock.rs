//! Locks on files, which keep Rigel processes off each other's files. Other programs need not respect them, but show up in the evidence. Must not
//! open or change a file.
//!
//! A run on one host has the lock of the whole file (flock). The nodes of one run may write a file together: each holds a shared lock on the byte
//! whose number is the run's, and checks whether any other such byte is locked. These bytes lie where no file reaches. Some filesystems do
//! not let the two kinds of locks see each other, so the run on one host locks all of these bytes as well.

pub(super) mod presence;
mod range;

use super::errno::retry_while;
use super::node::identity_of;
use range::{Kind, Range};
use rigel_core::facts::{Identity, TargetKind};
use rustix::fs::{self, FlockOperation};
use rustix::io::Errno;
use std::fs::File;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::Duration;

/// The bytes of runs on several nodes; all beyond the end of any file.
const RUNS: Range = Range { start: 1 << 62, end: i64::MAX };

/// How long a lock or a device may belong to a program that has just died and whose ring the kernel is releasing.
pub(super) const RELEASE: Duration = Duration::from_secs(2);

/// Proof that this process has the lock of a file. The file can then be opened without a second lock, which would
/// conflict with the first. The lock ends with the last copy.
#[derive(Clone, Debug)]
pub struct Hold {
    pub(super) identity: Identity,
    pub(super) file: Arc<File>,
}

impl Hold {
    /// Locks a file; `None` when another process has the lock.
    pub(super) fn take(file: File) -> Result<Option<Self>, Errno> {
        if !lock(&file)? {
            return Ok(None);
        }
        let identity = identity_of(&fs::fstat(&file)?, TargetKind::File);
        Ok(Some(Self { identity, file: Arc::new(file) }))
    }
}

/// Takes the lock; false if another process has it. A filesystem without locks (some FUSE and network ones) cannot
/// tell, and counts as locked.
pub(super) fn lock(file: &impl AsFd) -> Result<bool, Errno> {
    lock_within(RELEASE, file)
}

fn lock_within(patience: Duration, file: &impl AsFd) -> Result<bool, Errno> {
    let attempt = || {
        fs::flock(file, FlockOperation::NonBlockingLockExclusive)?;
        let all_runs = range::set(file, Kind::Exclusive, RUNS);
        if all_runs.is_err() && is_of_nodes(file) { Err(Errno::WOULDBLOCK) } else { Ok(()) }
    };
    match retry_while(Errno::WOULDBLOCK, patience, attempt) {
        Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOLCK | Errno::NOSYS | Errno::INVAL) => Ok(true),
        Err(Errno::WOULDBLOCK) => Ok(false),
        Err(errno) => Err(errno),
    }
}

/// Takes the lock of a node of the run with this number; false when another process has one that is not of this run.
pub(super) fn lock_together(file: &impl AsFd, run: u64) -> Result<bool, Errno> {
    lock_together_within(RELEASE, file, run)
}

fn lock_together_within(patience: Duration, file: &impl AsFd, run: u64) -> Result<bool, Errno> {
    let all = u64::try_from(RUNS.end - RUNS.start).unwrap_or(1);
    let own = RUNS.start + i64::try_from(run % all).unwrap_or(0);
    match retry_while(Errno::WOULDBLOCK, patience, || try_together(file, own)) {
        Ok(()) => Ok(true),
        Err(Errno::WOULDBLOCK) => Ok(false),
        // Where there are no such locks, a file has one writer.
        Err(Errno::OPNOTSUPP | Errno::NOLCK | Errno::NOSYS | Errno::INVAL | Errno::OVERFLOW) => {
            lock_within(patience, file)
        }
        Err(errno) => Err(errno),
    }
}

fn try_together(file: &impl AsFd, own: i64) -> Result<(), Errno> {
    // Another program may have the whole file. It is given back before the byte is taken, because NFS has only one kind of locks, and
    // would give back both.
    fs::flock(file, FlockOperation::NonBlockingLockShared)?;
    fs::flock(file, FlockOperation::Unlock)?;
    range::set(file, Kind::Shared, Range { start: own, end: own })?;
    // Of two runs at least one comes here when both have locked their bytes.
    let others = [Range { end: own - 1, ..RUNS }, Range { start: own + 1, ..RUNS }];
    for others in others.into_iter().filter(|range| range.start <= range.end) {
        if range::held(file, others)?.is_some() {
            return Err(Errno::WOULDBLOCK);
        }
    }
    Ok(())
}

/// Whether nodes of a run have the file. What is locked from its beginning on is the lock of a whole file, as some filesystems show it.
fn is_of_nodes(file: &impl AsFd) -> bool {
    matches!(range::held(file, RUNS), Ok(Some(held)) if held.start >= RUNS.start)
}

/// Whether any process has a lock on an open file; the descriptor has to be closed after that, which releases the locks that were tried.
pub(super) fn is_locked(file: &impl AsFd) -> bool {
    fs::flock(file, FlockOperation::NonBlockingLockExclusive) == Err(Errno::WOULDBLOCK) || is_of_nodes(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nobody here lets go later.
    const PATIENCE: Duration = Duration::from_millis(20);

    fn lock(file: &File) -> Result<bool, Errno> {
        lock_within(PATIENCE, file)
    }

    fn lock_together(file: &File, run: u64) -> Result<bool, Errno> {
        lock_together_within(PATIENCE, file, run)
    }

    #[test]
    fn a_file_is_that_of_one_run_on_however_many_nodes() {
        let named = tempfile::NamedTempFile::new().unwrap();
        let open = || File::options().read(true).write(true).open(named.path()).unwrap();
        let nodes = [open(), open(), open()];
        for node in &nodes {
            assert_eq!(lock_together(node, u64::MAX - 7), Ok(true));
        }
        // Another run, on one host or on many, is refused as long as one node is there.
        drop(nodes.into_iter().next());
        let node = open();
        assert_eq!(lock_together(&node, u64::MAX - 7), Ok(true));
        assert!(is_locked(&open()));
        for run in [0, 3, u64::MAX - 6, u64::MAX - 8] {
            assert_eq!(lock_together(&open(), run), Ok(false), "{run}");
        }
        assert_eq!(lock(&open()), Ok(false));
        drop(node);
        let alone = open();
        assert_eq!(lock(&alone), Ok(true));
        assert!(is_locked(&open()));
        assert_eq!((lock_together(&open(), 3), lock(&open())), (Ok(false), Ok(false)));
        drop(alone);
        assert!(!is_locked(&open()));
        assert_eq!(lock_together(&open(), 3), Ok(true));
    }

    #[test]
    fn nodes_heed_the_lock_of_another_program() {
        let named = tempfile::NamedTempFile::new().unwrap();
        let open = || File::options().read(true).write(true).open(named.path()).unwrap();
        let theirs = open();
        fs::flock(&theirs, FlockOperation::NonBlockingLockShared).unwrap();
        assert_eq!(lock_together(&open(), 3), Ok(true), "a lock that others may have, too");
        fs::flock(&theirs, FlockOperation::NonBlockingLockExclusive).unwrap();
        assert_eq!(lock_together(&open(), 3), Ok(false));
        // A filesystem with one kind of locks shows the whole file as locked.
        let shown = open();
        range::set(&shown, Kind::Shared, Range { start: 0, end: i64::MAX }).unwrap();
        assert!(!is_of_nodes(&open()));
    }
}
