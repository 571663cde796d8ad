//! One worker on the caller's thread, for a backend with its own clock: a simulated device in virtual time.

use super::{Crew, Progress};
use crate::job::{Done, Job, Shared, Task, Workload};
use crate::worker::Worker;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::facts::engine::{Backing, BufferFacts, EngineFacts, EngineKind};
use rigel_core::load::matrix::Point;
use rigel_core::sim::SimLaw;
use rigel_io::backend::{Backend, SlotLayout};
use rigel_io::clock::{Clock, MonotonicClock};
use rigel_io::sim::{Sim, SimClock};
use std::sync::atomic::Ordering;

/// A backend whose device is told of visits.
pub trait Simulated: Backend {
    /// A visit to `point` begins; nothing is in flight.
    fn begin_visit(&mut self, visit: u64, point: Point);
}

impl Simulated for Sim {
    fn begin_visit(&mut self, visit: u64, point: Point) {
        Self::begin_visit(self, visit, point);
    }
}

/// A crew of one, simulated.
#[derive(Debug)]
pub struct InlineCrew<B = Sim> {
    backend: B,
    clock: SimClock,
    workload: Workload,
    layout: SlotLayout,
    shared: Shared,
    engine: EngineFacts,
    buffers: BufferFacts,
    /// The device has a state that outlasts visits.
    remembers: bool,
}

impl InlineCrew {
    /// A simulated device that obeys `law`, under `workload`.
    #[must_use]
    pub fn simulated(law: SimLaw, workload: Workload, layout: SlotLayout) -> Self {
        let (backend, clock) = Sim::new(law, layout, workload.seed);
        Self::with(backend, clock, law.remembers(), workload, layout)
    }
}

impl<B: Simulated> InlineCrew<B> {
    /// The same with any simulated backend on its clock. `remembers`: its device has a state that outlasts visits.
    pub fn with(
        backend: B,
        clock: SimClock,
        remembers: bool,
        workload: Workload,
        layout: SlotLayout,
    ) -> Self {
        Self {
            remembers,
            backend,
            clock,
            workload,
            layout,
            shared: Shared::default(),
            engine: EngineFacts {
                notes: vec!["simulated device in virtual time: no storage is touched".into()],
                ..EngineFacts::plain(EngineKind::Sim)
            },
            buffers: BufferFacts {
                backing: Backing::None,
                bytes: 0,
                large_segments_max: None,
                large_segments_mean: None,
            },
        }
    }
}

impl<B: Simulated> Crew for InlineCrew<B> {
    fn engine(&self) -> &EngineFacts {
        &self.engine
    }

    fn buffers(&self) -> &BufferFacts {
        &self.buffers
    }

    fn now_ns(&self) -> u64 {
        self.clock.now_ns()
    }

    fn has_to_relive(&self) -> bool {
        self.remembers
    }

    fn catch_up(&mut self, now_ns: u64) {
        self.clock.advance(now_ns.saturating_sub(self.clock.now_ns()));
    }

    fn clock(&self) -> Option<MonotonicClock> {
        None
    }

    fn work(&mut self, job: Job, tick: &mut dyn FnMut(Progress) -> bool) -> Result<Done, Problem> {
        if matches!(job.task, Task::Measure { .. }) {
            self.backend.begin_visit(job.visit, job.point);
        }
        let worker = Worker::alone(&self.workload, self.layout, &self.shared);
        let done = worker
            .run(&mut self.backend, &self.clock, &job)
            .map_err(|error| Problem::new(ExitKind::Bug, format!("the simulated device failed: {error}")))?;
        tick(Progress {
            now_ns: self.now_ns(),
            small_ops: self.shared.small_ops.load(Ordering::Relaxed),
            large_ops: self.shared.large_ops.load(Ordering::Relaxed),
        });
        // CPU time is real, everything else of a simulated run is virtual: it would be the one figure that differs
        // between two runs with one seed.
        Ok(Done { cpu_ns: 0, busiest_cpu_ns: 0, ..done })
    }

    fn rest(&mut self, ns: u64, _tick: &mut dyn FnMut(Progress) -> bool) {
        self.clock.advance(ns);
    }
}

#[cfg(test)]
mod tests;
