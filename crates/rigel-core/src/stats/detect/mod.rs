//! Detectors: evidence against taking a number at its face value, each a test with a threshold and its figures.
//!
//! Each looks at series of means, at visits, at a histogram or at what was read, and returns its figures when it fires.
//! What is done about it, and in which words it is said, is for others. Must not change a number.

pub mod bimodal;
pub mod cache;
pub mod drift;
pub mod latency_modes;
pub mod levels;
pub mod shift;
pub mod sizes;
pub mod slow_noise;
pub mod slow_start;
pub mod soak;
pub mod stalls;
pub mod steady;
pub mod waits;
pub mod zeros;

use super::sample::{mean, median};
use std::collections::BTreeMap;

/// One visit of a calibration, for detectors to which order and time matter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimedVisit {
    /// Where, by the caller's numbers.
    pub point: usize,
    /// When it began.
    pub began_ns: u64,
    /// Its mean rate.
    pub mean: f64,
}

/// The visits without those to points that have no rate, in order of time, with their deviations from the mean of
/// their point, relative.
fn residuals(visits: &[TimedVisit]) -> Vec<(TimedVisit, f64)> {
    let mut means: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    visits.iter().for_each(|visit| means.entry(visit.point).or_default().push(visit.mean));
    let means: BTreeMap<usize, f64> = means.into_iter().map(|(point, all)| (point, mean(&all))).collect();
    let judged = visits.iter().filter(|visit| means[&visit.point] > 0.0);
    let mut judged: Vec<_> = judged.map(|&visit| (visit, visit.mean / means[&visit.point] - 1.0)).collect();
    judged.sort_by_key(|(visit, _)| visit.began_ns);
    judged
}

/// Median size of the steps from one value to the next, relative to the mean: how noisy a series is, whatever its
/// trend.
fn roughness(series: &[f64]) -> f64 {
    let steps: Vec<f64> = series.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
    let centre = mean(series);
    if centre > 0.0 { median(&steps) / centre } else { 0.0 }
}

#[cfg(test)]
mod tests;
