//! Writes a file whole or not at all: under a temporary name, synced, then renamed.
//!
//! Must not create the record, which grows during the run.

use super::trouble::trouble;
use super::{create_new, dir_of};
use rigel_core::error::Problem;
use rigel_core::path_text;
use rustix::fs::{CWD, RenameFlags};
use rustix::io::Errno;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Writes a complete file. An existing one is replaced only with `force`; readers then see the old one or the new
/// one. If it cannot be written, nothing is left behind.
pub fn write_whole(path: &Path, bytes: &[u8], force: bool) -> Result<(), Problem> {
    put(path, force, |file| file.write_all(bytes)).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists if force => special(path),
        _ => trouble(path, &error),
    })
}

fn special(path: &Path) -> Problem {
    Problem::refused("the output already exists, and is not a regular file")
        .at(path_text::encode(path))
        .because("a device, a pipe or a socket is never replaced")
        .next("choose another name")
}

pub(super) fn put(
    path: &Path,
    force: bool,
    fill: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    let dir = dir_of(path);
    // A rename would replace /dev/null, or a pipe that somebody reads.
    if fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir()) {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    let (beside, mut file) = TemporaryFile::create(dir, path)?;
    fill(&mut file)?;
    file.sync_all()?;
    drop(file);
    beside.publish(path, force)?;
    sync_dir(dir)
}

/// Tries to write a file there, and removes it.
pub(super) fn try_out(dir: &Path) -> io::Result<()> {
    let (_beside, mut file) = TemporaryFile::create(dir, Path::new("rigel-try"))?;
    file.write_all(&[0; 4096])?;
    file.sync_all()
}

/// Syncs a directory, so a new name survives a crash.
pub(super) fn sync_dir(dir: &Path) -> io::Result<()> {
    match File::open(dir)?.sync_all() {
        // Some network and FUSE filesystems cannot do that for directories; their names are as safe as they get.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        done => done,
    }
}

/// The temporary file; what is left under its name is removed when this is dropped.
#[derive(Debug)]
struct TemporaryFile {
    path: PathBuf,
}

impl TemporaryFile {
    fn create(dir: &Path, path: &Path) -> io::Result<(Self, File)> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
        let process = std::process::id();
        // Numbers beyond 1 are needed only if a killed process with this id left its file behind.
        for number in 1..100 {
            let mut beside = OsString::from(".");
            beside.push(name);
            beside.push(format!(".tmp-{process}"));
            if number > 1 {
                beside.push(format!("-{number}"));
            }
            let path = dir.join(beside);
            match create_new(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => return made.map(|file| (Self { path }, file)),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    fn publish(self, path: &Path, force: bool) -> io::Result<()> {
        if force {
            return fs::rename(&self.path, path);
        }
        match rustix::fs::renameat_with(CWD, &self.path, CWD, path, RenameFlags::NOREPLACE) {
            // NFS and others cannot rename without replacing, but a second name is refused there too when it exists.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => fs::hard_link(&self.path, path),
            renamed => Ok(renamed?),
        }
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        // It is gone when it was renamed. Any failure before this one is reported.
        let _ = fs::remove_file(&self.path);
    }
}
