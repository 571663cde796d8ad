//! `rigel fill` on files and block devices: free space, the progress of an earlier fill, and the writes.
//!
//! A target arrives here open and with a permit. Must not open one, nor say that it may be written.

use super::errno::refusal;
use super::filler::{self, FillStop};
use super::open::OpenTarget;
use super::room::{check_file_limit, no_room, reserve};
use rigel_core::error::{ExitKind, Problem};
use rigel_core::facts::{TargetFacts, TargetKind};
use rigel_core::path_text;
use rustix::fs::{self, Mode, OFlags};
use rustix::io::Errno;
use std::fs::File;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// The option that gives the size.
pub const SIZE: &str = "--size";

/// A newly created file; removed if nothing was written into it.
#[derive(Debug)]
pub struct NewFile {
    path: PathBuf,
    file: File,
}

impl NewFile {
    /// Creates an empty file if there is none.
    ///
    /// # Errors
    /// When something exists there meanwhile, or the file cannot be created.
    pub fn make(path: &Path) -> Result<Self, Problem> {
        let mode = Mode::RUSR | Mode::WUSR | Mode::RGRP | Mode::ROTH;
        let flags = OFlags::RDONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let made = fs::open(path, flags, mode);
        let fd = made.map_err(|errno| refusal("the file cannot be created", path, errno))?;
        Ok(Self { path: path.to_owned(), file: fd.into() })
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        let (Ok(made), Ok(there)) = (self.file.metadata(), std::fs::symlink_metadata(&self.path)) else {
            return;
        };
        if made.len() == 0 && (made.dev(), made.ino()) == (there.dev(), there.ino()) {
            // An error cannot be reported from here; an empty file stays.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// A target that has its room, before it is filled. A file gets its old size back unless something was written to it.
#[derive(Debug)]
pub struct Ground {
    path: PathBuf,
    file: File,
    is_device: bool,
    bytes: u64,
    from: u64,
    /// The size of a file that was made longer.
    shorter: Option<u64>,
}

impl Ground {
    /// Gives a file its size, so a lack of space is reported before anything is written, and finds out how far an earlier fill got.
    ///
    /// # Errors
    /// When the target was not opened for writing, has no room, or cannot be read.
    pub fn prepare(target: &OpenTarget, facts: &TargetFacts, bytes: u64) -> Result<Self, Problem> {
        if !target.writable() {
            return Err(Problem::new(ExitKind::Bug, "a target was to be filled without a permit"));
        }
        let path = path_text::decode(&facts.path);
        let copy = rustix::io::fcntl_dupfd_cloexec(target, 0);
        let file = copy.map_err(|errno| refusal("the target cannot be written", &path, errno))?.into();
        let is_device = facts.kind != TargetKind::File;
        let mut ground = Self { path, file, is_device, bytes, from: 0, shorter: None };
        if !is_device {
            ground.reserve(facts.size_bytes).map_err(|errno| no_room(&ground.path, bytes, errno, SIZE))?;
        }
        ground.from = filler::filled(&ground.file, bytes)
            .map_err(|errno| refusal("the target cannot be read", &ground.path, errno))?;
        Ok(ground)
    }

    fn reserve(&mut self, old_bytes: u64) -> Result<(), Errno> {
        check_file_limit(self.bytes)?;
        if self.bytes > old_bytes {
            fs::ftruncate(&self.file, self.bytes)?;
            self.shorter = Some(old_bytes);
        }
        reserve(&self.file, self.bytes)
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its size.
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Bytes that an earlier fill wrote.
    pub const fn filled_bytes(&self) -> u64 {
        self.from
    }

    /// Fills the remainder. `progress` gets the number of filled bytes.
    ///
    /// # Errors
    /// When a write fails, or `stop` was set; what was written stays, and the next fill continues there.
    pub fn fill(
        mut self,
        seed: u64,
        progress: &mut dyn FnMut(u64),
        stop: &AtomicBool,
    ) -> Result<(), Problem> {
        self.shorter = None;
        if self.from == self.bytes {
            return Ok(());
        }
        filler::write(&self.file, self.from..self.bytes, seed, progress, stop)
            .map_err(|cut| self.problem(cut))
    }

    fn problem(&self, cut: FillStop) -> Problem {
        match cut {
            FillStop::Stopped => Problem::new(ExitKind::CutShort, "the fill was stopped")
                .at(path_text::encode(&self.path))
                .next("the same command continues where it stopped"),
            FillStop::Failed(_, errno @ (Errno::NOSPC | Errno::DQUOT | Errno::FBIG)) if !self.is_device => {
                no_room(&self.path, self.bytes, errno, SIZE)
            }
            FillStop::Failed(at, Errno::NOSPC) => {
                Problem::refused(format!("the device has no space at byte {at}"))
                    .at(path_text::encode(&self.path))
                    .because("its storage pool is full")
                    .next("enlarge the pool; then the same command continues where it stopped")
            }
            FillStop::Failed(at, errno) => {
                refusal(&format!("the target cannot be written at byte {at}"), &self.path, errno)
            }
        }
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        if let Some(bytes) = self.shorter {
            // An error cannot be reported from here; the file is longer than it was, and holds nothing there.
            let _ = fs::ftruncate(&self.file, bytes);
        }
    }
}
