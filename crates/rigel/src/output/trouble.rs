//! System errors about output files, as problems that the user can act on.
//!
//! Must not touch a file.

use super::RECORD_SUFFIX;
use crate::near;
use rigel_core::error::Problem;
use rigel_core::path_text;
use rigel_core::units::Bytes;
use std::io::{self, ErrorKind};
use std::path::Path;

/// The problem for an error that occurred while `path` was written, claimed or examined.
pub fn trouble(path: &Path, error: &io::Error) -> Problem {
    let (what, cause, next) = match error.kind() {
        ErrorKind::AlreadyExists => (
            "the output already exists",
            "existing files are not replaced by default",
            "give --force to replace it, or choose another name or directory",
        ),
        ErrorKind::NotFound => (
            "the output directory does not exist",
            "it was mistyped, or not created yet",
            "create it with mkdir, or choose another one",
        ),
        ErrorKind::NotADirectory => {
            ("the output directory is not a directory", "it is a file", "choose another directory")
        }
        ErrorKind::IsADirectory => {
            ("the output cannot be written", "it is a directory", "choose another name or directory")
        }
        ErrorKind::PermissionDenied => (
            "the outputs cannot be written",
            "permission denied: this user may not write there",
            "choose another directory, or run as a user with permission",
        ),
        ErrorKind::ReadOnlyFilesystem => (
            "the outputs cannot be written",
            "the filesystem is mounted read-only",
            "choose another directory",
        ),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => (
            "the outputs cannot be written",
            "the filesystem or the quota is full",
            "free some space, or choose another directory",
        ),
        ErrorKind::InvalidFilename => (
            "the outputs cannot be written",
            "the name is too long for the filesystem",
            "choose a shorter name",
        ),
        _ => {
            return Problem::refused("the outputs cannot be written")
                .at(path_text::encode(path))
                .because(format!("the system says: {error}"))
                .next("choose another directory");
        }
    };
    Problem::refused(what).at(path_text::encode(path)).because(cause).next(next)
}

/// A directory of a file system that makes its own files.
pub fn takes_no_files(dir: &Path) -> Problem {
    Problem::refused("the output directory takes no files")
        .at(path_text::encode(dir))
        .because("its file system, such as /proc, makes its own")
        .next("choose another directory")
}

/// A record that cannot be opened to be added to.
pub fn not_opened(path: &Path, error: &io::Error) -> Problem {
    if error.kind() == ErrorKind::NotFound {
        let next = near::next_step(path, "a record", |name| name.ends_with(RECORD_SUFFIX));
        return Problem::usage("the record cannot be opened: there is no such file")
            .at(path_text::encode(path))
            .next(next);
    }
    let make: fn(String) -> Problem = match error.kind() {
        ErrorKind::IsADirectory | ErrorKind::InvalidInput => Problem::usage,
        _ => Problem::refused,
    };
    make(format!("the record cannot be opened: {error}"))
        .at(path_text::encode(path))
        .because("to resume, a run appends to its record, which must be a regular file and not a link")
        .next("give the file that ends in _record.jsonl; check with `ls -l` who may write it")
}

pub fn no_room(dir: &Path, free_bytes: u64, needed_bytes: u64) -> Problem {
    Problem::refused("there is not enough space for the outputs")
        .at(path_text::encode(dir))
        .because(format!("{} are free, but the run may need {}", Bytes(free_bytes), Bytes(needed_bytes)))
        .next("free some space, or choose another directory")
}
