//! Figures with their intervals. Everywhere in the document the ends of a 95 % interval are `lo95` and `hi95`.
//!
//! Must not compute.

use rigel_core::stats::{Estimate, Interval};
use schemars::JsonSchema;
use serde::Serialize;

/// A rate with its interval.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Rate")]
pub(super) struct RateDocument {
    /// Mean of the visits.
    mean: f64,
    /// Lower end of the 95 % interval; null when there is none.
    lo95: Option<f64>,
    /// Upper end of the 95 % interval; null when there is none.
    hi95: Option<f64>,
    /// Visits behind it.
    visits: usize,
}

impl RateDocument {
    pub(super) fn new(found: Estimate, visits: usize) -> Self {
        Self { mean: found.value, lo95: found.lo95(), hi95: found.hi95(), visits }
    }
}

/// A ratio of two points, or of two sides, from the rounds in which both were visited.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Ratio")]
pub(crate) struct RatioDocument {
    /// Geometric mean over the rounds.
    mean: f64,
    /// Lower end of its 95 % interval.
    lo95: f64,
    /// Upper end.
    hi95: f64,
    /// Rounds behind it.
    rounds: usize,
}

impl From<Interval> for RatioDocument {
    fn from(ratio: Interval) -> Self {
        Self { mean: ratio.mean, lo95: ratio.lo95, hi95: ratio.hi95, rounds: ratio.visits }
    }
}

/// The ends of a 95 % interval.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Interval")]
pub(super) struct IntervalDocument {
    /// Lower end.
    lo95: f64,
    /// Upper end.
    hi95: f64,
    /// Visits behind it.
    visits: usize,
}

impl From<Interval> for IntervalDocument {
    fn from(interval: Interval) -> Self {
        Self { lo95: interval.lo95, hi95: interval.hi95, visits: interval.visits }
    }
}
