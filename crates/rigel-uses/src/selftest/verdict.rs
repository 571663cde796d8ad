//! One trial compared with the truth, and many of them with the promise of their case.
//!
//! Must not format.

use super::calibration::CalibrationOutcome;
use super::chance::{self, RARE};
use super::known;
use super::promise::{CoverageDemand, Promise, Silence};
use super::score::{Grade, Score, seldom_enough};
use super::trial::{Trial, minutes};
use rigel_core::judge::findings::{Findings, IoFindings, refuted};
use rigel_core::judge::flags::FlagCode;
use rigel_core::load::class::Class;
use rigel_core::load::request::EngineRequest;
use rigel_core::record::Record;
use rigel_core::sim::SimLaw;
use rigel_core::stats::levels_auto::SATURATION;
use rigel_core::units::to_f64;
use std::collections::BTreeMap;

/// Least share of the estimates whose error is within the aim, of those whose interval is.
const LEAST_KEPT: f64 = 0.93;
/// Largest relative error of the mean of the maxima.
const MAXIMUM_BIAS: f64 = 0.01;
/// Points of a device usually reach the aim if at least this share of them does.
const USUAL: f64 = 0.5;

impl Trial {
    /// Scores the record of a trial.
    pub fn of(record: &Record) -> Self {
        let EngineRequest::Sim(law) = record.header.request.engine else {
            return Self::default();
        };
        let found = Findings::of(record);
        let mut trial = Self {
            minutes: minutes(record),
            visits: record.visits.len() + record.search.len(),
            flags: flags(&found),
            answers: CalibrationOutcome::of(record, &found, &law),
            refuted: refuted(&found).into_iter().next(),
            known: known::figures(&found, &record.header.request, &law),
            ..Self::default()
        };
        let target = found.target.unwrap_or(0.0);
        let request = &record.header.request;
        trial.add_ratios(record, &found);
        let points = found.points.iter().filter(|_| request.sides.is_none());
        for point in points {
            let sizes = [request.io_bytes(Class::SMALL), request.io_bytes(Class::LARGE)];
            let large = request.large_pattern().outstanding(point.point.large());
            let Some(truth) = law.truth_mixed_iops([point.point.small(), large], sizes) else {
                continue;
            };
            for (class, truth) in [Class::SMALL, Class::LARGE].into_iter().zip(truth) {
                if let Some(io) = point.io(class) {
                    trial.add(io, truth, target);
                }
            }
        }
        if trial.intervals > 0 {
            trial.bias /= to_f64(trial.intervals as u64);
            trial.half_width /= to_f64(trial.intervals as u64);
        }
        trial.judge_search(&found, &law);
        trial.judge_rate(&found, &law);
        trial
    }

    /// Adds one estimate; the sums become means later.
    fn add(&mut self, io: &IoFindings, truth: f64, target: f64) {
        let Some(interval) = io.iops.interval else { return };
        self.add_one(&interval, truth, target, io.sure.reached);
    }

    fn judge_search(&mut self, found: &Findings, law: &SimLaw) {
        let Some(curve) = found.curves.iter().find(|curve| curve.class() == Class::SMALL) else {
            return;
        };
        let rate = |level: u32| law.truth_iops(level, curve.load.io_bytes());
        let most = curve.curve.levels.last().map_or(1, |(level, _)| *level);
        let Some(maximum) = (1..=most).filter_map(rate).reduce(f64::max) else {
            return;
        };
        let n_sat = (1..=most).find(|&level| rate(level).is_some_and(|rate| rate >= SATURATION * maximum));
        let bracket = curve.curve.n_sat;
        self.bracketed = n_sat.map(|truth| bracket.lo <= truth && truth <= bracket.hi);
        self.maximum_error = Some(curve.curve.x_max.mean / maximum - 1.0);
    }
}

fn flags(found: &Findings) -> BTreeMap<FlagCode, usize> {
    let mut raised = BTreeMap::new();
    for flag in found.all_flags() {
        *raised.entry(flag.code).or_insert(0) += 1;
    }
    raised
}

impl Score {
    /// Whether the promise of the case was kept, up to what chance explains for this many trials.
    pub fn verdict(&self) -> Grade {
        if self.trials.is_empty() {
            return Grade::Broken("nothing was tried".into());
        }
        let share = self.share(|trial| (trial.reached, trial.intervals));
        let reached = |least| self.at_least("points that reach the requested precision", share, least);
        let promised = match self.case.promise {
            Promise::Coverage { least, most_bias, least_reached, most_minutes } => self
                .in_time(most_minutes)
                .and(self.at_least("intervals that contain the true value", self.coverage(), least))
                .and(self.miss_enough())
                .and(self.often_kept())
                .and(least_reached.map_or(Grade::Kept, reached))
                .and(self.off("estimates are", |trial| Some(trial.bias), most_bias)),
            Promise::Levels { least } => {
                let bias = self.off("estimates are", |trial| trial.maximum_error, MAXIMUM_BIAS);
                self.at_least("brackets that contain the true value", self.bracketed(), least).and(bias)
            }
            Promise::Answers { .. } => self.answers_kept(),
            Promise::Rate { least, most_width } => self.rates_kept(least, most_width),
            Promise::Figures(promised) => self.figures_kept(promised),
            Promise::HeldOrRaises(flag, CoverageDemand { least, most_bias }) => {
                let what = format!("intervals that contain the true value or have {}", flag.name());
                let bias =
                    self.off("estimates are", |trial| Some(trial.bias), most_bias.unwrap_or(f64::INFINITY));
                self.at_least(&what, self.held_or_raised(flag), least).and(bias)
            }
            Promise::NoDifference(least) => self.at_least("trials without a difference", self.alike(), least),
            Promise::Sooner(most) => self.sooner(most),
            Promise::Raises(flag, least) => {
                self.at_least(&format!("trials with {}", flag.name()), self.raised(flag), least)
            }
        };
        let promised = promised.and(self.consistent());
        self.case.silent.iter().fold(promised, |verdict, silence| verdict.and(self.keeps_silent(silence)))
    }

    fn in_time(&self, most_minutes: Option<f64>) -> Grade {
        let minutes = self.mean(|trial| trial.minutes);
        match most_minutes.filter(|&most| minutes > most) {
            Some(most) => Grade::Broken(format!("took {minutes:.1} minutes instead of {most:.1}")),
            None => Grade::Kept,
        }
    }

    fn miss_enough(&self) -> Grade {
        let all: usize = self.trials.iter().map(|trial| trial.intervals).sum();
        let missed = all - self.trials.iter().map(|trial| trial.covered).sum::<usize>();
        seldom_enough(missed, all)
    }

    /// Whether the error of estimates that reach the aim is within the aim. Their number differs from run to run, so
    /// the standard error is that of a ratio over runs. If all runs agree, it is that of independent estimates. If
    /// most points do not reach the aim, nothing is promised: the visits of those that do were similar by chance.
    fn often_kept(&self) -> Grade {
        let Some(kept) = self.kept().filter(|_| self.reached() >= USUAL) else {
            return Grade::Kept;
        };
        let reached: f64 = self.trials.iter().map(|trial| to_f64(trial.reached as u64)).sum();
        let left = |trial: &Trial| to_f64(trial.kept as u64) - kept * to_f64(trial.reached as u64);
        let squares: f64 = self.trials.iter().map(|trial| left(trial).powi(2)).sum();
        let over_runs = (squares * self.count() / (self.count() - 1.0).max(1.0)).sqrt() / reached;
        let independent = (LEAST_KEPT * (1.0 - LEAST_KEPT) / reached).sqrt();
        let what = format!("estimates as close as they promise, of {reached:.0}");
        self.at_least(&what, (kept, over_runs.max(independent)), LEAST_KEPT)
    }

    /// Whether false alarms are rare enough, within what chance explains for this many trials.
    fn keeps_silent(&self, silence: &Silence) -> Grade {
        let (alarms, trials) = (self.alarms(silence), self.trials.len());
        if chance::at_least(alarms, trials, silence.most) >= RARE {
            return Grade::Kept;
        }
        Grade::Broken(format!(
            "false alarms of {}: {alarms} in {trials} trials, more than {:.0} %",
            silence.about,
            100.0 * silence.most
        ))
    }
}
