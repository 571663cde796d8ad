use super::*;
use crate::tests::Noise;
use crate::units::to_f64;

/// Loads, by their outstanding I/Os.
const LOADS: [usize; 6] = [1, 2, 4, 8, 16, 32];
const ROUNDS: usize = 12;

/// A device of eight stations of 2 ms each.
fn wanted(load: usize) -> f64 {
    500.0 * count(LOADS[load].min(8))
}

/// Rounds of visits in an order by chance. `rate`: of a load, at a time. `bucket`: credit, the most of it, and what comes in a second.
fn visits(
    seed: u64,
    loads: &[usize],
    mut rate: impl FnMut(usize, f64) -> f64,
    bucket: Option<(f64, f64)>,
) -> Vec<LoadVisit> {
    let mut noise = Noise::new(seed);
    let (mut now_s, mut has) = (0.0, bucket.map_or(0.0, |(most, _)| most));
    let mut found = Vec::new();
    for _ in 0..ROUNDS {
        let mut order: Vec<(f64, usize)> = loads.iter().map(|&load| (noise.uniform(), load)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (_, load) in order {
            let (rest_s, length_s) = (0.1 + 0.1 * noise.uniform(), 0.5 + 0.5 * noise.uniform());
            let began_s = now_s + rest_s;
            let would = rate(load, now_s) * length_s * (1.0 + 0.02 * noise.normal());
            let amount = bucket.map_or(would, |(most, refill)| {
                has = (has + refill * rest_s).min(most);
                let amount = would.min(has + refill * length_s);
                has = (has + refill * length_s - amount).min(most);
                amount
            });
            now_s = began_s + length_s;
            found.push(LoadVisit { load, began_s, ended_s: now_s, amount, asked: None });
        }
    }
    found
}

fn all() -> Vec<usize> {
    (0..LOADS.len()).collect()
}

#[test]
fn a_bucket_that_runs_out_is_found_with_its_refill() {
    for seed in 0..30 {
        // From a third to two thirds of the run, and refills between the slowest load and the fastest.
        let refill = 600.0 + 30.0 * count(usize::try_from(seed).unwrap());
        let of = visits(seed, &all(), |load, _| wanted(load), Some((28_000.0, refill)));
        let found = lasting_fall(&of).unwrap_or_else(|| panic!("seed {seed}"));
        assert!((found.low / refill - 1.0).abs() < 0.03, "seed {seed}: {found:?}, {refill}");
        assert!((3600.0..4500.0).contains(&found.high), "seed {seed}: {found:?}");
        // One load alone shows it as well.
        let of = visits(seed, &[5], |load, _| wanted(load), Some((15_000.0, refill)));
        assert!(lasting_fall(&of).is_none_or(|found| (found.low / refill - 1.0).abs() < 0.03), "seed {seed}");
    }
}

/// Rates that are searched: up until the storage does not serve them, then down until it does. `capacity`: at a time.
fn search(capacity: impl Fn(f64) -> f64, credit: f64, refill: f64, noise: &mut Noise) -> Vec<LoadVisit> {
    let (mut now_s, mut has) = (0.0, credit);
    let (mut good, mut bad) = (100.0, 25_600.0_f64);
    let mut found: Vec<LoadVisit> = Vec::new();
    let mut asked: Vec<f64> = Vec::new();
    for _ in 0..60 {
        let rate: f64 = if bad > 1.1 * good { (good * bad).sqrt().round() } else { good };
        let load = asked.iter().position(|one| *one == rate).unwrap_or_else(|| {
            asked.push(rate);
            asked.len() - 1
        });
        let length_s = 1.5;
        let would = rate.min(capacity(now_s)) * length_s * (1.0 + 0.01 * noise.normal());
        let amount = would.min(has + refill * length_s);
        has = (has + refill * length_s - amount).min(credit);
        let (began_s, ended_s) = (now_s, now_s + length_s);
        now_s = ended_s;
        if amount < 0.97 * rate * length_s {
            (bad, good) = (rate, good.min(0.7 * rate));
        } else {
            good = rate;
        }
        found.push(LoadVisit { load, began_s, ended_s, amount, asked: Some(rate) });
    }
    found
}

/// Loads that are visited once each have no rate of their own before the fall, but they were asked for one.
#[test]
fn rates_that_are_searched_show_that_credit_ran_out_and_nothing_else() {
    for seed in 0..30 {
        let mut noise = Noise::new(seed);
        let refill = 800.0 + 50.0 * to_f64(seed);
        let of = search(|_| 8000.0, 150_000.0, refill, &mut noise);
        let found = lasting_fall(&of).unwrap_or_else(|| panic!("seed {seed}: {refill}"));
        assert!((found.low / refill - 1.0).abs() < 0.03, "seed {seed}: {found:?} of {refill}");
        assert!(found.high > 7000.0, "seed {seed}: {found:?}");
        for part in [0.0, -0.6, -0.2, 0.3] {
            let drift = |now_s: f64| 8000.0 * (1.0 + part * now_s / 60.0).max(0.2);
            assert_eq!(lasting_fall(&search(drift, 1e12, 1e6, &mut noise)), None, "{part}, seed {seed}");
        }
        let swings = |now_s: f64| if (now_s / 17.0 + to_f64(seed)) % 2.0 < 1.0 { 8000.0 } else { 4000.0 };
        assert_eq!(lasting_fall(&search(swings, 1e12, 1e6, &mut noise)), None, "swings, seed {seed}");
        assert_eq!(lasting_fall(&search(|_| 8000.0, 1.0, refill, &mut noise)), None, "empty, seed {seed}");
    }
}

/// Each for all loads, and for one alone.
#[test]
fn what_is_no_fall_for_good_is_never_called_one() {
    for seed in 0..30 {
        for loads in [all(), vec![5], vec![3, 4, 5]] {
            let constant = visits(seed, &loads, |load, _| wanted(load), None);
            assert_eq!(lasting_fall(&constant), None, "constant, seed {seed}");
            for part in [-0.6, -0.35, -0.2, 0.3] {
                let drift = |load, now_s: f64| wanted(load) * (1.0 + part * now_s / 60.0).max(0.2);
                assert_eq!(
                    lasting_fall(&visits(seed, &loads, drift, None)),
                    None,
                    "drift {part}, seed {seed}"
                );
            }
            for (share, low) in [(0.3, 0.7), (0.5, 0.4), (0.7, 0.5)] {
                let mut noise = Noise::new(seed + 1000);
                let modes = |load, _| wanted(load) * if noise.uniform() < share { low } else { 1.0 };
                assert_eq!(
                    lasting_fall(&visits(seed, &loads, modes, None)),
                    None,
                    "modes {share}, seed {seed}"
                );
            }
            let full = visits(seed, &loads, |load, _| wanted(load), Some((1e9, 100.0)));
            assert_eq!(lasting_fall(&full), None, "credit for long, seed {seed}");
        }
        // Slower as a whole, also where it had time left.
        let slower =
            visits(seed, &all(), |load, now_s| wanted(load) * if now_s < 25.0 { 1.0 } else { 0.5 }, None);
        assert_eq!(lasting_fall(&slower), None, "slower, seed {seed}");
        let empty = visits(seed, &all(), |load, _| wanted(load), Some((1.0, 800.0)));
        assert_eq!(lasting_fall(&empty), None, "empty before, seed {seed}");
    }
}

#[test]
fn a_few_visits_say_nothing() {
    let of = visits(1, &all(), |load, _| wanted(load), Some((28_000.0, 900.0)));
    assert!(lasting_fall(&of).is_some());
    assert_eq!(lasting_fall(&of[..8]), None);
    assert_eq!(lasting_fall(&[]), None);
    // One of two states may come last by chance.
    let visit = |number: usize| {
        let began_s = 1.1 * count(number);
        LoadVisit {
            load: 0,
            began_s,
            ended_s: began_s + 1.0,
            amount: if number < 4 { 1000.0 } else { 500.0 },
            asked: None,
        }
    };
    let few: Vec<LoadVisit> = (0..12).map(visit).collect();
    assert_eq!(lasting_fall(&few), None);
    let many: Vec<LoadVisit> = (0..40).map(visit).collect();
    assert!(lasting_fall(&many).is_some(), "only so many say that it stays");
    assert!((odds(2, 2) - 6.0).abs() < 1e-9 && (odds(8, 3) - 165.0).abs() < 1e-9);
}
