//! Rules with one part broken, on the same visits: each must miss the truth where the whole rules hold it. Otherwise the
//! tests of the whole rules could not fail either.

use super::adaptive::{Outcome, POINTS, run};
use super::device::{Device, ENVIRONMENTS, STEP_NS};
use super::intervals;
use crate::batch_means;
use crate::interval::Interval;
use crate::parameters::Parameters;
use crate::sample::{count, mean, variance};
use crate::settle::after;
use crate::units::{NS_PER_S, to_f64};
use crate::variance::{PointVisits, Spread, moderate};

const RUNS: u64 = 40;
const NEIGHBOUR: usize = 6;
const STALLS: usize = 7;
const START_UP: usize = 8;
const BUSY: usize = 9;

/// The share of intervals that contain the true value, which is 1, by the whole rules and by others on the same visits.
fn coverage(environment: usize, mutant: impl Fn(&Outcome) -> Vec<Interval>) -> (f64, f64) {
    let mut covered = [0.0; 2];
    let mut all = 0.0;
    for seed in 0..RUNS {
        let outcome = run(ENVIRONMENTS[environment], &Parameters::default(), 1.0, 7000 + seed);
        let both = [outcome.intervals.clone(), mutant(&outcome)];
        for (sum, intervals) in covered.iter_mut().zip(&both) {
            *sum += intervals.iter().map(|i| f64::from(i.lo95 <= 1.0 && 1.0 <= i.hi95)).sum::<f64>();
        }
        all += count(outcome.intervals.len());
    }
    (covered[0] / all, covered[1] / all)
}

/// Intervals with a moderated variance alone: no contamination, no guard.
fn moderated(points: &[Vec<f64>]) -> Vec<Interval> {
    let sample = |means: &Vec<f64>| (variance(means) / mean(means).powi(2), count(means.len() - 1));
    let spreads = moderate(&points.iter().map(sample).collect::<Vec<_>>());
    let interval = |(means, (relative_variance, degrees_of_freedom)): (&Vec<f64>, (f64, f64))| {
        Interval::of_mean(means, &Spread { relative_variance, degrees_of_freedom, contamination: None })
            .unwrap()
    };
    points.iter().zip(spreads).map(interval).collect()
}

/// The same, each as it was when it first looked narrow enough.
fn when_narrow(points: &[Vec<f64>]) -> Vec<Interval> {
    let looks: Vec<Vec<Interval>> = (4..=12)
        .map(|visits| {
            let seen = |means: &Vec<f64>| means[..visits.min(means.len())].to_vec();
            moderated(&points.iter().map(seen).collect::<Vec<_>>())
        })
        .collect();
    let first = |point: usize| {
        let narrow = looks.iter().map(|look| look[point]).find(|found| found.relative_half_width <= 0.05);
        narrow.unwrap_or_else(|| looks[looks.len() - 1][point])
    };
    (0..points.len()).map(first).collect()
}

fn means_after(outcome: &Outcome, settle_ns: u64) -> Vec<Vec<f64>> {
    let visits = |profiles: &Vec<Vec<f64>>| {
        profiles.iter().map(|profile| mean(after(profile, STEP_NS, settle_ns))).collect()
    };
    outcome.quantities.iter().map(|quantity| visits(&quantity.profiles)).collect()
}

#[test]
fn without_contamination_a_neighbour_is_missed() {
    let (whole, mutant) = coverage(NEIGHBOUR, |outcome| when_narrow(&means_after(outcome, NS_PER_S / 2)));
    assert!(whole > 0.92 && mutant < 0.8, "{whole} and {mutant}");
}

#[test]
fn without_settling_a_start_up_is_in_the_mean() {
    let (whole, mutant) = coverage(START_UP, |outcome| {
        let points: Vec<PointVisits> = outcome
            .quantities
            .iter()
            .map(|quantity| PointVisits {
                means: quantity.profiles.iter().map(|profile| mean(profile)).collect(),
                within_se: quantity
                    .profiles
                    .iter()
                    .filter_map(|profile| batch_means::within(profile))
                    .map(|within| within.standard_error)
                    .collect(),
            })
            .collect();
        intervals(&points, 0.05).into_iter().map(Option::unwrap).collect()
    });
    assert!(whole > 0.92 && mutant < 0.6, "{whole} and {mutant}");
}

/// MSER: the prefix whose removal makes the rest look surest. It removes real stalls, and the variance with them.
fn trimmed(profile: &[f64]) -> f64 {
    let rest = after(profile, STEP_NS, NS_PER_S / 2);
    let error = |cut: usize| {
        let kept = &rest[cut..];
        let squares: f64 = kept.iter().map(|rate| (rate - mean(kept)).powi(2)).sum();
        squares / count(kept.len()).powi(2)
    };
    let best = (0..rest.len() / 2).min_by(|&a, &b| error(a).total_cmp(&error(b))).unwrap();
    mean(&rest[best..])
}

#[test]
fn visits_trimmed_by_their_own_data_lose_their_stalls() {
    let (whole, mutant) = coverage(STALLS, |outcome| {
        let visits = |profiles: &Vec<Vec<f64>>| profiles.iter().map(|profile| trimmed(profile)).collect();
        let points: Vec<Vec<f64>> = outcome.quantities.iter().map(|q| visits(&q.profiles)).collect();
        moderated(&points)
    });
    assert!(whole > 0.95 && mutant < 0.6, "{whole} and {mutant}");
}

/// A point that stops when its own variance over two visits or more is small stops when it is small by luck.
#[test]
fn own_variance_from_two_visits_on_stops_too_early() {
    let own = |means: &[f64]| {
        let spread = Spread {
            relative_variance: variance(means) / mean(means).powi(2),
            degrees_of_freedom: count(means.len() - 1),
            contamination: None,
        };
        Interval::of_mean(means, &spread).unwrap()
    };
    let (mut covered, mut all, mut bad) = (0.0, 0.0, 0.0);
    for seed in 0..RUNS {
        let mut device = Device::new(ENVIRONMENTS[BUSY], POINTS, 9000 + seed);
        let mut now = 0;
        for point in 0..POINTS {
            let mut means = Vec::new();
            let found = loop {
                means.push(mean(after(&device.visit(point, now, 5 * NS_PER_S / 2), STEP_NS, NS_PER_S / 2)));
                now += 25 * NS_PER_S;
                if means.len() < 2 {
                    continue;
                }
                let found = own(&means);
                if found.relative_half_width <= 0.05 || means.len() == 12 {
                    break found;
                }
            };
            let reached = found.relative_half_width <= 0.05;
            covered += f64::from(found.lo95 <= 1.0 && 1.0 <= found.hi95);
            bad += f64::from(reached && (found.lo95 > 1.0 || found.hi95 < 1.0));
            all += 1.0;
        }
    }
    assert!(covered / all < 0.9, "{}", covered / all);
    assert!(bad / all > 0.08, "what it calls done is wrong: {}", bad / all);
}

/// With a falling rate the last point of an unshuffled round is always measured later than the first. Shuffled, the
/// drift is spread over all points alike.
#[test]
fn an_order_that_is_not_shuffled_turns_drift_into_bias() {
    let falling = |began_ns: u64| 1.0 - 0.05 * to_f64(began_ns) / to_f64(60 * NS_PER_S);
    let slope = |visits: &[(usize, u64)]| {
        let rates: Vec<(f64, f64)> = visits.iter().map(|&(p, at)| (count(p), falling(at))).collect();
        let (x, y) = (
            mean(&rates.iter().map(|r| r.0).collect::<Vec<_>>()),
            mean(&rates.iter().map(|r| r.1).collect::<Vec<_>>()),
        );
        let sxy: f64 = rates.iter().map(|r| (r.0 - x) * (r.1 - y)).sum();
        let sxx: f64 = rates.iter().map(|r| (r.0 - x).powi(2)).sum();
        // Difference between the last and the first point.
        sxy / sxx * count(POINTS - 1)
    };
    let ordered: Vec<(usize, u64)> = (0..4 * POINTS)
        .map(|visit| (visit % POINTS, u64::try_from(visit).unwrap() * 5 * NS_PER_S / 2))
        .collect();
    assert!(slope(&ordered) < -0.03, "{}", slope(&ordered));
    let shuffled: Vec<f64> = (0..RUNS)
        .map(|seed| {
            let outcome = run(ENVIRONMENTS[0], &Parameters::default(), 1.0, seed);
            slope(&outcome.visits.iter().map(|visit| (visit.point, visit.began_ns)).collect::<Vec<_>>())
        })
        .collect();
    assert!(mean(&shuffled).abs() < 0.01, "{}", mean(&shuffled));
}
