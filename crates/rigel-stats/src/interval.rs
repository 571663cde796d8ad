//! From the visits of a point to a mean with its 95 % interval.
//!
//! The interval is about the mean over the conditions of this run, not about other places or times. Must not decide
//! whether it is narrow enough.

use super::sample::{count, mean, variance};
use super::special::student_t_quantile;
use super::variance::Spread;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A mean and its 95 % interval, in the unit of the visits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    /// Arithmetic mean of the visits; for quantiles of latencies that of all visits merged.
    pub mean: f64,
    /// Lower end; never negative.
    pub lo95: f64,
    /// Upper end.
    pub hi95: f64,
    /// Half the width over the mean: 0.05 is ±5 %. For quantiles `hi95 / mean - 1`, the longer side.
    pub relative_half_width: f64,
    /// How many visits; of several runs how many runs.
    pub visits: usize,
    /// Degrees of freedom of Student's t behind the width.
    pub df: f64,
}

impl Interval {
    /// The interval of a mean of visits: `mean (1 +- t(0.975, df) sqrt(V / visits))`. `None` when the visits allow
    /// none: no visits, no rate, or a single visit with nothing to borrow from.
    pub fn of_mean(means: &[f64], spread: &Spread) -> Option<Self> {
        let centre = mean(means);
        let half = half_width(means.len(), spread.relative_variance, spread.degrees_of_freedom)?;
        Self::symmetric(centre, half, means.len(), spread.degrees_of_freedom)
    }

    /// The interval of a mean of visits that have nothing but themselves to go by.
    pub fn of_alike(means: &[f64]) -> Option<Self> {
        let centre = mean(means);
        let df = count(means.len().saturating_sub(1));
        let half = half_width(means.len(), variance(means) / centre.powi(2), df)?;
        Self::symmetric(centre, half, means.len(), df)
    }

    /// An interval of `half` times the mean to either side; `None` without a mean or a width.
    pub fn symmetric(mean: f64, half: f64, visits: usize, df: f64) -> Option<Self> {
        (mean > 0.0 && half.is_finite()).then(|| Self {
            mean,
            lo95: (mean * (1.0 - half)).max(0.0),
            hi95: mean * (1.0 + half),
            relative_half_width: half,
            visits,
            df,
        })
    }

    /// An interval of logarithms, as with a geometric mean: `half` to either side of `log_mean`.
    pub fn geometric(log_mean: f64, half: f64, visits: usize, df: f64) -> Self {
        Self {
            mean: log_mean.exp(),
            lo95: (log_mean - half).exp(),
            hi95: (log_mean + half).exp(),
            relative_half_width: half.exp_m1(),
            visits,
            df,
        }
    }

    /// The standard error behind the width, in the unit of the mean. Not of a quantile's interval, which is one of logarithms.
    pub fn standard_error(&self) -> f64 {
        self.mean * self.relative_half_width / student_t_quantile(0.975, self.df)
    }

    /// The same interval in another unit, which is `factor` of this one.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        Self { mean: self.mean * factor, lo95: self.lo95 * factor, hi95: self.hi95 * factor, ..self }
    }

    /// Whether no value lies in both.
    pub fn is_apart_from(&self, other: &Self) -> bool {
        self.hi95 < other.lo95 || other.hi95 < self.lo95
    }
}

/// `t(0.975, df) sqrt(variance / visits)`; `None` when there is no degree of freedom.
pub(super) fn half_width(visits: usize, variance: f64, df: f64) -> Option<f64> {
    let known = visits > 0 && df > 0.0 && variance.is_finite();
    known.then(|| student_t_quantile(0.975, df) * (variance / count(visits)).sqrt())
}

/// The largest share of time of a state of the device that `visits` visits may all have missed, at 95 % confidence:
/// `1 - 0.05^(1 / visits)`. Rarer states cannot be excluded.
pub fn unseen_share(visits: usize) -> f64 {
    if visits == 0 { 1.0 } else { -(0.05f64.ln() / count(visits)).exp_m1() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PointVisits;
    use crate::tests::{Noise, intervals};

    fn point(means: &[f64]) -> PointVisits {
        PointVisits { means: means.to_vec(), within_se: Vec::new() }
    }

    #[test]
    fn three_visits_by_hand() {
        // Mean 3, variance 7, t(0.975, 2) = 4.3027: 4.3027 sqrt(7/3) = 6.5725.
        let found = intervals(&[point(&[1.0, 2.0, 6.0])], 10.0)[0].unwrap();
        assert!((found.mean - 3.0).abs() < 1e-12 && (found.hi95 - 9.5724).abs() < 1e-3, "{found:?}");
        assert!((found.relative_half_width - 6.5724 / 3.0).abs() < 1e-3);
        assert_eq!((found.lo95, found.visits, found.df), (0.0, 3, 2.0), "a rate is never negative");
    }

    #[test]
    fn where_nothing_is_known_there_is_no_interval() {
        assert_eq!(intervals(&[point(&[]), point(&[5.0]), point(&[0.0, 0.0])], 0.05), [None; 3]);
    }

    /// Own variance of six visits, as for a phase of few points.
    #[test]
    fn few_points_are_covered() {
        let mut noise = Noise::new(8);
        let mut covered = 0;
        for _ in 0..1000 {
            let visits: Vec<f64> = (0..6).map(|_| 100.0 + 3.0 * noise.normal()).collect();
            let found = intervals(&[point(&visits)], 0.05)[0].unwrap();
            covered += usize::from(found.lo95 <= 100.0 && 100.0 <= found.hi95);
        }
        assert!((930..=975).contains(&covered), "{covered} of 1000");
    }

    /// The width that is reported is that of the longer side.
    #[test]
    fn an_interval_of_logarithms_is_as_wide_as_it_says() {
        for half in [0.01, 0.3, 1.0] {
            let found = Interval::geometric(200f64.ln(), half, 6, 5.0);
            assert!((found.hi95 / found.mean - 1.0 - found.relative_half_width).abs() < 1e-12, "{found:?}");
            assert!((found.mean / found.lo95 - 1.0 - found.relative_half_width).abs() < 1e-12, "{found:?}");
            assert!((found.mean - 200.0).abs() < 1e-9, "{found:?}");
        }
    }

    #[test]
    fn apart_means_no_common_value() {
        let wide =
            |lo95, hi95| Interval { mean: 1.0, lo95, hi95, relative_half_width: 0.1, visits: 4, df: 3.0 };
        assert!(
            wide(1.0, 2.0).is_apart_from(&wide(2.1, 3.0)) && wide(2.1, 3.0).is_apart_from(&wide(1.0, 2.0))
        );
        assert!(
            !wide(1.0, 2.0).is_apart_from(&wide(2.0, 3.0)) && !wide(1.0, 3.0).is_apart_from(&wide(1.5, 2.0))
        );
    }

    #[test]
    fn what_no_visit_saw() {
        assert!((unseen_share(4) - 0.5271).abs() < 1e-4);
        assert!((unseen_share(72) - 0.0408).abs() < 1e-3);
        assert_eq!(unseen_share(0), 1.0);
    }
}
