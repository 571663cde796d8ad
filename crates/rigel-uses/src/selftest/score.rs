//! One trial compared with the truth, and many of them with the promise of their case.
//!
//! Points of one run share its noise, so the standard error of a share is taken over runs. Must not
//! format.

use super::answered::CalibrationOutcome;
use super::cases::{Case, CoverageDemand, Promise, Silence};
use super::chance::{self, RARE};
use super::known::{self, KnownFigure};
use rigel_core::judge::findings::{Findings, IoFindings, refuted};
use rigel_core::judge::flags::FlagCode;
use rigel_core::load::class::Class;
use rigel_core::load::request::EngineRequest;
use rigel_core::record::Record;
use rigel_core::sim::SimLaw;
use rigel_core::stats::Interval;
use rigel_core::stats::levels_auto::SATURATION;
use rigel_core::stats::special::student_t_quantile;
use rigel_core::units::{NS_PER_S, to_f64};
use std::collections::BTreeMap;

/// Intervals that contain the true value more often are too wide.
const MOST_HELD: f64 = 0.999;
/// Least share of the estimates whose error is within the aim, of those whose interval is.
const LEAST_KEPT: f64 = 0.93;
/// The mean of the maxima is off by no more, relative.
const MAXIMUM_BIAS: f64 = 0.01;
/// Points of a device usually reach the aim if at least this share of them does.
const USUAL: f64 = 0.5;

/// Least standard deviation of a share over runs: few runs that agree do not prove it exact.
const LEAST_SPREAD: f64 = 0.1;

/// What came of one trial.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trial {
    /// Intervals whose truth is known.
    pub intervals: usize,
    /// Those that hold it.
    pub covered: usize,
    /// Those that are as narrow as was asked for.
    pub reached: usize,
    /// Of these, those whose mean is within the aim of the truth.
    pub kept: usize,
    /// Mean of estimate / truth - 1.
    pub bias: f64,
    /// Mean half-width of the intervals, relative.
    pub half_width: f64,
    /// Length of the run.
    pub minutes: f64,
    /// Visits made.
    pub visits: usize,
    /// For a search: whether the bracket contains the true value.
    pub bracketed: Option<bool>,
    /// For a search for a rate: the width of its bracket, relative to the truth.
    pub bracket_width: Option<f64>,
    /// For a search: maximum / truth - 1.
    pub maximum_error: Option<f64>,
    /// For two sides in turn: whether a difference was found.
    pub differs: Option<bool>,
    /// For two sides in turn: half the width of the intervals of their change, relative, on average.
    pub change_width: Option<f64>,
    /// The same of two runs that are compared, and what both took together.
    pub apart: Option<SideOutcome>,
    /// For a calibration: its figures against the truth.
    pub answers: Option<CalibrationOutcome>,
    /// The first point that refutes what stands for the run; none, ever.
    pub refuted: Option<String>,
    /// For arrivals, commits, places and what stands for a run: the figures that a formula gives.
    pub known: Vec<KnownFigure>,
    /// The flags that were raised somewhere, and on how many points, curves or phases.
    pub flags: BTreeMap<FlagCode, usize>,
}

/// A run of each side, compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SideOutcome {
    /// What both took together.
    pub minutes: f64,
    /// Half the width of the intervals of the change, relative, on average.
    pub change_width: f64,
}

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

    /// The same by its interval, and whether that is as narrow as was asked for.
    pub(super) fn add_one(&mut self, interval: &Interval, truth: f64, target: f64, reached: bool) {
        let error = interval.mean / truth - 1.0;
        self.intervals += 1;
        self.covered += usize::from(interval.lo95 <= truth && truth <= interval.hi95);
        self.reached += usize::from(reached);
        self.kept += usize::from(reached && error.abs() <= target);
        self.bias += error;
        self.half_width += interval.relative_half_width;
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

pub(super) fn minutes(record: &Record) -> f64 {
    let last = record.visits.last().or(record.search.last());
    let ended_ns = last.map_or(0, |visit| visit.began_ns.saturating_add(visit.measured_ns));
    to_f64(ended_ns) / to_f64(60 * NS_PER_S)
}

fn flags(found: &Findings) -> BTreeMap<FlagCode, usize> {
    let mut raised = BTreeMap::new();
    for flag in found.all_flags() {
        *raised.entry(flag.code).or_insert(0) += 1;
    }
    raised
}

/// Whether a promise was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Grade {
    /// Yes.
    Kept,
    /// No; what fell short, as a sentence without a full stop.
    Broken(String),
}

/// Many trials of one case.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// The case.
    pub case: Case,
    /// Its trials.
    pub trials: Vec<Trial>,
}

impl Score {
    /// The share of all intervals that contain the true value, and its standard error over runs.
    pub fn coverage(&self) -> (f64, f64) {
        self.share(|trial| (trial.covered, trial.intervals))
    }

    /// The share of all intervals that are as narrow as requested.
    pub fn reached(&self) -> f64 {
        self.share(|trial| (trial.reached, trial.intervals)).0
    }

    /// The share of the intervals as narrow as requested whose mean is as close to the truth.
    pub fn kept(&self) -> Option<f64> {
        let reached: usize = self.trials.iter().map(|trial| trial.reached).sum();
        let kept: usize = self.trials.iter().map(|trial| trial.kept).sum();
        (reached > 0).then(|| to_f64(kept as u64) / to_f64(reached as u64))
    }

    /// The share of trials in which the bracket holds the level that saturates the device.
    pub fn bracketed(&self) -> (f64, f64) {
        self.share(|trial| (usize::from(trial.bracketed == Some(true)), 1))
    }

    /// The share of trials in which no difference of two sides was found.
    pub fn alike(&self) -> (f64, f64) {
        self.share(|trial| (usize::from(trial.differs == Some(false)), 1))
    }

    /// The share of trials in which a flag was raised.
    pub fn raised(&self, flag: FlagCode) -> (f64, f64) {
        self.share(|trial| (usize::from(trial.flags.contains_key(&flag)), 1))
    }

    /// The share of all intervals that contain the true value or belong to a trial in which a flag was raised.
    pub fn held_or_raised(&self, flag: FlagCode) -> (f64, f64) {
        self.share(|trial| {
            let raised = trial.flags.contains_key(&flag);
            (if raised { trial.intervals } else { trial.covered }, trial.intervals)
        })
    }

    /// The trials that raised one of the flags the case does not justify.
    pub fn alarms(&self, silence: &Silence) -> usize {
        let alarmed = |trial: &&Trial| silence.flags.iter().any(|flag| trial.flags.contains_key(flag));
        self.trials.iter().filter(alarmed).count()
    }

    /// The mean of a figure over the trials.
    pub fn mean(&self, figure: impl Fn(&Trial) -> f64) -> f64 {
        self.trials.iter().map(figure).sum::<f64>() / self.count().max(1.0)
    }

    /// Whether the promise of the case was kept, within what chance explains for this many trials.
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

    /// Whether the error of estimates that reach the aim is within the aim. Their number differs from run to run, so the
    /// standard error is that of a ratio over runs. If all runs agree, it is that of independent estimates. If most
    /// points do not reach the aim, nothing is promised: the visits of those that do were similar by chance.
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

    /// Whether the mean of an error exceeds both its limit and what chance explains.
    pub(super) fn off(&self, what: &str, error: impl Fn(&Trial) -> Option<f64>, most: f64) -> Grade {
        let errors: Vec<f64> = self.trials.iter().filter_map(error).collect();
        let count = to_f64(errors.len() as u64).max(1.0);
        let mean = errors.iter().sum::<f64>() / count;
        let squares: f64 = errors.iter().map(|error| (error - mean).powi(2)).sum();
        let standard_error = (squares / (count - 1.0).max(1.0) / count).sqrt();
        // A single error has no spread, and infinite doubt times none is no number.
        if count < 2.0 || mean.abs() <= most + doubt(count) * standard_error {
            return Grade::Kept;
        }
        Grade::Broken(format!("{what} off by {:+.2} % on average", 100.0 * mean))
    }

    /// A share over all trials and its standard error.
    pub(super) fn share(&self, part: impl Fn(&Trial) -> (usize, usize)) -> (f64, f64) {
        let floats = |(part, whole)| (to_f64(part as u64), to_f64(whole as u64));
        let parts: Vec<(f64, f64)> = self.trials.iter().map(part).map(floats).collect();
        let whole: f64 = parts.iter().map(|(_, whole)| whole).sum();
        let share = parts.iter().map(|(part, _)| part).sum::<f64>() / whole.max(1.0);
        let shares = parts.iter().filter(|(_, whole)| *whole > 0.0).map(|(part, whole)| part / whole);
        let squares: f64 = shares.map(|one| (one - share).powi(2)).sum();
        let count = self.count().max(1.0);
        let spread = (squares / (count - 1.0).max(1.0)).sqrt().max(LEAST_SPREAD);
        (share, spread / count.sqrt())
    }

    pub(super) fn at_least(&self, what: &str, (share, standard_error): (f64, f64), least: f64) -> Grade {
        if share + doubt(self.count()) * standard_error >= least {
            return Grade::Kept;
        }
        Grade::Broken(format!("{what}: {:.1} % instead of {:.0} %", 100.0 * share, 100.0 * least))
    }

    fn count(&self) -> f64 {
        to_f64(self.trials.len() as u64)
    }
}

/// Whether enough intervals miss the truth: intervals that never do are too wide. Few intervals cannot show it.
pub(super) fn seldom_enough(missed: usize, all: usize) -> Grade {
    if chance::at_most(missed, all, 1.0 - MOST_HELD) >= RARE {
        return Grade::Kept;
    }
    Grade::Broken(format!(
        "only {missed} of {all} intervals miss the true value, fewer than {:.1} %",
        100.0 * (1.0 - MOST_HELD)
    ))
}

/// Largest error of a mean by chance, in standard errors: Student's t, 95 %. A single trial proves nothing.
fn doubt(trials: f64) -> f64 {
    if trials < 2.0 { f64::INFINITY } else { student_t_quantile(0.975, trials - 1.0) }
}

impl Grade {
    /// Combines everything that is broken.
    pub(super) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Broken(one), Self::Broken(other)) => Self::Broken(format!("{one}; {other}")),
            (Self::Kept, other) => other,
            (broken, Self::Kept) => broken,
        }
    }
}
