//! The spill files of a record: where its lines wait while its filesystem is full, and how readers of the record find them.
//!
//! The directories are open to everyone. A file is created there, never followed or appended to, and read only if its owner could have written the
//! record as well. Must not know what the lines say.

use super::NO_LINK;
use rigel_core::error::Problem;
use rigel_core::path_text;
use rigel_core::record::rest;
use rustix::process::geteuid;
use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufRead as _, BufReader, ErrorKind, Read as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// A file with lines that belong after a record.
#[derive(Debug)]
pub struct Rest {
    pub path: PathBuf,
    pub bytes: Vec<u8>,
}

/// The files with the name of a record's rest.
#[derive(Debug, Default)]
pub struct RestState {
    pub rests: Vec<Rest>,
    /// Other users' files, which are not read.
    pub foreign: Vec<PathBuf>,
    /// Directories that this user cannot enter, but the one who soaked could.
    pub closed: Vec<PathBuf>,
}

/// Where lines of a soak that begins now may be kept; its record says so, for later readers.
pub fn dirs() -> Vec<String> {
    dirs_of(std::env::var_os("TMPDIR")).iter().map(|dir| path_text::encode(dir)).collect()
}

/// The directory of the user's choice, then the one that outlives a start of the host.
fn dirs_of(chosen: Option<OsString>) -> Vec<PathBuf> {
    let chosen = chosen.filter(|dir| !dir.is_empty()).map(PathBuf::from);
    let mut dirs: Vec<PathBuf> = Vec::new();
    for dir in chosen.into_iter().chain(["/var/tmp", "/tmp"].map(PathBuf::from)) {
        let dir = std::path::absolute(&dir).unwrap_or(dir);
        if !dirs.contains(&dir) {
            dirs.push(dir);
        }
    }
    dirs
}

/// Where lines of a record may be kept, the best directory first; none before it has its first line.
pub fn places(record: &Path) -> Vec<PathBuf> {
    let mut first = Vec::new();
    match File::open(record).and_then(|file| BufReader::new(file).read_until(b'\n', &mut first)) {
        Ok(_) => rest::places(&first),
        Err(_) => Vec::new(),
    }
}

/// The lines that wait for room in a record of this owner.
pub fn find(record: &[u8], owner: u32) -> Result<RestState, Problem> {
    let mut found = RestState::default();
    for path in rest::places(record) {
        match read(&path, owner) {
            Ok(Some(bytes)) => found.rests.push(Rest { path, bytes }),
            Ok(None) => found.foreign.push(path),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
            // Whoever soaked can look there, or could not write there either.
            Err(error) if is_closed(&path, &error) => {
                if geteuid().as_raw() != owner {
                    found.closed.push(path);
                }
            }
            Err(error) => {
                return Err(Problem::refused(format!("the end of the record cannot be read: {error}"))
                    .at(path_text::encode(&path))
                    .because("it did not fit into the record, and is kept there")
                    .next("do this as the user who ran the soak, or as root"));
            }
        }
    }
    Ok(found)
}

/// Whether it is the directory that this user cannot enter.
fn is_closed(path: &Path, error: &io::Error) -> bool {
    error.kind() == ErrorKind::PermissionDenied && fs::symlink_metadata(path).is_err()
}

/// `None`: it belongs to somebody else.
fn read(path: &Path, owner: u32) -> io::Result<Option<Vec<u8>>> {
    if !is_own(&fs::symlink_metadata(path)?, owner) {
        return Ok(None);
    }
    let mut file = OpenOptions::new().read(true).custom_flags(NO_LINK).open(path)?;
    if !is_own(&file.metadata()?, owner) {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

fn is_own(file: &Metadata, owner: u32) -> bool {
    let own = [owner, geteuid().as_raw(), 0];
    // Somebody else could give a file of root a second name.
    file.is_file() && file.nlink() == 1 && own.contains(&file.uid())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn the_chosen_directory_comes_first_and_each_once() {
        let paths = |dirs: &[&str]| dirs.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert_eq!(dirs_of(Some("/big".into())), paths(&["/big", "/var/tmp", "/tmp"]));
        assert_eq!(dirs_of(Some("/tmp".into())), paths(&["/tmp", "/var/tmp"]));
        assert_eq!(dirs_of(Some("".into())), dirs_of(None));
    }

    #[test]
    fn a_place_follows_from_the_first_line_of_the_record() {
        let dir = tempfile::tempdir().unwrap();
        let record = dir.path().join("record");
        let head = r#"{"request":{"task":{"soak":{"rest_dirs":["/big","/tmp"]}}}}"#;
        fs::write(&record, head).unwrap();
        assert!(places(&record).is_empty());
        fs::write(&record, format!("{head}\nmore\n")).unwrap();
        assert_eq!(places(&record).len(), 2);
    }

    #[test]
    fn what_is_no_directory_holds_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let (file, gone) = (dir.path().join("file"), dir.path().join("gone"));
        fs::write(&file, "").unwrap();
        let dirs = format!("[\"{}\",\"{}\"]", file.display(), gone.display());
        let head = format!("{{\"request\":{{\"task\":{{\"soak\":{{\"rest_dirs\":{dirs}}}}}}}}}\n");
        let found = find(head.as_bytes(), geteuid().as_raw()).unwrap();
        assert!(found.rests.is_empty() && found.foreign.is_empty() && found.closed.is_empty(), "{found:?}");
    }

    #[test]
    fn only_a_file_that_nobody_else_can_have_made_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let me = geteuid().as_raw();
        fs::write(at("rest"), "line\n").unwrap();
        assert_eq!(read(&at("rest"), me).unwrap().unwrap(), b"line\n");
        assert_eq!(read(&at("gone"), me).unwrap_err().kind(), ErrorKind::NotFound);
        symlink(at("rest"), at("link")).unwrap();
        fs::hard_link(at("rest"), at("second")).unwrap();
        for name in ["link", "second", "rest", "."] {
            assert_eq!(read(&at(name), me).unwrap(), None, "{name}");
        }
        fs::remove_file(at("second")).unwrap();
        // Only root can give a file away.
        if std::os::unix::fs::chown(at("rest"), Some(me + 1), None).is_ok() {
            assert_eq!(read(&at("rest"), me).unwrap(), None);
            assert!(read(&at("rest"), me + 1).unwrap().is_some());
        }
    }
}
