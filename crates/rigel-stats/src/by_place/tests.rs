//! Devices whose course over the places is known.

use super::*;
use crate::generator::Generator;

/// Rates with noise of 1 %, known to 1 %.
fn noisy(rates: impl IntoIterator<Item = f64>, seed: u64) -> Vec<(f64, f64)> {
    let mut generator = Generator::new(seed, &[]);
    rates.into_iter().map(|rate| (rate * (1.0 + 0.01 * generator.normal()), 0.01)).collect()
}

fn half(part: bool) -> f64 {
    if part { 100.0 } else { 200.0 }
}

#[test]
fn an_even_device_is_even() {
    for seed in 0..500 {
        let found = course(&noisy([200.0; 16], seed)).unwrap();
        assert!(
            matches!(found, Course::Even { mean: rate, told: 0.05 } if (rate / 200.0 - 1.0).abs() < 0.01),
            "{seed}: {found:?}"
        );
    }
}

/// However wide the intervals are.
#[test]
fn of_even_devices_few_seem_to_be_others() {
    for error in [0.002, 0.02, 0.05, 0.1] {
        let mut generator = Generator::new(7, &[]);
        let mut device =
            || (0..16).map(|_| (200.0 * (1.0 + error * generator.normal()), error)).collect::<Vec<_>>();
        let seem = (0..1000).filter(|_| !matches!(course(&device()), Some(Course::Even { .. }))).count();
        assert!(seem <= 60, "{seem} of 1000 at {error}");
    }
}

/// A step of the size that is named is reported about half of the time.
#[test]
fn what_would_have_been_told_is_known() {
    let mut generator = Generator::new(3, &[]);
    let mut device = |step: f64| -> Vec<(f64, f64)> {
        let rate = |place: i32| if place < 8 { 200.0 } else { 200.0 * (1.0 - step) };
        (0..16).map(|place| (rate(place) * (1.0 + 0.06 * generator.normal()), 0.06)).collect()
    };
    let Some(Course::Even { told, .. }) = course(&[(200.0, 0.06); 16]) else { panic!() };
    assert!((told - 0.105).abs() < 0.001, "{told}");
    let mut found =
        |step: f64| (0..400).filter(|_| !matches!(course(&device(step)), Some(Course::Even { .. }))).count();
    let (half, most) = (found(told), found(2.0 * told));
    assert!((120..320).contains(&half) && most > 390, "{half} {most}");
}

/// The rate of a disk follows the radius, and the time of an I/O one over a rate: neither is a straight line.
#[test]
fn a_bent_slope_is_no_stairs() {
    let at = |place: i32| (f64::from(place) + 0.5) / 16.0;
    let disk: Vec<f64> = (0..16).map(|place| 200.0 * (1.0 - 0.75 * at(place)).sqrt()).collect();
    let time: Vec<f64> = (0..16).map(|place| 200.0 / (1.0 - 0.5 * at(place))).collect();
    for seed in 0..200 {
        for rates in [&disk, &time] {
            let found = course(&noisy(rates.iter().copied(), seed));
            let Some(Course::Slope { first, last }) = found else { panic!("{seed}: {found:?}") };
            assert!(
                (first / rates[0] - 1.0).abs() < 0.08 && (last / rates[15] - 1.0).abs() < 0.08,
                "{first} {last}"
            );
        }
    }
}

/// The time of an I/O on a device whose rate falls evenly to a fifth: each place is known to its own ±0.2 %.
#[test]
fn a_steep_fall_of_the_rate_is_a_slope_of_the_time() {
    let rate = |place: i32| 1.0 - 0.8 * (f64::from(place) + 0.5) / 16.0;
    let time: Vec<f64> = (0..16).map(|place| 1000.0 / rate(place)).collect();
    let mut generator = Generator::new(5, &[]);
    for noise in [0.001, 0.01] {
        for _ in 0..100 {
            let seen: Vec<(f64, f64)> =
                time.iter().map(|time| (time * (1.0 + noise * generator.normal()), noise)).collect();
            for turned in [false, true] {
                let mut seen = seen.clone();
                if turned {
                    seen.reverse();
                }
                let found = course(&seen);
                let Some(Course::Slope { first, last }) = found else { panic!("{found:?}") };
                let (low, high) = if turned { (last, first) } else { (first, last) };
                assert!(
                    (low / time[0] - 1.0).abs() < 0.02 && (high / time[15] - 1.0).abs() < 0.03,
                    "{low} {high}"
                );
            }
        }
    }
}

#[test]
fn a_disk_falls_steadily_by_half() {
    for seed in 0..500 {
        let rates = (0..16).map(|place| 200.0 - 100.0 * (f64::from(place) + 0.5) / 16.0);
        let Some(Course::Slope { first, last }) = course(&noisy(rates, seed)) else { panic!("{seed}") };
        assert!((first / 196.9 - 1.0).abs() < 0.02 && (last / 103.1 - 1.0).abs() < 0.02, "{first} {last}");
    }
}

#[test]
fn a_slow_region_has_borders() {
    for seed in 0..500 {
        let found = course(&noisy((0..16).map(|place| half((6..10).contains(&place))), seed)).unwrap();
        let Course::Areas(areas) = found else { panic!("{seed}: {found:?}") };
        let places: Vec<_> = areas.iter().map(|area| (area.first, area.last)).collect();
        assert_eq!(places, [(0, 5), (6, 9), (10, 15)], "{seed}");
        assert!((areas[1].mean / 100.0 - 1.0).abs() < 0.03);
    }
}

#[test]
fn a_border_within_a_place_leaves_it_out() {
    let rates = (0..16).map(|place| if place == 6 { 150.0 } else { half(place > 6) });
    let Some(Course::Areas(areas)) = course(&noisy(rates, 1)) else { panic!() };
    assert_eq!(areas.iter().map(|area| (area.first, area.last)).collect::<Vec<_>>(), [(0, 5), (7, 15)]);
}

#[test]
fn little_differences_and_little_data_say_nothing() {
    assert_eq!(course(&[(1.0, 0.01), (2.0, 0.01)]), None);
    assert_eq!(course(&[(1.0, 0.01), (f64::NAN, 0.01), (1.0, 0.01)]), None);
    assert_eq!(course(&[(0.0, 0.01); 4]), None);
    let exact: Vec<_> = (0..16).map(|place| (if place < 8 { 100.0 } else { 104.0 }, 0.0001)).collect();
    assert!(matches!(course(&exact), Some(Course::Even { .. })));
    let one = course(&(0..16).map(|place| (half(place == 15), 0.01)).collect::<Vec<_>>());
    assert!(matches!(one, Some(Course::Areas(areas)) if areas.last().unwrap().first == 15));
}
