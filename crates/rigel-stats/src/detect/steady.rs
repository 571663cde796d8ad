//! SNIA's definition of a steady state, for readers who expect it. It states no precision, so no run is stopped by it.

use crate::batch_means::batches;
use crate::sample::{count, line, mean, sorted};

/// Rounds of SNIA's measurement window.
const ROUNDS: usize = 5;
/// Largest range of the rounds, relative to their mean.
const LARGEST_RANGE: f64 = 0.20;
/// Largest excursion of the fitted line over the window, relative to the mean.
const LARGEST_EXCURSION: f64 = 0.10;

/// The two figures by which the Performance Test Specification of SNIA judges five rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SniaWindow {
    /// Largest minus smallest round, relative to the mean.
    pub range: f64,
    /// Rise of the least-squares line from the first to the last round, relative to the mean.
    pub excursion: f64,
}

impl SniaWindow {
    /// Whether both are within what SNIA tolerates: 20 % and 10 %.
    pub fn is_steady(&self) -> bool {
        self.range <= LARGEST_RANGE && self.excursion.abs() <= LARGEST_EXCURSION
    }
}

/// Cuts a series into five equal pieces and measures them. `None` for fewer than five values, or without a rate.
pub fn snia(series: &[f64]) -> Option<SniaWindow> {
    let rounds = batches(series, ROUNDS);
    let centre = mean(&rounds);
    let sorted = sorted(&rounds);
    let (smallest, largest) = (sorted.first()?, sorted.last()?);
    (centre > 0.0).then(|| SniaWindow {
        range: (largest - smallest) / centre,
        excursion: line(&rounds).0 * count(ROUNDS - 1) / centre,
    })
}
