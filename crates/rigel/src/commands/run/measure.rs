//! Engine, open targets, workers: everything between a permit and the walk through the plan.

use crate::args::RunOptions;
use rigel_core::error::Problem;
use rigel_core::facts::TargetKind;
use rigel_core::plan;
use rigel_core::request::EngineRequest;
use rigel_io::engine::{self, EngineChoice};
use rigel_io::targets::OpenTargets;
use rigel_io::targets::guard::WritePermit;
use rigel_io::targets::open::{Access, TargetRequest};
use rigel_run::crew::inline::InlineCrew;
use rigel_run::crew::threads::ThreadCrew;
use rigel_run::crew::{self, Crew};
use rigel_run::execute::Run;
use rigel_run::job::Workload;
use std::sync::Arc;

/// The workers of a run, ready.
///
/// # Errors
/// When no engine works, or a target cannot be opened.
pub fn crew(
    run: &Run,
    options: &RunOptions,
    permits: &[Option<WritePermit>],
) -> Result<Box<dyn Crew>, Problem> {
    let volumes = plan::volumes(&run.request, &run.targets)?;
    let workload = Workload::new(&run.request, &run.targets, volumes);
    let layouts: Vec<_> =
        (0..run.plan.workers).map(|worker| crew::layout(&run.request, &run.plan, worker)).collect();
    let wanted = match run.request.engine {
        EngineRequest::Sim(law) => return Ok(Box::new(InlineCrew::simulated(law, workload, layouts[0]))),
        EngineRequest::Auto => None,
        EngineRequest::Only(kind) => Some(kind),
    };
    let slots: Vec<u16> = layouts.iter().map(rigel_io::backend::SlotLayout::slots).collect();
    let choice = engine::choose(wanted, &slots)?;
    let targets = open(run, options, permits, &choice)?;
    Ok(Box::new(ThreadCrew::start(choice.kind, choice.reason, &layouts, workload, Arc::new(targets))?))
}

fn open(
    run: &Run,
    options: &RunOptions,
    permits: &[Option<WritePermit>],
    choice: &EngineChoice,
) -> Result<OpenTargets, Problem> {
    let real = run.targets.iter().filter(|target| target.kind != TargetKind::Simulated);
    let requests: Vec<TargetRequest> =
        if choice.kind.is_without_storage() { Vec::new() } else { real.map(TargetRequest::of).collect() };
    let access = if permits.is_empty() { Access::ReadOnly } else { Access::Permits(permits) };
    OpenTargets::open(&requests, access, !options.request.buffered)
}
