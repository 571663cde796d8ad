//! The calibrations of the past: a small SQLite database in the user's state directory.
//!
//! Each row is one answer as the JSON document that was printed. Must not judge or render; a database that cannot be written is
//! no reason to fail a run.

use rigel_core::error::Problem;
use rigel_core::path_text;
use rigel_report::calibration::{Document, SCHEMA};
use rusqlite::{Connection, OpenFlags};
use std::cmp::Ordering;
use std::env;
use std::fs;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

const FILE: &str = "calibrations.sqlite";
/// The layout of the database; a higher one is of a newer Rigel.
const LAYOUT: i64 = 1;
/// Other runs may write at the same moment.
const PATIENCE: Duration = Duration::from_secs(5);

/// Where the history lies: `$XDG_STATE_HOME/rigel`, else `~/.local/state/rigel` (XDG base directory specification). `None` when neither is
/// known.
fn directory() -> Option<PathBuf> {
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state")))?;
    Some(state.join("rigel"))
}

fn place() -> Result<PathBuf, Problem> {
    let dir = directory().ok_or_else(|| {
        Problem::refused("there is no place for the history of calibrations")
            .because("neither XDG_STATE_HOME nor HOME names a directory")
            .next("set one of them, or leave the history out with --no-history")
    })?;
    Ok(dir.join(FILE))
}

/// Keeps an answer.
///
/// # Errors
/// When the database cannot be opened or written.
pub fn keep(document: &Document) -> Result<(), Problem> {
    let path = place()?;
    if let Some(dir) = path.parent() {
        // What was measured on whose storage is nobody else's business.
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(dir)
            .map_err(|error| unusable(dir, &error))?;
    }
    let text = String::from_utf8_lossy(&document.json()?).into_owned();
    put(&path, document, &text).map_err(|error| unusable(&path, &error))
}

fn put(path: &Path, document: &Document, text: &str) -> rusqlite::Result<()> {
    let database = Connection::open(path)?;
    database.busy_timeout(PATIENCE)?;
    let begun = check_layout(&database)?;
    database.execute_batch(
        "CREATE TABLE IF NOT EXISTS calibration (
             id INTEGER PRIMARY KEY,
             started TEXT NOT NULL,
             document TEXT NOT NULL
         );",
    )?;
    if !begun {
        database.pragma_update(None, "user_version", LAYOUT)?;
    }
    database.execute(
        "INSERT INTO calibration (started, document) VALUES (?1, ?2)",
        (document.started.as_str(), text),
    )?;
    Ok(())
}

/// Whether somebody gave the database its layout already.
fn check_layout(database: &Connection) -> rusqlite::Result<bool> {
    let layout: i64 = database.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    match layout.cmp(&LAYOUT) {
        Ordering::Greater => Err(rusqlite::Error::InvalidParameterName(format!(
            "its layout {layout} is of a newer Rigel, this one knows {LAYOUT}"
        ))),
        _ => Ok(layout > 0),
    }
}

/// What the history holds.
pub struct Past {
    /// The newest first.
    pub documents: Vec<Document>,
    /// How many cannot be read.
    pub unreadable: usize,
}

/// Answers of the past; with `targets`, only those of exactly these.
///
/// # Errors
/// When the database cannot be read, or is of a newer Rigel.
pub fn all(targets: &[String]) -> Result<Past, Problem> {
    let path = place()?;
    if !path.exists() {
        return Ok(Past { documents: Vec::new(), unreadable: 0 });
    }
    let texts = texts(&path).map_err(|error| unusable(&path, &error))?;
    let all = texts.len();
    // One that a newer Rigel wrote is no reason to hide the others.
    let known =
        |text: &String| serde_json::from_str::<Document>(text).ok().filter(|found| found.schema == SCHEMA);
    let documents: Vec<Document> = texts.iter().filter_map(known).collect();
    let unreadable = all - documents.len();
    let wanted = |found: &Document| targets.is_empty() || found.targets == targets;
    Ok(Past { documents: documents.into_iter().filter(wanted).collect(), unreadable })
}

fn texts(path: &Path) -> rusqlite::Result<Vec<String>> {
    let database = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    database.busy_timeout(PATIENCE)?;
    check_layout(&database)?;
    let mut rows = database.prepare("SELECT document FROM calibration ORDER BY id DESC")?;
    rows.query_map([], |row| row.get(0))?.collect()
}

fn unusable(path: &Path, error: &dyn std::fmt::Display) -> Problem {
    Problem::refused(format!("the history of calibrations cannot be used: {error}"))
        .at(path_text::encode(path))
        .next("see who may write there; move a damaged file away, or leave the history out with --no-history")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(started: &str) -> Document {
        serde_json::from_value(serde_json::json!({
            "schema": SCHEMA, "run": "r", "started": started, "targets": ["/dev/sdb"],
            "max_iops": null, "reason": "x", "actual_latency_ms": null, "outstanding": null, "max_latency_ms": 10.0,
            "percentile": "mean", "write_percent": 0, "size_small": 8192, "size_large": 1048576, "unbounded_iops": null,
            "max_mbps": null, "max_pmbps": null, "latency_at_1_us": null, "n_sat": null, "complete": true, "flags": []
        }))
        .unwrap()
    }

    #[test]
    fn what_is_kept_comes_back_the_newest_first() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(FILE);
        for started in ["2026-01-01", "2026-01-02"] {
            let document = document(started);
            let text = String::from_utf8(document.json().unwrap()).unwrap();
            put(&path, &document, &text).unwrap();
        }
        let found = texts(&path).unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!(serde_json::from_str::<Document>(&found[0]).unwrap(), document("2026-01-02"));
    }

    #[test]
    fn a_newer_layout_is_neither_read_nor_written() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(FILE);
        put(&path, &document("2026"), "{}").unwrap();
        Connection::open(&path).unwrap().pragma_update(None, "user_version", LAYOUT + 1).unwrap();
        assert!(texts(&path).unwrap_err().to_string().contains("newer Rigel"));
        assert!(put(&path, &document("2027"), "{}").is_err());
        let rows =
            Connection::open(&path)
                .unwrap()
                .query_row("SELECT count(*) FROM calibration", [], |row| row.get(0));
        assert_eq!(rows, Ok(1));
    }

    #[test]
    fn a_file_that_is_no_database_is_told_and_stays() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(FILE);
        fs::write(&path, "mine, and longer than a page header would need to be recognised as none").unwrap();
        assert!(texts(&path).is_err() && put(&path, &document("2026"), "{}").is_err());
        assert!(fs::read_to_string(&path).unwrap().starts_with("mine"));
    }
}
