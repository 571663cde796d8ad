//! What came of one trial.
//!
//! Must not score it.

use super::calibration::CalibrationOutcome;
use super::figure::KnownFigure;
use rigel_core::judge::flags::FlagCode;
use rigel_core::record::Record;
use rigel_core::stats::Interval;
use rigel_core::units::{NS_PER_S, to_f64};
use std::collections::BTreeMap;

/// The result of one trial.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trial {
    /// Intervals whose truth is known.
    pub intervals: usize,
    /// Intervals that contain it.
    pub covered: usize,
    /// Intervals as narrow as requested.
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
    /// The same for two separate runs that are compared, and the time of both together.
    pub apart: Option<SideOutcome>,
    /// For a calibration: its figures against the truth.
    pub answers: Option<CalibrationOutcome>,
    /// The first point that contradicts the figure of the run; never any.
    pub refuted: Option<String>,
    /// For arrivals, commits, places and the figures of a run: those that a formula gives.
    pub known: Vec<KnownFigure>,
    /// The flags that were raised somewhere, and on how many points, curves or phases.
    pub flags: BTreeMap<FlagCode, usize>,
}

/// A run of each side, compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SideOutcome {
    /// The time of both together.
    pub minutes: f64,
    /// Half the width of the intervals of the change, relative, on average.
    pub change_width: f64,
}

impl Trial {
    /// Adds an estimate by its interval, and whether that is as narrow as was asked for.
    pub(super) fn add_one(&mut self, interval: &Interval, truth: f64, target: f64, reached: bool) {
        let error = interval.mean / truth - 1.0;
        self.intervals += 1;
        self.covered += usize::from(interval.lo95 <= truth && truth <= interval.hi95);
        self.reached += usize::from(reached);
        self.kept += usize::from(reached && error.abs() <= target);
        self.bias += error;
        self.half_width += interval.relative_half_width;
    }
}

/// How long a run took.
pub(super) fn minutes(record: &Record) -> f64 {
    let last = record.visits.last().or(record.search.last());
    let ended_ns = last.map_or(0, |visit| visit.began_ns.saturating_add(visit.measured_ns));
    to_f64(ended_ns) / to_f64(60 * NS_PER_S)
}
