//! A directory by its open descriptor: what is in it is opened and removed without following a link.
//!
//! Must not parse a path: a name is one in the directory.

use rustix::fs::{AtFlags, Dir, Mode, OFlags, fstat, openat, statat, unlinkat};
use rustix::io::Errno;
use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};

/// A directory, and no link to one.
pub const DIRECTORY: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// The directory of that name.
pub fn dir_at(dir: BorrowedFd<'_>, name: impl rustix::path::Arg) -> rustix::io::Result<OwnedFd> {
    openat(dir, name, DIRECTORY, Mode::empty())
}

/// The file of that name, to be read; nothing that could wait or be a device.
pub fn file_at(dir: BorrowedFd<'_>, name: impl rustix::path::Arg) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(openat(dir, name, flags, Mode::empty())?);
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
}

/// Whether the name still refers to the open directory.
pub fn is_still(place: BorrowedFd<'_>, name: &str, dir: BorrowedFd<'_>) -> bool {
    match (statat(place, name, AtFlags::SYMLINK_NOFOLLOW), fstat(dir)) {
        (Ok(named), Ok(open)) => (named.st_dev, named.st_ino) == (open.st_dev, open.st_ino),
        _ => false,
    }
}

/// Removes everything in the directory but what has this name. What is mounted there stays.
pub fn empty(dir: BorrowedFd<'_>, but: &str) -> io::Result<()> {
    for name in names(dir)? {
        if name.as_bytes() == but.as_bytes() {
            continue;
        }
        match unlinkat(dir, name.as_c_str(), AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => continue,
            // Which of the two a directory gives depends on the filesystem.
            Err(Errno::ISDIR | Errno::PERM) => {}
            Err(errno) => return Err(errno.into()),
        }
        let inner = dir_at(dir, name.as_c_str())?;
        if fstat(&inner)?.st_dev != fstat(dir)?.st_dev {
            return Err(io::Error::other("another filesystem is mounted in it"));
        }
        empty(inner.as_fd(), "")?;
        match unlinkat(dir, name.as_c_str(), AtFlags::REMOVEDIR) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    Ok(())
}

/// Opens every file in the directory and below it, one after the other, to be read. Stops at the first error of `work`.
pub fn each_file(dir: BorrowedFd<'_>, work: &mut dyn FnMut(File) -> io::Result<()>) -> io::Result<()> {
    for name in names(dir)? {
        if let Ok(inner) = dir_at(dir, name.as_c_str()) {
            each_file(inner.as_fd(), work)?;
        } else if let Ok(file) = file_at(dir, name.as_c_str()) {
            work(file)?;
        }
    }
    Ok(())
}

fn names(dir: BorrowedFd<'_>) -> io::Result<Vec<CString>> {
    let mut names = Vec::new();
    let entries = match Dir::read_from(dir) {
        // It was removed already.
        Err(Errno::NOENT) => return Ok(names),
        entries => entries?,
    };
    for entry in entries {
        let name = entry?.file_name().to_owned();
        if !matches!(name.as_bytes(), b"." | b"..") {
            names.push(name);
        }
    }
    Ok(names)
}
