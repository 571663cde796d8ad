//! How long an adaptive run takes: a range of time, and how many visits a point needs for its interval.
//!
//! A forecast is for waiting people. Must not decide anything: what a run does never depends on it.

use super::interval::Interval;
use super::parameters::Parameters;
use super::special::{normal_quantile, student_t_quantile};
use super::variance::Spread;
use serde::{Deserialize, Serialize};

/// How certain each end of a forecast is.
const CONFIDENCE: f64 = 0.95;

/// A time that is known as a range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeRange {
    /// If all goes well.
    pub least_ns: u64,
    /// If much casts doubt on it.
    pub most_ns: u64,
}

impl TimeRange {
    /// A time that is known.
    pub const fn exactly(ns: u64) -> Self {
        Self { least_ns: ns, most_ns: ns }
    }

    /// What is left of it after `ns`.
    #[must_use]
    pub const fn after(self, ns: u64) -> Self {
        Self { least_ns: self.least_ns.saturating_sub(ns), most_ns: self.most_ns.saturating_sub(ns) }
    }

    /// So much more.
    #[must_use]
    pub const fn plus(self, ns: u64) -> Self {
        Self { least_ns: self.least_ns.saturating_add(ns), most_ns: self.most_ns.saturating_add(ns) }
    }

    /// From the least of the one to the most of the other.
    #[must_use]
    pub const fn up_to(self, other: Self) -> Self {
        Self { least_ns: self.least_ns, most_ns: other.most_ns }
    }

    /// Between the two ends.
    pub const fn width_ns(self) -> u64 {
        self.most_ns.saturating_sub(self.least_ns)
    }

    /// What two forecasts of one end have in common. An end that was told moves inwards only, so it does not go up
    /// and down with the noise; unless the middle of the newer forecast, which knows more, is beyond it.
    #[must_use]
    pub fn narrowed(self, newer: Self) -> Self {
        let least_ns = self.least_ns.max(newer.least_ns);
        let most_ns = self.most_ns.min(newer.most_ns);
        let middle = newer.least_ns.midpoint(newer.most_ns);
        if (least_ns..=most_ns).contains(&middle) { Self { least_ns, most_ns } } else { newer }
    }
}

/// The visits that a point has when it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisitsNeeded {
    /// If its visits vary less than it seems.
    pub least: u32,
    /// If they vary more than it seems.
    pub most: u32,
}

impl VisitsNeeded {
    /// Every number that the plan allows.
    pub const fn any(parameters: &Parameters) -> Self {
        Self { least: 0, most: parameters.most_visits }
    }

    /// Enough for both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { least: self.least.max(other.least), most: self.most.max(other.most) }
    }

    /// The interval is narrow enough when `t sqrt(V / n)` is `target`, so `n = V (t / target)^2`. The variance `V` lies
    /// between its sum of squares over the quantiles of chi-square.
    pub fn of(spread: &Spread, interval: Option<&Interval>, parameters: &Parameters) -> Self {
        let (variance, df) = (spread.relative_variance, spread.degrees_of_freedom);
        if interval.is_none() || df <= 0.0 || !variance.is_finite() {
            return Self::any(parameters);
        }
        let visits = |share: f64, t: f64| {
            let variance = variance / chi_square_share(share, df);
            let wanted = variance * (t / parameters.target).powi(2);
            let mut visits = 0_u32;
            while f64::from(visits) < wanted && visits < parameters.most_visits {
                visits += 1;
            }
            visits
        };
        let t_at_best = normal_quantile(0.5 + CONFIDENCE / 2.0);
        let t_now = student_t_quantile(0.5 + CONFIDENCE / 2.0, df);
        Self { least: visits(CONFIDENCE, t_at_best), most: visits(1.0 - CONFIDENCE, t_now) }
    }
}

/// The quantile of chi-square over its degrees of freedom, which is 1 on average (Wilson, Hilferty 1931).
fn chi_square_share(p: f64, df: f64) -> f64 {
    let step = 2.0 / (9.0 * df);
    (1.0 - step + normal_quantile(p) * step.sqrt()).max(0.0).powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chi_square_as_in_the_tables() {
        for (p, df, wanted) in
            [(0.95, 3.0, 7.815), (0.05, 3.0, 0.352), (0.95, 20.0, 31.41), (0.05, 20.0, 10.85)]
        {
            let found = chi_square_share(p, df) * df;
            assert!((found / wanted - 1.0).abs() < 0.07, "{p} {df}: {found} for {wanted}");
        }
        assert!(chi_square_share(0.05, 1.0) < 0.01, "one degree of freedom says nothing");
    }

    #[test]
    fn visits_follow_from_the_spread() {
        let parameters = Parameters::default();
        let needed = |sd: f64, df: f64| {
            let spread = Spread { relative_variance: sd * sd, degrees_of_freedom: df, contamination: None };
            let interval = Interval::symmetric(100.0, sd, 4, df);
            VisitsNeeded::of(&spread, interval.as_ref(), &parameters)
        };
        assert_eq!(needed(0.01, 40.0), VisitsNeeded { least: 1, most: 1 });
        // (2.02 x 0.07 / 0.05)^2 = 8.0 with a known variance.
        let VisitsNeeded { least, most } = needed(0.07, 40.0);
        assert!((5..8).contains(&least) && (9..=12).contains(&most), "{least} {most}");
        assert_eq!(needed(0.3, 40.0), VisitsNeeded { least: 12, most: 12 });
        assert_eq!(needed(0.03, 1.0).most, 12, "two visits say little");
        let spread = Spread { relative_variance: f64::NAN, degrees_of_freedom: 0.0, contamination: None };
        assert_eq!(VisitsNeeded::of(&spread, None, &parameters), VisitsNeeded { least: 0, most: 12 });
    }

    #[test]
    fn what_was_told_narrows_unless_it_was_wrong() {
        let range = |least_ns, most_ns| TimeRange { least_ns, most_ns };
        assert_eq!(range(100, 500).narrowed(range(150, 400)), range(150, 400));
        assert_eq!(range(150, 400).narrowed(range(120, 450)), range(150, 400), "not out again");
        assert_eq!(range(150, 400).narrowed(range(420, 900)), range(420, 900), "slower than was told");
        assert_eq!(range(150, 400).narrowed(range(390, 900)), range(390, 900), "most of it is beyond");
        assert_eq!(range(300, 400).narrowed(range(100, 110)), range(100, 110));
        let left = range(100, 500).after(120);
        assert_eq!((left, left.width_ns(), left.plus(7)), (range(0, 380), 380, range(7, 387)));
        assert_eq!(range(1, 2).up_to(TimeRange::exactly(9)), range(1, 9));
    }
}
