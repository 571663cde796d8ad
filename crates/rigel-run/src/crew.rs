//! The workers of a run as one: a job in, what all of them did out.
//!
//! [`threads`] has a thread and a backend per worker; [`inline`] runs one worker in virtual time on the caller's
//! thread. Must not know the plan.

pub mod inline;
pub mod threads;

use crate::job::{Done, Job};
use rigel_core::error::Problem;
use rigel_core::facts::Changes;
use rigel_core::facts::engine::{BufferFacts, EngineFacts};
use rigel_core::load::matrix::Point;
use rigel_core::load::plan::Plan;
use rigel_core::load::request::Request;
use rigel_core::load::split;
use rigel_io::backend::SlotLayout;
use rigel_io::clock::MonotonicClock;

/// What the coordinator learns while a job runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Now, on the crew's clock.
    pub now_ns: u64,
    /// Completions of small I/O since the start of the run.
    pub small_ops: u64,
    /// Completions of large I/O since the start of the run.
    pub large_ops: u64,
}

/// Workers that do jobs together.
pub trait Crew {
    /// The engine, and how it was set up.
    fn engine(&self) -> &EngineFacts;

    /// The I/O buffers of all workers.
    fn buffers(&self) -> &BufferFacts;

    /// Time of the run.
    fn now_ns(&self) -> u64;

    /// Whether this is a simulated device whose state depends on all load so far, and that had none yet. A resumed
    /// run has to repeat the load of its past.
    fn has_to_relive(&self) -> bool;

    /// Sets the time of a resumed run to `now_ns`. In real time it has passed already.
    fn catch_up(&mut self, now_ns: u64);

    /// The clock behind it, for a witness of the host; `None` when the time is not the host's.
    fn clock(&self) -> Option<MonotonicClock>;

    /// What became of the targets since the crew was made, and the limits on I/O where they are no longer `io_max`;
    /// to be called when nothing is in flight. Nothing where there is no target.
    fn changes(&self, _io_max: &[String]) -> Changes {
        Changes::default()
    }

    /// Does a job and waits for its end, calling `tick` a few times a second; when `tick` returns false the job is
    /// brought to an early end.
    ///
    /// # Errors
    /// When a queue broke or a worker died; nothing more can be measured with this crew.
    fn work(&mut self, job: Job, tick: &mut dyn FnMut(Progress) -> bool) -> Result<Done, Problem>;

    /// Lets time pass without load. In real time `tick` is called a few times a second and ends it by returning false.
    fn rest(&mut self, ns: u64, tick: &mut dyn FnMut(Progress) -> bool);
}

/// The slots that a worker needs for every point of the plan.
#[must_use]
pub fn layout(request: &Request, plan: &Plan, worker: u32) -> SlotLayout {
    let slots = |count: usize| u16::try_from(count).unwrap_or(u16::MAX);
    // More outstanding I/Os never give a worker fewer, so the largest point is enough for all. A point of both classes
    // splits each class by itself.
    let (small, large) = plan.room();
    let share = split::share(Point { small, large }, worker, plan.workers);
    let (small, large) = (share.small.len(), share.large.len());
    let per_level = request.large_pattern.outstanding(1) as usize;
    let bytes = |size: u64| u32::try_from(size).unwrap_or(u32::MAX);
    SlotLayout {
        small: slots(small),
        small_bytes: bytes(request.small_bytes),
        large: slots(large * per_level),
        large_bytes: bytes(request.large_bytes),
    }
}
