//! Many trials of a case: shares and means over them, and what chance explains of these.
//!
//! Points of one run share its noise, so the standard error of a share is taken over runs. Must not
//! format.

use super::case::Case;
use super::chance::{self, RARE};
use super::promise::Silence;
use super::trial::Trial;
use rigel_core::judge::flags::FlagCode;
use rigel_core::stats::special::student_t_quantile;
use rigel_core::units::to_f64;

/// Intervals that contain the true value more often are too wide.
const MOST_HELD: f64 = 0.999;

/// Least standard deviation of a share over runs: few runs that agree do not prove it exact.
const LEAST_SPREAD: f64 = 0.1;

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

    pub(super) fn count(&self) -> f64 {
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
