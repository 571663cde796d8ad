//! What our SQLite databases share: their location, and who owns the file.
//!
//! A foreign file with our name is never changed. Must not know tables.

use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::env;
use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Other processes may write at the same moment.
pub const PATIENCE: Duration = Duration::from_secs(5);

/// Location of a database: `$XDG_STATE_HOME/rigel`, otherwise `~/.local/state/rigel` (XDG base directory specification).
pub fn place(file: &str) -> Option<PathBuf> {
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state")))?;
    Some(state.join("rigel").join(file))
}

/// Makes the directory. Other users must not read what was measured.
pub fn make_dir(dir: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(dir)
}

/// Opens an existing database for reading, and refuses one that a newer Rigel wrote.
///
/// A writer that was killed may leave a journal, with which the next one to open the file undoes the half-finished
/// change. That requires write permission; nothing else is written.
pub fn open_to_read(path: &Path, patience: Duration, known: i64) -> rusqlite::Result<Connection> {
    let open = |flags| -> rusqlite::Result<Connection> {
        let database = Connection::open_with_flags(path, flags)?;
        database.busy_timeout(patience)?;
        database.pragma_update(None, "query_only", true)?;
        check_layout(&database, known)?;
        Ok(database)
    };
    match open(OpenFlags::SQLITE_OPEN_READ_ONLY) {
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::ReadOnly) => {
            open(OpenFlags::SQLITE_OPEN_READ_WRITE)
        }
        opened => opened,
    }
}

/// Refuses what is not a file: SQLite takes a block device for a new database, because the kernel gives it the size 0.
pub fn check_file(path: &Path) -> rusqlite::Result<()> {
    match fs::metadata(path) {
        Ok(there) if !there.is_file() => Err(foreign("it is not a regular file")),
        _ => Ok(()),
    }
}

/// Refuses somebody else's database that a link with our name leads to.
pub fn check_empty(database: &Connection) -> rusqlite::Result<()> {
    let question =
        "SELECT (SELECT count(*) FROM sqlite_schema) + (SELECT user_version FROM pragma_user_version)";
    match database.query_row(question, [], |row| row.get(0))? {
        0_i64 => Ok(()),
        _ => Err(foreign("it is another program's database")),
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
        return Err(foreign(format!(
            "its layout {layout} is from a newer Rigel; this one supports up to {known}"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_writer_left_is_undone_by_the_next_reader() {
        let dir = tempfile::tempdir().unwrap();
        let (path, left) = (dir.path().join("store"), dir.path().join("left"));
        let mut database = Connection::open(&path).unwrap();
        let rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)";
        database
            .execute_batch(&format!("CREATE TABLE t (x); INSERT INTO t {rows} SELECT zeroblob(4000) FROM n"))
            .unwrap();
        // More than is kept in memory: the file has a part of the change before it is made.
        database.pragma_update(None, "cache_size", 2).unwrap();
        let change = database.transaction().unwrap();
        change.execute("UPDATE t SET x = randomblob(4000)", []).unwrap();
        // As a kill leaves it.
        fs::copy(&path, &left).unwrap();
        fs::copy(dir.path().join("store-journal"), dir.path().join("left-journal")).unwrap();
        let changed = "SELECT count(*) FROM t WHERE x <> zeroblob(4000)";
        let count = |database: &Connection| database.query_row(changed, [], |row| row.get::<_, i64>(0));
        let only = Connection::open_with_flags(&left, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
        assert_eq!(count(&only).unwrap_err().sqlite_error_code(), Some(ErrorCode::ReadOnly));
        let read = open_to_read(&left, PATIENCE, 0).unwrap();
        assert_eq!(count(&read).unwrap(), 0);
        assert!(read.execute("DELETE FROM t", []).is_err(), "it is there to be read");
    }
}
