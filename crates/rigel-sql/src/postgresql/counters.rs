//! The counters of a PostgreSQL server: it is only asked for functions, by prepared statements, because anything else that its answer had to read
//! would be counted with the load. Must not judge.

use crate::postgresql::database::Database;
use crate::postgresql::index;
use crate::query::Query;
use crate::table;
use postgres::{Client, Statement};
use rigel_core::load::sql::Probe;
use rigel_core::measure::ServerCounts;

/// Reads of tables by sessions, of all databases.
const SERVER: &str = "select coalesce(sum(reads), 0)::int8 from pg_stat_io \
    where backend_type = 'client backend' and object = 'relation'";
/// Flushes of the log. If writes are durable by themselves, each write is one; without fsync there are none.
const FLUSHES: &str = "select case when current_setting('fsync') = 'off' then 0 \
    when current_setting('wal_sync_method') like 'open%' then wal_write else wal_sync end from pg_stat_get_wal()";
/// The others are of log files being created.
const FLUSHES_SINCE_18: &str = "select coalesce(sum(case when current_setting('fsync') = 'off' then 0 \
    when current_setting('wal_sync_method') like 'open%' then writes else fsyncs end), 0)::int8 \
    from pg_stat_get_io() where object = 'wal' and context = 'normal'";
const PG_STAT_IO_SINCE: i64 = 160_000;
/// How the server is asked; not before it is prepared.
#[derive(Default)]
pub struct CounterAccess {
    /// For blocks of the table that were not in its own cache.
    blocks: Option<Statement>,
    /// For the blocks of its index, if look-ups use it.
    index: Option<Statement>,
    reads: Option<Statement>,
    /// For how often it made its log durable.
    flushes: Option<Statement>,
}

impl CounterAccess {
    /// Prepares it, with all that the server needs for its answers. Of a server with other users, reads are theirs as well.
    pub fn prepare(database: &mut Database, is_private: bool, queries: &[Query]) -> Self {
        let client = &mut database.client;
        let mut ready = |sql: &str| {
            let statement = client.prepare(sql).ok()?;
            number(client, &statement).map(|_| statement)
        };
        let blocks = |name| {
            let name = format!("to_regclass('{name}')");
            format!("select pg_stat_get_blocks_fetched({name}) - pg_stat_get_blocks_hit({name})")
        };
        let has_io = database.facts.version_number >= PG_STAT_IO_SINCE && is_private;
        let flushes = flushes(database.facts.version_number);
        if queries.contains(&Query::Commit) {
            return Self { blocks: None, index: None, reads: None, flushes: flushes.and_then(ready) };
        }
        let by_index = queries.contains(&Query::LookUp(Probe::Index));
        Self {
            blocks: ready(&blocks(table::NAME)),
            index: by_index.then(|| ready(&blocks(index::NAME))).flatten(),
            reads: has_io.then(|| ready(SERVER)).flatten(),
            flushes: None,
        }
    }

    /// What it has counted so far.
    pub fn counts(&self, client: &mut Client) -> ServerCounts {
        let Self { blocks, index, reads, flushes } = self;
        let mut ask = |statement: &Option<Statement>| number(client, statement.as_ref()?);
        let (table_blocks, index_blocks) = (ask(blocks), ask(index));
        let (server_reads, flushes) = (ask(reads), ask(flushes));
        ServerCounts { table_blocks, index_blocks, server_reads, flushes, ..ServerCounts::default() }
    }
}

/// Versions before 14 do not count flushes.
const fn flushes(version_number: i64) -> Option<&'static str> {
    match version_number {
        ..140_000 => None,
        140_000..180_000 => Some(FLUSHES),
        _ => Some(FLUSHES_SINCE_18),
    }
}

fn number(client: &mut Client, statement: &Statement) -> Option<u64> {
    let row = client.query_opt(statement, &[]).ok()??;
    u64::try_from(row.get::<_, i64>(0)).ok()
}
