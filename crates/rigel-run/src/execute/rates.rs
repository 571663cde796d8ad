//! The search for the highest rate at which a latency limit is met, before the points of the run are known.
//!
//! Must not decide which rate is next; `rigel_core::stats::rates` does.

use super::Run;
use super::walk::{Halt, VisitPlan, Walk};
use rigel_core::event::VisitPosition;
use rigel_core::judge::slo::rate_visit;
use rigel_core::load::class::Class;
use rigel_core::load::plan::{Plan, RateSearch};
use rigel_core::record::Purpose;
use rigel_core::stats::forecast::TimeRange;
use rigel_core::stats::rates::{self, Next, RateOutcome, RateVisit};
use rigel_core::units::Nanos;

/// Searches for the rate, unless only required ones were requested, and stores the plan that follows.
pub fn search(run: &Run, search: &RateSearch, walk: &mut Walk<'_>) -> Result<Plan, Halt> {
    let is_searched = run.request.slo().is_some_and(|slo| !slo.required_only);
    let found = if is_searched { Some(highest(run, search, walk)?) } else { None };
    let plan = run.plan.with_rate(&run.request, found.as_ref(), Nanos(walk.now_ns()))?;
    walk.planned(&plan)?;
    Ok(plan)
}

/// About the highest rate that meets the bounds.
fn highest(run: &Run, search: &RateSearch, walk: &mut Walk<'_>) -> Result<RateOutcome, Halt> {
    let whole = run.plan.prospect(&run.request);
    let rules = search.rules();
    let mut visits: Vec<RateVisit> = Vec::new();
    loop {
        match rates::next(&visits, &rules) {
            Next::Done(found) => return Ok(found),
            Next::Visit(_) if walk.now_ns() >= search.share.0 => return Ok(rates::so_far(&visits, &rules)),
            Next::Visit(rate) => visits.push(visit(run, search, (visits.len(), rate), whole, walk)?),
        }
    }
}

/// One visit to a rate.
fn visit(
    run: &Run,
    search: &RateSearch,
    (step, rate): (usize, u32),
    whole: TimeRange,
    walk: &mut Walk<'_>,
) -> Result<RateVisit, Halt> {
    let (settle_ns, measure_ns) = (search.settle.0, search.measure.0);
    let open = run.request.classes.iter().find(|class| class.is_open());
    // A checked request has one.
    let class = open.map_or(Class::SMALL, |class| class.name);
    let mut worst: Option<RateVisit> = None;
    // Every load at that scale has to keep the bounds.
    for part in 0..run.request.slo_parts() {
        let over_ns = walk.now_ns().saturating_add(settle_ns).saturating_add(measure_ns);
        let visit = walk.visit(&VisitPlan {
            at: VisitPosition {
                step,
                point: run.request.part_at(part, rate),
                purpose: Purpose::Search(class),
            },
            warm_up: None,
            settle_ns,
            measure_ns,
            later: whole.after(over_ns),
            every_ns: None,
            shape: run.request.shape_of_part(part),
        })?;
        // The search counts by the rate that it asked for, even where the classes cannot share it out exactly.
        let seen = RateVisit { rate, ..rate_visit(&run.request, &visit) };
        worst = Some(worst.map_or(seen, |worst| worst.worse(seen)));
    }
    Ok(worst.unwrap_or(RateVisit { rate, ratio: 0.0, weight: 1.0, allowed: 0.0 }))
}
