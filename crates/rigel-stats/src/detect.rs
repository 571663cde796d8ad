//! Detectors: tests for evidence against a number. Each has a threshold and returns its figures when it fires.
//!
//! The input is a series of means, visits, a histogram or a sample of the data that was read. The findings decide
//! what follows from it and word it. Must not change a number.

pub mod bimodal;
pub mod cache;
pub mod course;
pub mod drift;
pub mod latency_modes;
pub mod levels;
pub mod long_visit;
pub mod overload;
pub mod rare;
pub mod shift;
pub mod sizes;
pub mod slow_noise;
pub mod slow_start;
pub mod stalls;
pub mod standstill;
pub mod steady;
pub mod waits;

use super::batch_means::inflation;
use super::sample::{count, mean, median, sum_of_squares};
use std::collections::BTreeMap;

/// One visit of an adaptive run, for detectors to which order and time matter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimedVisit {
    /// Where, by the caller's numbers.
    pub point: usize,
    /// When it began.
    pub began_ns: u64,
    /// Which of several lengths it has. Visits of one length are compared: where each begins slowly, longer ones have a
    /// higher mean.
    pub length: usize,
    /// Its mean rate.
    pub mean: f64,
}

impl TimedVisit {
    const fn alike(&self) -> (usize, usize) {
        (self.point, self.length)
    }
}

/// The visits in order of time, each with its relative deviation from the centre (mean, median) of its point and length. Left out:
/// visits to points without a rate, and a visit that is the only one of its length to its point.
fn residuals(visits: &[TimedVisit], centre: fn(&[f64]) -> f64) -> Vec<(TimedVisit, f64)> {
    let mut rates: BTreeMap<(usize, usize), Vec<f64>> = BTreeMap::new();
    visits.iter().for_each(|visit| rates.entry(visit.alike()).or_default().push(visit.mean));
    let comparable = rates.into_iter().filter(|(_, rates)| rates.len() > 1);
    let centres: BTreeMap<(usize, usize), f64> = comparable
        .map(|(alike, rates)| (alike, centre(&rates)))
        .filter(|&(_, centre)| centre > 0.0)
        .collect();
    let residual = |&visit: &TimedVisit| Some((visit, visit.mean / centres.get(&visit.alike())? - 1.0));
    let mut judged: Vec<_> = visits.iter().filter_map(residual).collect();
    judged.sort_by_key(|(visit, _)| visit.began_ns);
    judged
}

/// Variance of the noise, estimated from the residuals `left` after fitting two parameters (two levels, or a level
/// and a slope). It is raised for autocorrelation, so it is right for the error of a mean or a slope.
fn noise(left: &[f64]) -> f64 {
    // Two parameters, and the place of the step, are fitted to the noise.
    const FITTED: f64 = 3.0;
    sum_of_squares(left) / (count(left.len()) - 2.0) * inflation(left, FITTED)
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
