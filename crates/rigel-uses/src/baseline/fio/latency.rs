//! Latencies of a job, of reads and writes together.
//!
//! Must not read an option.

use super::{Direction, Latency};
use rigel_core::units::to_f64;
use std::collections::BTreeMap;

/// More buckets than a histogram of fio has are not read.
const MOST_BUCKETS: usize = 1 << 16;

/// The mean latency from submission on, each direction by its rate.
pub fn mean_us(directions: &[&Direction]) -> Option<f64> {
    let mean = |one: &&Direction| {
        let ns = one.lat_ns.as_ref().map(|latency| latency.mean / 1000.0);
        let us = ns.or_else(|| one.lat.as_ref().map(|latency| latency.mean))?;
        (us > 0.0).then_some(us * one.iops)
    };
    let sum: f64 = directions.iter().map(mean).sum::<Option<f64>>()?;
    let iops: f64 = directions.iter().map(|one| one.iops).sum();
    (iops > 0.0).then_some(sum / iops)
}

/// The 99th percentile of the completion latency: fio's own for one direction, from the buckets of JSON+ for two.
pub fn p99_us(directions: &[&Direction]) -> Option<f64> {
    if let [only] = directions {
        let of = |latency: &Option<Latency>, scale: f64| {
            let found = latency.as_ref()?.percentile.iter();
            let mut found = found.filter(|(name, _)| name.parse::<f64>() == Ok(99.0));
            found.next().map(|(_, value)| value / scale).filter(|us| us.is_finite())
        };
        return of(&only.clat_ns, 1000.0)
            .or_else(|| of(&only.lat_ns, 1000.0))
            .or_else(|| of(&only.clat, 1.0));
    }
    let mut buckets: BTreeMap<u64, u64> = BTreeMap::new();
    for one in directions {
        let bins = &one.clat_ns.as_ref()?.bins;
        if bins.is_empty() || bins.len() > MOST_BUCKETS {
            return None;
        }
        for (ns, ios) in bins {
            let sum = buckets.entry(ns.parse().ok()?).or_default();
            *sum = sum.saturating_add(*ios);
        }
    }
    let all = buckets.values().fold(0u64, |sum, ios| sum.saturating_add(*ios));
    let wanted = 0.99 * to_f64(all);
    let mut below = 0u64;
    let reached = buckets.iter().find(|(_, ios)| {
        below = below.saturating_add(**ios);
        to_f64(below) >= wanted
    });
    reached.map(|(ns, _)| to_f64(*ns) / 1000.0)
}
