use super::*;
use crate::tests::{Noise, close, numbers, vectors};

/// `points` points of `visits` visits, with standard deviation `sd(point)`.
fn phase(noise: &mut Noise, points: usize, visits: usize, sd: impl Fn(usize) -> f64) -> Vec<PointVisits> {
    let point = |index| {
        let rate = 100.0 * count(index + 1);
        let means = (0..visits).map(|_| rate * (1.0 + sd(index) * noise.normal())).collect();
        PointVisits { means, within_se: Vec::new() }
    };
    (0..points).map(point).collect()
}

fn prior(points: &[PointVisits]) -> VariancePrior {
    VariancePrior::fit(&points.iter().map(PointVisits::sample).collect::<Vec<_>>()).unwrap()
}

#[test]
fn agrees_with_a_second_implementation() {
    for case in vectors("moderate").as_array().unwrap() {
        let samples: Vec<_> = numbers(&case["s2"]).into_iter().zip(numbers(&case["d"])).collect();
        let prior = VariancePrior::fit(&samples).unwrap();
        close(prior.degrees_of_freedom, &case["d0"], 1e-9);
        close(prior.variance, &case["s0"], 1e-9);
        for (index, (v, df)) in moderate(&samples).into_iter().enumerate() {
            close(v, &case["v"][index], 1e-9);
            close(df, &case["df"][index], 1e-9);
        }
    }
}

#[test]
fn points_that_agree_borrow_much_and_points_that_differ_little() {
    let mut noise = Noise::new(5);
    let mut capped = 0;
    for _ in 0..100 {
        capped += i32::from(prior(&phase(&mut noise, 18, 6, |_| 0.02)).degrees_of_freedom >= 40.0);
        // Variances from a ninth to nine times the typical one, evenly over the points.
        let unequal = phase(&mut noise, 18, 8, |index| 0.02 * 9f64.powf(count(index) / 17.0 - 0.5));
        let degrees = prior(&unequal).degrees_of_freedom;
        assert!(degrees < 10.0, "{degrees}");
    }
    assert!(capped >= 50, "equal variances must mostly give the cap: {capped} of 100");
    // Without any sampling noise there is no doubt.
    let equal = vec![PointVisits { means: vec![99.0, 101.0, 100.0], within_se: vec![] }; 5];
    assert_eq!(prior(&equal).degrees_of_freedom, 40.0);
}

#[test]
fn few_points_have_their_own_variance() {
    // Variance 7 of 1, 2, 6 around 3.
    let point = PointVisits { means: vec![1.0, 2.0, 6.0], within_se: vec![] };
    for points in 1..=3 {
        for spread in spread(&vec![point.clone(); points], 10.0) {
            assert!((spread.relative_variance - 7.0 / 9.0).abs() < 1e-15);
            assert_eq!(spread.degrees_of_freedom, 2.0);
        }
    }
    assert!(spread(&vec![point; 4], 10.0)[0].degrees_of_freedom > 40.0);
}

#[test]
fn a_point_with_one_visit_gets_the_prior_and_one_without_a_rate_nothing_worse() {
    let mut points = phase(&mut Noise::new(9), 6, 4, |_| 0.02);
    points.push(PointVisits { means: vec![50.0], within_se: vec![] });
    points.push(PointVisits { means: vec![0.0, 0.0], within_se: vec![1.0, 1.0] });
    let spreads = spread(&points, 0.05);
    let prior = prior(&points);
    for lonely in &spreads[6..] {
        assert!((lonely.relative_variance / prior.variance - 1.0).abs() < 1e-12);
        assert_eq!(lonely.degrees_of_freedom, prior.degrees_of_freedom);
    }
    assert_eq!(spread(&points[6..], 0.05)[0].degrees_of_freedom, 0.0);
}

#[test]
fn contamination_by_hand() {
    // Medians 100; deviations of 1, 1, 1, 2, .. and two visits at -30 % and -40 %.
    let steady = PointVisits { means: vec![99.0, 100.0, 101.0, 98.0, 102.0], within_se: vec![] };
    let hit = |rate| PointVisits { means: vec![99.0, 100.0, 101.0, rate, 102.0], within_se: vec![] };
    let points = [steady.clone(), hit(70.0), steady.clone(), hit(60.0)];
    let found = contamination(&points, 0.05).unwrap();
    assert_eq!((found.outlying, found.visits), (2, 20));
    assert!((found.share - 3.0 / 22.0).abs() < 1e-15);
    assert!((found.mean_square - f64::midpoint(0.09, 0.16)).abs() < 1e-12);
    assert!((found.mean_deviation + 0.35).abs() < 1e-12);
    assert_eq!(contamination(&points, 0.9), None, "nothing beyond half the target");
    assert_eq!(contamination(&points[..3], 0.05), None, "one may be an accident");
    for spread in spread(&points, 0.05) {
        assert!(spread.relative_variance >= 3.0 / 22.0 * 19.0 / 22.0 * 0.125 - 1e-12);
        assert_eq!(spread.degrees_of_freedom, 3.0);
    }
}

#[test]
fn contamination_fires_on_a_neighbour_and_not_on_white_noise() {
    let mut noise = Noise::new(17);
    let mut alarms = [0, 0];
    for _ in 0..200 {
        let quiet = phase(&mut noise, 18, 4, |_| 0.01);
        alarms[0] += i32::from(contamination(&quiet, 0.05).is_some());
        let mut hit = quiet;
        for mean in hit.iter_mut().flat_map(|point| &mut point.means) {
            *mean *= if noise.uniform() < 0.15 { 0.7 } else { 1.0 };
        }
        alarms[1] += i32::from(contamination(&hit, 0.05).is_some());
    }
    assert!(alarms[0] <= 2 && alarms[1] >= 195, "{alarms:?} of 200");
}

#[test]
fn no_point_is_surer_than_its_visits() {
    let mut points = phase(&mut Noise::new(3), 5, 4, |_| 0.001);
    points[2].within_se = vec![30.0, 40.0];
    let spreads = spread(&points, 0.05);
    let centre = mean(&points[2].means);
    let admitted = (900.0 + 1600.0) / 2.0 / (centre * centre);
    assert!((spreads[2].relative_variance - admitted).abs() < 1e-15);
    assert!(spreads[1].relative_variance < 1e-4);
}

#[test]
fn scale_means_nothing() {
    let points = phase(&mut Noise::new(4), 7, 5, |_| 0.03);
    let scaled: Vec<_> = points
        .iter()
        .map(|point| PointVisits { means: point.means.iter().map(|m| m * 4096.0).collect(), ..point.clone() })
        .collect();
    assert_eq!(spread(&points, 0.05), spread(&scaled, 0.05));
}

/// 1 % to either side is usual, which is 1.5 % robustly; a visit is far out beyond five of these, 7.4 %.
#[test]
fn a_visit_is_far_out_beyond_five_robust_deviations() {
    let found = |far: f64| {
        let means = (0..20).map(|visit| if visit % 2 == 0 { 99.0 } else { 101.0 });
        let point = |last: f64| PointVisits {
            means: means.clone().chain([100.0, 100.0, 100.0 * (1.0 + last)]).collect(),
            within_se: vec![],
        };
        outlying(&[point(far), point(-far)], 0.05)
    };
    assert!(found(0.07).iter().all(Vec::is_empty));
    for (point, sign) in found(0.08).into_iter().zip([1.0, -1.0]) {
        assert!(point.len() == 1 && (point[0] / sign - 0.08).abs() < 1e-9, "{point:?}");
    }
}

/// Simulated without noise: what differs a little comes from counting whole I/Os, and a third of the rate does not.
#[test]
fn where_nearly_all_visits_are_alike_a_fifth_is_far_out() {
    let point =
        |last: f64| PointVisits { means: vec![100.0, 100.0, 100.0, 100.0, last], within_se: Vec::new() };
    let found = |lasts: [f64; 2]| outlying(&lasts.map(point), 0.05).concat().len();
    assert_eq!(found([30.0, 100.0]), 1);
    assert_eq!(found([30.0, 33.0]), 2);
    assert_eq!(found([93.0, 93.0]), 0);
    let alone = PointVisits { means: vec![100.0], within_se: Vec::new() };
    let noisy = PointVisits { means: vec![99.0, 101.0, 100.0, 70.0, 99.5], within_se: Vec::new() };
    let far = outlying(&[noisy, alone.clone(), alone.clone(), alone], 0.05);
    assert_eq!(far[0].len(), 1, "points with one visit say nothing of the noise");
}
