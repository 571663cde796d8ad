//! Output files: a name is reserved before the run, and the files are written whole after it.
//!
//! The directory is tested, and the record created, before anything is measured, so that no long run ends with results that cannot be written. No
//! existing file is replaced unless the user asks for it, and none is truncated or left half
//! written. Must not render.

mod growing;
pub mod rest;
mod trouble;
mod whole;

pub use growing::{GrowingFile, check_new};
pub use rigel_io::targets::scratch::dir_of;
pub use whole::write_whole;

use rigel_core::error::Problem;
use rigel_core::path_text;
use rigel_report::OutputFile;
use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use trouble::trouble;

pub use rigel_core::record_name::RECORD_SUFFIX;

/// Do not follow a link of that name, nor wait for a pipe.
const NO_LINK: i32 = (OFlags::NOFOLLOW.bits() | OFlags::NONBLOCK.bits()).cast_signed();
/// More runs than this do not begin in one minute.
const MAX_RUNS_PER_MINUTE: u32 = 10_000;

/// The outputs of one run, which all begin with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputSet {
    dir: PathBuf,
    /// Name of the run, printable; the record keeps it.
    pub run_id: String,
}

impl OutputSet {
    /// Reserves a name: `<name>_<stamp>`, or `<name>` alone without a stamp, followed by a number if another run has it. Creates
    /// the file of the record and returns it.
    pub fn reserve(dir: &Path, name: &str, stamp: Option<&str>) -> Result<(Self, File), Problem> {
        let first = stamp.map_or_else(|| name.to_owned(), |stamp| format!("{name}_{stamp}"));
        for set in Self::unused(dir, &first)? {
            match create_new(&set.record_path()) {
                Ok(record) => {
                    hold(&record, &set.record_path())?;
                    whole::sync_dir(dir).map_err(|error| trouble(dir, &error))?;
                    return Ok((set, record));
                }
                // Another run was faster since the directory was read.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(trouble(&set.record_path(), &error)),
            }
        }
        Err(no_name_left(&first))
    }

    /// The same for outputs without a record: nothing is created.
    pub fn without_record(dir: &Path, name: &str, stamp: &str) -> Result<Self, Problem> {
        let first = format!("{name}_{stamp}");
        Self::unused(dir, &first)?.next().ok_or_else(|| no_name_left(&first))
    }

    /// The names that no output there begins with: `first`, then `first_2` and so on.
    fn unused(dir: &Path, first: &str) -> Result<impl Iterator<Item = Self>, Problem> {
        let taken = names_from(dir, first).map_err(|error| trouble(dir, &error))?;
        let numbered = (2..MAX_RUNS_PER_MINUTE).map(move |number| format!("{first}_{number}"));
        let is_free = move |run_id: &String| {
            let prefix = format!("{run_id}_");
            // Behind a digit is the date or the number of another run.
            let is_own = |end: &[u8]| !end.first().is_some_and(u8::is_ascii_digit);
            !taken.iter().any(|name| name.as_bytes().strip_prefix(prefix.as_bytes()).is_some_and(is_own))
        };
        let free = std::iter::once(first.to_owned()).chain(numbered).filter(is_free);
        Ok(free.map(|run_id| Self { dir: dir.to_owned(), run_id }))
    }

    /// The outputs of the run with this record, and the record, open for appending. Refuses one that is not a regular
    /// file, does not have the name of a record, or is locked.
    pub fn reopen(record: &Path) -> Result<(Self, File), Problem> {
        let name = record.file_name().and_then(OsStr::to_str).unwrap_or_default();
        // Printable, and not hidden.
        let could_be_run_id =
            |id: &&str| !id.is_empty() && !id.starts_with('.') && path_text::printable(id) == *id;
        let run_id = name.strip_suffix(RECORD_SUFFIX).filter(could_be_run_id).ok_or_else(|| {
            Problem::usage("this is not the name of a record")
                .at(path_text::encode(record))
                .next(format!("give the file that ends in {RECORD_SUFFIX}"))
        })?;
        let opened = OpenOptions::new().read(true).append(true).custom_flags(NO_LINK).open(record);
        let file = opened.map_err(|error| trouble::not_opened(record, &error))?;
        if !file.metadata().is_ok_and(|found| found.is_file()) {
            return Err(trouble::not_opened(record, &io::ErrorKind::InvalidInput.into()));
        }
        hold(&file, record)?;
        Ok((Self { dir: dir_of(record).to_owned(), run_id: run_id.to_owned() }, file))
    }

    /// Whether an output with that suffix exists.
    pub fn has(&self, suffix: &str) -> bool {
        fs::symlink_metadata(self.dir.join(format!("{}{suffix}", self.run_id))).is_ok()
    }

    pub fn record_path(&self) -> PathBuf {
        self.dir.join(format!("{}{RECORD_SUFFIX}", self.run_id))
    }

    pub fn write(&self, files: &[OutputFile], force: bool) -> Result<Vec<PathBuf>, Problem> {
        write_files(&self.dir, &self.run_id, files, force)
    }
}

/// Writes files into a directory, each under `run_id` and its suffix, and returns their paths. If one exists and
/// `force` is not given, none is written. If one cannot be written, the previous ones are complete.
pub fn write_files(
    dir: &Path,
    run_id: &str,
    files: &[OutputFile],
    force: bool,
) -> Result<Vec<PathBuf>, Problem> {
    write_all(&files.iter().map(|file| PlacedFile::new(dir, run_id, file)).collect::<Vec<_>>(), force)
}

#[derive(Debug)]
pub struct PlacedFile<'a> {
    /// The directory of the user's choice; it has to be there.
    dir: PathBuf,
    /// Its name there, with `/` if the output has its own directories.
    name: String,
    bytes: &'a [u8],
}

impl<'a> PlacedFile<'a> {
    pub fn new(dir: &Path, run_id: &str, file: &'a OutputFile) -> Self {
        Self::named(dir, format!("{run_id}{}", file.suffix), &file.bytes)
    }

    pub fn named(dir: &Path, name: impl Into<String>, bytes: &'a [u8]) -> Self {
        Self { dir: dir.to_owned(), name: name.into(), bytes }
    }

    pub fn path(&self) -> PathBuf {
        self.dir.join(&self.name)
    }
}

/// Writes files and returns their paths.
pub fn write_all(files: &[PlacedFile<'_>], force: bool) -> Result<Vec<PathBuf>, Problem> {
    let paths: Vec<PathBuf> = files.iter().map(PlacedFile::path).collect();
    if let (false, Some(path)) = (force, paths.iter().find(|path| fs::symlink_metadata(path).is_ok())) {
        return Err(trouble(path, &io::ErrorKind::AlreadyExists.into()));
    }
    for (path, file) in paths.iter().zip(files) {
        // The directory itself is the user's, and has to be there.
        if let (true, Some(own)) = (file.name.contains('/'), path.parent()) {
            make_below(&file.dir, own)?;
        }
        write_whole(path, file.bytes, force)?;
    }
    Ok(paths)
}

/// Creates directories within the output directory, not that directory itself.
fn make_below(dir: &Path, own: &Path) -> Result<(), Problem> {
    fs::metadata(dir).map_err(|error| trouble(dir, &error))?;
    let mut at = dir.to_owned();
    for part in own.strip_prefix(dir).unwrap_or(own) {
        at.push(part);
        match fs::create_dir(&at) {
            // A link of that name would lead the outputs somewhere else.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let is_dir = fs::symlink_metadata(&at).is_ok_and(|there| there.is_dir());
                is_dir.then_some(()).ok_or_else(|| trouble(&at, &io::ErrorKind::NotADirectory.into()))?;
            }
            made => made.map_err(|error| trouble(&at, &error))?,
        }
    }
    Ok(())
}

/// Tries, before a long run, whether the directory takes files and has room for `needed_bytes`.
pub fn check_directory(dir: &Path, needed_bytes: u64) -> Result<(), Problem> {
    look_at_directory(dir, needed_bytes)?;
    whole::try_out(dir).map_err(|error| match error.kind() {
        // It is there: procfs and the like say so to whoever makes a file.
        io::ErrorKind::NotFound => trouble::takes_no_files(dir),
        _ => trouble(dir, &error),
    })
}

/// The same, as far as it can be known without writing.
pub fn look_at_directory(dir: &Path, needed_bytes: u64) -> Result<(), Problem> {
    let found = fs::metadata(dir).map_err(|error| trouble(dir, &error))?;
    if !found.is_dir() {
        return Err(trouble(dir, &io::ErrorKind::NotADirectory.into()));
    }
    let may = rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK;
    rustix::fs::access(dir, may).map_err(|errno| trouble(dir, &errno.into()))?;
    let room = rustix::fs::statvfs(dir).map_err(|errno| trouble(dir, &errno.into()))?;
    let free_bytes = room.f_bavail.saturating_mul(room.f_frsize);
    // Some filesystems report no blocks at all.
    if room.f_blocks > 0 && free_bytes < needed_bytes {
        return Err(trouble::no_room(dir, free_bytes, needed_bytes));
    }
    Ok(())
}

fn no_name_left(first: &str) -> Problem {
    Problem::refused(format!("no name is free for the run {first}"))
        .because(format!("{MAX_RUNS_PER_MINUTE} runs from this minute have outputs there"))
        .next("choose another name or directory")
}

fn names_from(dir: &Path, start: &str) -> io::Result<Vec<OsString>> {
    let mut names: Vec<OsString> =
        fs::read_dir(dir)?.map(|entry| Ok(entry?.file_name())).collect::<io::Result<_>>()?;
    names.retain(|name| name.as_bytes().starts_with(start.as_bytes()));
    Ok(names)
}

/// Locks the record for this process as long as the file is open. On a filesystem without locks it does nothing.
fn hold(record: &File, path: &Path) -> Result<(), Problem> {
    match flock(record, FlockOperation::NonBlockingLockExclusive) {
        Err(Errno::WOULDBLOCK) => Err(Problem::refused("the run is still in progress")
            .at(path_text::encode(path))
            .because("another process is using its record")
            .next("wait for it to end")),
        _ => Ok(()),
    }
}

/// Creates a file; never opens an existing one, or the target of a link with that name.
fn create_new(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o644).open(path)
}

#[cfg(test)]
mod tests;
