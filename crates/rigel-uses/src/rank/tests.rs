use super::*;
use rigel_core::judge::quantity::{Scope, What};
use rigel_core::load::class::Class;
use rigel_core::stats::Interval;
use rigel_core::stats::sample::{mean, sum_of_squares};
use rigel_core::testing::Noise;

const RATE: Quantity = Quantity::new(Scope::Alone, What::Rate, Class::SMALL);
const LATENCY: Quantity = Quantity::new(Scope::Alone, What::Mean, Class::SMALL);

fn run(value: f64, half: f64, df: f64) -> RunQuantity {
    let estimate = Interval::symmetric(value, half, 8, df).unwrap().into();
    RunQuantity { estimate, geometric: false, invalid: false, rounding: 0.0 }
}

fn field(quantity: Quantity, numbers: Vec<Vec<RunQuantity>>) -> Field {
    Field { quantity, past: vec![None; numbers.len()], numbers, chosen_among: 1 }
}

fn ranked(quantity: Quantity, numbers: Vec<Vec<RunQuantity>>) -> (Vec<RankRow>, Vec<Pair>) {
    field(quantity, numbers).ranked(|_, _| false)
}

/// A run of eight visits to a storage of that mean, each 3 % off.
fn measured(noise: &mut Noise, truth: f64) -> RunQuantity {
    let visits: Vec<f64> = (0..8).map(|_| truth * (1.0 + 0.03 * noise.normal())).collect();
    let half = 2.364_624 * (sum_of_squares(&visits) / 7.0 / 8.0).sqrt() / mean(&visits);
    run(mean(&visits), half, 7.0)
}

#[test]
fn the_better_figure_is_first_whichever_way() {
    let numbers = || [900.0, 2000.0, 1000.0].map(|value| vec![run(value, 0.01, 7.0)]).to_vec();
    let order = |quantity| ranked(quantity, numbers()).0.iter().map(|row| row.storage).collect::<Vec<_>>();
    assert_eq!((order(RATE), order(LATENCY)), (vec![1, 2, 0], vec![0, 2, 1]));
    let (rows, pairs) = ranked(RATE, numbers());
    assert!(pairs.iter().all(Pair::is_sure), "{pairs:?}");
    assert_eq!(rows.iter().map(|row| (row.from, row.to)).collect::<Vec<_>>(), [(1, 1), (2, 2), (3, 3)]);
    assert_eq!(groups(3, &pairs), Vec::<Vec<usize>>::new());
}

#[test]
fn neighbours_that_overlap_are_groups_and_share_places() {
    // 4 % apart with intervals of 2 % each: neighbours cannot be told apart, others can.
    let numbers = [1000.0, 980.0, 960.0, 500.0].map(|value| vec![run(value, 0.015, 20.0)]).to_vec();
    let (rows, pairs) = ranked(RATE, numbers);
    let sure: Vec<(usize, usize)> =
        pairs.iter().filter(|pair| pair.is_sure()).map(|pair| (pair.ahead, pair.behind)).collect();
    assert_eq!(sure, [(0, 2), (0, 3), (1, 3), (2, 3)]);
    assert_eq!(groups(4, &pairs), [vec![0, 1], vec![1, 2]]);
    let places: Vec<(usize, usize)> = rows.iter().map(|row| (row.from, row.to)).collect();
    assert_eq!(places, [(1, 2), (1, 3), (2, 3), (4, 4)]);
}

/// What nothing completed on is last, whichever way is better, and nothing is certain of it, nor of what has no interval.
#[test]
fn figures_that_say_little_are_never_sure() {
    let nothing =
        RunQuantity { estimate: Estimate::bare(0.0), geometric: false, invalid: false, rounding: 0.0 };
    let bare = RunQuantity { estimate: Estimate::bare(5000.0), ..nothing };
    let bad = RunQuantity { invalid: true, ..run(1.0, 0.01, 7.0) };
    for quantity in [RATE, LATENCY] {
        let numbers = [nothing, bare, bad, run(1000.0, 0.01, 7.0)].map(|one| vec![one]).to_vec();
        let (rows, pairs) = ranked(quantity, numbers);
        assert_eq!(rows.last().unwrap().storage, 0);
        assert!(!pairs.iter().any(Pair::is_sure), "{pairs:?}");
        assert!(rows.iter().all(|row| (row.from, row.to) == (1, 4)), "{rows:?}");
        assert_eq!(groups(4, &pairs), [vec![0, 1, 2, 3]]);
    }
    let unlike = field(RATE, vec![vec![run(1000.0, 0.01, 7.0)], vec![run(9.0, 0.01, 7.0)]]);
    let pairs = unlike.ranked(|_, _| true).1;
    assert_eq!(pairs[0].change, Err(Doubt::UnequalLevels));
}

/// The promise: of storages that are equal, in at most 5 of 100 rankings any is certainly ahead of any other.
#[test]
fn equal_storages_are_rarely_told_apart() {
    let mut noise = Noise::new(41);
    for runs in [1, 3] {
        let mut wrong = 0;
        for _ in 0..2000 {
            let numbers = (0..5).map(|_| (0..runs).map(|_| measured(&mut noise, 1000.0)).collect()).collect();
            wrong += usize::from(ranked(RATE, numbers).1.iter().any(Pair::is_sure));
        }
        // 5 % of 2000 are 100, with a standard deviation of 10.
        assert!(wrong <= 100, "{wrong} of 2000 with {runs} runs of each");
        assert!(runs > 1 || wrong > 20, "intervals that find next to nothing prove nothing: {wrong}");
    }
}

/// Ranks of five with two equal: the order is found where the figures differ, and the equal ones are not told apart.
#[test]
fn true_differences_are_found_and_equal_ones_are_not() {
    let mut noise = Noise::new(42);
    let truths = [1000.0, 800.0, 1000.0, 650.0, 500.0];
    let (mut right, mut parted) = (0, 0);
    for _ in 0..500 {
        let numbers = truths.map(|truth| vec![measured(&mut noise, truth)]).to_vec();
        let (rows, pairs) = ranked(RATE, numbers);
        let places: Vec<(usize, usize)> = rows.iter().map(|row| (row.from, row.to)).collect();
        parted += usize::from(pairs[0].is_sure());
        right += usize::from(places == [(1, 2), (1, 2), (3, 3), (4, 4), (5, 5)]);
    }
    assert!(parted <= 25 && right >= 450, "parted {parted}, right {right} of 500");
}

/// A place is right for every storage at once in 95 of 100 rankings.
#[test]
fn places_hold_the_truth() {
    let mut noise = Noise::new(43);
    let truths = [1000.0, 990.0, 970.0, 950.0, 900.0];
    let mut held = 0;
    for _ in 0..1000 {
        let numbers = truths.map(|truth| vec![measured(&mut noise, truth)]).to_vec();
        let rows = ranked(RATE, numbers).0;
        held += usize::from(rows.iter().all(|row| (row.from..=row.to).contains(&(row.storage + 1))));
    }
    assert!(held >= 950, "{held} of 1000");
}
