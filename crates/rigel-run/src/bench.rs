//! A test bench: puts a load on something for a visit, and reports the result.
//!
//! A bench owns its clock, the witnesses of its hosts and its checks for changes under the load. [`threads`] has a thread
//! and an engine for each worker of this process; [`simulated`] runs one worker in virtual time; [`turns`] has two of them. [`make`] makes the
//! bench that a run needs, with the engine that `trials` on the targets select. A bench must not know the plan, the record's file or the use of a
//! result.

pub mod make;
pub mod simulated;
pub mod threads;
mod trials;
pub mod turns;
mod workers;

use crate::job::{Job, JobState, Part, Task, WorkResult, lanes};
use rigel_core::error::Problem;
use rigel_core::facts::TargetFacts;
use rigel_core::facts::drive::Drive;
use rigel_core::load::class::{LoadClass, PerClass, Shape, ios_each};
use rigel_core::load::matrix::Point;
use rigel_core::load::plan::{Plan, WarmUp};
use rigel_core::load::request::Request;
use rigel_core::load::split::{self, Room};
use rigel_core::load::team::Team;
use rigel_core::measure::Window;
use rigel_core::record::{NodeVisit, Nodes};
use rigel_io::backend::SlotLayout;
use serde::{Deserialize, Serialize};
use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// How often a bench in real time checks its state and shows its progress.
pub const TICK: Duration = Duration::from_millis(100);

/// The nodes and targets; part of the first line of the record.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Site {
    /// The hosts with their engines.
    pub nodes: Nodes,
    /// The targets.
    pub targets: Vec<TargetFacts>,
}

/// An order to a bench.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// Number of the visit in the run; a part of the seed of every offset.
    pub visit: u64,
    /// The point.
    pub point: Point,
    /// The work.
    pub work: Work,
    /// When the load begins, on the bench's clock, if several begin together; otherwise immediately.
    pub at_ns: Option<u64>,
    /// The distribution of arrivals, if it differs from that of the classes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<Shape>,
}

/// The work at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// Load, and count what completes inside a window.
    Measure {
        /// Load before the window.
        settle_ns: u64,
        /// Length of the window.
        measure_ns: u64,
        /// What is handed over besides the counts of the window.
        detail: Detail,
    },
    /// Unmeasured load.
    WarmUp(WarmUp),
}

/// What is stored of a visit besides the counts of its window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Detail {
    /// No parts.
    Window,
    /// Completions while the load settled, and latencies by parts of the window, so the window can begin later once
    /// all visits are known.
    Settling,
    /// The counts of every interval of that many nanoseconds, handed over when it ends, while the load continues.
    Every(u64),
}

/// The messages of a bench at work.
#[derive(Debug)]
pub enum BenchMessage {
    /// A few times a second.
    Tick(Progress),
    /// An interval of a visit with [`Detail::Every`] is over.
    Part(Box<Part>),
}

/// Counts while a bench works.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// Now, on the bench's clock.
    pub now_ns: u64,
    /// Completions of each class since the start of the run.
    pub ops: PerClass<u64>,
    /// For the classes that arrive at a rate, the sum of the latencies of all these completions.
    pub latency_ns: PerClass<u64>,
}

/// The result of an order.
#[derive(Debug, Serialize, Deserialize)]
pub struct VisitResult {
    /// The sum over all workers of all nodes.
    pub done: WorkResult,
    /// When the load began.
    pub began_ns: u64,
    /// When the last I/O had come back.
    pub ended_ns: u64,
    /// The observations of each node, in the order of [`Site::nodes`]; empty after a warm-up.
    pub nodes: Vec<NodeVisit>,
}

/// What workers share of a job, with the moment at which it ends.
pub trait JobEnd: Debug + Send + Sync {
    /// When every worker shall end its job at the latest, on the bench's clock.
    fn end_at_ns(&self) -> &AtomicU64;
}

impl JobEnd for JobState {
    fn end_at_ns(&self) -> &AtomicU64 {
        &self.end_at_ns
    }
}

/// Ends a bench at a time of its clock, from the thread that receives its counts: for several benches that have to end together.
#[derive(Clone, Debug, Default)]
pub struct EarlyEnd(Vec<Arc<dyn JobEnd>>);

impl EarlyEnd {
    /// The sum over workers that share this.
    pub fn of<E: JobEnd + 'static>(shared: &Arc<E>) -> Self {
        let shared: Arc<E> = Arc::clone(shared);
        Self(vec![shared])
    }

    /// The sum over two benches, only one of which works.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Nothing after this moment counts. No effect once the work is over.
    pub fn at(&self, ns: u64) {
        for shared in &self.0 {
            shared.end_at_ns().fetch_min(ns, Ordering::Relaxed);
        }
    }
}

impl VisitResult {
    /// With the target numbers and times of the whole run, of which this is a part.
    pub fn retell(&mut self, target: &dyn Fn(u16) -> u16, time_ns: &dyn Fn(u64) -> u64) {
        if let Some(hung) = &mut self.done.hung {
            hung.target = target(hung.target);
        }
        // Who had nothing to do has no window.
        if self.done.window_end_ns > 0 {
            self.done.window_end_ns = time_ns(self.done.window_end_ns);
        }
        self.done.tallies.values_mut().for_each(|tally| tally.retold(target, time_ns));
        (self.began_ns, self.ended_ns) = (time_ns(self.began_ns), time_ns(self.ended_ns));
        for node in &mut self.nodes {
            node.changed.targets.iter_mut().for_each(|changed| changed.target = target(changed.target));
            node.changed.io_max_changes.iter_mut().for_each(|change| change.at_ns = time_ns(change.at_ns));
            if let Some(witness) = &mut node.witness {
                witness.began_ns = time_ns(witness.began_ns);
                witness.samples.iter_mut().for_each(|sample| sample.at_ns = time_ns(sample.at_ns));
            }
        }
    }

    /// Adds the result of the same order on other nodes.
    pub fn add(&mut self, other: Self) {
        self.done.add(other.done);
        self.began_ns = self.began_ns.min(other.began_ns);
        self.ended_ns = self.ended_ns.max(other.ended_ns);
        self.nodes.extend(other.nodes);
    }
}

/// Something that a load can be put on.
pub trait Bench {
    /// The nodes and targets.
    fn site(&self) -> &Site;

    /// Time of the run, on the bench's clock.
    fn now_ns(&self) -> u64;

    /// Carries out an order and waits for its end. `hear` is called a few times a second; if it returns false the work ends
    /// early. A bench of several adds up their parts of an interval before it reports them.
    ///
    /// # Errors
    /// When a queue broke or a worker died; nothing more can be measured with this bench.
    fn work(
        &mut self,
        order: &Order,
        hear: &mut dyn FnMut(BenchMessage) -> bool,
    ) -> Result<VisitResult, Problem>;

    /// Lets time pass without load. In real time `hear` is called a few times a second and ends it by returning false.
    fn rest(&mut self, ns: u64, hear: &mut dyn FnMut(BenchMessage) -> bool);

    /// An earlier process did this until `until_ns`, and the run resumes after it. Returns whether the bench is now in the same
    /// state. False makes the run repeat it; only a simulated device whose state depends on its load
    /// does so, for a visit. In real time the past needs no repetition.
    fn pass(&mut self, _until_ns: u64, _passed: RunPast) -> bool {
        true
    }

    /// Ends [`Bench::work`] at a moment that is the same for several benches. Where it does nothing, `hear` alone ends the work.
    fn early_end(&self) -> EarlyEnd {
        EarlyEnd::default()
    }

    /// What the drives below the load report about themselves; `None` if there are none, as below a simulated device. May take a few seconds.
    fn drives(&mut self) -> Option<Vec<Drive>> {
        None
    }
}

/// Lets real time pass without load, as [`Bench::rest`] has to.
pub fn rest_in_real_time(
    ns: u64,
    progress: impl Fn() -> Progress,
    hear: &mut dyn FnMut(BenchMessage) -> bool,
) {
    let end_ns = progress().now_ns.saturating_add(ns);
    loop {
        let progress = progress();
        let left_ns = end_ns.saturating_sub(progress.now_ns);
        if left_ns == 0 || !hear(BenchMessage::Tick(progress)) {
            return;
        }
        thread::sleep(TICK.min(Duration::from_nanos(left_ns)));
    }
}

/// The past of a resumed run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunPast {
    /// A visit.
    Visit,
    /// Time without load.
    Rest,
}

impl Order {
    /// The job of the workers when the load begins at `began_ns`, and the end of its time: `u64::MAX` when bytes end it.
    pub fn job(&self, began_ns: u64) -> (Job, u64) {
        let &Self { visit, point, work, at_ns: _, shape } = self;
        let (task, end_ns) = match work {
            Work::Measure { settle_ns, measure_ns, detail } => {
                let start_ns = began_ns.saturating_add(settle_ns);
                let window = Window { start_ns, end_ns: start_ns.saturating_add(measure_ns) };
                let lead_ns = if detail == Detail::Settling { settle_ns } else { 0 };
                let part_ns = if let Detail::Every(ns) = detail { ns.max(1) } else { u64::MAX };
                (Task::Measure { window, lead_ns, part_ns }, window.end_ns)
            }
            Work::WarmUp(WarmUp::Time(time)) => {
                let until_ns = began_ns.saturating_add(time.0);
                (Task::WarmUp { until_ns, bytes: u64::MAX }, until_ns)
            }
            Work::WarmUp(WarmUp::Bytes(bytes)) => (Task::WarmUp { until_ns: u64::MAX, bytes }, u64::MAX),
        };
        (Job { visit, began_ns, point, task, shape }, end_ns)
    }

    /// When it will be over if it begins now; `u64::MAX` when that is not known.
    pub fn end_ns(&self, now_ns: u64) -> u64 {
        self.job(self.begins_ns(now_ns)).1
    }

    /// When the load begins: at the agreed time, unless that has passed.
    pub fn begins_ns(&self, now_ns: u64) -> u64 {
        self.at_ns.unwrap_or(now_ns)
    }

    /// Whether intervals are reported while the load continues.
    pub const fn tells_parts(&self) -> bool {
        matches!(self.work, Work::Measure { detail: Detail::Every(_), .. })
    }

    /// Whether something is counted.
    pub const fn measures(&self) -> bool {
        matches!(self.work, Work::Measure { .. })
    }
}

/// The slots that a worker needs for every point of the plan, on a node alone.
pub fn layout(request: &Request, plan: &Plan, worker: u32) -> SlotLayout {
    layout_in(&Team::default(), request, plan, (worker, plan.workers, &[]))
}

/// The same on one of several nodes, for one of this many workers, whose classes each have `rooms` ([`split::seat`]).
pub fn layout_in(
    team: &Team,
    request: &Request,
    plan: &Plan,
    (worker, workers, rooms): (u32, u32, &[Room]),
) -> SlotLayout {
    // More outstanding I/Os never give a worker fewer, so the largest point is enough for all. A point of several classes
    // splits each class by itself; an open loop has the same slots at all of its rates.
    let room = plan.room();
    let group = |(place, class): (usize, &LoadClass)| {
        let lanes_of_stream = lanes(rooms, class.pattern);
        let dealt = class.dealt(room.of(class.name)).saturating_mul(lanes_of_stream);
        let seat = split::seat(rooms, place, worker, workers);
        let share = seat.map_or_else(Vec::new, |(worker, workers)| team.share(dealt, place, worker, workers));
        let each = ios_each(class.arrival, class.pattern);
        let slots = share.len().saturating_mul((each / lanes_of_stream) as usize);
        (u16::try_from(slots).unwrap_or(u16::MAX), u32::try_from(class.io_bytes()).unwrap_or(u32::MAX))
    };
    let groups: Vec<(u16, u32)> = request.classes.iter().enumerate().map(group).collect();
    // A worker of several classes has one of them at a time.
    if rooms.is_empty() { SlotLayout::of(&groups) } else { SlotLayout::shared(&groups) }
}

#[cfg(test)]
mod tests;
