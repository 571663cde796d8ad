//! Figures with their intervals. Everywhere in the document the ends of a 95 % interval are `lo95` and `hi95`.
//!
//! Must not compute.

use rigel_core::stats::Interval;
use schemars::JsonSchema;
use serde::Serialize;

/// A rate with its interval.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Rate {
    /// Mean of the visits.
    mean: f64,
    /// Lower end of the 95 % interval; null when there is none.
    lo95: Option<f64>,
    /// Upper end of the 95 % interval; null when there is none.
    hi95: Option<f64>,
    /// Visits behind it.
    visits: usize,
}

impl Rate {
    pub(super) fn new(mean: f64, interval: Option<Interval>, visits: usize) -> Self {
        let ends = interval.map(|interval| (interval.lo95, interval.hi95));
        Self { mean, lo95: ends.map(|ends| ends.0), hi95: ends.map(|ends| ends.1), visits }
    }

    /// The middle of an interval, and its ends.
    pub(super) fn of(interval: Interval) -> Self {
        Self::new(interval.mean, Some(interval), interval.visits)
    }
}

/// The ends of a 95 % interval.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Interval")]
pub(super) struct Bounds {
    /// Lower end.
    lo95: f64,
    /// Upper end.
    hi95: f64,
    /// Visits behind it.
    visits: usize,
}

impl From<Interval> for Bounds {
    fn from(interval: Interval) -> Self {
        Self { lo95: interval.lo95, hi95: interval.hi95, visits: interval.visits }
    }
}
