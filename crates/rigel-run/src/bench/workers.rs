//! The workers of a bench: what each has outstanding, and on which CPUs it runs.
//!
//! Must not start one.

use super::layout_in;
use super::threads::WorkerPlace;
use rigel_core::error::Problem;
use rigel_core::facts::TargetFacts;
use rigel_core::facts::engine::EngineKind;
use rigel_core::load::placement::{self, CpuChoice};
use rigel_core::load::plan::Plan;
use rigel_core::load::request::Request;
use rigel_core::load::split;
use rigel_core::load::team::Team;
use rigel_io::backend::SlotLayout;
use rigel_io::engine::EngineChoice;

/// What each worker of an engine has outstanding; if none is requested, of the chosen one.
pub(super) fn layouts(
    team: &Team,
    request: &Request,
    plan: &Plan,
    engine: Option<EngineKind>,
) -> Vec<SlotLayout> {
    let rooms = engine.map_or_else(Vec::new, |engine| plan.rooms_of(request, engine, team));
    let workers = if rooms.is_empty() { plan.workers } else { split::workers_in(&rooms) };
    (0..workers).map(|worker| layout_in(team, request, plan, (worker, workers, &rooms))).collect()
}

/// Each worker's slots and CPUs. An engine with many threads needs more than one CPU per worker, so the scheduler
/// places it unless CPUs were requested.
pub(super) fn places(
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
