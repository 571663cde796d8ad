use super::*;
use serde_json::Value;
use std::f64::consts::PI;

fn vectors() -> Value {
    serde_json::from_str(include_str!("../../tests-data/special.json")).unwrap()
}

/// Calls `judge` with every row of one table; the last column is what SciPy says.
fn rows(name: &str, judge: impl Fn(&[f64]) -> f64) {
    let vectors = vectors();
    let rows = vectors[name].as_array().unwrap();
    assert!(rows.len() >= 16, "{name} has {} rows", rows.len());
    for row in rows {
        let row: Vec<f64> = row.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
        let (wanted, arguments) = row.split_last().unwrap();
        let found = judge(arguments);
        let error = (found - wanted).abs() / wanted.abs().max(1e-3);
        assert!(error < 1e-9, "{name}{arguments:?}: {found} instead of {wanted}");
    }
}

#[test]
fn quantiles_agree_with_scipy() {
    rows("normal_quantile", |x| normal_quantile(x[0]));
    rows("student_t_quantile", |x| student_t_quantile(x[0], x[1]));
}

#[test]
fn tails_agree_with_scipy() {
    rows("student_t_tail", |x| student_t_tail(x[0], x[1]));
}

#[test]
fn polygammas_agree_with_scipy() {
    rows("digamma", |x| digamma(x[0]));
    rows("trigamma", |x| trigamma(x[0]));
    rows("inverse_trigamma", |x| inverse_trigamma(x[0]));
}

#[test]
fn well_known_values() {
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12 * b.abs(), "{a} {b}");
    // One degree of freedom is Cauchy's distribution; two have a closed form, too.
    near(student_t_quantile(0.975, 1.0), (0.475 * PI).tan());
    near(student_t_quantile(0.975, 2.0), 0.95 / (2.0 * 0.975 * 0.025f64).sqrt());
    near(trigamma(1.0), PI * PI / 6.0);
    near(digamma(1.0), -0.577_215_664_901_532_9);
    near(normal_quantile(0.975), 1.959_963_984_540_054);
}

#[test]
fn a_quantile_undoes_its_tail_and_is_odd() {
    for df in [0.2, 0.7, 1.3, 4.0, 55.5, 999.0] {
        for p in [0.55, 0.8, 0.975, 0.9999] {
            let t = student_t_quantile(p, df);
            assert!((student_t_tail(t, df) / (1.0 - p) - 1.0).abs() < 1e-10, "{p} {df}");
            assert!((student_t_quantile(1.0 - p, df) + t).abs() < 1e-9 * t, "{p} {df}");
        }
    }
}

#[test]
fn outside_of_their_domain_nothing_is_made_up() {
    assert!(student_t_quantile(0.975, 0.0).is_nan());
    assert!(student_t_quantile(0.975, f64::NAN).is_nan());
    assert_eq!(student_t_quantile(1.0, 3.0), f64::INFINITY);
    assert_eq!(student_t_quantile(0.0, 3.0), f64::NEG_INFINITY);
    assert_eq!(student_t_quantile(0.5, 3.0), 0.0);
    assert_eq!((student_t_tail(f64::INFINITY, 3.0), student_t_tail(1e200, 1e9)), (0.0, 0.0));
}
