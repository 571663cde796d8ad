//! Exclusive locks on files (flock), by which Rigels keep off each other's files. Other programs need not heed them, but
//! show up in the evidence. Must not open or change a file.

use super::errno::retry_while;
use super::node::identity_of;
use rigel_core::facts::{Identity, TargetKind};
use rustix::fs::{self, FlockOperation};
use rustix::io::Errno;
use std::fs::File;
use std::os::fd::AsFd;
use std::sync::Arc;

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

/// Takes the lock; false when another process has it. A filesystem without locks (some FUSE and network ones) cannot
/// tell, and counts as locked.
pub(super) fn lock(file: &impl AsFd) -> Result<bool, Errno> {
    match retry_while(Errno::WOULDBLOCK, || fs::flock(file, FlockOperation::NonBlockingLockExclusive)) {
        Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOLCK | Errno::NOSYS | Errno::INVAL) => Ok(true),
        Err(Errno::WOULDBLOCK) => Ok(false),
        Err(errno) => Err(errno),
    }
}
