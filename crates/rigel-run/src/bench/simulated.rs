//! One worker on the caller's thread, for a backend with its own clock: a simulated device in virtual time.

use super::{Bench, BenchMessage, Order, Progress, RunPast, Site, VisitResult};
use crate::job::{JobState, Part, WorkResult, Workload};
use crate::worker::Worker;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::facts::engine::{BufferFacts, EngineFacts, EngineKind};
use rigel_core::facts::{HostFacts, TargetFacts};
use rigel_core::load::matrix::Point;
use rigel_core::record::{Node, NodeVisit, Nodes};
use rigel_core::sim::SimLaw;
use rigel_io::backend::{Backend, SlotLayout};
use rigel_io::clock::Clock;
use rigel_io::sim::{Sim, SimClock};
use std::cell::RefCell;

/// A backend whose device is informed of visits.
pub trait VisitAware: Backend {
    /// A visit to `point` begins; nothing is in flight.
    fn begin_visit(&mut self, visit: u64, point: Point);
}

impl VisitAware for Sim {
    fn begin_visit(&mut self, visit: u64, point: Point) {
        Self::begin_visit(self, visit, point);
    }
}

/// One worker on a simulated device.
#[derive(Debug)]
pub struct SimulatedBench<B = Sim> {
    backend: B,
    clock: SimClock,
    workload: Workload,
    layout: SlotLayout,
    shared: JobState,
    site: Site,
    /// The device has a state that outlasts visits.
    remembers: bool,
}

/// The nodes and targets of a simulated run.
pub fn site(host: HostFacts, targets: Vec<TargetFacts>) -> Site {
    let engine = EngineFacts {
        notes: vec!["simulated device in virtual time: no storage is touched".into()],
        ..EngineFacts::plain(EngineKind::Sim)
    };
    Site { nodes: Nodes::one(Node { host, engine, buffers: BufferFacts::NONE, member: None }), targets }
}

impl SimulatedBench {
    /// A simulated device that obeys `law`, under `workload`. Each node has one of its own.
    pub fn new(law: SimLaw, workload: Workload, layout: SlotLayout, site: Site) -> Self {
        let (backend, clock) = Sim::one_of_several(law, layout, workload.seed, workload.team.node.into());
        Self::with(backend, clock, law.remembers(), workload, layout, site)
    }

    /// One of two alternating devices, 0 or 1. `remembers`: the state of one of them outlasts visits.
    pub fn one_of_two(
        (law, number): (SimLaw, u64),
        remembers: bool,
        workload: Workload,
        layout: SlotLayout,
        site: Site,
    ) -> Self {
        let number = number + 2 * u64::from(workload.team.node);
        let (backend, clock) = Sim::one_of_several(law, layout, workload.seed, number);
        Self::with(backend, clock, remembers, workload, layout, site)
    }
}

impl<B: VisitAware> SimulatedBench<B> {
    /// The same with any simulated backend on its clock. `remembers`: its device has a state that outlasts visits.
    pub fn with(
        backend: B,
        clock: SimClock,
        remembers: bool,
        workload: Workload,
        layout: SlotLayout,
        site: Site,
    ) -> Self {
        let shared = JobState::of(&workload);
        Self { remembers, backend, clock, workload, layout, shared, site }
    }
}

impl<B: VisitAware> Bench for SimulatedBench<B> {
    fn site(&self) -> &Site {
        &self.site
    }

    fn now_ns(&self) -> u64 {
        self.clock.now_ns()
    }

    fn work(
        &mut self,
        order: &Order,
        hear: &mut dyn FnMut(BenchMessage) -> bool,
    ) -> Result<VisitResult, Problem> {
        let began_ns = order.begins_ns(self.now_ns()).max(self.now_ns());
        self.clock.advance(began_ns - self.now_ns());
        if order.measures() {
            self.backend.begin_visit(order.visit, order.point);
        }
        let (job, _) = order.job(began_ns);
        let heard = RefCell::new(&mut *hear);
        let hand_over = |part: Part| {
            (heard.borrow_mut())(BenchMessage::Part(Box::new(part)));
        };
        let worker = Worker::alone(&self.workload, self.layout, &self.shared, &hand_over);
        let done = worker
            .run(&mut self.backend, &self.clock, &job)
            .map_err(|error| Problem::new(ExitKind::Bug, format!("the simulated device failed: {error}")))?;
        let (ops, latency_ns) = (self.shared.done(), self.shared.latencies_ns());
        hear(BenchMessage::Tick(Progress { now_ns: self.now_ns(), ops, latency_ns }));
        // CPU time is real, everything else of a simulated run is virtual: it would be the one figure that differs
        // between two runs with one seed.
        let done = WorkResult { cpu_ns: 0, busiest_cpu_ns: 0, ..done };
        let nodes = vec![NodeVisit { moved_bytes: done.bytes, ..NodeVisit::default() }];
        Ok(VisitResult { done, began_ns, ended_ns: self.now_ns(), nodes })
    }

    fn rest(&mut self, ns: u64, _hear: &mut dyn FnMut(BenchMessage) -> bool) {
        self.clock.advance(ns);
    }

    fn pass(&mut self, until_ns: u64, passed: RunPast) -> bool {
        if self.remembers && passed == RunPast::Visit {
            return false;
        }
        self.clock.advance(until_ns.saturating_sub(self.clock.now_ns()));
        true
    }
}

#[cfg(test)]
mod tests;
