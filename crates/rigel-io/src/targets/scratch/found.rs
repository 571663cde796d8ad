//! Takes over a file that already has the name of a scratch file.
//!
//! A run holds an exclusive lock on its scratch file as long as it works on it. So a file is judged under its lock only:
//! without it, another run could still change the file. Must not write to a file that is not ours.

use super::fill::FillGuard;
use super::{ScratchFile, ScratchRequest, changed_by_another, not_locked, not_ours, unlink, write_header};
use crate::targets::errno::{self, refusal};
use crate::targets::guard::blocked;
use crate::targets::inspect::{Snapshot, in_use};
use crate::targets::lock::{Hold, is_locked};
use crate::targets::node::Node;
use crate::targets::own_file::{first_foreign, has_our_name, header_of, whole_header};
use rigel_core::error::Problem;
use rigel_core::guard::scratch::{Header, State};
use rigel_core::path_text;
use rustix::fs::{self, OFlags};
use rustix::io::Errno;
use std::path::Path;
use std::sync::Arc;

#[derive(Debug)]
pub(super) enum ScratchState {
    /// No file, or one that was removed.
    Free,
    /// A scratch file of the wanted size, now locked.
    Ours(ScratchFile),
    /// One of the wanted size whose fill is unfinished, now locked.
    Begun(FillGuard),
    /// A file that another run uses, or that stays unchanged.
    Busy,
}

/// What to do with a scratch file of another size, or with an unfinished fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Misfit {
    Remove,
    /// Remove it unless its header marks it as kept.
    SpareKept,
    Leave,
}

/// Takes the file at a path, if it is a scratch file of ours that no run works on.
pub(super) fn take(path: &Path, wish: &ScratchRequest, misfit: Misfit) -> Result<ScratchState, Problem> {
    if is_missing(path) {
        return Ok(ScratchState::Free);
    }
    let node = match Node::pin_no_link(path) {
        Err(_) if is_missing(path) => return Ok(ScratchState::Free),
        pinned => pinned?,
    };
    if !has_our_name(&node) {
        return Err(not_ours(path));
    }
    // Opened for writing, because NFS gives no exclusive lock on a descriptor that can only read.
    let fd = node.open(OFlags::RDWR).map_err(|errno| not_opened(path, errno))?;
    let Some(hold) = Hold::take(fd).map_err(|errno| not_locked(path, errno))? else {
        return Ok(ScratchState::Busy);
    };
    if !is_still(&node) {
        // Its run ended in the meantime and removed it.
        return Ok(ScratchState::Free);
    }
    let unreadable = |errno| refusal("the scratch file cannot be read", path, errno);
    let Some(header) = header_of(&hold.file).map_err(unreadable)? else {
        // An empty file: another run has just created it and is about to lock it.
        let is_empty = fs::fstat(&hold.file).is_ok_and(|stat| stat.st_size == 0);
        return if is_empty { Ok(ScratchState::Busy) } else { Err(not_ours(path)) };
    };
    // The file was kept, and somebody has put other data into it: it is theirs now.
    if let Some(offset) = first_foreign(&hold.file, &header).map_err(unreadable)? {
        return Err(changed_by_another(path, offset));
    }
    let blockers = in_use::blockers(&node, &Snapshot::take());
    if !blockers.is_empty() {
        return Err(blocked(node.place(), &blockers));
    }
    use_or_remove(node, hold, header, wish, misfit)
}

fn use_or_remove(
    node: Node,
    hold: Hold,
    mut header: Header,
    wish: &ScratchRequest,
    misfit: Misfit,
) -> Result<ScratchState, Problem> {
    if header.is_whole() && header.data_bytes == wish.data_bytes {
        if wish.keep && header.state != State::Kept {
            header.state = State::Kept;
            write_header(&hold.file, &header)
                .map_err(|errno| refusal("the scratch file cannot be written", &node.path, errno))?;
        }
        return Ok(ScratchState::Ours(ScratchFile { node: Arc::new(node), hold, header, reused: true }));
    }
    if wish.resume && header.state == State::Filling && header.data_bytes == wish.data_bytes {
        return FillGuard::again(node, hold, header, wish).map(ScratchState::Begun);
    }
    match misfit {
        Misfit::Leave => Ok(ScratchState::Busy),
        Misfit::SpareKept if header.state == State::Kept => Ok(ScratchState::Busy),
        Misfit::SpareKept | Misfit::Remove => unlink(&node).map(|()| ScratchState::Free),
    }
}

pub(super) fn is_missing(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
}

fn is_still(node: &Node) -> bool {
    Node::pin_no_link(&node.path).is_ok_and(|now| now.identity() == node.identity())
}

fn not_opened(path: &Path, errno: Errno) -> Problem {
    let problem = Problem::refused("the existing scratch file cannot be opened").at(path_text::encode(path));
    match errno {
        Errno::ACCESS | Errno::PERM => problem
            .because(format!("it belongs to another user, or is immutable: {}", errno::text(errno)))
            .next("use another directory, or have its owner remove it (ls -l)"),
        errno => refusal("the existing scratch file cannot be opened", path, errno),
    }
}

/// The header of a whole scratch file that no run works on.
pub(super) fn left_header(path: &Path) -> Option<Header> {
    let node = Node::pin_no_link(path).ok()?;
    let header = whole_header(&node)?;
    let fd = node.open(OFlags::RDONLY).ok()?;
    // The lock is only tried: closing the descriptor gives it back.
    (!is_locked(&fd)).then_some(header)
}
