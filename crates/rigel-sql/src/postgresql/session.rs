//! One session of a load: its connection, and the statements that it repeats.
//!
//! Must not count, and must not know other sessions.

use crate::failure as of_all;
use crate::postgresql::address::Address;
use crate::postgresql::plan;
use crate::postgresql::{failure, index};
use crate::query::Query;
use crate::server::{RowCount, Seat, Session, Worker};
use crate::session::allow_files;
use postgres::error::SqlState;
use postgres::types::private::BytesMut;
use postgres::types::{Format, IsNull, ToSql, Type, to_sql_checked};
use postgres::{Client, Statement};
use rigel_core::error::Problem;
use rigel_core::load::sql::{Probe, ReportBy};
use rigel_core::units::NS_PER_MS;
use std::error::Error;
use std::fs;
use std::ops::Range;
use std::path::PathBuf;

const FORCE_STATISTICS: &str = "select pg_stat_force_next_flush()";
const FORCED_SINCE: i64 = 150_000;

/// Place of a row, as PostgreSQL has it on the wire: the block and the number of the item in it.
#[derive(Clone, Copy, Debug)]
struct RowPlace(u32);

impl ToSql for RowPlace {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        out.extend_from_slice(&self.0.to_be_bytes());
        out.extend_from_slice(&1_u16.to_be_bytes());
        Ok(IsNull::No)
    }

    fn accepts(ty: &Type) -> bool {
        *ty == Type::TID
    }

    fn encode_format(&self, _: &Type) -> Format {
        Format::Binary
    }

    to_sql_checked!();
}

/// A connection with its statement.
struct PgSession {
    client: Client,
    statement: Statement,
    query: Query,
    version_number: i64,
}

/// Opens one that asks this kind of queries.
pub fn open(address: &Address, version_number: i64, query: Query, timeout_ns: u64) -> Result<Seat, Problem> {
    let mut client = set_up(address, (version_number, query), timeout_ns)?;
    let refused = |error| failure::statement("a session cannot be set up", &error);
    let process = client.query_one("select pg_backend_pid()", &[]).map_err(refused)?.get(0);
    let statement = client.prepare(&plan::statement(query)).map_err(refused)?;
    let entry = is_of_server(process).then(|| PathBuf::from(format!("/proc/{process}")));
    let session = PgSession { client, statement, query, version_number };
    Ok((Box::new(session), Worker { number: process, entry }))
}

impl Session for PgSession {
    fn look_up(&mut self, blocks: &[u32]) -> Result<Option<RowCount>, Problem> {
        let rows = match self.query {
            Query::LookUp(Probe::Index) => index::look_up(&mut self.client, &self.statement, blocks),
            query => {
                let places: Vec<RowPlace> = blocks.iter().copied().map(RowPlace).collect();
                let row = match (query, places.as_slice()) {
                    (Query::LookUp(Probe::Single), [place]) => {
                        self.client.query_one(&self.statement, &[place])
                    }
                    _ => self.client.query_one(&self.statement, &[&places]),
                };
                row.map(|row| row.get(0))
            }
        };
        answered(rows, blocks.len() as u64)
    }

    fn report(&mut self, blocks: &Range<u32>) -> Result<Option<RowCount>, Problem> {
        let (first, last) = (RowPlace(blocks.start), RowPlace(blocks.end.saturating_sub(1)));
        let (row, wanted) = match self.query {
            Query::Report(ReportBy::Join) => {
                let half = (blocks.end - blocks.start) / 2;
                let (end, middle) = (RowPlace(blocks.start + half - 1), RowPlace(blocks.start + half));
                let fellow = half.cast_signed();
                let row = self.client.query_one(&self.statement, &[&first, &end, &middle, &last, &fellow]);
                (row, half.into())
            }
            _ => (self.client.query_one(&self.statement, &[&first, &last]), blocks.len() as u64),
        };
        answered(row.map(|row| row.get(0)), wanted)
    }

    fn commit(&mut self, session: u32, number: u64) -> Result<Option<RowCount>, Problem> {
        let made = self.client.execute(&self.statement, &[&session.cast_signed(), &number.cast_signed()]);
        answered(made.map(|rows| i64::try_from(rows).unwrap_or(i64::MAX)), 1)
    }

    fn flush(&mut self) -> Result<(), Problem> {
        flush(&mut self.client, self.version_number)
    }
}

/// `None` when the storage under the server failed.
fn answered(rows: Result<i64, postgres::Error>, wanted: u64) -> Result<Option<RowCount>, Problem> {
    match rows {
        Ok(found) => Ok(Some(RowCount { found: u64::try_from(found).unwrap_or(0), wanted })),
        Err(error) if is_of_storage(&error) => Ok(None),
        Err(error) => Err(lost(&error)),
    }
}

/// Lets the server count the work of this connection before the counters are read.
pub fn flush(client: &mut Client, version_number: i64) -> Result<(), Problem> {
    let asked = if version_number >= FORCED_SINCE {
        client.batch_execute(FORCE_STATISTICS)
    } else {
        // Older servers count at the end of a statement, when the last time is half a second ago.
        std::thread::sleep(std::time::Duration::from_millis(600));
        client.batch_execute("select 1")
    };
    asked.map_err(|error| lost(&error))
}

fn set_up(
    address: &Address,
    (version_number, query): (i64, Query),
    timeout_ns: u64,
) -> Result<Client, Problem> {
    let mut client = address.connect().map_err(|error| failure::connect(address, &error))?;
    // The server ends what the time limit of an I/O does not allow.
    let limit = format!("; set statement_timeout = {}", statement_timeout_ms(timeout_ns));
    let set = client.batch_execute(&(plan::settings(version_number, query) + &limit));
    set.map_err(|error| failure::statement("a session cannot be set up", &error))?;
    Ok(client)
}

/// Sets this many sessions up at the same time and ends them: what the server does not allow is known then, before a table is
/// filled.
pub fn try_out(
    address: &Address,
    asked: (i64, Query),
    timeout_ns: u64,
    sessions: u32,
) -> Result<(), Problem> {
    allow_files(sessions);
    let all = (0..sessions).map(|_| set_up(address, asked, timeout_ns));
    all.collect::<Result<Vec<Client>, Problem>>().map(drop)
}

/// The longest that the server knows is 24 days.
fn statement_timeout_ms(timeout_ns: u64) -> i32 {
    i32::try_from(timeout_ns / NS_PER_MS).unwrap_or(i32::MAX).max(1)
}

/// Whether the server could not read.
fn is_of_storage(error: &postgres::Error) -> bool {
    error.code().is_some_and(|code| [SqlState::IO_ERROR, SqlState::DATA_CORRUPTED].contains(code))
}

/// The server disappeared, or a statement of the load failed.
fn lost(error: &postgres::Error) -> Problem {
    of_all::lost(&failure::text(error))
}

/// Whether a process of that number on this host is one of a PostgreSQL server.
fn is_of_server(pid: i32) -> bool {
    let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    matches!(name.trim(), "postgres" | "postmaster")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_is_one_that_the_server_knows() {
        let hours = 3_600_000 * NS_PER_MS;
        assert_eq!([0, hours, 600 * hours].map(statement_timeout_ms), [1, 3_600_000, i32::MAX]);
    }

    #[test]
    fn this_process_is_no_server() {
        assert!(!is_of_server(i32::try_from(std::process::id()).unwrap()));
    }
}
