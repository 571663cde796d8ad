//! The detector of levels inside a visit.

use crate::detect::course::{Course, Level, course};
use crate::sample::count;
use crate::tests::Noise;
use crate::units::NS_PER_MS;

const BUCKET_NS: u64 = 10 * NS_PER_MS;

/// Buckets of 10 ms: this many seconds at each of these rates, with AR(1) noise of a memory of `tau_s`.
fn series(noise: &mut Noise, (tau_s, sd): (f64, f64), levels: &[(f64, f64)]) -> Vec<f64> {
    let lasts = |seconds: f64| (0..1_000_000).take_while(move |&bucket| f64::from(bucket) < 100.0 * seconds);
    let plain: Vec<f64> =
        levels.iter().flat_map(|&(seconds, rate)| lasts(seconds).map(move |_| rate)).collect();
    let noisy = noise.correlated(plain.len(), 100.0 * tau_s, sd);
    plain.into_iter().zip(noisy).map(|(rate, noise)| (rate * (1.0 + noise)).max(0.0)).collect()
}

fn levels(rates: &[f64]) -> Vec<(f64, f64)> {
    match course(rates, BUCKET_NS) {
        Some(Course::Levels(levels)) => levels
            .iter()
            .map(|&Level { from_ns, rate }| (crate::units::to_f64(from_ns) / 1e9, rate))
            .collect(),
        _ => Vec::new(),
    }
}

#[test]
fn levels_are_found_where_they_are() {
    let mut noise = Noise::new(1);
    let mut of = |wanted: &[(f64, f64)]| levels(&series(&mut noise, (0.0, 0.1), wanted));
    let near = |found: &[(f64, f64)], wanted: &[(f64, f64)]| {
        let off =
            |(a, b): (&(f64, f64), &(f64, f64))| (a.0 - b.0).abs() > 0.3 || (a.1 / b.1 - 1.0).abs() > 0.03;
        assert!(
            found.len() == wanted.len() && !found.iter().zip(wanted).any(off),
            "{found:?}, not {wanted:?}"
        );
    };
    near(
        &of(&[(12.0, 3000.0), (13.0, 1000.0), (20.0, 3000.0)]),
        &[(0.0, 3000.0), (12.0, 1000.0), (25.0, 3000.0)],
    );
    near(&of(&[(6.0, 3000.0), (4.0, 1000.0)]), &[(0.0, 3000.0), (6.0, 1000.0)]);
    near(&of(&[(3.0, 1000.0), (4.0, 3000.0), (5.0, 1900.0)]), &[(0.0, 1000.0), (3.0, 3000.0), (7.0, 1900.0)]);
    let stopped = [(4.0, 1000.0), (3.0, 0.0), (4.0, 1000.0)];
    assert_eq!(of(&stopped).len(), 3, "no rate at all is a level too");
    // As many I/Os as make a piece longer than a quarter of a second.
    let slow = [(20.0, 30.0), (20.0, 8.0), (20.0, 30.0)];
    assert_eq!(of(&slow).len(), 3);
}

#[test]
fn what_is_small_short_or_steady_is_no_level() {
    let mut noise = Noise::new(2);
    let mut none = |wanted: &[(f64, f64)]| {
        let found = course(&series(&mut noise, (0.0, 0.05), wanted), BUCKET_NS);
        assert_eq!(found, None, "{wanted:?}");
    };
    none(&[(10.0, 1000.0)]);
    none(&[(5.0, 1000.0), (5.0, 800.0)]);
    none(&[(5.0, 1000.0), (1.0, 300.0), (5.0, 1000.0)]);
    none(&[(5.0, 1000.0), (0.7, 0.0), (9.0, 1000.0), (0.5, 0.0), (5.0, 1000.0)]);
    none(&[(2.0, 1000.0), (2.0, 300.0)]);
    none(&[(1.0, 300.0), (9.0, 1000.0)]);
    assert_eq!(course(&[], BUCKET_NS), None);
    assert_eq!(course(&[0.0; 1000], BUCKET_NS), None);
}

#[test]
fn a_slope_is_no_step() {
    let mut noise = Noise::new(3);
    let mut rates = series(&mut noise, (0.0, 0.05), &[(20.0, 1000.0)]);
    let length = count(rates.len());
    rates.iter_mut().enumerate().for_each(|(at, rate)| *rate *= 1.0 - 0.6 * count(at) / length);
    let Some(Course::Drift(found)) = course(&rates, BUCKET_NS) else {
        panic!("{:?}", course(&rates, BUCKET_NS))
    };
    assert!((found.total + 0.86).abs() < 0.05, "{found:?}");
}

/// Noise with and without a memory, in visits of 10 and 60 s.
#[test]
fn noise_has_no_levels_and_hides_none() {
    let mut noise = Noise::new(4);
    for of in [(0.0, 0.5), (0.1, 0.2), (0.5, 0.1), (3.0, 0.08), (30.0, 0.05)] {
        let mut alarms = 0;
        let mut found = 0;
        for run in 0..200 {
            let seconds = if run < 160 { 10.0 } else { 60.0 };
            alarms += usize::from(course(&series(&mut noise, of, &[(seconds, 2000.0)]), BUCKET_NS).is_some());
            // A quarter of the visit at a third of the rate, anywhere.
            let before = 0.75 * seconds * noise.uniform();
            let law = [(before, 2000.0), (0.25 * seconds, 667.0), (0.75 * seconds - before, 2000.0)];
            found += usize::from(!levels(&series(&mut noise, of, &law)).is_empty());
        }
        assert!(alarms <= 2, "{of:?}: {alarms} false alarms in 200 visits");
        assert!(found >= 190, "{of:?}: {found} of 200 falls");
    }
}
