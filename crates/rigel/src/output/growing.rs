//! A growing file, whose name appears once its first line is complete.
//!
//! Must not change what was written before.

use super::trouble::{not_opened, trouble};
use super::{NO_LINK, write_whole};
use rigel_core::error::Problem;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// Refuses a name that something has.
pub fn check_new(path: &Path) -> Result<(), Problem> {
    match fs::symlink_metadata(path) {
        Ok(_) => Err(trouble(path, &io::ErrorKind::AlreadyExists.into())),
        Err(_) => Ok(()),
    }
}

/// The file, open to be added to.
#[derive(Debug)]
pub struct GrowingFile {
    file: File,
    /// Something was added since the last flush.
    dirty: bool,
}

impl GrowingFile {
    /// Begins with these bytes, which are on the disk when this returns. An existing file is replaced with `force` only.
    pub fn begin(path: &Path, bytes: &[u8], force: bool) -> Result<Self, Problem> {
        write_whole(path, bytes, force)?;
        let file = OpenOptions::new().append(true).custom_flags(NO_LINK).open(path);
        Ok(Self { file: file.map_err(|error| not_opened(path, &error))?, dirty: false })
    }

    /// Adds bytes; `path` is for the text of a problem.
    pub fn write(&mut self, path: &Path, bytes: &[u8]) -> Result<(), Problem> {
        self.dirty |= !bytes.is_empty();
        self.file.write_all(bytes).map_err(|error| trouble(path, &error))
    }

    /// Waits until all of it is on the disk.
    pub fn flush(&mut self, path: &Path) -> Result<(), Problem> {
        if std::mem::take(&mut self.dirty) {
            self.file.sync_data().map_err(|error| trouble(path, &error))?;
        }
        Ok(())
    }
}
