//! The variance of visits to one point, moderated by the other points of the phase.
//!
//! Four visits give a poor estimate of their variance, and one that is small by chance would stop a point too
//! early. So (a) the variance of each point is shrunk towards a common prior, (b) rare outliers at any point add a
//! variance to all points, and (c) no interval is narrower than the errors inside the visits allow. (b) and (c) can
//! only widen an interval. Must not tell rates from latencies: everything is relative to the point's mean.

use super::sample::{MEDIAN_TO_SIGMA, count, mean, median, sum_of_squares, variance};
use super::special::{digamma, inverse_trigamma, trigamma};

/// With fewer points there is no prior: each point has its own variance.
pub const FEWEST_TO_BORROW: usize = 4;
/// The prior never counts for more degrees of freedom.
const MOST_PRIOR_DEGREES: f64 = 40.0;
/// Least variance, so visits that agree exactly (a simulated device) have a logarithm.
pub const SMALLEST_VARIANCE: f64 = 1e-12;
/// An outlying visit is this many robust standard deviations from the median of its point.
const OUTLYING: f64 = 5.0;
/// The same, relative, where there is no noise to hold a visit against.
const FAR: f64 = 0.2;
/// One outlying visit may be an accident.
const FEWEST_OUTLYING: usize = 2;
/// Degrees of freedom that the contamination term leaves at least.
const FEWEST_DEGREES: f64 = 3.0;

/// All visits to one point, for one class.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PointVisits {
    /// Mean of each visit.
    pub means: Vec<f64>,
    /// Standard error of each mean, estimated inside the visit, in the unit of the means; see
    /// `batch_means::within`. Visits that are too short for it may be missing.
    pub within_se: Vec<f64>,
}

/// How much visits to a point vary.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Variance of one visit, relative to the squared mean.
    pub relative_variance: f64,
    /// Degrees of freedom of that variance; 0 when nothing is known.
    pub degrees_of_freedom: f64,
    /// Rare outlying visits, anywhere in the phase.
    pub contamination: Option<Contamination>,
}

/// Rare visits that are far from the median of their point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contamination {
    /// How many.
    pub outlying: usize,
    /// Of how many.
    pub visits: usize,
    /// Their share in the long run: `(outlying + 1) / (visits + 2)`, Laplace's rule.
    pub share: f64,
    /// Mean of their squared relative deviations.
    pub mean_square: f64,
    /// Mean of their relative deviations: -0.3 for a neighbour that takes 30 %.
    pub mean_deviation: f64,
}

impl Contamination {
    /// Variance that a visit has from being outlying or not: `share (1 - share) mean_square`.
    pub fn variance(&self) -> f64 {
        self.share * (1.0 - self.share) * self.mean_square
    }
}

/// What many variances have in common: a scaled inverse chi-square distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VariancePrior {
    /// Its scale: the variance that a typical point has.
    pub variance: f64,
    /// How many degrees of freedom it is worth; many when the points agree.
    pub degrees_of_freedom: f64,
}

impl VariancePrior {
    /// Fits the prior to sample variances by the moments of their logarithms (Smyth 2004, section 6.2). `None` for
    /// fewer than [`FEWEST_TO_BORROW`] variances with at least one degree of freedom.
    pub fn fit(samples: &[(f64, f64)]) -> Option<Self> {
        let known: Vec<(f64, f64)> = samples.iter().copied().filter(|&(s2, df)| knows(s2, df)).collect();
        if known.len() < FEWEST_TO_BORROW {
            return None;
        }
        let centred = |&(s2, df): &(f64, f64)| s2.ln() - digamma(df / 2.0) + (df / 2.0).ln();
        let logs: Vec<f64> = known.iter().map(centred).collect();
        let sampling: Vec<f64> = known.iter().map(|&(_, df)| trigamma(df / 2.0)).collect();
        // What the logarithms vary beyond the sampling of each; nothing when all points have one variance.
        let excess = variance(&logs) - mean(&sampling);
        let fitted = if excess > 0.0 { 2.0 * inverse_trigamma(excess) } else { f64::INFINITY };
        let degrees_of_freedom = fitted.min(MOST_PRIOR_DEGREES);
        let half = degrees_of_freedom / 2.0;
        Some(Self { variance: (mean(&logs) + digamma(half) - half.ln()).exp(), degrees_of_freedom })
    }
}

fn knows(s2: f64, df: f64) -> bool {
    df >= 1.0 && s2.is_finite() && s2 > 0.0
}

/// Moderated variances with their degrees of freedom, of pairs (sample variance, degrees of freedom): the posterior
/// mean `(d0 s0 + d s2) / (d0 + d)` on `d0 + d` degrees of freedom. Without a prior, what came in.
pub fn moderate(samples: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let floored: Vec<_> = samples.iter().map(|&(s2, df)| (s2.max(SMALLEST_VARIANCE), df)).collect();
    let Some(prior) = VariancePrior::fit(&floored) else {
        return floored;
    };
    let VariancePrior { variance: s0, degrees_of_freedom: d0 } = prior;
    let posterior = |&(s2, df): &(f64, f64)| {
        let (s2, df) = if knows(s2, df) { (s2, df) } else { (0.0, 0.0) };
        ((d0 * s0 + df * s2) / (d0 + df), d0 + df)
    };
    floored.iter().map(posterior).collect()
}

/// The spread of every point of a phase, in the order of `points`. `target` is the relative half-width that the
/// run aims at; deviations below half of it are never contamination.
pub fn spread(points: &[PointVisits], target: f64) -> Vec<Spread> {
    let samples: Vec<(f64, f64)> = points.iter().map(PointVisits::sample).collect();
    let contamination = contamination(points, target);
    let widen = |(point, (moderated, df)): (&PointVisits, (f64, f64))| {
        let mut relative_variance = f64::max(moderated, point.guard());
        let mut degrees_of_freedom = df;
        if let Some(rare) = contamination {
            relative_variance = relative_variance.max(rare.variance());
            degrees_of_freedom = df.min(count(rare.outlying).max(FEWEST_DEGREES));
        }
        Spread { relative_variance, degrees_of_freedom, contamination }
    };
    points.iter().zip(moderate(&samples)).map(widen).collect()
}

impl PointVisits {
    /// Relative sample variance and its degrees of freedom; (0, 0) for fewer than two visits or no rate at all.
    fn sample(&self) -> (f64, f64) {
        let centre = mean(&self.means);
        if self.means.len() < 2 || centre <= 0.0 {
            return (0.0, 0.0);
        }
        let df = count(self.means.len() - 1);
        (sum_of_squares(&self.means) / df / (centre * centre), df)
    }

    /// Relative variance inside the visits, on average.
    fn guard(&self) -> f64 {
        let centre = mean(&self.means);
        let squares: Vec<f64> = self.within_se.iter().map(|se| (se / centre).powi(2)).collect();
        if centre > 0.0 { mean(&squares) } else { 0.0 }
    }

    /// Relative standard error of a visit's mean, estimated inside the visit: the root mean square over the visits
    /// that are long enough for an estimate.
    pub fn relative_within(&self) -> Option<f64> {
        (!self.within_se.is_empty() && mean(&self.means) > 0.0).then(|| self.guard().sqrt())
    }

    /// How much the visits differ: the standard deviation of their means, relative. `None` for fewer than two visits.
    pub fn relative_between(&self) -> Option<f64> {
        let centre = mean(&self.means);
        (self.means.len() > 1 && centre > 0.0).then(|| variance(&self.means).sqrt() / centre)
    }

    fn residuals(&self) -> Vec<f64> {
        let middle = median(&self.means);
        if middle > 0.0 { self.means.iter().map(|mean| mean / middle - 1.0).collect() } else { Vec::new() }
    }
}

/// A robust standard deviation of the visits of all points, relative: 1.4826 times the median size of the deviations
/// from each point's median that are not 0 (an odd number of visits always has one that is). 0 when none differs.
pub fn core_scale(points: &[PointVisits]) -> f64 {
    let sizes = points.iter().flat_map(PointVisits::residuals).map(f64::abs);
    MEDIAN_TO_SIGMA * median(&sizes.filter(|&size| size > 0.0).collect::<Vec<_>>())
}

/// Looks for rare outlying visits in a whole phase; `None` when there are fewer than two.
pub fn contamination(points: &[PointVisits], target: f64) -> Option<Contamination> {
    let outlying: Vec<f64> = outlying(points, target).into_iter().flatten().collect();
    let visits = points.iter().map(|point| point.residuals().len()).sum();
    if outlying.len() < FEWEST_OUTLYING {
        return None;
    }
    let squares: Vec<f64> = outlying.iter().map(|residual| residual * residual).collect();
    Some(Contamination {
        outlying: outlying.len(),
        visits,
        share: (count(outlying.len()) + 1.0) / (count(visits) + 2.0),
        mean_square: mean(&squares),
        mean_deviation: mean(&outlying),
    })
}

/// How far from the median of its point a visit lies that is outlying, relative: more than five robust standard deviations of the whole
/// phase, or a fifth where nearly all visits are alike, and more than half the target.
pub fn outlying_limit(points: &[PointVisits], target: f64) -> f64 {
    let far = if are_mostly_equal(points) { FAR } else { OUTLYING * core_scale(points) };
    far.max(target / 2.0)
}

/// Whether most visits are exactly as fast as the middle of their point, which only simulated devices are: those that are not say nothing of
/// the noise.
fn are_mostly_equal(points: &[PointVisits]) -> bool {
    let several = points.iter().filter(|point| point.means.len() > 1);
    let sizes: Vec<f64> = several.flat_map(PointVisits::residuals).collect();
    let unequal = sizes.iter().filter(|size| **size != 0.0).count();
    2 * unequal < sizes.len()
}

/// For every point of a phase how far its outlying visits ([`outlying_limit`]) are from its median, relative.
pub fn outlying(points: &[PointVisits], target: f64) -> Vec<Vec<f64>> {
    let limit = outlying_limit(points, target);
    let far = |point: &PointVisits| point.residuals().into_iter().filter(|size| size.abs() > limit).collect();
    points.iter().map(far).collect()
}

#[cfg(test)]
mod tests;
