//! A connection to the measured server, facts about the server, and whether it can be measured at all.
//!
//! Must not change anything in the database; the module `table` does.

use crate::failure::{check_free, silent};
use crate::patience::{Cancel, PATIENCE, within};
use crate::postgresql::BLOCK_BYTES;
use crate::postgresql::address::Address;
use crate::postgresql::counters::CounterAccess;
use crate::postgresql::failure;
use crate::postgresql::programs::OLDEST;
use crate::processes;
use postgres::{Client, NoTls, Statement};
use rigel_core::error::Problem;
use rigel_core::path_text::printable;
use rigel_core::units::Bytes;
use std::path::PathBuf;

/// What every version reports about itself; from 16 on, connections are reserved for some roles. Without
/// `pg_read_all_stats` the kind of other users' processes is hidden: those with a database and a user are counted,
/// parallel workers included, so the count is rather too high.
const FACTS: &str = "select current_setting('server_version'), current_setting('server_version_num')::int8, \
    current_setting('block_size')::int8, pg_size_bytes(current_setting('shared_buffers')), \
    current_setting('max_connections')::int8 - current_setting('superuser_reserved_connections')::int8 \
        - coalesce(current_setting('reserved_connections', true)::int8, 0), \
    (select count(*) from pg_stat_activity where datid is not null and usesysid is not null \
        and coalesce(backend_type, 'client backend') = 'client backend'), pg_is_in_recovery(), \
    current_database()::text, coalesce(current_setting('debug_io_direct', true), ''), \
    coalesce(current_setting('io_method', true), ''), pg_backend_pid()";
/// To the microsecond, and the database, as the tables are in it.
const IDENTITY: &str = "select extract(epoch from pg_postmaster_start_time())::text, \
    (select oid::text from pg_database where datname = current_database())";
/// Only some roles may see it.
const DIRECTORY: &str = "select current_setting('data_directory')";
/// The directory of new tables, if it is another one, and how large the log may grow.
const TABLES: &str = "select pg_tablespace_location(coalesce( \
    (select oid from pg_tablespace where spcname = current_setting('default_tablespace')), \
    (select dattablespace from pg_database where datname = current_database()))), \
    pg_size_bytes(current_setting('max_wal_size'))";

/// Facts about the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerFacts {
    /// Such as `15.14`.
    pub version: String,
    /// Such as 150014.
    pub version_number: i64,
    /// Its own cache.
    pub shared_buffers: u64,
    /// Sessions that it still has room for.
    pub free_connections: u32,
    /// It bypasses the page cache when it reads tables.
    pub direct: bool,
    /// Who reads: the session itself, or workers of the server (from version 18 on).
    pub io_method: String,
    /// The database of the connection.
    pub database: String,
    /// Its files, if they are on this host, and the server or `/proc` reports where.
    pub directory: Option<PathBuf>,
    /// Where new tables are created, if the files are on this host.
    pub tables: Option<PathBuf>,
    /// How large its log may grow, unless something retains it.
    pub log_bytes: u64,
}

/// A server that was found fit to be measured.
pub struct Database {
    /// Its address.
    pub address: Address,
    /// Its facts.
    pub facts: ServerFacts,
    pub(crate) client: Client,
    /// How it is asked for its counts, once a load is prepared.
    pub(super) counting: CounterAccess,
    /// And what its sessions wait for.
    pub(super) waiting: Option<Statement>,
}

impl Database {
    /// Connects, and checks whether the server can be measured with this many sessions.
    ///
    /// # Errors
    /// When it cannot be reached, is too old, is a standby, or has too few connections.
    pub fn open(address: Address, sessions: u32) -> Result<Self, Problem> {
        let shown = address.shown().to_owned();
        let opened = within(PATIENCE, move || Self::connect(address, sessions));
        opened.unwrap_or_else(|| Err(silent(&shown, PATIENCE)))
    }

    fn connect(address: Address, sessions: u32) -> Result<Self, Problem> {
        let mut client = address.connect().map_err(|error| failure::connect(&address, &error))?;
        let facts = facts(&mut client, &address)?;
        check_free(address.shown(), facts.free_connections, sessions)?;
        Ok(Self { address, facts, client, counting: CounterAccess::default(), waiting: None })
    }

    /// The name of the database, for people.
    pub fn name(&self) -> String {
        printable(&self.facts.database).into_owned()
    }

    /// When it was started, and its database.
    ///
    /// # Errors
    /// When it does not say.
    pub fn identity(&mut self) -> Result<String, Problem> {
        let asked = |error| failure::statement("the server does not identify itself", &error);
        let row = self.client.query_one(IDENTITY, &[]).map_err(asked)?;
        Ok(format!("{} {}", row.get::<_, &str>(0), row.get::<_, &str>(1)))
    }

    /// Asks it; one that does not answer is abandoned.
    ///
    /// # Errors
    /// Those of `work`, and when there is no answer.
    pub fn asked<T: Send + 'static>(
        mut self,
        work: impl FnOnce(&mut Self) -> Result<T, Problem> + Send + 'static,
    ) -> Result<(Self, T), Problem> {
        let address = self.address.clone();
        let asked = within(PATIENCE, move || work(&mut self).map(|told| (self, told)));
        asked.unwrap_or_else(|| Err(silent(address.shown(), PATIENCE)))
    }

    /// Lets the server end the current statement of this connection.
    pub(crate) fn cancel(&self) -> Cancel {
        let token = self.client.cancel_token();
        // The statement ends by itself where this does not reach the server.
        Box::new(move || drop(token.cancel_query(NoTls)))
    }
}

fn facts(client: &mut Client, address: &Address) -> Result<ServerFacts, Problem> {
    let unfit = |what: String, why: &str, next: &str| {
        Err(Problem::refused(what).at(address.shown()).because(why).next(next))
    };
    let asked = |error| failure::statement("the server does not identify itself", &error);
    let number =
        client.query_one("select current_setting('server_version_num')::int8", &[]).map_err(asked)?;
    if number.get::<_, i64>(0) < i64::from(OLDEST) * 10_000 {
        return unfit(
            format!("PostgreSQL {} is too old", number.get::<_, i64>(0) / 10_000),
            &format!("version {OLDEST} is the oldest supported"),
            "measure a newer server",
        );
    }
    let row = client.query_one(FACTS, &[]).map_err(asked)?;
    let count = |at: usize| u64::try_from(row.get::<_, i64>(at)).unwrap_or(0);
    if row.get::<_, bool>(6) {
        return unfit(
            "the server is a standby".to_owned(),
            "nothing can be created in it: it only replays its primary",
            "measure the primary, or a private server on the host of the standby",
        );
    }
    if count(2) != BLOCK_BYTES {
        return unfit(
            format!("the server has blocks of {}", Bytes(count(2))),
            "the table has one row per 8 KiB block",
            "measure a server with the default block size",
        );
    }
    let Places { directory, tables, log_bytes } = places(client, address, row.get(10));
    Ok(ServerFacts {
        version: printable(row.get(0)).into_owned(),
        version_number: row.get(1),
        shared_buffers: count(3),
        free_connections: u32::try_from(count(4).saturating_sub(count(5)).saturating_add(1))
            .unwrap_or(u32::MAX),
        database: row.get(7),
        direct: row.get::<_, String>(8).split(',').any(|word| word.trim() == "data"),
        io_method: row.get(9),
        directory,
        tables,
        log_bytes,
    })
}

/// Where its files are, as far as they are on this host.
#[derive(Default)]
struct Places {
    directory: Option<PathBuf>,
    tables: Option<PathBuf>,
    log_bytes: u64,
}

fn places(client: &mut Client, address: &Address, process: i32) -> Places {
    if address.is_remote() {
        return Places::default();
    }
    // A path that is no text cannot be told.
    let told = client.query_one(DIRECTORY, &[]).ok();
    let told = told.and_then(|row| row.try_get::<_, &str>(0).ok().map(PathBuf::from));
    let serves = |dir: &PathBuf| processes::serves(dir, process);
    // A server works there, which root and its user see whatever the role may know.
    let seen = || processes::directory_of(process).filter(serves);
    let Some(directory) = told.filter(serves).or_else(seen) else { return Places::default() };
    let told = client.query_one(TABLES, &[]).ok();
    // An empty place is the directory itself.
    let tables = told.as_ref().and_then(|told| Some(directory.join(told.try_get::<_, &str>(0).ok()?)));
    let log_bytes = told.map_or(0, |told| u64::try_from(told.get::<_, i64>(1)).unwrap_or(0));
    Places { directory: Some(directory), tables, log_bytes }
}
