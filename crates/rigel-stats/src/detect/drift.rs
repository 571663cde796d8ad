//! A drift of the device over the run: a slope over time that all points have in common.

use super::{TimedVisit, residuals};
use crate::batch_means::inflation;
use crate::sample::{count, mean};
use crate::special::student_t_tail;
use crate::units::{NS_PER_S, to_f64};
use std::collections::BTreeMap;

const SIGNIFICANCE: f64 = 0.01;

/// A steady change over the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunDrift {
    /// Relative change per minute.
    pub per_minute: f64,
    /// Relative change from the first visit to the last.
    pub total: f64,
    /// Student's t of the slope.
    pub t: f64,
    /// Probability of so steep a slope by chance.
    pub p: f64,
}

/// Fits one mean per point (and length of visit, where there are several) and a common slope over time by least
/// squares: the two-way analysis of variance, point and round, with only the linear part of the rounds. Fires when the
/// slope is significant (1 %) and the total change exceeds half the target.
///
/// All visits share the noise of the device, so neighbours correlate, and a plain test would take any slow wave for
/// a drift. As for batch means, the correlation r of neighbours raises the variance by `(1 + r) / (1 - r)`.
pub fn drift(visits: &[TimedVisit], target: f64) -> Option<RunDrift> {
    let residuals = residuals(visits, mean);
    let (times, means) = centred_minutes(&residuals);
    let df = count(times.len()) - count(means) - 1.0;
    let squares: f64 = times.iter().map(|x| x * x).sum();
    if df < 1.0 || squares <= 0.0 {
        return None;
    }
    let rates = residuals.iter().map(|(_, rate)| rate);
    let per_minute = times.iter().zip(rates.clone()).map(|(x, y)| x * y).sum::<f64>() / squares;
    let left: Vec<f64> = times.iter().zip(rates).map(|(x, y)| y - per_minute * x).collect();
    let square: f64 = left.iter().map(|e| e * e).sum();
    // As many means as there are points are fitted; how much that takes off the correlation is not known.
    let inflation = inflation(&left, 0.0);
    let t = per_minute / (square * inflation / df / squares).sqrt();
    let span = minutes(residuals.last()?.0.began_ns - residuals.first()?.0.began_ns);
    let p = 2.0 * student_t_tail(t.abs(), (df / inflation).max(1.0));
    let found = RunDrift { per_minute, total: per_minute * span, t, p };
    (found.p < SIGNIFICANCE && found.total.abs() > target / 2.0).then_some(found)
}

/// The time of each visit relative to the mean time of its point and length, as its rate is to their mean rate, so
/// these means need not be fitted; and the number of means.
fn centred_minutes(visits: &[(TimedVisit, f64)]) -> (Vec<f64>, usize) {
    let mut times: BTreeMap<(usize, usize), Vec<f64>> = BTreeMap::new();
    for (visit, _) in visits {
        times.entry(visit.alike()).or_default().push(minutes(visit.began_ns));
    }
    let centres: BTreeMap<(usize, usize), f64> =
        times.iter().map(|(&alike, times)| (alike, mean(times))).collect();
    let centred = visits.iter().map(|(visit, _)| minutes(visit.began_ns) - centres[&visit.alike()]);
    (centred.collect(), centres.len())
}

fn minutes(ns: u64) -> f64 {
    to_f64(ns) / to_f64(60 * NS_PER_S)
}
