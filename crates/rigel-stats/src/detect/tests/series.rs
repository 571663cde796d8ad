//! Detectors on series: long visits and buckets.

use crate::detect::long_visit::{LongVisitFinding, below_visits, drift, judge, pieces};
use crate::detect::shift::{best_split, level_shift};
use crate::detect::stalls::stalls;
use crate::detect::steady::snia;
use crate::interval::Interval;
use crate::sample::count;
use crate::tests::{Noise, close, intervals, numbers, vectors};
use crate::units::NS_PER_MS;
use crate::variance::PointVisits;

/// 60 s in pieces of half a second.
const PIECES: usize = 120;
const RUNS: usize = 200;

/// How often a long visit is judged as what, of 200: steady, drift, level shift, throttled, cliff. `law` makes the pieces
/// from noise and their place in time, 0 to 1.
fn judged(
    seed: u64,
    is_write: bool,
    (tau_s, sd): (f64, f64),
    law: impl Fn(f64, f64, &mut Noise) -> f64,
) -> [usize; 5] {
    let mut noise = Noise::new(seed);
    let mut counts = [0; 5];
    for _ in 0..RUNS {
        let correlated = noise.correlated(PIECES, tau_s / 0.5, sd);
        let piece = |(index, noisy): (usize, f64)| {
            1000.0 * law(1.0 + noisy, count(index) / count(PIECES), &mut noise)
        };
        let series: Vec<f64> = correlated.into_iter().enumerate().map(piece).collect();
        counts[match judge(&series, is_write) {
            None => 0,
            Some(LongVisitFinding::Drift(_)) => 1,
            Some(LongVisitFinding::LevelShift(_) | LongVisitFinding::Standstill(_)) => 2,
            Some(LongVisitFinding::Throttled(_)) => 3,
            Some(LongVisitFinding::WriteCliff(_)) => 4,
        }] += 1;
    }
    counts
}

#[test]
fn statistics_agree_with_a_second_implementation() {
    for case in vectors("cusum").as_array().unwrap() {
        let split = best_split(&numbers(&case["x"])).unwrap();
        close(split.statistic, &case["statistic"], 1e-9);
        assert_eq!(u64::try_from(split.split).unwrap(), case["split"].as_u64().unwrap());
    }
    let mut fired = 0;
    for case in vectors("trend").as_array().unwrap() {
        if let Some(found) = drift(&numbers(&case["x"])) {
            close(found.t, &case["t"], 1e-9);
            close(found.total, &case["total"], 1e-9);
            fired += 1;
        } else {
            let figure = |name: &str| case[name].as_f64().unwrap().abs();
            assert!(figure("t") <= 3.6 || figure("total") <= 0.03);
        }
    }
    assert!(fired > 0);
}

#[test]
fn steady_long_visits_raise_no_alarm() {
    let alarms = |tau, sd| RUNS - judged(41, false, (tau, sd), |noisy, _, _| noisy)[0];
    assert!(alarms(0.0, 0.03) <= 4, "white: {}", alarms(0.0, 0.03));
    assert!(alarms(0.5, 0.03) <= 4, "tau 0.5 s: {}", alarms(0.5, 0.03));
    // A dip of 5 s is for the stall share.
    let dip = |noisy, at: f64, _: &mut Noise| if (0.4..0.48).contains(&at) { 0.3 * noisy } else { noisy };
    assert!(judged(42, false, (0.5, 0.03), dip)[0] >= 195);
    assert_eq!(judge(&[100.0; PIECES], false), None);
    assert_eq!(judge(&[0.0; PIECES], false), None);
}

/// The shortest long visit, 20 s in 60 pieces, and noise with a memory: the statistic of a step alone fires in 4 of 100,
/// a slope whose batches of a second are taken to be independent in 4.
#[test]
fn noise_with_a_memory_is_no_change_of_a_long_visit() {
    let found = |seed, sd, step: f64| {
        let mut noise = Noise::new(seed);
        let raised = (0..2000).filter(|_| {
            // Half a second of memory in pieces of a third of a second.
            let noisy = noise.correlated(60, 1.5, sd);
            let level = |index: usize| if index < 27 { 1000.0 } else { 1000.0 * (1.0 + step) };
            let series: Vec<f64> =
                noisy.iter().enumerate().map(|(index, noisy)| level(index) * (1.0 + noisy)).collect();
            judge(&series, false).is_some()
        });
        raised.count()
    };
    assert!(found(51, 0.04, 0.0) <= 30, "{} of 2,000 steady ones", found(51, 0.04, 0.0));
    assert!(found(52, 0.04, -0.2) >= 1940, "{} of 2,000 that fall by a fifth", found(52, 0.04, -0.2));
}

#[test]
fn planted_changes_are_found_and_named() {
    let step = |noisy, at: f64, _: &mut Noise| if at > 0.5 { noisy - 0.05 } else { noisy };
    assert!(judged(43, false, (0.0, 0.03), step)[2] >= 195);
    let fading = |noisy, at: f64, _: &mut Noise| noisy - 0.2 * at;
    assert!(judged(44, true, (0.5, 0.03), fading)[1] >= 195);
    let bucket = |noisy, at: f64, noise: &mut Noise| {
        if at < 0.66 { noisy } else { 0.3 * (1.0 + 0.004 * noise.normal()) }
    };
    for is_write in [false, true] {
        assert!(judged(45, is_write, (0.5, 0.05), bucket)[3] >= 195);
    }
    let cliff = |noisy: f64, at: f64, noise: &mut Noise| {
        if at < 0.33 { noisy } else { 0.4 * (noisy + 0.12 * noise.normal()) }
    };
    assert!(judged(46, true, (0.5, 0.03), cliff)[4] >= 195);
    assert!(judged(46, false, (0.5, 0.03), cliff)[2] >= 195, "no cliff of reads");
}

/// What stands still has no noise, but nobody limits a rate to nothing.
#[test]
fn a_standstill_is_no_limit_and_no_cliff() {
    let stands = |noisy: f64, at: f64, _: &mut Noise| match at {
        _ if at < 0.4 => noisy,
        // A few I/Os come back.
        _ if (0.7..0.75).contains(&at) => 0.3,
        _ => 0.0,
    };
    for is_write in [false, true] {
        assert_eq!(judged(47, is_write, (0.5, 0.03), stands)[2], RUNS);
    }
}

#[test]
fn a_step_without_noise_by_hand() {
    let series: Vec<f64> = (0..100).map(|index| if index < 70 { 200.0 } else { 150.0 }).collect();
    let found = level_shift(&series).unwrap();
    assert_eq!((found.split, found.before, found.after, found.step()), (70, 200.0, 150.0, -0.25));
    assert!(level_shift(&series[..59]).is_none(), "too short to say");
    let small: Vec<f64> = series.iter().map(|rate| 2000.0 + rate).collect();
    assert!(level_shift(&small).is_none(), "2.3 % do not matter");
    let line: Vec<f64> = (0..100).map(|index| 100.0 - 0.1 * count(index)).collect();
    assert!(matches!(judge(&line, false), Some(LongVisitFinding::Drift(drift)) if drift.total < -0.09));
}

#[test]
fn long_visits_are_cut_into_half_seconds_as_far_as_that_gives_enough() {
    let cut = |buckets: usize, ms| pieces(&vec![1.0; buckets], ms * NS_PER_MS).len();
    // 60 s, 20 s, 10 minutes, 0.5 s.
    assert_eq!((cut(1200, 50), cut(2000, 10), cut(1200, 500), cut(50, 10)), (120, 60, 240, 0));
}

fn visits(half: f64, visits: usize) -> Interval {
    Interval { mean: 100.0, lo95: 0.0, hi95: 0.0, relative_half_width: half, visits, df: 40.0 }
}

#[test]
fn a_long_visit_below_the_visits() {
    // 4 visits, ±4 %: one more varies by 2.423 x 4 % / 2.021 x 2 x (5/4)^1/2 = 10.7 %.
    assert!(
        below_visits(90.0, &visits(0.04, 4)).is_none() && below_visits(120.0, &visits(0.04, 4)).is_none()
    );
    assert!((below_visits(89.0, &visits(0.04, 4)).unwrap().difference() + 0.11).abs() < 1e-12);
    // The same visits, known better because there are 16: 10.1 % instead of twice the half-width of 2 %.
    assert!(
        below_visits(91.0, &visits(0.02, 16)).is_none() && below_visits(89.0, &visits(0.02, 16)).is_some()
    );
    assert!(below_visits(97.5, &visits(0.001, 4)).is_none(), "too little to matter");
    assert!(below_visits(96.5, &visits(0.001, 4)).is_some());
}

/// The long visit is a visit like the others.
#[test]
fn a_long_visit_that_is_one_more_visit_is_not_below() {
    let mut noise = Noise::new(47);
    for number in [4, 12] {
        let mut alarms = 0;
        for _ in 0..1000 {
            let means: Vec<f64> = (0..=number).map(|_| 100.0 + 3.0 * noise.normal()).collect();
            let point = PointVisits { means: means[1..].to_vec(), within_se: Vec::new() };
            let interval = intervals(&[point], 0.05)[0].unwrap();
            alarms += usize::from(below_visits(means[0], &interval).is_some());
        }
        assert!(alarms <= 20, "{alarms} of 1000 after {number} visits");
    }
}

#[test]
fn snia_by_hand() {
    let found = snia(&[100.0, 100.0, 105.0, 95.0, 100.0]).unwrap();
    assert!((found.range - 0.1).abs() < 1e-12 && found.is_steady(), "{found:?}");
    // Rises by 3 a round: 12 in all, of 106.
    let rising = snia(&[100.0, 103.0, 106.0, 109.0, 112.0]).unwrap();
    assert!((rising.excursion - 12.0 / 106.0).abs() < 1e-12 && !rising.is_steady());
    let jumping = snia(&[90.0, 112.0, 100.0, 112.0, 90.0]).unwrap();
    assert!(jumping.excursion.abs() < 1e-12 && !jumping.is_steady());
    assert!(snia(&[1.0; 4]).is_none() && snia(&[0.0; 5]).is_none());
}

#[test]
fn stalls_by_hand() {
    let mut ops = vec![50u32; 200];
    ops[20..40].fill(0);
    ops[60] = 4;
    ops[61] = 5;
    let found = stalls(&ops, 10 * NS_PER_MS).unwrap();
    assert_eq!((found.stalled, found.buckets, found.bucket_ns), (21, 200, 10 * NS_PER_MS));
    assert!((found.share - 0.105).abs() < 1e-12);
    // One I/O every 20 ms: 16 buckets make 8 of them, 32 make 16.
    let slow: Vec<u32> = (0..2000).map(|index| index % 2).collect();
    let found = stalls(&slow, 10 * NS_PER_MS).unwrap();
    assert_eq!((found.stalled, found.bucket_ns), (0, 320 * NS_PER_MS));
    assert!(stalls(&[0; 2000], NS_PER_MS).is_none() && stalls(&[50; 19], NS_PER_MS).is_none());
}
