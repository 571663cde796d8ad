//! Correlation of visits that are one rest apart. If the noise outlasts the rests, intervals are too narrow, and
//! the visits to one point alone cannot show it.
//!
//! The test compares visits to different points: they have only the device's noise in common.

use super::{TimedVisit, residuals};
use crate::sample::{correlation, count, mean, ranks};
use crate::special::student_t_tail;
use std::ops::Range;

/// Largest rank correlation of visits one rest apart.
const AT_GAP: f64 = 0.2;
/// Largest rank correlation of neighbours. Noise with a correlation time of half a minute has 0.8. Subtracting the
/// mean of each point's few visits removes a part of that.
const ADJACENT: f64 = 0.6;
/// Probability of such a correlation by chance.
const SIGNIFICANCE: f64 = 0.05;
const LEAST_PAIRS: usize = 10;

/// Spearman's rank correlation of pairs of visits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankCorrelation {
    /// The correlation, -1 to 1.
    pub rho: f64,
    /// How often so large a correlation, either way, arises by chance.
    pub p: f64,
    /// How many pairs.
    pub pairs: usize,
}

/// Visits that are alike though they are apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlowNoise {
    /// Of visits one rest apart.
    pub at_gap: Option<RankCorrelation>,
    /// Of visits that follow one another.
    pub adjacent: Option<RankCorrelation>,
}

/// Looks for noise that outlasts a rest of `gap_ns`: visits one rest apart with a correlation above 0.2, or
/// neighbours with one above 0.6, either significant at 5 %.
pub fn slow_noise(visits: &[TimedVisit], gap_ns: u64) -> Option<SlowNoise> {
    let visits = residuals(visits, mean);
    let at_gap = pairs(&visits, gap_ns..gap_ns.saturating_add(gap_ns / 2));
    // A pause between neighbours makes them no neighbours.
    let adjacent = pairs(&visits, 0..gap_ns / 2);
    let found = SlowNoise { at_gap: spearman(&at_gap), adjacent: spearman(&adjacent) };
    let above = |found: Option<RankCorrelation>, limit| {
        found.is_some_and(|found| found.rho > limit && found.p < SIGNIFICANCE)
    };
    (above(found.at_gap, AT_GAP) || above(found.adjacent, ADJACENT)).then_some(found)
}

/// Each visit with the first later one so far apart, if that was to another point. Visits are in order of time.
fn pairs(visits: &[(TimedVisit, f64)], apart_ns: Range<u64>) -> Vec<(f64, f64)> {
    let partner = |(index, (visit, residual)): (usize, &(TimedVisit, f64))| {
        let later = &visits[index + 1..];
        let apart = |other: &TimedVisit| other.began_ns - visit.began_ns;
        let first = later.partition_point(|(other, _)| apart(other) < apart_ns.start);
        let (other, partner) = later.get(first).filter(|(other, _)| apart(other) < apart_ns.end)?;
        (other.point != visit.point).then_some((*residual, *partner))
    };
    visits.iter().enumerate().filter_map(partner).collect()
}

/// Spearman's rank correlation with the usual approximation of its distribution by Student's t; `None` for fewer than
/// ten pairs.
pub fn spearman(pairs: &[(f64, f64)]) -> Option<RankCorrelation> {
    if pairs.len() < LEAST_PAIRS {
        return None;
    }
    let (a, b): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    let rho = correlation(&ranks(&a), &ranks(&b));
    let df = count(pairs.len()) - 2.0;
    let t = rho.abs() * (df / (1.0 - rho * rho).max(0.0)).sqrt();
    Some(RankCorrelation { rho, p: 2.0 * student_t_tail(t, df), pairs: pairs.len() })
}
