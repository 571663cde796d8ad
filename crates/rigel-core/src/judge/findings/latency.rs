//! The latencies of a class: their mean, their ends and their percentiles.
//!
//! Must not judge them.

use super::sureness::Intervals;
use crate::measure::Histogram;
use crate::stats::Interval;
use crate::stats::estimate::{Basis, Estimate};
use crate::units::{to_f64, us_from_ns};
use schemars::JsonSchema;
use serde::Serialize;

/// Latency of successful I/Os, in microseconds, from just before submission until the completion was seen. Percentiles are those of all visits
/// together; `basis` is `merged` for one without an interval: an indication, not an estimate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Latency")]
pub struct LatencyUs {
    /// Arithmetic mean.
    pub mean: Estimate,
    /// Smallest.
    pub min: f64,
    /// Largest.
    pub max: f64,
    /// Standard deviation.
    pub stddev: f64,
    /// Median.
    pub p50: Estimate,
    /// 90th percentile.
    pub p90: Estimate,
    /// 99th percentile.
    pub p99: Estimate,
    /// 99.9th percentile.
    #[serde(rename = "p99.9")]
    pub p99_9: Estimate,
    /// 99.99th percentile.
    #[serde(rename = "p99.99")]
    pub p99_99: Estimate,
}

impl LatencyUs {
    /// The statistics of a histogram, without intervals; `None` if it is empty.
    pub fn of(histogram: &Histogram) -> Option<Self> {
        let exact = |ns: Option<u64>| ns.map(|ns| us_from_ns(to_f64(ns)));
        let quantile = |q| exact(histogram.quantile_ns(q)).map(Estimate::merged);
        Some(Self {
            mean: Estimate::bare(us_from_ns(histogram.mean_ns()?)),
            min: exact(histogram.min_ns())?,
            max: exact(histogram.max_ns())?,
            stddev: us_from_ns(histogram.stddev_ns()?),
            p50: quantile(0.5)?,
            p90: quantile(0.9)?,
            p99: quantile(0.99)?,
            p99_9: quantile(0.999)?,
            p99_99: quantile(0.9999)?,
        })
    }

    /// The percentiles, each with its number in per cent, in ascending order.
    pub const fn percentiles(&self) -> [(&'static str, Estimate); 5] {
        [("50", self.p50), ("90", self.p90), ("99", self.p99), ("99.9", self.p99_9), ("99.99", self.p99_99)]
    }

    /// The mean becomes the centre of its interval. Percentiles stay those of all visits merged, which are the centres of theirs.
    pub(super) fn with_intervals(self, known: &Intervals) -> Self {
        let estimate = |interval: Option<Interval>, basis, merged: Estimate| {
            interval.map_or(merged, |interval| Estimate::of(interval, basis))
        };
        let percentile = |interval, merged: Estimate| Estimate {
            value: merged.value,
            ..estimate(interval, Basis::Visits, merged)
        };
        Self {
            mean: estimate(known.mean_us, known.basis, self.mean),
            p50: percentile(known.p50_us, self.p50),
            p99: percentile(known.p99_us, self.p99),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_moves_no_percentile() {
        let mut merged = Histogram::new();
        (1..=1000).for_each(|us| merged.record(us * 1000));
        let us = LatencyUs::of(&merged).unwrap();
        // Their middles are a bit off, as an exponential of a logarithm is.
        let of = |us: f64| Interval::symmetric(us * (1.0 + 1e-15), 0.05, 4, 6.0);
        let known = Intervals { p50_us: of(us.p50.value), p99_us: of(us.p99.value), ..Intervals::default() };
        let found = us.with_intervals(&known);
        let values = |us: &LatencyUs| us.percentiles().map(|(_, us)| us.value);
        assert_eq!(values(&found), values(&us));
        assert_eq!(
            (found.p50.basis, found.p90.basis, found.p99.basis),
            (Basis::Visits, Basis::Merged, Basis::Visits)
        );
        assert_eq!(us.with_intervals(&Intervals::default()), us);
    }
}
