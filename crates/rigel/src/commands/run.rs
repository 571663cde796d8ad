//! `rigel run`, `rigel calibrate`, `rigel sql` and `rigel orion`: from the options of a run to its outputs on disk.
//!
//! [`run`] has the steps in their order; the modules below do the work.

mod burst;
mod commits;
mod consent;
mod dry_run;
mod life;
mod load;
mod marks;
mod memory;
mod nodes;
mod present;
mod resume;
mod scaling;
mod scratch;
mod sides;
pub mod soak;
mod sql;
mod targets;
pub mod through;
mod unwritten;
mod working_set;

pub use consent::{check_names, forecast_of, permit_for};
pub use load::job_bytes as load_job_bytes;
pub use marks::prefix as mark_prefix;
pub use memory::check_not_memory;
pub use nodes::{Crew, follow, own_name};
pub use resume::resume;
pub use sql::{drop_schema, install, prove, sql};

use crate::args::RunOptions;
use crate::output::{self, OutputSet, rest};
use crate::progress::{RunProgress, WorkProgress};
use crate::signals::Signals;
use crate::streams::Streams;
use crate::tui::{self, LiveView};
use life::{Life, MeasuredEnd};
use present::{Reporter, RunTrouble};
use rigel_core::error::{ExitKind, Problem};
use rigel_core::event::Event;
use rigel_core::facts::{HostFacts, TargetFacts};
use rigel_core::load::class::LoadClass;
use rigel_core::load::plan::Plan;
use rigel_core::load::request::{EngineRequest, Request};
use rigel_core::load::task::Task;
use rigel_core::load::team::Team;
use rigel_core::path_text;
use rigel_core::record::resume::{RecordPast, command};
use rigel_core::units::{Bytes, KIB, MIB};
use rigel_run::bench::make::{self, Start};
use rigel_run::bench::{Bench, Site};
use rigel_run::execute::{Beginning, Outcome, Run, execute};
use rigel_run::journal::{Journal, RecordFile};
use rigel_run::wall::Wall;
use scratch::Scratch;
use std::fs::File;
use std::sync::atomic::Ordering;

/// Measures, and writes the record and its outputs, even if the run was cut short.
pub fn run(options: &RunOptions, crew: Option<&Crew>, streams: &Streams) -> Result<(), Problem> {
    let options = &*load::with_file(options)?;
    make::check(&options.request)?;
    let host = rigel_io::host::host_facts();
    if let Some(crew) = crew.filter(|crew| !crew.is_alone()) {
        return together(options, host, crew, streams);
    }
    nodes::check_alone(&options.request)?;
    let options = &*targets::with_directories(options)?;
    let looked = targets::look(options, &host)?;
    sides::check(options, &looked)?;
    let options = &*commits::of_calibration(options, &looked);
    let options = &*soak::of_targets(options, &looked);
    let options = &*scaling::of_targets(options, &looked)?;
    let options = &*burst::of_targets(options, &looked);
    let options = &*working_set::of_targets(options, &looked)?;
    let reporter = Reporter { options, streams };
    let plan = planned(reporter, &host, &looked)?;
    check_names(&options.destroy, &looked)?;
    let show = || {
        dry_run::show(reporter, (&host, &plan), &looked, dry_run::foretell(options, &looked)?)?;
        dry_run::refusal(reporter, &plan, &looked)
    };
    let Some(life) = Life::begin(reporter, show, || prepare(reporter, &plan))? else { return Ok(()) };
    let scratch = fill(reporter, &looked, &life.signals)?;
    life.end(scratch, |scratch| measure_and_report(reporter, host, looked, scratch, &life.signals))
}

/// The plan, and what the user should hear before it is done.
fn planned(reporter: Reporter<'_>, host: &HostFacts, looked: &[TargetFacts]) -> Result<Plan, Problem> {
    let options = reporter.options;
    let plan = Plan::new(&options.request, host, looked)?;
    sides::check_engines(options, &plan, looked)?;
    reporter.remarks(&options.notes);
    reporter.remarks(&scaling::remarks(options, looked));
    // What will be refused needs no other word.
    if memory::check_answered_by_storage(&options.request, looked).is_ok() {
        reporter.memory(looked);
        reporter.remarks(&unwritten::remarks(options, looked));
    }
    reporter.note(narrowed(options, host, looked, &plan));
    reporter.note(commits::remark(&options.request));
    reporter.note(soak::remark(options));
    reporter.note(burst::remark(options));
    reporter.note(working_set::remark(options));
    Ok(plan)
}

/// Shown if memory limits how far the search for levels can go.
fn narrowed(options: &RunOptions, host: &HostFacts, looked: &[TargetFacts], plan: &Plan) -> Option<String> {
    let search = plan.search.as_ref()?;
    let (room, _) = host.memory_room()?;
    let free = Plan::new(&options.request, &HostFacts::default(), looked).ok()?;
    let all = free.search?.most;
    let (&class, &most) = search.most.iter().find(|(class, most)| all.get(class) > Some(most))?;
    let nouns = options.request.class(class).map_or_else(String::new, LoadClass::nouns);
    Some(format!(
        "note: at most {most} outstanding {nouns}, because {} of memory are left for this process",
        Bytes(room)
    ))
}

/// The same on all nodes of a crew. Nobody writes before all are ready.
fn together(options: &RunOptions, host: HostFacts, crew: &Crew, streams: &Streams) -> Result<(), Problem> {
    let met = crew.meet(options, host)?;
    let (looked, options) = (met.targets().to_vec(), &met.options(options));
    sides::check(options, &looked)?;
    memory::check_answered_by_storage(&options.request, &looked)?;
    let options = &*commits::of_calibration(options, &looked);
    let options = &*soak::of_targets(options, &looked);
    scaling::check_alone(&options.request)?;
    burst::check_alone(&options.request)?;
    working_set::check_alone(&options.request)?;
    // Both may have added classes.
    met.check_lists(&options.request)?;
    let reporter = Reporter { options, streams };
    let plan = planned(reporter, met.host(), &looked)?;
    reporter.note(met.describe());
    let show = || dry_run::show(reporter, (met.host(), &plan), &looked, met.foretold());
    let Some(life) = Life::begin(reporter, show, || prepare(reporter, &plan))? else { return Ok(()) };
    let signals = &life.signals;
    let bench = |run: &Run| crew.bench(reporter, run, met, &RecordPast::default(), &[], signals);
    life.end((), |()| put_on(reporter, (options.request.clone(), plan), bench, true, signals))
}

/// Checks terminal and directory before anything is filled or measured, and listens for signals from then on.
fn prepare(reporter: Reporter<'_>, plan: &Plan) -> Result<Signals, Problem> {
    let options = reporter.options;
    if options.display.tui {
        tui::check(reporter.streams)?;
    }
    output::check_directory(&options.out_dir, room_for_outputs(plan))?;
    Signals::listen()
}

/// Fills the scratch file of a run that names no target.
fn fill(reporter: Reporter<'_>, looked: &[TargetFacts], signals: &Signals) -> Result<Scratch, Problem> {
    let options = reporter.options;
    let size_bytes = looked.first().map_or(0, |target| target.size_bytes);
    reporter.note(scratch::announcement(options, Bytes(size_bytes)));
    let mut bar = WorkProgress::of_bytes(reporter.streams, options.display.quiet, "filling the scratch file");
    let mut slowly = soak::SlowFill::of(&options.request);
    let progress = &mut |done, total| {
        bar.done_of(done, total);
        slowly.rest(signals.flag());
    };
    let filled = Scratch::fill(options, size_bytes, progress, signals.flag());
    drop(bar);
    let scratch = filled?;
    scratch.describe().into_iter().for_each(|line| reporter.note(line));
    Ok(scratch)
}

fn measure_and_report(
    reporter: Reporter<'_>,
    host: HostFacts,
    looked: Vec<TargetFacts>,
    scratch: &Scratch,
    signals: &Signals,
) -> MeasuredEnd {
    let options = reporter.options;
    let found = scratch.facts()?.unwrap_or(looked);
    let plan = Plan::new(&options.request, &host, &found)?;
    // Before anything is said of what will be written; what must not be written is refused for that.
    if let Err(memory) = memory::check_answered_by_storage(&options.request, &found) {
        consent::foresee(options, &found)?;
        return Err(memory);
    }
    let permits = consent::permits(reporter, &found, &scratch.holds(), signals.flag())?;
    let past = RecordPast::default();
    let alone = Team::default();
    let bench = |run: &Run| make::bench(run, host, found, &permits, Start::behind(&past, &alone));
    let is_soak = options.request.is_soak();
    let stays = scratch.is_one() && (!scratch.goes_away() || is_soak);
    put_on(reporter, (options.request.clone(), plan), bench, stays, signals)
}

/// Puts the load of a plan on the bench that is made for it, from the record to the outputs.
fn put_on(
    reporter: Reporter<'_>,
    (request, plan): (Request, Plan),
    bench: impl FnOnce(&Run) -> Result<Box<dyn Bench>, Problem>,
    resumable: bool,
    signals: &Signals,
) -> MeasuredEnd {
    let options = reporter.options;
    let wall = wall(options.request.engine, None);
    let mut run =
        Run { program_version: env!("CARGO_PKG_VERSION").to_owned(), run_id: String::new(), request, plan };
    let bench = bench(&run)?;
    if let Task::Soak { rest_dirs, .. } = &mut run.request.task {
        *rest_dirs = rest::dirs();
    }
    check_not_stopped(signals)?;
    let stamp = wall.stamp();
    let stamp = options.dates_its_files().then_some(stamp.as_str());
    let (set, record) = OutputSet::reserve(&options.out_dir, &options.request.name, stamp)?;
    run.run_id.clone_from(&set.run_id);
    let beginning = Beginning::new(wall);
    ReadyRun { run, beginning, bench, set, record, resumable }.go(reporter, signals)
}

/// A run that is about to begin, or to go on.
struct ReadyRun {
    run: Run,
    beginning: Beginning,
    bench: Box<dyn Bench>,
    set: OutputSet,
    /// Open to be added to.
    record: File,
    /// A run cannot go on without its scratch file.
    resumable: bool,
}

impl ReadyRun {
    /// `Ok(Some(_))`: the run was cut short after something was measured, no number of it may be used, or data was wrong.
    fn go(self, reporter: Reporter<'_>, signals: &Signals) -> Result<Option<Problem>, Problem> {
        let Self { run, beginning, mut bench, set, record, resumable } = self;
        reporter.begin(&run, beginning.before.is_some(), &bench.site().nodes);
        let display = reporter.options.display;
        let is_soak = run.request.soak().is_some();
        let command = going_on(&run.request, bench.site(), &set);
        let mut journal = journal(reporter, record, (&set, &command), is_soak)?;
        let listener = marks::MarkListener::of(reporter, &run, &bench.site().targets, &beginning.marks);
        let mut watch = soak::Watch::of(reporter, &run.request, &set);
        let mut shown: Box<dyn FnMut(&Event<'_>)> = if display.tui {
            let mut view = LiveView::open(signals)?;
            Box::new(move |event| view.event(event))
        } else {
            let mut progress = RunProgress::new(reporter.streams, display.quiet, run.plan.steps.len());
            Box::new(move |event| progress.event(event))
        };
        let server = run.request.sql().map(|sql| sql.server);
        let nodes = bench.site().nodes.all().len();
        let targets = bench.site().targets.clone();
        let ended =
            execute(&run, beginning, bench.as_mut(), journal.as_mut(), &signals.stop(), &mut |event| {
                if display.verbose && !display.json {
                    present::begun_point(reporter, &event, &run.plan);
                }
                shown(&event);
                marks::announce(reporter, &event);
                if let Some(watch) = &mut watch {
                    watch.event(&event);
                }
            });
        // The terminal is as it was when the results are printed.
        drop((shown, listener));
        // The workers end here, so that nothing is in flight when the outputs are written and the targets put away.
        drop(bench);
        // The outputs show what was measured, also when a broken queue or a full disk ended the run.
        let written = present::outputs(reporter, &set, &journal.unkept());
        present::unread(reporter, &set);
        drop(journal);
        let again = server.map(|server| {
            sql::the_rest(server, &targets, resumable, &set.record_path(), &reporter.options.targets)
        });
        let outcome =
            ended.map_err(|problem| sql::with_the_rest(problem, again.as_deref().zip(server), nodes));
        // What the storage did to data outweighs how the run ended.
        let outcome = match (outcome, &written) {
            (Err(problem), Ok(RunTrouble { wrong_data: Some(_), .. })) => {
                reporter.trouble(&problem);
                return Ok(written?.problem(reporter, None));
            }
            (outcome, _) => outcome?,
        };
        let mut judged = written?;
        let stopped = judged.stopped.take();
        let cut_short = outcome.problem(&the_rest(&run.request, resumable, &command)).map(|problem| {
            let problem = Problem { what: stopped.unwrap_or_else(|| problem.what.clone()), ..problem };
            match (outcome, again) {
                // There is no scratch file that could be kept.
                (Outcome::Stopped, Some(again)) => problem.next(again),
                _ => problem,
            }
        });
        Ok(judged.problem(reporter, cut_short))
    }
}

/// The journal of a run; that of a soak survives a full disk.
fn journal(
    reporter: Reporter<'_>,
    record: File,
    (set, command): (&OutputSet, &str),
    is_soak: bool,
) -> Result<Box<dyn Journal>, Problem> {
    if is_soak {
        return Ok(Box::new(soak::journal(reporter, record, set, command)?));
    }
    Ok(Box::new(RecordFile::new(record, path_text::encode(&set.record_path()))))
}

/// The command that resumes a run, from any directory. A scratch file is searched for in the current one.
fn going_on(request: &Request, site: &Site, set: &OutputSet) -> String {
    let record = set.record_path();
    let record = path_text::encode(&std::path::absolute(&record).unwrap_or(record));
    let command = command(request, &site.nodes, &site.targets, &record);
    let own = site.targets.iter().find(|target| target.is_own_scratch());
    let scratch = own.and_then(|target| target.real_path.rsplit_once('/'));
    match scratch {
        Some((directory, _)) => path_text::in_directory(directory, &command),
        None => command,
    }
}

/// What to do about what a stopped run did not measure.
fn the_rest(request: &Request, resumable: bool, command: &str) -> String {
    if request.burst().is_some() {
        return "a bucket refills meanwhile, so start the run again for a complete answer".to_owned();
    }
    if request.working_set().is_some() {
        return "a cache cools meanwhile, so start the run again for a complete answer".to_owned();
    }
    match (resumable, request.sides) {
        (true, _) => format!("`{command}` completes the run"),
        (false, None) => {
            "to complete it, start the run again (with --keep-scratch it could be resumed)".to_owned()
        }
        // A comparison keeps no scratch file.
        (false, Some(_)) => "to complete it, start the run again".to_owned(),
    }
}

/// Ends a run that the user stopped before its first point.
fn check_not_stopped(signals: &Signals) -> Result<(), Problem> {
    if !signals.flag().load(Ordering::Relaxed) {
        return Ok(());
    }
    Err(Problem::new(ExitKind::CutShort, "the run was stopped before its first point")
        .next("nothing was measured and there are no outputs; start again"))
}

/// Most bytes that a record and its outputs need: some tens of kilobytes a visit for histograms and series, and the fixed
/// part of a page.
fn room_for_outputs(plan: &Plan) -> u64 {
    // A soak may end long after, and says so itself when the disk is full.
    let visits = plan.adaptive.as_ref().map_or(1, |adaptive| adaptive.parameters.most_visits);
    KIB * 64 * (plan.steps.len() as u64 * u64::from(visits) + 2) + MIB
}

/// The wall clock of a run that was `begun` before or begins now. A simulated run can begin at the time in
/// SOURCE_DATE_EPOCH (reproducible-builds.org), so that the same seed gives the same bytes.
fn wall(engine: EngineRequest, begun: Option<&str>) -> Wall {
    let epoch = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|text| text.parse().ok());
    match (engine, epoch, begun) {
        (EngineRequest::Sim(_), Some(epoch), None) => Wall::simulated(epoch),
        (EngineRequest::Sim(_), Some(_), Some(begun)) => {
            Wall::simulated_since(begun).unwrap_or_else(Wall::system)
        }
        _ => Wall::system(),
    }
}
