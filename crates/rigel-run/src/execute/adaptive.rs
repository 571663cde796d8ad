//! An adaptive run: visits in the order that the schedule draws, with a check after each round, until every interval is narrow.
//!
//! Must not hold a rule: when a point is done and what comes next is for `rigel_core::stats` to say.

use super::walk::{Halt, VisitPlan, Walk};
use super::{Outcome, Run};
use rigel_core::event::{Event, VisitPosition};
use rigel_core::judge::profiles::{PhaseLook, Profiles, slowest_rate};
use rigel_core::load::class::{LoadClass, Pattern};
use rigel_core::load::matrix::Point;
use rigel_core::load::plan::{AdaptivePlan, Plan, Step};
use rigel_core::load::sides::Side;
use rigel_core::record;
use rigel_core::stats::detect::slow_noise::slow_noise;
use rigel_core::stats::forecast::TimeRange;
use rigel_core::stats::schedule::{Next, Outlook, Purpose, Schedule, VisitOrder};
use rigel_core::units::NS_PER_S;
use std::collections::BTreeSet;

/// The state of an adaptive run.
struct State<'a> {
    run: &'a Run,
    plan: &'a Plan,
    adaptive: &'a AdaptivePlan,
    schedule: Schedule,
    /// For the current phase.
    profiles: Profiles,
    phase: usize,
    visited: BTreeSet<usize>,
    /// Where a rest is shown.
    last: VisitPosition,
    /// The sides that were warmed up, before their first visit to a point with streams or a log; a run without sides is one.
    warmed_up: BTreeSet<Option<Side>>,
    /// When the run will be over, as last reported.
    ends: TimeRange,
}

/// Visits the points of a plan until their intervals are narrow, or no visit is left.
pub fn rounds(run: &Run, plan: &Plan, adaptive: &AdaptivePlan, walk: &mut Walk<'_>) -> Result<(), Halt> {
    // What has passed before the first visit is the search, where there is one.
    let searched_s = if plan.searches() { walk.now_ns() / NS_PER_S } else { 0 };
    let parameters = adaptive.parameters;
    let mut state = State {
        run,
        plan,
        adaptive,
        schedule: Schedule::of_run(adaptive.phases.clone(), parameters, run.request.seed),
        profiles: profiles(adaptive, 0),
        phase: 0,
        visited: BTreeSet::new(),
        last: VisitPosition { step: 0, point: Point::default(), purpose: record::Purpose::Long },
        warmed_up: BTreeSet::new(),
        ends: TimeRange::default(),
    };
    state.ends = state.schedule.forecast(walk.now_ns(), &Outlook::default());
    walk.happened(Event::Forecast { ends: state.ends });
    loop {
        match state.schedule.next(walk.now_ns()) {
            Next::Visit(order) => state.visit(order, walk)?,
            Next::Wait(ns) => {
                walk.rest(state.last, ns, state.ends.after(walk.now_ns().saturating_add(ns)))?
            }
            Next::Look => state.look(walk),
            Next::Done(_) => break,
        }
    }
    let needed = adaptive.phases.iter().filter(|phase| phase.own.is_none()).flat_map(|phase| &phase.points);
    match needed.filter(|point| !state.visited.contains(point)).count() {
        0 => Ok(()),
        unvisited => Err(Halt::Outcome(Outcome::OutOfTime { unvisited, searched_s })),
    }
}

impl State<'_> {
    fn visit(&mut self, order: VisitOrder, walk: &mut Walk<'_>) -> Result<(), Halt> {
        if self.phase != self.schedule.phase() {
            self.phase = self.schedule.phase();
            self.profiles = profiles(self.adaptive, self.phase);
        }
        let Step { point, shape, .. } = self.plan.steps[order.point];
        let purpose = match order.purpose {
            Purpose::Long => record::Purpose::Long,
            Purpose::Round(round) => record::Purpose::Round(round),
            Purpose::FillsGap => record::Purpose::FillsGap,
        };
        self.last = VisitPosition { step: order.point, point, purpose };
        let side = self.run.request.side_of(point);
        let is_new = self.needs_warm_up(point) && self.warmed_up.insert(side);
        let settle_ns = self.adaptive.parameters_of(self.phase).settle_ns;
        let over_ns = walk.now_ns().saturating_add(settle_ns).saturating_add(order.measure_ns);
        let rounds = self.schedule.rounds();
        let visit = walk.visit(&VisitPlan {
            at: self.last,
            warm_up: self.adaptive.warm_up.filter(|_| is_new),
            settle_ns,
            measure_ns: order.measure_ns,
            later: self.ends.after(over_ns),
            every_ns: None,
            shape,
        })?;
        self.schedule.finished(walk.now_ns(), slowest_rate(&visit));
        if order.purpose != Purpose::Long {
            self.visited.insert(order.point);
        }
        self.profiles.add(&visit);
        // Once there are looks, they tell more.
        let parameters = self.adaptive.parameters_of(self.phase);
        let looks = parameters.first_look(self.adaptive.phases[self.phase].points.len());
        if (rounds + 1..looks).contains(&self.schedule.rounds()) {
            let found = self.profiles.look(parameters);
            self.forecast(&found, walk);
        }
        Ok(())
    }

    /// A warm-up is for the logs, if a run has any; otherwise for the streams.
    fn needs_warm_up(&self, point: Point) -> bool {
        let classes = || self.run.request.classes.iter();
        let has_log = classes().any(|class| class.pattern == Pattern::Log);
        let is_meant =
            |class: &LoadClass| if has_log { class.pattern == Pattern::Log } else { class.streams() };
        classes().any(|class| is_meant(class) && point.of(class.name) > 0)
    }

    /// Narrows the time that the run takes.
    fn forecast(&mut self, found: &PhaseLook, walk: &mut Walk<'_>) {
        let schedule = &self.schedule;
        let outlook =
            found.outlook(self.adaptive.parameters_of(self.phase), |point| schedule.visits_to(point));
        self.ends = self.ends.narrowed(schedule.forecast(walk.now_ns(), &outlook));
        walk.happened(Event::Forecast { ends: self.ends });
    }

    fn look(&mut self, walk: &mut Walk<'_>) {
        let parameters = self.adaptive.parameters_of(self.phase);
        let phase = &self.adaptive.phases[self.phase];
        let found = self.profiles.look(parameters);
        let of_rates = self.plan.rates.as_ref().and_then(|rates| rates.points.as_ref());
        let may_end = |point| of_rates.is_none_or(|points| points.may_end(point));
        self.schedule.looked(|point| may_end(point) && found.reached(point, parameters));
        if !found.look.is_settled() {
            self.schedule.lengthen(found.look.shortest_ns);
        }
        let gap_ns = parameters.gap_for(phase.points.len());
        if slow_noise(&found.timed, gap_ns).is_some() {
            self.schedule.double_gap();
        }
        let done = phase.points.iter().filter(|&&point| found.reached(point, parameters)).count();
        walk.happened(Event::Looked { done, points: phase.points.len(), widest: found.widest() });
        self.forecast(&found, walk);
    }
}

/// For the visits of a phase; the last one is followed by none.
fn profiles(adaptive: &AdaptivePlan, phase: usize) -> Profiles {
    adaptive.phases.get(phase).map_or_else(Profiles::default, Profiles::of_phase)
}
