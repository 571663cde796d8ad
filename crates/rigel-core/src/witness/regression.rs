//! Whether the load of others changed the results: a regression of each visit's deviation from the mean of its
//! point on the CPU time of others.
//!
//! Must not correct a result by it, because a correlation is not a cause.

use crate::stats::sample::{correlation, count, mean};
use crate::stats::special::student_t_tail;
use std::collections::BTreeMap;

/// With fewer degrees of freedom a correlation says nothing.
const LEAST_DF: usize = 8;

/// A visit and what was seen during it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WitnessedVisit {
    /// Its point, by the caller's numbers.
    pub point: usize,
    /// Mean CPU time of other programs ([`super::foreign_cores`]).
    pub foreign_cores: f64,
    /// Deviation of its rate from the mean of its point, relative to that mean.
    pub residual: f64,
}

/// A regression line of residuals on foreign CPU time, with its significance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResidualCorrelation {
    /// Relative change of the rate per core that other programs use; -0.1 if each costs 10 %.
    pub per_core: f64,
    /// The range of that CPU time within points: the line is valid over this many cores.
    pub range_cores: f64,
    /// Pearson's correlation, -1 to 1. Its square is the part of the variance between visits that the line explains.
    pub r: f64,
    /// How often chance causes so large a correlation, of either sign.
    pub p: f64,
    /// Number of visits.
    pub visits: usize,
}

/// Least squares within points. The mean of the point is subtracted from both figures, because a point with more
/// I/O also causes more work of the kernel. Each mean takes a degree of freedom, so Student's t has
/// `visits - points - 1` of them. `None` if they are fewer than 8, or one of the two figures does not vary.
pub fn residual_correlation(visits: &[WitnessedVisit]) -> Option<ResidualCorrelation> {
    let mut points: BTreeMap<usize, Vec<&WitnessedVisit>> = BTreeMap::new();
    visits.iter().for_each(|visit| points.entry(visit.point).or_default().push(visit));
    // A single visit to a point has nothing to be compared with.
    points.retain(|_, visits| visits.len() > 1);
    let foreign = centred(&points, |visit| visit.foreign_cores);
    let residuals = centred(&points, |visit| visit.residual);
    let df = foreign.len().checked_sub(points.len() + 1).filter(|&df| df >= LEAST_DF)?;
    let squares = |values: &[f64]| values.iter().map(|value| value * value).sum::<f64>();
    let (of_foreign, of_residuals) = (squares(&foreign), squares(&residuals));
    if !(of_foreign > 0.0 && of_residuals > 0.0) {
        return None;
    }
    let r = correlation(&foreign, &residuals);
    let t = r.abs() * (count(df) / (1.0 - r * r).max(0.0)).sqrt();
    let per_core = r * (of_residuals / of_foreign).sqrt();
    let ends =
        foreign.iter().fold((0.0, 0.0), |(least, most): (f64, f64), &one| (least.min(one), most.max(one)));
    let p = 2.0 * student_t_tail(t, count(df));
    Some(ResidualCorrelation { per_core, range_cores: ends.1 - ends.0, r, p, visits: foreign.len() })
}

/// A figure of every visit minus its point's mean, points in order.
fn centred(points: &BTreeMap<usize, Vec<&WitnessedVisit>>, figure: fn(&WitnessedVisit) -> f64) -> Vec<f64> {
    let mut centred = Vec::new();
    for visits in points.values() {
        let values: Vec<f64> = visits.iter().map(|visit| figure(visit)).collect();
        let centre = mean(&values);
        centred.extend(values.iter().map(|value| value - centre));
    }
    centred
}
