//! Detectors on visits and on load levels.

use crate::detect::TimedVisit;
use crate::detect::bimodal::two_groups;
use crate::detect::drift::drift;
use crate::detect::levels::retrograde;
use crate::detect::slow_noise::{slow_noise, spearman};
use crate::generator::Generator;
use crate::interval::Interval;
use crate::sample::count;
use crate::tests::{Noise, close, numbers, vectors};
use crate::units::NS_PER_S;
use crate::variance::PointVisits;

const VISIT_NS: u64 = 5 * NS_PER_S / 2;
const GAP_NS: u64 = 20 * NS_PER_S;

/// Five rounds over 18 points with a visit every 2.5 s; the mean of a visit follows from the shared noise at that
/// time, noise of its own and the time, 0 to 1.
fn visits_of_a_run(noise: &mut Noise, (tau_s, shared): (f64, f64), own: f64, drift: f64) -> Vec<TimedVisit> {
    let mut generator = Generator::new(noise.uniform().to_bits(), &[]);
    let all = noise.correlated(90, tau_s / 2.5, shared);
    let mut visits = Vec::new();
    for _ in 0..5 {
        let mut order: Vec<usize> = (0..18).collect();
        for last in (1..18).rev() {
            order.swap(last, usize::try_from(generator.below(u64::try_from(last).unwrap() + 1)).unwrap());
        }
        for point in order {
            let index = visits.len();
            let change = 1.0 + drift * count(index) / 90.0;
            let mean = count(point + 1) * 500.0 * change * (1.0 + all[index] + own * noise.normal());
            visits.push(TimedVisit {
                point,
                began_ns: u64::try_from(index).unwrap() * VISIT_NS,
                length: 0,
                mean,
            });
        }
    }
    visits
}

#[test]
fn correlation_and_slope_agree_with_a_second_implementation() {
    let case = vectors("spearman");
    let pairs: Vec<_> = numbers(&case["x"]).into_iter().zip(numbers(&case["y"])).collect();
    let found = spearman(&pairs).unwrap();
    close(found.rho, &case["rho"], 1e-9);
    close(found.p, &case["p"], 1e-9);
    assert!(spearman(&pairs[..9]).is_none());
    let case = vectors("drift");
    let points =
        case["point"].as_array().unwrap().iter().map(|x| usize::try_from(x.as_u64().unwrap()).unwrap());
    let visit = |((point, minute), mean): ((usize, f64), f64)| TimedVisit {
        point,
        began_ns: crate::tests::nanos(minute * 60e9 + 1e9),
        length: 0,
        mean,
    };
    let visits: Vec<TimedVisit> =
        points.zip(numbers(&case["minute"])).zip(numbers(&case["rate"])).map(visit).collect();
    let found = drift(&visits, 0.05).unwrap();
    close(found.per_minute, &case["per_minute"], 1e-7);
    close(found.t, &case["t"], 1e-7);
    close(found.p, &case["p"], 1e-6);
    assert!(drift(&visits, 0.9).is_none(), "half of the target is more than the change");
}

#[test]
fn slow_noise_is_found_and_independent_visits_are_not() {
    let mut noise = Noise::new(51);
    let mut raised = [0; 4];
    for _ in 0..100 {
        let cases = [
            visits_of_a_run(&mut noise, (0.0, 0.02), 0.01, 0.0),
            visits_of_a_run(&mut noise, (30.0, 0.05), 0.005, 0.0),
            visits_of_a_run(&mut noise, (5.0, 0.03), 0.005, 0.0),
            visits_of_a_run(&mut noise, (0.0, 0.0), 0.05, 0.0),
        ];
        for (raised, visits) in raised.iter_mut().zip(&cases) {
            *raised += i32::from(slow_noise(visits, GAP_NS).is_some());
        }
    }
    let [white, slow, forgotten, own] = raised;
    assert!(white <= 8 && own <= 8, "{raised:?}");
    assert!(slow >= 80 && forgotten <= 40, "{raised:?}");
}

#[test]
fn few_visits_or_visits_to_one_point_are_no_slow_noise() {
    let mut noise = Noise::new(52);
    let visits = visits_of_a_run(&mut noise, (30.0, 0.05), 0.0, 0.0);
    assert!(slow_noise(&visits[..10], GAP_NS).is_none());
    // Visits to one point may be alike for a reason of the point's own.
    let alone =
        |visit: &TimedVisit| TimedVisit { point: 0, mean: visit.mean / count(visit.point + 1), ..*visit };
    let one: Vec<TimedVisit> = visits.iter().map(alone).collect();
    assert!(slow_noise(&one, GAP_NS).is_none());
    assert!(slow_noise(&[], GAP_NS).is_none());
}

/// Visits of which the later half is longer, and so 5 % higher: neither a drift nor alike.
#[test]
fn visits_of_two_lengths_are_not_compared() {
    let mut noise = Noise::new(59);
    let mut visits = visits_of_a_run(&mut noise, (0.0, 0.0), 0.01, 0.0);
    let half = visits.len() / 2;
    visits[half..].iter_mut().for_each(|visit| visit.mean *= 1.05);
    assert!(drift(&visits, 0.05).is_some() && slow_noise(&visits, GAP_NS).is_some());
    visits[half..].iter_mut().for_each(|visit| visit.length = 1);
    assert_eq!((drift(&visits, 0.05), slow_noise(&visits, GAP_NS)), (None, None));
    // A drift inside both lengths is one still.
    let mut drifting = visits_of_a_run(&mut noise, (0.0, 0.0), 0.01, 0.1);
    drifting[half..].iter_mut().for_each(|visit| visit.length = 1);
    assert!(drift(&drifting, 0.05).is_some());
}

#[test]
fn a_drift_of_all_points_is_found_and_noise_is_none() {
    let mut noise = Noise::new(53);
    let mut raised = [0; 3];
    for _ in 0..200 {
        // Half of all slow waves would pass for a drift if their visits were taken to be independent.
        raised[2] += i32::from(drift(&visits_of_a_run(&mut noise, (12.0, 0.05), 0.005, 0.0), 0.05).is_some());
        raised[0] += i32::from(drift(&visits_of_a_run(&mut noise, (0.0, 0.0), 0.04, 0.0), 0.02).is_some());
        let found = drift(&visits_of_a_run(&mut noise, (0.0, 0.0), 0.02, -0.06), 0.05);
        raised[1] += i32::from(found.is_some_and(|found| (-0.09..-0.03).contains(&found.total)));
    }
    assert!(raised[0] <= 7 && raised[1] >= 195 && raised[2] <= 20, "{raised:?} of 200");
    assert!(drift(&[], 0.05).is_none());
}

fn points(means: &[Vec<f64>]) -> Vec<PointVisits> {
    means.iter().map(|means| PointVisits { means: means.clone(), within_se: Vec::new() }).collect()
}

#[test]
fn two_groups_are_found_and_noise_has_none() {
    let mut noise = Noise::new(54);
    let (mut alarms, mut found) = (0, 0);
    for _ in 0..100 {
        let mut means: Vec<Vec<f64>> =
            (0..18).map(|_| (0..6).map(|_| 1.0 + 0.02 * noise.normal()).collect()).collect();
        alarms += two_groups(&points(&means)).iter().flatten().count();
        means[3][..3].iter_mut().for_each(|mean| *mean *= 2.0);
        found += usize::from(two_groups(&points(&means))[3].is_some());
    }
    assert!(alarms <= 4 && found >= 97, "{alarms} of 1800, {found} of 100");
}

#[test]
fn two_groups_by_hand() {
    let both = vec![1000.0, 2000.0, 1010.0, 2010.0, 1005.0, 2005.0];
    let found = two_groups(&points(&[both]))[0].unwrap();
    assert_eq!((found.low, found.low_visits, found.high, found.high_visits), (1005.0, 3, 2005.0, 3));
    assert!((found.gap - 990.0 / 1505.0).abs() < 1e-12);
    // A single visit far off is no group.
    assert_eq!(two_groups(&points(&[vec![1000.0, 1010.0, 1005.0, 1002.0, 1008.0, 2000.0]])), [None]);
    assert_eq!(two_groups(&points(&[vec![1.0, 2.0, 3.0], vec![], vec![0.0; 4]])), [None; 3]);
}

#[test]
fn retrograde_needs_intervals_apart() {
    let interval = |mean: f64, half: f64| Interval {
        mean,
        lo95: mean * (1.0 - half),
        hi95: mean * (1.0 + half),
        relative_half_width: half,
        visits: 6,
        df: 40.0,
    };
    assert!(retrograde(&interval(100.0, 0.02), &interval(90.0, 0.02)).is_some());
    assert!(retrograde(&interval(100.0, 0.08), &interval(90.0, 0.08)).is_none());
    assert!(retrograde(&interval(100.0, 0.001), &interval(97.9, 0.001)).is_some());
    assert!(retrograde(&interval(100.0, 0.001), &interval(98.1, 0.001)).is_none(), "too little to matter");
    assert!(retrograde(&interval(90.0, 0.02), &interval(100.0, 0.02)).is_none());
}
