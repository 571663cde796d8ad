//! Which engine does most on the targets themselves, by short trials before a run.
//!
//! Where no I/O of a ring has to be handed to a thread of the kernel, nothing is faster, and one trial of a fifth of a second says so. Where
//! I/Os are handed over, the others are tried in turns. A trial only reads, at places that no visit reads. Must not try an engine that the run could not have.

use super::make::{layouts, places};
use super::threads::{OpenSite, ThreadBench};
use super::{Bench, Detail, Order, Work};
use crate::job::{BlockClass, Workload};
use rigel_core::facts::engine::EngineKind;
use rigel_core::facts::engine_trials::{EngineTrial, EngineTrials};
use rigel_core::facts::{HostFacts, TargetFacts};
use rigel_core::load::class::{LoadClass, Pattern, Sync};
use rigel_core::load::matrix::Point;
use rigel_core::load::plan::Plan;
use rigel_core::load::request::{EngineRequest, Request};
use rigel_core::load::workload::WritePercent;
use rigel_core::units::{NS_PER_MS, NS_PER_S, to_f64};
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
/// A search begins low, and may never come to the most that it could try.
const MOST_OUTSTANDING: u32 = 128;
/// A worker for each outstanding I/O of a plan: more of them are no good choice without being asked for.
const MOST_WORKERS: u32 = 2048;
const BYTES_OF_WORKER: u64 = 256 << 10;
/// A device that does not answer is the business of the run.
const LONGEST_IO_NS: u64 = 2 * NS_PER_S;
/// The numbers of visits draw the places of I/Os. No run comes to these.
const FIRST_VISIT: u64 = u64::MAX / 2;

/// What is tried, and where.
pub(super) struct Trials<'a> {
    pub(super) request: &'a Request,
    pub(super) plan: &'a Plan,
    pub(super) workload: &'a Workload,
    pub(super) host: &'a HostFacts,
    pub(super) facts: &'a [TargetFacts],
    pub(super) targets: &'a Arc<OpenTargets>,
}

impl Trials<'_> {
    /// The choice that is left of `usual`, which works.
    pub(super) fn choose(&self, usual: EngineChoice) -> EngineChoice {
        self.tried(&usual).unwrap_or(usual)
    }

    fn tried(&self, usual: &EngineChoice) -> Option<EngineChoice> {
        let (point, class) = self.load()?;
        let first = self.iops(usual, point, 0)?;
        if usual.kind == EngineKind::IoUring && !first.is_handed_over {
            return None;
        }
        let others = [EngineKind::Libaio, EngineKind::Sync].into_iter().filter(|kind| *kind != usual.kind);
        let mut tried = vec![(usual.clone(), vec![first.iops])];
        tried.extend(others.filter_map(|kind| self.candidate(kind)).map(|choice| (choice, Vec::new())));
        for turn in 0..TURNS {
            for (place, (choice, iops)) in tried.iter_mut().enumerate() {
                // The first turn of the usual engine is over.
                if (turn, place) != (0, 0) {
                    iops.push(self.iops(choice, point, turn)?.iops);
                }
            }
        }
        let trial = |(choice, iops): &(EngineChoice, Vec<f64>)| EngineTrial {
            engine: choice.kind,
            iops: iops.clone(),
        };
        let trials = EngineTrials {
            outstanding: point.of(class.name),
            io_bytes: class.io_bytes,
            trials: tried.iter().map(trial).collect(),
        };
        let best = trials.best()?;
        let (choice, _) = tried.into_iter().find(|(choice, _)| choice.kind == best)?;
        let told = usual.reason.iter().cloned().chain([trials.sentence()]).collect::<Vec<_>>().join("; ");
        Some(EngineChoice { reason: Some(told), trials: Some(trials), ..choice })
    }

    /// The reads of the first class that can be tried, as many as the plan has outstanding.
    fn load(&self) -> Option<(Point, &BlockClass)> {
        let is_closed = |class: &&LoadClass| {
            class.pattern == Pattern::Random && !class.is_open() && class.places.is_none()
        };
        let class = self.request.classes.iter().find(is_closed)?;
        let most = *self.plan.max_outstanding.get(&class.name)?;
        let most = if self.plan.search.is_some() { most.min(MOST_OUTSTANDING) } else { most };
        let block = self.workload.classes.iter().find(|block| block.name == class.name)?;
        (most > 0).then(|| (Point::alone(class.name, most), block))
    }

    /// Another engine, where the run could have it.
    fn candidate(&self, kind: EngineKind) -> Option<EngineChoice> {
        let request = Request { engine: EngineRequest::Only(kind), ..self.request.clone() };
        let fits = kind != EngineKind::Sync || self.has_room_for_workers() && request.check_sync().is_ok();
        let layouts = layouts(&self.workload.team, self.request, self.plan, Some(kind));
        let slots: Vec<u16> = layouts.iter().map(SlotLayout::slots).collect();
        let choice = engine::choose(Some(kind), false, &slots).ok().filter(|_| fits)?;
        let syncs = request.classes.iter().map(|class| class.sync);
        durable::check(kind, syncs, self.targets, self.facts).ok()?;
        Some(choice)
    }

    /// Whether there may be a worker for each outstanding I/O: not thousands, and what they need fits into the memory that is left.
    fn has_room_for_workers(&self) -> bool {
        let workers = self.plan.workers_of(EngineKind::Sync);
        // A large buffer of its own lies in a huge page of its own.
        let need_bytes = u64::from(workers) * BYTES_OF_WORKER + 2 * self.plan.buffer_bytes;
        let room = self.host.memory_room();
        workers <= MOST_WORKERS && room.is_none_or(|(room_bytes, _)| need_bytes <= room_bytes)
    }

    /// A turn of an engine; `None` where something did not come back, or nothing did.
    fn iops(&self, choice: &EngineChoice, point: Point, turn: usize) -> Option<Turn> {
        let only_reads = |class: &BlockClass| BlockClass {
            write_percent: WritePercent::NONE,
            sync: Sync::None,
            verify: false,
            ..class.clone()
        };
        let workload = Workload {
            classes: self.workload.classes.iter().map(only_reads).collect(),
            io_timeout_ns: self.workload.io_timeout_ns.min(LONGEST_IO_NS),
            rooms: self.plan.rooms_of(self.request, choice.kind),
            ..self.workload.clone()
        };
        let layouts = layouts(&self.workload.team, self.request, self.plan, Some(choice.kind));
        let places = places(self.request, self.facts, choice, layouts).ok()?;
        let site = OpenSite {
            host: self.host.clone(),
            facts: self.facts.to_vec(),
            targets: Arc::clone(self.targets),
        };
        let mut bench =
            ThreadBench::start(choice.clone(), &places, workload, site, MonotonicClock::at(0)).ok()?;
        let work = Work::Measure { settle_ns: SETTLE_NS, measure_ns: MEASURE_NS, detail: Detail::Window };
        let visit = FIRST_VISIT + turn as u64;
        let order = Order { visit, point, work, at_ns: None, shape: None };
        let done = bench.work(&order, &mut |_| true).ok()?.done;
        let ios: u64 = done.tallies.values().map(rigel_core::measure::ClassTally::completed).sum();
        let is_well = done.hung.is_none() && done.failures == 0 && ios > 0;
        is_well.then(|| Turn {
            iops: to_f64(ios) * to_f64(NS_PER_S) / to_f64(MEASURE_NS),
            is_handed_over: io_wq::are_there(),
        })
    }
}

/// What a turn gave.
struct Turn {
    iops: f64,
    /// I/Os were done by threads of the kernel.
    is_handed_over: bool,
}
