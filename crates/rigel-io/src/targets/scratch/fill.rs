//! The fill of a scratch file. The header is written first and says that the fill is in progress; it says that the file is complete only once all
//! data is on the disk. Must not touch a file that is not ours.

use super::{ScratchFile, ScratchRequest, locked, not_locked, unlink, write_header};
use crate::targets::errno::{no_direct_io, refusal};
use crate::targets::filler::{self, FillStop};
use crate::targets::lock::Hold;
use crate::targets::node::Node;
use crate::targets::room::{check_creatable, check_room, dir_of, no_room, reserve};
use rigel_core::error::{ExitKind, Problem};
use rigel_core::guard::scratch::{Header, State};
use rustix::fs::{self, Mode, OFlags};
use rustix::io::Errno;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A file that is being filled; removed unless it is finished, or is to be resumed.
#[derive(Debug)]
pub(super) struct FillGuard {
    pub(super) node: Arc<Node>,
    hold: Hold,
    pub(super) header: Header,
    wish: ScratchRequest,
    /// Where an earlier fill ended.
    pub(super) from: u64,
    stays: bool,
}

impl FillGuard {
    /// Creates and locks the file, and tries everything that could be refused later. `None` when another run created a
    /// file of this name first.
    pub(super) fn create(path: &Path, wish: &ScratchRequest) -> Result<Option<Self>, Problem> {
        let header = Header { data_bytes: wish.data_bytes, seed: wish.seed, state: State::Filling };
        check_creatable(dir_of(path))?;
        check_room(path, header.file_bytes(), wish.size_option)?;
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        // Without O_DIRECT, because some filesystems create the file, refuse the open, and leave the file behind.
        let fd = match fs::open(path, flags, Mode::RUSR | Mode::WUSR) {
            Err(Errno::EXIST) => return Ok(None),
            made => made.map_err(|errno| refusal("the scratch file cannot be created", path, errno))?,
        };
        let node = Arc::new(Node::pin_no_link(path)?);
        // Another run may have it locked for a moment, to find out what it is.
        let hold =
            Hold::take(fd.into()).map_err(|errno| not_locked(path, errno))?.ok_or_else(|| locked(path))?;
        let mut fresh = Self { node, hold, header, wish: *wish, from: 0, stays: false };
        fresh.prepare()?;
        fresh.stays = wish.resume;
        Ok(Some(fresh))
    }

    /// A file of ours whose fill ended early, now locked.
    pub(super) fn again(
        node: Node,
        hold: Hold,
        header: Header,
        wish: &ScratchRequest,
    ) -> Result<Self, Problem> {
        let mut fresh = Self { node: Arc::new(node), hold, header, wish: *wish, from: 0, stays: true };
        fresh.prepare()?;
        let direct = fresh.open_direct().ok();
        let fd = direct.as_ref().unwrap_or_else(|| &fresh.hold.file);
        fresh.from = filler::filled(fd, header.data_bytes)
            .map_err(|errno| refusal("the scratch file cannot be read", &fresh.node.path, errno))?;
        Ok(fresh)
    }

    fn prepare(&self) -> Result<(), Problem> {
        let size_bytes = self.header.file_bytes();
        fs::ftruncate(&self.hold.file, size_bytes)
            .and_then(|()| write_header(&self.hold.file, &self.header))
            .map_err(|errno| self.failed(0, errno))?;
        let refusal = self.wish.direct.then(|| self.open_direct()).and_then(Result::err);
        if refusal == Some(Errno::INVAL) {
            return Err(no_direct_io(self.node.place()));
        }
        // This finds out now whether the space is there, and often gives the file a single extent.
        let no_room = |errno| no_room(&self.node.path, size_bytes, errno, self.wish.size_option);
        reserve(&self.hold.file, size_bytes).map_err(no_room)
    }

    fn open_direct(&self) -> Result<File, Errno> {
        self.node.open(OFlags::RDWR | OFlags::DIRECT)
    }

    /// Writes the data, then the header of a whole file.
    pub(super) fn fill(
        mut self,
        progress: &mut dyn FnMut(u64, u64),
        stop: &AtomicBool,
    ) -> Result<ScratchFile, Problem> {
        self.write_data(progress, stop)?;
        self.header.state = if self.wish.keep { State::Kept } else { State::Temporary };
        write_header(&self.hold.file, &self.header)
            .map_err(|errno| refusal("the scratch file cannot be written", &self.node.path, errno))?;
        self.stays = true;
        let (node, hold) = (Arc::clone(&self.node), self.hold.clone());
        Ok(ScratchFile { node, hold, header: self.header, reused: false })
    }

    fn write_data(&self, progress: &mut dyn FnMut(u64, u64), stop: &AtomicBool) -> Result<(), Problem> {
        let Header { data_bytes, seed, .. } = self.header;
        let direct = self.open_direct().ok();
        let fd = direct.as_ref().unwrap_or_else(|| &self.hold.file);
        let told = &mut |at| progress(at, data_bytes);
        filler::write(fd, self.from..data_bytes, seed, told, stop).map_err(|cut| match cut {
            FillStop::Failed(at, errno) => self.failed(at, errno),
            FillStop::Stopped => {
                let next = if self.wish.resume {
                    "the same command continues where it stopped"
                } else {
                    "it was removed; start again"
                };
                Problem::new(ExitKind::CutShort, "the fill of the scratch file was stopped")
                    .at(self.node.place())
                    .next(next)
            }
        })
    }

    fn failed(&self, at: u64, errno: Errno) -> Problem {
        let path = &self.node.path;
        match errno {
            Errno::NOSPC | Errno::DQUOT | Errno::FBIG => {
                no_room(path, self.header.file_bytes(), errno, self.wish.size_option)
            }
            _ => refusal(&format!("the scratch file cannot be written at byte {at}"), path, errno),
        }
    }
}

impl Drop for FillGuard {
    fn drop(&mut self) {
        if !self.stays {
            // An error cannot be reported from here. The next run recognises the file by its header and removes it.
            let _ = unlink(&self.node);
        }
    }
}
