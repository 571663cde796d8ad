//! Cases that must raise no flag.

use super::*;

#[test]
fn a_constant_device_raises_nothing() {
    for level in [RunLevel::Simple, RunLevel::Normal, RunLevel::Oltp] {
        let found = Maker::new(level, |_| {}).rounds(4, unloaded).found();
        assert_eq!(run_codes(&found), [], "{level:?}: {:?}", run_flags(&found));
        assert!(found.points.iter().all(|point| point.flags.is_empty()), "{level:?}: {:?}", found.points);
    }
}

/// A saturated device is no limited one: two stations, each of which takes 2 ms for whatever it is given.
#[test]
fn a_saturated_device_raises_nothing() {
    for level in [RunLevel::Simple, RunLevel::Oltp] {
        let law = |moment: Moment| 500.0 * f64::from(moment.outstanding.min(2));
        let found = Maker::new(level, |_| {}).rounds(4, law).found();
        assert_eq!(run_codes(&found), [], "{:?}", run_flags(&found));
    }
    let one_station = Maker::simple().rounds(4, |_| 500.0).found();
    assert_eq!(run_codes(&one_station), [], "{:?}", run_flags(&one_station));
}

/// Each test has its own rate of false alarms, 1 to 3 % of the runs.
#[test]
fn white_noise_raises_hardly_anything() {
    let mut alarms = Vec::new();
    for seed in 0..20 {
        let (mut between, mut white) = (VisitFactor::new(seed, 0.01), Noise::new(1000 + seed));
        let law = |moment| unloaded(moment) * between.factor(moment) * (1.0 + 0.05 * white.normal());
        let found = Maker::new(RunLevel::Oltp, |_| {}).rounds(4, law).found();
        alarms.extend(run_flags(&found));
        let points = found.points.iter().flat_map(|point| &point.flags);
        alarms.extend(points.map(|flag| (flag.code, flag.text.clone())));
    }
    assert!(alarms.len() <= 2, "{alarms:?}");
}

#[test]
fn the_order_of_flags_is_that_of_the_evidence() {
    let law = |moment: Moment| {
        let drift = 1.0 - 0.1 * moment.run_s / 200.0;
        let far = if moment.visit == 2 && moment.step < 2 { 0.2 } else { 1.0 };
        unloaded(moment) * drift * far
    };
    let found = Maker::new(RunLevel::Oltp, |_| {}).rounds(5, law).found();
    let codes = run_codes(&found);
    assert_eq!(codes, [FlagCode::Contaminated, FlagCode::SlowNoise], "{:?}", run_flags(&found));
    assert_eq!(found, Maker::new(RunLevel::Oltp, |_| {}).rounds(5, law).found());
}
