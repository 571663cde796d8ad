//! How the points of an adaptive run are visited: reads before writes, long visits first.
//!
//! Must not choose the order of visits; [`crate::stats::schedule`] does, as the run continues.

use super::{Step, WarmUp, commits};
use crate::error::Problem;
use crate::load::class::{Class, Pattern};
use crate::load::matrix::Point;
use crate::load::pace::{Adaptive, Pace};
use crate::load::request::{CacheWarmUp, Request};
use crate::stats::Parameters;
use crate::stats::forecast::TimeRange;
use crate::stats::schedule::{LongVisit, Outlook, Phase, Schedule};
use crate::stats::turns::FEWEST_ROUNDS;
use crate::units::{NS_PER_S, Nanos};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A limited run spends at most this fraction of its time on each long visit.
const PART_FOR_A_LONG_VISIT: u64 = 8;
/// With two sides there are twice as many.
const PART_OF_A_SIDE: u64 = 2 * PART_FOR_A_LONG_VISIT;
/// A shorter long visit would show no more than the short ones.
const SHORTEST_LONG_VISIT_NS: u64 = 5 * NS_PER_S;

/// The shortest rest of a point in a limited run.
const SHORTEST_REST_NS: u64 = 2 * NS_PER_S;

/// How an adaptive run visits its points: short visits in rounds, until every interval is narrow enough.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AdaptivePlan {
    /// The parameters that control it.
    pub parameters: Parameters,
    /// Points, by the index of their step, that are measured together.
    pub phases: Vec<Phase>,
    /// Load before the first visit to a point with streams or a log; visits to other points separate the later ones.
    pub warm_up: Option<WarmUp>,
}

impl AdaptivePlan {
    /// The adaptive run of a request; `None` for ORION's one visit per point.
    ///
    /// # Errors
    /// When the time limit is too short for one visit to each point.
    pub fn new(request: &Request, steps: &[Step]) -> Result<Option<Self>, Problem> {
        let Some(Pace::Adaptive(adaptive)) = request.pace() else {
            return Ok(None);
        };
        let found = Self::within(request, &adaptive, steps, Nanos(0));
        check_limit(&adaptive, steps)?;
        Ok(Some(found))
    }

    /// The same after a search that took `spent`. The run uses the remaining time, and reports what it had no time for.
    pub(crate) fn after_search(request: &Request, steps: &[Step], spent: Nanos) -> Option<Self> {
        let Some(Pace::Adaptive(adaptive)) = request.pace() else { return None };
        Some(Self::within(request, &adaptive, steps, spent))
    }

    /// The parameters of a phase.
    pub fn parameters_of(&self, phase: usize) -> &Parameters {
        self.phases.get(phase).map_or(&self.parameters, |phase| phase.parameters(&self.parameters))
    }

    fn within(request: &Request, adaptive: &Adaptive, steps: &[Step], spent: Nanos) -> Self {
        let mut parameters = super::parameters(request, adaptive);
        let limit = commits::time_before(request);
        if let Some(limit) = limit {
            let part = if request.sides.is_some() { PART_OF_A_SIDE } else { PART_FOR_A_LONG_VISIT };
            parameters = limited(parameters, limit, spent, part);
        }
        let phases = phases(request, adaptive, steps, &parameters);
        let found = Self { parameters, phases, warm_up: warm_up(request, steps) };
        let Some(limit) = limit else { return found };
        let left_ns = limit.0.saturating_sub(spent.0);
        let found = if found.has_time_for_long_visits(request, steps, left_ns) {
            found
        } else {
            let parameters = Parameters { long_read_ns: 0, long_write_ns: 0, ..parameters };
            let phases = self::phases(request, adaptive, steps, &parameters);
            Self { parameters, phases, ..found }
        };
        found.with_rests_within(left_ns)
    }

    /// The time missing for the rounds that a ratio of two sides needs, if a limited run has less.
    pub fn time_that_a_ratio_lacks(&self, request: &Request, steps: &[Step]) -> Option<Nanos> {
        let needed_ns = least_rounds(request).saturating_mul(time_of_a_round(steps));
        let is_short = request.sides.is_some() && needed_ns > self.parameters.time_limit_ns?;
        is_short.then_some(Nanos(needed_ns))
    }

    /// Whether a limited run has time for long visits: the remainder suffices for the rounds that an answer needs.
    fn has_time_for_long_visits(&self, request: &Request, steps: &[Step], left_ns: u64) -> bool {
        let rounds = least_rounds(request).saturating_mul(time_of_a_round(steps));
        self.long_visits_ns().saturating_add(rounds) <= left_ns
    }

    /// Shortens the rests if the usual ones would use up the time before the first check. A visit after a short rest
    /// says more than no visit.
    fn with_rests_within(self, left_ns: u64) -> Self {
        let Parameters { settle_ns, measure_ns, .. } = self.parameters;
        let without_rounds = self.time_of(|_, _| 0);
        let usual = || self.phases.iter().filter(|phase| phase.own.is_none());
        let share_ns = left_ns.saturating_sub(without_rounds) / (usual().count() as u64).max(1);
        let fitting = |phase: &Phase| {
            let rounds = u64::from(self.parameters.first_look(phase.points.len())).max(1);
            (share_ns / rounds).saturating_sub(settle_ns + measure_ns)
        };
        let fitting_ns = usual().map(fitting).min().unwrap_or(u64::MAX).max(SHORTEST_REST_NS);
        let parameters = Parameters {
            gap_ns: self.parameters.gap_ns.min(fitting_ns),
            gap_few_ns: self.parameters.gap_few_ns.min(fitting_ns),
            ..self.parameters
        };
        Self { parameters, ..self }
    }

    /// Time of the long visits and of the rounds before the first check, with warm-up (when it is a time) and pauses.
    pub(crate) fn least_time(&self) -> Nanos {
        self.time_after(Nanos(0))
    }

    /// The least time of a run whose search took `spent`.
    pub(crate) fn time_after(&self, spent: Nanos) -> Nanos {
        self.limited(spent.0.saturating_add(self.time_of(Parameters::first_look)))
    }

    /// When a run that reaches its points at `from_ns` ends: from the fewest visits to each, to the most and longest with
    /// the longest rests.
    pub(crate) fn prospect(&self, from_ns: u64, seed: u64) -> TimeRange {
        let schedule = Schedule::of_run(self.phases.clone(), self.parameters, seed);
        let warm_up_ns = match self.warm_up {
            Some(WarmUp::Time(time)) => time.0,
            _ => 0,
        };
        schedule.forecast(from_ns.saturating_add(warm_up_ns), &Outlook::default())
    }

    fn long_visits_ns(&self) -> u64 {
        let long_visits = self.phases.iter().flat_map(|phase| &phase.long_visits);
        let times = long_visits.map(|long| long.measure_ns.saturating_add(self.parameters.settle_ns));
        times.fold(0, u64::saturating_add)
    }

    fn limited(&self, all: u64) -> Nanos {
        let last = self.parameters_of(self.phases.len().saturating_sub(1));
        Nanos(last.time_limit_ns.map_or(all, |limit| all.min(limit)))
    }

    /// `rounds` gives the rounds of a phase with such parameters and this many points.
    fn time_of(&self, rounds: impl Fn(&Parameters, usize) -> u32) -> u64 {
        let pause_ns = self.parameters.pause_ns;
        let phase = |phase: &Phase| {
            let parameters = phase.parameters(&self.parameters);
            let &Parameters { settle_ns, measure_ns, .. } = parameters;
            let long_visits: u64 = phase.long_visits.iter().map(|long| settle_ns + long.measure_ns).sum();
            let points = phase.points.len();
            let round = (settle_ns + measure_ns).saturating_mul(points as u64);
            // Few points wait for their rest instead of for one another.
            let round = round.max(parameters.gap_for(points) + settle_ns + measure_ns);
            long_visits.saturating_add(round.saturating_mul(u64::from(rounds(parameters, points))))
        };
        let pauses = pause_ns * (self.phases.len() as u64).saturating_sub(1);
        let warm_up = match self.warm_up {
            Some(WarmUp::Time(time)) => time.0,
            _ => 0,
        };
        let all = self.phases.iter().map(phase).fold(0, u64::saturating_add);
        all.saturating_add(pauses).saturating_add(warm_up)
    }
}

/// Shorter long visits, so a limited run has time for the others: each takes at most this fraction.
fn limited(parameters: Parameters, limit: Nanos, spent: Nanos, parts: u64) -> Parameters {
    let left_ns = limit.0.saturating_sub(spent.0);
    let long = |usual: u64| {
        let long = usual.min(left_ns / parts);
        if long < SHORTEST_LONG_VISIT_NS { 0 } else { long }
    };
    Parameters {
        long_read_ns: long(parameters.long_read_ns),
        long_write_ns: long(parameters.long_write_ns),
        time_limit_ns: Some(limit.0),
        ..parameters
    }
}

/// Rounds without which a run answers nothing: one for a rate, more for a ratio.
fn least_rounds(request: &Request) -> u64 {
    if request.sides.is_some() { FEWEST_ROUNDS as u64 } else { 1 }
}

/// The time of one visit to each point.
fn time_of_a_round(steps: &[Step]) -> u64 {
    steps.iter().map(|step| step.known_time().0).fold(0, u64::saturating_add)
}

/// Long visits need not fit: a run without time for them has none.
fn check_limit(adaptive: &Adaptive, steps: &[Step]) -> Result<(), Problem> {
    let Some(limit) = adaptive.max_duration else {
        return Ok(());
    };
    let least_ns = time_of_a_round(steps);
    if least_ns <= limit.0 {
        return Ok(());
    }
    let enough = least_ns.div_ceil(NS_PER_S);
    Err(Problem::usage(format!("{limit} is not enough for one visit to each of {} points", steps.len()))
        .because(format!("one visit each takes {enough} s"))
        .next(format!("allow at least {enough}s, preferably five times that, or measure fewer points")))
}

/// Points that only read come first: reads after writes would also measure the after-effects of the writes.
fn phases(request: &Request, adaptive: &Adaptive, steps: &[Step], parameters: &Parameters) -> Vec<Phase> {
    if request.bound().is_some() {
        return phases_of_calibration(request, adaptive, steps, parameters);
    }
    if request.slo().is_some() {
        // There is no time for a rest between phases, and the points are few.
        let points: Vec<usize> = (0..steps.len()).collect();
        let long_visits = long_visits(steps, &points, parameters.long_read_ns);
        return vec![Phase { long_visits, points, ..Phase::default() }];
    }
    let part = |wanted: bool| -> Vec<usize> {
        let members = steps.iter().enumerate().filter(|(_, step)| request.writes(step.point) == wanted);
        members.map(|(index, _)| index).collect()
    };
    // The regions of a log fill no cache, so its long visit need not wait for that.
    let has_log = request.classes.iter().any(|class| class.pattern == Pattern::Log);
    let long_write_ns = if has_log { parameters.long_read_ns } else { parameters.long_write_ns };
    [(part(false), parameters.long_read_ns), (part(true), long_write_ns)]
        .into_iter()
        .filter(|(points, _)| !points.is_empty())
        .map(|(points, measure_ns)| Phase {
            long_visits: long_visits(steps, &points, measure_ns),
            pairs: pairs(request, steps, &points),
            points,
            own: None,
        })
        .collect()
}

/// The points with answers, too few for phases of their own, then the commits.
fn phases_of_calibration(
    request: &Request,
    adaptive: &Adaptive,
    steps: &[Step],
    parameters: &Parameters,
) -> Vec<Phase> {
    let (commits, points): (Vec<usize>, Vec<usize>) =
        (0..steps.len()).partition(|&index| commits::has(request, steps[index].point));
    let long_visits = long_visits(steps, &points, parameters.long_read_ns);
    let own = Some(commits::parameters(parameters, adaptive));
    let points = Phase { points, long_visits, ..Phase::default() };
    [points, Phase { points: commits, own, ..Phase::default() }]
        .into_iter()
        .filter(|phase| !phase.points.is_empty())
        .collect()
}

/// The same loads on two alternating sides.
fn pairs(request: &Request, steps: &[Step], points: &[usize]) -> Vec<[usize; 2]> {
    let own: Vec<Point> = points.iter().map(|&index| steps[index].point).collect();
    let found = request.pairs(&own).into_iter();
    found.map(|pair| pair.map(|place| points[place])).collect()
}

/// One long visit to the point with the most outstanding I/Os; if a class is idle there, another for that class.
fn long_visits(steps: &[Step], points: &[usize], measure_ns: u64) -> Vec<LongVisit> {
    if measure_ns == 0 {
        return Vec::new();
    }
    let most = |least: Point| {
        let loaded = points.iter().copied().filter(|&index| steps[index].point.is_at_least(least));
        loaded.max_by_key(|&index| (steps[index].point.sum(), steps[index].point.small()))
    };
    let classes: BTreeSet<Class> =
        points.iter().flat_map(|&index| steps[index].point.classes()).map(|(class, _)| class).collect();
    let all = classes.iter().fold(Point::default(), |point, &class| point.with(class, 1));
    let mut chosen: Vec<usize> = match most(all) {
        Some(point) => vec![point],
        None => classes.into_iter().filter_map(|class| most(Point::alone(class, 1))).collect(),
    };
    let mut seen = BTreeSet::new();
    chosen.retain(|&point| seen.insert(point));
    chosen.into_iter().map(|point| LongVisit { point, measure_ns }).collect()
}

/// Only a requested warm-up: visits to other points separate those to a sequential one anyway.
fn warm_up(request: &Request, steps: &[Step]) -> Option<WarmUp> {
    let mut streams = request.classes.iter().filter(|class| class.streams());
    let has_streams = streams.any(|class| steps.iter().any(|step| step.point.of(class.name) > 0));
    match request.cache {
        CacheWarmUp::Bytes(bytes) if has_streams => Some(WarmUp::Bytes(bytes)),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
