//! How fast reads can be.

use crate::detect::cache::cache;
use crate::histogram::Histogram;
use crate::tests::{Noise, nanos};

/// The 10th percentile and the median of latencies with this law, in microseconds.
fn quantiles(seed: u64, mut latency_us: impl FnMut(&mut Noise) -> f64) -> (u64, u64) {
    let mut noise = Noise::new(seed);
    let mut histogram = Histogram::new();
    (0..20_000).for_each(|_| histogram.record(nanos(1e3 * latency_us(&mut noise))));
    (histogram.quantile_ns(0.1).unwrap(), histogram.quantile_ns(0.5).unwrap())
}

#[test]
fn a_cache_before_a_slow_device_is_found() {
    // A fifth of the reads from a cache in 60 us, the others from a disk in 8 ms or, under load, 60 ms.
    for device_us in [8_000.0, 60_000.0] {
        let (p10, p50) = quantiles(71, |noise| {
            let centre = if noise.uniform() < 0.2 { 60.0 } else { device_us };
            centre * (0.3 * noise.normal()).exp()
        });
        let found = cache(p10, p50, 8e6).unwrap();
        assert_eq!((found.p10_ns, found.p50_ns), (p10, p50));
    }
}

#[test]
fn fast_devices_and_queues_are_no_caches() {
    // The same shape on a flash device: nothing can be said.
    assert_eq!(cache(9_000, 80_000, 90_000.0), None);
    // One kind of I/O, spread as devices spread it.
    let (p10, p50) = quantiles(72, |noise| 8_000.0 * (0.5 * noise.normal()).exp());
    assert_eq!(cache(p10, p50, 8e6), None);
    // Exponential waits in a queue: the fast tenth is far below the median and still as slow as a read alone, in a short queue hardly slower.
    for waiting in [12.0, 32.0] {
        let (p10, p50) = quantiles(73, |noise| -waiting * 8_000.0 * (1.0 - noise.uniform()).ln());
        assert!(5 * p10 < p50);
        assert_eq!(cache(p10, p50, 8e6), None, "{waiting}");
    }
    assert_eq!(cache(0, 0, 8e6), None);
}
