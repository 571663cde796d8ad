//! What a search for a rate answers: the highest rate that meets all bounds, the shares beyond them at every visited rate, and whether the
//! required rates meet theirs.
//!
//! The rate is based on the visits to the points around it alone: they were chosen by other visits, so chance does not bias the choice.
//! Must not format.

mod bracket;
mod latency;
mod mean_rate;
mod open;
mod required;
mod tail;

pub use open::SloOpen;
pub use required::RequiredRate;

use super::estimate::{PhaseJudgement, by_step};
use super::{LatencyUs, PointFindings};
use crate::judge::profiles;
use crate::judge::slo::{SloVisit, is_counted, law};
use crate::load::class::Class;
use crate::load::matrix::Point;
use crate::load::plan::{RatePoints, RateReach, SHARES};
use crate::load::slo::{LOWEST_RATE, ScaledPhases, SloBound};
use crate::measure::Histogram;
use crate::record::{Record, Visit};
use crate::stats::Estimate;
use crate::stats::crossing::RatioPoint;
use crate::stats::detect::overload::Growth;
use crate::stats::rates::HIGHEST_FLOOR;
use crate::stats::share::{BoundVerdict, Ratio};
use crate::units::to_f64;
use bracket::{Bracket, Level};
use mean_rate::mean_rate;
use required::required_of;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use tail::Tail;

/// If the tool explains this much of what is beyond a limit, the tool is the limit.
const MOST_BY_TOOL: f64 = 0.5;

/// Below this multiple of the lowest rate that a search tries, no load is noticeably lighter.
const LIGHT_TIMES: u32 = 2;

/// The highest rate at which the limits are met.
#[derive(Clone, Debug, PartialEq)]
pub enum SloAnswer {
    /// At this rate one of them is just reached.
    Rate(SloRate),
    /// Not even at the lowest rate visited; whether that is certain.
    Nowhere(u32, BoundVerdict),
    /// Even at the highest rate visited; whether that is certain.
    Everywhere(u32, BoundVerdict),
    /// The search or its points were not measured.
    Unfinished,
    /// Only the required rates were requested.
    NotSearched,
}

/// The highest rate at which the limits are met, with its bracket; unknown by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Rate")]
pub struct SloRate {
    /// The limits are met up to this rate; null if that is unknown for every rate. With 97.5 % it is not above the true rate.
    pub lower: Option<f64>,
    /// The best single value; null if the limits are met, or broken, at every rate that was visited.
    #[serde(rename = "estimate")]
    pub at: Option<f64>,
    /// From this rate on, one of them is not met; null if that is unknown for every rate. With 97.5 % it is not below the true rate.
    pub upper: Option<f64>,
    /// The limit that is reached first, by its index; if there is a best value.
    #[serde(skip)]
    pub decided_by: Option<usize>,
    /// Its phase, by number in the load, from 0; if phases are scaled together.
    #[serde(skip)]
    pub decided_in: Option<u32>,
    /// Beyond it, the tool could not begin the I/Os in time, so the storage may do more.
    #[serde(rename = "limited_by_tool")]
    pub is_by_tool: bool,
}

/// The purpose of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SloRole {
    /// Around the rate.
    Ladder,
    /// At a share of the rate, in per cent, as estimated by the search.
    Share(u8),
    /// At a required rate.
    Required,
}

/// A rate that was visited.
#[derive(Clone, Debug, PartialEq)]
pub struct SloPoint {
    /// The point.
    pub point: Point,
    /// Total arrivals per second; for phases that are scaled together those of the first at the same scale.
    pub rate: u32,
    /// Its phase, by number in the load, from 0; if phases are scaled together.
    pub phase: Option<u32>,
    /// Its main purpose.
    pub role: SloRole,
    /// For each limit, what was observed over what is allowed; `None` if nothing was observed.
    pub ratios: Vec<Option<Ratio>>,
    /// For each limit, whether it is met.
    pub kept: Vec<BoundVerdict>,
    /// For each limit, the latency that it is about, in microseconds. Its interval is beyond the limit if that is certainly not met.
    pub judged_us: Vec<Option<Estimate>>,
    /// The latencies of all open classes and visits together, which the ratios come from.
    pub latency_us: Option<LatencyUs>,
}

/// The findings of a search for a rate.
#[derive(Clone, Debug, PartialEq)]
pub struct SloFindings {
    /// The limits.
    pub bounds: Vec<SloBound>,
    /// The answer.
    pub answer: SloAnswer,
    /// Every rate that was visited after the search, ascending.
    pub points: Vec<SloPoint>,
    /// The required rates.
    pub required: Vec<RequiredRate>,
    /// The scale, if phases are scaled together.
    pub scale: Option<SloScale>,
}

/// Phases that are scaled together: rates are those of the first one that decides.
#[derive(Clone, Debug, PartialEq)]
pub struct SloScale {
    /// Its arrivals per second at scale 1.
    pub reference: f64,
    /// The phases that decide.
    pub scaled: ScaledPhases,
}

impl SloScale {
    /// The multiple of the load that a rate is.
    pub fn of(&self, rate: f64) -> f64 {
        rate / self.reference.max(1.0)
    }
}

/// The visits of a run to each of its points that count.
struct PointVisitSet {
    by_step: BTreeMap<usize, Vec<SloVisit>>,
    /// The points at which more arrived than was served.
    overloaded: BTreeSet<usize>,
    /// The load from the first visit to the end of the last one, with all that is between them.
    mean_rate: f64,
}

impl PointVisitSet {
    fn ratios(&self, step: usize, bound: &SloBound) -> Vec<RatioPoint> {
        self.by_step.get(&step).into_iter().flatten().map(|visit| visit.ratio(bound)).collect()
    }

    fn ratio(&self, step: usize, bound: &SloBound) -> Option<Ratio> {
        let visits = self.by_step.get(&step)?;
        tail::ratio(visits, bound, Tail::of(visits).as_ref())
    }

    /// Whether a limit is met there, as measured: always in agreement with the interval. If the backlog grows without end, it is not
    /// met for long: the visit only ended before.
    fn as_measured(&self, step: usize, ratio: Option<Ratio>) -> BoundVerdict {
        match ratio.map_or(BoundVerdict::Undecided, |ratio| ratio.kept()) {
            BoundVerdict::Yes if self.overloaded.contains(&step) => BoundVerdict::Undecided,
            kept => kept,
        }
    }

    /// Whether the storage meets a limit there. If the tool was late, it may.
    fn kept(&self, step: usize, bound: &SloBound) -> BoundVerdict {
        match self.as_measured(step, self.ratio(step, bound)) {
            BoundVerdict::No if self.is_by_tool(step, bound) => BoundVerdict::Undecided,
            kept => kept,
        }
    }

    /// Whether all limits are met there.
    fn all_kept(&self, step: usize, bounds: &[SloBound]) -> BoundVerdict {
        together(bounds.iter().map(|bound| self.kept(step, bound)))
    }

    /// Whether the tool causes what is beyond a limit there.
    fn is_by_tool(&self, step: usize, bound: &SloBound) -> bool {
        let visits = self.by_step.get(&step).map_or(&[][..], Vec::as_slice);
        let is_late =
            |visit: &&SloVisit| visit.ratio_of_lag(bound) > MOST_BY_TOOL * visit.ratio(bound).ratio.max(1.0);
        let late = visits.iter().filter(is_late).count();
        2 * late > visits.len()
    }
}

impl SloFindings {
    /// The findings of a run that searched for a rate.
    pub(super) fn of(
        record: &Record,
        phases: &[PhaseJudgement<'_>],
        judged: &[PointFindings],
    ) -> Option<Self> {
        let request = &record.header.request;
        let slo = request.slo()?;
        let plan = &record.header.plan;
        let named = plan.rates.as_ref().and_then(|rates| rates.points.as_ref());
        let part_of = |step: usize| named.and_then(|named| named.part_of(step)).unwrap_or(0);
        let step_rate = |step: usize| {
            plan.steps.get(step).map_or(0, |one| request.rate_of_part(part_of(step), one.point))
        };
        let visited = visited(record, phases, &step_rate);
        let scale = slo.scaled.clone().map(|scaled| SloScale { reference: request.slo_reference(), scaled });
        let phase_of = |part: usize| scale.as_ref()?.scaled.phases.get(part).copied();
        let point = |step: usize, role: SloRole| {
            let ratios: Vec<_> = slo.bounds.iter().map(|bound| visited.ratio(step, bound)).collect();
            let kept = ratios.iter().map(|ratio| visited.as_measured(step, *ratio)).collect();
            let point = plan.steps.get(step)?.point;
            let visits = visited.by_step.get(&step)?;
            let judged_us = slo.bounds.iter().map(|bound| latency::judged_us(visits, bound)).collect();
            let latency_us = latency_us(visits);
            let (rate, phase) = (step_rate(step), phase_of(part_of(step)));
            Some(SloPoint { point, rate, phase, role, ratios, kept, judged_us, latency_us })
        };
        let points = (0..plan.steps.len()).filter_map(|step| point(step, role(named?, step)));
        let mut points: Vec<SloPoint> = points.collect();
        points.sort_by_key(|point| (point.rate, point.phase));
        let found = named.map_or(SloAnswer::Unfinished, |named| {
            answer(&visited, &slo.bounds, named, (&step_rate, &phase_of))
        });
        let required = slo.required.iter().enumerate();
        let required: Vec<RequiredRate> = required
            .map(|(place, one)| required_of((&visited, judged, request), named, (place, one)))
            .collect();
        let all_kept = |place: &usize| {
            let steps = named.into_iter().flat_map(RatePoints::all).map(|one| one.required.get(*place));
            let kept = steps.map(|step| {
                step.map_or(BoundVerdict::Undecided, |&step| visited.all_kept(step, &slo.bounds))
            });
            named.is_some() && together(kept) == BoundVerdict::Yes
        };
        let kept = (0..required.len()).filter(all_kept).map(|place| f64::from(slo.required[place].rate));
        let answer = not_below(found, kept.reduce(f64::max));
        let required = required.into_iter().map(|one| one.beside(&answer, &slo.bounds));
        let required = required.map(|one| one.within(visited.mean_rate)).collect();
        Some(Self { answer, points, required, bounds: slo.bounds.clone(), scale })
    }
}

/// The latencies at a rate.
fn latency_us(visits: &[SloVisit]) -> Option<LatencyUs> {
    let mut all = Histogram::empty();
    visits.iter().for_each(|visit| all.add(visit.latencies()));
    LatencyUs::of(&all)
}

/// The main purpose of a step.
fn role(named: &RatePoints, step: usize) -> SloRole {
    let named = named.all().nth(named.part_of(step).unwrap_or(0)).unwrap_or(named);
    let share = named.curve.iter().find(|one| one.0 == step).map(|one| SloRole::Share(one.1));
    let ladder = named.ladder.contains(&step).then_some(SloRole::Ladder);
    ladder.filter(|_| named.found == RateReach::About).or(share).or(ladder).unwrap_or(SloRole::Required)
}

fn visited(record: &Record, phases: &[PhaseJudgement<'_>], rate: &impl Fn(usize) -> u32) -> PointVisitSet {
    let settle_ns = |step: usize, visit: &Visit| {
        let phase = phases.iter().find(|phase| phase.steps.contains(&step));
        let settle_ns = phase.map_or(0, |phase| phase.judged.look.settle.settle_ns);
        // Where no visit is over its start-up, half of the window is better than nothing of it.
        settle_ns.min(visit.settle_ns.saturating_add(visit.measured_ns / 2))
    };
    let counting = || record.visits.iter().filter(|visit| profiles::counts(visit));
    let seen = |(step, visits): (usize, Vec<&Visit>)| {
        let of = |visit: &Visit| SloVisit::of(rate(step), visit, settle_ns(step, visit));
        (step, visits.into_iter().map(of).collect())
    };
    let overloaded = by_step(counting()).into_iter().filter(|(_, visits)| is_overload(visits));
    let overloaded: BTreeSet<usize> = overloaded.map(|one| one.0).collect();
    PointVisitSet {
        mean_rate: mean_rate(record, rate, &overloaded),
        overloaded,
        by_step: by_step(counting()).into_iter().map(seen).collect(),
    }
}

/// Whether some class has a backlog that grows over these visits.
fn is_overload(visits: &[&Visit]) -> bool {
    let mut classes: BTreeMap<Class, Growth> = BTreeMap::new();
    for (class, tally) in visits.iter().flat_map(|visit| &visit.tallies) {
        if let Some(open) = &tally.open {
            open.add_growth(classes.entry(*class).or_default());
        }
    }
    classes.values().any(Growth::is_overload)
}

/// What a step belongs to: its rate, and the phase of a part.
type Names<'a> = (&'a dyn Fn(usize) -> u32, &'a dyn Fn(usize) -> Option<u32>);

fn answer(visited: &PointVisitSet, bounds: &[SloBound], named: &RatePoints, names: Names<'_>) -> SloAnswer {
    if named.found == RateReach::NotSearched {
        return SloAnswer::NotSearched;
    }
    let firsts: Option<Vec<usize>> = named.all().map(|part| part.ladder.first().copied()).collect();
    let firsts = firsts.filter(|all| all.iter().all(|step| visited.by_step.contains_key(step)));
    let Some((firsts, first)) = firsts.and_then(|all| Some((all.clone(), *all.first()?))) else {
        return SloAnswer::Unfinished;
    };
    let rate = names.0;
    match named.found {
        RateReach::Nowhere => {
            let each = firsts.iter().map(|&step| visited.all_kept(step, bounds));
            SloAnswer::Nowhere(rate(first), together(each))
        }
        RateReach::Everywhere => {
            let each =
                named.all().zip(firsts).map(|(part, highest)| all_kept_below(visited, bounds, part, highest));
            SloAnswer::Everywhere(rate(first), together(each))
        }
        RateReach::About | RateReach::NotSearched => {
            let lightest = nowhere(visited, bounds, named, rate);
            lightest.unwrap_or_else(|| about(visited, bounds, named, names))
        }
    }
}

/// Chance may end a search a little above the lowest rate, as few I/Os arrive there. If every rate that was visited later breaks a limit, and none
/// of them leaves room for a lower share, not even the lightest load meets it.
fn nowhere(
    visited: &PointVisitSet,
    bounds: &[SloBound],
    named: &RatePoints,
    rate: &dyn Fn(usize) -> u32,
) -> Option<SloAnswer> {
    let lowest = |part: &RatePoints| part.ladder.first().copied();
    let least = rate(lowest(named)?);
    let breaks = |step: usize| {
        bounds.iter().any(|bound| visited.ratio(step, bound).is_some_and(|seen| seen.value > 1.0))
    };
    let breaks_all = |part: &RatePoints| {
        let mut steps = part.ladder.iter().copied().chain(part.curve.iter().map(|one| one.0));
        steps.all(breaks)
    };
    if least >= LOWEST_RATE.saturating_mul(LIGHT_TIMES) || !named.all().any(breaks_all) {
        return None;
    }
    let kept = named.all().filter_map(lowest).map(|step| visited.all_kept(step, bounds));
    Some(SloAnswer::Nowhere(least, together(kept)))
}

/// The verdict on several limits that must all be met.
fn together(each: impl Iterator<Item = BoundVerdict>) -> BoundVerdict {
    each.max_by_key(|kept| doubt(*kept)).unwrap_or(BoundVerdict::Yes)
}

/// The limit met least comes last.
fn doubt(kept: BoundVerdict) -> u8 {
    match kept {
        BoundVerdict::Yes => 0,
        BoundVerdict::Undecided => 1,
        BoundVerdict::No => 2,
    }
}

/// The answer, not below a required rate that certainly meets all limits. Few I/Os arrive at low rates, where chance may end the rising search;
/// what was observed at the required rate outweighs it, unless a limit was certainly broken below.
fn not_below(answer: SloAnswer, kept: Option<f64>) -> SloAnswer {
    let Some(kept) = kept else { return answer };
    let at_least = SloRate { lower: Some(kept), ..SloRate::default() };
    match answer {
        SloAnswer::Nowhere(_, BoundVerdict::Undecided) => SloAnswer::Rate(at_least),
        SloAnswer::Rate(rate)
            if rate.at.is_none_or(|at| at < kept)
                && rate.lower.is_none_or(|lower| lower < kept)
                && rate.upper.is_none_or(|upper| upper > kept) =>
        {
            SloAnswer::Rate(SloRate { upper: rate.upper, ..at_least })
        }
        answer => answer,
    }
}

/// Whether the limits are met at the highest rate, and at all lower ones that were visited.
fn all_kept_below(
    visited: &PointVisitSet,
    bounds: &[SloBound],
    named: &RatePoints,
    highest: usize,
) -> BoundVerdict {
    let lower = named.curve.iter().map(|one| visited.all_kept(one.0, bounds));
    together(lower.chain([visited.all_kept(highest, bounds)]))
}

/// A limit of one of the loads, all of which must be met.
#[derive(Clone, Copy)]
struct OfPart<'a> {
    part: usize,
    named: &'a RatePoints,
    place: usize,
    bound: &'a SloBound,
}

impl<'a> OfPart<'a> {
    fn all(named: &'a RatePoints, bounds: &'a [SloBound]) -> Vec<Self> {
        let of_part = |(part, named): (usize, &'a RatePoints)| {
            bounds.iter().enumerate().map(move |(place, bound)| Self { part, named, place, bound })
        };
        named.all().enumerate().flat_map(of_part).collect()
    }

    fn levels(&self, visited: &PointVisitSet, rate: &dyn Fn(usize) -> u32) -> Vec<Level> {
        let Self { named, bound, .. } = *self;
        let (floor, allowed) = (floor(visited, bound, named), bound.judged.allowed().unwrap_or(0.0));
        let level = |&step: &usize| {
            let is_overload = visited.overloaded.contains(&step);
            let seen =
                visited.ratios(step, bound).into_iter().map(|seen| seen.above(floor, allowed)).collect();
            Level::of(f64::from(rate(step)), seen, is_counted(bound), is_overload)
        };
        named.ladder.iter().filter_map(level).collect()
    }
}

fn about(
    visited: &PointVisitSet,
    bounds: &[SloBound],
    named: &RatePoints,
    (rate, phase): Names<'_>,
) -> SloAnswer {
    let judged = OfPart::all(named, bounds);
    // The upper end is the least of all bounds', each of which may be too low by chance.
    let tail = 0.025 / to_f64(judged.len().max(1) as u64);
    let bracket = |one: &OfPart<'_>| {
        Bracket::of(&one.levels(visited, rate), law(one.bound, floor(visited, one.bound, one.named)), tail)
    };
    let brackets: Vec<Bracket> = judged.iter().map(bracket).collect();
    let is_broken = || judged.iter().any(|one| one.levels(visited, rate).iter().all(Level::is_beyond));
    let least = |end: fn(&Bracket) -> Option<f64>| {
        let ends = brackets.iter().enumerate().filter_map(|(place, one)| Some((place, end(one)?)));
        ends.min_by(|one, other| one.1.total_cmp(&other.1))
    };
    let all_known = brackets.iter().all(|one| one.lower.is_some());
    let fallback = || kept_share(visited, bounds, named, rate);
    let lower = least(|one| one.lower).filter(|_| all_known).map(|one| one.1).or_else(fallback);
    let upper = least(|one| one.upper).map(|one| one.1);
    // A bound that every rate broke is reached below all of them, nobody knows where.
    let best = least(|one| one.at).filter(|_| !is_broken());
    let is_by_tool = best.is_some_and(|(which, at)| {
        let OfPart { named, bound, .. } = judged[which];
        let mut beyond = named.ladder.iter().filter(|&&step| f64::from(rate(step)) > at).peekable();
        beyond.peek().is_some() && beyond.all(|&step| visited.is_by_tool(step, bound))
    });
    let at = best.map(|(_, at)| at.max(lower.unwrap_or(0.0)).min(upper.unwrap_or(f64::INFINITY)));
    let decided = best.map(|(which, _)| judged[which]);
    let (decided_by, decided_in) = (decided.map(|one| one.place), decided.and_then(|one| phase(one.part)));
    SloAnswer::Rate(SloRate { lower, at, upper, decided_by, decided_in, is_by_tool })
}

/// The highest of the shares of the rate up to which every load meets all limits.
fn kept_share(
    visited: &PointVisitSet,
    bounds: &[SloBound],
    named: &RatePoints,
    rate: &dyn Fn(usize) -> u32,
) -> Option<f64> {
    let is_kept = |place: &usize| {
        let steps = named.all().map(|part| part.curve.get(*place).map(|one| one.0));
        let kept =
            steps.map(|step| step.map_or(BoundVerdict::Undecided, |step| visited.all_kept(step, bounds)));
        together(kept) == BoundVerdict::Yes
    };
    let kept = (0..named.curve.len()).take_while(is_kept);
    kept.map(|place| f64::from(rate(named.curve[place].0))).reduce(f64::max)
}

/// The ratio of a limit without noticeable load: what was observed at half of the rate. `None` if that was not visited.
fn floor(visited: &PointVisitSet, bound: &SloBound, named: &RatePoints) -> f64 {
    let half = named.curve.iter().find(|one| one.1 == SHARES[0]);
    let seen = half.and_then(|one| visited.ratio(one.0, bound));
    seen.map_or(0.0, |seen| seen.value.min(HIGHEST_FLOOR))
}

impl SloFindings {
    /// The required rates that are not certainly met.
    pub fn unkept(&self) -> impl Iterator<Item = &RequiredRate> {
        self.required.iter().filter(|one| one.kept != BoundVerdict::Yes)
    }

    /// A point's share of the rate that was found; `None` without a best single value.
    pub fn share(&self, point: &SloPoint) -> Option<f64> {
        self.rate()?.at.map(|at| f64::from(point.rate) / at)
    }

    /// The rate, when there is one.
    pub const fn rate(&self) -> Option<&SloRate> {
        match &self.answer {
            SloAnswer::Rate(rate) => Some(rate),
            SloAnswer::Nowhere(..)
            | SloAnswer::Everywhere(..)
            | SloAnswer::Unfinished
            | SloAnswer::NotSearched => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_does_not_contradict_a_required_rate_that_is_kept() {
        let rate = |lower, at, upper| SloAnswer::Rate(SloRate { lower, at, upper, ..SloRate::default() });
        let at_least = rate(Some(8000.0), None, None);
        for (answer, expected) in [
            (rate(None, Some(175.0), None), at_least.clone()),
            (SloAnswer::Nowhere(10, BoundVerdict::Undecided), at_least.clone()),
            (rate(Some(100.0), Some(175.0), Some(9000.0)), rate(Some(8000.0), None, Some(9000.0))),
            // Something is surely broken at a lower rate, or the answer is above.
            (SloAnswer::Nowhere(10, BoundVerdict::No), SloAnswer::Nowhere(10, BoundVerdict::No)),
            (rate(None, Some(175.0), Some(200.0)), rate(None, Some(175.0), Some(200.0))),
            (rate(Some(8500.0), Some(9000.0), None), rate(Some(8500.0), Some(9000.0), None)),
            (SloAnswer::Unfinished, SloAnswer::Unfinished),
        ] {
            assert_eq!(not_below(answer.clone(), Some(8000.0)), expected, "{answer:?}");
            assert_eq!(not_below(answer.clone(), None), answer);
        }
    }

    /// Kept up to 2800 and no longer from 3000 on, while the visits to a required rate are too few to tell.
    #[test]
    fn where_its_own_visits_leave_a_rate_open_the_bracket_decides() {
        let bound: SloBound = "p99 < 2ms".parse().unwrap();
        let bracket = SloRate {
            lower: Some(2800.0),
            at: Some(2900.0),
            upper: Some(3000.0),
            decided_by: Some(0),
            decided_in: None,
            is_by_tool: false,
        };
        let of = |rate: u32, open: SloOpen, bounds: &[SloBound], bracket: SloRate| {
            let requirement = crate::load::slo::Requirement { bound, rate };
            let one =
                RequiredRate { requirement, ratio: None, kept: BoundVerdict::Undecided, open: Some(open) };
            let told = one.beside(&SloAnswer::Rate(bracket), bounds);
            assert_eq!(told.kept_there(), BoundVerdict::Undecided);
            assert_eq!(told.open == Some(SloOpen::Around), told.kept != BoundVerdict::Undecided);
            told.kept
        };
        let open = SloOpen::AtBound(None);
        let told = |rate, open| of(rate, open, &[bound], bracket);
        assert_eq!(
            (told(2800, open), told(2900, open), told(3000, open)),
            (BoundVerdict::Yes, BoundVerdict::Undecided, BoundVerdict::No)
        );
        assert_eq!(
            (told(2800, SloOpen::Busy), told(3000, SloOpen::Busy)),
            (BoundVerdict::Yes, BoundVerdict::Undecided)
        );
        assert_eq!(told(2800, SloOpen::Overload), BoundVerdict::Undecided, "more arrives than is served");
        let late = SloRate { is_by_tool: true, ..bracket };
        assert_eq!(of(3000, open, &[bound], late), BoundVerdict::Undecided);
        let other: SloBound = "mean < 1ms".parse().unwrap();
        assert_eq!(of(2800, open, &[bound, other], bracket), BoundVerdict::Yes, "all of them are kept");
        assert_eq!(
            of(3000, open, &[bound, other], bracket),
            BoundVerdict::Undecided,
            "the other one may be broken"
        );
        assert_eq!(of(2800, open, &[other], bracket), BoundVerdict::Undecided, "it was not searched for");
    }
}
