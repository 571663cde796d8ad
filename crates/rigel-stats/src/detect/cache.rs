//! Reads that were served by something faster than the device: a cache of the host, of a hypervisor, or of an array.

use crate::units::to_f64;

/// The fast tenth takes less than this part of the median.
const FAST_SHARE: f64 = 0.2;
/// It takes less than this part of a read alone: no device is that much faster under load.
const BELOW_ALONE: f64 = 0.5;
/// A device whose read takes less, in nanoseconds, cannot be distinguished from a cache.
const SLOW_DEVICE_NS: f64 = 100_000.0;

/// A tenth of the reads was too fast for the device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CacheFinding {
    /// A tenth of the reads took no longer, in nanoseconds.
    pub p10_ns: u64,
    /// The median, in nanoseconds.
    pub p50_ns: u64,
    /// Mean of a read without others beside it, in nanoseconds.
    pub latency_at_1_ns: f64,
}

/// Whether the 10th percentile of a point's reads is below a fifth of their median, and below half of what a read takes
/// alone (`latency_at_1_ns`, the mean at one outstanding), on a device where that is more than 100 us.
///
/// For random reads only: a device may serve a stream from its read-ahead. The second condition excludes waiting as
/// a cause, because a wait only adds to a read alone. It does not exclude exponential service times: their 10th
/// percentile is 0.15 of the median, so a simulated device of that kind looks like a cache at few outstanding I/Os.
pub fn cache(p10_ns: u64, p50_ns: u64, latency_at_1_ns: f64) -> Option<CacheFinding> {
    let fast = to_f64(p10_ns);
    let too_fast = fast < FAST_SHARE * to_f64(p50_ns) && fast < BELOW_ALONE * latency_at_1_ns;
    (too_fast && latency_at_1_ns > SLOW_DEVICE_NS).then_some(CacheFinding { p10_ns, p50_ns, latency_at_1_ns })
}
