//! Engine, open targets and workers of a run.

use rigel_core::error::Problem;
use rigel_core::facts::engine::EngineKind;
use rigel_core::facts::{HostFacts, TargetFacts, TargetKind};
use rigel_core::load::class::LoadClass;
use rigel_core::load::placement::{self, CpuChoice};
use rigel_core::load::plan::Plan;
use rigel_core::load::request::{EngineRequest, Request};
use rigel_io::backend::SlotLayout;
use rigel_io::durable;
use rigel_io::engine::{self, EngineChoice};
use rigel_io::limits::allow_open_files;
use rigel_io::targets::OpenTargets;
use rigel_io::targets::guard::WritePermit;
use rigel_io::targets::open::Access;
use rigel_run::bench::simulated::{self, SimulatedBench};
use rigel_run::bench::threads::{OpenSite, ThreadBench, WorkerPlace};
use rigel_run::bench::{self, Bench};
use rigel_run::execute::Run;
use rigel_run::job::Workload;
use std::sync::Arc;

/// The bench of a run, ready. Its clock begins at `now_ns`, which is 0 unless the run is resumed.
pub fn bench(
    run: &Run,
    host: HostFacts,
    facts: Vec<TargetFacts>,
    permits: &[Option<WritePermit>],
    now_ns: u64,
) -> Result<Box<dyn Bench>, Problem> {
    let workload = Workload::new(&run.request, &facts)?;
    let layouts = layouts(&run.request, &run.plan);
    let wanted = match run.request.engine {
        EngineRequest::Sim(law) => {
            let site = simulated::site(host, facts);
            return Ok(Box::new(SimulatedBench::new(law, workload, layouts[0], site)));
        }
        EngineRequest::Auto => None,
        EngineRequest::Only(kind) => Some(kind),
    };
    let slots: Vec<u16> = layouts.iter().map(SlotLayout::slots).collect();
    // NVMe namespaces are opened twice, and each worker may have a ring.
    allow_open_files(2 * facts.len() + slots.len());
    let choice = engine::choose(wanted, run.request.poll, &slots)?;
    let targets = Arc::new(open(&facts, !run.request.buffered, permits, &choice)?);
    durable::check(choice.kind, run.request.classes.iter().map(|class| class.sync), &targets)?;
    let places = places(&run.request, &facts, &choice, layouts)?;
    let site = OpenSite { host, facts, targets };
    Ok(Box::new(ThreadBench::start(choice, &places, workload, site, now_ns)?))
}

/// What each worker has outstanding.
fn layouts(request: &Request, plan: &Plan) -> Vec<SlotLayout> {
    (0..plan.workers).map(|worker| bench::layout(request, plan, worker)).collect()
}

/// The engine that a run would have on this host, in words, after a look whether it works; `None` for a simulated one.
pub fn engine(request: &Request, plan: &Plan) -> Option<String> {
    let (wanted, why) = match request.engine {
        EngineRequest::Sim(_) => return None,
        EngineRequest::Auto => (None, ", the best one that works here"),
        EngineRequest::Only(kind) => (Some(kind), ""),
    };
    let slots: Vec<u16> = layouts(request, plan).iter().map(SlotLayout::slots).collect();
    Some(match engine::choose(wanted, request.poll, &slots) {
        Ok(EngineChoice { kind, reason, .. }) => {
            let reason = reason.map_or_else(String::new, |reason| format!(" ({reason})"));
            format!("{}{why}{reason}", kind.name())
        }
        Err(problem) => format!(
            "this run would be refused: {}",
            [Some(problem.what), problem.cause].into_iter().flatten().collect::<Vec<_>>().join(": ")
        ),
    })
}

/// Refuses what the bench of a run cannot do, before anything is filled or looked at: classes that the engines do not know, CPUs
/// that cannot be had.
pub fn check(request: &Request) -> Result<(), Problem> {
    request.classes.iter().try_for_each(LoadClass::check_block_io)?;
    match request.cpus {
        CpuChoice::List(_) => placement::place(1, &request.cpus, &rigel_io::cpus::allowed(), &[]).map(drop),
        CpuChoice::Auto | CpuChoice::Any => Ok(()),
    }
}

/// Each worker's slots and CPUs. An engine of many threads needs more than one CPU per worker, so the scheduler places it
/// unless CPUs were asked for.
fn places(
    request: &Request,
    facts: &[TargetFacts],
    choice: &EngineChoice,
    layouts: Vec<SlotLayout>,
) -> Result<Vec<WorkerPlace>, Problem> {
    let asked = &request.cpus;
    let cpus =
        if *asked == CpuChoice::Auto && !choice.kind.has_one_thread() { &CpuChoice::Any } else { asked };
    let nodes = facts.iter().filter_map(|target| target.device.as_ref()?.numa_node);
    let nodes: Vec<u32> = nodes.filter_map(|node| u32::try_from(node).ok()).collect();
    let places = placement::place(layouts.len(), cpus, &rigel_io::cpus::allowed(), &nodes)?;
    Ok(layouts.into_iter().zip(places).map(|(layout, cpus)| WorkerPlace { layout, cpus }).collect())
}

fn open(
    facts: &[TargetFacts],
    direct: bool,
    permits: &[Option<WritePermit>],
    choice: &EngineChoice,
) -> Result<OpenTargets, Problem> {
    let real = facts.iter().filter(|target| target.kind != TargetKind::Simulated);
    let real: Vec<TargetFacts> =
        if choice.kind.is_without_storage() { Vec::new() } else { real.cloned().collect() };
    let access = if permits.is_empty() { Access::ReadOnly } else { Access::Permits(permits) };
    let targets = OpenTargets::open(&real, access, direct)?;
    if choice.kind == EngineKind::Nvme { targets.with_namespaces(&real) } else { Ok(targets) }
}
