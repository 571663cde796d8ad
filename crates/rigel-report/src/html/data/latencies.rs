//! Histograms small enough for a page: every power of two cut into a few parts that are equally wide on a logarithmic scale, as
//! far as the histograms of a record allow.
//!
//! The page's script has the same cuts. Must not smooth.

use super::figures;
use rigel_core::measure::Histogram;
use rigel_core::units::{to_f64, us_from_ns};

/// Where a power of two is divided, in 64ths, for the histogram of a point: 64 (2^(k/8) - 1), rounded to the edges of its
/// buckets.
pub(super) const FINE: &[u64] = &[0, 6, 12, 19, 27, 35, 44, 54];
/// The same for one visit.
pub(super) const COARSE: &[u64] = &[0, 12, 27, 44];
/// Steps of the percentiles for each tenth of the I/Os that took longer.
const STEPS: u32 = 10;
/// One in 10^7 took longer.
const MOST_NINES: u32 = 7;

/// The number of the part that holds a latency, counted from 1 ns.
fn bin(ns: u64, cuts: &[u64]) -> u64 {
    let octave = 63 - (ns | 1).leading_zeros();
    let above = ns.saturating_sub(1 << octave);
    let bucket = if octave >= 6 { above >> (octave - 6) } else { above << (6 - octave) };
    let part = cuts.partition_point(|&cut| cut <= bucket).saturating_sub(1);
    u64::from(octave) * cuts.len() as u64 + part as u64
}

/// The non-empty parts, ascending, each with its I/Os.
pub(super) fn bins(histogram: &Histogram, cuts: &[u64]) -> Vec<(u64, u64)> {
    let mut bins: Vec<(u64, u64)> = Vec::new();
    for (from_ns, _, ios) in histogram.buckets() {
        let bin = bin(from_ns, cuts);
        match bins.last_mut() {
            Some((last, sum)) if *last == bin => *sum = sum.saturating_add(ios),
            _ => bins.push((bin, ios)),
        }
    }
    bins
}

/// Latencies in microseconds from the 20th percentile on, over the negative logarithm of the share of I/Os that took
/// longer: 1 is the 90th percentile, 2 the 99th.
/// They end where fewer than one I/O would be beyond.
pub(super) fn percentiles(histogram: &Histogram) -> Vec<(f64, f64)> {
    let ios = to_f64(histogram.count());
    let at = |step: u32| {
        let nines = f64::from(step) / f64::from(STEPS);
        let beyond = 10_f64.powf(-nines);
        let us = us_from_ns(to_f64(histogram.quantile_ns(1.0 - beyond)?));
        (ios * beyond >= 1.0).then(|| (nines, figures(us, 5)))
    };
    (1..=STEPS * MOST_NINES).map_while(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_power_of_two_are_cut_at_its_64ths() {
        // 1024 to 2048 ns: a 64th is 16 ns.
        for (ns, part) in [
            (1024, 40),
            (1024 + 12 * 16 - 1, 40),
            (1024 + 12 * 16, 41),
            (2047, 43),
            (2048, 44),
            (1, 0),
            (0, 0),
            (2, 4),
            (3, 6),
        ] {
            assert_eq!(bin(ns, COARSE), part, "{ns}");
        }
        assert_eq!(bin(u64::MAX, FINE), 64 * 8 - 1);
    }

    #[test]
    fn parts_are_equally_wide_on_a_logarithmic_scale() {
        for cuts in [FINE, COARSE] {
            let ends = cuts.iter().copied().skip(1).chain([64]);
            for (&from, to) in cuts.iter().zip(ends) {
                let width = (to_f64(64 + to) / to_f64(64 + from)).log2() * to_f64(cuts.len() as u64);
                assert!((0.9..1.1).contains(&width), "{from} to {to}: {width}");
            }
        }
    }

    #[test]
    fn no_io_is_lost() {
        let mut histogram = Histogram::new();
        (0..5000_u64).for_each(|i| histogram.record(i * i));
        for cuts in [FINE, COARSE] {
            let bins = bins(&histogram, cuts);
            assert!(bins.is_sorted_by(|a, b| a.0 < b.0));
            assert_eq!(bins.iter().map(|bin| bin.1).sum::<u64>(), 5000);
        }
    }

    #[test]
    fn percentiles_end_where_the_ios_end() {
        let mut histogram = Histogram::new();
        (1..=1000_u64).for_each(|i| histogram.record(i * 1000));
        let found = percentiles(&histogram);
        assert!(found.is_sorted_by(|a, b| a.0 < b.0 && a.1 <= b.1));
        let (nines, us) = found[found.len() - 1];
        assert!((nines - 3.0).abs() < 0.11 && (980.0..=1000.0).contains(&us), "{nines} {us}");
        assert!(percentiles(&Histogram::new()).is_empty());
    }
}
