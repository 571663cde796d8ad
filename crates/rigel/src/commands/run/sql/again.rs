//! `rigel sql --resume`: the rest of a run on a server that is there.
//!
//! The server and its table have to be what they were. Must not make a table.

use super::{SqlRun, address, ended, sessions};
use crate::args::ServerSource;
use crate::commands::run::present::Reporter;
use rigel_core::error::Problem;
use rigel_core::load::class::{Class, LoadClass};
use rigel_core::load::request::Request;
use rigel_core::load::sides::Side;
use rigel_core::load::sql::{BLOCK_BYTES, ServerChoice};
use rigel_core::measure::ServerCounts;
use rigel_core::path_text;
use rigel_core::record::resume::{Past, check_targets};
use rigel_core::record::{Header, Visit};
use rigel_io::clock::MonotonicClock;
use rigel_run::bench::Bench;
use rigel_run::execute::Run;
use rigel_sql::bench::{self, Behind, Parts};
use rigel_sql::{Database, table};
use std::path::Path;

/// Whether a run can be gone on with; `named`: its server was named again.
pub fn check_resume(request: &Request, named: bool) -> Result<(), Problem> {
    let refused =
        |what: &str, why: &str, next: &str| Err(Problem::usage(what).at("--resume").because(why).next(next));
    match request.sql.as_ref().map(|sql| sql.server) {
        None if named => refused(
            "the record is not of a run of rigel sql",
            "it has no look-ups",
            "go on with it without --dsn: rigel run --resume RECORD",
        ),
        Some(ServerChoice::There) if request.class(Class::COMMIT).is_some() => refused(
            "a run of commits cannot be gone on with",
            "its table was removed behind it",
            "start it again",
        ),
        Some(ServerChoice::Private) => refused(
            "a run on a private server cannot be gone on with",
            "the server was removed with its table",
            "start it again; a run on a server that is there (--dsn) can be gone on with",
        ),
        Some(ServerChoice::There) if !named => refused(
            "a run of rigel sql cannot be gone on with from its record alone",
            "the record does not say how its server is reached",
            "name the server again: rigel sql --dsn DSN --resume RECORD",
        ),
        None | Some(ServerChoice::There) => Ok(()),
    }
}

/// What to do for the rest of a run that ended early.
pub fn the_rest(resumable: bool, record: &Path) -> String {
    let how = if resumable {
        format!(
            "rigel sql --dsn DSN --resume {} measures the rest",
            path_text::shell_word(&path_text::encode(record))
        )
    } else {
        "for the rest start the run again".to_owned()
    };
    format!("what was measured until then is in the outputs; {how}")
}

/// Sessions on the same table, behind the visits of the record.
pub fn again(
    reporter: Reporter<'_>,
    source: &ServerSource,
    header: &Header,
    run: &Run,
    past: &Past,
) -> Result<Box<dyn Bench>, Problem> {
    let host = header.nodes.first().host.clone();
    let sql =
        SqlRun { reporter, source, host: host.clone(), sessions: sessions(&header.request.alone(Side::B)) };
    let dsn = source.dsn.as_deref().unwrap_or_default();
    let (database, found) = Database::open(address(dsn)?, sql.sessions)?.asked(Database::table)?;
    let Some(table) = found else {
        return Err(Problem::refused(format!("the table {} is gone", table::NAME))
            .at(database.address.shown())
            .because(format!("the database {} has no schema rigel", database.name()))
            .next("start the run again, with a table of its own"));
    };
    let what = sql.describe(&database);
    if !header.nodes.first().engine.notes.contains(&what) {
        return Err(Problem::refused("the server is not what it was")
            .at(database.address.shown())
            .because(format!("it is {what}"))
            .next("go on with the server of the run, set as it was, or start the run again"));
    }
    let target = bench::target(&database, &table)?;
    let files = sql.files(&table)?;
    let now: Vec<_> = files.iter().chain([&target]).cloned().collect();
    check_targets(&header.targets, &now, false)?;
    let clock = MonotonicClock::at(past.run_ns());
    let notes = std::iter::once(what).chain(sql.of_latency()).collect();
    let behind = behind(&header.request, past);
    let parts = Parts { database, table, target, host, group: None, notes, clock, behind };
    sql.bench(parts, (files, Vec::new()), run)
}

/// The queries of all visits, and as many more as a visit made at most: those of the last one may not be in the record.
fn behind(request: &Request, past: &Past) -> Behind {
    let each = request.class(Class::REPORT).map_or(BLOCK_BYTES, LoadClass::io_bytes) / BLOCK_BYTES;
    let of_visit = |visit: &Visit, of: fn(&ServerCounts) -> u64| -> u64 {
        visit.nodes.iter().filter_map(|node| node.server).map(|server| of(&server)).sum()
    };
    let looked_up = past.visits.iter().map(|visit| of_visit(visit, |counts| counts.probes));
    let reports = past.visits.iter().map(|visit| {
        let sessions = u64::from(visit.point.of(Class::REPORT)).max(1);
        of_visit(visit, |counts| counts.scanned_blocks).div_ceil(each * sessions)
    });
    let all = |counts: Vec<u64>| {
        counts.iter().sum::<u64>().saturating_add(counts.iter().copied().max().unwrap_or(0))
    };
    Behind { looked_up: all(looked_up.collect()), reports: all(reports.collect()) }
}

/// After the run, as it was asked for.
pub fn put_away(
    reporter: Reporter<'_>,
    source: &ServerSource,
    measured: Result<Option<Problem>, Problem>,
) -> Result<(), Problem> {
    let host = rigel_io::host::host_facts();
    let dsn = source.dsn.as_deref().unwrap_or_default();
    SqlRun { reporter, source, host, sessions: 0 }.put_away(address(dsn)?, true, ended(measured))
}
