//! The fill of a new scratch file. The header is written first and says that the fill goes on; it says that the file is
//! whole only when all data is on the disk. Must not touch a file that was there before.

use super::room::{check_room, no_room};
use super::{ScratchFile, Wish, locked, not_locked, unlink, write_all, write_header};
use crate::targets::aligned::AlignedBuffer;
use crate::targets::errno::{no_direct_io, refusal};
use crate::targets::lock::Hold;
use crate::targets::node::Node;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::guard::scratch::{self, BLOCK_BYTES, Header, State};
use rigel_core::units::MIB;
use rustix::fs::{self, FallocateFlags, Mode, OFlags};
use rustix::io::Errno;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Bytes of one write of the fill.
const PIECE: u64 = 4 * MIB;

/// A file that is being filled; removed unless it is finished.
pub(super) struct Fresh {
    node: Arc<Node>,
    hold: Hold,
    header: Header,
    whole: bool,
}

impl Fresh {
    /// Creates and locks the file, and tries everything that could be refused later. `None` when another run created a
    /// file of this name first.
    pub(super) fn create(path: &Path, wish: &Wish) -> Result<Option<Self>, Problem> {
        let header = Header { data_bytes: wish.data_bytes, seed: wish.seed, state: State::Filling };
        check_room(path, header.file_bytes())?;
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        // Without O_DIRECT, because some filesystems create the file, refuse the open, and leave the file behind.
        let fd = match fs::open(path, flags, Mode::RUSR | Mode::WUSR) {
            Err(Errno::EXIST) => return Ok(None),
            made => made.map_err(|errno| refusal("the scratch file cannot be made", path, errno))?,
        };
        let node = Arc::new(Node::pin_no_link(path)?);
        // Another run may have it locked for a moment, to find out what it is.
        let hold =
            Hold::take(fd.into()).map_err(|errno| not_locked(path, errno))?.ok_or_else(|| locked(path))?;
        let fresh = Self { node, hold, header, whole: false };
        fresh.prepare(wish.direct)?;
        Ok(Some(fresh))
    }

    fn prepare(&self, direct: bool) -> Result<(), Problem> {
        let size_bytes = self.header.file_bytes();
        fs::ftruncate(&self.hold.file, size_bytes)
            .and_then(|()| write_header(&self.hold.file, &self.header))
            .map_err(|errno| self.failed(0, errno))?;
        let refusal = direct.then(|| self.open_direct()).and_then(Result::err);
        if refusal == Some(Errno::INVAL) {
            return Err(no_direct_io(self.node.place()));
        }
        // This finds out now whether the space is there, and often gives the file a single extent.
        match fs::fallocate(&self.hold.file, FallocateFlags::empty(), 0, size_bytes) {
            Err(errno @ (Errno::NOSPC | Errno::DQUOT | Errno::FBIG | Errno::IO)) => {
                Err(no_room(&self.node.path, size_bytes, errno))
            }
            // Not every filesystem can do it; then the writes allocate.
            _ => Ok(()),
        }
    }

    fn open_direct(&self) -> Result<File, Errno> {
        self.node.open(OFlags::RDWR | OFlags::DIRECT)
    }

    /// Writes the data, then the header of a whole file.
    pub(super) fn fill(
        mut self,
        keep: bool,
        progress: &mut dyn FnMut(u64, u64),
        stop: &AtomicBool,
    ) -> Result<ScratchFile, Problem> {
        self.write_data(progress, stop)?;
        self.header.state = if keep { State::Kept } else { State::Temporary };
        write_header(&self.hold.file, &self.header)
            .map_err(|errno| refusal("the scratch file cannot be written", &self.node.path, errno))?;
        self.whole = true;
        let (node, hold) = (Arc::clone(&self.node), self.hold.clone());
        Ok(ScratchFile { node, hold, header: self.header, reused: false })
    }

    fn write_data(&self, progress: &mut dyn FnMut(u64, u64), stop: &AtomicBool) -> Result<(), Problem> {
        let Header { data_bytes, seed, .. } = self.header;
        let direct = self.open_direct().ok();
        let fd = direct.as_ref().unwrap_or_else(|| &self.hold.file);
        let mut buffer = AlignedBuffer::new(usize::try_from(PIECE).unwrap_or(usize::MAX));
        let mut at = 0;
        while at < data_bytes {
            if stop.load(Ordering::Relaxed) {
                return Err(Problem::new(ExitKind::CutShort, "the fill of the scratch file was stopped")
                    .at(self.node.place())
                    .next("nothing is left of it; start again"));
            }
            let len = PIECE.min(data_bytes - at);
            let piece = &mut buffer.bytes()[..usize::try_from(len).unwrap_or(usize::MAX)];
            let offsets = (at..).step_by(BLOCK_BYTES);
            for (block, offset) in piece.chunks_exact_mut(BLOCK_BYTES).zip(offsets) {
                scratch::block(seed, offset, block);
            }
            write_all(fd, piece, at).map_err(|errno| self.failed(at, errno))?;
            at += len;
            progress(at, data_bytes);
        }
        fs::fsync(fd).map_err(|errno| self.failed(at, errno))
    }

    fn failed(&self, at: u64, errno: Errno) -> Problem {
        let path = &self.node.path;
        match errno {
            Errno::NOSPC | Errno::DQUOT | Errno::FBIG => no_room(path, self.header.file_bytes(), errno),
            _ => refusal(&format!("the scratch file cannot be written at byte {at}"), path, errno),
        }
    }
}

impl Drop for Fresh {
    fn drop(&mut self) {
        if !self.whole {
            // An error cannot be reported from here. The next run recognises the file by its header and removes it.
            let _ = unlink(&self.node);
        }
    }
}
