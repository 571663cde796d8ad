//! Random reads of growing parts of a target: each working set is read until it is warm, then measured; the smallest one again at the end.
//!
//! How long a set is warmed up follows from the counts and from the time of the run that is left. Must not judge what the sizes mean.

use super::walk::{Halt, VisitPlan, Walk};
use rigel_core::event::VisitPosition;
use rigel_core::judge::findings::stretch_of;
use rigel_core::load::class::{Class, LoadClass};
use rigel_core::load::matrix::Point;
use rigel_core::load::plan::{Plan, Step};
use rigel_core::load::working_set::{MANY, ONE, SETTLE, SizeTimes, WorkingSet};
use rigel_core::record::{Purpose, Visit};
use rigel_core::stats::forecast::TimeRange;
use rigel_core::stats::working_set::warm::next_stretch;
use rigel_core::units::{NS_PER_S, Nanos, to_f64};

/// The share of the remaining time for warming up a size: the next one takes twice as long.
const SHARE: f64 = 0.5;

/// Reads size after size.
pub fn size_by_size(
    plan: &Plan,
    asked: &WorkingSet,
    load: &LoadClass,
    walk: &mut Walk<'_>,
) -> Result<(), Halt> {
    let Some(sets) = &load.working_sets else { return Ok(()) };
    let end_ns = walk.now_ns().saturating_add(asked.time.0);
    let times = asked.times(sets.sizes.len());
    let mut sizes = Sizes { plan, walk, times, end_ns };
    let blocks = |level| to_f64(sets.bytes(level).unwrap_or(0) / load.io_bytes().max(1));
    // The smallest comes once more at the end, and has to be warmed up again.
    let mut again_ns = times.all().0;
    for level in 1..=sets.count() {
        let others = u64::from(sets.count() - level);
        let later = Nanos(times.all().0.saturating_mul(others).saturating_add(again_ns));
        let share = if others > 0 { SHARE } else { 1.0 };
        let spent = sizes.warm_up(level, blocks(level), Purpose::Warm, Budget { later, share })?;
        if level == 1 {
            again_ns = times.measured().0.saturating_add(spent.0);
        }
        sizes.measure(level, MANY, Purpose::Only, later)?;
        sizes.measure(level, ONE, Purpose::Only, later)?;
    }
    // A storage that changed meanwhile is none whose caches were seen.
    sizes.warm_up(1, blocks(1), Purpose::Again, Budget { later: Nanos(0), share: 1.0 })?;
    sizes.measure(1, ONE, Purpose::Again, Nanos(0))
}

/// The time of a size.
#[derive(Clone, Copy)]
struct Budget {
    /// Time to reserve for the later sizes.
    later: Nanos,
    /// Its share of the remainder.
    share: f64,
}

/// A run over working sets going on.
struct Sizes<'a, 'w> {
    plan: &'a Plan,
    walk: &'a mut Walk<'w>,
    times: SizeTimes,
    end_ns: u64,
}

impl Sizes<'_, '_> {
    /// Reads a size until it is warm, or no time is left; how long that took.
    fn warm_up(&mut self, level: u32, blocks: f64, purpose: Purpose, budget: Budget) -> Result<Nanos, Halt> {
        let needed = self.times.measured().0.saturating_add(budget.later.0);
        let left = Nanos(self.end_ns.saturating_sub(self.walk.now_ns()).saturating_sub(needed));
        let most_s = left.seconds() * budget.share;
        let began_ns = self.walk.now_ns();
        let mut stretches = Vec::new();
        loop {
            let spent = Nanos(self.walk.now_ns().saturating_sub(began_ns));
            let left_s = most_s - spent.seconds();
            let next_s = next_stretch(&stretches, blocks, self.times.look.seconds(), left_s);
            let Some(next_s) = next_s else { return Ok(spent) };
            let visit = self.load(level, MANY, purpose, whole_tenths(next_s), budget.later)?;
            // A plan that lacks the size has nothing to warm up.
            let Some(visit) = visit else { return Ok(spent) };
            stretches.extend(stretch_of(&visit));
        }
    }

    fn measure(&mut self, level: u32, class: Class, purpose: Purpose, later: Nanos) -> Result<(), Halt> {
        let time = self.times.measure(Point::alone(class, level));
        self.load(level, class, purpose, time, later).map(drop)
    }

    fn load(
        &mut self,
        level: u32,
        class: Class,
        purpose: Purpose,
        time: Nanos,
        later: Nanos,
    ) -> Result<Option<Visit>, Halt> {
        let point = Point::alone(class, level);
        let is_own = |step: &Step| step.point == point;
        // A plan has each size for both classes.
        let Some(step) = self.plan.steps.iter().position(is_own) else { return Ok(None) };
        let left_ns = self.end_ns.saturating_sub(self.walk.now_ns()).saturating_sub(time.0);
        // What is warmed up counts from its first read on.
        let warms = purpose == Purpose::Warm || purpose == Purpose::Again && class == MANY;
        let settle_ns = if warms { 0 } else { SETTLE.0 };
        let visit = self.walk.visit(&VisitPlan {
            at: VisitPosition { step, point, purpose },
            warm_up: None,
            settle_ns,
            measure_ns: time.0,
            later: TimeRange { least_ns: later.0.min(left_ns), most_ns: left_ns },
            every_ns: None,
            shape: None,
        })?;
        Ok(Some(visit))
    }
}

/// A time that a series can be counted in.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a time of a run, and it saturates"
)]
fn whole_tenths(seconds: f64) -> Nanos {
    Nanos(((seconds * 10.0).ceil() as u64).saturating_mul(NS_PER_S / 10))
}
