//! The bench of a run: engine, open targets and workers, as its request and its plan require.
//!
//! Every program that measures comes through here, so the same request is the same load everywhere. Must not decide what is written:
//! it opens for writing only with a permit.

use super::simulated::{self, SimulatedBench};
use super::threads::{OpenSite, ThreadBench, WorkerPlace, stack_bytes};
use super::trials::{self, Ahead, Trials};
use super::turns::Turns;
use super::{Bench, layout_in};
use crate::execute::Run;
use crate::job::Workload;
use rigel_core::error::Problem;
use rigel_core::facts::engine::EngineKind;
use rigel_core::facts::engine_trials::EngineTrials;
use rigel_core::facts::{HostFacts, TargetFacts, TargetKind};
use rigel_core::load::class::{LoadClass, PerClass};
use rigel_core::load::placement::{self, CpuChoice};
use rigel_core::load::plan::Plan;
use rigel_core::load::request::{EngineRequest, Request};
use rigel_core::load::sides::Side;
use rigel_core::load::split;
use rigel_core::load::team::Team;
use rigel_core::record::resume::RecordPast;
use rigel_core::units::Bytes;
use rigel_core::verify::DurableMark;
use rigel_io::backend::SlotLayout;
use rigel_io::clock::MonotonicClock;
use rigel_io::durable;
use rigel_io::engine::{self, EngineChoice};
use rigel_io::limits::allow_open_files;
use rigel_io::targets::OpenTargets;
use rigel_io::targets::guard::WritePermit;
use rigel_io::targets::open::Access;
use std::sync::Arc;

/// The starting state of a bench.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    /// The time of the run.
    pub run_ns: u64,
    /// For classes of verified blocks: what is certainly present, in a resumed run.
    pub settled: &'a PerClass<DurableMark>,
    /// This node's part of the load.
    pub team: &'a Team,
    /// The engine of a run that continues, where Rigel had chosen it: no run has two.
    pub engine: Option<EngineKind>,
}

impl<'a> Start<'a> {
    /// Continues after what a run has done.
    pub fn behind(past: &'a RecordPast, team: &'a Team) -> Self {
        Self { run_ns: past.run_ns(), settled: &past.settled, team, engine: None }
    }
}

/// The bench of a run on this node, ready.
///
/// # Errors
/// When a target cannot be opened, the engine does not work here, or a worker cannot be started.
pub fn bench(
    run: &Run,
    host: HostFacts,
    facts: Vec<TargetFacts>,
    permits: &[Option<WritePermit>],
    start: Start<'_>,
) -> Result<Box<dyn Bench>, Problem> {
    let Start { run_ns, settled, team, engine } = start;
    let choosing = engine.map_or(EngineSelection::ByTrials, |kind| EngineSelection::Kept(kind, None));
    let Run { request, plan, .. } = run;
    let workload = |request: &Request, facts: &[TargetFacts]| Workload::of(request, facts, team.clone());
    let clock = MonotonicClock::at(run_ns);
    match (request.engine, request.sides) {
        (EngineRequest::Sim(law), None) => {
            let workload = workload(request, &facts)?;
            let layouts = layouts(team, request, plan, None);
            Ok(Box::new(SimulatedBench::new(law, workload, layouts[0], simulated::site(host, facts))))
        }
        (EngineRequest::Sim(_), Some(_)) => {
            Ok(Box::new(Turns::simulated(request, plan, &host, &facts, team)?))
        }
        (_, None) => {
            let workload = Workload { before: settled.clone(), ..workload(request, &facts)? };
            Ok(Box::new(of_workload((request, plan, workload), choosing, host, facts, permits, clock)?))
        }
        (_, Some(_)) => {
            check_workers_of_sides(request, plan, team)?;
            let side = |side, choosing| {
                let own = request.of_side(side, &facts).to_vec();
                let permits = request.of_side(side, permits);
                let alone = request.alone(side);
                let workload = workload(&alone, &own)?;
                of_workload((&alone, plan, workload), choosing, host.clone(), own, permits, clock)
            };
            let [a, b] = both_sides(request, choosing, side)?;
            Ok(Box::new(Turns::new(Box::new(a), Box::new(b))))
        }
    }
}

/// How the engine is chosen if a request leaves it open.
#[derive(Clone, Debug)]
enum EngineSelection {
    /// The engine of a resumed run, because a run has only one; or of both sides, with the trials on this one, and the reason.
    Kept(EngineKind, Option<(EngineTrials, String)>),
    /// The usual one that works here, without a trial.
    Usual,
    /// By trials, of other engines only if the usual one hands its I/Os over.
    ByTrials,
    /// By trials of all.
    ByAllTrials,
}

/// Whether both sides of a comparison leave the engine to Rigel.
fn is_free(request: &Request) -> bool {
    Side::BOTH.iter().all(|&side| request.alone(side).engine == EngineRequest::Auto)
}

/// The benches of both sides of a comparison. Where both leave the engine to Rigel they have the same one, and it is the one that holds back either
/// side least, whichever is named first. Where one side names its own, the other has the usual one, so a run that continues has it as well.
fn both_sides(
    request: &Request,
    choosing: EngineSelection,
    side: impl Fn(Side, EngineSelection) -> Result<ThreadBench, Problem>,
) -> Result<[ThreadBench; 2], Problem> {
    let is_free = is_free(request);
    let first = if is_free { choosing } else { EngineSelection::Usual };
    let both = [side(Side::A, first.clone())?, side(Side::B, first)?];
    let engines = both.each_ref().map(|bench| bench.site().nodes.first().engine.clone());
    if !is_free || engines[0].kind == engines[1].kind {
        return Ok(both);
    }
    // Targets have to be closed before they are opened again.
    drop(both);
    let mut trials = engines.map(|engine| engine.trials);
    for (which, trials) in Side::BOTH.into_iter().zip(&mut trials) {
        if trials.as_ref().is_none_or(|trials| trials.trials.len() < 2) {
            *trials = side(which, EngineSelection::ByAllTrials)?.site().nodes.first().engine.trials.clone();
        }
    }
    let kind = match &trials {
        [Some(a), Some(b)] => a.best_of_both(b),
        _ => None,
    };
    let sentence =
        |trials: &Option<EngineTrials>| trials.as_ref().map_or_else(String::new, EngineTrials::sentence);
    let [of_a, of_b] = trials.each_ref().map(sentence);
    let why = format!("A: {of_a}; B: {of_b}; both sides use the engine that slows either of them least");
    // A side that could not be tried leaves the usual one to both.
    let choosing = |trials: Option<EngineTrials>| {
        let kept = trials.map(|trials| (trials, why.clone()));
        kind.map_or(EngineSelection::Usual, |kind| EngineSelection::Kept(kind, kept))
    };
    let [of_a, of_b] = trials.map(choosing);
    Ok([side(Side::A, of_a)?, side(Side::B, of_b)?])
}

/// Refuses more workers on both sides together than a process can have.
fn check_workers_of_sides(request: &Request, plan: &Plan, team: &Team) -> Result<(), Problem> {
    let sides = Side::BOTH.map(|side| request.alone(side));
    let of_side = |side: &Request| match side.engine {
        EngineRequest::Only(kind @ EngineKind::Sync) => layouts(team, side, plan, Some(kind)),
        _ => Vec::new(),
    };
    let slots: Vec<u16> = sides.iter().flat_map(of_side).map(|layout| layout.slots()).collect();
    if slots.is_empty() { Ok(()) } else { engine::choose(Some(EngineKind::Sync), false, &slots).map(drop) }
}

/// Threads on open targets. `clock` shows the time of the run; `engine` is that of a resumed run.
///
/// # Errors
/// As [`bench()`].
pub fn of_threads(
    (request, plan, engine): (&Request, &Plan, Option<EngineKind>),
    host: HostFacts,
    facts: Vec<TargetFacts>,
    permits: &[Option<WritePermit>],
    clock: MonotonicClock,
) -> Result<ThreadBench, Problem> {
    let workload = Workload::new(request, &facts)?;
    let choosing = engine.map_or(EngineSelection::ByTrials, |kind| EngineSelection::Kept(kind, None));
    of_workload((request, plan, workload), choosing, host, facts, permits, clock)
}

fn of_workload(
    (request, plan, workload): (&Request, &Plan, Workload),
    choosing: EngineSelection,
    host: HostFacts,
    facts: Vec<TargetFacts>,
    permits: &[Option<WritePermit>],
    clock: MonotonicClock,
) -> Result<ThreadBench, Problem> {
    let asked = if let EngineRequest::Only(kind) = request.engine { Some(kind) } else { None };
    let wanted = asked.or(match &choosing {
        EngineSelection::Kept(kind, _) => Some(*kind),
        _ => None,
    });
    let slots: Vec<u16> =
        layouts(&workload.team, request, plan, wanted).iter().map(SlotLayout::slots).collect();
    // NVMe namespaces are opened twice, and each worker may have a ring.
    allow_open_files(2 * facts.len() + slots.len());
    check_stacks(wanted, slots.len(), &host)?;
    let choice = engine::choose(wanted, request.poll, &slots)?;
    let access = access(permits, &workload.team);
    let targets = Arc::new(open(&facts, !request.buffered, access, &choice)?);
    // The nodes of one run load the same targets.
    if workload.team.process.is_none() {
        targets.announce(request.share)?;
    }
    // Nodes try at the same time, as they load at the same time.
    let is_tried = trials::are_made(request, choice.kind)
        && matches!(choosing, EngineSelection::ByTrials | EngineSelection::ByAllTrials);
    let of_all = matches!(choosing, EngineSelection::ByAllTrials);
    let trials = Trials {
        request,
        plan,
        workload: &workload,
        host: &host,
        facts: &facts,
        targets: &targets,
        of_all,
        is_named: asked.is_some(),
    };
    let choice = match choosing {
        EngineSelection::Kept(_, Some((trials, why))) if asked.is_none() => {
            EngineChoice { reason: Some(why), trials: Some(trials), ..choice }
        }
        _ if is_tried => trials.choose(choice),
        _ => choice,
    };
    let syncs = request.classes.iter().map(|class| class.sync);
    let leave_out = |problem: Problem| match request.bound() {
        Some(_) => problem.next("skip the commits with --no-commits"),
        None => problem,
    };
    durable::check(choice.kind, syncs, &targets, &facts).map_err(leave_out)?;
    let rooms = plan.rooms_of(request, choice.kind, &workload.team);
    let workload = Workload { rooms, ..workload };
    let layouts = layouts(&workload.team, request, plan, Some(choice.kind));
    let places = places(request, &facts, &choice, layouts)?;
    let site = OpenSite { host, facts, targets };
    ThreadBench::start(choice, &places, workload, site, clock)
}

/// Refuses a worker for each outstanding I/O if their stacks do not fit into the address space: otherwise any later allocation may fail.
fn check_stacks(engine: Option<EngineKind>, workers: usize, host: &HostFacts) -> Result<(), Problem> {
    let need_bytes = stack_bytes(workers).saturating_mul(workers as u64);
    match host.limits.address_room_bytes {
        Some(room_bytes) if engine == Some(EngineKind::Sync) && need_bytes > room_bytes / 4 => {
            let what =
                format!("the stacks of {workers} workers alone need {} of address space", Bytes(need_bytes));
            Err(Problem::refused(what)
                .at("--engine sync")
                .because(format!(
                    "this process may use {} more (ulimit -v), a quarter of it for stacks",
                    Bytes(room_bytes)
                ))
                .next("raise the limit, use fewer outstanding I/Os, or --engine io_uring or libaio"))
        }
        _ => Ok(()),
    }
}

/// What each worker of an engine has outstanding; where none is requested, of the one that is chosen.
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

/// The engine that a run, or a side of it, would have on this host, in words, after a look whether it works, and what would be tried beside it;
/// `None` for a simulated one.
pub fn engine(run: &Request, side: Option<Side>, plan: &Plan, host: &HostFacts) -> Option<String> {
    let request = &side.map_or_else(|| run.clone(), |side| run.alone(side));
    let may_try = side.is_none() || is_free(run);
    Some(match chosen(request, plan)? {
        Ok(EngineChoice { kind, reason, .. }) => {
            let found = if may_try { trials::ahead(request, plan, host, kind) } else { Ahead::default() };
            let reasons: Vec<String> = reason.into_iter().chain(found.left_out).collect();
            let reason =
                if reasons.is_empty() { String::new() } else { format!(" ({})", reasons.join("; ")) };
            let others: Vec<&str> = found.others.into_iter().map(EngineKind::name).collect();
            let and = if request.engine == EngineRequest::Auto { "or" } else { "and" };
            let others = match others.as_slice() {
                [first, middle, last] => format!("{first}, {middle} {and} {last}"),
                _ => others.join(&format!(" {and} ")),
            };
            let why = match request.engine {
                EngineRequest::Auto if others.is_empty() => ", the best one that works here".to_owned(),
                EngineRequest::Auto => {
                    format!(
                        ", the best one that works here, unless short trials show that {others} does more"
                    )
                }
                _ if others.is_empty() => String::new(),
                _ => format!(", compared in short trials with {others}"),
            };
            format!("{}{why}{reason}", kind.name())
        }
        Err(problem) => format!(
            "this run would be refused: {}",
            [Some(problem.what), problem.cause].into_iter().flatten().collect::<Vec<_>>().join(": ")
        ),
    })
}

/// Refuses what [`bench()`] would refuse, as far as it can be known without a permit to write; nothing is read or written.
///
/// # Errors
/// When the engine does not work here, a target cannot be opened, or another run of Rigel uses it.
pub fn foresee(request: &Request, plan: &Plan, facts: &[TargetFacts]) -> Result<(), Problem> {
    if request.sides.is_some() {
        check_workers_of_sides(request, plan, &Team::default())?;
    }
    for (part, facts) in request.parts(facts) {
        let Some(choice) = chosen(&part, plan).transpose()? else { continue };
        // One of the run's own may not be there yet.
        let is_there = |target: &&TargetFacts| !target.is_own_scratch();
        let there: Vec<TargetFacts> = facts.iter().filter(is_there).cloned().collect();
        let targets = open(&there, !part.buffered, Access::ReadOnly, &choice)?;
        if part.writes_at_all() && !choice.kind.is_without_storage() {
            targets.foresee_writes(&there)?;
        }
        targets.check_unloaded(part.share, part.writes_at_all())?;
    }
    Ok(())
}

/// The engine that a run would have on this host; `None` for a simulated one, and where none works.
pub fn engine_kind(request: &Request, plan: &Plan) -> Option<EngineKind> {
    Some(chosen(request, plan)?.ok()?.kind)
}

/// Tries whether the engine of a run works here; `None` for a simulated one.
fn chosen(request: &Request, plan: &Plan) -> Option<Result<EngineChoice, Problem>> {
    let wanted = match request.engine {
        EngineRequest::Sim(_) => return None,
        EngineRequest::Auto => None,
        EngineRequest::Only(kind) => Some(kind),
    };
    let slots: Vec<u16> =
        layouts(&Team::default(), request, plan, wanted).iter().map(SlotLayout::slots).collect();
    Some(engine::choose(wanted, request.poll, &slots))
}

/// Refuses what the bench of a run cannot do, before anything is filled or checked: classes that the engines do not support, CPUs
/// that are not available.
///
/// # Errors
/// With the problem.
pub fn check(request: &Request) -> Result<(), Problem> {
    request.classes.iter().try_for_each(LoadClass::check_block_io)?;
    match request.cpus {
        CpuChoice::List(_) => placement::place(1, &request.cpus, &rigel_io::cpus::allowed(), &[]).map(drop),
        CpuChoice::Auto | CpuChoice::Any => Ok(()),
    }
}

/// Each worker's slots and CPUs. An engine of many threads needs more than one CPU per worker, so the scheduler places it
/// unless CPUs were asked for.
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

/// Nodes that share targets have to be known as those of one run.
const fn access<'a>(permits: &'a [Option<WritePermit>], team: &Team) -> Access<'a> {
    match team.process {
        _ if permits.is_empty() => Access::ReadOnly,
        Some(run) if team.shared => Access::Together(permits, run),
        _ => Access::Permits(permits),
    }
}

fn open(
    facts: &[TargetFacts],
    direct: bool,
    access: Access<'_>,
    choice: &EngineChoice,
) -> Result<OpenTargets, Problem> {
    let real = facts.iter().filter(|target| target.kind != TargetKind::Simulated);
    let real: Vec<TargetFacts> =
        if choice.kind.is_without_storage() { Vec::new() } else { real.cloned().collect() };
    let targets = OpenTargets::open(&real, access, direct)?;
    if choice.kind == EngineKind::Nvme { targets.with_namespaces(&real) } else { Ok(targets) }
}
