//! An adaptive run: visits in the order that the schedule draws, a look after each round, until every interval is narrow.
//!
//! Must not hold a rule: when a point is done and what comes next is for `rigel_core::stats` to say.

use super::walk::{Halt, Walk, Wanted};
use super::{Outcome, Run};
use rigel_core::event::{At, Event};
use rigel_core::judge::profiles::{PhaseLook, Profiles, slowest_rate};
use rigel_core::load::matrix::Point;
use rigel_core::load::plan::{AdaptivePlan, Plan, WarmUp};
use rigel_core::record;
use rigel_core::stats::detect::slow_noise::slow_noise;
use rigel_core::stats::forecast::TimeRange;
use rigel_core::stats::schedule::{Next, Outlook, Purpose, Schedule, VisitOrder};
use rigel_core::units::NS_PER_S;
use std::collections::BTreeSet;

/// What an adaptive run knows while it goes on.
struct State<'a> {
    run: &'a Run,
    plan: &'a Plan,
    adaptive: &'a AdaptivePlan,
    schedule: Schedule,
    /// Of the phase that is being measured.
    profiles: Profiles,
    phase: usize,
    visited: BTreeSet<usize>,
    /// Where a rest is shown.
    last: At,
    /// Until it was done, before the first visit to a point with streams or a log.
    warm_up: Option<WarmUp>,
    /// When the run will be over, as far as it was told.
    ends: TimeRange,
}

/// Visits the points of a plan until their intervals are narrow, or no visit is left.
pub fn rounds(run: &Run, plan: &Plan, adaptive: &AdaptivePlan, walk: &mut Walk<'_>) -> Result<(), Halt> {
    // What has passed before the first visit is the search, where there is one.
    let searched_s = if plan.search.is_some() { walk.now_ns() / NS_PER_S } else { 0 };
    let parameters = adaptive.parameters;
    let mut state = State {
        run,
        plan,
        adaptive,
        schedule: Schedule::of_run(adaptive.phases.clone(), parameters, run.request.seed),
        profiles: Profiles::default(),
        phase: 0,
        visited: BTreeSet::new(),
        last: At { step: 0, point: Point::default(), purpose: record::Purpose::Long },
        warm_up: adaptive.warm_up,
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
    match plan.steps.len() - state.visited.len() {
        0 => Ok(()),
        unvisited => Err(Halt::Outcome(Outcome::OutOfTime { unvisited, searched_s })),
    }
}

impl State<'_> {
    fn visit(&mut self, order: VisitOrder, walk: &mut Walk<'_>) -> Result<(), Halt> {
        if self.phase != self.schedule.phase() {
            self.phase = self.schedule.phase();
            self.profiles = Profiles::default();
        }
        let point = self.plan.steps[order.point].point;
        let purpose = match order.purpose {
            Purpose::Long => record::Purpose::Long,
            Purpose::Round(round) => record::Purpose::Round(round),
            Purpose::FillsGap => record::Purpose::FillsGap,
        };
        self.last = At { step: order.point, point, purpose };
        let mut classes = self.run.request.classes.iter();
        let walks = classes.any(|class| class.walks() && point.of(class.name) > 0);
        let settle_ns = self.adaptive.parameters.settle_ns;
        let over_ns = walk.now_ns().saturating_add(settle_ns).saturating_add(order.measure_ns);
        let rounds = self.schedule.rounds();
        let visit = walk.visit(&Wanted {
            at: self.last,
            warm_up: if walks { self.warm_up.take() } else { None },
            settle_ns,
            measure_ns: order.measure_ns,
            later: self.ends.after(over_ns),
            every_ns: None,
        })?;
        self.schedule.finished(walk.now_ns(), slowest_rate(&visit));
        if order.purpose != Purpose::Long {
            self.visited.insert(order.point);
        }
        self.profiles.add(&visit);
        // Once there are looks, they tell more.
        let looks = self.adaptive.parameters.first_look(self.adaptive.phases[self.phase].points.len());
        if (rounds + 1..looks).contains(&self.schedule.rounds()) {
            let found = self.profiles.look(&self.adaptive.parameters);
            self.forecast(&found, walk);
        }
        Ok(())
    }

    /// Narrows the time that the run takes.
    fn forecast(&mut self, found: &PhaseLook, walk: &mut Walk<'_>) {
        let schedule = &self.schedule;
        let outlook = found.outlook(&self.adaptive.parameters, |point| schedule.visits_to(point));
        self.ends = self.ends.narrowed(schedule.forecast(walk.now_ns(), &outlook));
        walk.happened(Event::Forecast { ends: self.ends });
    }

    fn look(&mut self, walk: &mut Walk<'_>) {
        let parameters = &self.adaptive.parameters;
        let phase = &self.adaptive.phases[self.phase];
        let found = self.profiles.look(parameters);
        self.schedule.looked(|point| found.reached(point, parameters));
        if !found.look.is_settled() {
            self.schedule.lengthen(found.look.shortest_ns);
        }
        let gap_ns = parameters.gap_for(phase.points.len());
        if slow_noise(&found.timed, gap_ns).is_some() {
            self.schedule.double_gap();
        }
        let done = phase.points.iter().filter(|&&point| found.reached(point, parameters)).count();
        walk.happened(Event::Looked { done, points: phase.points.len(), widest: widest(&found) });
        self.forecast(&found, walk);
    }
}

/// Half the width of the widest interval.
fn widest(found: &PhaseLook) -> f64 {
    let widths = found
        .look
        .intervals
        .iter()
        .map(|interval| interval.map_or(f64::INFINITY, |interval| interval.relative_half_width));
    widths.fold(0.0, f64::max)
}
