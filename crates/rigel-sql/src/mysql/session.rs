//! One session of a load: its connection, its statements, and the plan that answers them by the primary key.
//!
//! Must not count, and must not know other sessions.

use crate::mysql::address::Address;
use crate::mysql::database::{Database, Flavour};
use crate::mysql::table;
use crate::mysql::{failure, programs};
use crate::query::Query;
use crate::server::{RowCount, Seat, Session, Worker};
use crate::session::allow_files;
use crate::table::{COMMITS, NAME, TableSpec};
use mysql::prelude::Queryable as _;
use mysql::{Conn, Row, Statement};
use rigel_core::error::Problem;
use rigel_core::load::sql::{Probe, ReportBy};
use rigel_core::path_text::printable;
use rigel_core::units::NS_PER_MS;
use std::fs;
use std::ops::Range;
use std::path::PathBuf;

const REFUSED: &str = "a session cannot be set up";
/// Each row is looked up by itself; a join buffer would sort them.
const OF_MARIADB: &str = "set join_cache_level = 0";
const OF_MYSQL: &str = "set optimizer_switch = 'block_nested_loop=off,batched_key_access=off'";
/// The thread that serves this session.
const THREAD: [&str; 2] = [
    "select tid from information_schema.processlist where id = connection_id()",
    "select thread_os_id from performance_schema.threads where processlist_id = connection_id()",
];

/// A connection with its statement.
struct MysqlSession {
    client: Conn,
    statement: Statement,
    query: Query,
}

/// Opens one that asks this kind of queries.
pub fn open(address: &Address, flavour: Flavour, query: Query, timeout_ns: u64) -> Result<Seat, Problem> {
    let refused = |error| failure::statement(REFUSED, &error);
    let mut client = set_up(address, flavour, timeout_ns)?;
    let number: Option<i32> = client.query_first("select connection_id()").map_err(refused)?;
    let thread = thread(&mut client, flavour);
    let statement = client.prep(statement(query)).map_err(refused)?;
    let worker = Worker { number: number.unwrap_or(0), entry: thread.and_then(entry) };
    Ok((Box::new(MysqlSession { client, statement, query }), worker))
}

fn set_up(address: &Address, flavour: Flavour, timeout_ns: u64) -> Result<Conn, Problem> {
    let mut client = address.connect().map_err(|error| failure::connect(address, &error))?;
    let ms = (timeout_ns / NS_PER_MS).clamp(1, u64::from(u32::MAX));
    let settings = match flavour {
        // In seconds.
        Flavour::Mariadb => format!("{OF_MARIADB}, max_statement_time = {}.{:03}", ms / 1000, ms % 1000),
        Flavour::Mysql => format!("{OF_MYSQL}, max_execution_time = {ms}"),
    };
    client.query_drop(settings).map_err(|error| failure::statement(REFUSED, &error))?;
    Ok(client)
}

/// The thread that serves a connection, as the server's host numbers it.
pub fn thread(client: &mut Conn, flavour: Flavour) -> Option<i32> {
    let ask = if flavour == Flavour::Mariadb { THREAD[0] } else { THREAD[1] };
    client.query_first(ask).ok().flatten()
}

/// The process of a thread, if it belongs to a server on this host.
pub fn process(thread: i32) -> Option<i32> {
    let status = fs::read_to_string(format!("/proc/{thread}/status")).ok()?;
    let process: i32 = status.lines().find_map(|line| line.strip_prefix("Tgid:")?.trim().parse().ok())?;
    let name = fs::read_to_string(format!("/proc/{process}/comm")).ok()?;
    programs::SERVERS.contains(&name.trim()).then_some(process)
}

/// The entry in `/proc` of a thread, if a server on this host has that number.
fn entry(thread: i32) -> Option<PathBuf> {
    process(thread).map(|process| PathBuf::from(format!("/proc/{process}/task/{thread}")))
}

/// The statement. Keys are numbers of rows.
fn statement(query: Query) -> String {
    match query {
        Query::LookUp(Probe::Single) => format!("select count(b.v) from {NAME} b where b.id = ?"),
        Query::LookUp(Probe::Batch | Probe::Index) => format!(
            "select count(b.v) from json_table(?, '$[*]' columns (id bigint unsigned path '$')) p \
             straight_join {NAME} b on b.id = p.id"
        ),
        Query::Report(ReportBy::Range | ReportBy::Join) => {
            format!("select count(b.v) from {NAME} b where b.id >= ? and b.id <= ?")
        }
        Query::Commit => format!("insert into {COMMITS} (session, number) values (?, ?)"),
    }
}

/// The same with values for its parameters.
fn example(query: Query) -> String {
    let values: &[&str] = match query {
        Query::LookUp(Probe::Single) => &["0"],
        Query::LookUp(_) => &["'[0, 2, 4]'"],
        Query::Report(_) => &["0", "4"],
        Query::Commit => &["0", "0"],
    };
    values.iter().fold(statement(query), |text, value| text.replacen('?', value, 1))
}

/// Refuses a server that would not read rows by the primary key, or that cannot make reports. The table exists.
pub fn check(database: &mut Database, query: Query) -> Result<(), Problem> {
    if query == Query::Commit {
        return Ok(());
    }
    let refused = |error| failure::statement("the query plan cannot be seen", &error);
    let client = &mut database.client;
    // MySQL 9 may show plans as trees otherwise.
    let ask = format!("explain format=traditional {}", example(query));
    let told: Vec<Row> = client.query(ask).map_err(refused)?;
    let word = |row: &Row, name: &str| row.get::<Option<String>, _>(name).flatten().unwrap_or_default();
    let lines: Vec<[String; 3]> =
        told.iter().map(|row| ["table", "type", "key"].map(|name| word(row, name))).collect();
    if is_right(query, &lines) {
        return Ok(());
    }
    let plan = lines.iter().map(|line| line.join(" ")).collect::<Vec<_>>().join("; ");
    Err(Problem::refused("the server would not look rows up by the primary key")
        .because(printable(&plan).into_owned())
        .next("report this with the version of the server"))
}

fn is_right(query: Query, lines: &[[String; 3]]) -> bool {
    let Some([table, kind, key]) = lines.last() else { return false };
    match query {
        // With few rows in the table a constant is looked up while the plan is made.
        Query::LookUp(Probe::Single) => kind == "const" || table.is_empty(),
        Query::LookUp(_) => lines.len() == 2 && table == "b" && kind == "eq_ref" && key == "PRIMARY",
        Query::Report(_) => lines.len() == 1 && kind == "range" && key == "PRIMARY",
        Query::Commit => true,
    }
}

/// Sets the sessions of a load up at the same time and ends them: what the server does not allow is known then, before a table is filled.
pub fn try_out(database: &Database, wanted: &TableSpec) -> Result<(), Problem> {
    allow_files(wanted.sessions);
    let (address, flavour) = (&database.address, database.flavour);
    let all = (0..wanted.sessions).map(|_| set_up(address, flavour, wanted.timeout_ns));
    all.collect::<Result<Vec<Conn>, Problem>>().map(drop)
}

impl Session for MysqlSession {
    fn look_up(&mut self, blocks: &[u32]) -> Result<Option<RowCount>, Problem> {
        let keys = blocks.iter().map(|block| table::middle(*block));
        let found = match (self.query, blocks) {
            (Query::LookUp(Probe::Single), [block]) => {
                self.client.exec_first(&self.statement, (table::middle(*block),))
            }
            _ => {
                let keys: Vec<String> = keys.map(|key| key.to_string()).collect();
                self.client.exec_first(&self.statement, (format!("[{}]", keys.join(",")),))
            }
        };
        failure::answered(found.map(Option::unwrap_or_default), blocks.len() as u64)
    }

    fn report(&mut self, blocks: &Range<u32>) -> Result<Option<RowCount>, Problem> {
        // From the middle of the first page to that of the last one: an end at the border of a page reads the one beyond it.
        let [first, last] = [blocks.start, blocks.end.saturating_sub(1)].map(table::middle);
        let found = self.client.exec_first(&self.statement, (first, last));
        failure::answered(found.map(Option::unwrap_or_default), last + 1 - first)
    }

    fn commit(&mut self, session: u32, number: u64) -> Result<Option<RowCount>, Problem> {
        let made = self.client.exec_drop(&self.statement, (session, number));
        failure::answered(made.map(|()| self.client.affected_rows()), 1)
    }

    /// It counts immediately.
    fn flush(&mut self) -> Result<(), Problem> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_up_goes_by_the_primary_key_and_by_nothing_else() {
        let lines = |text: &str| -> Vec<[String; 3]> {
            let words =
                |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>().try_into().unwrap();
            text.lines().map(words).collect()
        };
        let batch = Query::LookUp(Probe::Index);
        assert!(is_right(batch, &lines("p ALL NULL\nb eq_ref PRIMARY")));
        assert!(!is_right(batch, &lines("b ALL NULL\np ALL NULL")));
        assert!(!is_right(batch, &lines("b eq_ref PRIMARY")) && !is_right(batch, &[]));
        assert!(is_right(Query::Report(ReportBy::Range), &lines("b range PRIMARY")));
        assert!(!is_right(Query::Report(ReportBy::Range), &lines("b index PRIMARY")));
    }

    #[test]
    fn an_example_has_no_place_left() {
        for query in [Query::LookUp(Probe::Single), batch(), Query::Report(ReportBy::Range), Query::Commit] {
            assert!(!example(query).contains('?'), "{}", example(query));
        }
    }

    fn batch() -> Query {
        Query::LookUp(Probe::Index)
    }

    #[test]
    fn this_thread_is_none_of_a_server() {
        assert_eq!(entry(i32::try_from(std::process::id()).unwrap()), None);
    }
}
