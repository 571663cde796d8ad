//! Completions and latency over time, in buckets of 10 ms, or coarser ones that keep a record small.
//!
//! Must not allocate after it was made.

use crate::units::NS_PER_MS;
use serde::{Deserialize, Serialize};

/// Most buckets a series may have; a record line stays in the tens of kilobytes.
const MAX_BUCKETS: u64 = 2048;
/// Most buckets of any series. A visit of a week in the widest buckets has 6,048.
pub(crate) const MOST_BUCKETS: usize = 8192;
/// Widths that a bucket may have, in units of 10 ms.
const WIDTHS: [u64; 13] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000];

/// A time series of one class over the measured window.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Series {
    /// Width of a bucket.
    pub bucket_ns: u64,
    /// Completions per bucket.
    pub ops: Vec<u32>,
    /// Sum of the latencies of those completions, in nanoseconds.
    pub latency_sum_ns: Vec<u64>,
}

impl Series {
    /// An empty series for a window of `window_ns`.
    pub fn new(window_ns: u64) -> Self {
        let base = 10 * NS_PER_MS;
        let fits = |width: &&u64| window_ns.div_ceil(*width * base) <= MAX_BUCKETS;
        let bucket_ns = WIDTHS.iter().find(fits).unwrap_or(&WIDTHS[WIDTHS.len() - 1]) * base;
        let buckets =
            usize::try_from(window_ns.div_ceil(bucket_ns)).map_or(MOST_BUCKETS, |due| due.min(MOST_BUCKETS));
        Self { bucket_ns, ops: vec![0; buckets], latency_sum_ns: vec![0; buckets] }
    }

    /// Counts a completion `at_ns` after the start of the window; ignored outside.
    #[inline]
    pub fn record(&mut self, at_ns: u64, latency_ns: u64) {
        let Ok(bucket) = usize::try_from(at_ns / self.bucket_ns) else {
            return;
        };
        if let (Some(ops), Some(sum)) = (self.ops.get_mut(bucket), self.latency_sum_ns.get_mut(bucket)) {
            *ops = ops.saturating_add(1);
            *sum = sum.saturating_add(latency_ns);
        }
    }

    /// Adds a part of the window that begins `offset_ns` after its start, by the beginnings of its buckets.
    pub fn place(&mut self, part: &Self, offset_ns: u64) {
        let step = usize::try_from(part.bucket_ns).unwrap_or(usize::MAX).max(1);
        let begins = (offset_ns..).step_by(step);
        for ((at_ns, &ops), &sum_ns) in begins.zip(&part.ops).zip(&part.latency_sum_ns) {
            let Ok(bucket) = usize::try_from(at_ns / self.bucket_ns.max(1)) else { return };
            if let (Some(mine), Some(sum)) = (self.ops.get_mut(bucket), self.latency_sum_ns.get_mut(bucket)) {
                *mine = mine.saturating_add(ops);
                *sum = sum.saturating_add(sum_ns);
            }
        }
    }

    /// The same in buckets of that width, or of the least multiple of its own width above it.
    #[must_use]
    pub fn widened(&self, bucket_ns: u64) -> Self {
        let own_ns = self.bucket_ns.max(1);
        let each = usize::try_from(bucket_ns.div_ceil(own_ns)).unwrap_or(usize::MAX).max(1);
        Self {
            bucket_ns: own_ns.saturating_mul(each as u64),
            ops: self
                .ops
                .chunks(each)
                .map(|part| part.iter().fold(0, |sum: u32, &n| sum.saturating_add(n)))
                .collect(),
            latency_sum_ns: self
                .latency_sum_ns
                .chunks(each)
                .map(|part| part.iter().fold(0, |sum: u64, &ns| sum.saturating_add(ns)))
                .collect(),
        }
    }

    /// Drops the buckets after `window_ns`, if a window ended early.
    pub fn truncate(&mut self, window_ns: u64) {
        let keep = usize::try_from(window_ns.div_ceil(self.bucket_ns.max(1))).unwrap_or(usize::MAX);
        self.ops.truncate(keep);
        self.latency_sum_ns.truncate(keep);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::NS_PER_S;

    #[test]
    fn width_grows_with_the_window() {
        for (seconds, bucket_ms, buckets) in
            [(1, 10, 100), (20, 10, 2000), (60, 50, 1200), (3600, 2000, 1800)]
        {
            let series = Series::new(seconds * NS_PER_S);
            assert_eq!((series.bucket_ns / NS_PER_MS, series.ops.len()), (bucket_ms, buckets), "{seconds} s");
        }
    }

    #[test]
    fn wider_buckets_hold_the_same() {
        let mut series = Series::new(NS_PER_S);
        for at in [10, 299, 300, 999] {
            series.record(at * NS_PER_MS, at);
        }
        let wide = series.widened(300 * NS_PER_MS);
        assert_eq!((wide.bucket_ns, wide.ops), (300 * NS_PER_MS, vec![2, 1, 0, 1]));
        assert_eq!(wide.latency_sum_ns, [309, 300, 0, 999]);
        assert_eq!(series.widened(u64::MAX).ops, [4]);
        assert_eq!(series.widened(1), series);
    }

    #[test]
    fn outside_the_window_is_ignored() {
        let mut series = Series::new(NS_PER_S);
        series.record(NS_PER_S, 5);
        series.record(u64::MAX, 5);
        series.record(NS_PER_S - 1, 7);
        assert_eq!(series.ops.iter().sum::<u32>(), 1);
        assert_eq!(series.latency_sum_ns.last(), Some(&7));
        series.truncate(NS_PER_S / 2);
        assert_eq!(series.ops.len(), 50);
    }
}
