//! Free space for a file that is filled, and the messages when there is too little. Must not create a file.

use super::errno::{self, refusal};
use rigel_core::error::Problem;
use rigel_core::path_text;
use rigel_core::units::Bytes;
use rustix::fs::{self, Access, FallocateFlags, StatVfs, StatVfsMountFlags};
use rustix::io::Errno;
use std::fs::File;
use std::path::Path;

/// Bytes that this user may still use on the filesystem of a directory or file.
///
/// # Errors
/// When the filesystem does not answer, or is read-only.
pub fn free_bytes(place: &Path) -> Result<u64, Problem> {
    let answer =
        fs::statvfs(place).map_err(|errno| refusal("the free space cannot be determined", place, errno))?;
    if answer.f_flag.contains(StatVfsMountFlags::RDONLY) {
        return Err(refusal("no file can be created here", place, Errno::ROFS));
    }
    Ok(answer.f_bavail.saturating_mul(answer.f_frsize))
}

/// The same if it is known: not for a filesystem that reports no blocks, or is read-only.
pub fn room_left(place: &Path) -> Option<u64> {
    let answer = fs::statvfs(place).ok().filter(|answer| answer.f_blocks > 0)?;
    let is_written = !answer.f_flag.contains(StatVfsMountFlags::RDONLY);
    is_written.then(|| answer.f_bavail.saturating_mul(answer.f_frsize))
}

/// Whether the filesystem is mounted read-only.
pub fn is_read_only(place: &Path) -> bool {
    fs::statvfs(place).is_ok_and(|answer| answer.f_flag.contains(StatVfsMountFlags::RDONLY))
}

/// The directory of a file: the current one, if its path names none.
pub fn dir_of(path: &Path) -> &Path {
    path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Refuses a size that does not fit, before a file is created or made longer. `option` gives the size.
///
/// # Errors
/// When it does not fit, or the filesystem is read-only.
pub fn check_room(path: &Path, size_bytes: u64, option: &str) -> Result<(), Problem> {
    check_file_limit(size_bytes).map_err(|errno| no_room(path, size_bytes, errno, option))?;
    let dir = dir_of(path);
    // A filesystem that reports no blocks at all does not tell its free space.
    let tells = |answer: StatVfs| answer.f_blocks > 0 || answer.f_flag.contains(StatVfsMountFlags::RDONLY);
    if fs::statvfs(dir).is_ok_and(tells) && free_bytes(dir)? < size_bytes {
        return Err(no_room(path, size_bytes, Errno::NOSPC, option));
    }
    Ok(())
}

/// A write beyond `ulimit -f` ends the process instead of failing.
pub(super) fn check_file_limit(size_bytes: u64) -> Result<(), Errno> {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Fsize).current;
    if limit.is_some_and(|limit| limit < size_bytes) { Err(Errno::FBIG) } else { Ok(()) }
}

/// Refuses a directory in which this user cannot create a file.
///
/// # Errors
/// With the reason.
pub fn check_creatable(dir: &Path) -> Result<(), Problem> {
    let may = fs::access(dir, Access::WRITE_OK | Access::EXEC_OK);
    may.map_err(|errno| refusal("no file can be created here", dir, errno))
}

/// Reserves the blocks of a file where the filesystem can do that; otherwise the writes find out whether there is room.
pub(super) fn reserve(file: &File, size_bytes: u64) -> Result<(), Errno> {
    match fs::fallocate(file, FallocateFlags::empty(), 0, size_bytes) {
        Err(errno @ (Errno::NOSPC | Errno::DQUOT | Errno::FBIG | Errno::IO)) => Err(errno),
        _ => Ok(()),
    }
}

pub(super) fn no_room(path: &Path, size_bytes: u64, errno: Errno, option: &str) -> Problem {
    let problem = Problem::refused("there is no room for the file").at(path_text::encode(path));
    let needed = Bytes(size_bytes);
    let smaller = format!("choose a smaller size ({option})");
    match errno {
        Errno::NOSPC => {
            let free =
                free_bytes(dir_of(path)).map_or_else(|_| "?".to_owned(), |free| Bytes(free).to_string());
            problem
                .because(format!("{needed} are needed, {free} are free"))
                .next(format!("free space, {smaller}, or another directory"))
        }
        Errno::DQUOT => problem
            .because(format!("{needed} are needed, more than this user's quota allows"))
            .next(format!("{smaller}, or another directory")),
        Errno::FBIG => problem
            .because(format!("{needed} are needed, more than a file may have here"))
            .next(format!("raise the limit (ulimit -f), or {smaller}")),
        errno => problem.because(errno::text(errno)).next("choose another directory"),
    }
}
