//! Two bursts: half of the load for a moment, all of it until it is certain that the rate fell or the time is over, a pause, and all of it again.
//!
//! A burst is a row of visits, one right after the other. The length of the first one, and of the pause after it, follows from the counts alone. Must
//! not judge what they mean.

use super::walk::{Halt, VisitPlan, Walk};
use rigel_core::event::VisitPosition;
use rigel_core::judge::findings::seconds_of;
use rigel_core::load::burst::{Burst, FIRST_PHASE, PROBE_PHASE, SECOND_PHASE};
use rigel_core::load::plan::{PhaseStep, Plan};
use rigel_core::record::Purpose;
use rigel_core::stats::burst::{Second, is_sure, second_burst};
use rigel_core::stats::forecast::TimeRange;
use rigel_core::units::{NS_PER_S, Nanos, to_f64};

/// Loads, waits and loads again.
pub fn twice(plan: &Plan, asked: Burst, walk: &mut Walk<'_>) -> Result<(), Halt> {
    // A plan of bursts has three phases.
    let [half, first, second] = plan.phases.as_slice() else { return Ok(()) };
    let mut bursts = Bursts { plan, walk };
    let later = asked.time.0.saturating_add(second.measure.0);
    let probe = bursts.load(half, PROBE_PHASE, half.measure, later)?;
    let (mut counted, mut left) = (Vec::new(), asked.time);
    while left.0 >= NS_PER_S && !is_sure(&counted) {
        let stretch = asked.stretch().min(left);
        left = Nanos(left.0.saturating_sub(stretch.0));
        counted.extend(bursts.load(first, FIRST_PHASE, stretch, left.0.saturating_add(second.measure.0))?);
    }
    let in_flight = plan.steps.get(first.step).map_or(0, |step| step.point.sum());
    let next = second_burst(&probe, &counted, to_f64(in_flight), asked.time.seconds());
    let Some(next) = next else { return Ok(()) };
    let (rest, load) = (Nanos::from_secs(next.rest_s), Nanos::from_secs(next.load_s));
    bursts.rest(second, rest, load)?;
    bursts.load(second, SECOND_PHASE, load, 0)?;
    Ok(())
}

/// A run of bursts going on.
struct Bursts<'a, 'w> {
    plan: &'a Plan,
    walk: &'a mut Walk<'w>,
}

impl Bursts<'_, '_> {
    /// Loads for a time, and reports each second. Nothing is left out for settling: a bucket counts every I/O.
    fn load(
        &mut self,
        phase: &PhaseStep,
        number: u32,
        time: Nanos,
        later_ns: u64,
    ) -> Result<Vec<Second>, Halt> {
        let Some(at) = self.at(phase, number) else { return Ok(Vec::new()) };
        let visit = self.walk.visit(&VisitPlan {
            at,
            warm_up: None,
            settle_ns: 0,
            measure_ns: time.0,
            later: TimeRange::exactly(later_ns),
            every_ns: None,
            shape: None,
        })?;
        Ok(seconds_of(&visit))
    }

    fn rest(&mut self, phase: &PhaseStep, time: Nanos, later: Nanos) -> Result<(), Halt> {
        match self.at(phase, SECOND_PHASE) {
            Some(at) => self.walk.rest(at, time.0, TimeRange::exactly(later.0)),
            None => Ok(()),
        }
    }

    /// A plan names only steps that it has.
    fn at(&self, phase: &PhaseStep, number: u32) -> Option<VisitPosition> {
        let step = self.plan.steps.get(phase.step)?;
        Some(VisitPosition { step: phase.step, point: step.point, purpose: Purpose::Phase(number) })
    }
}
