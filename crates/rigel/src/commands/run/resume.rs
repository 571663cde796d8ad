//! `rigel run --resume`: resumes an interrupted run from its record.
//!
//! The options of the run are in the record; consent to write has to be given again. Nothing is measured, and the record
//! is not touched, before targets, host and engine are found to be unchanged. Must not judge which visits count;
//! `rigel_core::record::resume` does.

use super::burst;
use super::dry_run;
use super::life::{Life, MeasuredEnd};
use super::present::{self, Reporter};
use super::scratch::Scratch;
use super::targets;
use super::working_set;
use super::{Crew, ReadyRun, check_not_stopped, consent, prepare, sql, wall};
use crate::args::{Display, Front, ResumeOptions, RunOptions, ServerSource, TargetSource, Versus};
use crate::commands::whole::FullRecord;
use crate::commands::{report, versus};
use crate::output::{OutputSet, dir_of};
use crate::signals::Signals;
use crate::streams::Streams;
use rigel_core::error::Problem;
use rigel_core::facts::TargetFacts;
use rigel_core::facts::engine::EngineKind;
use rigel_core::load::request::Request;
use rigel_core::load::task::Task;
use rigel_core::load::team::Team;
use rigel_core::path_text;
use rigel_core::record::resume::{RecordPast, check_engine, check_host, check_targets, is_restarted};
use rigel_core::record::{Header, Record};
use rigel_run::bench::Bench;
use rigel_run::bench::make::{self, Start};
use rigel_run::execute::{Beginning, Run};
use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

/// What a dry run says about a record that has every visit.
const COMPLETE: &str = "The run is complete: its outputs would be written again.\n";

/// A record that this process has locked.
struct LockedRecord {
    set: OutputSet,
    file: File,
    whole: FullRecord,
}

/// Measures the rest of a run.
pub fn resume(options: &ResumeOptions, crew: Option<&Crew>, streams: &Streams) -> Result<(), Problem> {
    let mut found = open(&options.record, streams)?;
    check_gates(options, &mut found.whole.record)?;
    let run_options = run_options(options, &found.set, &found.whole.record.header);
    let reporter = Reporter { options: &run_options, streams };
    if found.whole.record.complete() && options.dry_run {
        return reporter.streams.results(COMPLETE.as_bytes());
    }
    if found.whole.record.complete() {
        put_back(reporter, &found)?;
        reporter.note("the run is complete; its outputs are written again".to_owned());
        return present::outputs(reporter, &found.set, &[])?.problem(reporter, None).map_or(Ok(()), Err);
    }
    burst::check_resumable(&run_options.request)?;
    working_set::check_resumable(&run_options.request)?;
    let bytes = found.whole.bytes.len() as u64;
    let (past, plan) = RecordPast::of(&found.whole.record, bytes, env!("CARGO_PKG_VERSION"))?;
    sql::check_resume(&run_options.request, options.server.as_ref())?;
    if options.server.is_none() {
        make::check(&run_options.request)?;
    }
    let header = Header { plan, ..found.whole.record.header.clone() };
    let was_together = header.nodes.first().member.is_some();
    if was_together {
        sql::check_alone(&header.request)?;
    }
    match crew.filter(|crew| !crew.is_alone()) {
        Some(_) if was_together && options.dry_run => {
            return Err(Problem::usage("what remains of a run on several nodes cannot be shown")
                .at("--dry-run")
                .because("every node has to inspect its own targets, which happens when the run resumes")
                .next("resume without --dry-run: the record is not touched before all nodes are ready"));
        }
        Some(crew) if was_together => return go_on_together(reporter, crew, header, past, found),
        None if was_together => {
            return Err(Problem::refused("the run was made by several nodes, but this is a single program")
                .because("samples from one node and from several cannot be combined")
                .next("resume with rigel-mpi, on the same hosts in the same order"));
        }
        Some(_) => {
            return Err(Problem::refused("the run was made by a single program, but this is rigel-mpi")
                .because("samples from one node and from several cannot be combined")
                .next("resume with `rigel run --resume`"));
        }
        None => {}
    }
    // Weeks may bring another kernel, and a soak compares no rates.
    if run_options.request.soak().is_none() {
        check_host(&header.nodes.first().host, &rigel_io::host::host_facts())?;
    }
    if options.dry_run {
        return foretell(reporter, &header, &past);
    }
    let life = Life::again(reporter, prepare(reporter, &header.plan)?);
    if let TargetSource::Server(server) = &run_options.targets {
        return go_on_in_sql(&life, server, header, past, found);
    }
    let scratch = Scratch::again(&header.targets)?;
    life.end(scratch, |scratch| go_on(reporter, header, past, found, scratch, &life.signals))
}

/// A gate must not pass because the record has nothing that it could be asked of.
fn check_gates(options: &ResumeOptions, record: &mut Record) -> Result<(), Problem> {
    if !options.versus.demands.is_empty() && record.header.request.sides.is_none() {
        return Err(Problem::usage("the record is not of a two-sided run")
            .at(path_text::encode(&options.record))
            .because("the gates of `rigel versus` are about B")
            .next("leave out --fail-if and --require, or name the record of a run of `rigel versus`"));
    }
    versus::judge_by(record, &options.versus)
}

/// Opens and locks the record, and reads it with its torn last line, if there is one.
fn open(path: &Path, streams: &Streams) -> Result<LockedRecord, Problem> {
    let (set, mut file) = OutputSet::reopen(path)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(|error| report::unreadable(path, &error))?;
    let whole = FullRecord::of(path, bytes, &[], streams)?;
    let run_id = &whole.record.header.run_id;
    if *run_id != set.run_id {
        return Err(Problem::usage("the record was renamed")
            .at(path_text::encode(path))
            .because(format!("it belongs to the run {}", path_text::printable(run_id)))
            .next("rename it back to NAME_record.jsonl: the outputs of a run share its name"));
    }
    Ok(LockedRecord { set, file, whole })
}

/// The options with which the run was started, as far as they still matter.
fn run_options(options: &ResumeOptions, set: &OutputSet, header: &Header) -> RunOptions {
    let request = header.request.clone();
    let front = match request.task {
        Task::Soak { soak, .. } if !soak.through => Front::Soak,
        Task::Rate { .. } => Front::Slo,
        Task::Calibrate { .. } => Front::Calibrate,
        Task::Matrix { .. }
        | Task::Load { .. }
        | Task::Phases(_)
        | Task::Soak { .. }
        | Task::Burst { .. }
        | Task::WorkingSet(_) => Front::Rigel,
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
        out_dir: dir_of(&options.record).to_owned(),
        // The outputs that are there come from the first part of the same record.
        force: true,
        display: Display { no_html, ..options.display },
        versus: options.versus.clone(),
        ..bare(request, targets, options.destroy.clone())
    }
}

/// The options of a run that continues, as far as they matter to a node that writes no output.
pub fn bare(request: Request, targets: TargetSource, destroy: Vec<PathBuf>) -> RunOptions {
    RunOptions {
        front: Front::Rigel,
        targets,
        request,
        out_dir: PathBuf::new(),
        destroy,
        dry_run: false,
        // The request has its load.
        load: None,
        compress: None,
        as_load: false,
        own_writes: None,
        // The record does not say whether the user wanted the history, and it is foreign text.
        history: false,
        // They are in the request, or were not wanted.
        commits: false,
        force: false,
        display: Display::default(),
        versus: Versus::default(),
        notes: Vec::new(),
    }
}

/// Where a target is: a path typed relative to a directory means nothing in another one.
pub fn place(target: &TargetFacts) -> PathBuf {
    let typed = path_text::decode(&target.path);
    if typed.is_absolute() { typed } else { path_text::decode(&target.real_path) }
}

fn go_on(
    reporter: Reporter<'_>,
    header: Header,
    past: RecordPast,
    found: LockedRecord,
    scratch: &Scratch,
    signals: &Signals,
) -> MeasuredEnd {
    let options = reporter.options;
    let restarted = is_restarted(&header.nodes.first().host, &rigel_io::host::host_facts());
    let now = match scratch.facts()? {
        Some(facts) => facts,
        None => look(options, &header)?,
    };
    check_targets(&header.targets, &now, restarted)?;
    consent::check_names(&options.destroy, &now)?;
    let permits = consent::permits(reporter, &now, &scratch.holds(), signals.flag())?;
    let run = run_of(&header, &found);
    // The facts of now: later visits read what earlier ones wrote.
    let alone = Team::default();
    let start = Start { engine: Some(header.nodes.first().engine.kind), ..Start::behind(&past, &alone) };
    let bench = make::bench(&run, header.nodes.first().host.clone(), now, &permits, start)?;
    let stays = !scratch.goes_away() || run.request.soak().is_some();
    ready((run, bench, stays), reporter, header, past, found, signals)?.go(reporter, signals)
}

fn look(options: &RunOptions, header: &Header) -> Result<Vec<TargetFacts>, Problem> {
    targets::look(options, &header.nodes.first().host).map_err(|problem| {
        problem.next("bring the target back; a relative path is resolved in the directory where you resume")
    })
}

/// The plan, and where the run would resume. Refuses what the resumed run would refuse, as far as that is known without reading targets.
fn foretell(reporter: Reporter<'_>, header: &Header, past: &RecordPast) -> Result<(), Problem> {
    let options = reporter.options;
    // What a scratch file was filled with only its record says.
    let with_scratch =
        |(now, then): (TargetFacts, &TargetFacts)| TargetFacts { scratch: then.scratch, ..now };
    let now: Vec<TargetFacts> =
        look(options, header)?.into_iter().zip(&header.targets).map(with_scratch).collect();
    let host = rigel_io::host::host_facts();
    dry_run::show(reporter, (&host, &header.plan), &now, dry_run::foretell(options, &now)?)?;
    reporter.streams.results(format!("\nIf it is resumed: {}.\n", describe(past)).as_bytes())?;
    check_targets(&header.targets, &now, is_restarted(&header.nodes.first().host, &host))?;
    dry_run::outputs_refusal(reporter, &header.plan)?;
    consent::check_names(&options.destroy, &now)?;
    consent::foresee(options, &now)
}

/// On all nodes, each of which has to be what it was.
fn go_on_together(
    reporter: Reporter<'_>,
    crew: &Crew,
    header: Header,
    past: RecordPast,
    found: LockedRecord,
) -> Result<(), Problem> {
    let life = Life::again(reporter, prepare(reporter, &header.plan)?);
    let signals = &life.signals;
    // The request of the record has all of its classes, by which the lists are checked when the nodes meet.
    let met = crew.meet_again(&header, reporter.options, rigel_io::host::host_facts())?;
    let run = run_of(&header, &found);
    let engines: Vec<EngineKind> = header.nodes.all().iter().map(|node| node.engine.kind).collect();
    let bench = crew.bench(reporter, &run, met, &past, &engines, signals)?;
    let ready = ready((run, bench, true), reporter, header, past, found, signals)?;
    life.end((), |()| ready.go(reporter, signals))
}

/// On the table of an existing server, or of a private one that is created again.
fn go_on_in_sql(
    life: &Life<'_>,
    server: &ServerSource,
    header: Header,
    past: RecordPast,
    found: LockedRecord,
) -> Result<(), Problem> {
    let (reporter, signals) = (life.reporter, &life.signals);
    let run = run_of(&header, &found);
    let Some(dsn) = server.dsn.as_deref() else {
        return sql::made_again(life, server, (header, run, past), |(header, run, past), bench| {
            ready((run, bench, true), reporter, header, past, found, signals)?.go(reporter, signals)
        });
    };
    let bench = sql::again(reporter, server, &header, &run, &past, signals)?;
    let ready = ready((run, bench, !server.drop), reporter, header, past, found, signals)?;
    life.end(sql::SchemaThere::again(server, dsn)?, |_| ready.go(reporter, signals))
}

fn run_of(header: &Header, found: &LockedRecord) -> Run {
    Run {
        program_version: header.program_version.clone(),
        run_id: found.set.run_id.clone(),
        request: header.request.clone(),
        plan: header.plan.clone(),
    }
}

/// The last checks before the record is touched.
fn ready(
    (run, bench, resumable): (Run, Box<dyn Bench>, bool),
    reporter: Reporter<'_>,
    header: Header,
    past: RecordPast,
    found: LockedRecord,
    signals: &Signals,
) -> Result<ReadyRun, Problem> {
    for (then, now) in header.nodes.all().iter().zip(bench.site().nodes.all()) {
        check_engine(&then.engine, &now.engine)?;
    }
    check_not_stopped(signals)
        .map_err(|problem| problem.next("the record is unchanged; resume later in the same way"))?;
    let wall = wall(header.request.engine, Some(&header.started));
    reporter.note(describe(&past));
    put_back(reporter, &found)?;
    cut(&found)?;
    let LockedRecord { set, file: record, .. } = found;
    let beginning = Beginning::resumed(wall, header, past);
    Ok(ReadyRun { run, beginning, bench, set, record, resumable })
}

fn describe(past: &RecordPast) -> String {
    let left_out = match (past.set_aside, past.torn_bytes) {
        (0, 0) => "",
        (0, _) => "; its last line is incomplete and ignored",
        (_, 0) => "; the last one was cut short, failed or hung, and is ignored",
        (_, _) => "; the last one and an incomplete line are ignored",
    };
    format!("the run resumes after the {} visits in its record{left_out}", past.visits.len())
}

/// Appends the lines that did not fit into the record, and removes the files in which they were kept.
fn put_back(reporter: Reporter<'_>, found: &LockedRecord) -> Result<(), Problem> {
    let LockedRecord { set, whole, file } = found;
    if let (Some(at), Some(files)) = (whole.behind, whole.elsewhere()) {
        let end = whole.record.torn.as_ref().map_or(whole.bytes.len(), |torn| torn.offset);
        let lines = whole.bytes.get(at..end).unwrap_or_default();
        let cut = || file.set_len(at as u64);
        cut().and_then(|()| (&*file).write_all(lines)).and_then(|()| file.sync_all()).map_err(|error| {
            // What is left of them would stand in front of the next try.
            let _ = cut();
            Problem::refused(format!("the end of the record cannot be restored: {error}"))
                .at(path_text::encode(&set.record_path()))
                .because(format!("it did not fit into the record, and is kept in {files}"))
                .next("free some space, then resume")
        })?;
        reporter.note(format!("the end of the record, which had not fitted, was restored from {files}"));
    }
    // One that stays says nothing that the record has not.
    whole.rests.iter().for_each(|path| drop(fs::remove_file(path)));
    Ok(())
}

/// Cuts a torn last line off, so what is added begins a line.
fn cut(found: &LockedRecord) -> Result<(), Problem> {
    let LockedRecord { set, file, whole } = found;
    let Some(torn) = whole.record.torn.as_ref().filter(|_| whole.behind.is_none()) else { return Ok(()) };
    let done = file.set_len(torn.offset as u64).and_then(|()| file.sync_all());
    done.map_err(|error| {
        Problem::refused(format!("the record cannot be truncated after its last complete line: {error}"))
            .at(path_text::encode(&set.record_path()))
            .next("check whether the filesystem is read-only or full")
    })
}
