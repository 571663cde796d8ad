//! The counters beside a load: what the server, the kernel and the device say was read.
//!
//! Each is read before a load and behind it. One that cannot be read, or would count something else, is left out. The server is
//! asked for nothing but functions, by statements that were prepared: whatever else its answer needed to be read would be counted
//! beside the load. Must not judge.

use crate::database::{Database, ServerFacts};
use crate::index;
use crate::plan::Query;
use crate::table;
use postgres::{Client, Statement};
use rigel_core::load::sql::Probe;
use rigel_core::measure::{DeviceReads, ServerCounts};
use rigel_io::group::Group;
use std::fs;

/// Reads of tables by sessions, of all databases.
const SERVER: &str = "select coalesce(sum(reads), 0)::int8 from pg_stat_io \
    where backend_type = 'client backend' and object = 'relation'";
/// Flushes of the log. Where a write is durable by itself, each write is one; without fsync none is.
const FLUSHES: &str = "select case when current_setting('fsync') = 'off' then 0 \
    when current_setting('wal_sync_method') like 'open%' then wal_write else wal_sync end from pg_stat_get_wal()";
/// The others are of files of the log that are made.
const FLUSHES_SINCE_18: &str = "select coalesce(sum(case when current_setting('fsync') = 'off' then 0 \
    when current_setting('wal_sync_method') like 'open%' then writes else fsyncs end), 0)::int8 \
    from pg_stat_get_io() where object = 'wal' and context = 'normal'";
const PG_STAT_IO_SINCE: i64 = 160_000;
/// The kernel counts in this unit, whatever the sectors of the device are.
const SECTOR_BYTES: u64 = 512;

/// How the server is asked.
pub struct CounterAccess {
    /// For blocks of the table that were not in its own cache.
    blocks: Option<Statement>,
    /// For those of its index, where look-ups go through it.
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

/// When counters are read: nothing that is read for them may fall between the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Before a load: the server is asked first.
    Before,
    /// Behind it: the server is asked last.
    Behind,
}

/// Whom and what to count.
pub struct Counters {
    pub client: Client,
    pub asked: CounterAccess,
    /// Processes of the sessions, when they are on this host.
    pub processes: Vec<i32>,
    /// Those of them that make reports, where others look rows up.
    pub reports: Vec<i32>,
    /// Of a private server.
    pub group: Option<Group>,
    /// The devices under the table; empty when they are not known.
    pub devices: Vec<(u32, u32)>,
    pub facts: ServerFacts,
}

/// All counters at one moment.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reading {
    counts: ServerCounts,
    written_bytes: Option<u64>,
}

impl Counters {
    /// All of them now.
    pub fn read(&mut self, moment: Moment) -> Reading {
        let before = (moment == Moment::Before).then(|| self.of_server());
        let moved = self.group.as_ref().and_then(|group| group.moved(&self.devices));
        let device = moved.map(|moved| moved.reads).or_else(|| self.of_disk());
        let direct = self.facts.io_method != "worker";
        // Where workers of the server read, the sessions only wait, and what a read costs is not theirs alone.
        let sum = |of: &[i32], what: fn(i32) -> Option<u64>| if direct { sum(of, what) } else { None };
        let process_bytes = sum(&self.processes, read_bytes);
        let report_process_bytes = sum(&self.reports, read_bytes);
        let cpu_ns = sum(&self.processes, cpu_ns);
        let of_server = before.unwrap_or_else(|| self.of_server());
        let counts = ServerCounts { process_bytes, report_process_bytes, device, cpu_ns, ..of_server };
        Reading { counts, written_bytes: moved.map(|moved| moved.written_bytes) }
    }

    fn of_server(&mut self) -> ServerCounts {
        let CounterAccess { blocks, index, reads, flushes } = &self.asked;
        let mut ask = |statement: &Option<Statement>| number(&mut self.client, statement.as_ref()?);
        let (table_blocks, index_blocks) = (ask(blocks), ask(index));
        let (server_reads, flushes) = (ask(reads), ask(flushes));
        ServerCounts { table_blocks, index_blocks, server_reads, flushes, ..ServerCounts::default() }
    }

    fn of_disk(&self) -> Option<DeviceReads> {
        let one = |(major, minor): &(u32, u32)| {
            let text = fs::read_to_string(format!("/sys/dev/block/{major}:{minor}/stat")).ok()?;
            disk(&text)
        };
        let all: Option<Vec<DeviceReads>> = self.devices.iter().map(one).collect();
        all?.into_iter().reduce(|sum, more| DeviceReads {
            reads: sum.reads.saturating_add(more.reads),
            bytes: sum.bytes.saturating_add(more.bytes),
            of_server: false,
        })
    }
}

/// `None` for no process at all.
fn sum(processes: &[i32], of: fn(i32) -> Option<u64>) -> Option<u64> {
    let all = processes.iter().map(|&pid| of(pid));
    all.sum::<Option<u64>>().filter(|_| !processes.is_empty())
}

impl Reading {
    /// What was counted since `before`, without what the sessions know themselves.
    pub fn since(&self, before: &Self) -> ServerCounts {
        let less = |now: Option<u64>, then: Option<u64>| now?.checked_sub(then?);
        let (now, then) = (&self.counts, &before.counts);
        let device = now.device.zip(then.device).and_then(|(now, then)| {
            Some(DeviceReads {
                reads: now.reads.checked_sub(then.reads)?,
                bytes: now.bytes.checked_sub(then.bytes)?,
                of_server: now.of_server && then.of_server,
            })
        });
        ServerCounts {
            report_process_bytes: less(now.report_process_bytes, then.report_process_bytes),
            table_blocks: less(now.table_blocks, then.table_blocks),
            index_blocks: less(now.index_blocks, then.index_blocks),
            server_reads: less(now.server_reads, then.server_reads),
            flushes: less(now.flushes, then.flushes),
            process_bytes: less(now.process_bytes, then.process_bytes),
            device,
            cpu_ns: less(now.cpu_ns, then.cpu_ns),
            ..ServerCounts::default()
        }
    }

    /// What the server wrote since `before`; 0 when nobody counted.
    pub fn written_since(&self, before: &Self) -> u64 {
        self.written_bytes.zip(before.written_bytes).map_or(0, |(now, then)| now.saturating_sub(then))
    }
}

/// Documentation/block/stat.rst: reads are the first number, sectors read the third.
fn disk(stat: &str) -> Option<DeviceReads> {
    let mut numbers = stat.split_whitespace().map(str::parse::<u64>);
    let reads = numbers.next()?.ok()?;
    let bytes = numbers.nth(1)?.ok()?.checked_mul(SECTOR_BYTES)?;
    Some(DeviceReads { reads, bytes, of_server: false })
}

/// What the kernel fetched from storage for a process (proc_pid_io(5)).
fn read_bytes(pid: i32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/io")).ok()?;
    text.lines().find_map(|line| line.strip_prefix("read_bytes:")?.trim().parse().ok())
}

/// The first number is the time on a CPU (Documentation/scheduler/sched-stats.rst).
fn cpu_ns(pid: i32) -> Option<u64> {
    fs::read_to_string(format!("/proc/{pid}/schedstat")).ok()?.split_whitespace().next()?.parse().ok()
}

/// Whether a process of that number on this host is one of a PostgreSQL server.
pub fn is_of_server(pid: i32) -> bool {
    let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    matches!(name.trim(), "postgres" | "postmaster")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_a_disk_are_taken_from_their_places() {
        let stat = "  1527     0   24432   10  5 6 7 8 9 10 11\n";
        let found = disk(stat).unwrap();
        assert_eq!((found.reads, found.bytes), (1527, 24_432 * 512));
        assert_eq!(disk("1 2"), None);
    }

    #[test]
    fn a_counter_that_went_back_is_left_out() {
        let reading = |blocks, bytes| Reading {
            counts: ServerCounts {
                table_blocks: Some(blocks),
                process_bytes: Some(bytes),
                ..ServerCounts::default()
            },
            written_bytes: Some(blocks),
        };
        let counts = reading(30, 5).since(&reading(10, 9));
        assert_eq!((counts.table_blocks, counts.process_bytes), (Some(20), None));
        assert_eq!(reading(30, 5).written_since(&reading(10, 9)), 20);
    }

    #[test]
    fn the_kernel_tells_of_this_process() {
        let pid = i32::try_from(std::process::id()).unwrap();
        assert!(cpu_ns(pid).is_some_and(|ns| ns > 0) && read_bytes(pid).is_some());
        assert!(!is_of_server(pid));
    }
}
