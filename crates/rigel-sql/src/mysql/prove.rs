//! InnoDB settings proven by experiment, on a private server with defaults except for the setting under test.
//!
//! Two loads: sessions that change rows of a table which its cache holds, so pages are written and none is read; and sessions that read ranges of
//! the table which its cache does not hold. Before each turn of the first, everything has been written. Must not judge; [`rigel_uses::proof`] does.

mod scans;
mod updates;

use crate::mysql::BLOCK_BYTES;
use crate::mysql::address::Address;
use crate::mysql::database::{Database, Flavour};
use crate::mysql::kit::SOCKET;
use crate::mysql::{failure, table};
use crate::private::{PrivateServer, Purpose};
use crate::prove::{Progress, ProofFacts, ProofRequest, ProofStep, check_not_stopped, storage};
use crate::query::Query;
use crate::table::TableSpec;
use mysql::Conn;
use mysql::prelude::Queryable as _;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::load::sql::Probe;
use rigel_core::units::{MIB, NS_PER_S};
use rigel_uses::advice::mysql as rules;
use rigel_uses::proof::concurrency::ConcurrencyFindings;
use rigel_uses::proof::{About, Proof, SkippedSetting};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Sessions besides the one that makes settings and observes.
const SESSIONS: u32 = 16;
/// Rows to a page, as the room `table` makes them.
const ROWS_PER_BLOCK: u32 = 3;
/// The largest log that is tried, the undo of what is changed, and what the raw writes take.
const MORE_BYTES: u64 = 1024 * MIB;
/// A cache of this many percent of the table holds all of it, including what InnoDB adds.
const WHOLE_PERCENT: u64 = 150;
/// No statement of the experiment is worth more patience.
const LIMIT_NS: u64 = 60 * NS_PER_S;

/// Requirements of this experiment.
pub fn facts(table_bytes: u64) -> ProofFacts {
    ProofFacts {
        sessions: SESSIONS,
        more_bytes: MORE_BYTES.saturating_add(table_bytes / 8),
        settings: "innodb_io_capacity, innodb_flush_neighbors, innodb_log_file_size and innodb_read_io_threads",
        beside: "logs, and of a file for raw writes",
        needs_writes: true,
    }
}

/// The experiment at work.
struct Prover<'a> {
    server: &'a mut PrivateServer,
    wanted: ProofRequest,
    stop: &'a AtomicBool,
    began: Instant,
    /// Rows that may be changed and read.
    rows: u64,
    flavour: Flavour,
}

/// Makes the table on a server that was made and not started, and asks everything.
pub fn prove(
    server: &mut PrivateServer,
    wanted: ProofRequest,
    progress: Progress<'_>,
    stop: &AtomicBool,
) -> Result<Proof, Problem> {
    server.start(Purpose::Fill)?;
    check_not_stopped(stop)?;
    let database = Database::open(address(server), SESSIONS)?;
    let spec = TableSpec {
        blocks: wanted.blocks,
        seed: wanted.seed,
        queries: vec![Query::LookUp(Probe::Single)],
        sessions: SESSIONS,
        timeout_ns: LIMIT_NS,
    };
    let mut filling = |done, total| progress(ProofStep::Filling, done, total);
    let (database, made) = Database::fill(database, spec, &mut filling, stop)?;
    let (version, flavour) = (database.facts.version.clone(), database.flavour);
    drop(database);
    server.stop()?;
    server.forget();
    let file = made.file.clone().ok_or_else(|| Problem::new(ExitKind::Bug, "the table has no file"))?;
    let table_bytes = made.size_bytes();
    let rows = u64::from(wanted.blocks) * u64::from(ROWS_PER_BLOCK);
    let prover = Prover { server, wanted, stop, began: Instant::now(), rows, flavour };
    prover.run(&[file], (version, table_bytes), progress)
}

fn address(server: &PrivateServer) -> Address {
    Address::private(&server.socket().join(SOCKET))
}

impl Prover<'_> {
    fn run(
        mut self,
        files: &[PathBuf],
        (version, table_bytes): (String, u64),
        progress: Progress<'_>,
    ) -> Result<Proof, Problem> {
        let mut storage = storage::measure(files, BLOCK_BYTES, self.wanted.seed, self.stop)?;
        storage.writes_per_s = self.wanted.writes_per_s;
        let whole = table_bytes * WHOLE_PERCENT / 100;
        let advised = storage.writes_per_s.map(rules::io_capacity);
        let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let cpus = u32::try_from(cpus).unwrap_or(u32::MAX);
        let threads = rules::read_io_threads(storage.saturating().into(), cpus);
        let mut concurrency = updates::prove(&mut self, whole, advised, progress)?;
        concurrency.extend(scans::prove(&mut self, threads, progress)?);
        let about = About {
            product: match self.flavour {
                Flavour::Mariadb => crate::mysql::programs::MARIADB,
                Flavour::Mysql => "MySQL",
            }
            .to_owned(),
            version,
            cache_setting: "innodb_buffer_pool_size".to_owned(),
            shared_buffers: whole,
            rows: u32::try_from(self.rows).unwrap_or(u32::MAX),
            rows_per_block: ROWS_PER_BLOCK,
            block_bytes: BLOCK_BYTES,
            shuffled: false,
            table_bytes,
            rounds: self.wanted.rounds,
            seed: self.wanted.seed,
            storage,
        };
        let skipped = skipped(&concurrency);
        Ok(Proof { about, page_cost: None, concurrency, skipped, complete: true })
    }

    /// Starts the server again, with a cache of that size and with one more setting.
    fn start(&mut self, cache_bytes: u64, more: Option<&str>) -> Result<(), Problem> {
        check_not_stopped(self.stop)?;
        self.server.stop()?;
        self.server.start_with(Purpose::Prove { cache_bytes }, more)
    }

    /// A session with no limits except that of a statement.
    fn session(&self) -> Result<Conn, Problem> {
        let address = address(self.server);
        address.connect().map_err(|error| failure::connect(&address, &error))
    }

    fn next_round(&self, done: u32) -> bool {
        self.wanted.next_round(done, self.began)
    }
}

/// The settings of these products that were left out, with the reason.
fn skipped(all: &[ConcurrencyFindings]) -> Vec<SkippedSetting> {
    let is_there = |name: &str| all.iter().any(|found| found.setting.starts_with(name));
    let left = |setting: &str, because: &str| SkippedSetting {
        setting: setting.to_owned(),
        because: because.to_owned(),
    };
    let mut skipped = Vec::new();
    if !is_there("innodb_io_capacity") {
        skipped.push(left("innodb_io_capacity", "The storage's rate of random writes is not known."));
    }
    skipped
}

fn set(client: &mut Conn, statement: &str) -> Result<(), Problem> {
    client.query_drop(statement).map_err(|error| failure::statement("a setting cannot be changed", &error))
}

/// A number that the server has.
fn number(client: &mut Conn, ask: &str) -> Result<u64, Problem> {
    let told: Option<u64> = client
        .query_first(ask)
        .map_err(|error| failure::statement("the server does not report it", &error))?;
    Ok(told.unwrap_or(0))
}

/// The row with that number, among those that are looked up or changed.
const fn key(row: u64) -> u64 {
    row + table::FIRST
}
