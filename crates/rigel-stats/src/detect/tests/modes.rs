//! Modes of latency histograms.

use crate::detect::latency_modes::latency_modes;
use crate::histogram::Histogram;
use crate::tests::{Noise, nanos};

/// Lognormal latencies: (share, median in microseconds, sigma of the logarithm).
fn mixture(noise: &mut Noise, ios: usize, parts: &[(f64, f64, f64)]) -> Histogram {
    let mut histogram = Histogram::new();
    for _ in 0..ios {
        let mut left = noise.uniform();
        let part = parts.iter().find(|(share, ..)| {
            left -= share;
            left <= 0.0
        });
        let (_, median_us, sigma) = part.unwrap_or(&parts[0]);
        histogram.record(nanos(median_us * 1e3 * (sigma * noise.normal()).exp()));
    }
    histogram
}

#[test]
fn a_cache_before_a_device_is_found() {
    let mut noise = Noise::new(61);
    let found =
        latency_modes(&mixture(&mut noise, 20_000, &[(0.47, 48.0, 0.3), (0.53, 380.0, 0.3)])).unwrap();
    assert!((found.fast_share - 0.47).abs() < 0.02 && found.depth < 0.1, "{found:?}");
    assert!((40_000..58_000).contains(&found.fast_ns) && (320_000..460_000).contains(&found.slow_ns));
    assert!(found.fast_ns < found.valley_ns && found.valley_ns < found.slow_ns);
}

#[test]
fn one_mode_is_one_mode_however_few_or_broad() {
    let mut noise = Noise::new(62);
    for ios in [200, 1000, 5000] {
        for sigma in [0.05, 0.3, 1.0, 2.0] {
            for _ in 0..20 {
                let histogram = mixture(&mut noise, ios, &[(1.0, 250.0, sigma)]);
                assert_eq!(latency_modes(&histogram), None, "{ios} I/Os, sigma {sigma}");
            }
        }
        let mut exponential = Histogram::new();
        (0..ios).for_each(|_| exponential.record(nanos(1e6 * noise.exponential())));
        assert_eq!(latency_modes(&exponential), None, "{ios} I/Os, exponential");
    }
    assert_eq!(latency_modes(&Histogram::new()), None);
}

#[test]
fn small_near_or_shallow_modes_do_not_count() {
    let mut noise = Noise::new(63);
    for (what, parts) in [
        ("a share of 5 %", [(0.05, 30.0, 0.2), (0.95, 400.0, 0.2)]),
        ("a factor of 1.6", [(0.5, 100.0, 0.08), (0.5, 160.0, 0.08)]),
        ("no valley", [(0.5, 100.0, 0.5), (0.5, 220.0, 0.5)]),
    ] {
        assert_eq!(latency_modes(&mixture(&mut noise, 20_000, &parts)), None, "{what}");
    }
    let apart = [(0.12, 30.0, 0.2), (0.88, 400.0, 0.2)];
    assert!(latency_modes(&mixture(&mut noise, 20_000, &apart)).is_some());
}

#[test]
fn latencies_at_the_ends_of_the_scale_do_no_harm() {
    let mut histogram = Histogram::new();
    for ns in [0, 1, 3, 4, 5, u64::MAX >> 10] {
        (0..100).for_each(|_| histogram.record(ns));
    }
    let found = latency_modes(&histogram).unwrap();
    assert!(found.fast_ns < 10 && found.slow_ns > 1 << 52, "{found:?}");
}
