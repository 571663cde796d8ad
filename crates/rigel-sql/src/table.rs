//! The tables of a run, whatever the product: one for look-ups, with a row in each block, and one for commits.
//!
//! Must not know how they are created.

use crate::failure::{self, Leftover};
use crate::patience::{Cancel, LongWait, PATIENCE, TICK, asked};
use crate::query::Query;
use crate::server::{Reach, Server};
use crate::session::died;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::load::class::Sync;
use rigel_core::load::draw::Generator;
use rigel_core::units::{Bytes, MIB};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// The table that is probed, with its schema.
pub const NAME: &str = "rigel.big";
/// The one of commits.
pub const COMMITS: &str = "rigel.commits";
/// What to know about a table that is not logged.
pub const NOT_LOGGED: &str = "the table is unlogged because the server archives or replicates its log: a \
    server crash empties it";
/// How servers on Linux make their logs durable by default.
pub const SYNC: Sync = Sync::Fdatasync;
/// Time for the server, once all rows are stored, to build the index and write everything to storage, which includes
/// a slow storage reading the whole table.
const WRITING: Duration = Duration::from_secs(3600);
const SLOW_PER_S: u64 = 10 * MIB;
/// Random letters that rows take their pad from, each from another place.
const LETTERS: usize = 1 << 20;

/// A table that is to be made.
#[derive(Clone, Debug)]
pub struct TableSpec {
    /// A row to look up in each.
    pub blocks: u32,
    /// Seed of the content of the rows.
    pub seed: u64,
    /// What will be queried.
    pub queries: Vec<Query>,
    /// Number of sessions.
    pub sessions: u32,
    /// The time limit of their statements.
    pub timeout_ns: u64,
}

/// The actual table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Name with its schema.
    pub name: &'static str,
    /// A row to look up in each.
    pub blocks: u32,
    /// Bytes of each.
    pub block_bytes: u64,
    /// Blocks of its index; `None` without one.
    pub index_blocks: Option<u32>,
    /// Its first file, if the server reported its directory.
    pub file: Option<PathBuf>,
    /// It survives a crash of the server.
    pub is_logged: bool,
}

impl Table {
    /// Its size.
    pub fn size_bytes(&self) -> u64 {
        u64::from(self.blocks) * self.block_bytes
    }

    /// Refuses one without an index.
    ///
    /// # Errors
    /// With how to get one.
    pub fn check_index(&self) -> Result<(), Problem> {
        if self.index_blocks.is_some() {
            return Ok(());
        }
        Err(Problem::refused(format!("the table {} has no index", self.name))
            .because("it was created for other look-ups; an index is only created together with the table")
            .next("recreate it after `rigel sql drop`, or leave out --probe index"))
    }
}

/// The table of commits, made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ledger {
    /// Directory of the log, whose file represents what is measured.
    pub log: Table,
    /// What is logged goes to an archive or a replica, or is kept for one.
    pub is_copied: bool,
    /// How the server makes commits durable, for people.
    pub settings: String,
    /// The same for raw writes.
    pub sync: Sync,
}

/// What was removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropOutcome {
    /// There was nothing.
    Nothing,
    /// The table; the schema has `calibrate_io()`.
    Table,
    /// The table with its schema.
    Schema,
}

/// Messages of the thread that fills a table.
enum FillMessage<D> {
    Bytes(u64, u64),
    Ended(Box<Result<(D, Table), Problem>>),
}

/// Lets `make` fill a table of the server at `shown` in a separate thread, which is abandoned if the server never
/// answers. `cancel` ends the running statement.
///
/// # Errors
/// Those of `make`, and when the server does not answer.
pub(crate) fn fill_in_thread<D: Send + 'static>(
    mut database: D,
    shown: &str,
    cancel: Cancel,
    make: impl FnOnce(&mut D, &mut dyn FnMut(u64, u64), &AtomicBool) -> Result<Table, Problem> + Send + 'static,
    progress: &mut dyn FnMut(u64, u64),
    stop: &AtomicBool,
) -> Result<(D, Table), Problem> {
    let (told, hear) = mpsc::channel();
    let mut waiting = LongWait::new(cancel);
    let end = waiting.stopped();
    thread::spawn(move || {
        let mut rows = |done, total| drop(told.send(FillMessage::Bytes(done, total)));
        let made = make(&mut database, &mut rows, &end);
        // Nobody hears it any more when it is late.
        let _ = told.send(FillMessage::Ended(Box::new(made.map(|table| (database, table)))));
    });
    while !waiting.is_over() {
        match hear.recv_timeout(TICK) {
            Ok(FillMessage::Ended(made)) => return *made,
            Ok(FillMessage::Bytes(done, total)) => {
                progress(done, total);
                waiting.heard(Some(if done == total { writing(total) } else { PATIENCE }));
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(died()),
        }
        waiting.heed(stop, PATIENCE);
    }
    Err(waiting.silent(shown))
}

/// Connects again and removes by `remove`. What may have stayed is reported.
///
/// # Errors
/// Those of `remove`, and when the server does not answer.
pub fn removed<T: Send + 'static>(
    server: &Arc<dyn Reach>,
    remove: fn(&mut dyn Server) -> Result<T, Problem>,
    made: &Leftover,
) -> Result<T, Problem> {
    let shown = server.shown();
    let opened = server.open(0).map_err(|problem| failure::left(shown, problem, made))?;
    asked(opened, remove).map(|(_, told)| told).map_err(|problem| match problem.kind {
        ExitKind::CutShort => failure::left(shown, problem, made),
        _ => problem,
    })
}

/// Something else has the name, or changed it.
pub(crate) fn unlike(why: &str) -> Problem {
    Problem::refused(format!("the table {NAME} is not as Rigel created it"))
        .because(why)
        .next("remove it with `rigel sql drop`, then run again to recreate it")
}

/// The user ended the fill of a table of that size.
pub(crate) fn not_finished(table_bytes: u64) -> Problem {
    Problem::new(ExitKind::CutShort, "the table was not filled completely")
        .because("stopped by the user")
        .next(format!("it was removed; a --size smaller than {} takes less time", Bytes(table_bytes)))
}

/// Time for a server to write a table of that size once all of its rows are stored.
pub(crate) fn writing(table_bytes: u64) -> Duration {
    WRITING + Duration::from_secs(table_bytes / SLOW_PER_S)
}

/// Letters that no device can compress much, nor find twice.
pub(crate) fn letters(seed: u64) -> Vec<u8> {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut bytes = vec![0; LETTERS];
    Generator::new(seed, &[u64::from(u32::MAX)]).fill(&mut bytes);
    bytes.iter_mut().for_each(|byte| *byte = ALPHABET[usize::from(*byte % 64)]);
    bytes
}
