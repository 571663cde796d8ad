//! Free space for a scratch file, and the messages when there is too little. Must not create a file.

use crate::targets::errno::{self, refusal};
use rigel_core::error::Problem;
use rigel_core::path_text;
use rigel_core::units::Bytes;
use rustix::fs;
use rustix::io::Errno;
use std::path::Path;

/// Bytes that this user may still use on the filesystem of a directory or file.
///
/// # Errors
/// When the filesystem does not answer.
pub fn free_bytes(place: &Path) -> Result<u64, Problem> {
    let answer =
        fs::statvfs(place).map_err(|errno| refusal("the free space cannot be found out", place, errno))?;
    Ok(answer.f_bavail.saturating_mul(answer.f_frsize))
}

fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Refuses a size that does not fit, before a file is created.
pub(super) fn check_room(path: &Path, size_bytes: u64) -> Result<(), Problem> {
    // A write beyond this limit kills the process instead of failing.
    let limit = rustix::process::getrlimit(rustix::process::Resource::Fsize).current;
    if limit.is_some_and(|limit| limit < size_bytes) {
        return Err(no_room(path, size_bytes, Errno::FBIG));
    }
    let dir = directory_of(path);
    check_writable(dir, path)?;
    // A filesystem that reports no blocks at all does not tell its free space.
    let counts = fs::statvfs(dir).is_ok_and(|answer| answer.f_blocks > 0);
    if counts && free_bytes(dir)? < size_bytes {
        return Err(no_room(path, size_bytes, Errno::NOSPC));
    }
    Ok(())
}

/// Refuses a directory in which no file can be made.
pub(super) fn check_writable(dir: &Path, path: &Path) -> Result<(), Problem> {
    let may = fs::access(dir, fs::Access::WRITE_OK | fs::Access::EXEC_OK);
    may.map_err(|errno| refusal("the scratch file cannot be made", path, errno))
}

pub(super) fn no_room(path: &Path, size_bytes: u64, errno: Errno) -> Problem {
    let problem = Problem::refused("there is no room for the scratch file").at(path_text::encode(path));
    let needed = Bytes(size_bytes);
    match errno {
        Errno::NOSPC => {
            let free = free_bytes(directory_of(path))
                .map_or_else(|_| "?".to_owned(), |free| Bytes(free).to_string());
            problem
                .because(format!("{needed} are needed, {free} are free"))
                .next("free space, choose a smaller size (--scratch-size), or another directory")
        }
        Errno::DQUOT => problem
            .because(format!("{needed} are needed, which is more than this user's quota allows"))
            .next("choose a smaller size, or another directory"),
        Errno::FBIG => problem
            .because(format!("{needed} are needed, which is more than a file may have here"))
            .next("raise the limit (ulimit -f), or choose a smaller size"),
        errno => problem.because(errno::text(errno)).next("choose another directory"),
    }
}
