//! Loads that go through a database, with what the server, the kernel and the device counted meanwhile; alone, and in turns with raw I/O.

use super::super::by_hand::{Run, SPREAD, served};
use super::super::facts;
use super::super::simulated::{once, request, rounds};
use super::Case;
use rigel_core::facts::engine::{BufferFacts, EngineFacts, EngineKind};
use rigel_core::facts::{TargetFacts, TargetKind};
use rigel_core::load::class::{Class, LoadClass, Sync};
use rigel_core::load::matrix::{Point, RunLevel};
use rigel_core::load::pace::Pace;
use rigel_core::load::request::{EngineRequest, Request};
use rigel_core::load::sql::{self, Probe, Product, ReportBy, ServerChoice, SqlLevel, SqlRequest};
use rigel_core::load::task::{Task, Through};
use rigel_core::measure::{DeviceReads, ServerCounts};
use rigel_core::record::{Record, Visit};
use rigel_core::units::{GIB, MIB, NS_PER_US};
use rigel_core::witness::{Counts, Witness, WitnessSample};

const BLOCK_BYTES: u64 = Product::Postgresql.block_bytes();

/// The cases.
pub fn all() -> Vec<Case> {
    vec![
        Case::of("sql-simple", || {
            alone(look_ups(SqlLevel::Simple, Probe::Batch, &[1, 4, 16]), rounds(50), right)
        }),
        Case::of("sql-single-fixed", || {
            alone(look_ups(SqlLevel::Oltp, Probe::Single, &[1, 4, 16]), once(2), right)
        }),
        Case::of("sql-index", || {
            alone(look_ups(SqlLevel::Simple, Probe::Index, &[1, 4]), rounds(50), by_index)
        }),
        Case::of("sql-reports", || alone(reports(ReportBy::Range), rounds(50), right)),
        Case::of("sql-join-there", || alone(reports(ReportBy::Join), once(2), right)),
        Case::of("sql-normal", || alone(both(SqlLevel::Normal), rounds(50), right)),
        Case::of("sql-users", || alone(users(0), rounds(50), right)),
        Case::of("sql-users-mixed", || alone(users(10), rounds(50), right)),
        Case::of("sql-commit", || alone(commits(), rounds(50), flushed)),
        Case::of("sql-cached", || alone(look_ups(SqlLevel::Simple, Probe::Batch, &[1, 4]), once(2), cached)),
        Case::of("sql-uncounted", || {
            alone(look_ups(SqlLevel::Simple, Probe::Batch, &[1, 4]), once(2), uncounted)
        }),
        Case::of("sql-unflushed", || alone(commits(), once(2), unflushed)),
        Case::of("sql-beside-storage", || {
            beside(look_ups(SqlLevel::Simple, Probe::Batch, &[1, 4, 16]), 98, 30, right)
        }),
        Case::of("sql-beside-cpu", || {
            beside(look_ups(SqlLevel::Simple, Probe::Single, &[1, 4, 16]), 60, 98, right)
        }),
        Case::of("sql-beside-sessions", || {
            beside(look_ups(SqlLevel::Simple, Probe::Index, &[1, 4, 16]), 50, 40, by_index)
        }),
        Case::of("sql-beside-commits", || beside(commits(), 80, 30, flushed)),
    ]
}

/// A request to a database.
fn asked(level: SqlLevel, probe: Probe, report: ReportBy, classes: Vec<LoadClass>) -> Request {
    Request {
        name: "sql".into(),
        command_line: format!("{} /mnt/fast ", level.name()),
        classes,
        engine: EngineRequest::Only(EngineKind::Postgres),
        through: Through::Sql(SqlRequest {
            product: Product::Postgresql,
            level,
            probe,
            report,
            server: ServerChoice::Private,
        }),
        ..request(RunLevel::Sql)
    }
}

fn look_ups(level: SqlLevel, probe: Probe, sessions: &[u32]) -> Request {
    asked(level, probe, ReportBy::Range, vec![sql::simple(Product::Postgresql, sessions.into())])
}

fn reports(by: ReportBy) -> Request {
    let class = LoadClass { levels: vec![1, 2], ..sql::reports(8 * MIB) };
    let mut request = asked(SqlLevel::Dss, Probe::Batch, by, vec![class]);
    if by == ReportBy::Join
        && let Through::Sql(sql) = &mut request.through
    {
        sql.server = ServerChoice::There;
    }
    request
}

/// Look-ups and reports in all combinations of some.
fn both(level: SqlLevel) -> Request {
    let classes = vec![sql::simple(Product::Postgresql, vec![1, 4]), sql::reports(8 * MIB)];
    let point = |simple, reports| Point::alone(Class::SIMPLE, simple).with(Class::REPORT, reports);
    let points = [0, 1, 2].iter().flat_map(|&reports| [0, 1, 4].map(|simple| point(simple, reports)));
    let points = points.filter(|point| point.sum() > 0).collect();
    let task = Task::named(RunLevel::Sql, points, Pace::ORION);
    Request { task, ..asked(level, Probe::Batch, ReportBy::Range, classes) }
}

fn users(report_share: u8) -> Request {
    let sessions = sql::users(64);
    let request = both(SqlLevel::Users);
    if report_share == 0 {
        return look_ups(SqlLevel::Users, Probe::Single, &sessions);
    }
    Request { task: Task::named(RunLevel::Sql, sql::shared(&sessions, report_share), Pace::ORION), ..request }
}

fn commits() -> Request {
    asked(
        SqlLevel::Commit,
        Probe::Batch,
        ReportBy::Range,
        vec![sql::commits(Product::Postgresql, vec![1, 4, 16])],
    )
}

/// The table of a private server.
fn table() -> TargetFacts {
    TargetFacts {
        path: "/mnt/fast/rigel-postgresql: table rigel.t".into(),
        real_path: "/mnt/fast/rigel-postgresql".into(),
        kind: TargetKind::Table,
        ..facts::file(0, 2 * GIB)
    }
}

/// A run that has only SQL.
fn alone(request: Request, pace: Pace, counted: fn(&Visit) -> ServerCounts) -> anyhow::Result<Record> {
    let run = Run::on(request.paced(pace), vec![table()])?;
    // Reports make a part of the rate of look-ups, at a tenth of a second each.
    let rate = |class: &LoadClass, level: u32| {
        let all = served(8)(class, level);
        if class.name == Class::REPORT { all / 10 } else { all }
    };
    let run = if let Pace::Fixed(_) = pace { run.once(2, &rate) } else { run.rounds(&SPREAD, &rate) };
    let mut record = run.record;
    through_sql(&mut record);
    for visit in &mut record.visits {
        through(visit, counted, 30);
    }
    Ok(record)
}

/// The engine of a database.
fn through_sql(record: &mut Record) {
    let node = record.header.nodes.first_mut();
    node.engine = EngineFacts {
        notes: vec!["PostgreSQL 17.2, shared_buffers 16 MiB, no read-ahead".into()],
        ..EngineFacts::plain(EngineKind::Postgres)
    };
    node.buffers = BufferFacts::NONE;
}

/// A run in turns with raw I/O: SQL has this percentage of the raw rate, and the CPUs are busy for that percentage of the time.
fn beside(
    request: Request,
    percent: u64,
    busy: u64,
    counted: fn(&Visit) -> ServerCounts,
) -> anyhow::Result<Record> {
    let sync = if request.writes_at_all() { Sync::Fdatasync } else { Sync::None };
    let request = request.paced(rounds(20)).beside_raw(1, sync)?;
    let raw = facts::file(0, GIB);
    let rate = |class: &LoadClass, level: u32| {
        let all = served(8)(
            &LoadClass { pattern: rigel_core::load::class::Pattern::Random, ..class.clone() },
            level,
        );
        if class.side == Some(rigel_core::load::sides::Side::B) { all * percent / 100 } else { all }
    };
    let mut record = Run::on(request, vec![raw, table()])?.rounds(&SPREAD, &rate).record;
    for visit in &mut record.visits {
        match record.header.request.side_of(visit.point) {
            Some(rigel_core::load::sides::Side::B) => through(visit, counted, busy),
            _ => visit.nodes[0].witness = Some(watched(visit, 20)),
        }
    }
    Ok(record)
}

/// The counts of a visit through a database whose sessions waited for storage most of the time.
fn through(visit: &mut Visit, counted: fn(&Visit) -> ServerCounts, busy: u64) {
    let counts = counted(visit);
    let witness = watched(visit, busy);
    let node = &mut visit.nodes[0];
    node.server = Some(counts);
    node.witness = Some(witness);
    node.waits = [("IO:DataFileRead", 740), ("CPU", 200), ("Client:ClientRead", 60)]
        .map(|(event, count)| (event.to_owned(), count))
        .into();
}

/// A host with eight CPUs, this percentage of them busy.
pub fn watched(visit: &Visit, busy: u64) -> Witness {
    let (began_ns, parts) = (visit.began_ns - visit.settle_ns, 8);
    let span_ns = visit.loaded_ns / parts;
    let busy_us = span_ns / NS_PER_US * 8 * busy / 100;
    let sample = |part: u64| WitnessSample {
        at_ns: began_ns + part * span_ns,
        counts: Counts { busy_us: Some(busy_us), own_us: Some(busy_us), ..Counts::default() },
    };
    Witness {
        period_ns: 100_000_000,
        cpus: Some(8),
        devices: Vec::new(),
        kernel_us: None,
        carried: None,
        began_ns,
        samples: (1..=parts).map(sample).collect(),
    }
}

/// Operations of a class in the whole load of a visit.
fn done(visit: &Visit, plain: Class) -> u64 {
    let own = |class: &Class| class.sided().map_or(*class, |(plain, _)| plain) == plain;
    visit.tallies.iter().filter(|(class, _)| own(class)).map(|(_, tally)| tally.completed()).sum()
}

/// Every counter agrees: each look-up is a read, and each block of a report was read once.
fn right(visit: &Visit) -> ServerCounts {
    let probes = done(visit, Class::SIMPLE);
    let scanned_blocks = done(visit, Class::REPORT) * (8 * MIB / BLOCK_BYTES);
    let blocks = probes + scanned_blocks;
    ServerCounts {
        probes,
        scanned_blocks,
        table_blocks: Some(blocks),
        server_reads: Some(blocks),
        process_bytes: Some(blocks * BLOCK_BYTES),
        report_process_bytes: (scanned_blocks > 0).then_some(scanned_blocks * BLOCK_BYTES),
        device: Some(DeviceReads { reads: blocks, bytes: blocks * BLOCK_BYTES, of_server: true }),
        cpu_ns: Some(visit.loaded_ns / 3),
        ..ServerCounts::default()
    }
}

/// Each look-up reads four fifths of an index block in addition to its own.
fn by_index(visit: &Visit) -> ServerCounts {
    let found = right(visit);
    let index = found.probes * 4 / 5;
    let all = found.probes + index;
    ServerCounts {
        index_blocks: Some(index),
        server_reads: Some(all),
        process_bytes: Some(all * BLOCK_BYTES),
        device: Some(DeviceReads { reads: all, bytes: all * BLOCK_BYTES, of_server: true }),
        ..found
    }
}

/// Half of the look-ups were answered from a cache of the kernel.
fn cached(visit: &Visit) -> ServerCounts {
    let found = right(visit);
    let half = found.probes / 2;
    let device = Some(DeviceReads { reads: half, bytes: half * BLOCK_BYTES, of_server: false });
    ServerCounts { process_bytes: Some(half * BLOCK_BYTES), device, ..found }
}

/// Nobody knows what came from storage.
fn uncounted(visit: &Visit) -> ServerCounts {
    ServerCounts { process_bytes: None, device: None, server_reads: None, cpu_ns: None, ..right(visit) }
}

/// Two commits share a flush if there are several sessions.
fn flushed(visit: &Visit) -> ServerCounts {
    let commits = done(visit, Class::COMMIT);
    let shared = if visit.point.sum() > 1 { 2 } else { 1 };
    ServerCounts {
        commits,
        flushes: Some(commits / shared + 2),
        cpu_ns: Some(visit.loaded_ns / 3),
        ..ServerCounts::default()
    }
}

/// The server made its log durable far less often than commits need it.
fn unflushed(visit: &Visit) -> ServerCounts {
    ServerCounts { flushes: Some(3), ..flushed(visit) }
}
