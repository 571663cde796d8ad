//! `rigel run` and `rigel orion`: from what was typed to the outputs on disk.
//!
//! [`run`] is the order of things; the rooms below it do them.

mod consent;
mod measure;
mod present;
mod targets;

use crate::args::{RunOptions, TargetSource};
use crate::output::{self, OutputSet};
use crate::progress::{ByteProgress, Look, RunProgress};
use crate::signals::Signals;
use present::Voice;
use rigel_core::error::Problem;
use rigel_core::facts::{HostFacts, TargetFacts};
use rigel_core::path_text;
use rigel_core::plan::Plan;
use rigel_core::request::EngineRequest;
use rigel_core::units::KIB;
use rigel_run::crew::Crew;
use rigel_run::execute::{Outcome, Run, execute};
use rigel_run::journal::Journal;
use rigel_run::wall::Wall;

/// Measures, and leaves the record and its outputs. `Ok(Some(_))` is a run that was cut short after something was
/// measured: its outputs are there, and the problem is still to be told.
///
/// # Errors
/// When nothing could be measured.
pub fn run(options: &RunOptions) -> Result<Option<Problem>, Problem> {
    let voice = Voice::of(options);
    let host = rigel_io::host::host_facts();
    let looked = targets::look(options, &host)?;
    let plan = Plan::new(&options.request, &host, &looked)?;
    voice.remarks(&options.notes);
    if options.dry_run {
        voice.plan(&options.request, &plan, &looked);
        return Ok(None);
    }
    output::check_directory(&options.out_dir, room_for_outputs(&plan))?;
    let signals = Signals::listen()?;
    let scratch = fill(options, &looked, &signals, &voice)?;
    let found = match scratch.facts()? {
        Some(facts) => vec![facts],
        None => looked,
    };
    let problem = measure_and_report(options, host, found, &signals, &voice)?;
    scratch.finish()?;
    Ok(problem)
}

/// The scratch file, when there is no other target.
fn fill(
    options: &RunOptions,
    looked: &[TargetFacts],
    signals: &Signals,
    voice: &Voice,
) -> Result<targets::Scratch, Problem> {
    let size_bytes = looked.first().map_or(0, |target| target.size_bytes);
    if matches!(options.targets, TargetSource::Scratch { .. }) {
        voice.scratch_size(size_bytes);
    }
    let mut bar = ByteProgress::new(Look::of_stderr(options.quiet), "filling the scratch file", size_bytes);
    let filled = targets::Scratch::fill(options, size_bytes, &mut |done, _| bar.done(done), signals.flag());
    drop(bar);
    let scratch = filled?;
    voice.note(scratch.describe());
    Ok(scratch)
}

fn measure_and_report(
    options: &RunOptions,
    host: HostFacts,
    found: Vec<TargetFacts>,
    signals: &Signals,
    voice: &Voice,
) -> Result<Option<Problem>, Problem> {
    let plan = Plan::new(&options.request, &host, &found)?;
    let permits = consent::permits(options, &found, voice)?;
    let wall = wall(options.request.engine);
    let mut run = Run {
        program_version: env!("CARGO_PKG_VERSION").to_owned(),
        run_id: String::new(),
        request: options.request.clone(),
        plan,
        host,
        targets: found,
    };
    let mut crew = measure::crew(&run, options, &permits)?;
    let (set, file) = OutputSet::reserve(&options.out_dir, &options.request.name, &wall.stamp())?;
    run.run_id = set.run_id().to_owned();
    voice.begin(&run, crew.engine(), crew.buffers());
    let ended = walk(
        options,
        &run,
        crew.as_mut(),
        &wall,
        Journal::new(file, path_text::encode(&set.record_path())),
        signals,
    );
    // The workers end here, so that nothing is in flight when the outputs are written and the targets put away.
    drop(crew);
    // A broken queue or a full disk ends the run; what was measured before it is still to be shown.
    let written = present::outputs(options, &set, voice);
    let outcome = ended?;
    written?;
    Ok(outcome.problem())
}

fn walk(
    options: &RunOptions,
    run: &Run,
    crew: &mut dyn Crew,
    wall: &Wall,
    mut journal: Journal,
    signals: &Signals,
) -> Result<Outcome, Problem> {
    let mut progress = RunProgress::new(Look::of_stderr(options.quiet), run.plan.steps.len());
    let verbose = present::Verbose::of(options, &run.plan);
    execute(run, crew, wall, &mut journal, &signals.stop(), &mut |event| {
        verbose.event(&event);
        progress.event(&event);
    })
}

/// What a record and its outputs need at most: two histograms and two series a class, some tens of kilobytes a point.
fn room_for_outputs(plan: &Plan) -> u64 {
    KIB * 64 * (plan.steps.len() as u64 + 2)
}

/// Real time for real devices. A simulated run may be given its start by SOURCE_DATE_EPOCH (reproducible-builds.org), so
/// that the same seed gives the same bytes.
fn wall(engine: EngineRequest) -> Wall {
    let epoch = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|text| text.parse().ok());
    match (engine, epoch) {
        (EngineRequest::Sim(_), Some(epoch)) => Wall::simulated(epoch),
        _ => Wall::system(),
    }
}
