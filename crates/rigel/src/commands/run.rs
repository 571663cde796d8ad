//! `rigel run`, `rigel calibrate`, `rigel sql` and `rigel orion`: from the options of a run to its outputs on disk.
//!
//! [`run`] has the steps in their order; the modules below do the work.

mod commits;
mod consent;
mod dry_run;
mod load;
mod nodes;
mod present;
mod resume;
mod sides;
pub mod soak;
mod sql;
mod targets;

pub use consent::{check_names, forecast_of, permit_for};
pub use nodes::{Crew, follow, own_name};
pub use resume::resume;
pub use sql::{drop_schema, install, prove, sql};
pub use targets::check_not_memory;

use crate::args::{RunOptions, TargetSource};
use crate::output::{self, OutputSet, rest};
use crate::progress::{RunProgress, WorkProgress};
use crate::signals::Signals;
use crate::streams::Streams;
use crate::tui::{self, LiveView};
use present::{Judged, Reporter};
use rigel_core::error::{ExitKind, Problem};
use rigel_core::event::Event;
use rigel_core::facts::{HostFacts, TargetFacts};
use rigel_core::load::class::LoadClass;
use rigel_core::load::plan::Plan;
use rigel_core::load::request::{EngineRequest, Request};
use rigel_core::load::sql::ServerChoice;
use rigel_core::load::team::Team;
use rigel_core::path_text;
use rigel_core::record::resume::{Past, command};
use rigel_core::units::{Bytes, KIB, MIB};
use rigel_run::bench::make::{self, Start};
use rigel_run::bench::{Bench, Site};
use rigel_run::execute::{Beginning, Outcome, Run, execute};
use rigel_run::journal::{Journal, RecordFile};
use rigel_run::wall::Wall;
use std::fs::File;
use std::sync::atomic::Ordering;
use targets::Scratch;

/// Measures, and leaves the record and its outputs. After a run that was cut short they are there, too.
pub fn run(options: &RunOptions, crew: Option<&Crew>, streams: &Streams) -> Result<(), Problem> {
    let options = &*load::with_file(options)?;
    make::check(&options.request)?;
    let host = rigel_io::host::host_facts();
    if let Some(crew) = crew.filter(|crew| !crew.is_alone()) {
        return together(options, host, crew, streams);
    }
    nodes::check_alone(&options.request)?;
    let looked = targets::look(options, &host)?;
    sides::check(options, &looked)?;
    let options = &*commits::of_calibration(options, &looked);
    let options = &*soak::of_targets(options, &looked);
    let reporter = Reporter { options, streams };
    let plan = planned(reporter, &host, &looked)?;
    check_names(&options.destroy, &looked)?;
    if options.dry_run {
        dry_run::show(reporter, &plan, &looked, dry_run::foretell(options, &looked)?)?;
        return dry_run::refusal(reporter, &plan, &looked);
    }
    let signals = prepare(reporter, &plan)?;
    let scratch = fill(reporter, &looked, &signals)?;
    let ended = measure_and_report(reporter, host, looked, &scratch, &signals);
    put_away(reporter, ended, scratch)
}

/// The plan, and what the user should hear before it is done.
fn planned(reporter: Reporter<'_>, host: &HostFacts, looked: &[TargetFacts]) -> Result<Plan, Problem> {
    let options = reporter.options;
    let plan = Plan::new(&options.request, host, looked)?;
    sides::check_engines(options, &plan, looked)?;
    reporter.remarks(&options.notes);
    reporter.memory(looked);
    reporter.note(narrowed(options, host, looked, &plan));
    reporter.note(commits::remark(&options.request));
    reporter.note(soak::remark(options));
    Ok(plan)
}

/// Said when the search for levels cannot go as far as it would with more memory.
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
    let options = &*commits::of_calibration(options, &looked);
    let options = &*soak::of_targets(options, &looked);
    // Both may have added classes.
    met.check_lists(&options.request)?;
    let reporter = Reporter { options, streams };
    let plan = planned(reporter, met.host(), &looked)?;
    reporter.note(met.describe());
    if options.dry_run {
        return dry_run::show(reporter, &plan, &looked, met.foretold());
    }
    let signals = prepare(reporter, &plan)?;
    let bench = |run: &Run| crew.bench(reporter, run, met, &Past::default(), &signals);
    put_on(reporter, (options.request.clone(), plan), bench, true, &signals)?.map_or(Ok(()), Err)
}

/// The end of a run and of its scratch file. A soak that is not over, or found something, leaves the file: it can go on, and somebody may look.
fn put_away(
    reporter: Reporter<'_>,
    ended: Result<Option<Problem>, Problem>,
    scratch: Scratch,
) -> Result<(), Problem> {
    let ended = ended.and_then(|cut| cut.map_or(Ok(()), Err));
    let goes_on = ended
        .as_ref()
        .is_err_and(|problem| matches!(problem.kind, ExitKind::CutShort | ExitKind::GateFailed));
    if reporter.options.request.pace.soak().is_none() || !goes_on || !scratch.goes_away() {
        return both(reporter, ended, scratch.finish());
    }
    scratch.leave();
    reporter.note(
        "the scratch file was left there, so that the soak can go on; remove it when you need it no more"
            .to_owned(),
    );
    ended
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

/// One result for the end of the run and the end of its scratch file. Of two problems that of the run comes first; the other one
/// is printed here.
fn both(
    reporter: Reporter<'_>,
    ended: Result<(), Problem>,
    put_away: Result<(), Problem>,
) -> Result<(), Problem> {
    if let (Err(_), Err(trouble)) = (&ended, &put_away) {
        reporter.trouble(trouble);
    }
    ended.and(put_away)
}

/// Fills the scratch file of a run that names no target.
fn fill(reporter: Reporter<'_>, looked: &[TargetFacts], signals: &Signals) -> Result<Scratch, Problem> {
    let options = reporter.options;
    let size_bytes = looked.first().map_or(0, |target| target.size_bytes);
    if matches!(options.targets, TargetSource::Scratch { .. }) {
        let size = Bytes(size_bytes);
        reporter.note(format!("no target named: measuring a scratch file of {size} in this directory"));
    }
    let mut bar = WorkProgress::of_bytes(reporter.streams, options.display.quiet, "filling the scratch file");
    let mut slowly = soak::Slowly::of(options.request.pace);
    let progress = &mut |done, total| {
        bar.done_of(done, total);
        slowly.rest(signals.flag());
    };
    let filled = Scratch::fill(options, size_bytes, progress, signals.flag());
    drop(bar);
    let scratch = filled?;
    reporter.note(scratch.describe());
    Ok(scratch)
}

fn measure_and_report(
    reporter: Reporter<'_>,
    host: HostFacts,
    looked: Vec<TargetFacts>,
    scratch: &Scratch,
    signals: &Signals,
) -> Result<Option<Problem>, Problem> {
    let options = reporter.options;
    let found = scratch.facts()?.map_or(looked, |facts| vec![facts]);
    let plan = Plan::new(&options.request, &host, &found)?;
    let hold = scratch.hold();
    let permits = consent::permits(reporter, &found, hold.as_ref(), signals.flag())?;
    let past = Past::default();
    let alone = Team::default();
    let bench = |run: &Run| make::bench(run, host, found, &permits, Start::behind(&past, &alone));
    let stays = !scratch.goes_away() || options.request.pace.soak().is_some();
    put_on(reporter, (options.request.clone(), plan), bench, stays, signals)
}

/// Puts the load of a plan on the bench that is made for it, from the record to the outputs.
fn put_on(
    reporter: Reporter<'_>,
    (request, plan): (Request, Plan),
    bench: impl FnOnce(&Run) -> Result<Box<dyn Bench>, Problem>,
    resumable: bool,
    signals: &Signals,
) -> Result<Option<Problem>, Problem> {
    let options = reporter.options;
    let wall = wall(options.request.engine, None);
    let mut run =
        Run { program_version: env!("CARGO_PKG_VERSION").to_owned(), run_id: String::new(), request, plan };
    let bench = bench(&run)?;
    if run.request.pace.soak().is_some() {
        run.request.rest_dirs = rest::dirs();
    }
    check_not_stopped(signals)?;
    let (set, record) = OutputSet::reserve(&options.out_dir, &options.request.name, &wall.stamp())?;
    run.run_id.clone_from(&set.run_id);
    let beginning = Beginning::new(wall);
    Ready { run, beginning, bench, set, record, resumable }.go(reporter, signals)
}

/// A run that is about to begin, or to go on.
struct Ready {
    run: Run,
    beginning: Beginning,
    bench: Box<dyn Bench>,
    set: OutputSet,
    /// Open to be added to.
    record: File,
    /// A run cannot go on without its scratch file.
    resumable: bool,
}

impl Ready {
    /// `Ok(Some(_))`: the run was cut short after something was measured, no number of it may be used, or data was wrong.
    fn go(self, reporter: Reporter<'_>, signals: &Signals) -> Result<Option<Problem>, Problem> {
        let Self { run, beginning, mut bench, set, record, resumable } = self;
        reporter.begin(&run, beginning.before.is_some(), &bench.site().nodes);
        let display = reporter.options.display;
        let is_soak = run.request.pace.soak().is_some();
        let command = going_on(&run.request, bench.site(), &set);
        let mut journal: Box<dyn Journal> = if is_soak {
            Box::new(soak::journal(reporter, record, &set, &command)?)
        } else {
            Box::new(RecordFile::new(record, path_text::encode(&set.record_path())))
        };
        // Nobody collects figures of virtual time.
        let is_watched = is_soak && !run.request.engine.is_simulated();
        let mut watch = is_watched.then(|| soak::Watch::new(reporter, set.clone()));
        let mut shown: Box<dyn FnMut(&Event<'_>)> = if display.tui {
            let mut view = LiveView::open(signals)?;
            Box::new(move |event| view.event(event))
        } else {
            let mut progress = RunProgress::new(reporter.streams, display.quiet, run.plan.steps.len());
            Box::new(move |event| progress.event(event))
        };
        let server = run.request.sql.as_ref().map(|sql| sql.server);
        let ended =
            execute(&run, beginning, bench.as_mut(), journal.as_mut(), &signals.stop(), &mut |event| {
                if display.verbose && !display.json {
                    present::begun_point(reporter, &event, &run.plan);
                }
                shown(&event);
                if let Some(watch) = &mut watch {
                    watch.event(&event);
                }
            });
        // The terminal is as it was when the results are printed.
        drop(shown);
        // The workers end here, so that nothing is in flight when the outputs are written and the targets put away.
        drop(bench);
        // The outputs show what was measured, also when a broken queue or a full disk ended the run.
        let written = present::outputs(reporter, &set, &journal.unkept());
        drop(journal);
        let again = server
            .map(|server| sql::the_rest(server, resumable, &set.record_path(), &reporter.options.targets));
        let outcome = ended.map_err(|problem| match &again {
            // The server was stopped, or ended the session.
            Some(again) if problem.kind == ExitKind::CutShort => problem.next(match server {
                // That of a private one went with it.
                Some(ServerChoice::Private) => again.clone(),
                _ => format!("see the server's own log; {again}"),
            }),
            _ => problem,
        });
        // What the storage did to data outweighs how the run ended.
        let outcome = match (outcome, &written) {
            (Err(problem), Ok(Judged { wrong_data: Some(_), .. })) => {
                reporter.trouble(&problem);
                return Ok(written?.problem(reporter, None));
            }
            (outcome, _) => outcome?,
        };
        let mut judged = written?;
        let stopped = judged.stopped.take();
        let cut_short = outcome.problem(&the_rest(resumable, &command)).map(|problem| {
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

/// The command that goes on with a run.
fn going_on(request: &Request, site: &Site, set: &OutputSet) -> String {
    command(request, &site.nodes, &site.targets, &path_text::encode(&set.record_path()))
}

/// What to do for what a stopped run did not measure.
fn the_rest(resumable: bool, command: &str) -> String {
    match resumable {
        true => format!("`{command}` measures the rest"),
        false => "for the rest start the run again (with --keep-scratch it could go on)".to_owned(),
    }
}

/// Ends a run that the user stopped before its first point.
fn check_not_stopped(signals: &Signals) -> Result<(), Problem> {
    if !signals.flag().load(Ordering::Relaxed) {
        return Ok(());
    }
    Err(Problem::new(ExitKind::CutShort, "you stopped the run before its first point")
        .next("nothing was measured and no output is left; start again"))
}

/// Most bytes that a record and its outputs need: some tens of kilobytes a visit for histograms and series, and the fixed
/// part of a page.
fn room_for_outputs(plan: &Plan) -> u64 {
    // A soak may end long after, and says so itself when the disk is full.
    let visits = plan.adaptive.as_ref().map_or(1, |adaptive| adaptive.parameters.most_visits);
    KIB * 64 * (plan.steps.len() as u64 * u64::from(visits) + 2) + MIB
}

/// The clock on the wall, of a run that was `begun` before or begins now. A simulated run can begin at the time in
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
