//! A soak: the phases of a load in turn until its time is over, each visit with its intervals.
//!
//! A phase that was cut short is not completed later: what was measured of it counts, and the next one follows. Must not judge a visit.

use super::walk::{Halt, VisitPlan, Walk};
use rigel_core::event::VisitPosition;
use rigel_core::load::plan::Plan;
use rigel_core::load::soak::Soak;
use rigel_core::record::Purpose;
use rigel_core::stats::forecast::TimeRange;
use rigel_core::units::NS_PER_S;

/// With less time left, no phase begins.
const LEAST_NS: u64 = NS_PER_S / 2;

/// Visits the phases in turn.
pub fn until_over(plan: &Plan, soak: &Soak, walk: &mut Walk<'_>) -> Result<(), Halt> {
    for (number, phase) in (0..).zip(&plan.phases).cycle() {
        // What it takes to ask the drives is no load.
        let left_ns = soak.time.0.saturating_sub(walk.loaded_ns());
        // A plan names only steps that it has.
        let Some(step) = plan.steps.get(phase.step).filter(|_| left_ns >= LEAST_NS) else { break };
        let settle_ns = phase.settle.0.min(left_ns / 10);
        let measure_ns = phase.measure.0.min(left_ns.saturating_sub(settle_ns));
        walk.visit(&VisitPlan {
            at: VisitPosition { step: phase.step, point: step.point, purpose: Purpose::Phase(number) },
            warm_up: None,
            settle_ns,
            measure_ns,
            later: TimeRange::exactly(left_ns.saturating_sub(settle_ns).saturating_sub(measure_ns)),
            every_ns: Some(soak.every.0),
            shape: step.shape,
        })?;
    }
    Ok(())
}
