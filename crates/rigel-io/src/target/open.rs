//! Targets that are open for I/O. Without a permit a target is opened read-only, so that the kernel itself refuses a
//! write.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// One open target.
#[derive(Debug)]
pub struct OpenTarget {
    fd: OwnedFd,
    size_bytes: u64,
    writable: bool,
}

/// The targets of a run in the order of the plan; shared by all workers.
#[derive(Debug)]
pub struct OpenTargets {
    targets: Vec<OpenTarget>,
}

impl OpenTarget {
    /// Whether a permit was given.
    #[must_use]
    pub const fn writable(&self) -> bool {
        self.writable
    }

    /// Size at the time of opening.
    #[must_use]
    pub const fn size_bytes(&self) -> u64 {
        self.size_bytes
    }
}

impl AsFd for OpenTarget {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

impl std::ops::Deref for OpenTargets {
    type Target = [OpenTarget];

    fn deref(&self) -> &[OpenTarget] {
        &self.targets
    }
}
