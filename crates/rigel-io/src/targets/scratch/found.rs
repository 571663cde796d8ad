//! What is there already by the name of a scratch file: recognised, and taken under a lock.
//!
//! Whoever works on a scratch file holds an exclusive lock on it from its making to its end. What a file is, is judged
//! under the lock only: before it, another run may still be at work. Must not write to a file that is not ours.

use super::foreign::first_foreign;
use super::{ScratchFile, Wish, changed_by_another, not_ours, read_block, unlink, write_header};
use crate::targets::errno::{self, patiently, refusal};
use crate::targets::guard::forbidden;
use crate::targets::inspect::{Snapshot, in_use};
use crate::targets::node::Node;
use rigel_core::error::Problem;
use rigel_core::facts::TargetKind;
use rigel_core::guard::safety::Evidence;
use rigel_core::guard::scratch::{self, Header, State, TRAILER_BYTES};
use rigel_core::path_text;
use rustix::fs::{self, FlockOperation, OFlags};
use rustix::io::Errno;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;

/// What a name turned out to be.
#[derive(Debug)]
pub(super) enum Found {
    /// Nothing is there, any more or at all.
    Free,
    /// A scratch file that fits, locked.
    Ours(ScratchFile),
    /// Another run works on it, or it is to stay as it is.
    Busy,
}

/// What becomes of a file of ours that does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Misfit {
    /// It is removed.
    Remove,
    /// It is removed, unless it is to be kept.
    SpareKept,
    /// It stays.
    Leave,
}

/// Looks at a name.
pub(super) fn take(path: &Path, wish: &Wish, misfit: Misfit) -> Result<Found, Problem> {
    if is_missing(path) {
        return Ok(Found::Free);
    }
    let node = match Node::pin_no_link(path) {
        Err(_) if is_missing(path) => return Ok(Found::Free),
        pinned => pinned?,
    };
    if !has_our_name(&node) {
        return Err(not_ours(path));
    }
    // For writing, because NFS locks no other descriptor exclusively.
    let fd = node.open(OFlags::RDWR).map_err(|errno| not_opened(path, errno))?;
    if !lock(&fd, path)? {
        return Ok(Found::Busy);
    }
    if !is_still(&node) {
        // Its run ended while it was looked at, and took it away.
        return Ok(Found::Free);
    }
    let Some(header) =
        header_of(&fd).map_err(|errno| refusal("the scratch file cannot be read", path, errno))?
    else {
        let making = fs::fstat(&fd).is_ok_and(|stat| stat.st_size == 0);
        // Nothing in it yet: another run has just made it and is about to lock it.
        return if making { Ok(Found::Busy) } else { Err(not_ours(path)) };
    };
    // It was kept, and somebody found another use for it: what is in it now is theirs.
    if let Some(offset) = first_foreign(&fd, &header)
        .map_err(|errno| refusal("the scratch file cannot be read", path, errno))?
    {
        return Err(changed_by_another(path, offset));
    }
    let users = in_use::forbidding(&node, &Snapshot::take());
    if !users.is_empty() {
        return Err(forbidden(node.place(), &users));
    }
    use_or_remove(node, fd, header, wish, misfit)
}

fn use_or_remove(
    node: Node,
    fd: OwnedFd,
    mut header: Header,
    wish: &Wish,
    misfit: Misfit,
) -> Result<Found, Problem> {
    if header.is_whole() && header.data_bytes == wish.data_bytes {
        if wish.keep && header.state != State::Kept {
            header.state = State::Kept;
            write_header(&fd, &header).map_err(|errno| super::not_written(node.path(), errno))?;
        }
        return Ok(Found::Ours(ScratchFile {
            node: Arc::new(node),
            lock: Arc::new(fd),
            header,
            reused: true,
        }));
    }
    match misfit {
        Misfit::Leave => Ok(Found::Busy),
        Misfit::SpareKept if header.state == State::Kept => Ok(Found::Busy),
        Misfit::SpareKept | Misfit::Remove => unlink(&node).map(|()| Found::Free),
    }
}

pub(super) fn is_missing(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
}

/// Whether the path still leads to what is pinned.
fn is_still(node: &Node) -> bool {
    Node::pin_no_link(node.path()).is_ok_and(|now| now.identity() == node.identity())
}

fn not_opened(path: &Path, errno: Errno) -> Problem {
    let problem =
        Problem::refused("the scratch file that is there cannot be opened").at(path_text::encode(path));
    match errno {
        Errno::ACCESS | Errno::PERM => problem
            .because(format!("it belongs to another user, or may not be changed: {}", errno::text(errno)))
            .next("use another directory, or have its owner remove it (ls -l)"),
        errno => refusal("the scratch file that is there cannot be opened", path, errno),
    }
}

/// Takes the lock; false when another run has it. A filesystem without locks cannot tell.
pub(super) fn lock(fd: &OwnedFd, path: &Path) -> Result<bool, Problem> {
    match patiently(Errno::WOULDBLOCK, || fs::flock(fd, FlockOperation::NonBlockingLockExclusive)) {
        Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOLCK | Errno::NOSYS | Errno::INVAL) => Ok(true),
        Err(Errno::WOULDBLOCK) => Ok(false),
        Err(errno) => Err(refusal("the scratch file cannot be locked", path, errno)),
    }
}

fn has_our_name(node: &Node) -> bool {
    node.kind() == TargetKind::File && node.real_path().file_name().is_some_and(scratch::is_scratch_name)
}

/// The header, if the file has one that fits its size.
fn header_of(fd: &OwnedFd) -> Result<Option<Header>, Errno> {
    let size = u64::try_from(fs::fstat(fd)?.st_size).unwrap_or(0);
    let Some(at) = size.checked_sub(TRAILER_BYTES) else { return Ok(None) };
    let Some(block) = read_block(fd, at)? else { return Ok(None) };
    Ok(Header::decode(&block).ok().filter(|header| header.file_bytes() == size))
}

/// The header of a target that is a scratch file of ours by what it is really called and by what it holds, with its
/// data all there.
pub(crate) fn whole_header(node: &Node) -> Option<Header> {
    if !has_our_name(node) {
        return None;
    }
    let header = header_of(&node.open(OFlags::RDONLY).ok()?).ok()??;
    header.is_whole().then_some(header)
}

/// What a whole scratch file of ours is, now that it was looked into; `None` for anything else.
pub(crate) fn evidence(node: &Node) -> Result<Option<Evidence>, Problem> {
    let Some(header) = whole_header(node) else { return Ok(None) };
    let found = first_foreign(&node.open_to_read()?, &header)
        .map_err(|errno| refusal("the scratch file cannot be read", node.path(), errno))?;
    Ok(Some(match found {
        None => Evidence::OurScratchFile,
        Some(first_offset) => Evidence::ScratchFileOfAnother { first_offset },
    }))
}

/// The header of a whole file that nobody works on.
pub(super) fn left_header(path: &Path) -> Option<Header> {
    let node = Node::pin_no_link(path).ok()?;
    let header = whole_header(&node)?;
    let fd = node.open(OFlags::RDONLY).ok()?;
    // Given back at once: only to see whether it could be had.
    let held = fs::flock(&fd, FlockOperation::NonBlockingLockExclusive) == Err(Errno::WOULDBLOCK);
    (!held).then_some(header)
}
