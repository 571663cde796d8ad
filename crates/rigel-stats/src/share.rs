//! How certain a share is, from visits: the spread between them, and never more certain than counts can be.
//!
//! Shares are given as ratios to what is allowed. Must not know which bound they are about.

use super::crossing::RatioPoint;
use super::estimate::{Basis, EstimateForm};
use super::sample::{count, mean};
use super::special::{normal_quantile, student_t_quantile};
use schemars::JsonSchema;
use serde::Serialize;

/// A ratio to what is allowed, and how certain it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// Over all visits.
    pub value: f64,
    /// Lower end of the 95 % interval; 0 when a single visit says nothing of it.
    pub lo95: f64,
    /// Upper end; `None` when a single visit says nothing of it.
    pub hi95: Option<f64>,
    /// Visits behind it.
    pub visits: usize,
}

/// Whether a limit is met, with 95 % confidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Verdict")]
pub enum BoundVerdict {
    /// Surely.
    Yes,
    /// Surely not.
    No,
    /// The visits do not decide.
    Undecided,
}

impl Ratio {
    /// That of visits; `counted`: it is one of counts, which have a chance of their own. `None` when nothing was seen.
    pub fn of(visits: &[RatioPoint], counted: bool) -> Option<Self> {
        let all: f64 = visits.iter().map(|seen| seen.weight).sum();
        if visits.is_empty() || all <= 0.0 {
            return None;
        }
        let seen: f64 = visits.iter().map(|one| one.weight * one.ratio).sum();
        let value = seen / all;
        let (mut lo95, mut hi95) = (0.0, None);
        if visits.len() > 1 {
            let df = count(visits.len() - 1);
            let squares: f64 = visits.iter().map(|one| (one.weight * (one.ratio - value)).powi(2)).sum();
            let half = student_t_quantile(0.975, df) * (squares * (1.0 + 1.0 / df)).sqrt() / all;
            lo95 = (value - half).max(0.0);
            // Few visits with rare slow I/Os lean to one side: the longer of both usual intervals.
            hi95 = Some(if value > 0.0 { value * (half / value).exp() } else { 0.0 });
        }
        if counted {
            let [low, high] = of_count(seen);
            lo95 = f64::min(lo95, low / all);
            hi95 = hi95.map(|hi95: f64| hi95.max(high / all));
        }
        Some(Self { value, lo95, hi95, visits: visits.len() })
    }

    /// The same where what is counted comes in clusters of this size: the upper end is that of so many clusters (a quasi-Poisson count), as far as
    /// that is below `most`.
    #[must_use]
    pub fn in_clusters(self, visits: &[RatioPoint], size: f64, most: f64) -> Self {
        let all: f64 = visits.iter().map(|seen| seen.weight).sum();
        let seen: f64 = visits.iter().map(|one| one.weight * one.ratio).sum();
        let [_, high] = of_count(seen / size);
        let wide = |hi95: f64| hi95.max((size * high / all).min(most));
        Self { hi95: self.hi95.map(wide), ..self }
    }

    /// Whether what is allowed is kept.
    pub fn kept(&self) -> BoundVerdict {
        match self.hi95 {
            Some(hi95) if hi95 <= 1.0 => BoundVerdict::Yes,
            _ if self.lo95 > 1.0 => BoundVerdict::No,
            _ => BoundVerdict::Undecided,
        }
    }
}

impl From<Ratio> for EstimateForm {
    fn from(ratio: Ratio) -> Self {
        Self {
            value: ratio.value,
            lo95: Some(ratio.lo95),
            hi95: ratio.hi95,
            visits: Some(ratio.visits),
            basis: if ratio.visits > 1 { Basis::Visits } else { Basis::OneVisit },
        }
    }
}

/// How large clusters are: the variance of a visit's count over its mean, on average of several things that were counted, each in the same visits. 1
/// where that is no more than chance.
pub fn cluster_size(counted: &[Vec<RatioPoint>]) -> f64 {
    let of: Vec<f64> = counted.iter().filter_map(|visits| dispersion(visits)).collect();
    let size = mean(&of);
    let df = counted.iter().map(|visits| visits.len().saturating_sub(1)).min().map_or(0.0, count);
    if df > 0.0 && size > dispersion_by_chance(df) { size.max(1.0) } else { 1.0 }
}

/// The index of dispersion; `None` when fewer than two visits saw anything.
fn dispersion(visits: &[RatioPoint]) -> Option<f64> {
    let all: f64 = visits.iter().map(|seen| seen.weight).sum();
    let seen: f64 = visits.iter().map(|one| one.weight * one.ratio).sum();
    let squares: f64 = visits.iter().map(|one| (one.weight * (one.ratio - seen / all)).powi(2)).sum();
    let visits = count(visits.len());
    (visits > 1.0 && seen > 0.0).then(|| squares * visits / (visits - 1.0) / seen)
}

/// What independent counts exceed in one of twenty cases: chi-squared over its degrees of freedom, after Wilson and Hilferty (1931).
fn dispersion_by_chance(df: f64) -> f64 {
    let part = 2.0 / (9.0 * df);
    normal_quantile(0.95).mul_add(part.sqrt(), 1.0 - part).powi(3)
}

/// The 95 % interval of the mean behind a count, after Wilson and Hilferty (1931).
fn of_count(seen: f64) -> [f64; 2] {
    let sure = normal_quantile(0.975);
    let end = |count: f64, side: f64| {
        count * (1.0 - 1.0 / (9.0 * count) + side * sure / (3.0 * count.sqrt())).max(0.0).powi(3)
    };
    [if seen > 0.0 { end(seen, -1.0) } else { 0.0 }, end(seen + 1.0, 1.0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visits(ratios: &[f64], weight: f64) -> Vec<RatioPoint> {
        ratios.iter().map(|&ratio| RatioPoint { rate: 1000.0, ratio, weight }).collect()
    }

    #[test]
    fn counts_have_the_interval_of_the_textbook() {
        // Exact limits of Poisson means (Garwood 1936).
        for (seen, low, high) in [(0.0, 0.0, 3.689), (1.0, 0.025, 5.572), (10.0, 4.795, 18.390)] {
            let [found_low, found_high] = of_count(seen);
            assert!(
                (found_low - low).abs() < 0.02 && (found_high - high).abs() < 0.03,
                "{found_low} {found_high}"
            );
        }
    }

    #[test]
    fn a_bound_is_kept_broken_or_undecided() {
        let kept = |ratios: &[f64], weight| Ratio::of(&visits(ratios, weight), true).unwrap().kept();
        assert_eq!(kept(&[0.5, 0.6, 0.55, 0.45], 100.0), BoundVerdict::Yes);
        assert_eq!(kept(&[1.5, 1.6, 1.55, 1.45], 100.0), BoundVerdict::No);
        assert_eq!(kept(&[0.5, 1.6, 1.55, 0.45], 100.0), BoundVerdict::Undecided);
        assert_eq!(kept(&[0.0; 4], 0.5), BoundVerdict::Undecided, "two expected, none seen");
        assert_eq!(kept(&[0.0; 4], 2.0), BoundVerdict::Yes);
        assert_eq!(kept(&[0.1], 1000.0), BoundVerdict::Undecided, "one visit shows no spread");
        assert_eq!(Ratio::of(&[], true), None);
    }

    #[test]
    fn the_spread_between_visits_counts_and_not_only_that_of_counts() {
        let wide = Ratio::of(&visits(&[0.2, 1.0, 0.4, 0.8], 1000.0), true).unwrap();
        let narrow = Ratio::of(&visits(&[0.6; 4], 1000.0), true).unwrap();
        assert!(wide.hi95 > Some(1.0) && narrow.hi95 < Some(0.65) && wide.lo95 < narrow.lo95);
        assert!((wide.value - 0.6).abs() < 1e-12 && wide.visits == 4);
    }

    #[test]
    fn clusters_are_found_and_independent_counts_are_none() {
        // Chi-squared with 4 degrees of freedom exceeds 9.488 in one of twenty cases.
        assert!((dispersion_by_chance(4.0) - 9.488 / 4.0).abs() < 0.02);
        let of = |counts: &[f64]| visits(&counts.iter().map(|one| one / 100.0).collect::<Vec<_>>(), 100.0);
        let alone = of(&[9.0, 12.0, 10.0, 8.0, 11.0, 10.0]);
        // The mean is 10, the variance of a visit 160.
        let together = of(&[0.0, 30.0, 0.0, 20.0, 0.0, 10.0]);
        assert_eq!(cluster_size(&[alone.clone(), alone]), 1.0);
        let size = cluster_size(&[together]);
        assert!((size - 16.0).abs() < 1e-9, "{size}");
        assert_eq!((cluster_size(&[]), cluster_size(&[of(&[5.0])])), (1.0, 1.0));
    }

    /// Sixty in clusters of twenty are three.
    #[test]
    fn the_upper_end_counts_clusters() {
        let seen = visits(&[0.3, 0.0, 0.1, 0.2], 100.0);
        let plain = Ratio::of(&seen, true).unwrap();
        let high = |size, most| plain.in_clusters(&seen, size, most).hi95.unwrap();
        // The exact upper limit of a Poisson mean after three is 8.767.
        let alike = visits(&[0.15; 4], 100.0);
        let few = Ratio::of(&alike, true).unwrap().in_clusters(&alike, 20.0, 9.0).hi95.unwrap();
        assert!((few - 20.0 * 8.767 / 400.0).abs() < 0.01, "{few}");
        assert!(
            high(200.0, 9.0) > 2.0
                && high(200.0, 0.0) == plain.hi95.unwrap()
                && high(1.0, 9.0) >= plain.hi95.unwrap()
        );
        assert_eq!(plain.in_clusters(&seen, 200.0, 9.0).lo95, plain.lo95);
        assert_eq!(Ratio::of(&seen[..1], true).unwrap().in_clusters(&seen[..1], 9.0, 9.0).hi95, None);
    }
}
