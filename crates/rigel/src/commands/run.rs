//! `rigel run` and `rigel orion`: from what was typed to the outputs on disk.
//!
//! [`run`] is the order of things; the rooms below it do them.

mod consent;
mod measure;
mod present;
mod resume;
mod targets;

pub use resume::resume;

use crate::args::{RunOptions, TargetSource};
use crate::output::{self, OutputSet};
use crate::progress::{ByteProgress, ProgressMode, RunProgress};
use crate::signals::Signals;
use crate::tui::{self, LiveView};
use present::Voice;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::event::Event;
use rigel_core::facts::{HostFacts, TargetFacts};
use rigel_core::load::plan::Plan;
use rigel_core::load::request::EngineRequest;
use rigel_core::path_text;
use rigel_core::units::{KIB, MIB};
use rigel_report::text::Intent;
use rigel_run::crew::Crew;
use rigel_run::execute::{Beginning, Outcome, Run, execute};
use rigel_run::journal::Journal;
use rigel_run::wall::Wall;
use rigel_run::witness::watch;
use std::fs::File;
use std::sync::atomic::Ordering;
use targets::Scratch;

/// Measures, and leaves the record and its outputs. `Ok(Some(_))` is a run that was cut short after something was
/// measured: its outputs are there, and the problem is still to be told.
///
/// # Errors
/// When nothing could be measured.
pub fn run(options: &RunOptions) -> Result<Option<Problem>, Problem> {
    let voice = Voice::of(options);
    measure::check_cpus(&options.request)?;
    let host = rigel_io::host::host_facts();
    let looked = targets::look(options, &host)?;
    let plan = Plan::new(&options.request, &host, &looked)?;
    consent::check_names(options, &looked)?;
    voice.remarks(&options.notes);
    if options.dry_run {
        return dry_run(options, &plan, &looked).map(|()| None);
    }
    if options.tui {
        tui::check()?;
    }
    output::check_directory(&options.out_dir, room_for_outputs(&plan))?;
    let signals = Signals::listen()?;
    let scratch = fill(options, &looked, &signals, &voice)?;
    let ended = measure_and_report(options, host, looked, &scratch, &signals, &voice);
    both(ended, scratch.finish())
}

/// How the run ended and how the scratch file was put away, as one: the run itself comes first.
fn both(
    ended: Result<Option<Problem>, Problem>,
    put_away: Result<(), Problem>,
) -> Result<Option<Problem>, Problem> {
    match (ended, put_away) {
        (Ok(None), Err(trouble)) => Ok(Some(trouble)),
        (ended, Err(trouble)) => {
            Voice::trouble(&trouble);
            ended
        }
        (ended, Ok(())) => ended,
    }
}

/// Tells what a run would do, and does none of it.
fn dry_run(options: &RunOptions, plan: &Plan, looked: &[TargetFacts]) -> Result<(), Problem> {
    let intent = Intent {
        scratch: looked.first().and_then(|target| targets::scratch_intent(options, target.size_bytes)),
        consent: consent::forecast(options, looked)?,
    };
    present::plan(&options.request, plan, looked, &intent)
}

/// The scratch file, when there is no other target.
fn fill(
    options: &RunOptions,
    looked: &[TargetFacts],
    signals: &Signals,
    voice: &Voice,
) -> Result<Scratch, Problem> {
    let size_bytes = looked.first().map_or(0, |target| target.size_bytes);
    if matches!(options.targets, TargetSource::Scratch { .. }) {
        voice.scratch_size(size_bytes);
    }
    let mut bar =
        ByteProgress::new(ProgressMode::of_stderr(options.quiet), "filling the scratch file", size_bytes);
    let filled = Scratch::fill(options, size_bytes, &mut |done, _| bar.done(done), signals.flag());
    drop(bar);
    let scratch = filled?;
    voice.note(scratch.describe());
    Ok(scratch)
}

fn measure_and_report(
    options: &RunOptions,
    host: HostFacts,
    looked: Vec<TargetFacts>,
    scratch: &Scratch,
    signals: &Signals,
    voice: &Voice,
) -> Result<Option<Problem>, Problem> {
    let found = scratch.facts()?.map_or(looked, |facts| vec![facts]);
    let plan = Plan::new(&options.request, &host, &found)?;
    let hold = scratch.hold();
    let permits = consent::permits(options, &found, hold.as_ref(), voice, signals.flag())?;
    let wall = wall(options.request.engine);
    let mut run = Run {
        program_version: env!("CARGO_PKG_VERSION").to_owned(),
        run_id: String::new(),
        request: options.request.clone(),
        plan,
        host,
        targets: found,
    };
    let crew = measure::crew(&run, options, &permits, 0)?;
    if signals.flag().load(Ordering::Relaxed) {
        return Err(stopped_before_the_start());
    }
    let (set, record) = OutputSet::reserve(&options.out_dir, &options.request.name, &wall.stamp())?;
    run.run_id = set.run_id().to_owned();
    let resumable = !scratch.goes_away();
    let ready = Ready { run, beginning: Beginning::new(wall), crew, set, record, resumable };
    ready.go(options, signals, voice)
}

/// Everything that a run needs from here to its end.
struct Ready {
    run: Run,
    beginning: Beginning,
    crew: Box<dyn Crew>,
    set: OutputSet,
    /// Open to be added to.
    record: File,
    /// A run cannot go on without its scratch file.
    resumable: bool,
}

impl Ready {
    /// Measures, and leaves the outputs.
    fn go(self, options: &RunOptions, signals: &Signals, voice: &Voice) -> Result<Option<Problem>, Problem> {
        let Self { run, beginning, mut crew, set, record, resumable } = self;
        voice.begin(&run, beginning.before.is_some(), crew.engine(), crew.buffers());
        let journal = Journal::new(record, path_text::encode(&set.record_path()));
        let ended = walk(options, &run, beginning, crew.as_mut(), journal, signals);
        // The workers end here, so that nothing is in flight when the outputs are written and the targets put away.
        drop(crew);
        // A broken queue or a full disk ends the run; what was measured before it is still to be shown.
        let written = present::outputs(options, &set, voice);
        let outcome = ended?;
        written?;
        Ok(outcome.problem(resumable))
    }
}

fn stopped_before_the_start() -> Problem {
    Problem::new(ExitKind::CutShort, "the run was stopped before its first point")
        .because("the user ended it")
        .next("nothing was measured and no output is left; start again")
}

fn walk(
    options: &RunOptions,
    run: &Run,
    beginning: Beginning,
    crew: &mut dyn Crew,
    mut journal: Journal,
    signals: &Signals,
) -> Result<Outcome, Problem> {
    let mut shown = Shown::of(options, run, signals)?;
    let verbose = present::Verbose::of(options, &run.plan);
    let mut witness = watch(crew.clock(), crew.engine().kind, &run.targets);
    execute(run, beginning, crew, &mut journal, &signals.stop(), witness.as_mut(), &mut |event| {
        verbose.event(&event);
        shown.event(&event);
    })
}

/// What the user sees meanwhile.
enum Shown<'a> {
    Progress(RunProgress),
    View(Box<LiveView<'a>>),
}

impl<'a> Shown<'a> {
    fn of(options: &RunOptions, run: &Run, signals: &'a Signals) -> Result<Self, Problem> {
        if options.tui {
            return Ok(Self::View(Box::new(LiveView::open(signals)?)));
        }
        Ok(Self::Progress(RunProgress::new(ProgressMode::of_stderr(options.quiet), run.plan.steps.len())))
    }

    fn event(&mut self, event: &Event<'_>) {
        match self {
            Self::Progress(progress) => progress.event(event),
            Self::View(view) => view.event(event),
        }
    }
}

/// What a record and its outputs need at most: histograms and a series of each class, some tens of kilobytes a visit, and
/// what every page carries.
fn room_for_outputs(plan: &Plan) -> u64 {
    let visits = plan.adaptive.as_ref().map_or(1, |adaptive| adaptive.parameters.most_visits);
    KIB * 64 * (plan.steps.len() as u64 * u64::from(visits) + 2) + MIB
}

fn epoch() -> Option<i64> {
    std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|text| text.parse().ok())
}

/// Real time for real devices. A simulated run may be given its start by SOURCE_DATE_EPOCH (reproducible-builds.org), so
/// that the same seed gives the same bytes.
fn wall(engine: EngineRequest) -> Wall {
    match (engine, epoch()) {
        (EngineRequest::Sim(_), Some(epoch)) => Wall::simulated(epoch),
        _ => Wall::system(),
    }
}
