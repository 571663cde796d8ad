//! Figures from a formula, compared with those of a run: the trials of `rigel run simple`, `open`, `commit`, `zones`,
//! `streams` and of load files.
//!
//! Must not contain a case or a formula; the modules of these levels do.

use super::cases::{FigurePromise, Promise};
use super::score::{Grade, Score, Trial, seldom_enough};
use super::{commits, highest, loads, places, queues, rates};
use rigel_core::judge::findings::Findings;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::request::Request;
use rigel_core::load::task::Task;
use rigel_core::sim::SimLaw;
use rigel_core::stats::Estimate;
use rigel_core::stats::sample::mean;
use rigel_core::units::to_f64;

/// One figure of a trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KnownFigure {
    /// Which, as a phrase.
    pub what: &'static str,
    /// Whether its 95 % interval contains the true value; `None` without an interval.
    pub held: Option<bool>,
    /// Figure / truth - 1.
    pub error: f64,
}

impl KnownFigure {
    pub(super) fn of(what: &'static str, found: Estimate, truth: f64) -> Self {
        let holds = |(lo, hi): (f64, f64)| (lo..=hi).contains(&truth);
        let ends = found.interval.map(|interval| (interval.lo95, interval.hi95));
        Self { what, held: ends.map(holds), error: found.value / truth - 1.0 }
    }
}

/// The figures of a run whose truth is known; none of another level.
pub(super) fn figures(found: &Findings, request: &Request, law: &SimLaw) -> Vec<KnownFigure> {
    let level = match request.task {
        Task::Rate { .. } => return rates::figures(found),
        Task::Calibrate { .. }
        | Task::Phases(_)
        | Task::Soak { .. }
        | Task::Burst { .. }
        | Task::WorkingSet(_) => {
            return Vec::new();
        }
        Task::Matrix { level, .. } | Task::Load { level, .. } => level,
    };
    match level {
        RunLevel::Open if request.sides.is_none() => queues::figures(found, law),
        RunLevel::Simple => highest::figures(found, request, law),
        RunLevel::Commit => commits::figures(found, law),
        RunLevel::Zones => places::figures(found, law),
        RunLevel::Load | RunLevel::Streams => loads::figures(found, law),
        _ => Vec::new(),
    }
}

impl Score {
    /// The share of the intervals of a figure, or of all, that contain the true value, and its standard error over runs.
    fn known_held(&self, what: Option<&str>) -> (f64, f64) {
        self.share(|trial| {
            let wanted = trial.known.iter().filter(|known| what.is_none_or(|what| known.what == what));
            let held: Vec<bool> = wanted.filter_map(|known| known.held).collect();
            (held.iter().filter(|held| **held).count(), held.len())
        })
    }

    /// The same for all figures.
    pub fn all_known_held(&self) -> f64 {
        self.known_held(None).0
    }

    /// Every figure that is promised: its name, the share of its intervals that contain the true value, and how far it is off on average.
    pub fn known(&self) -> Vec<(&'static str, f64, f64)> {
        let Promise::Figures(promised) = self.case.promise else { return Vec::new() };
        let of = |&FigurePromise { what, .. }: &FigurePromise| {
            let errors: Vec<f64> = self.trials.iter().filter_map(|trial| error(trial, what)).collect();
            (what, self.known_held(Some(what)).0, mean(&errors))
        };
        promised.iter().map(of).collect()
    }

    /// Whether every figure is as often and as nearly right as promised. A run without it proves nothing.
    pub(super) fn figures_kept(&self, promised: &[FigurePromise]) -> Grade {
        let held = promised.iter().fold(Grade::Kept, |verdict, &FigurePromise { what, least, most_bias }| {
            let seen = |trial: &Trial| error(trial, what).is_some();
            if !self.trials.iter().all(seen) {
                return verdict.and(Grade::Broken(format!("{what}: missing from a run")));
            }
            let share = self.known_held(Some(what));
            verdict
                .and(self.at_least(&format!("{what}: intervals that contain the true value"), share, least))
                .and(self.off(&format!("{what} is"), |trial| error(trial, what), most_bias))
        });
        let all: Vec<bool> =
            self.trials.iter().flat_map(|trial| &trial.known).filter_map(|known| known.held).collect();
        held.and(seldom_enough(all.iter().filter(|held| !**held).count(), all.len()))
    }
}

/// The error of a figure in a trial, on average over its points.
fn error(trial: &Trial, what: &str) -> Option<f64> {
    let own: Vec<f64> =
        trial.known.iter().filter(|known| known.what == what).map(|known| known.error).collect();
    (!own.is_empty()).then(|| own.iter().sum::<f64>() / to_f64(own.len() as u64))
}
