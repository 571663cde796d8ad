//! Two benches that take turns: an order goes to the one whose side its point is of, and the other one rests.
//!
//! Both are on this host and share its clock, so they are one node. Must not know which side is the better one.

use super::simulated::{SimulatedBench, site};
use super::{Bench, BenchMessage, EarlyEnd, Order, RunPast, Site, VisitResult, layout_in};
use crate::job::Workload;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::facts::engine::EngineFacts;
use rigel_core::facts::{HostFacts, TargetFacts};
use rigel_core::load::plan::Plan;
use rigel_core::load::request::{EngineRequest, Request};
use rigel_core::load::sides::Side;
use rigel_core::load::team::Team;
use rigel_core::record::{Node, Nodes};

/// The benches of both sides.
pub struct Turns {
    a: Box<dyn Bench>,
    b: Box<dyn Bench>,
    site: Site,
}

impl Turns {
    /// Two benches on one clock, each with the targets and the classes of its side.
    pub fn new(a: Box<dyn Bench>, b: Box<dyn Bench>) -> Self {
        let targets = [&a, &b].into_iter().flat_map(|bench| bench.site().targets.clone()).collect();
        let node = node(a.site().nodes.first(), b.site().nodes.first());
        let site = Site { nodes: Nodes::one(node), targets };
        Self { a, b, site }
    }

    /// Two simulated devices that are disturbed at the same time. The targets are those of both.
    ///
    /// # Errors
    /// When a side is not simulated, or its load does not fit.
    pub fn simulated(
        request: &Request,
        plan: &Plan,
        host: &HostFacts,
        targets: &[TargetFacts],
        team: &Team,
    ) -> Result<Self, Problem> {
        let parts = Side::BOTH.map(|side| (request.alone(side), request.of_side(side, targets)));
        let remembers =
            parts.iter().any(|(part, _)| matches!(part.engine, EngineRequest::Sim(law) if law.remembers()));
        let bench = |(number, (part, targets)): (u64, (Request, &[TargetFacts]))| {
            let EngineRequest::Sim(law) = part.engine else {
                return Err(Problem::new(
                    ExitKind::Bug,
                    "a side paired with a simulated device is not simulated",
                ));
            };
            let workload = Workload::of(&part, targets, team.clone())?;
            let site = site(host.clone(), targets.to_vec());
            let bench = SimulatedBench::one_of_two(
                (law, number),
                remembers,
                workload,
                layout_in(team, &part, plan, (0, plan.workers, &[])),
                site,
            );
            Ok(Box::new(bench) as Box<dyn Bench>)
        };
        let [a, b] = parts;
        Ok(Self::new(bench((0, a))?, bench((1, b))?))
    }

    /// The bench whose turn it is, then the other one.
    fn of(&mut self, side: Side) -> (&mut dyn Bench, &mut dyn Bench) {
        match side {
            Side::A => (self.a.as_mut(), self.b.as_mut()),
            Side::B => (self.b.as_mut(), self.a.as_mut()),
        }
    }
}

/// One host with the engine of A; what differs on side B is in its notes.
fn node(a: &Node, b: &Node) -> Node {
    let mut node = a.clone();
    node.buffers.bytes = node.buffers.bytes.saturating_add(b.buffers.bytes);
    let mut notes = b.engine.notes.clone();
    if b.engine.kind != a.engine.kind {
        notes.insert(0, EngineFacts::note_of_b(b.engine.kind));
    }
    notes.retain(|note| !node.engine.notes.contains(note));
    node.engine.notes.extend(notes);
    node
}

impl Bench for Turns {
    fn site(&self) -> &Site {
        &self.site
    }

    fn now_ns(&self) -> u64 {
        self.a.now_ns()
    }

    fn work(
        &mut self,
        order: &Order,
        hear: &mut dyn FnMut(BenchMessage) -> bool,
    ) -> Result<VisitResult, Problem> {
        let side = order.point.side().ok_or_else(|| {
            Problem::new(ExitKind::Bug, "a run of two sides has a point that belongs to neither")
        })?;
        let (own, other) = self.of(side);
        let mut came = own.work(order, hear)?;
        // Virtual time passes for both.
        other.pass(came.ended_ns, RunPast::Rest);
        if side == Side::B {
            // The whole run has those of A in front.
            let before = u16::try_from(self.a.site().targets.len()).unwrap_or(u16::MAX);
            came.retell(&|target| target.saturating_add(before), &|ns| ns);
        }
        Ok(came)
    }

    fn rest(&mut self, ns: u64, hear: &mut dyn FnMut(BenchMessage) -> bool) {
        self.a.rest(ns, hear);
        self.b.pass(self.a.now_ns(), RunPast::Rest);
    }

    fn early_end(&self) -> EarlyEnd {
        self.a.early_end().and(self.b.early_end())
    }

    fn pass(&mut self, until_ns: u64, passed: RunPast) -> bool {
        // Both remember, or none does.
        let [a, b] = [&mut self.a, &mut self.b].map(|bench| bench.pass(until_ns, passed));
        a && b
    }
}

#[cfg(test)]
mod tests;
