//! What each target did for a class, at the point with its highest rate: if one of many is slower, it shows here.
//!
//! Must not name a slow one; [`super::outliers`] does.

use super::few_targets::{SlowerTarget, slower};
use super::findings::Findings;
use super::outliers::sizes_differ;
use crate::load::class::{Class, LoadClass, Pattern};
use crate::load::matrix::Point;
use crate::measure::ByTarget;
use crate::record::Record;
use crate::stats::sample::median;
use crate::units::{NS_PER_S, to_f64, us_from_ns};
use schemars::JsonSchema;
use serde::Serialize;

/// A class, target by target.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassByTarget {
    /// The class.
    pub load: LoadClass,
    /// The point.
    pub point: Point,
    /// Each target that received some of its I/O, in the order of the run.
    pub targets: Vec<TargetIo>,
    /// Of two to four targets with the same load, the one that is certainly slower than each of the others.
    pub slower: Option<SlowerTarget>,
}

/// A target. Counts and times are those of all visits that count, including settling and draining.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TargetIo {
    /// Its number in the run.
    #[serde(skip)]
    pub target: usize,
    /// Successful I/Os per second of load.
    pub iops: f64,
    /// The same divided by the mean of the targets: 1 if all are equal.
    pub of_mean: Option<f64>,
    /// Successful I/Os.
    pub ios: u64,
    /// Failed I/Os.
    pub errors: u64,
    /// Mean latency in microseconds; null if nothing succeeded.
    pub latency_mean_us: Option<f64>,
    /// The same divided by the median of the targets.
    pub of_median: Option<f64>,
    /// The longest latency in microseconds.
    pub latency_max_us: f64,
}

impl ClassByTarget {
    /// Every class of a record with counts by target; empty for a run on one target.
    pub fn all(record: &Record, findings: &Findings) -> Vec<Self> {
        let classes = record.header.request.classes.iter();
        classes.filter_map(|load| Self::of(record, findings, load)).collect()
    }

    fn of(record: &Record, findings: &Findings, load: &LoadClass) -> Option<Self> {
        let first = || findings.points.iter().find(|found| found.io(load.name).is_some());
        let point = findings.best.rate(load.name).map(|best| best.point).or_else(|| Some(first()?.point))?;
        let found = findings.points.iter().find(|found| found.point == point)?;
        let own = record.visits.iter().filter(|visit| visit.step == found.step).zip(&found.each_visit);
        let (mut sum, mut loaded_ns) = (ByTarget::default(), 0_u64);
        let mut each = Vec::new();
        for (visit, _) in own.filter(|(_, of_visit)| of_visit.counts) {
            if let Some(counts) = visit.tallies.get(&load.name).and_then(|tally| tally.by_target.as_deref()) {
                sum.add(counts);
                each.push(counts);
                loaded_ns = loaded_ns.saturating_add(visit.loaded_ns);
            }
        }
        let targets = targets(&sum, loaded_ns);
        let is_same_load = load.pattern == Pattern::Random || load.level_is_targets();
        let slower = if is_same_load && !sizes_differ(record) { slower(&each) } else { None };
        (targets.len() > 1).then(|| Self { load: load.clone(), point, targets, slower })
    }

    /// The class.
    pub const fn class(&self) -> Class {
        self.load.name
    }

    /// The lowest rate of a target over their mean: 1 if all are equal.
    pub fn evenness(&self) -> f64 {
        self.targets.iter().filter_map(|one| one.of_mean).fold(1.0, f64::min)
    }

    /// The highest mean latency of a target over their median: 1 if all are equal.
    pub fn slowest(&self) -> f64 {
        self.targets.iter().filter_map(|one| one.of_median).fold(1.0, f64::max)
    }
}

fn targets(sum: &ByTarget, loaded_ns: u64) -> Vec<TargetIo> {
    let ByTarget { ops, errors, latency_sum_ns, longest_ns } = sum;
    let seconds = to_f64(loaded_ns) / to_f64(NS_PER_S);
    let counts = ops.iter().zip(errors).zip(latency_sum_ns).zip(longest_ns).enumerate();
    let one = |(target, (((&ios, &errors), &sum_ns), &longest_ns))| TargetIo {
        target,
        iops: if seconds > 0.0 { to_f64(ios) / seconds } else { 0.0 },
        of_mean: None,
        ios,
        errors,
        latency_mean_us: (ios > 0).then(|| us_from_ns(to_f64(sum_ns)) / to_f64(ios)),
        of_median: None,
        latency_max_us: us_from_ns(to_f64(longest_ns)),
    };
    let mut all: Vec<TargetIo> = counts.map(one).filter(|one| one.ios > 0 || one.errors > 0).collect();
    let means: Vec<f64> = all.iter().filter_map(|one| one.latency_mean_us).collect();
    let median_us = if means.is_empty() { 0.0 } else { median(&means) };
    let mean_iops = all.iter().map(|one| one.iops).sum::<f64>() / to_f64(all.len().max(1) as u64);
    for one in &mut all {
        one.of_mean = (mean_iops > 0.0).then(|| one.iops / mean_iops);
        one.of_median = one.latency_mean_us.filter(|_| median_us > 0.0).map(|us| us / median_us);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_and_latencies_stand_beside_those_of_the_others() {
        let counts = ByTarget {
            ops: vec![100, 100, 40, 0],
            errors: vec![0, 0, 2, 0],
            latency_sum_ns: vec![100_000_000, 100_000_000, 120_000_000, 0],
            longest_ns: vec![2_000_000, 1_000_000, 9_000_000, 0],
        };
        let all = targets(&counts, 2 * NS_PER_S);
        assert_eq!(all.len(), 3, "a target without I/O has no row");
        let of = |one: &TargetIo| (one.iops, one.of_mean, one.latency_mean_us, one.of_median, one.errors);
        assert_eq!(of(&all[0]), (50.0, Some(1.25), Some(1000.0), Some(1.0), 0));
        assert_eq!(of(&all[2]), (20.0, Some(0.5), Some(3000.0), Some(3.0), 2));
        assert_eq!(all[2].latency_max_us, 9000.0);
        let load = LoadClass::random(Class::SMALL, 8192);
        let found = ClassByTarget { load, point: Point::alone(Class::SMALL, 1), targets: all, slower: None };
        assert_eq!((found.evenness(), found.slowest()), (0.5, 3.0));
    }
}
