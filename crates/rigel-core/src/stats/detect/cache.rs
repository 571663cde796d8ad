//! Reads that were served by something faster than the device: a cache of the host, of a hypervisor, or of an array.

use crate::units::to_f64;

/// The fast tenth takes less than this part of the median.
const FAST_SHARE: f64 = 0.2;
/// It takes less than this part of a read that waits for nobody: no device is that much faster under load.
const BELOW_ALONE: f64 = 0.5;
/// A device as fast as a cache cannot be told from one, in nanoseconds.
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
/// For random reads only: a device may serve a stream from what it has read ahead. Below half of a read alone means
/// that long waits, however they are spread, are no evidence. Service times that are exponential are: their fast tenth
/// is 0.15 of their median, at few outstanding I/Os a simulated device of that kind looks as if it had a cache.
#[must_use]
pub fn cache(p10_ns: u64, p50_ns: u64, latency_at_1_ns: f64) -> Option<CacheFinding> {
    let fast = to_f64(p10_ns);
    let too_fast = fast < FAST_SHARE * to_f64(p50_ns) && fast < BELOW_ALONE * latency_at_1_ns;
    (too_fast && latency_at_1_ns > SLOW_DEVICE_NS).then_some(CacheFinding { p10_ns, p50_ns, latency_at_1_ns })
}
