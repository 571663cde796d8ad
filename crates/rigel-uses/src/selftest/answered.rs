//! The figures of one calibration compared with the law of its device, and those of many with their promise.
//!
//! The promise is about the meaning of a figure for its reader: the highest rate of the device, not that of the
//! point which happened to be the best. Must not format.

use super::cases::Promise;
use super::score::{Grade, Score, Trial, seldom_enough};
use rigel_core::judge::answers::{
    ACTUAL_LATENCY, ANSWERS, Answer, LATENCY_AT_1, MAX_IOPS, MAX_MBPS, MAX_PMBPS, UNBOUNDED_IOPS,
};
use rigel_core::judge::findings::{Findings, NEAR};
use rigel_core::judge::quantity::Quantity;
use rigel_core::load::class::Class;
use rigel_core::record::Record;
use rigel_core::sim::SimLaw;
use rigel_core::stats::bound::{LatencyBound, LatencyOf};
use rigel_core::stats::{Estimate, sample};
use rigel_core::units::{MIB, to_f64, us_from_ns};

/// In that share of the trials the true latency at the chosen level meets the bound, to the tenth that is allowed.
const WITHIN_BOUND: f64 = 0.98;
/// In that share of the trials the bracket holds the level that saturates the device.
const BRACKETED: f64 = 0.9;

/// The answers of a calibration that are scored, in the order of every output: those about ORION's pair. A percentile that no bound is
/// about need not have an interval.
pub fn asked() -> impl Iterator<Item = &'static Answer> {
    ANSWERS.iter().filter(|answer| !answer.is_of_commits() && !answer.quantity.what.is_percentile())
}

/// One figure against the truth.
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

/// What came of one calibration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CalibrationOutcome {
    /// The figures whose truth is known.
    pub seen: Vec<FigureOutcome>,
    /// The true latency at the level of `max_iops` over the bound.
    pub of_bound: Option<f64>,
    /// Whether there is a rate within the bound when there should be one, and none when not.
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

/// What the figures should be.
struct Truth<'a> {
    law: &'a SimLaw,
    record: &'a Record,
}

impl Truth<'_> {
    /// The highest rate of small I/O, within a bound where there is one, at a level that the search may try.
    fn small_iops(&self, bound: Option<&LatencyBound>) -> Option<f64> {
        let most = self.record.header.plan.search.as_ref()?.room().small();
        let most = bound.map_or(most, |bound| self.most_within(bound, most));
        let rate = |level| self.law.truth_iops(level, self.record.header.request.io_bytes(Class::SMALL));
        (1..=most).filter_map(rate).reduce(f64::max)
    }

    /// The largest level within the bound, 0 when none is: the latency grows with the level, so halving finds it.
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

impl Score {
    fn figure(&self, asked: &Answer) -> impl Iterator<Item = &FigureOutcome> {
        self.trials.iter().filter_map(move |trial| of(trial, asked.quantity))
    }

    /// The share of a figure's intervals that contain the true value, and its standard error; `None` without intervals.
    pub fn held(&self, asked: &Answer) -> Option<(f64, f64)> {
        let part = |trial: &Trial| {
            let held = of(trial, asked.quantity).and_then(|seen| seen.held);
            (usize::from(held == Some(true)), usize::from(held.is_some()))
        };
        self.figure(asked).any(|seen| seen.held.is_some()).then(|| self.share(part))
    }

    /// The share of the intervals of all figures that contain the true value, and its standard error over calibrations.
    pub fn all_held(&self) -> (f64, f64) {
        self.share(|trial| (held(trial).filter(|held| *held).count(), held(trial).count()))
    }

    /// The mean of a figure's estimate / truth - 1.
    pub fn bias(&self, asked: &Answer) -> f64 {
        sample::mean(&self.figure(asked).map(|seen| seen.error).collect::<Vec<f64>>())
    }

    /// The median half-width of a figure's intervals, relative: those of two visits have no mean to speak of.
    pub fn half_width(&self, asked: &Answer) -> f64 {
        let known = self.figure(asked).filter(|seen| seen.held.is_some());
        sample::median(&known.map(|seen| seen.half_width).collect::<Vec<f64>>())
    }

    /// The share of the trials in which the true latency at the chosen level meets the bound, to the tenth that is
    /// allowed; or in which there is none and no rate is given.
    pub fn within_bound(&self) -> (f64, f64) {
        let keeps = |answers: &CalibrationOutcome| {
            answers.decided && answers.of_bound.is_none_or(|of_bound| of_bound <= 1.0 + NEAR)
        };
        self.share(|trial| (usize::from(trial.answers.as_ref().is_some_and(keeps)), 1))
    }

    /// Whether the figures of calibrations were true.
    pub(super) fn answers_kept(&self) -> Grade {
        let Promise::Answers { least, most_bias } = self.case.promise else {
            return Grade::Kept;
        };
        let figures = asked().map(|asked| {
            let what = format!("intervals of {} that contain the true value", asked.label);
            let error = |trial: &Trial| of(trial, asked.quantity).map(|seen| seen.error);
            let off = self.off(&format!("{} is", asked.label), error, most_bias);
            let held = self.held(asked).map_or(Grade::Kept, |share| self.at_least(&what, share, least));
            held.and(off)
        });
        let all = figures.fold(self.all_in_budget(), Grade::and);
        let intervals: Vec<bool> = self.trials.iter().flat_map(held).collect();
        let missed = intervals.iter().filter(|held| !**held).count();
        all.and(seldom_enough(missed, intervals.len()))
            .and(self.at_least("levels within the limit", self.within_bound(), WITHIN_BOUND))
            .and(self.at_least("brackets that contain the true value", self.bracketed(), BRACKETED))
    }

    fn all_in_budget(&self) -> Grade {
        let in_time = |trial: &&Trial| trial.answers.as_ref().is_some_and(|answers| answers.in_budget);
        let (all, kept) = (self.trials.len(), self.trials.iter().filter(in_time).count());
        match all - kept {
            0 => Grade::Kept,
            late => Grade::Broken(format!("{late} of {all} calibrations started a visit after their budget")),
        }
    }
}

fn held(trial: &Trial) -> impl Iterator<Item = bool> + '_ {
    trial.answers.iter().flat_map(|answers| &answers.seen).filter_map(|seen| seen.held)
}

fn of(trial: &Trial, asked: Quantity) -> Option<&FigureOutcome> {
    trial.answers.as_ref()?.seen.iter().find(|seen| seen.asked == asked)
}
