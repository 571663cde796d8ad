//! Tasks of a worker and their results: plain data between the coordinator and its workers.

use rigel_core::facts::{ScratchFacts, TargetFacts};
use rigel_core::guard::scratch::Stamps;
use rigel_core::load::matrix::Point;
use rigel_core::load::pace::Pace;
use rigel_core::load::plan::Volumes;
use rigel_core::load::request::Request;
use rigel_core::load::workload::{LargePattern, WritePercent};
use rigel_core::measure::tally::merge;
use rigel_core::measure::{ClassTally, HungIo, IoCounts, Window};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The attributes of the load that hold for the whole run.
#[derive(Clone, Debug)]
pub struct Workload {
    /// Bytes of a small I/O.
    pub small_bytes: u32,
    /// Bytes of a large I/O.
    pub large_bytes: u32,
    /// How large I/O walks.
    pub large_pattern: LargePattern,
    /// Share of writes.
    pub write_percent: WritePercent,
    /// Where I/Os may go.
    pub volumes: Volumes,
    /// Age at which an I/O in flight counts as hung.
    pub io_timeout_ns: u64,
    /// Seed of the run.
    pub seed: u64,
    /// Streams begin at another place in every visit, so that no visit finds in a cache what the one before has read.
    pub streams_move: bool,
    /// By target: what its blocks are stamped with, when that is known. Targets behind the last one are unknown.
    pub stamps: Vec<Option<Stamps>>,
}

impl Workload {
    /// The load of a checked request on its targets, with the volumes made for both.
    #[must_use]
    pub fn new(request: &Request, targets: &[TargetFacts], volumes: Volumes) -> Self {
        let stamps = |scratch: ScratchFacts| Stamps::new(scratch.seed, request.seed, scratch.used_before);
        // Request::check bounds both sizes far below 4 GiB.
        let bytes = |size| u32::try_from(size).unwrap_or(u32::MAX);
        Self {
            small_bytes: bytes(request.small_bytes),
            large_bytes: bytes(request.large_bytes),
            large_pattern: request.large_pattern,
            write_percent: request.write_percent,
            volumes,
            io_timeout_ns: request.io_timeout.0,
            seed: request.seed,
            streams_move: matches!(request.pace, Pace::Adaptive(_)),
            stamps: targets.iter().map(|target| target.scratch.map(stamps)).collect(),
        }
    }
}

/// What a worker does until when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Keep the point's I/Os outstanding; count those that complete inside the window.
    Measure {
        /// The window.
        window: Window,
        /// How long before the window completions are already seen, though they do not count: nothing, or all the
        /// time since the load began.
        lead_ns: u64,
        /// The counts of every so many nanoseconds of the window are handed over as well; `u64::MAX`: only those of all
        /// of it.
        part_ns: u64,
    },
    /// Random large I/O until the time, or until all workers together moved that many bytes; nothing is counted.
    WarmUp {
        /// No new I/O from here on.
        until_ns: u64,
        /// No new I/O after that many bytes, failed ones included: a device that fails must not be tried for ever.
        bytes: u64,
    },
}

/// One task for all workers; each takes its share of the point.
#[derive(Clone, Copy, Debug)]
pub struct Job {
    /// Number of the visit in the run; a part of every slot's seed.
    pub visit: u64,
    /// The point.
    pub point: Point,
    /// What to do.
    pub task: Task,
}

/// The counts of a part of a window.
#[derive(Clone, Debug)]
pub struct Part {
    /// From where to where.
    pub window: Window,
    /// Tallies of small and large I/O.
    pub tallies: [Option<ClassTally>; 2],
}

impl Part {
    /// Adds what another worker did in the same part.
    pub fn add(&mut self, other: Self) {
        debug_assert_eq!(self.window.start_ns, other.window.start_ns, "parts of different windows");
        // The last part of a worker that gave up is longer than those of the others.
        self.window.end_ns = self.window.end_ns.min(other.window.end_ns);
        let mine = std::mem::take(&mut self.tallies);
        self.tallies = merge(vec![mine, other.tallies]);
    }
}

/// What one worker, or all of them together, did.
#[derive(Debug, Default)]
pub struct Done {
    /// Tallies of small and large I/O; none after a warm-up.
    pub tallies: [Option<ClassTally>; 2],
    /// When the window really ended.
    pub window_end_ns: u64,
    /// The coordinator ended it before its time.
    pub stopped: bool,
    /// Bytes moved, measured or not.
    pub bytes: u64,
    /// I/Os that failed, measured or not.
    pub failures: u64,
    /// I/Os handed over and given back, measured or not.
    pub ios: IoCounts,
    /// I/Os that did not come back. The worker that gave them up works no more.
    pub hung: Option<HungIo>,
    /// CPU time used.
    pub cpu_ns: u64,
    /// CPU time of the worker that used most; near the job's own length that worker was the limit, not the device.
    pub busiest_cpu_ns: u64,
}

/// What coordinator and worker share while a job runs.
#[derive(Debug)]
pub struct Shared {
    /// Completions of small I/O since the start of the run, stored now and then.
    pub small_ops: AtomicU64,
    /// The same of large I/O.
    pub large_ops: AtomicU64,
    /// When every worker shall end its job at the latest; the same moment for all, so that their windows stay equal.
    pub end_at_ns: AtomicU64,
}

impl Default for Shared {
    fn default() -> Self {
        Self {
            small_ops: AtomicU64::new(0),
            large_ops: AtomicU64::new(0),
            end_at_ns: AtomicU64::new(u64::MAX),
        }
    }
}

impl Done {
    /// Adds what another worker did in the same job.
    pub fn add(&mut self, other: Self) {
        let mine = std::mem::take(&mut self.tallies);
        self.tallies = merge(vec![mine, other.tallies]);
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
    }
}

/// The user's wish to end the run, set by a signal handler.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// A wish shared with whoever sets the flag.
    #[must_use]
    pub const fn new(flag: Arc<AtomicBool>) -> Self {
        Self(flag)
    }

    /// Whether the run should end.
    #[must_use]
    pub fn wanted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_time_of_workers_adds_up_and_the_busiest_stays_known() {
        let worker = |cpu_ns| Done { cpu_ns, busiest_cpu_ns: cpu_ns, ..Done::default() };
        let mut sum = Done::default();
        [30, 90, 60].map(worker).into_iter().for_each(|done| sum.add(done));
        assert_eq!((sum.cpu_ns, sum.busiest_cpu_ns), (180, 90));
    }
}
