//! Residuals over foreign CPU time.

use crate::load::draw::Generator;
use crate::stats::sample::count;
use crate::witness::{WitnessedVisit, residual_correlation};
use serde_json::Value;

/// Visits to `points` points, `each` times, whose rates fall by `per_core` for every core of others, with noise on top.
/// Points of higher number make helpers of the kernel busy, which has nothing to do with others.
fn visits(points: usize, each: usize, per_core: f64, noise: f64) -> Vec<WitnessedVisit> {
    let mut generator = Generator::new(11, &[]);
    let mut all = Vec::new();
    for point in 0..points {
        let others: Vec<f64> = (0..each).map(|_| 2.0 * generator.unit()).collect();
        let mean = others.iter().sum::<f64>() / count(each);
        for foreign in others {
            let residual = per_core * (foreign - mean) + noise * (generator.unit() - 0.5);
            all.push(WitnessedVisit { point, foreign_cores: foreign + 3.0 * count(point), residual });
        }
    }
    all
}

#[test]
fn a_cost_per_core_is_found_whatever_the_points_use_themselves() {
    let exact = residual_correlation(&visits(6, 5, -0.1, 0.0)).unwrap();
    assert!((exact.per_core + 0.1).abs() < 1e-9 && (exact.r + 1.0).abs() < 1e-9, "{exact:?}");
    assert!(exact.p < 1e-12);
    assert_eq!(exact.visits, 30);
    let noisy = residual_correlation(&visits(6, 5, -0.1, 0.1)).unwrap();
    assert!((noisy.per_core + 0.1).abs() < 0.03 && noisy.p < 1e-6, "{noisy:?}");
}

#[test]
fn noise_alone_is_no_cost() {
    let found = residual_correlation(&visits(18, 6, 0.0, 0.2)).unwrap();
    assert!(found.p > 0.05 && found.per_core.abs() < 0.02, "{found:?}");
}

#[test]
fn agrees_with_a_second_implementation() {
    let case: Value = serde_json::from_str(include_str!("../../../tests-data/foreign.json")).unwrap();
    let numbers =
        |value: &Value| value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect::<Vec<_>>();
    let close = |found: f64, wanted: &Value| {
        let wanted = wanted.as_f64().unwrap();
        assert!((found - wanted).abs() <= 1e-9 * wanted.abs().max(1e-6), "{found} instead of {wanted}");
    };
    let points = case["point"].as_array().unwrap().iter();
    let points = points.map(|point| usize::try_from(point.as_u64().unwrap()).unwrap());
    let figures = numbers(&case["cores"]).into_iter().zip(numbers(&case["residual"]));
    let visit = |(point, (foreign_cores, residual))| WitnessedVisit { point, foreign_cores, residual };
    let visits: Vec<_> = points.zip(figures).map(visit).collect();
    let found = residual_correlation(&visits).unwrap();
    close(found.per_core, &case["per_core"]);
    close(found.r, &case["r"]);
    close(found.p, &case["p"]);
}

#[test]
fn too_little_says_nothing() {
    let all = visits(2, 6, -0.1, 0.1);
    assert!(residual_correlation(&all).is_some(), "12 visits, 2 points: 9 degrees of freedom");
    assert!(residual_correlation(&all[..10]).is_none());
    assert!(residual_correlation(&[]).is_none());
    // Visits alone at their point add nothing.
    let alone = |point| WitnessedVisit { point, foreign_cores: 0.5, residual: 0.0 };
    let more: Vec<_> = all.iter().copied().chain((10..20).map(alone)).collect();
    assert_eq!(residual_correlation(&more), residual_correlation(&all));
    let flat: Vec<_> = all.iter().map(|visit| WitnessedVisit { foreign_cores: 0.25, ..*visit }).collect();
    assert!(residual_correlation(&flat).is_none());
}
