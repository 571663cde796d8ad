//! A scratch file in the making. Its header says from the first moment on that it is being filled, and only when
//! everything is on the disk that it is whole. Must not touch a file that was there.

use super::found::lock;
use super::room::{check_room, no_room};
use super::{ScratchFile, Wish, locked, not_written, unlink, write_all, write_header};
use crate::targets::aligned::AlignedBuffer;
use crate::targets::errno::refusal;
use crate::targets::node::Node;
use crate::targets::open::no_direct_io;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::guard::scratch::{self, BLOCK_BYTES, Header, State};
use rigel_core::path_text;
use rigel_core::units::MIB;
use rustix::fs::{self, FallocateFlags, Mode, OFlags};
use rustix::io::Errno;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Bytes of one write of the fill.
const PIECE: u64 = 4 * MIB;

/// A file that is being filled; removed unless it is finished.
pub(super) struct Fresh {
    node: Arc<Node>,
    fd: Arc<OwnedFd>,
    header: Header,
    whole: bool,
}

impl Fresh {
    /// Makes and locks the file, and tries on it whatever could refuse the run later. `None` when another run was
    /// faster with this name.
    pub(super) fn create(path: &Path, wish: &Wish) -> Result<Option<Self>, Problem> {
        let header = Header { data_bytes: wish.data_bytes, seed: wish.seed, state: State::Filling };
        check_room(path, header.file_bytes())?;
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        // Without O_DIRECT: some filesystems would create the file, then refuse the open and leave it behind.
        let fd = match fs::open(path, flags, Mode::RUSR | Mode::WUSR) {
            Err(Errno::EXIST) => return Ok(None),
            made => made.map_err(|errno| refusal("the scratch file cannot be made", path, errno))?,
        };
        let node = Arc::new(Node::pin_no_link(path)?);
        // A run that has just looked at it lets go at once.
        if !lock(&fd, path)? {
            return Err(locked(path));
        }
        let fresh = Self { node, fd: Arc::new(fd), header, whole: false };
        fresh.prepare(path, wish.direct)?;
        Ok(Some(fresh))
    }

    fn prepare(&self, path: &Path, direct: bool) -> Result<(), Problem> {
        let size_bytes = self.header.file_bytes();
        fs::ftruncate(&*self.fd, size_bytes)
            .and_then(|()| write_header(&self.fd, &self.header))
            .map_err(|errno| self.failed(path, 0, errno))?;
        let refusal = direct.then(|| self.open_direct()).and_then(Result::err);
        if refusal == Some(Errno::INVAL) {
            return Err(no_direct_io(path_text::encode(path)));
        }
        // One extent where that can be had, and no surprise about space later.
        match fs::fallocate(&*self.fd, FallocateFlags::empty(), 0, size_bytes) {
            Err(errno @ (Errno::NOSPC | Errno::DQUOT | Errno::FBIG | Errno::IO)) => {
                Err(no_room(path, size_bytes, errno))
            }
            // Not every filesystem can; the writes will allocate.
            _ => Ok(()),
        }
    }

    fn open_direct(&self) -> Result<OwnedFd, Errno> {
        self.node.open(OFlags::RDWR | OFlags::DIRECT)
    }

    /// Writes everything, then the header that says so.
    pub(super) fn fill(
        mut self,
        path: &Path,
        keep: bool,
        progress: &mut dyn FnMut(u64, u64),
        stop: &AtomicBool,
    ) -> Result<ScratchFile, Problem> {
        self.write_data(path, progress, stop)?;
        self.header.state = if keep { State::Kept } else { State::Temporary };
        write_header(&self.fd, &self.header).map_err(|errno| not_written(path, errno))?;
        self.whole = true;
        let (node, lock) = (Arc::clone(&self.node), Arc::clone(&self.fd));
        Ok(ScratchFile { node, lock, header: self.header, reused: false })
    }

    fn write_data(
        &self,
        path: &Path,
        progress: &mut dyn FnMut(u64, u64),
        stop: &AtomicBool,
    ) -> Result<(), Problem> {
        let Header { data_bytes, seed, .. } = self.header;
        let direct = self.open_direct().ok();
        let fd = direct.as_ref().unwrap_or(&self.fd);
        let mut buffer = AlignedBuffer::new(usize::try_from(PIECE).unwrap_or(usize::MAX));
        let mut at = 0;
        while at < data_bytes {
            if stop.load(Ordering::Relaxed) {
                return Err(stopped(path));
            }
            let len = PIECE.min(data_bytes - at);
            let piece = &mut buffer.bytes()[..usize::try_from(len).unwrap_or(usize::MAX)];
            let offsets = (at..).step_by(BLOCK_BYTES);
            for (block, offset) in piece.chunks_exact_mut(BLOCK_BYTES).zip(offsets) {
                scratch::block(seed, offset, block);
            }
            write_all(fd, piece, at).map_err(|errno| self.failed(path, at, errno))?;
            at += len;
            progress(at, data_bytes);
        }
        fs::fsync(fd).map_err(|errno| self.failed(path, at, errno))
    }

    fn failed(&self, path: &Path, at: u64, errno: Errno) -> Problem {
        match errno {
            Errno::NOSPC | Errno::DQUOT | Errno::FBIG => no_room(path, self.header.file_bytes(), errno),
            _ => refusal(&format!("the scratch file cannot be written at byte {at}"), path, errno),
        }
    }
}

fn stopped(path: &Path) -> Problem {
    Problem::new(ExitKind::CutShort, "the fill of the scratch file was stopped")
        .at(path_text::encode(path))
        .next("nothing is left of it; start again")
}

impl Drop for Fresh {
    fn drop(&mut self) {
        if !self.whole {
            // Nothing can be told from here; the next run knows the file by its header and removes it.
            let _ = unlink(&self.node);
        }
    }
}
