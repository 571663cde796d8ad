//! The share of time in which almost nothing completed. In a closed loop a stall delays each outstanding I/O once,
//! however long it is, so latencies hide it. Its share of the time is what an open system would notice.

use crate::sample::{count, median};

/// A bucket below this part of the median rate is stalled.
const STALLED: f64 = 0.1;
/// The median bucket needs this many I/Os: with fewer, an empty one may be chance.
const LEAST_MEDIAN: f64 = 10.0;
const LEAST_BUCKETS: usize = 20;

/// Time in which almost nothing completed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stalls {
    /// Share of the time, 0 to 1.
    pub share: f64,
    /// How many buckets.
    pub stalled: usize,
    /// Of how many.
    pub buckets: usize,
    /// Length of a bucket: as in the series, or longer for a slow device.
    pub bucket_ns: u64,
}

/// The share of buckets with less than a tenth of the median number of completions. Buckets are joined until the
/// median has ten I/Os; `None` when that leaves fewer than 20. The share may well be 0.
pub fn stalls(ops: &[u32], bucket_ns: u64) -> Option<Stalls> {
    let mut joined: Vec<f64> = ops.iter().copied().map(f64::from).collect();
    let mut bucket_ns = bucket_ns;
    while median(&joined) < LEAST_MEDIAN && joined.len() >= LEAST_BUCKETS {
        joined = joined.chunks_exact(2).map(|pair| pair[0] + pair[1]).collect();
        bucket_ns = bucket_ns.saturating_mul(2);
    }
    if joined.len() < LEAST_BUCKETS {
        return None;
    }
    let limit = STALLED * median(&joined);
    let stalled = joined.iter().filter(|&&ops| ops < limit).count();
    let buckets = joined.len();
    Some(Stalls { share: count(stalled) / count(buckets), stalled, buckets, bucket_ns })
}
