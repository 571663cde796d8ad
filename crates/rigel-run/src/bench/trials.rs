//! Short trials before a run that find the fastest engine on the targets.
//!
//! If no I/O of a ring has to be handed to a kernel thread, nothing is faster, and one trial of a fifth of a second shows it. If I/Os are handed
//! over, the other engines are tried in turn. A trial only reads, at places that no visit reads. Must not try an engine that the run could
//! not have.

use super::threads::{OpenSite, ThreadBench};
use super::workers::{layouts, places};
use super::{Bench, Detail, Order, Work};
use crate::job::Workload;
use rigel_core::error::Problem;
use rigel_core::facts::engine::EngineKind;
use rigel_core::facts::engine::trials::{EngineTrial, EngineTrials};
use rigel_core::facts::{HostFacts, TargetFacts};
use rigel_core::load::class::{Arrival, LoadClass, Pattern, Sync};
use rigel_core::load::matrix::{Point, RunLevel};
use rigel_core::load::plan::Plan;
use rigel_core::load::request::{EngineRequest, Request};
use rigel_core::load::team::Team;
use rigel_core::load::workload::WritePercent;
use rigel_core::units::{Bytes, NS_PER_MS, NS_PER_S, Nanos, to_f64};
use rigel_io::backend::SlotLayout;
use rigel_io::clock::MonotonicClock;
use rigel_io::durable;
use rigel_io::engine::{self, EngineChoice};
use rigel_io::io_wq;
use rigel_io::targets::OpenTargets;
use std::sync::Arc;

/// Load before and within the window of a turn.
const SETTLE_NS: u64 = 50 * NS_PER_MS;
const MEASURE_NS: u64 = 150 * NS_PER_MS;
/// Turns of each engine, where several are tried.
const TURNS: usize = 2;
/// A search begins low, and an open loop may never need the most that either could have.
const MOST_OUTSTANDING: u32 = 128;
/// A worker for each outstanding I/O of a plan: beyond that, not a choice without a request.
const MOST_WORKERS: u32 = 2048;
const BYTES_OF_WORKER: u64 = 256 << 10;
/// A device that does not answer is the business of the run.
const LONGEST_IO: Nanos = Nanos::from_secs(2);
/// The engines to try. The ring comes first: if it hands nothing over, no other is faster.
const TRIED: [EngineKind; 3] = [EngineKind::IoUring, EngineKind::Libaio, EngineKind::Sync];
/// One in this many I/Os may fail.
const MOST_FAILED: u64 = 100;
/// With fewer I/Os in a turn no engine is the limit, and none could be distinguished from another.
const FEWEST_IOS: u64 = 100;
/// The numbers of visits draw the places of I/Os. No run comes to these.
const FIRST_VISIT: u64 = u64::MAX / 2;

/// The trials of a run.
#[derive(Debug, Default)]
pub(super) struct Ahead {
    /// The engines besides the usual one.
    pub(super) others: Vec<EngineKind>,
    /// Why there are no more.
    pub(super) left_out: Vec<String>,
}

/// What a run of this plan would try on this host besides the usual engine; nothing is read or written.
pub(super) fn ahead(request: &Request, plan: &Plan, host: &HostFacts, usual: EngineKind) -> Ahead {
    let mut ahead = Ahead::default();
    if !are_made(request, usual) || class(request, plan).is_none() {
        return ahead;
    }
    if let Err(why) = check_address_space(host) {
        ahead.left_out.push(format!("other engines are not tried because {why}"));
        return ahead;
    }
    let is_named = matches!(request.engine, EngineRequest::Only(_));
    for kind in candidates(usual, is_named) {
        let syncs = request.classes.iter().map(|class| class.sync);
        let known = || durable::known(kind, syncs).map_err(why);
        match candidate((request, plan, host), &Team::default(), kind).and_then(|_| known()) {
            Ok(()) => ahead.others.push(kind),
            Err(why) => ahead.left_out.push(left_out(kind, &why)),
        }
    }
    ahead
}

/// Whether engines are compared before a run at all.
pub(super) fn are_made(request: &Request, usual: EngineKind) -> bool {
    // Beside production nothing is loaded more than it may be.
    let is_beside = request.soak().is_some_and(|soak| soak.beside.is_some());
    is_compared(usual) && !request.no_trials && !request.poll && !is_beside
}

/// What is tried besides the usual engine. If Rigel chooses, what precedes the usual one does not work here.
fn candidates(usual: EngineKind, is_named: bool) -> impl Iterator<Item = EngineKind> {
    let may_be = move |kind: &EngineKind| match kind {
        _ if *kind == usual => false,
        EngineKind::Sync => true,
        EngineKind::Libaio => is_named || usual == EngineKind::IoUring,
        _ => is_named,
    };
    TRIED.into_iter().filter(may_be)
}

/// Whether an engine does what the others do, and can be compared with them.
const fn is_compared(engine: EngineKind) -> bool {
    matches!(engine, EngineKind::IoUring | EngineKind::Libaio | EngineKind::Sync | EngineKind::Threads)
}

/// The memory of a thread is reserved for the next one, and a few threads of a trial may be all that fit.
fn check_address_space(host: &HostFacts) -> Result<(), &'static str> {
    let is_free = host.limits.address_room_bytes.is_none();
    is_free.then_some(()).ok_or("the address space of this process is limited (ulimit -v)")
}

/// Another engine, if the run could have it on this host; otherwise the reason.
fn candidate(
    (request, plan, host): (&Request, &Plan, &HostFacts),
    team: &Team,
    kind: EngineKind,
) -> Result<EngineChoice, String> {
    let request = Request { engine: EngineRequest::Only(kind), ..request.clone() };
    if kind == EngineKind::Sync {
        request.check_sync().map_err(why)?;
        check_workers(&request, plan, host)?;
    }
    let layouts = layouts(team, &request, plan, Some(kind));
    let slots: Vec<u16> = layouts.iter().map(SlotLayout::slots).collect();
    engine::choose(Some(kind), false, &slots).map_err(why)
}

/// Whether there may be a worker for each outstanding I/O: not thousands, and their needs fit into the remaining memory.
fn check_workers(request: &Request, plan: &Plan, host: &HostFacts) -> Result<(), String> {
    let workers = plan.workers_of(request, EngineKind::Sync);
    // A large buffer of its own lies in a huge page of its own.
    let need_bytes = u64::from(workers) * BYTES_OF_WORKER + 2 * plan.bytes_of(request, EngineKind::Sync);
    match host.memory_room() {
        _ if workers > MOST_WORKERS => Err(format!(
            "{workers} workers, and more than {MOST_WORKERS} have to be requested with --engine sync"
        )),
        Some((room_bytes, _)) if need_bytes > room_bytes => {
            Err(format!("{workers} workers need {} of memory", Bytes(need_bytes)))
        }
        _ => Ok(()),
    }
}

fn why(problem: Problem) -> String {
    problem.cause.unwrap_or(problem.what)
}

fn left_out(kind: EngineKind, why: &str) -> String {
    format!("no {}: {why}", kind.name())
}

/// The engines to try, and the targets.
pub(super) struct Trials<'a> {
    pub(super) request: &'a Request,
    pub(super) plan: &'a Plan,
    pub(super) workload: &'a Workload,
    pub(super) host: &'a HostFacts,
    pub(super) facts: &'a [TargetFacts],
    pub(super) targets: &'a Arc<OpenTargets>,
    /// All engines are tried, even if the ring hands nothing over.
    pub(super) of_all: bool,
    /// The user chose the engine, and it stays whatever the trials show.
    pub(super) is_named: bool,
}

impl Trials<'_> {
    /// The remaining choice of `usual`, which works, with the reason why others were not tried although they should have been.
    pub(super) fn choose(&self, usual: EngineChoice) -> EngineChoice {
        match self.tried(&usual) {
            Ok(choice) => choice.unwrap_or(usual),
            Err(why) => {
                let reason =
                    joined(usual.reason.as_deref(), &format!("other engines were not tried because {why}"));
                EngineChoice { reason: Some(reason), ..usual }
            }
        }
    }

    fn tried(&self, usual: &EngineChoice) -> Result<Option<EngineChoice>, String> {
        let Some(load) = self.load() else { return Ok(None) };
        check_address_space(self.host)?;
        let mut tried = vec![(usual.clone(), Vec::new())];
        let mut left_out = Vec::new();
        match self.turn(&load, usual, 0) {
            Ok(first) => {
                tried[0].1.push(first.iops);
                if usual.kind == EngineKind::IoUring && !first.is_handed_over && !self.of_all {
                    return Ok(Some(EngineChoice { trials: Some(load.trials(&tried)), ..usual.clone() }));
                }
                if first.ios < FEWEST_IOS {
                    return Err(format!("{} I/Os in {} are too few to tell", first.ios, Nanos(MEASURE_NS)));
                }
            }
            // What the user named stays, and says why itself.
            Err(failure) if self.is_named || failure.is_silence => return Err(failure.why),
            Err(failure) => left_out.push(failure.why),
        }
        for kind in candidates(usual.kind, self.is_named) {
            match self.candidate(kind) {
                Ok(choice) => tried.push((choice, Vec::new())),
                Err(why) => left_out.push(self::left_out(kind, &why)),
            }
        }
        self.take_turns(&load, &mut tried, &mut left_out)?;
        tried.retain(|(_, iops)| iops.len() == TURNS);
        if tried.is_empty() {
            return Err(left_out.join(", and "));
        }
        let trials = load.trials(&tried);
        let best = if self.is_named { Some(usual.kind) } else { trials.best() };
        let choice = tried.into_iter().map(|(choice, _)| choice).find(|choice| Some(choice.kind) == best);
        let doubt = if self.is_named { None } else { trials.doubt() };
        let told = [vec![trials.sentence()], doubt.into_iter().collect(), left_out].concat().join("; ");
        let reason = Some(joined(usual.reason.as_deref(), &told));
        Ok(choice.map(|choice| EngineChoice { reason, trials: Some(trials), ..choice }))
    }

    /// The remaining turns; why an engine had no more is added to `left_out`. A device that does not answer ends all of them: its pause is not
    /// the engine's fault, and what hangs in it would obstruct the next one.
    fn take_turns(
        &self,
        load: &Load,
        tried: &mut [(EngineChoice, Vec<f64>)],
        left_out: &mut Vec<String>,
    ) -> Result<(), String> {
        let mut is_ring_enough = false;
        for turn in 0..TURNS {
            for (place, (choice, iops)) in tried.iter_mut().enumerate() {
                // The first turn of the usual engine is over, and one that failed has no more.
                let is_over = (turn, place) == (0, 0) || iops.len() < turn;
                let is_ring = choice.kind == EngineKind::IoUring;
                if is_over || (is_ring_enough && place > 0 && !is_ring) {
                    continue;
                }
                match self.turn(load, choice, turn * (TRIED.len() + 1) + place) {
                    Ok(turn) => {
                        is_ring_enough |= is_ring && !turn.is_handed_over && !self.of_all;
                        iops.push(turn.iops);
                    }
                    Err(failure) if failure.is_silence => return Err(failure.why),
                    Err(failure) => left_out.push(failure.why),
                }
            }
        }
        Ok(())
    }

    /// The reads of one class as a closed loop, whatever else the run does. It has no more workers and slots than it needs.
    fn load(&self) -> Option<Load> {
        let (class, level) = class(self.request, self.plan)?;
        let class = LoadClass {
            arrival: Arrival::Closed,
            places: None,
            per_target: None,
            working_sets: None,
            levels: vec![level],
            write_percent: WritePercent::NONE,
            sync: Sync::None,
            verify: false,
            ..class.clone()
        };
        let point = Point::alone(class.name, level);
        let outstanding = class.outstanding(level);
        let request = Request {
            num_disks: self.request.num_disks,
            layout: self.request.layout,
            classes: vec![class],
            workers: self.request.workers,
            cpus: self.request.cpus.clone(),
            buffered: self.request.buffered,
            io_timeout: self.request.io_timeout.min(LONGEST_IO),
            seed: self.request.seed,
            ..Request::new(RunLevel::Load)
        };
        let plan = Plan::new(&request, self.host, self.facts).ok()?;
        let workload = Workload::of(&request, self.facts, self.workload.team.clone()).ok()?;
        let io_bytes = workload.classes.first()?.io_bytes;
        Some(Load { request, plan, workload, point, outstanding, io_bytes })
    }

    /// Another engine, if the run could have it on these targets; otherwise the reason.
    fn candidate(&self, kind: EngineKind) -> Result<EngineChoice, String> {
        let choice = candidate((self.request, self.plan, self.host), &self.workload.team, kind)?;
        let syncs = self.request.classes.iter().map(|class| class.sync);
        durable::check(kind, syncs, self.targets, self.facts).map_err(why)?;
        Ok(choice)
    }

    /// A turn of an engine. Each has its own positions, so that none reads what a previous one left in a cache. It
    /// counts what completed in its window, and ends when all I/Os that it began have completed, so that the next one
    /// has the device to itself.
    fn turn(&self, load: &Load, choice: &EngineChoice, turn: usize) -> Result<Turn, TurnFailure> {
        let Load { request, plan, point, .. } = load;
        let rooms = plan.rooms_of(request, choice.kind, &load.workload.team);
        // A long queue is the load that was asked for, and takes its time to drain.
        let workload = Workload { rooms, is_patient: true, ..load.workload.clone() };
        let layouts = layouts(&workload.team, request, plan, Some(choice.kind));
        let places = places(request, self.facts, choice, layouts)?;
        let site = OpenSite {
            host: self.host.clone(),
            facts: self.facts.to_vec(),
            targets: Arc::clone(self.targets),
        };
        let mut bench = ThreadBench::start(choice.clone(), &places, workload, site, MonotonicClock::at(0))?;
        let work = Work::Measure { settle_ns: SETTLE_NS, measure_ns: MEASURE_NS, detail: Detail::Window };
        let visit = FIRST_VISIT + turn as u64;
        let order = Order { visit, point: *point, work, at_ns: None, shape: None };
        let done = bench.work(&order, &mut |_| true)?.done;
        let ios: u64 = done.tallies.values().map(rigel_core::measure::ClassTally::completed).sum();
        // A few bad places are the device's, whoever reads them.
        let trouble = match done.hung {
            Some(_) => "the target did not answer",
            None if done.failures > ios / MOST_FAILED => "I/Os failed",
            None if ios == 0 => "no I/O completed in time",
            None => {
                let iops = to_f64(ios) * to_f64(NS_PER_S) / to_f64(MEASURE_NS);
                return Ok(Turn { ios, iops, is_handed_over: io_wq::are_there() });
            }
        };
        let why = format!("{trouble} in a trial of {}", choice.kind.name());
        Err(TurnFailure { why, is_silence: done.hung.is_some() })
    }
}

/// The class to try, and its level: random I/O, otherwise streams, otherwise a class with arrivals or by place.
fn class<'a>(request: &'a Request, plan: &Plan) -> Option<(&'a LoadClass, u32)> {
    let rank = |class: &LoadClass| match class.pattern {
        Pattern::Random if class.level_is_load() => Some(0),
        Pattern::Streams { .. } if class.level_is_load() => Some(1),
        Pattern::Random => Some(2),
        Pattern::Streams { .. } | Pattern::Log | Pattern::Sessions => None,
    };
    let room = plan.room();
    let classes = request.classes.iter().filter(|class| room.of(class.name) > 0);
    let (_, class) = classes.filter_map(|class| Some((rank(class)?, class))).min_by_key(|(rank, _)| *rank)?;
    let most = room.of(class.name);
    let most = if class.level_is_load() { most } else { class.outstanding(most) };
    let is_open_ended = !class.level_is_load() || plan.search.is_some();
    Some((class, if is_open_ended { most.min(MOST_OUTSTANDING) } else { most }))
}

fn joined(before: Option<&str>, more: &str) -> String {
    before.into_iter().chain([more]).collect::<Vec<_>>().join("; ")
}

/// What is tried in turn.
struct Load {
    request: Request,
    plan: Plan,
    workload: Workload,
    point: Point,
    outstanding: u32,
    io_bytes: u32,
}

impl Load {
    /// The record of what was tried.
    fn trials(&self, tried: &[(EngineChoice, Vec<f64>)]) -> EngineTrials {
        let trial = |(choice, iops): &(EngineChoice, Vec<f64>)| EngineTrial {
            engine: choice.kind,
            iops: iops.clone(),
        };
        EngineTrials {
            outstanding: self.outstanding,
            io_bytes: self.io_bytes,
            trials: tried.iter().map(trial).collect(),
        }
    }
}

/// Why a turn gave nothing.
struct TurnFailure {
    why: String,
    /// Nothing completed for as long as an I/O may take.
    is_silence: bool,
}

impl From<Problem> for TurnFailure {
    fn from(problem: Problem) -> Self {
        Self { why: problem.what, is_silence: false }
    }
}

/// The result of a turn.
struct Turn {
    ios: u64,
    iops: f64,
    /// I/Os were done by threads of the kernel.
    is_handed_over: bool,
}
