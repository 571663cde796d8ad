//! The figures of many calibrations compared with their promise.
//!
//! The promise is about the meaning of a figure for its reader: the highest rate of the device, not that of the
//! point which happened to be the best. Must not format.

use super::calibration::{CalibrationOutcome, FigureOutcome, asked};
use super::promise::Promise;
use super::score::{Grade, Score, seldom_enough};
use super::trial::Trial;
use rigel_core::judge::answers::Answer;
use rigel_core::judge::findings::NEAR;
use rigel_core::judge::quantity::Quantity;
use rigel_core::stats::sample;

/// In that share of the trials the true latency at the chosen level meets the bound, to the tenth that is allowed.
const WITHIN_BOUND: f64 = 0.98;
/// In that share of the trials the bracket holds the level that saturates the device.
const BRACKETED: f64 = 0.9;

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
