//! The search for the load levels that saturate the device, before the points of the run are known.
//!
//! Must not decide which level is next; `rigel_core::stats::levels_auto` does.

use super::walk::{Halt, Walk, Wanted};
use super::{Outcome, Run};
use rigel_core::calibration::level_visit;
use rigel_core::event::{At, Event};
use rigel_core::matrix::Point;
use rigel_core::plan::{LevelSearch, Plan};
use rigel_core::record::{Line, Purpose};
use rigel_core::stats::levels_auto::{self, Next};
use rigel_core::units::Nanos;
use rigel_core::workload::Class;

/// Searches each class alone and keeps the plan that follows.
pub fn search(run: &Run, walk: &mut Walk<'_>) -> Result<Plan, Halt> {
    let mut found = [None; 2];
    if let Some(search) = &run.plan.search {
        let mut step = 0;
        for &class in &search.classes {
            found[class.index()] = search_class(run, search, class, &mut step, walk)?;
            walk.happened(Event::LevelFound { class, n_sat: found[class.index()] });
        }
    }
    let [small, large] = found;
    let plan = run.plan.with_levels(&run.request, small, large, Nanos(walk.now_ns()))?;
    walk.happened(Event::Planned { points: plan.steps.len() });
    walk.tell(&Line::Plan(Box::new(plan.clone())))?;
    Ok(plan)
}

/// The smallest level that saturates; `None` when nothing completed.
fn search_class(
    run: &Run,
    search: &LevelSearch,
    class: Class,
    step: &mut usize,
    walk: &mut Walk<'_>,
) -> Result<Option<u32>, Halt> {
    let rules = search.rules(class);
    let mut visits = Vec::new();
    loop {
        let level = match levels_auto::next(&visits, &rules) {
            Next::Visit(level) => level,
            Next::Done(curve) => return Ok(Some(curve.n_sat.found)),
            Next::Nothing => return Ok(None),
        };
        if out_of_time(run, walk.now_ns()) {
            return Err(Halt::Outcome(Outcome::SearchUnfinished { visits: *step }));
        }
        let point = match class {
            Class::Small => Point { small: level, large: 0 },
            Class::Large => Point { small: 0, large: level },
        };
        let visit = walk.visit(&Wanted {
            at: At { step: *step, point, purpose: Purpose::Search(class) },
            warm_up: None,
            settle_ns: search.settle.0,
            measure_ns: search.measure.0,
            later_ns: later_ns(search, *step),
        })?;
        *step += 1;
        visits.extend(level_visit(&visit, class));
    }
}

fn later_ns(search: &LevelSearch, step: usize) -> u64 {
    let made = (search.settle.0 + search.measure.0).saturating_mul(step as u64 + 1);
    search.usual_time().0.saturating_sub(made)
}

fn out_of_time(run: &Run, now_ns: u64) -> bool {
    run.request.pace.max_duration().is_some_and(|limit| now_ns >= limit.0)
}
