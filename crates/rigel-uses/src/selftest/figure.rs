//! A figure of a trial beside its truth.
//!
//! Must not know a formula.

use rigel_core::stats::Estimate;

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
