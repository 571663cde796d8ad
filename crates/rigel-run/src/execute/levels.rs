//! The search for the load levels that saturate the device, before the points of the run are known.
//!
//! Must not decide which level is next; `rigel_core::stats::levels_auto` and `bound` do.

use super::walk::{Halt, VisitPlan, Walk};
use super::{Outcome, Run};
use rigel_core::event::{Event, Saturation, VisitPosition};
use rigel_core::judge::profiles::{bound_visit, level_visit};
use rigel_core::load::class::Class;
use rigel_core::load::matrix::Point;
use rigel_core::load::plan::{LevelSearch, Part, Plan, SearchOutcome};
use rigel_core::record::{Purpose, Visit};
use rigel_core::stats::bound::{self, BoundVisit, LatencyBound, NextBound};
use rigel_core::stats::forecast::TimeRange;
use rigel_core::stats::levels_auto::{self, Curve, Next};
use rigel_core::units::Nanos;

/// Searches each class alone and stores the plan that follows.
pub fn search(run: &Run, walk: &mut Walk<'_>) -> Result<Plan, Halt> {
    let mut found = SearchOutcome::default();
    if let Some(search) = &run.plan.search {
        let whole = run.plan.prospect(&run.request);
        let mut searching = SearchState { run, search, whole, step: 0, walk };
        for &class in &search.classes {
            let mut visits = Vec::new();
            let n_sat = searching.saturation(class, &mut visits)?;
            searching.walk.happened(Event::LevelFound { class, n_sat });
            found.n_sat.extend(n_sat.map(|n_sat| (class, n_sat.level)));
            if class == Class::SMALL {
                found.bounded = searching.bound(&mut visits)?;
                found.perhaps = search.bound.and_then(|asked| {
                    bound::perhaps(&bound_visits(&visits, &asked), asked.limit, found.bounded)
                });
            }
        }
    }
    let plan = run.plan.with_levels(&run.request, &found, Nanos(walk.now_ns()))?;
    walk.planned(&plan)?;
    Ok(plan)
}

/// A search under way.
struct SearchState<'a, 'w> {
    run: &'a Run,
    search: &'a LevelSearch,
    /// When the whole run will be over.
    whole: TimeRange,
    step: usize,
    walk: &'a mut Walk<'w>,
}

impl SearchState<'_, '_> {
    /// The smallest level that saturates; `None` if nothing completed.
    fn saturation(&mut self, class: Class, made: &mut Vec<Visit>) -> Result<Option<Saturation>, Halt> {
        let rules = self.search.rules(class);
        let mut visits = Vec::new();
        loop {
            let level = match levels_auto::next(&visits, &rules) {
                Next::Visit(level) => level,
                Next::Done(curve) => return Ok(Some(saturation(curve.n_sat.found, Some(&curve)))),
                Next::Nothing => return Ok(None),
            };
            if self.search.is_over(Part::Saturation(class), self.walk.now_ns(), made.len()) {
                let seen = levels_auto::so_far(&visits, &rules);
                return Ok(seen.map(|(level, curve)| saturation(level, curve.as_ref())));
            }
            let visit = self.visit(class, level)?;
            visits.extend(level_visit(&visit, class));
            made.push(visit);
        }
    }

    /// The most outstanding small I/Os within the limit, if there is one; `made` are the visits so far.
    fn bound(&mut self, made: &mut Vec<Visit>) -> Result<Option<u32>, Halt> {
        let Some(asked) = self.search.bound else {
            return Ok(None);
        };
        let rules = self.search.rules(Class::SMALL);
        loop {
            let visits = bound_visits(made, &asked);
            let level = match bound::next(&visits, asked.limit, rules.visits, rules.most_outstanding) {
                NextBound::Visit(level) => level,
                NextBound::Done(level) => return Ok(level),
            };
            if self.search.is_over(Part::Bound, self.walk.now_ns(), made.len()) {
                return Ok(bound::so_far(&visits, asked.limit));
            }
            let visit = self.visit(Class::SMALL, level)?;
            if bound_visit(&visit, asked.of).is_none() {
                return Ok(None);
            }
            made.push(visit);
        }
    }

    /// One visit to a class alone.
    fn visit(&mut self, class: Class, level: u32) -> Result<Visit, Halt> {
        if out_of_time(self.run, self.walk.now_ns()) {
            return Err(Halt::Outcome(Outcome::SearchUnfinished { visits: self.step }));
        }
        let point = Point::alone(class, level);
        let (settle_ns, measure_ns) = (self.search.settle.0, self.search.measure.0);
        let over_ns = self.walk.now_ns().saturating_add(settle_ns).saturating_add(measure_ns);
        let visit = self.walk.visit(&VisitPlan {
            at: VisitPosition { step: self.step, point, purpose: Purpose::Search(class) },
            warm_up: None,
            settle_ns,
            measure_ns,
            later: self.whole.after(over_ns),
            every_ns: None,
            shape: None,
        })?;
        self.step += 1;
        Ok(visit)
    }
}

fn saturation(level: u32, curve: Option<&Curve>) -> Saturation {
    Saturation { level, is_reached: curve.is_some_and(|curve| curve.saturated) }
}

/// What visits to small I/O show about a limit.
fn bound_visits(made: &[Visit], asked: &LatencyBound) -> Vec<BoundVisit> {
    made.iter().filter_map(|visit| bound_visit(visit, asked.of)).collect()
}

fn out_of_time(run: &Run, now_ns: u64) -> bool {
    run.request.max_duration().is_some_and(|limit| now_ns >= limit.0)
}
