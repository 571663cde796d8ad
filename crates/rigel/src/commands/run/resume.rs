//! `rigel run --resume`: goes on with an interrupted run from its record.
//!
//! The options of the run are in the record; consent to write has to be given again. Nothing is measured, and the record
//! is not touched, before targets, host and engine are found to be as they were. Must not judge which visits count;
//! `rigel_core::record::resume` does.

use super::present::{self, Reporter};
use super::targets::{self, Scratch};
use super::{Crew, Ready, check_not_stopped, consent, prepare, put_away, sql, wall};
use crate::args::{Display, Front, ResumeOptions, RunOptions, ServerSource, TargetSource};
use crate::commands::whole::Whole;
use crate::commands::{report, versus};
use crate::output::{OutputSet, dir_of};
use crate::signals::Signals;
use crate::streams::Streams;
use rigel_core::error::Problem;
use rigel_core::facts::TargetFacts;
use rigel_core::load::team::Team;
use rigel_core::path_text;
use rigel_core::record::resume::{Past, check_engine, check_host, check_targets, is_restarted};
use rigel_core::record::{Header, Record};
use rigel_run::bench::Bench;
use rigel_run::bench::make::{self, Start};
use rigel_run::execute::{Beginning, Run};
use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

/// A record that this process has locked.
struct Interrupted {
    set: OutputSet,
    file: File,
    whole: Whole,
}

/// Measures the rest of a run.
pub fn resume(options: &ResumeOptions, crew: Option<&Crew>, streams: &Streams) -> Result<(), Problem> {
    let mut found = open(&options.record, streams)?;
    check_gates(options, &mut found.whole.record)?;
    let run_options = run_options(options, &found.set, &found.whole.record.header);
    let reporter = Reporter { options: &run_options, streams };
    if found.whole.record.complete() {
        put_back(reporter, &found)?;
        reporter.note("the run is complete; its outputs are made again".to_owned());
        return present::outputs(reporter, &found.set, &[])?.problem(reporter, None).map_or(Ok(()), Err);
    }
    let bytes = found.whole.bytes.len() as u64;
    let (past, plan) = Past::of(&found.whole.record, bytes, env!("CARGO_PKG_VERSION"))?;
    sql::check_resume(&run_options.request, options.server.as_ref())?;
    if options.server.is_none() {
        make::check(&run_options.request)?;
    }
    let header = Header { plan, ..found.whole.record.header.clone() };
    let was_together = header.nodes.first().member.is_some();
    match crew.filter(|crew| !crew.is_alone()) {
        Some(crew) if was_together => return go_on_together(reporter, crew, header, past, found),
        None if was_together => {
            return Err(Problem::refused("the run was made by several nodes, and this is one program alone")
                .because("visits of one node and of several make no number")
                .next("go on with rigel-mpi, on the same hosts in the same order"));
        }
        Some(_) => {
            return Err(Problem::refused("the run was made by one program alone, and this is rigel-mpi")
                .because("visits of one node and of several make no number")
                .next("go on with `rigel run --resume`"));
        }
        None => {}
    }
    // Weeks may bring another kernel, and a soak compares no rates.
    if run_options.request.pace.soak().is_none() {
        check_host(&header.nodes.first().host, &rigel_io::host::host_facts())?;
    }
    let signals = prepare(reporter, &header.plan)?;
    if let TargetSource::Server(server) = &run_options.targets {
        return go_on_in_sql(reporter, server, header, past, found, &signals);
    }
    let scratch = Scratch::again(header.targets.first())?;
    match go_on(reporter, header, past, found, &scratch, &signals) {
        Ok(cut) => put_away(reporter, Ok(cut), scratch),
        // The user may have mistyped something, and without its scratch file the run could never go on.
        Err(problem) => {
            scratch.leave();
            Err(problem)
        }
    }
}

/// A gate must not pass because the record has nothing that it could be asked of.
fn check_gates(options: &ResumeOptions, record: &mut Record) -> Result<(), Problem> {
    if !options.versus.demands.is_empty() && record.header.request.sides.is_none() {
        return Err(Problem::usage("the record is not of a run of two sides")
            .at(path_text::encode(&options.record))
            .because("the gates of `rigel versus` are about B")
            .next("leave out --fail-if and --require, or name the record of a run of `rigel versus`"));
    }
    versus::judge_by(record, &options.versus)
}

/// Opens and locks the record, and reads it with its torn last line, if there is one.
fn open(path: &Path, streams: &Streams) -> Result<Interrupted, Problem> {
    let (set, mut file) = OutputSet::reopen(path)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(|error| report::unreadable(&path_text::encode(path), &error))?;
    let whole = Whole::of(path, bytes, &[], streams)?;
    let run_id = &whole.record.header.run_id;
    if *run_id != set.run_id {
        return Err(Problem::usage("the record was renamed")
            .at(path_text::encode(path))
            .because(format!("it is of the run {}", path_text::printable(run_id)))
            .next(
                "give it its name back, NAME_record.jsonl: the outputs of a run lie beside it under one name",
            ));
    }
    Ok(Interrupted { set, file, whole })
}

/// The options with which the run was begun, as far as they still matter.
fn run_options(options: &ResumeOptions, set: &OutputSet, header: &Header) -> RunOptions {
    let request = header.request.clone();
    let front = match (&request.slo, request.bound) {
        _ if request.pace.soak().is_some() => Front::Soak,
        (Some(_), _) => Front::Slo,
        (None, Some(_)) => Front::Calibrate,
        (None, None) => Front::Rigel,
    };
    let targets = if let Some(server) = &options.server {
        TargetSource::Server(ServerSource { raw: request.is_beside_raw(), ..server.clone() })
    } else if request.engine.is_simulated() {
        TargetSource::Simulated
    } else {
        TargetSource::Named(header.targets.iter().map(place).collect())
    };
    // A page that is there shows the first part of the run only.
    let no_html = options.display.no_html && !set.has("_report.html");
    RunOptions {
        front,
        targets,
        request,
        out_dir: dir_of(&options.record).to_owned(),
        destroy: options.destroy.clone(),
        dry_run: false,
        // The request has its load.
        load: None,
        compress: None,
        as_load: false,
        // The record does not say whether the user wanted the history, and it is foreign text.
        history: false,
        // They are in the request, or were not wanted.
        commits: false,
        // The outputs that are there come from the first part of the same record.
        force: true,
        display: Display { no_html, ..options.display },
        versus: options.versus.clone(),
        notes: Vec::new(),
    }
}

/// Where a target is: a path that was typed relative to a directory says nothing in another one.
pub fn place(target: &TargetFacts) -> PathBuf {
    let typed = path_text::decode(&target.path);
    if typed.is_absolute() { typed } else { path_text::decode(&target.real_path) }
}

fn go_on(
    reporter: Reporter<'_>,
    header: Header,
    past: Past,
    found: Interrupted,
    scratch: &Scratch,
    signals: &Signals,
) -> Result<Option<Problem>, Problem> {
    let options = reporter.options;
    let restarted = is_restarted(&header.nodes.first().host, &rigel_io::host::host_facts());
    let now = match scratch.facts()? {
        Some(facts) => vec![facts],
        None => targets::look(options, &header.nodes.first().host).map_err(|problem| {
            problem.next("bring the target back; a relative path is looked for where the run is gone on with")
        })?,
    };
    check_targets(&header.targets, &now, restarted)?;
    consent::check_names(&options.destroy, &now)?;
    let hold = scratch.hold();
    let permits = consent::permits(reporter, &now, hold.as_ref(), signals.flag())?;
    let run = run_of(&header, &found);
    // The facts of now: later visits read what earlier ones wrote.
    let alone = Team::default();
    let start = Start { engine: Some(header.nodes.first().engine.kind), ..Start::behind(&past, &alone) };
    let bench = make::bench(&run, header.nodes.first().host.clone(), now, &permits, start)?;
    let stays = !scratch.goes_away() || run.request.pace.soak().is_some();
    ready((run, bench, stays), reporter, header, past, found, signals)?.go(reporter, signals)
}

/// On all nodes, each of which has to be what it was.
fn go_on_together(
    reporter: Reporter<'_>,
    crew: &Crew,
    header: Header,
    past: Past,
    found: Interrupted,
) -> Result<(), Problem> {
    let signals = prepare(reporter, &header.plan)?;
    // The request of the record has all of its classes, by which the lists are checked when the nodes meet.
    let met = crew.meet_again(&header, reporter.options, rigel_io::host::host_facts())?;
    let run = run_of(&header, &found);
    let bench = crew.bench(reporter, &run, met, &past, &signals)?;
    let ready = ready((run, bench, true), reporter, header, past, found, &signals)?;
    ready.go(reporter, &signals)?.map_or(Ok(()), Err)
}

/// On the table of a server that is there, or of a private one that is made again.
fn go_on_in_sql(
    reporter: Reporter<'_>,
    server: &ServerSource,
    header: Header,
    past: Past,
    found: Interrupted,
    signals: &Signals,
) -> Result<(), Problem> {
    let run = run_of(&header, &found);
    if server.dsn.is_none() {
        let (private, bench) = sql::made_again(reporter, server, (&header, &run, &past), signals)?;
        let ready = ready((run, bench, true), reporter, header, past, found, signals);
        return sql::remove(reporter, private, ready.and_then(|ready| ready.go(reporter, signals)));
    }
    let bench = sql::again(reporter, server, &header, &run, &past)?;
    let ready = ready((run, bench, !server.drop), reporter, header, past, found, signals)?;
    sql::put_away(reporter, server, ready.go(reporter, signals))
}

fn run_of(header: &Header, found: &Interrupted) -> Run {
    Run {
        program_version: header.program_version.clone(),
        run_id: found.set.run_id.clone(),
        request: header.request.clone(),
        plan: header.plan.clone(),
    }
}

/// The last looks, then the record is touched.
fn ready(
    (run, bench, resumable): (Run, Box<dyn Bench>, bool),
    reporter: Reporter<'_>,
    header: Header,
    past: Past,
    found: Interrupted,
    signals: &Signals,
) -> Result<Ready, Problem> {
    for (then, now) in header.nodes.all().iter().zip(bench.site().nodes.all()) {
        check_engine(&then.engine, &now.engine)?;
    }
    check_not_stopped(signals)
        .map_err(|problem| problem.next("the record is as it was; go on later in the same way"))?;
    let wall = wall(header.request.engine, Some(&header.started));
    reporter.note(describe(&past));
    put_back(reporter, &found)?;
    cut(&found)?;
    let Interrupted { set, file: record, .. } = found;
    let beginning = Beginning::resumed(wall, header, past);
    Ok(Ready { run, beginning, bench, set, record, resumable })
}

fn describe(past: &Past) -> String {
    let left_out = match (past.set_aside, past.torn_bytes) {
        (0, 0) => "",
        (0, _) => "; its last line was not written whole and is left out",
        (_, 0) => "; the last one was cut short, failed or hung, and is left out",
        (_, _) => "; the last one, and a line that was not written whole, are left out",
    };
    format!("the run goes on behind the {} visits of its record{left_out}", past.visits.len())
}

/// Puts the lines that had found no room in the record behind it, and removes the files in which they waited.
fn put_back(reporter: Reporter<'_>, found: &Interrupted) -> Result<(), Problem> {
    let Interrupted { set, whole, file } = found;
    if let (Some(at), Some(files)) = (whole.behind, whole.elsewhere()) {
        let end = whole.record.torn.as_ref().map_or(whole.bytes.len(), |torn| torn.offset);
        let lines = whole.bytes.get(at..end).unwrap_or_default();
        let cut = || file.set_len(at as u64);
        cut().and_then(|()| (&*file).write_all(lines)).and_then(|()| file.sync_all()).map_err(|error| {
            // What is left of them would stand in front of the next try.
            let _ = cut();
            Problem::refused(format!("the end of the record cannot be put back: {error}"))
                .at(path_text::encode(&set.record_path()))
                .because(format!("it found no room in the record, and waits in {files}"))
                .next("free some space, and go on then")
        })?;
        reporter
            .note(format!("the end of the record, which had found no room in it, was put back from {files}"));
    }
    // One that stays says nothing that the record has not.
    whole.rests.iter().for_each(|path| drop(fs::remove_file(path)));
    Ok(())
}

/// Cuts a torn last line off, so that what is added begins a line.
fn cut(found: &Interrupted) -> Result<(), Problem> {
    let Interrupted { set, file, whole } = found;
    let Some(torn) = whole.record.torn.as_ref().filter(|_| whole.behind.is_none()) else { return Ok(()) };
    let done = file.set_len(torn.offset as u64).and_then(|()| file.sync_all());
    done.map_err(|error| {
        Problem::refused(format!("the record cannot be cut behind its last whole line: {error}"))
            .at(path_text::encode(&set.record_path()))
            .next("see whether the filesystem is read-only or full")
    })
}
