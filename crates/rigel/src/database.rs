//! What our SQLite databases share: where they lie, and whose file that is.
//!
//! A file of somebody else that has our name is never changed. Must not know tables.

use rusqlite::Connection;
use std::env;
use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Other processes may write at the same moment.
pub const PATIENCE: Duration = Duration::from_secs(5);

/// Where a database lies: in `$XDG_STATE_HOME/rigel`, else in `~/.local/state/rigel` (XDG base directory specification).
pub fn place(file: &str) -> Option<PathBuf> {
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state")))?;
    Some(state.join("rigel").join(file))
}

/// Makes the directory. Other users must not read what was measured.
pub fn make_dir(dir: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(dir)
}

/// Refuses what is no file: SQLite takes a block device for a new database, because the kernel gives it the size 0.
pub fn check_file(path: &Path) -> rusqlite::Result<()> {
    match fs::metadata(path) {
        Ok(there) if !there.is_file() => Err(foreign("it is no regular file")),
        _ => Ok(()),
    }
}

/// Refuses a database of somebody else that a link of our name leads to.
pub fn check_empty(database: &Connection) -> rusqlite::Result<()> {
    let question =
        "SELECT (SELECT count(*) FROM sqlite_schema) + (SELECT user_version FROM pragma_user_version)";
    match database.query_row(question, [], |row| row.get(0))? {
        0_i64 => Ok(()),
        _ => Err(foreign("it is the database of another program")),
    }
}

/// A file that is not as we write it.
pub fn foreign(what: impl Into<String>) -> rusqlite::Error {
    rusqlite::Error::InvalidParameterName(what.into())
}

/// Refuses what a newer Rigel wrote.
pub fn check_layout(database: &Connection, known: i64) -> rusqlite::Result<()> {
    let layout: i64 = database.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if layout > known {
        return Err(foreign(format!("its layout {layout} is of a newer Rigel, this one knows {known}")));
    }
    Ok(())
}
