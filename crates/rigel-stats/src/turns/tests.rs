use super::*;
use crate::tests::Noise;

fn turn(round: u32, log_ratio: f64) -> Turn {
    Turn { round, log_ratio, within: None }
}

fn plain(logs: &[f64]) -> Vec<Turn> {
    (0..).zip(logs).map(|(round, &log)| turn(round, log)).collect()
}

#[test]
fn three_rounds_by_hand() {
    // Logarithms 0.0, 0.1, 0.2: mean 0.1, standard deviation 0.1, t(0.975, 2) = 4.3027: 4.3027 x 0.1 / sqrt(3) = 0.24842.
    let found = ratios(&[plain(&[0.0, 0.1, 0.2])], 1.0)[0].interval.unwrap();
    assert!((found.mean - 0.1f64.exp()).abs() < 1e-12 && found.visits == 3, "{found:?}");
    assert!((found.hi95 - 0.348_42f64.exp()).abs() < 1e-4, "{found:?}");
    assert!((found.lo95 - (-0.148_42f64).exp()).abs() < 1e-4, "{found:?}");
}

#[test]
fn a_round_needs_both_and_something_that_came_back() {
    let a = [(0, 100.0, Some(1.0)), (1, 100.0, None), (2, 100.0, None), (4, 0.0, None)];
    let b = [(1, 110.0, Some(1.0)), (2, 120.0, None), (3, 100.0, None), (4, 1.0, None), (0, 80.0, Some(2.0))];
    let found = turns(&a, &b);
    assert_eq!(found.iter().map(|turn| turn.round).collect::<Vec<_>>(), [1, 2, 0]);
    assert!((found[1].log_ratio - 1.2f64.ln()).abs() < 1e-12);
    // One per cent and 2.5 per cent.
    assert!((found[2].within.unwrap() - 0.01f64.hypot(0.025)).abs() < 1e-12 && found[0].within.is_none());
    assert_eq!(ratios(&[turns(&a, &[])], 0.05)[0].interval, None);
}

#[test]
fn what_a_visit_sees_of_its_error_widens_and_never_narrows() {
    let with = |within| {
        let turns = plain(&[0.0, 0.01, -0.01, 0.005]);
        let turns = turns.into_iter().map(|turn| Turn { within, ..turn }).collect::<Vec<_>>();
        ratios(&[turns], 0.05)[0].interval.unwrap().relative_half_width
    };
    assert!(with(Some(0.05)) > 2.0 * with(None));
    assert!((with(Some(1e-6)) / with(None) - 1.0).abs() < 1e-9);
}

/// Counts of whole I/Os may be the same in every round: the ratio of 992 and 498 is that of 992.26 and 498.06 only nearly.
#[test]
fn the_mean_over_pairs_is_no_surer_than_its_visits() {
    let with = |within| {
        let turns: Vec<Turn> = (0..4).map(|round| Turn { within, ..turn(round, 0.1) }).collect();
        overall(&vec![turns; 5], None, 0.95).unwrap()
    };
    // Twenty turns of 0.2 %, in four rounds: t(0.975, 3) = 3.1824 times 0.2 % / sqrt(20).
    let half = with(Some(0.002)).relative_half_width;
    assert!((half - 3.1824 * 0.002 / 20f64.sqrt()).abs() < 1e-5, "{half}");
    assert!(with(None).relative_half_width < 1e-5);
}

/// Rounds that move all pairs: the interval of the mean over pairs must not take them for independent.
#[test]
fn the_mean_over_pairs_holds_what_moves_a_round() {
    let mut noise = Noise::new(5);
    let (mut held, mut alone) = (0, 0);
    for _ in 0..2000 {
        let moved: Vec<f64> = (0..8).map(|_| 0.03 * noise.normal()).collect();
        let pairs: Vec<Vec<Turn>> = (0..5)
            .map(|_| {
                plain(&moved.iter().map(|moved| 0.1 + moved + 0.01 * noise.normal()).collect::<Vec<_>>())
            })
            .collect();
        let truth = 0.1f64.exp();
        let holds = |found: Interval| usize::from(found.lo95 <= truth && truth <= found.hi95);
        held += holds(overall(&pairs, None, 0.95).unwrap());
        alone += holds(ratios(&pairs, 0.05)[0].interval.unwrap());
    }
    assert!((1860..=1940).contains(&held), "{held} of 2000");
    assert!((1840..=1960).contains(&alone), "{alone} of 2000");
}

/// Points that were done early have fewer rounds than others.
#[test]
fn the_mean_over_pairs_takes_rounds_that_not_all_have() {
    let mut noise = Noise::new(6);
    let mut held = 0;
    for _ in 0..2000 {
        let moved: Vec<f64> = (0..16).map(|_| 0.02 * noise.normal()).collect();
        let pair = |rounds: usize, noise: &mut Noise| {
            plain(&moved[..rounds].iter().map(|moved| moved + 0.02 * noise.normal()).collect::<Vec<_>>())
        };
        let pairs: Vec<Vec<Turn>> = [6, 6, 8, 16].map(|rounds| pair(rounds, &mut noise)).into();
        let found = overall(&pairs, None, 0.95).unwrap();
        held += usize::from(found.lo95 <= 1.0 && 1.0 <= found.hi95);
    }
    assert!((1850..=1950).contains(&held), "{held} of 2000");
}

#[test]
fn complete_rounds_are_students_t_on_their_means() {
    let pairs = [plain(&[0.0, 0.2, 0.4]), plain(&[0.2, 0.2, 0.2])];
    // Means of the rounds 0.1, 0.2, 0.3: the same deviation as above.
    let found = overall(&pairs, None, 0.95).unwrap();
    assert!((found.mean - 0.2f64.exp()).abs() < 1e-12 && (found.df - 2.0).abs() < 1e-9, "{found:?}");
    assert!((found.hi95.ln() - 0.2 - 0.248_42).abs() < 1e-4, "{found:?}");
    let surer = overall(&pairs, None, 0.99).unwrap();
    assert!(surer.hi95 > found.hi95 && surer.lo95 < found.lo95);
    assert_eq!(overall(&[plain(&[0.1])], None, 0.95), None);
    assert_eq!(overall(&[], None, 0.95), None);
    let spread = ratios(&pairs[..1], 0.05)[0];
    let one = overall(&pairs[..1], Some(&spread.spread), 0.95).unwrap();
    assert!((one.hi95 - spread.interval.unwrap().hi95).abs() < 1e-12, "one pair has one interval");
}
