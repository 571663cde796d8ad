//! Whether visits that lie a rest apart are still alike: noise with a longer memory than the rests makes intervals too
//! narrow, and nothing inside a point's own visits can show it.
//!
//! Visits to different points are compared: they share the device's noise and nothing else.

use super::{TimedVisit, residuals};
use crate::stats::sample::{correlation, count, ranks};
use crate::stats::special::student_t_tail;
use std::ops::Range;

/// Rank correlation one rest apart that is too much.
const AT_GAP: f64 = 0.2;
/// Rank correlation of neighbours that is too much. Noise with a memory of half a minute has 0.8; taking the mean of
/// each point off its few visits takes a part of that away.
const ADJACENT: f64 = 0.6;
/// Such a correlation may come about by chance so often.
const SIGNIFICANCE: f64 = 0.05;
/// Fewer pairs say nothing.
const LEAST_PAIRS: usize = 10;

/// Spearman's rank correlation of pairs of visits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankCorrelation {
    /// The correlation, -1 to 1.
    pub rho: f64,
    /// How often so large a correlation, either way, comes about by chance.
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
#[must_use]
pub fn slow_noise(visits: &[TimedVisit], gap_ns: u64) -> Option<SlowNoise> {
    let visits = residuals(visits);
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
#[must_use]
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
