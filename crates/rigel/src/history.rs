//! The history of calibrations: a small SQLite database in the user's state directory.
//!
//! Each row has one calibration as the printed JSON document, the path of its record, and its storage. A database that cannot be written does not
//! fail a run. Must not judge or render.

use crate::database::{self, PATIENCE, check_empty, check_file, check_layout};
use rigel_core::error::Problem;
use rigel_core::facts::{Storage, TargetFacts};
use rigel_core::judge::answers::COMMIT_LATENCY;
use rigel_core::path_text;
use rigel_report::calibration::{Document, SCHEMA};
use rusqlite::{Connection, OptionalExtension as _, Row, TransactionBehavior};
use std::path::{self, Path, PathBuf};

const FILE: &str = "calibrations.sqlite";
/// The layout of the database; a newer Rigel writes higher ones. Layout 1 had no column for the record, 2 none for the storage.
const LAYOUT: i64 = 3;
/// The column that layout 2 added.
const RECORD: &str = "record";
/// The column that layout 3 added.
const STORAGE: &str = "storage";

fn place() -> Result<PathBuf, Problem> {
    database::place(FILE).ok_or_else(|| {
        Problem::refused("there is no location for the calibration history")
            .because("neither XDG_STATE_HOME nor HOME names a directory")
            .next("set one of them, or skip the history with --no-history")
    })
}

pub fn keep(document: &Document, record: &Path, targets: &[TargetFacts]) -> Result<(), Problem> {
    let path = place()?;
    if let Some(dir) = path.parent() {
        database::make_dir(dir).map_err(|error| unusable(dir, &error))?;
    }
    let text = String::from_utf8_lossy(&document.json()?).into_owned();
    let record = path::absolute(record).map_err(|error| unusable(record, &error))?;
    let storage = Storage::to_text(targets);
    put(&path, document, &text, &record, &storage).map_err(|error| unusable(&path, &error))
}

fn put(path: &Path, document: &Document, text: &str, record: &Path, storage: &str) -> rusqlite::Result<()> {
    check_file(path)?;
    let mut database = Connection::open(path)?;
    database.busy_timeout(PATIENCE)?;
    // Another run may be changing the layout at the same moment.
    let change = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
    check_layout(&change, LAYOUT)?;
    // The number may lag behind the table: layout 1 was written in statements of their own.
    let columns = columns(&change)?;
    if columns.is_empty() {
        check_empty(&change)?;
        change.execute_batch(
            "CREATE TABLE calibration (
                 id INTEGER PRIMARY KEY,
                 started TEXT NOT NULL,
                 document TEXT NOT NULL,
                 record TEXT,
                 storage TEXT
             );",
        )?;
    } else {
        for missing in
            [RECORD, STORAGE].into_iter().filter(|name| !columns.iter().any(|column| column == name))
        {
            change.execute_batch(&format!("ALTER TABLE calibration ADD COLUMN {missing} TEXT;"))?;
        }
    }
    change.pragma_update(None, "user_version", LAYOUT)?;
    change.execute(
        "INSERT INTO calibration (started, document, record, storage) VALUES (?1, ?2, ?3, ?4)",
        (document.started.as_str(), text, path_text::encode(record), storage),
    )?;
    change.commit()
}

/// The columns of the table; none if it does not exist yet.
fn columns(database: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut names = database.prepare("SELECT name FROM pragma_table_info('calibration')")?;
    names.query_map([], |row| row.get(0))?.collect()
}

pub struct PastRuns {
    /// The newest first.
    pub documents: Vec<Document>,
    pub unreadable: usize,
}

/// The calibrations in the history; with `targets`, only those of exactly these targets.
pub fn all(targets: &[String]) -> Result<PastRuns, Problem> {
    let texts = read(texts)?;
    let all = texts.len();
    // A document that a newer Rigel wrote does not hide the others.
    let known =
        |text: &String| serde_json::from_str::<Document>(text).ok().filter(|found| found.schema == SCHEMA);
    let documents: Vec<Document> = texts.iter().filter_map(known).collect();
    let unreadable = all - documents.len();
    let wanted = |found: &Document| targets.is_empty() || found.targets == targets;
    Ok(PastRuns { documents: documents.into_iter().filter(wanted).collect(), unreadable })
}

/// The newest calibration with a figure of commits on the storage of this target. One whose storage is not known does not count.
pub fn with_commits(target: &TargetFacts) -> Result<Option<Document>, Problem> {
    Ok(of_storage(read(documents)?, target))
}

fn of_storage(all: Vec<(String, String)>, target: &TargetFacts) -> Option<Document> {
    let asked = Storage::of(target);
    let is_of_it = |kept: &str| matches!(Storage::read(kept).as_slice(), [one] if one.tells_of(&asked));
    let mut all = all.into_iter().filter_map(|(text, kept)| {
        let found = serde_json::from_str::<Document>(&text).ok()?;
        let is_known = found.schema == SCHEMA && found.answers.figure(COMMIT_LATENCY).is_some();
        (is_known && is_of_it(&kept)).then_some(found)
    });
    all.next()
}

pub struct LastRun {
    /// Where the record was written; `None` if an older Rigel kept the answer.
    pub record: Option<PathBuf>,
}

/// The newest calibration; `None` when the history has none.
pub fn last() -> Result<Option<LastRun>, Problem> {
    read(newest)
}

/// The result of a query; empty without a database.
fn read<T: Default>(query: fn(&Path) -> rusqlite::Result<T>) -> Result<T, Problem> {
    let path = place()?;
    if !path.exists() {
        return Ok(T::default());
    }
    query(&path).map_err(|error| unusable(&path, &error))
}

fn newest(path: &Path) -> rusqlite::Result<Option<LastRun>> {
    let (database, columns) = open_to_read(path)?;
    if columns.is_empty() {
        return Ok(None);
    }
    let column = if columns.iter().any(|column| column == RECORD) { RECORD } else { "NULL" };
    let query = format!("SELECT {column} FROM calibration ORDER BY id DESC LIMIT 1");
    let record =
        |row: &Row<'_>| row.get(0).map(|text: Option<String>| text.map(|text| path_text::decode(&text)));
    Ok(database.query_row(&query, [], record).optional()?.map(|record| LastRun { record }))
}

fn open_to_read(path: &Path) -> rusqlite::Result<(Connection, Vec<String>)> {
    let database = database::open_to_read(path, PATIENCE, LAYOUT)?;
    let columns = columns(&database)?;
    Ok((database, columns))
}

/// Each document with its target, newest first; earlier versions kept none.
fn documents(path: &Path) -> rusqlite::Result<Vec<(String, String)>> {
    let (database, columns) = open_to_read(path)?;
    if !columns.iter().any(|column| column == STORAGE) {
        return Ok(Vec::new());
    }
    let query = "SELECT document, storage FROM calibration WHERE storage IS NOT NULL ORDER BY id DESC";
    let mut rows = database.prepare(query)?;
    rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

fn texts(path: &Path) -> rusqlite::Result<Vec<String>> {
    let (database, columns) = open_to_read(path)?;
    if columns.is_empty() {
        return Ok(Vec::new());
    }
    let mut rows = database.prepare("SELECT document FROM calibration ORDER BY id DESC")?;
    rows.query_map([], |row| row.get(0))?.collect()
}

fn unusable(path: &Path, error: &dyn std::fmt::Display) -> Problem {
    Problem::refused(format!("the calibration history cannot be used: {error}"))
        .at(path_text::encode(path))
        .next("check its permissions; move a damaged file away, or skip the history with --no-history")
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigel_core::facts::{Identity, ScratchFacts};
    use std::ffi::OsString;
    use std::fs;
    use std::os::unix::ffi::OsStringExt as _;

    fn document(started: &str) -> Document {
        serde_json::from_value(serde_json::json!({
            "schema": SCHEMA, "run": "r", "started": started, "targets": ["/dev/sdb"],
            "max_iops": null, "reason": "x", "actual_latency_ms": null, "outstanding": null, "max_latency_ms": 10.0,
            "percentile": "mean", "write_percent": 0, "size_small": 8192, "size_large": 1048576, "unbounded_iops": null,
            "max_mbps": null, "max_pmbps": null, "latency_at_1_us": null, "n_sat": null, "complete": true, "flags": []
        }))
        .unwrap()
    }

    /// A name that is no UTF-8.
    fn record(started: &str) -> PathBuf {
        let name = [b"/data/\xff\n", started.as_bytes()].concat();
        PathBuf::from(OsString::from_vec(name))
    }

    #[test]
    fn the_database_of_another_program_stays_as_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(FILE);
        for theirs in ["CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1);", "PRAGMA user_version = 1;"]
        {
            let _ = fs::remove_file(&path);
            Connection::open(&path).unwrap().execute_batch(theirs).unwrap();
            let before = fs::read(&path).unwrap();
            let kept = put(&path, &document("2026-01-01"), "{}", &record("a"), "[]");
            assert!(kept.unwrap_err().to_string().contains("another program"), "{theirs}");
            assert_eq!(fs::read(&path).unwrap(), before);
        }
        let kept = put(Path::new("/dev/null"), &document("2026-01-01"), "{}", &record("a"), "[]");
        assert!(kept.unwrap_err().to_string().contains("not a regular file"));
    }

    #[test]
    fn what_is_kept_comes_back_the_newest_first() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(FILE);
        for started in ["2026-01-01", "2026-01-02"] {
            let document = document(started);
            let text = String::from_utf8(document.json().unwrap()).unwrap();
            put(&path, &document, &text, &record(started), "[]").unwrap();
        }
        let found = texts(&path).unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!(serde_json::from_str::<Document>(&found[0]).unwrap(), document("2026-01-02"));
        assert_eq!(newest(&path).unwrap().unwrap().record, Some(record("2026-01-02")), "byte for byte");
    }

    /// Their records lie in one directory, and they were made on two filesystems.
    #[test]
    fn commits_are_those_of_the_storage_and_not_of_the_directory_of_the_record() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(FILE);
        let scratch = |minor: u32| TargetFacts {
            identity: Identity { device: (8, minor), inode: 1 },
            scratch: Some(ScratchFacts { seed: 1, used_before: false, own: true, kept: false }),
            ..TargetFacts::default()
        };
        of_layout_1(&path);
        for minor in [1, 2] {
            let mut text = serde_json::to_value(document(&format!("2026-01-0{minor}"))).unwrap();
            text["commit_latency_us"] = serde_json::json!(
                {"value": 100.0, "lo95": null, "hi95": null, "visits": null, "basis": "none"}
            );
            let kept = Storage::to_text(&[scratch(minor)]);
            put(&path, &document("2026"), &text.to_string(), &record("one"), &kept).unwrap();
        }
        let of = |minor: u32| {
            let asked = TargetFacts { scratch: None, real_path: "/data".into(), ..scratch(minor) };
            of_storage(documents(&path).unwrap(), &asked).map(|found| found.started)
        };
        assert_eq!((of(1).as_deref(), of(2).as_deref()), (Some("2026-01-01"), Some("2026-01-02")));
        assert_eq!(of(3), None);
    }

    /// What a Rigel made that did not keep where the record is.
    fn of_layout_1(path: &Path) {
        let old = "CREATE TABLE calibration (id INTEGER PRIMARY KEY, started TEXT NOT NULL, document TEXT NOT NULL);
                   INSERT INTO calibration (started, document) VALUES ('2025', '{}');
                   PRAGMA user_version = 1;";
        Connection::open(path).unwrap().execute_batch(old).unwrap();
    }

    #[test]
    fn the_layout_before_still_reads_and_is_changed_by_the_next_answer() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(FILE);
        of_layout_1(&path);
        assert_eq!(texts(&path).unwrap(), ["{}"]);
        assert_eq!(newest(&path).unwrap().unwrap().record, None);
        put(&path, &document("2026"), "new", &record("2026"), "[]").unwrap();
        assert_eq!(texts(&path).unwrap(), ["new", "{}"]);
        assert_eq!(newest(&path).unwrap().unwrap().record, Some(record("2026")));
        put(&path, &document("2027"), "newer", &record("2027"), "[]").unwrap();
        assert_eq!(texts(&path).unwrap().len(), 3);
    }

    /// The table and its number were separate statements once, and a crash between them left the table without its number; one
    /// before them left an empty database.
    #[test]
    fn a_database_that_was_not_finished_is_read_and_goes_on() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(FILE);
        of_layout_1(&path);
        Connection::open(&path).unwrap().pragma_update(None, "user_version", 0).unwrap();
        assert_eq!(texts(&path).unwrap(), ["{}"]);
        assert_eq!(newest(&path).unwrap().unwrap().record, None);
        for started in ["2026", "2027"] {
            put(&path, &document(started), started, &record(started), "[]").unwrap();
        }
        assert_eq!(texts(&path).unwrap(), ["2027", "2026", "{}"]);
        let empty = dir.path().join("empty");
        fs::write(&empty, "").unwrap();
        assert!(texts(&empty).unwrap().is_empty() && newest(&empty).unwrap().is_none());
        put(&empty, &document("2026"), "first", &record("2026"), "[]").unwrap();
        assert_eq!(texts(&empty).unwrap(), ["first"]);
    }

    #[test]
    fn a_newer_layout_is_neither_read_nor_written() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(FILE);
        put(&path, &document("2026"), "{}", &record("2026"), "[]").unwrap();
        Connection::open(&path).unwrap().pragma_update(None, "user_version", LAYOUT + 1).unwrap();
        assert!(texts(&path).unwrap_err().to_string().contains("newer Rigel"));
        assert!(put(&path, &document("2027"), "{}", &record("2027"), "[]").is_err());
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
        assert!(texts(&path).is_err() && put(&path, &document("2026"), "{}", &record("2026"), "[]").is_err());
        assert!(fs::read_to_string(&path).unwrap().starts_with("mine"));
    }
}
