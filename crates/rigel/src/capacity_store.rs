//! The store of capacity: what production did, in a SQLite database.
//!
//! A row holds a day (an hour, of our own recorder) of one subject as known by one source, packed by `rigel_capacity::packed`. A file is stored as
//! a whole or not at all; consecutive files share a transaction for a moment, because its end waits for the disk. After a crash, a full disk or a
//! concurrent import, the store contains whole files only. Must not read foreign files, and must not judge.

mod change;

pub use change::Change;

use crate::database::{self, check_empty, check_file, check_layout, foreign};
use rigel_capacity::{History, Key, KeySummary, Kind, Metric, Selection, Source, Subject, packed};
use rigel_core::error::Problem;
use rigel_core::path_text;
use rigel_io::targets::scratch::{dir_of, is_read_only};
use rusqlite::{Connection, ErrorCode, Row, TransactionBehavior};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const FILE: &str = "capacity.sqlite";
/// The layout of the database; a newer Rigel writes higher ones.
const LAYOUT: i64 = 1;
/// How long another import may take.
const PATIENCE: Duration = Duration::from_secs(120);
/// A transaction holds at most this many files, and none is added after this time: another import waits for its end.
const MOST_FILES: u32 = 100;
const LONGEST: Duration = Duration::from_secs(1);
/// A block is several thousand bytes: on smaller pages the rest of the last one would be a large part.
const TABLES: &str = "
    CREATE TABLE capacity_series (
        id INTEGER PRIMARY KEY,
        host TEXT NOT NULL,
        kind TEXT NOT NULL,
        name TEXT NOT NULL,
        ident TEXT NOT NULL,
        source TEXT NOT NULL,
        UNIQUE (host, kind, name, ident, source)
    );
    CREATE TABLE capacity_block (
        series INTEGER NOT NULL REFERENCES capacity_series (id),
        start_ms INTEGER NOT NULL,
        first_ms INTEGER NOT NULL,
        last_ms INTEGER NOT NULL,
        covered_ms INTEGER NOT NULL,
        rows INTEGER NOT NULL,
        metrics INTEGER NOT NULL,
        data BLOB NOT NULL,
        UNIQUE (series, start_ms)
    );";
const SERIES: &str = "s.host, s.kind, s.name, s.ident, s.source";

/// A store that is open.
pub struct Store {
    path: PathBuf,
    database: Connection,
    batch: Option<Batch>,
    lost: u32,
}

/// A transaction that holds several files.
struct Batch {
    begun: Instant,
    files: u32,
}

/// Where the store is, unless the user names another place.
pub fn place(given: Option<&Path>) -> Result<PathBuf, Problem> {
    given.map(Path::to_path_buf).or_else(|| database::place(FILE)).ok_or_else(|| {
        Problem::refused("there is no location for the store")
            .because("neither XDG_STATE_HOME nor HOME names a directory")
            .next("name a file with --store FILE")
    })
}

impl Store {
    /// Opens the store for writing; creates it if there is none.
    pub fn open(path: &Path) -> Result<Self, Problem> {
        if let Some(dir) = path.parent().filter(|dir| !dir.as_os_str().is_empty() && !dir.exists()) {
            // One that was named may be a slip; only the usual place is made.
            if database::place(FILE).as_deref() != Some(path) {
                return Err(Problem::refused("the directory of the store does not exist")
                    .at(path_text::encode(dir))
                    .because(
                        "--store names a file in it; only the default directory is created automatically",
                    )
                    .next("create it first, or name a file in an existing directory"));
            }
            database::make_dir(dir).map_err(|error| unusable(dir, &error.to_string()))?;
        }
        let open = || -> rusqlite::Result<Connection> {
            check_file(path)?;
            let mut database = Connection::open(path)?;
            database.busy_timeout(PATIENCE)?;
            database.pragma_update(None, "page_size", 16_384)?;
            let change = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
            check_layout(&change, LAYOUT)?;
            if !has_tables(&change)? {
                check_empty(&change)?;
                change.execute_batch(TABLES)?;
                change.pragma_update(None, "user_version", LAYOUT)?;
            }
            change.commit()?;
            Ok(database)
        };
        let database = open().map_err(|error| of_sqlite(path, &error))?;
        Ok(Self { path: path.to_path_buf(), database, batch: None, lost: 0 })
    }

    /// Opens an existing store for reading.
    pub fn open_to_read(path: &Path) -> Result<Self, Problem> {
        if !path.exists() {
            return Err(Problem::refused("there is no store yet")
                .at(path_text::encode(path))
                .because("this user has not imported or recorded anything, or --store names the wrong file")
                .next("rigel capacity import FILE.., or rigel capacity record"));
        }
        let open = || -> rusqlite::Result<Connection> {
            check_file(path)?;
            let database = database::open_to_read(path, PATIENCE, LAYOUT)?;
            if has_tables(&database)? { Ok(database) } else { Err(foreign("it is not a capacity store")) }
        };
        let database = open().map_err(|error| of_sqlite(path, &error))?;
        Ok(Self { path: path.to_path_buf(), database, batch: None, lost: 0 })
    }

    /// Changes the store as a whole, or not at all when the work fails.
    pub fn change<T>(&mut self, work: impl FnOnce(&Change<'_>) -> Result<T, Problem>) -> Result<T, Problem> {
        let done = self.change_in_batch(work);
        let ended = self.end_batch();
        let done = done?;
        ended.map(|()| done)
    }

    /// The same, but changes become permanent only at the end of the batch: that of [`Store::end_batch`], or after many changes or a second.
    pub fn change_in_batch<T>(
        &mut self,
        work: impl FnOnce(&Change<'_>) -> Result<T, Problem>,
    ) -> Result<T, Problem> {
        if self.batch.is_none() {
            self.run("BEGIN IMMEDIATE")?;
            self.batch = Some(Batch { begun: Instant::now(), files: 0 });
        }
        self.run("SAVEPOINT file")?;
        let done = work(&Change { path: &self.path, database: &self.database });
        if done.is_err() {
            self.undo()?;
            return done;
        }
        self.run("RELEASE file")?;
        let is_full = self.batch.as_mut().is_some_and(|batch| {
            batch.files += 1;
            batch.files >= MOST_FILES || batch.begun.elapsed() >= LONGEST
        });
        if is_full {
            self.end_batch()?;
        }
        done
    }

    /// Takes back what the last file brought.
    fn undo(&mut self) -> Result<(), Problem> {
        let files = self.batch.as_ref().map_or(0, |batch| batch.files);
        if self.database.is_autocommit() {
            // An error such as that of a full disk ended the transaction as a whole.
            self.batch = None;
            self.lost += files;
            Ok(())
        } else if files == 0 {
            // Pages that were taken back one by one would be written once more.
            self.batch = None;
            self.run("ROLLBACK")
        } else {
            self.run("ROLLBACK TO file; RELEASE file")
        }
    }

    /// Files in a batch that failed.
    pub const fn lost(&self) -> u32 {
        self.lost
    }

    /// Makes the changes permanent.
    pub fn end_batch(&mut self) -> Result<(), Problem> {
        let Some(batch) = self.batch.take() else { return Ok(()) };
        let ended = self.run("COMMIT");
        if ended.is_err() {
            self.lost += batch.files;
            if !self.database.is_autocommit() {
                let _ = self.run("ROLLBACK");
            }
        }
        ended
    }

    fn run(&self, words: &str) -> Result<(), Problem> {
        self.database.execute_batch(words).map_err(|error| of_sqlite(&self.path, &error))
    }

    /// What it contains, without reading the values.
    pub fn held(&self) -> Result<Vec<KeySummary>, Problem> {
        let query = format!(
            "SELECT {SERIES}, min(b.first_ms), max(b.last_ms), sum(b.covered_ms), sum(b.rows), sum(length(b.data)), b.metrics
             FROM capacity_block b JOIN capacity_series s ON s.id = b.series GROUP BY s.id, b.metrics ORDER BY 1, 2, 3, 4, 5"
        );
        let all = || -> rusqlite::Result<Vec<KeySummary>> {
            let mut found: Vec<KeySummary> = Vec::new();
            let mut rows = self.database.prepare(&query)?;
            for held in rows.query_map([], held)? {
                let held = held?;
                match found.last_mut() {
                    Some(last) if last.key == held.key => join(last, held),
                    _ => found.push(held),
                }
            }
            Ok(found)
        };
        all().map_err(|error| of_sqlite(&self.path, &error))
    }

    /// The tables of a selection.
    pub fn history(&self, selection: &Selection) -> Result<History, Problem> {
        let (from_ms, to_ms) = selection.range();
        let query = format!(
            "SELECT {SERIES}, b.data FROM capacity_block b JOIN capacity_series s ON s.id = b.series
             WHERE b.last_ms > ?1 AND b.first_ms < ?2 ORDER BY s.id, b.start_ms"
        );
        let read = || -> rusqlite::Result<Result<History, Problem>> {
            let mut history = History::default();
            let mut rows = self.database.prepare(&query)?;
            let mut rows = rows.query([from_ms, to_ms])?;
            while let Some(row) = rows.next()? {
                let key = key(row)?;
                if !selection.wants(&key) {
                    continue;
                }
                let Some(table) = packed::unpack(row.get_ref(5)?.as_blob()?) else {
                    return Ok(Err(damaged(&self.path)));
                };
                let part = table.slice(from_ms, to_ms);
                match selection.step_ms {
                    Some(step) => history.add(key, &part.coarser(step)),
                    None => history.add(key, &part),
                }
            }
            Ok(Ok(history))
        };
        read().map_err(|error| of_sqlite(&self.path, &error))?
    }
}

fn has_tables(database: &Connection) -> rusqlite::Result<bool> {
    let question = "SELECT count(*) FROM sqlite_schema WHERE name IN ('capacity_series', 'capacity_block')";
    Ok(database.query_row(question, [], |row| row.get::<_, i64>(0))? == 2)
}

fn key(row: &Row<'_>) -> rusqlite::Result<Key> {
    let text = |at: usize| row.get::<_, String>(at);
    let kind = Kind::of_name(&text(1)?).ok_or_else(|| foreign("it has an unknown kind"))?;
    let source = Source::of_name(&text(4)?).ok_or_else(|| foreign("it has an unknown source"))?;
    Ok(Key { host: text(0)?, subject: Subject { kind, name: text(2)?, id: text(3)? }, source })
}

fn held(row: &Row<'_>) -> rusqlite::Result<KeySummary> {
    let count = |at: usize| row.get::<_, i64>(at).map(|count| u64::try_from(count).unwrap_or_default());
    let metrics: i64 = row.get(10)?;
    let has = |metric: &Metric| metrics >> metric.code() & 1 == 1;
    Ok(KeySummary {
        key: key(row)?,
        metrics: Metric::ALL.into_iter().filter(has).collect(),
        first_ms: row.get(5)?,
        last_ms: row.get(6)?,
        covered_ms: row.get(7)?,
        rows: count(8)?,
        bytes: count(9)?,
    })
}

fn join(held: &mut KeySummary, other: KeySummary) {
    held.metrics.extend(other.metrics);
    held.first_ms = held.first_ms.min(other.first_ms);
    held.last_ms = held.last_ms.max(other.last_ms);
    held.covered_ms += other.covered_ms;
    held.rows += other.rows;
    held.bytes += other.bytes;
}

fn of_sqlite(path: &Path, error: &rusqlite::Error) -> Problem {
    let problem = unusable(path, &error.to_string());
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => problem
            .because("the filesystem is full; the store holds whole files only")
            .next("free some space, or use another location with --store FILE, and import again"),
        Some(ErrorCode::DatabaseBusy) => problem
            .because("another import has been writing to it for more than two minutes")
            .next("wait until it has finished, and import again"),
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly) if is_read_only(dir_of(path)) => problem
            .because("its filesystem is mounted read-only")
            .next("name a file on another filesystem with --store FILE"),
        _ => problem,
    }
}

fn damaged(path: &Path) -> Problem {
    unusable(path, "a block cannot be read")
        .because("the file was changed by another program, or the storage lost part of it")
}

fn unusable(path: &Path, error: &str) -> Problem {
    Problem::refused(format!("the store cannot be used: {}", path_text::printable(error)))
        .at(path_text::encode(path))
        .next("check its permissions; move a damaged file away, or name another with --store FILE")
}

#[cfg(test)]
mod tests;
