//! Tasks of a worker and their results: plain data between the coordinator and its workers.

use rigel_core::error::Problem;
use rigel_core::facts::{ScratchFacts, TargetFacts};
use rigel_core::guard::scratch::Stamps;
use rigel_core::load::class::{self, Arrival, Class, LevelKind, LoadClass, Pattern, PerClass, Shape, Sync};
use rigel_core::load::draw::Generator;
use rigel_core::load::governor::{BUCKETS, GovernorInterval, Ppm};
use rigel_core::load::matrix::Point;
use rigel_core::load::pace::Pace;
use rigel_core::load::plan::{self, Volumes};
use rigel_core::load::request::Request;
use rigel_core::load::split::{self, Room};
use rigel_core::load::team::Team;
use rigel_core::load::volume::Volume;
use rigel_core::load::workload::WritePercent;
use rigel_core::measure::tally::merge;
use rigel_core::measure::{ByTarget, ClassTally, HungIo, IoCounts, Window};
use rigel_core::verify::DurableMark;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// A load class as the workers need it.
#[derive(Clone, Debug)]
pub struct BlockClass {
    /// Its name in the record.
    pub name: Class,
    /// Bytes of an I/O; of the largest if there are several sizes.
    pub io_bytes: u32,
    /// How its I/Os follow each other.
    pub pattern: Pattern,
    /// Share of writes.
    pub write_percent: WritePercent,
    /// When a write counts.
    pub sync: Sync,
    /// When they begin.
    pub arrival: Arrival,
    /// The meaning of its load levels.
    pub level_kind: LevelKind,
    /// Its blocks are verified: each identifies itself, and reads are compared.
    pub verify: bool,
    /// Where they may go; a class by place has a volume for each place.
    pub volumes: Volumes,
}

impl BlockClass {
    /// The part of a load level that is dealt out to the workers.
    pub const fn dealt(&self, level: u32) -> u32 {
        self.level_kind.dealt(level)
    }

    /// Into how many outstanding I/Os each of what is dealt out turns.
    pub const fn ios_each(&self) -> u32 {
        class::ios_each(self.arrival, self.pattern)
    }

    /// Whether its I/Os have several sizes, so that their bytes have to be counted.
    pub const fn is_mixed(&self) -> bool {
        self.volumes.sized.is_some()
    }
}

/// The attributes of the load that hold for the whole run.
#[derive(Clone, Debug)]
pub struct Workload {
    /// The classes. Workers and tallies name a class by its place here.
    pub classes: Vec<BlockClass>,
    /// Age at which an I/O in flight counts as hung.
    pub io_timeout_ns: u64,
    /// Seed of the run.
    pub seed: u64,
    /// Streams begin at another place in every visit, so that no visit finds the data of the previous one in a cache.
    pub streams_move: bool,
    /// By target: the stamps of its blocks, if known. Targets after the last one are unknown.
    pub stamps: Vec<Option<Stamps>>,
    /// For a resumed run: which verified blocks are certainly present.
    pub before: PerClass<DurableMark>,
    /// The number of targets that are counted separately; 0: none.
    pub counted_targets: usize,
    /// The number of readers that are counted separately; 0: none.
    pub counted_readers: usize,
    /// Next to production: the largest share of the time of each target that the load may take, and the number of targets.
    pub beside: Option<(Ppm, usize)>,
    /// This node's part of the load.
    pub team: Team,
    /// The workers of each class; empty if each worker has a part of every class.
    pub rooms: Vec<Room>,
    /// An I/O hangs only while nothing else comes back: what waits in a long queue does not.
    pub is_patient: bool,
}

/// Into how many parts what a load level counts is dealt out: a stream into each of its I/Os, where each of them has a worker.
pub fn lanes(rooms: &[Room], pattern: Pattern) -> u32 {
    if rooms.is_empty() { 1 } else { pattern.outstanding(1).max(1) }
}

impl Workload {
    /// A worker's index among those of the class at a place; `None` for a worker of other classes.
    pub fn seat(&self, place: usize, worker: u32, workers: u32) -> Option<(u32, u32)> {
        split::seat(&self.rooms, place, worker, workers)
    }

    /// The lanes of a class of this load.
    pub fn lanes(&self, class: &BlockClass) -> u32 {
        lanes(&self.rooms, class.pattern)
    }

    /// The number of workers of the class at a place.
    pub fn workers_at(&self, place: usize, workers: u32) -> u32 {
        self.rooms.get(place).map_or(workers, |room| room.workers)
    }

    /// The load of a checked request on its targets, on this node alone.
    ///
    /// # Errors
    /// When a class asks for what the engines cannot do, or no I/O fits into the targets.
    pub fn new(request: &Request, targets: &[TargetFacts]) -> Result<Self, Problem> {
        Self::of(request, targets, Team::default())
    }

    /// This node's part of it.
    ///
    /// # Errors
    /// As [`Workload::new`].
    pub fn of(request: &Request, targets: &[TargetFacts], team: Team) -> Result<Self, Problem> {
        request.classes.iter().try_for_each(LoadClass::check_block_io)?;
        let stamps = |scratch: ScratchFacts| Stamps::new(scratch.seed, request.seed, scratch.used_before);
        let class = |(class, volumes): (&LoadClass, Volumes)| BlockClass {
            name: class.name,
            // Request::check bounds all sizes far below 4 GiB.
            io_bytes: u32::try_from(class.io_bytes()).unwrap_or(u32::MAX),
            pattern: class.pattern,
            write_percent: class.write_percent,
            sync: class.sync,
            arrival: class.arrival,
            level_kind: class.level_kind(),
            verify: class.verify,
            volumes,
        };
        let volumes = plan::volumes(request, targets, &team)?;
        Ok(Self {
            classes: request.classes.iter().zip(volumes).map(class).collect(),
            io_timeout_ns: request.io_timeout.0,
            seed: request.seed,
            streams_move: matches!(request.pace(), Some(Pace::Adaptive(_))),
            // Verified blocks take the place of those that were stamped.
            stamps: if request.classes.iter().any(|class| class.verify) {
                Vec::new()
            } else {
                targets.iter().map(|target| target.scratch.map(stamps)).collect()
            },
            before: PerClass::new(),
            beside: request.soak().and_then(|soak| Some((soak.beside?, targets.len()))),
            counted_targets: if targets.len() > 1 { targets.len() } else { 0 },
            counted_readers: request.counted_readers(),
            team,
            rooms: Vec::new(),
            is_patient: false,
        })
    }
}

impl Workload {
    /// Whether a class has I/Os of several sizes.
    pub fn is_mixed(&self) -> bool {
        self.classes.iter().any(BlockClass::is_mixed)
    }

    /// Processes of the run before this one, as far as blocks show.
    pub fn parts_before(&self) -> usize {
        let words = self.before.values().flat_map(|settled| &settled.below);
        words.map(|(_, earlier)| earlier.0.len()).max().unwrap_or(0)
    }

    /// Counts of this many targets or readers, for each class; none where they are not counted.
    pub fn counts(&self, counted: usize) -> Vec<ByTarget> {
        vec![ByTarget::new(counted); if counted > 0 { self.classes.len() } else { 0 }]
    }

    /// Whether the blocks of a class are verified.
    pub fn verifies(&self) -> bool {
        self.classes.iter().any(|class| class.verify)
    }

    /// The place of the class for a warm-up of a point: the last class of the point with streams or a log, otherwise the last one.
    pub fn warmed_up(&self, point: Point) -> usize {
        let walks = |class: &BlockClass| {
            matches!(class.pattern, Pattern::Streams { .. } | Pattern::Log) && point.of(class.name) > 0
        };
        let last = self.classes.len().saturating_sub(1);
        self.classes.iter().rposition(walks).unwrap_or(last)
    }

    /// Whether the nodes of a team go over the same streams of a class together.
    pub(crate) const fn shares_streams(&self, class: &BlockClass) -> bool {
        self.team.shared && !class.write_percent.writes()
    }

    /// How far from their usual positions streams begin in a visit.
    pub(crate) fn shift(&self, visit: u64, volume: &Volume) -> u64 {
        if !self.streams_move {
            return 0;
        }
        Generator::of_visit(self.seed, visit).below(volume.chunks())
    }
}

/// The work of a worker, and its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Keep the point's I/Os outstanding; count those that complete inside the window.
    Measure {
        /// The window.
        window: Window,
        /// How long before the window completions are observed without counting: not at all, or since
        /// the load began.
        lead_ns: u64,
        /// The counts of every this many nanoseconds of the window are handed over as well; `u64::MAX`: only those of the whole
        /// window.
        part_ns: u64,
    },
    /// Random I/O of the class in streams, or of the last one, until the time, or until all workers together moved that
    /// many bytes; nothing is counted. Of a log it is a walk over the regions of all writers.
    WarmUp {
        /// No new I/O from here on.
        until_ns: u64,
        /// No new I/O after that many bytes, failed ones included: a device that fails must not be tried forever.
        bytes: u64,
    },
}

/// One task for all workers; each takes its share of the point.
#[derive(Clone, Copy, Debug)]
pub struct Job {
    /// Number of the visit in the run; a part of every slot's seed.
    pub visit: u64,
    /// When the load begins: arrivals are timed from here.
    pub began_ns: u64,
    /// The point.
    pub point: Point,
    /// The work.
    pub task: Task,
    /// The distribution of arrivals, if it differs from that of the classes.
    pub shape: Option<Shape>,
}

/// The counts of a part of a window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// The range.
    pub window: Window,
    /// The tallies of the classes.
    pub tallies: PerClass<ClassTally>,
    /// Next to production: the share that the load may take, known to the coordinator.
    pub governed: Option<GovernorInterval>,
}

impl Part {
    /// With the target numbers and times of the whole run.
    pub fn retell(&mut self, target: &dyn Fn(u16) -> u16, time_ns: &dyn Fn(u64) -> u64) {
        self.window.start_ns = time_ns(self.window.start_ns);
        self.window.end_ns = time_ns(self.window.end_ns);
        self.tallies.values_mut().for_each(|tally| tally.retold(target, time_ns));
    }

    /// Adds what another worker did in the same part.
    pub fn add(&mut self, other: Self) {
        debug_assert_eq!(self.window.start_ns, other.window.start_ns, "parts of different windows");
        // The last part of a worker that gave up is longer than those of the others.
        self.window.end_ns = self.window.end_ns.min(other.window.end_ns);
        merge(&mut self.tallies, other.tallies);
    }
}

/// Parts of a window, as workers or nodes deliver them.
#[derive(Debug)]
pub struct Parts {
    /// Their number.
    from: usize,
    /// By their start: from how many, and the sum.
    begun: BTreeMap<u64, (usize, Part)>,
}

impl Parts {
    /// The number of workers included.
    pub fn of(from: usize) -> Self {
        Self { from, begun: BTreeMap::new() }
    }

    /// Adds the part of one; returns the part of all of them once the last one has arrived.
    pub fn add(&mut self, part: Part) -> Option<Part> {
        let start_ns = part.window.start_ns;
        let (count, sum) = match self.begun.remove(&start_ns) {
            None => (1, part),
            Some((count, mut sum)) => {
                sum.add(part);
                (count + 1, sum)
            }
        };
        if count == self.from {
            return Some(sum);
        }
        self.begun.insert(start_ns, (count, sum));
        None
    }

    /// Parts that not all handed over, because one gave up; in order of time.
    pub fn rest(self) -> impl Iterator<Item = Part> {
        self.begun.into_values().map(|(_, part)| part)
    }
}

/// The results of one worker, or of all together.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WorkResult {
    /// The tallies of the classes; none after a warm-up.
    pub tallies: PerClass<ClassTally>,
    /// When the window really ended; 0 of a worker that had nothing to do.
    pub window_end_ns: u64,
    /// The coordinator ended it before its time.
    pub stopped: bool,
    /// Bytes moved, measured or not.
    pub bytes: u64,
    /// I/Os that failed, measured or not.
    pub failures: u64,
    /// I/Os handed over and returned, measured or not.
    pub ios: IoCounts,
    /// I/Os that did not complete. The worker that gave them up does no more work.
    pub hung: Option<HungIo>,
    /// CPU time used.
    pub cpu_ns: u64,
    /// CPU time of the worker that used most; near the job's own length that worker was the limit, not the device.
    pub busiest_cpu_ns: u64,
    /// How late the last worker began, if the load begins at an agreed time.
    pub late_ns: u64,
}

/// The state that coordinator and workers share during a job.
#[derive(Debug)]
pub struct JobState {
    /// Completions of each class since the start of the run, by its place in the load; stored now and then.
    pub ops: Vec<(Class, AtomicU64)>,
    /// By the same indices, for classes that arrive at a rate: the sum of their latencies from the intended start.
    pub latency_ns: Vec<Option<AtomicU64>>,
    /// When every worker shall end its job at the latest; the same moment for all, so their windows stay equal.
    pub end_at_ns: AtomicU64,
    /// Grows while a worker has nothing in flight and waits for what arrives next.
    pub waits: AtomicU64,
    /// Next to production: the share that the load may take now, in parts per million.
    pub share_ppm: AtomicU32,
    /// Its reads by latency bucket since the start of the run; otherwise empty.
    pub probes: Vec<AtomicU64>,
}

impl JobState {
    /// For the jobs of a load.
    pub fn of(workload: &Workload) -> Self {
        let classes = || workload.classes.iter();
        let is_open = |class: &BlockClass| matches!(class.arrival, Arrival::Open { .. });
        let ops = classes().map(|class| (class.name, AtomicU64::new(0))).collect();
        let latency_ns = classes().map(|class| is_open(class).then(AtomicU64::default)).collect();
        let buckets = if workload.beside.is_some() { BUCKETS } else { 0 };
        Self {
            ops,
            latency_ns,
            end_at_ns: AtomicU64::new(u64::MAX),
            waits: AtomicU64::new(0),
            share_ppm: AtomicU32::new(0),
            probes: (0..buckets).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    /// Completions of each class so far.
    pub fn done(&self) -> PerClass<u64> {
        self.ops.iter().map(|(class, ops)| (*class, ops.load(Ordering::Relaxed))).collect()
    }

    /// The latencies of each class that arrives at a rate, added up so far.
    pub fn latencies_ns(&self) -> PerClass<u64> {
        let own = self.ops.iter().zip(&self.latency_ns);
        own.filter_map(|((class, _), ns)| Some((*class, ns.as_ref()?.load(Ordering::Relaxed)))).collect()
    }
}

impl WorkResult {
    /// Adds what another worker did in the same job.
    pub fn add(&mut self, other: Self) {
        merge(&mut self.tallies, other.tallies);
        self.window_end_ns = self.window_end_ns.max(other.window_end_ns);
        self.stopped |= other.stopped;
        self.bytes += other.bytes;
        self.failures += other.failures;
        self.ios.add(other.ios);
        self.hung = match (self.hung, other.hung) {
            (Some(mine), Some(theirs)) => Some(mine.with(theirs)),
            (one, other) => one.or(other),
        };
        self.cpu_ns += other.cpu_ns;
        self.busiest_cpu_ns = self.busiest_cpu_ns.max(other.busiest_cpu_ns);
        self.late_ns = self.late_ns.max(other.late_ns);
    }
}

/// The user's wish to end the run, set by a signal handler.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// A request shared with whatever sets the flag.
    pub const fn new(flag: Arc<AtomicBool>) -> Self {
        Self(flag)
    }

    /// Whether the run should end.
    pub fn wanted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_time_of_workers_adds_up_and_the_busiest_stays_known() {
        let worker = |cpu_ns| WorkResult { cpu_ns, busiest_cpu_ns: cpu_ns, ..WorkResult::default() };
        let mut sum = WorkResult::default();
        [30, 90, 60].map(worker).into_iter().for_each(|done| sum.add(done));
        assert_eq!((sum.cpu_ns, sum.busiest_cpu_ns), (180, 90));
    }
}
