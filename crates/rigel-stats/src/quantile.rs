//! Quantiles of latencies of all visits merged, with intervals from the quantiles of each visit, on the scale of logarithms.
//!
//! The I/Os of a visit are no independent sample, so counting them would promise far too much; the visits are the
//! sample. Their quantiles lie low on average where a visit has seen few busy times, so only their spread is used: the middle is
//! the quantile of all visits (sectioning: Asmussen, Glynn 2007, "Stochastic Simulation"). Must not average quantiles over threads: a visit's histogram has all of its threads.

use super::interval::{Interval, half_width};
use super::sample::count;
use super::variance::moderate;
use crate::histogram::Histogram;
use crate::units::to_f64;

/// A quantile needs this many I/Os in its smaller tail.
const LEAST_BEYOND: f64 = 10.0;
/// Largest relative width of a bucket of [`Histogram`]. No interval is narrower than that, to either side.
pub const BUCKET_WIDTH: f64 = 1.0 / 64.0;

/// A quantile of the latency, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Quantile {
    /// From all visits merged, with a 95 % interval.
    Sure(Interval),
    /// The same without an interval: too few I/Os beyond it in some visit, or too few visits.
    Indicative(f64),
    /// No I/O at all.
    Nothing,
}

/// Whether `ios` are enough for a visit to have a quantile of its own: `10 / (1 - quantile)`, and the same for small
/// quantiles.
pub fn enough(ios: u64, quantile: f64) -> bool {
    to_f64(ios) * quantile.min(1.0 - quantile) >= LEAST_BEYOND * (1.0 - 1e-12)
}

/// A quantile of the latency of every point of a phase. `points` holds for each point the histograms of its visits
/// after settling; the variance of the logarithms is moderated over all points that have one.
pub fn of_points(points: &[Vec<Histogram>], quantile: f64) -> Vec<Quantile> {
    let middles: Vec<Option<f64>> = points.iter().map(|visits| merged(visits, quantile)).collect();
    // The squares are those of the distances from the middle: visits that all lie beside it are no reason to be sure.
    let sample = |(visits, middle): (&Vec<Histogram>, &Option<f64>)| {
        let logs = middle.and_then(|ns| logarithms(visits, quantile, ns)).unwrap_or_default();
        let df = count(logs.len()) - 1.0;
        if df > 0.0 { (logs.iter().map(|log| log * log).sum::<f64>() / df, df) } else { (0.0, df.max(0.0)) }
    };
    let samples: Vec<(f64, f64)> = points.iter().zip(&middles).map(sample).collect();
    let estimates = points.iter().zip(middles).zip(moderate(&samples));
    let estimates = estimates.map(|((visits, middle), (variance, df))| {
        let Some(middle) = middle else { return Quantile::Nothing };
        let enough = visits.iter().all(|visit| enough(visit.count(), quantile));
        let sure = enough.then(|| interval(middle, visits.len(), variance, df)).flatten();
        sure.map_or(Quantile::Indicative(middle), Quantile::Sure)
    });
    estimates.collect()
}

/// Logarithm of each visit's quantile over that of all; `None` if any visit has too few I/Os. Leaving out only that visit
/// would bias the result, since slow visits have fewer I/Os.
fn logarithms(visits: &[Histogram], quantile: f64, of_all_ns: f64) -> Option<Vec<f64>> {
    let log = |visit: &Histogram| {
        let ns = visit.quantile_ns(quantile).filter(|_| enough(visit.count(), quantile))?;
        Some((to_f64(ns.max(1)) / of_all_ns.max(1.0)).ln())
    };
    visits.iter().map(log).collect()
}

fn interval(middle: f64, visits: usize, variance: f64, df: f64) -> Option<Interval> {
    let half = half_width(visits, variance, df)?.max(BUCKET_WIDTH);
    Some(Interval::geometric(middle.max(1.0).ln(), half, visits, df))
}

/// The quantile of all visits, in nanoseconds; `None` without an I/O.
fn merged(visits: &[Histogram], quantile: f64) -> Option<f64> {
    let mut all = Histogram::new();
    visits.iter().for_each(|visit| all.add(visit));
    all.quantile_ns(quantile).map(to_f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{Noise, nanos};

    fn visit(noise: &mut Noise, ios: usize, mean_ns: f64) -> Histogram {
        let mut histogram = Histogram::new();
        (0..ios).for_each(|_| histogram.record(nanos(mean_ns * noise.exponential())));
        histogram
    }

    fn interval_of(quantile: &Quantile) -> Interval {
        match quantile {
            Quantile::Sure(interval) => *interval,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn how_many_are_enough() {
        assert!(enough(1000, 0.99) && !enough(999, 0.99));
        assert!(enough(20, 0.5) && !enough(19, 0.5));
        assert!(enough(10_000, 0.999) && !enough(5_000, 0.999));
    }

    /// A visit that is too short for a p99 is a slow one: without it the others would tell too low a figure, and be sure of it.
    #[test]
    fn one_visit_with_too_few_ios_makes_a_point_unsure() {
        let mut noise = Noise::new(7);
        let mut points: Vec<Vec<Histogram>> =
            (0..6).map(|_| (0..6).map(|_| visit(&mut noise, 1000, 250_000.0)).collect()).collect();
        points[2][5] = visit(&mut noise, 500, 500_000.0);
        let is_sure = |found: &Quantile| matches!(found, Quantile::Sure(_));
        let found: Vec<bool> = of_points(&points, 0.99).iter().map(is_sure).collect();
        assert_eq!(found, [true, true, false, true, true, true]);
    }

    /// White service times: 12 visits of 1000 I/Os to 6 points, p99 of an exponential law is ln(100) means.
    #[test]
    fn the_tail_of_white_service_times_is_covered() {
        let mut noise = Noise::new(23);
        let (mut covered, mut all) = (0, 0);
        for _ in 0..25 {
            let points: Vec<Vec<Histogram>> =
                (0..6).map(|_| (0..12).map(|_| visit(&mut noise, 1000, 250_000.0)).collect()).collect();
            for found in of_points(&points, 0.99) {
                let found = interval_of(&found);
                let truth = 250_000.0 * 100f64.ln();
                covered += usize::from(found.lo95 <= truth && truth <= found.hi95);
                all += 1;
            }
        }
        assert!(count(covered) >= 0.92 * count(all), "{covered} of {all}");
    }

    /// A queue with one server that is busy for four fifths of the time, for 2 s: its p99 is ln(100) over what is left of its
    /// speed. A visit sees few busy times, and most of them see a p99 that is too low.
    #[test]
    fn the_tail_of_a_busy_queue_is_not_told_too_low() {
        let mut noise = Noise::new(31);
        let queue = |noise: &mut Noise| {
            let mut histogram = Histogram::new();
            let (mut now, mut latency) = (0.0, 0.0);
            while now < 2.5e9 {
                let between = noise.exponential() / 3200e-9;
                latency = f64::max(latency - between, 0.0) + noise.exponential() / 4000e-9;
                now += between;
                if now > 0.5e9 {
                    histogram.record(nanos(latency));
                }
            }
            histogram
        };
        let truth = 100f64.ln() / 800e-9;
        let (mut covered, mut off, tried) = (0, 0.0, 80);
        for _ in 0..tried {
            let visits: Vec<Histogram> = (0..12).map(|_| queue(&mut noise)).collect();
            let found = interval_of(&of_points(&[visits], 0.99)[0]);
            covered += usize::from(found.lo95 <= truth && truth <= found.hi95);
            off += (found.mean / truth - 1.0) / count(tried);
        }
        assert!(off.abs() < 0.02 && count(covered) >= 0.85 * count(tried), "{covered} of {tried}, {off} off");
    }

    #[test]
    fn no_interval_is_narrower_than_a_bucket() {
        let mut one = Histogram::new();
        (0..100).for_each(|_| one.record(1_000_000));
        let found = interval_of(&of_points(&vec![vec![one; 4]; 5], 0.5)[0]);
        assert!((found.hi95 / found.mean).ln() >= 1.0 / 64.0 - 1e-12);
        assert!((found.mean / found.lo95).ln() >= 1.0 / 64.0 - 1e-12);
        assert!(found.lo95 < 1e6 && 1e6 < found.hi95);
    }

    #[test]
    fn too_few_beyond_it_is_only_indicative() {
        let mut noise = Noise::new(2);
        let many = |noise: &mut Noise| visit(noise, 2000, 1e5);
        let short = vec![many(&mut noise), visit(&mut noise, 900, 1e5), many(&mut noise)];
        let long = vec![many(&mut noise), many(&mut noise), many(&mut noise)];
        let found = of_points(&[short, long, vec![], vec![Histogram::new()], vec![many(&mut noise)]], 0.99);
        assert!(matches!(found[0], Quantile::Indicative(ns) if (3e5..7e5).contains(&ns)), "{found:?}");
        assert!(matches!(found[1], Quantile::Sure(_)));
        assert_eq!(found[2..4], [Quantile::Nothing; 2]);
        assert!(matches!(found[4], Quantile::Indicative(_)), "one visit and nothing to borrow from");
    }

    /// Adding a constant to every latency moves a quantile by it.
    #[test]
    fn a_constant_moves_a_quantile() {
        let mut noise = Noise::new(6);
        let points = |added: u64, noise: &mut Noise| -> Vec<Vec<Histogram>> {
            let shifted = |noise: &mut Noise| {
                let mut histogram = Histogram::new();
                (0..500).for_each(|_| histogram.record(added + nanos(1e5 * noise.exponential())));
                histogram
            };
            (0..4).map(|_| (0..4).map(|_| shifted(noise)).collect()).collect()
        };
        let before = interval_of(&of_points(&points(0, &mut noise.clone()), 0.5)[0]).mean;
        let after = interval_of(&of_points(&points(1_000_000, &mut noise), 0.5)[0]).mean;
        assert!((after - before - 1e6).abs() < 0.016 * after, "{before} {after}");
    }
}
