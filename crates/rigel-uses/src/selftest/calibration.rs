//! The figures of one calibration compared with the law of its device.
//!
//! Must not know a promise.

use rigel_core::judge::answers::{
    ACTUAL_LATENCY, ANSWERS, Answer, LATENCY_AT_1, MAX_IOPS, MAX_MBPS, MAX_PMBPS, UNBOUNDED_IOPS,
};
use rigel_core::judge::findings::Findings;
use rigel_core::judge::quantity::Quantity;
use rigel_core::load::class::Class;
use rigel_core::record::Record;
use rigel_core::sim::SimLaw;
use rigel_core::stats::Estimate;
use rigel_core::stats::bound::{LatencyBound, LatencyOf};
use rigel_core::units::{MIB, to_f64, us_from_ns};

/// The answers of a calibration that are scored, in the order of every output: those about ORION's pair. A percentile that no bound is
/// about need not have an interval.
pub fn asked() -> impl Iterator<Item = &'static Answer> {
    ANSWERS.iter().filter(|answer| !answer.is_of_commits() && !answer.quantity.what.is_percentile())
}

/// One figure compared with the truth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FigureOutcome {
    /// Which.
    pub asked: Quantity,
    /// Whether its interval contains the true value; `None` without an interval.
    pub held: Option<bool>,
    /// Estimate / truth - 1.
    pub error: f64,
    /// Half-width of the interval, relative.
    pub half_width: f64,
}

/// The result of one calibration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CalibrationOutcome {
    /// The figures whose truth is known.
    pub seen: Vec<FigureOutcome>,
    /// The true latency at the level of `max_iops` over the bound.
    pub of_bound: Option<f64>,
    /// Whether it found a rate within the bound if there is one, and none otherwise.
    pub decided: bool,
    /// Whether no visit began after the budget.
    pub in_budget: bool,
}

impl CalibrationOutcome {
    /// Scores the record of a calibration; `None` for any other run.
    pub fn of(record: &Record, found: &Findings, law: &SimLaw) -> Option<Self> {
        let answers = found.answers.as_ref()?;
        let most_streams = record.header.plan.search.as_ref().map_or(1, |search| search.room().large());
        let truth = Truth { law, record };
        let best = answers.max_iops.as_ref().ok();
        let best_iops = truth.small_iops(Some(&answers.bound));
        let outstanding = best.map(|best| best.outstanding);
        let known = |level| truth.latency_us(level, answers.bound.of);
        let of = |asked: Quantity| match asked {
            MAX_IOPS => best_iops,
            // Where nothing keeps the bound no latency is the right one.
            ACTUAL_LATENCY => best_iops.and(outstanding).and_then(known),
            UNBOUNDED_IOPS => truth.small_iops(None),
            MAX_MBPS => truth.mbps(most_streams),
            MAX_PMBPS => truth.mbps(1),
            LATENCY_AT_1 => known(1),
            _ => None,
        };
        let seen = asked().map(|answer| answer.quantity);
        let seen = seen
            .filter_map(|asked| Some(FigureOutcome::of(asked, found.figure(asked)?.estimate, of(asked)?)));
        let limit_us = us_from_ns(to_f64(answers.bound.limit.0));
        Some(Self {
            seen: seen.collect(),
            of_bound: outstanding.and_then(known).map(|us| us / limit_us),
            decided: best.is_some() == best_iops.is_some(),
            in_budget: in_budget(record),
        })
    }
}

impl FigureOutcome {
    fn of(asked: Quantity, found: Estimate, truth: f64) -> Self {
        Self {
            asked,
            held: found.ends().map(|(low, high)| low <= truth && truth <= high),
            error: found.value / truth - 1.0,
            half_width: found.ends().map_or(0.0, |(low, high)| (high - low) / 2.0 / found.value),
        }
    }
}

/// Whether every visit, the load before its window included, began within the time that was given.
fn in_budget(record: &Record) -> bool {
    let Some(budget) = record.header.request.max_duration() else { return true };
    let visits = record.search.iter().chain(&record.visits);
    visits.map(|visit| visit.began_ns.saturating_sub(visit.settle_ns)).all(|began_ns| began_ns < budget.0)
}

/// The true figures.
struct Truth<'a> {
    law: &'a SimLaw,
    record: &'a Record,
}

impl Truth<'_> {
    /// The highest rate of small I/O, within a bound if there is one, at a level that the search may try.
    fn small_iops(&self, bound: Option<&LatencyBound>) -> Option<f64> {
        let most = self.record.header.plan.search.as_ref()?.room().small();
        let most = bound.map_or(most, |bound| self.most_within(bound, most));
        let rate = |level| self.law.truth_iops(level, self.record.header.request.io_bytes(Class::SMALL));
        (1..=most).filter_map(rate).reduce(f64::max)
    }

    /// The largest level within the bound, 0 if there is none: the latency grows with the level, so halving finds it.
    fn most_within(&self, bound: &LatencyBound, most: u32) -> u32 {
        let limit_us = us_from_ns(to_f64(bound.limit.0));
        let keeps = |level| self.latency_us(level, bound.of).is_some_and(|us| us <= limit_us);
        let (mut within, mut beyond) = (0, most + 1);
        while beyond - within > 1 {
            let middle = u32::midpoint(within, beyond);
            if keeps(middle) { within = middle } else { beyond = middle }
        }
        within
    }

    fn latency_us(&self, level: u32, of: LatencyOf) -> Option<f64> {
        let bytes = self.record.header.request.io_bytes(Class::SMALL);
        match of {
            // Little's law.
            LatencyOf::Mean => self.law.truth_iops(level, bytes).map(|rate| f64::from(level) / rate * 1e6),
            LatencyOf::P99 => self.law.truth_latency_ns(level, bytes, 0.99).map(us_from_ns),
        }
    }

    /// The highest rate of this many streams or fewer.
    fn mbps(&self, streams: u32) -> Option<f64> {
        let request = &self.record.header.request;
        let bytes = request.io_bytes(Class::LARGE);
        let rate = |level| self.law.truth_iops(request.large_pattern().outstanding(level), bytes);
        let best = (1..=streams).filter_map(rate).reduce(f64::max)?;
        Some(best * to_f64(bytes) / to_f64(MIB))
    }
}
