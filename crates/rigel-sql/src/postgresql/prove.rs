//! Settings proven by experiment: queries under known states of the page cache, plan by plan and value by value.
//!
//! Queries run in rounds: each round has every query once, in random order. Before each query, nothing of the table is in the server's own cache,
//! and a known share of it is in the page cache. Must not judge; [`rigel_uses::proof`] does.

mod ask;
mod attended;
mod cache;
mod methods;
mod plans;
mod scans;
mod tables;

use crate::failure;
use crate::postgresql::address::Address;
use crate::postgresql::database::Database;
use crate::postgresql::{BLOCK_BYTES, NAME};
use crate::private::{PrivateServer, Purpose};
use crate::prove::{Progress, ProofFacts, ProofRequest, ProofStep, check_not_stopped, shuffled, storage};
use crate::server::Server as _;
use crate::table;
use attended::{TablesOutcome, attended};
use cache::CacheFiles;
use postgres::Client;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::load::draw::Generator;
use rigel_core::units::{Bytes, GIB};
use rigel_uses::proof::{About, Proof, SkippedSetting};
use std::sync::atomic::AtomicBool;
use std::time::Instant;
use tables::{ROWS_PER_BLOCK, Tables};

pub use tables::more_bytes;

/// Sessions that are open simultaneously, besides the given connection.
pub const SESSIONS: u32 = scans::MOST_SESSIONS;
/// A larger cache of the server would take too long to be emptied before every query.
const MOST_SHARED_BUFFERS: u64 = GIB;
/// The first version with its own asynchronous I/O.
const OWN_IO_SINCE: i64 = 180_000;

const METHOD: &str = "io_method";
const WORKERS: &str = "io_workers";

/// Restarts a server with one more setting. Only possible for one that nobody else uses.
pub type Restart<'a> = &'a mut dyn FnMut(&str) -> Result<Database, Problem>;

/// The experiment at work.
struct Prover<'a> {
    database: Database,
    tables: Tables,
    cached: CacheFiles,
    wanted: ProofRequest,
    /// Reports that it continues, when nothing else does for long.
    alive: &'a dyn Fn(),
    stop: &'a AtomicBool,
    began: Instant,
    /// Every query has a number, from which the share of the table that is kept is drawn.
    queries: u64,
}

/// The result of an experiment.
#[derive(Debug)]
pub struct ProofOutcome {
    /// The proof; a problem when the server cannot be measured so, refuses something, does not answer, or `stop` was set.
    pub proved: Result<Proof, Problem>,
    /// Whether the tables were removed. Nothing may stay in somebody else's database, whatever the result.
    pub removed: Result<(), Problem>,
}

/// Requirements of this experiment.
pub fn facts(table_bytes: u64, shared_buffers: u64) -> ProofFacts {
    ProofFacts {
        sessions: SESSIONS,
        more_bytes: more_bytes(table_bytes, shared_buffers),
        settings: "random_page_cost and effective_io_concurrency",
        beside: "indexes and of a table that empties the server's own cache",
        needs_writes: false,
    }
}

/// The experiment on a private server.
///
/// # Errors
/// When the server fails, a statement takes too long, or `stop` is set.
pub fn prove_private(
    server: &mut PrivateServer,
    wanted: ProofRequest,
    progress: Progress<'_>,
    stop: &AtomicBool,
) -> Result<Proof, Problem> {
    // The page cache is part of the experiment, which sets what is in it.
    server.start(Purpose::Fill)?;
    check_not_stopped(stop)?;
    let database = Database::open(Address::private(&server.socket()), SESSIONS)?;
    let mut restart = |setting: &str| {
        server.stop()?;
        server.start_with(Purpose::Fill, Some(setting))?;
        Database::open(Address::private(&server.socket()), SESSIONS)
    };
    prove(database, Some(&mut restart), wanted, progress, stop).proved
}

/// Makes the tables, asks everything, and removes them. `restart` is for a private server, which takes its tables with it.
pub fn prove(
    database: Database,
    restart: Option<Restart<'_>>,
    wanted: ProofRequest,
    progress: Progress<'_>,
    stop: &AtomicBool,
) -> ProofOutcome {
    let (address, is_private) = (database.place(), restart.is_some());
    let tried =
        check(&database).and_then(|()| database.asked(|database| ask::try_out(&database.address, SESSIONS)));
    let (proved, tables) = match tried {
        Ok((database, ())) => attended(database, restart, wanted, progress, stop),
        Err(problem) => (Err(problem), TablesOutcome::None),
    };
    let removed = match tables {
        TablesOutcome::Here if !is_private => {
            table::removed(&address, |server| server.drop_tables(), &failure::SCHEMA).map(drop)
        }
        TablesOutcome::Unknown if !is_private => {
            Err(failure::left(address.shown(), silence(), &failure::SCHEMA))
        }
        _ => Ok(()),
    };
    ProofOutcome { proved, removed }
}

fn silence() -> Problem {
    Problem::new(ExitKind::CutShort, "the server does not respond")
}

fn asked(
    mut database: Database,
    rows: u32,
    restart: Option<Restart<'_>>,
    (wanted, alive): (ProofRequest, &dyn Fn()),
    progress: Progress<'_>,
    stop: &AtomicBool,
) -> Result<Proof, Problem> {
    let tables = tables::finish(&mut database, rows)?;
    let cached = CacheFiles::open(&tables)?;
    Prover { database, tables, cached, wanted, alive, stop, began: Instant::now(), queries: 0 }
        .run(restart, progress)
}

/// Refuses a server whose caches cannot be brought into a known state.
///
/// # Errors
/// With what is in the way.
pub fn check(database: &Database) -> Result<(), Problem> {
    let facts = &database.facts;
    let refused = |why: String, next: &str| {
        Err(Problem::refused("settings cannot be tested on this server")
            .at(database.address.shown())
            .because(why)
            .next(next))
    };
    if facts.directory.is_none() {
        return refused(
            "its files are not on this host or not visible to this user, so the page cache cannot be controlled".to_owned(),
            "leave out --dsn for a private server on the same storage, or start Rigel as root on the server's host",
        );
    }
    if facts.direct {
        return refused(
            "it bypasses the page cache, so no share of the table can be kept there".to_owned(),
            "leave out --dsn for a private server on the same storage",
        );
    }
    if facts.shared_buffers > MOST_SHARED_BUFFERS {
        return refused(
            format!(
                "its own cache of {} would have to be emptied before each query",
                Bytes(facts.shared_buffers)
            ),
            "leave out --dsn for a private server on the same storage",
        );
    }
    Ok(())
}

impl Prover<'_> {
    fn run(&mut self, restart: Option<Restart<'_>>, progress: Progress<'_>) -> Result<Proof, Problem> {
        let storage = storage::measure(self.cached.table(), BLOCK_BYTES, self.wanted.seed, self.stop)?;
        let (advised, ratio) = (storage.saturating(), storage.ratio());
        let about = About {
            product: NAME.to_owned(),
            version: self.version().to_owned(),
            cache_setting: "shared_buffers".to_owned(),
            shared_buffers: self.database.facts.shared_buffers,
            rows: self.tables.rows,
            rows_per_block: ROWS_PER_BLOCK,
            block_bytes: BLOCK_BYTES,
            shuffled: true,
            table_bytes: self.cached.table_bytes(),
            rounds: self.wanted.rounds,
            seed: self.wanted.seed,
            storage,
        };
        let page_cost = plans::prove(self, ratio, progress)?;
        let mut concurrency: Vec<_> = scans::concurrency(self, advised, progress)?.into_iter().collect();
        let mut skipped = self.skipped(restart.is_some());
        let is_asked =
            |setting: &str, skipped: &[SkippedSetting]| !skipped.iter().any(|one| one.setting == setting);
        if is_asked(WORKERS, &skipped) {
            concurrency.extend(scans::workers(self, advised.min(most_workers()), progress)?);
        }
        if let Some(restart) = restart.filter(|_| is_asked(METHOD, &skipped)) {
            concurrency.extend(methods::prove(self, restart, advised, &mut skipped, progress)?);
        }
        Ok(Proof { about, page_cost: Some(page_cost), concurrency, skipped, complete: true })
    }

    /// Without the packager's suffix.
    fn version(&self) -> &str {
        self.database.facts.version.split_whitespace().next().unwrap_or_default()
    }

    fn skipped(&self, is_private: bool) -> Vec<SkippedSetting> {
        let facts = &self.database.facts;
        let left = |setting: &str, because: String| SkippedSetting { setting: setting.to_owned(), because };
        if facts.version_number < OWN_IO_SINCE {
            let because =
                format!("PostgreSQL {} does not have them: they were added in version 18.", self.version());
            return [METHOD, WORKERS].map(|setting| left(setting, because.clone())).into();
        }
        let mut all = Vec::new();
        if !is_private {
            let because = format!(
                "The server was started with {}; testing other methods requires restarts.",
                facts.io_method
            );
            all.push(left(METHOD, because));
        }
        if facts.io_method != "worker" {
            all.push(left(WORKERS, format!("The server reads by {}, without workers.", facts.io_method)));
        } else if !is_private {
            all.push(left(
                WORKERS,
                "It applies to the whole server, and this one has other users.".to_owned(),
            ));
        }
        all
    }

    /// Another session, with what all of them need.
    fn session(&self) -> Result<Client, Problem> {
        ask::session(&self.database.address)
    }

    /// Brings all caches into a known state: nothing in the server's, this share of table and index in the page cache.
    fn set_caches(&mut self, share: f64) -> Result<(), Problem> {
        check_not_stopped(self.stop)?;
        self.queries += 1;
        ask::timed(&mut self.database.client, tables::SWEEP, self.stop)?;
        let mut draw = Generator::new(self.wanted.seed, &[1, self.queries]);
        self.cached.set(share, &mut draw, &mut || {
            (self.alive)();
            check_not_stopped(self.stop)
        })
    }

    fn next_round(&self, done: u32) -> bool {
        self.wanted.next_round(done, self.began)
    }

    /// The first key of a range of this many, anywhere.
    fn range(&self, draw: &mut Generator, keys: u32) -> u32 {
        let places = u64::from(self.tables.rows.saturating_sub(keys)) + 1;
        u32::try_from(draw.below(places)).unwrap_or(0)
    }
}

/// More workers than CPUs take turns, by the rule of `advise`; the server has 32 at most.
fn most_workers() -> u32 {
    const MOST: usize = 32;
    let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    u32::try_from(cpus.min(MOST)).unwrap_or(1)
}

/// How many keys that share of the rows is.
fn keys(rows: u32, share: f64) -> u32 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of the rows is 0 to all of them"
    )]
    let keys = (f64::from(rows) * share).round() as u32;
    keys.clamp(1, rows)
}
