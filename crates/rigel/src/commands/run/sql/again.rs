//! `rigel sql --resume`: the remainder of a run.
//!
//! An existing server and its table must be unchanged. A private server was removed with its run, and is created again with the same table. Must
//! not touch the record.

use super::{PRIVATE, Place, ReadyServer, SqlRun, check_room, describe, fit, reach, sessions};
use crate::args::{ServerSource, TargetSource};
use crate::commands::run::life::{Life, MeasuredEnd};
use crate::commands::run::present::Reporter;
use crate::signals::Signals;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::facts::TargetFacts;
use rigel_core::load::class::{Class, LoadClass};
use rigel_core::load::request::Request;
use rigel_core::load::sides::Side;
use rigel_core::load::sql::ServerChoice;
use rigel_core::load::team::Team;
use rigel_core::measure::ServerCounts;
use rigel_core::path_text;
use rigel_core::record::resume::{
    RecordPast, check_made_again, check_still_there, check_targets, is_restarted,
};
use rigel_core::record::{Header, Visit};
use rigel_core::units::Bytes;
use rigel_io::clock::MonotonicClock;
use rigel_run::bench::Bench;
use rigel_run::execute::Run;
use rigel_sql::bench::{self, Parts, QueryHistory};
use rigel_sql::private::{self, PrivateServer};
use rigel_sql::{asked, table};
use std::path::{Path, PathBuf};

/// Whether a run can be resumed; `server`: how it was named again by `rigel sql`.
pub fn check_resume(request: &Request, server: Option<&ServerSource>) -> Result<(), Problem> {
    let refused =
        |what: &str, why: &str, next: &str| Err(Problem::usage(what).at("--resume").because(why).next(next));
    let is_named = server.is_some_and(|server| server.dsn.is_some());
    match request.sql().map(|sql| sql.server) {
        None if server.is_some() => refused(
            "the record is not of a run of rigel sql",
            "it has no look-ups",
            "resume with: rigel run --resume RECORD",
        ),
        Some(_) if request.class(Class::COMMIT).is_some() => refused(
            "a run of commits cannot be resumed",
            "its table was removed at the end",
            "start it again",
        ),
        Some(ServerChoice::Private) if is_named => refused(
            "the run was on a private server",
            "samples from different servers cannot be combined",
            "resume without --dsn: rigel sql resume RECORD",
        ),
        Some(ServerChoice::Private) if server.is_none() => refused(
            "a run of `rigel sql` is resumed by `rigel sql`",
            "its private server has to be recreated",
            "run: rigel sql resume RECORD",
        ),
        Some(ServerChoice::There) if !is_named => refused(
            "a run of `rigel sql` cannot be resumed from its record alone",
            "the record does not say how its server is reached",
            "name the server again: rigel sql resume RECORD --dsn DSN",
        ),
        None | Some(ServerChoice::There | ServerChoice::Private) => Ok(()),
    }
}

/// What to do for the rest of a run that ended early.
pub fn the_rest(
    server: ServerChoice,
    targets: &[TargetFacts],
    resumable: bool,
    record: &Path,
    from: &TargetSource,
) -> String {
    let is_emptied_by_a_crash = targets.iter().any(|target| target.is_logged == Some(false));
    let record = path_text::shell_word(&path_text::encode(record));
    let programs = match from {
        TargetSource::Server(ServerSource { programs: Some(dir), .. }) => {
            format!(" --programs {}", path_text::shell_word(&path_text::encode(dir)))
        }
        _ => String::new(),
    };
    let how = match (resumable, server) {
        (false, _) => "to complete it, start the run again".to_owned(),
        (true, ServerChoice::There) if is_emptied_by_a_crash => format!(
            "`rigel sql resume {record} --dsn DSN` completes the run, unless the server crashes or is \
             killed: the table is unlogged, and then empty; in that case remove it with `rigel sql drop \
             --dsn DSN` and start a new run"
        ),
        (true, ServerChoice::There) => format!("`rigel sql resume {record} --dsn DSN` completes the run"),
        (true, ServerChoice::Private) => {
            format!(
                "`rigel sql resume {record}{programs}` recreates the server and its table, and completes the run"
            )
        }
    };
    format!("everything measured so far is kept; {how}")
}

/// How a run ended whose server was stopped or ended a session, with what to do. A node of several that was lost says so itself.
pub fn with_the_rest(problem: Problem, again: Option<(&str, ServerChoice)>, nodes: usize) -> Problem {
    let Some((again, server)) = again else { return problem };
    if problem.kind != ExitKind::CutShort || (nodes > 1 && problem.next.is_some()) {
        return problem;
    }
    problem.next(match server {
        // The log of a private one went with it.
        ServerChoice::Private => again.to_owned(),
        ServerChoice::There => format!("check the server log; {again}"),
    })
}

/// A private server created again where it was, with a table of the same rows, after the visits of the record. `go`: measures the rest.
pub fn made_again(
    life: &Life<'_>,
    source: &ServerSource,
    (header, run, past): (Header, Run, RecordPast),
    go: impl FnOnce((Header, Run, RecordPast), Box<dyn Bench>) -> MeasuredEnd,
) -> Result<(), Problem> {
    let reporter = life.reporter;
    let host = header.nodes.first().host.clone();
    let table = header.targets.last().ok_or_else(unknown_place)?;
    let (dir, bytes) = (place(table)?, table.size_bytes);
    fit::check_reports(&header.request, bytes)?;
    let product = header.request.product();
    let source = ServerSource { product, dir: Some(dir.clone()), size: Some(Bytes(bytes)), ..source.clone() };
    let sessions = sessions(&header.request.alone(Side::B));
    let sql = SqlRun { reporter, source: &source, host: host.clone(), sessions, nodes: 1 };
    let Place { programs, here, .. } = sql.place()?;
    let is_restarted = is_restarted(&host, &rigel_io::host::host_facts());
    check_still_there(table, &here, is_restarted)?;
    let room = sql.room(&here);
    private::remove_left(&dir)?;
    check_room(&dir, PRIVATE, bytes, sql.empty_bytes() + sql.index_bytes(bytes))
        .map_err(|problem| problem.next("free some space, then resume: the table keeps its size"))?;
    reporter.note(format!(
        "the run's private server was removed: a {} server is recreated, and its table is filled as before: {}, seed {}",
        programs.title(),
        Bytes(bytes),
        header.request.seed
    ));
    life.end(PrivateServer::make(&dir, programs, room)?, |server| {
        let others = "name programs of its version with --programs DIR, or start a new run";
        check_same(&header, &server.describe(), &path_text::encode(&dir), others)?;
        let made = sql.filled(server, &dir, &life.signals).map_err(|problem| match problem.kind {
            ExitKind::CutShort => problem
                .next("nothing of it is left, and the record is unchanged; resume later in the same way"),
            _ => problem,
        })?;
        let ReadyServer { server, table, group, mut notes, .. } = made;
        let target = bench::target(&*server, &table)?;
        let files = sql.files(&table)?;
        let now: Vec<_> = files.iter().chain([&target]).cloned().collect();
        check_made_again(&header.targets, &now, is_restarted)?;
        notes.extend(sql.of_latency());
        let clock = MonotonicClock::at(past.run_ns());
        let behind = behind(&header.request, &past);
        let team = Team::default();
        let parts = Parts { server, table, target, host, group, notes, clock, behind, team };
        let engine = header.nodes.first().engine.kind;
        let bench = sql.bench(parts, (files, Vec::new(), Some(engine)), &run)?;
        go((header, run, past), bench)
    })
}

/// The directory in which a private server had this table.
fn place(table: &TargetFacts) -> Result<PathBuf, Problem> {
    let file = path_text::decode(&table.real_path);
    private::place_of(&file).map(Path::to_owned).ok_or_else(unknown_place)
}

fn unknown_place() -> Problem {
    Problem::usage("the record does not show where its private server was")
        .at("--resume")
        .because("its table file is not in the directory of a private server")
        .next("start a new run")
}

/// Whether a server is the same as that of the record.
fn check_same(header: &Header, what: &[String], at: &str, next: &str) -> Result<(), Problem> {
    match what.iter().find(|what| !header.nodes.first().engine.notes.contains(what)) {
        None => Ok(()),
        Some(what) => {
            Err(Problem::refused("the server has changed").at(at).because(format!("it is {what}")).next(next))
        }
    }
}

/// Sessions on the same table, after the visits of the record.
pub fn again(
    reporter: Reporter<'_>,
    source: &ServerSource,
    header: &Header,
    run: &Run,
    past: &RecordPast,
    signals: &Signals,
) -> Result<Box<dyn Bench>, Problem> {
    let host = header.nodes.first().host.clone();
    let source = &ServerSource { product: header.request.product(), ..source.clone() };
    let sessions = sessions(&header.request.alone(Side::B));
    let sql = SqlRun { reporter, source, host: host.clone(), sessions, nodes: 1 };
    let opened = reach(source.product, source.dsn.as_deref().unwrap_or_default())?.open(sql.sessions)?;
    let (server, found) = asked(opened, |server| server.table())?;
    let place = server.place();
    let Some(table) = found else {
        return Err(Problem::refused(format!("the table {} no longer exists", table::NAME))
            .at(place.shown())
            .because(server.facts().has_none())
            .next("start a new run, with its own table"));
    };
    let what = describe(&*server);
    let back = "resume with the same server and settings, or start a new run";
    check_same(header, std::slice::from_ref(&what), place.shown(), back)?;
    let target = bench::target(&*server, &table)?;
    fit::check_reports(&header.request, target.size_bytes)?;
    let files = sql.files(&table)?;
    let now: Vec<_> = files.iter().chain([&target]).cloned().collect();
    check_targets(&header.targets, &now, false)?;
    let server = sql.empty_cache(server, &table, signals).map_err(|problem| match problem.kind {
        ExitKind::CutShort => Problem::new(ExitKind::CutShort, "the run was stopped before it resumed")
            .next("the record is as it was: resume it again"),
        _ => problem,
    })?;
    let clock = MonotonicClock::at(past.run_ns());
    let notes = std::iter::once(what).chain(sql.of_latency()).collect();
    let behind = behind(&header.request, past);
    let team = Team::default();
    let parts = Parts { server, table, target, host, group: None, notes, clock, behind, team };
    sql.bench(parts, (files, Vec::new(), Some(header.nodes.first().engine.kind)), run)
}

/// The queries of all visits, and for each interruption those of the largest visit: the interrupted one is not in the record.
fn behind(request: &Request, past: &RecordPast) -> QueryHistory {
    let block_bytes = request.product().block_bytes();
    let each = (request.class(Class::REPORT).map_or(block_bytes, LoadClass::io_bytes) / block_bytes).max(1);
    let of_visit = |visit: &Visit, of: fn(&ServerCounts) -> u64| -> u64 {
        visit
            .nodes
            .iter()
            .filter_map(|node| node.server)
            .map(|server| of(&server))
            .fold(0, u64::saturating_add)
    };
    let looked_up = past.visits.iter().map(|visit| of_visit(visit, |counts| counts.probes));
    let reports = past.visits.iter().map(|visit| {
        let sessions = u64::from(visit.point.of(Class::REPORT)).max(1);
        of_visit(visit, |counts| counts.scanned_blocks).div_ceil(each.saturating_mul(sessions))
    });
    let all = |counts: Vec<u64>| {
        let most = counts.iter().copied().max().unwrap_or(0);
        counts.into_iter().fold(most.saturating_mul(past.interruptions), u64::saturating_add)
    };
    QueryHistory { looked_up: all(looked_up.collect()), reports: all(reports.collect()) }
}
