//! Locks on ranges of bytes that belong to an open file and not to a process (`F_OFD_SETLK`, Linux 3.15): another descriptor of the same file may be
//! closed without losing them. Must not know what a range stands for.

use rustix::io::Errno;
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd};

/// Bytes, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) start: i64,
    pub(super) end: i64,
}

/// Which other locks of the same bytes are permitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Other shared locks.
    Shared,
    /// Nobody.
    Exclusive,
}

/// Locks the bytes, or returns `WOULDBLOCK` if another open file has locked them.
pub(super) fn set(file: &impl AsFd, kind: Kind, range: Range) -> Result<(), Errno> {
    match fcntl(file.as_fd(), libc::F_OFD_SETLK, &mut asked(kind, range)) {
        // Both are said, by POSIX.
        Err(Errno::ACCESS) => Err(Errno::WOULDBLOCK),
        done => done,
    }
}

/// Unlocks the bytes.
pub(super) fn release(file: &impl AsFd, range: Range) -> Result<(), Errno> {
    let mut wanted = libc::flock { l_type: kind_number(libc::F_UNLCK), ..asked(Kind::Shared, range) };
    fcntl(file.as_fd(), libc::F_OFD_SETLK, &mut wanted)
}

/// What another open file has locked of the bytes; one of its ranges, from the first to the last byte.
pub(super) fn held(file: &impl AsFd, range: Range) -> Result<Option<Range>, Errno> {
    let mut found = asked(Kind::Exclusive, range);
    fcntl(file.as_fd(), libc::F_OFD_GETLK, &mut found)?;
    let is_free = i32::from(found.l_type) == i32::from(kind_number(libc::F_UNLCK));
    let start = found.l_start;
    // Without a length it goes on for ever.
    let end = if found.l_len == 0 { i64::MAX } else { start.saturating_add(found.l_len - 1) };
    Ok((!is_free).then_some(Range { start, end }))
}

fn asked(kind: Kind, range: Range) -> libc::flock {
    let kind = match kind {
        Kind::Shared => libc::F_RDLCK,
        Kind::Exclusive => libc::F_WRLCK,
    };
    libc::flock {
        l_type: kind_number(kind),
        l_whence: kind_number(libc::SEEK_SET),
        l_start: range.start,
        l_len: range.end.checked_sub(range.start).and_then(|len| len.checked_add(1)).unwrap_or(0),
        l_pid: 0,
    }
}

/// The kernel's numbers of kinds are small.
fn kind_number(number: i32) -> libc::c_short {
    libc::c_short::try_from(number).unwrap_or(0)
}

fn fcntl(file: BorrowedFd<'_>, command: libc::c_int, lock: &mut libc::flock) -> Result<(), Errno> {
    // SAFETY: <linux/fcntl.h>: both commands read one `struct flock`, and F_OFD_GETLK writes it; it lives until the call is over.
    let answer = unsafe { libc::fcntl(file.as_raw_fd(), command, lock) };
    if answer == 0 {
        return Ok(());
    }
    Err(Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::INVAL))
}
