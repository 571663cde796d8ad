//! ORION's way: one visit to each point, in the order of the plan; or to each phase of a load.
//!
//! Must not judge a visit.

use super::walk::{Halt, VisitPlan, Walk};
use rigel_core::event::VisitPosition;
use rigel_core::load::plan::Plan;
use rigel_core::record::Purpose;
use rigel_core::stats::forecast::TimeRange;

/// Visits each step once.
pub fn visit_each(plan: &Plan, walk: &mut Walk<'_>) -> Result<(), Halt> {
    let mut later_ns = plan.known_time().0;
    for (step, planned) in plan.steps.iter().enumerate() {
        later_ns = later_ns.saturating_sub(planned.known_time().0);
        walk.visit(&VisitPlan {
            at: VisitPosition { step, point: planned.point, purpose: Purpose::Only },
            warm_up: planned.warm_up,
            settle_ns: planned.settle.0,
            measure_ns: planned.measure.0,
            later: TimeRange::exactly(later_ns),
            every_ns: None,
            shape: planned.shape,
        })?;
    }
    Ok(())
}

/// Visits the point of each phase for its time, in order.
pub fn visit_phases(plan: &Plan, walk: &mut Walk<'_>) -> Result<(), Halt> {
    let mut later_ns = plan.known_time().0;
    for (number, phase) in (0..).zip(&plan.phases) {
        later_ns = later_ns.saturating_sub(phase.settle.0.saturating_add(phase.measure.0));
        // A plan names only steps that it has.
        let Some(step) = plan.steps.get(phase.step) else { break };
        walk.visit(&VisitPlan {
            at: VisitPosition { step: phase.step, point: step.point, purpose: Purpose::Phase(number) },
            warm_up: None,
            settle_ns: phase.settle.0,
            measure_ns: phase.measure.0,
            later: TimeRange::exactly(later_ns),
            every_ns: None,
            shape: step.shape,
        })?;
    }
    Ok(())
}
