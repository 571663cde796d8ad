//! The search for a rate in a plan: how long its visits are, which rates it tries, and the points that follow it.
//!
//! Must not decide what is visited next; [`crate::stats::rates`] does.

use super::{AdaptivePlan, Plan, Step, step};
use crate::error::Problem;
use crate::load::matrix::{Grid, Point};
use crate::load::request::Request;
use crate::load::slo::{LOWEST_RATE, MEASURE_SETTLES, SETTLE_LIMITS, Slo, longest_ns, settle_ns};
use crate::stats::Parameters;
use crate::stats::rates::{RateOutcome, RateRules, whole};
use crate::units::{NS_PER_MS, Nanos};
use serde::{Deserialize, Serialize};

/// The first rate to try.
const FIRST_RATE: u32 = 100;
/// The shortest load before a visit's window, if there is time for it.
const SHORTEST_SETTLE_NS: u64 = 500 * NS_PER_MS;
/// Rest of a point between two visits; the other points of a round usually take longer. Where a single rate is required there are none, and no
/// rest either: burst credit would come back in it.
const REST: Nanos = Nanos::from_secs(2);
/// At least this many visits to the points fit into the time, however long a visit has to be.
const LEAST_POINT_VISITS: u64 = 40;
/// A visit that must be that long measures for at least this many times its settling.
const MEASURE_MEMORIES: u64 = 2;
/// Visits before points that do not determine the rate are checked.
const LEAST_VISITS: u32 = 6;
/// No limit: the time is one.
const MOST_VISITS: u32 = 100_000;
/// Positions of the points around the rate that the search found, as fractions of the way to the ends that it found. The outermost
/// ones are for a search that was off.
const LADDER: [f64; 7] = [-2.5, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0];
/// Latencies at these percentages of the rate are reported as well.
pub const SHARES: [u8; 3] = [50, 70, 90];

/// The search for a rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RateSearch {
    /// The lowest rate.
    pub lowest: u32,
    /// The first rate to try.
    pub first: u32,
    /// The highest rate.
    pub most: u32,
    /// The largest level of each class that a visit may have.
    pub room: Point,
    /// Load before the measured part of a visit.
    pub settle: Nanos,
    /// Measured part of a visit of the search; those to the points are twice as long.
    pub measure: Nanos,
    /// When all of it ends at the latest: the points need the remaining time.
    pub share: Nanos,
    /// The points by purpose, once the search has ended.
    #[serde(default)]
    pub points: Option<RatePoints>,
}

/// The purpose of the points of a search for a rate, by the index of their step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RatePoints {
    /// The result of the search.
    pub found: RateReach,
    /// Around the rate, ascending.
    pub ladder: Vec<usize>,
    /// At shares of it, in per cent.
    pub curve: Vec<(usize, u8)>,
    /// At the required rates, in their order.
    pub required: Vec<usize>,
    /// The same for the other loads that are searched simultaneously, at the same scales.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<Self>,
}

/// The result of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RateReach {
    /// There is a rate beyond which the limits are not met.
    #[default]
    About,
    /// Not even the lowest rate seems to meet them.
    Nowhere,
    /// The highest rate seems to meet them.
    Everywhere,
    /// Only required rates were requested.
    NotSearched,
}

impl RatePoints {
    /// Whether a point may end early. Those that the rate is based on, and those that are judged, are visited to the end.
    pub fn may_end(&self, step: usize) -> bool {
        let must_go_on = |one: &Self| {
            one.found == RateReach::About && one.ladder.contains(&step) || one.required.contains(&step)
        };
        !self.all().any(must_go_on)
    }

    /// The points of each load.
    pub fn all(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.others)
    }

    /// Every step in use.
    pub fn steps(&self) -> impl Iterator<Item = usize> + '_ {
        let curve = self.curve.iter().map(|one| one.0);
        self.ladder.iter().copied().chain(curve).chain(self.required.iter().copied())
    }

    /// The load of a step.
    pub fn part_of(&self, step: usize) -> Option<usize> {
        self.all().position(|one| one.steps().any(|own| own == step))
    }
}

impl RateSearch {
    /// The search for a request; `None` if no rate is searched for.
    pub fn new(request: &Request) -> Option<Self> {
        let slo = request.slo()?;
        let parameters = parameters(request, Parameters::default())?;
        let most = if slo.required_only { None } else { Some(slo.most_rate) };
        let most = most.unwrap_or_else(|| slo.required.iter().map(|one| one.rate).max().unwrap_or(0));
        let limit = request.max_duration().unwrap_or_default();
        Some(Self {
            lowest: LOWEST_RATE,
            first: FIRST_RATE.min(most),
            most,
            room: room(request, slo, most),
            settle: Nanos(parameters.settle_ns),
            measure: Nanos(parameters.measure_ns / 2),
            share: if slo.required_only { Nanos(0) } else { Nanos(limit.0 / 5 * 2) },
            points: None,
        })
    }

    /// The rules of the search.
    pub const fn rules(&self) -> RateRules {
        RateRules { lowest: self.lowest, first: self.first, most: self.most }
    }
}

/// Each class at the highest rate that is tried or required.
fn room(request: &Request, slo: &Slo, most: u32) -> Point {
    let required = slo.required.iter().map(|one| one.rate);
    let most = required.fold(most, u32::max);
    let all = (0..request.slo_parts()).map(|part| request.part_at(part, most));
    all.fold(Point::default(), |room, point| {
        point.classes().fold(room, |room, (class, level)| room.with(class, room.of(class).max(level)))
    })
}

/// The parameters of the visits to the points: their length follows from the limits and the time.
pub(super) fn parameters(request: &Request, usual: Parameters) -> Option<Parameters> {
    let slo = request.slo()?;
    let limit = request.max_duration()?;
    let settle_ns = longest_ns(slo).saturating_mul(SETTLE_LIMITS).max(SHORTEST_SETTLE_NS);
    let settle_ns = settle_ns.min(limit.0 / (slo.visits() * slo.parts()) / (1 + MEASURE_SETTLES));
    let measure_ns = settle_ns * MEASURE_SETTLES;
    let rest_ns = if slo.is_of_one_rate() { 0 } else { REST.0 };
    // Whole milliseconds, for people.
    let [settle_ns, measure_ns] = [settle_ns, measure_ns].map(|ns| (ns / NS_PER_MS).max(1) * NS_PER_MS);
    Some(Parameters {
        settle_ns,
        measure_ns,
        longest_measure_ns: measure_ns,
        least_visits: LEAST_VISITS,
        least_visits_few: LEAST_VISITS,
        most_visits: MOST_VISITS,
        gap_ns: rest_ns,
        gap_few_ns: rest_ns,
        long_read_ns: 0,
        long_write_ns: 0,
        ..usual
    })
}

impl Plan {
    /// The plan after the search for a rate: the points around it, at shares of it, and the required ones.
    ///
    /// # Errors
    /// Never for a search of a plan; reserved for later.
    pub fn with_rate(
        &self,
        request: &Request,
        found: Option<&RateOutcome>,
        spent: Nanos,
    ) -> Result<Self, Problem> {
        let (Some(search), Some(slo)) = (&self.rates, request.slo()) else { return Ok(self.clone()) };
        let required = slo.required.iter().map(|one| one.rate);
        let (kind, ladder, at) = match found.copied() {
            None => (RateReach::NotSearched, Vec::new(), f64::from(required.clone().max().unwrap_or(0))),
            Some(RateOutcome::About { low, at, high }) => {
                let mut rates = ladder(low, at, high);
                rates.iter_mut().for_each(|rate| *rate = (*rate).clamp(search.lowest, search.most));
                (RateReach::About, rates, at)
            }
            Some(RateOutcome::Nowhere) => (RateReach::Nowhere, vec![search.lowest], 0.0),
            Some(RateOutcome::Everywhere) => {
                (RateReach::Everywhere, vec![search.most], f64::from(search.most))
            }
        };
        let curve = |share: u8| (whole(at * f64::from(share) / 100.0), share);
        let curve: Vec<(u32, u8)> =
            SHARES.into_iter().map(curve).filter(|one| found.is_some() && one.0 >= search.lowest).collect();
        let mut rates: Vec<u32> = ladder.clone();
        rates.extend(curve.iter().map(|one| one.0));
        rates.extend(required);
        rates.sort_unstable();
        let mut steps: Vec<Step> = Vec::new();
        let mut parts = Vec::new();
        for part in 0..request.slo_parts() {
            let first = steps.len();
            let of_part = |rate: u32| Step {
                shape: request.shape_of_part(part),
                ..step(request, request.part_at(part, rate))
            };
            steps.extend(rates.iter().map(|&rate| of_part(rate)));
            // The same load twice is one step.
            let mut own = steps.split_off(first);
            own.dedup_by_key(|step| step.point);
            let step_at = |rate: u32| {
                let point = request.part_at(part, rate);
                first + own.iter().position(|one| one.point == point).unwrap_or(0)
            };
            let mut ladder: Vec<usize> = ladder.iter().copied().map(step_at).collect();
            ladder.dedup();
            parts.push(RatePoints {
                found: kind,
                ladder,
                curve: curve.iter().map(|&(rate, share)| (step_at(rate), share)).collect(),
                required: slo.required.iter().map(|one| step_at(one.rate)).collect(),
                others: Vec::new(),
            });
            steps.extend(own);
        }
        let mut parts = parts.into_iter();
        let named =
            RatePoints { others: parts.clone().skip(1).collect(), ..parts.next().unwrap_or_default() };
        let points: Vec<Point> = steps.iter().map(|step| step.point).collect();
        let grid = Grid::of_own(&request.classes, &points);
        let adaptive = AdaptivePlan::after_search(request, &steps, spent);
        let adaptive = adaptive.map(|found| AdaptivePlan {
            parameters: settled(found.parameters, settle_ns(slo, at), slo, spent),
            ..found
        });
        let rates = Some(RateSearch { points: Some(named), ..search.clone() });
        Ok(Self { grid, steps, adaptive, rates, ..self.clone() })
    }
}

/// The same with visits that last until a queue with this memory has settled, if there is time.
fn settled(usual: Parameters, wanted_ns: u64, slo: &Slo, spent: Nanos) -> Parameters {
    let (visits, parts) = (slo.visits().min(LEAST_POINT_VISITS), slo.parts());
    let left_ns = usual.time_limit_ns.unwrap_or(0).saturating_sub(spent.0);
    let most_ns = left_ns / (visits * parts) / (1 + MEASURE_MEMORIES);
    let settle_ns = (wanted_ns.min(most_ns) / NS_PER_MS * NS_PER_MS).max(usual.settle_ns);
    let measure_ns = usual.measure_ns.max(settle_ns * MEASURE_MEMORIES);
    Parameters { settle_ns, measure_ns, longest_measure_ns: measure_ns, ..usual }
}

/// The rates of the points around the one found, ascending.
fn ladder(low: f64, at: f64, high: f64) -> Vec<u32> {
    let rate = |part: &f64| if *part < 0.0 { at + part * (at - low) } else { at + part * (high - at) };
    LADDER.iter().map(rate).map(whole).collect()
}
