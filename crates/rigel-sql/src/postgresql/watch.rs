//! What a server has done and contains, recorded next to production: `pg_stat_io`, commits, log, sizes of databases.
//!
//! Only counters are read, in one short session. A server that goes away is asked again later. Must not make rates.

use crate::failure::silent;
use crate::patience::within;
use crate::postgresql::address::Address;
use crate::postgresql::failure;
use postgres::{Client, SimpleQueryMessage};
use rigel_capacity::read::Snapshot;
use rigel_core::error::Problem;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(10);
const ROWS: &str = "select to_json(s)::text from pg_catalog.pg_stat_io s";
const HAS_ROWS: &str = "select to_regclass('pg_catalog.pg_stat_io') is not null";
const COUNTS: &str =
    "select coalesce(sum(xact_commit), 0)::text, pg_is_in_recovery()::text from pg_catalog.pg_stat_database";
const LOG: &str = "select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::text";
const SIZES: &str = "select datname, pg_database_size(oid)::text from pg_catalog.pg_database \
    where datallowconn and has_database_privilege(oid, 'connect')";

/// A server that is watched.
pub struct Watcher {
    client: Client,
    has_rows: bool,
}

/// Its counters at one moment.
#[derive(Debug, Default)]
pub struct ServerLook {
    /// All rows of `pg_stat_io` together; none before version 16.
    pub io: Option<Snapshot>,
    /// Commits of all databases since the statistics were reset.
    pub commits: Option<f64>,
    /// Bytes of the log since the cluster was made; none of a standby.
    pub log_bytes: Option<f64>,
}

impl Watcher {
    /// Connects.
    ///
    /// # Errors
    /// When the server cannot be reached.
    pub fn open(address: &Address) -> Result<Self, Problem> {
        let (asked, shown) = (address.clone(), address.shown().to_owned());
        let opened = within(PATIENCE, move || {
            let mut client = asked.connect().map_err(|error| failure::connect(&asked, &error))?;
            let has_rows =
                texts(&mut client, HAS_ROWS)?.first().is_some_and(|row| row[0].as_deref() == Some("t"));
            Ok(Self { client, has_rows })
        });
        opened.unwrap_or_else(|| Err(silent(&shown, PATIENCE)))
    }

    /// Whether the server has `pg_stat_io`.
    pub const fn has_rows(&self) -> bool {
        self.has_rows
    }

    /// Reads the counters.
    ///
    /// # Errors
    /// When the server has disappeared.
    pub fn look(&mut self, at_ms: i64) -> Result<ServerLook, Problem> {
        let mut look = ServerLook::default();
        if self.has_rows {
            let mut io = Snapshot::new(at_ms);
            for row in texts(&mut self.client, ROWS)? {
                io.add_json(row.first().and_then(Option::as_deref).unwrap_or_default());
            }
            look.io = Some(io);
        }
        let counts = texts(&mut self.client, COUNTS)?;
        let first = counts.first();
        look.commits = first.and_then(|row| row.first()?.as_deref()?.parse().ok());
        if first.is_some_and(|row| row.get(1).is_some_and(|text| text.as_deref() == Some("false"))) {
            let log = texts(&mut self.client, LOG)?;
            look.log_bytes = log.first().and_then(|row| row.first()?.as_deref()?.parse().ok());
        }
        Ok(look)
    }

    /// Size of each database that accepts connections, in bytes.
    ///
    /// # Errors
    /// When the server has disappeared.
    pub fn sizes(&mut self) -> Result<Vec<(String, f64)>, Problem> {
        let rows = texts(&mut self.client, SIZES)?;
        let sizes = rows.into_iter().filter_map(|row| {
            let mut row = row.into_iter();
            Some((row.next()??, row.next()??.parse().ok()?))
        });
        Ok(sizes.collect())
    }
}

fn texts(client: &mut Client, query: &str) -> Result<Vec<Vec<Option<String>>>, Problem> {
    let told = client
        .simple_query(query)
        .map_err(|error| failure::statement("the server does not report its counters", &error))?;
    let rows = told.into_iter().filter_map(|message| match message {
        SimpleQueryMessage::Row(row) => {
            Some((0..row.len()).map(|at| row.get(at).map(str::to_owned)).collect())
        }
        _ => None,
    });
    Ok(rows.collect())
}
