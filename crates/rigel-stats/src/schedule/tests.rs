use super::*;
use crate::sample::count;
use crate::units::{NS_PER_MS, NS_PER_S};
use proptest::prelude::*;
use std::cell::{Cell, RefCell};

/// One visit as it was made.
#[derive(Clone, Copy, Debug, PartialEq)]
struct VisitLog {
    order: VisitOrder,
    began_ns: u64,
    ended_ns: u64,
}

/// Carries out a schedule with visits that last settle + measure; `is_done(point, rounds)` answers the looks.
fn carry_out(
    schedule: &mut Schedule,
    is_done: impl Fn(usize, usize) -> bool,
) -> (Vec<VisitLog>, Reason, usize) {
    let mut now = 0;
    let mut made: Vec<VisitLog> = Vec::new();
    let mut looks = 0;
    loop {
        match schedule.next(now) {
            Next::Visit(order) => {
                assert_eq!(schedule.next(now + 1), Next::Visit(order), "asking twice changes nothing");
                let ended_ns = now + schedule.parameters.settle_ns + order.measure_ns;
                made.push(VisitLog { order, began_ns: now, ended_ns });
                now = ended_ns;
                schedule.finished(now, 1e4);
            }
            Next::Wait(ns) => {
                assert!(ns > 0);
                now += ns;
            }
            Next::Look => {
                looks += 1;
                let visits = |point| made.iter().filter(|made| is_round_of(made, point)).count();
                schedule.looked(|point| is_done(point, visits(point)));
            }
            Next::Done(reason) => return (made, reason, looks),
        }
    }
}

fn is_round_of(made: &VisitLog, point: usize) -> bool {
    made.order.point == point && matches!(made.order.purpose, Purpose::Round(_))
}

fn one_phase(points: usize, seed: u64) -> Schedule {
    let phase = Phase { points: (0..points).collect(), ..Phase::default() };
    Schedule::new(vec![phase], Parameters::default(), Generator::new(seed, &[1]))
}

/// The points of each round, in order.
fn rounds(made: &[VisitLog]) -> Vec<Vec<usize>> {
    let mut rounds: Vec<Vec<usize>> = Vec::new();
    for visit in made {
        if let Purpose::Round(round) = visit.order.purpose {
            let round = usize::try_from(round).unwrap();
            rounds.resize(rounds.len().max(round + 1), Vec::new());
            rounds[round].push(visit.order.point);
        }
    }
    rounds
}

fn least_gap(made: &[VisitLog]) -> u64 {
    let mut last = BTreeMap::new();
    let gaps = made.iter().filter_map(|visit| {
        last.insert(visit.order.point, visit.ended_ns).map(|ended: u64| visit.began_ns - ended)
    });
    gaps.min().unwrap_or(u64::MAX)
}

#[test]
fn a_quiet_matrix_takes_four_rounds() {
    let (made, reason, looks) = carry_out(&mut one_phase(18, 1), |_, _| true);
    assert_eq!((made.len(), reason, looks), (4 * 18, Reason::Reached, 1));
    let minutes = made.last().unwrap().ended_ns / NS_PER_S;
    assert!((180..240).contains(&minutes), "{minutes} s instead of 18 minutes");
}

#[test]
fn every_round_has_every_live_point_once_and_its_own_order() {
    let mut schedule = one_phase(12, 7);
    // Point p is done once it has had p rounds, so they leave one after the other.
    let (made, reason, looks) = carry_out(&mut schedule, |point, rounds| rounds >= point);
    let rounds = rounds(&made);
    assert_eq!((rounds.len(), looks, reason), (11, 8, Reason::Reached));
    for (number, round) in rounds.iter().enumerate() {
        let mut sorted = round.clone();
        sorted.sort_unstable();
        let first = if number < 4 { 0 } else { number + 1 };
        assert_eq!(sorted, (first..12).collect::<Vec<_>>(), "round {number}");
    }
    for pair in rounds[..5].windows(2) {
        assert_ne!(pair[0], pair[1]);
    }
}

#[test]
fn the_same_seed_gives_the_same_order_and_another_one_another() {
    let run = |seed| carry_out(&mut one_phase(10, seed), |point, rounds| rounds > point).0;
    assert_eq!(run(3), run(3));
    assert_ne!(rounds(&run(3))[0], rounds(&run(4))[0]);
}

#[test]
fn orders_are_uniform() {
    let mut first = [[0u32; 4]; 4];
    let mut generator = Generator::new(5, &[]);
    for _ in 0..4000 {
        let mut items = [0, 1, 2, 3];
        generator.shuffle(&mut items);
        items.iter().enumerate().for_each(|(place, &item)| first[place][item] += 1);
    }
    // Standard deviation 27: five of them.
    assert!(first.iter().flatten().all(|n| n.abs_diff(1000) < 137), "{first:?}");
}

#[test]
fn rests_are_filled_with_points_that_are_done() {
    let mut schedule = one_phase(18, 2);
    let (made, reason, _) = carry_out(&mut schedule, |point, _| point != 5);
    assert_eq!((reason, schedule.unreached()), (Reason::MostVisits, vec![5]));
    let fills: Vec<&VisitLog> = made.iter().filter(|made| made.order.purpose == Purpose::FillsGap).collect();
    // Eight more rounds of point 5, all but the first behind 20 s in which eight visits fit.
    assert!((56..=64).contains(&fills.len()), "{}", fills.len());
    assert!(fills.iter().all(|made| made.order.point != 5));
    let distinct: BTreeSet<usize> = fills.iter().map(|made| made.order.point).collect();
    assert!(distinct.len() > 12, "{distinct:?}");
    let last_rounds = &made[made.len() - 60..];
    let idle: u64 = last_rounds.windows(2).map(|pair| pair[1].began_ns - pair[0].ended_ns).sum();
    assert_eq!(idle, 0);
}

fn visits_to(made: &[VisitLog], point: usize) -> usize {
    made.iter().filter(|made| made.order.point == point).count()
}

#[test]
fn a_point_that_is_done_no_longer_is_visited_again() {
    let looks = Cell::new(0);
    // Point 0 is never asked about after the others, so its answer counts the looks.
    let is_done = |point: usize, rounds: usize| {
        looks.set(looks.get() + usize::from(point == 0));
        match point {
            // Done at the first look, not at the third, and again with two more visits.
            3 => looks.get() < 3 || rounds >= 6,
            9 => rounds >= 7,
            _ => true,
        }
    };
    let mut schedule = one_phase(18, 4);
    let (made, reason, looked) = carry_out(&mut schedule, is_done);
    let rounds = |point| made.iter().filter(|made| is_round_of(made, point)).count();
    assert_eq!((reason, schedule.unreached()), (Reason::Reached, vec![]));
    assert_eq!((rounds(3), rounds(9), rounds(5)), (6, 7, 4));
    assert_eq!(looked, 5, "after 4 rounds, two with point 9, one with both, one with point 3");
    let numbers: Vec<u32> = made
        .iter()
        .filter_map(|made| match made.order.purpose {
            Purpose::Round(round) if made.order.point == 3 => Some(round),
            _ => None,
        })
        .collect();
    assert_eq!(numbers, [0, 1, 2, 3, 6, 7]);
    assert!(least_gap(&made) >= 20 * NS_PER_S);
}

#[test]
fn a_point_that_opens_at_the_last_look_has_its_own_visits_left() {
    let looks = Cell::new(0);
    let is_done = |point: usize, _: usize| {
        looks.set(looks.get() + usize::from(point == 0));
        // Point 3 is done until point 9 has made its last visit, and never again.
        point != 9 && (point != 3 || looks.get() < 9)
    };
    let mut schedule = one_phase(18, 4);
    let (made, reason, _) = carry_out(&mut schedule, is_done);
    let rounds = |point| made.iter().filter(|made| is_round_of(made, point)).count();
    assert_eq!((reason, schedule.unreached()), (Reason::MostVisits, vec![3, 9]));
    assert_eq!((rounds(9), rounds(5)), (12, 4));
    // Visits that filled gaps were visits too.
    assert!(rounds(3) > 4 && visits_to(&made, 3) == 12, "{} and {}", rounds(3), visits_to(&made, 3));
    let all: BTreeSet<u32> = made
        .iter()
        .filter_map(|made| if let Purpose::Round(round) = made.order.purpose { Some(round) } else { None })
        .collect();
    assert!(all.last() > Some(&11), "rounds go on behind the twelfth");
    assert_eq!(all.len(), usize::try_from(all.last().unwrap() + 1).unwrap(), "none is left out");
}

#[test]
fn few_points_wait_and_get_more_visits() {
    let (made, _, looks) = carry_out(&mut one_phase(1, 2), |_, _| true);
    assert_eq!((made.len(), looks, least_gap(&made)), (6, 1, 10 * NS_PER_S));
}

#[test]
fn phases_follow_in_order_with_long_visits_first_and_a_pause_between() {
    let long = |point, seconds| LongVisit { point, measure_ns: seconds * NS_PER_S };
    let phases = vec![
        Phase { points: (0..5).collect(), long_visits: vec![long(4, 20)], ..Phase::default() },
        Phase::default(),
        Phase { points: (5..10).collect(), long_visits: vec![long(9, 60), long(7, 60)], ..Phase::default() },
    ];
    let mut schedule = Schedule::new(phases, Parameters::default(), Generator::new(1, &[]));
    let (made, reason, looks) = carry_out(&mut schedule, |_, _| true);
    assert_eq!((reason, looks, schedule.phase()), (Reason::Reached, 2, 3));
    let purposes: Vec<Purpose> = made.iter().map(|made| made.order.purpose).collect();
    assert_eq!(
        (made.len(), purposes[0], purposes[21..23].to_vec()),
        (43, Purpose::Long, vec![Purpose::Long; 2])
    );
    assert!(made[..21].iter().all(|made| made.order.point < 5));
    assert!(made[21..].iter().all(|made| made.order.point >= 5));
    assert_eq!(made[21].began_ns - made[20].ended_ns, 10 * NS_PER_S);
    assert_eq!(made[0].order.measure_ns, 20 * NS_PER_S);
}

#[test]
fn the_time_limit_ends_everything() {
    let parameters = Parameters { time_limit_ns: Some(100 * NS_PER_S), ..Parameters::default() };
    let phases = vec![Phase { points: (0..18).collect(), ..Phase::default() }; 2];
    let mut schedule = Schedule::new(phases, parameters, Generator::new(1, &[]));
    let (made, reason, _) = carry_out(&mut schedule, |_, _| true);
    assert_eq!(reason, Reason::OutOfTime);
    assert!(made.iter().all(|made| made.began_ns < 100 * NS_PER_S));
    assert!(made.last().unwrap().ended_ns > 80 * NS_PER_S);
    assert_eq!(schedule.unreached().len(), 36);
}

#[test]
fn slow_points_and_a_warm_up_lengthen_visits_and_slow_noise_the_gap() {
    let mut schedule = one_phase(4, 1);
    let mut orders = BTreeMap::new();
    let mut now = 0;
    for _ in 0..8 {
        if let Next::Wait(ns) = schedule.next(now) {
            now += ns;
        }
        let Next::Visit(order) = schedule.next(now) else { panic!("a visit") };
        orders.insert(order.point, order.measure_ns / NS_PER_S);
        // Point 1 does 40 I/Os per second: 200 need 5 s.
        now += order.measure_ns;
        schedule.finished(now, if order.point == 1 { 40.0 } else { 1e5 });
    }
    assert_eq!(orders, BTreeMap::from([(0, 2), (1, 5), (2, 2), (3, 2)]));
    schedule.lengthen(0);
    schedule.lengthen(2500 * NS_PER_MS);
    schedule.double_gap();
    let Next::Wait(rest) = schedule.next(now) else { panic!("a rest") };
    assert!((30..=40).contains(&(rest / NS_PER_S)), "{rest}");
    let Next::Visit(order) = schedule.next(now + rest) else { panic!("a visit") };
    assert_eq!(order.measure_ns / NS_PER_S, if order.point == 1 { 5 } else { 4 });
}

#[test]
fn visits_become_longer_step_by_step() {
    let mut schedule = one_phase(4, 1);
    let mut lengths = Vec::new();
    for visit_ns in [0, 2500, 4499, 4500, 2500, 8500, 9000].map(|ms| ms * NS_PER_MS) {
        schedule.lengthen(visit_ns);
        lengths.push(schedule.measure_ns / NS_PER_S);
    }
    assert_eq!(lengths, [4, 4, 4, 8, 8, 8, 8]);
}

/// A length comes to count after as many visits as come before the first look; where there is room for fewer lengths than
/// there are, the longest is what remains to be tried.
#[test]
fn visits_become_longer_only_if_that_can_still_count() {
    for (points, made, seconds) in [(4, 4, 4), (4, 5, 8), (4, 8, 8), (4, 9, 2), (1, 6, 8), (1, 7, 2)] {
        let mut schedule = one_phase(points, 1);
        schedule.visits = (0..points).map(|point| (point, made)).collect();
        schedule.lengthen(0);
        assert_eq!(schedule.measure_ns / NS_PER_S, seconds, "{points} points, {made} visits to each");
        schedule.visits.values_mut().for_each(|made| *made += 1);
        schedule.lengthen(0);
        assert_eq!(schedule.measure_ns / NS_PER_S, seconds, "what was begun goes on");
    }
}

#[test]
fn answers_that_were_not_asked_for_change_nothing() {
    let mut schedule = one_phase(4, 1);
    schedule.finished(5, 1.0);
    schedule.looked(|_| true);
    let Next::Visit(order) = schedule.next(0) else { panic!("a visit") };
    schedule.looked(|_| true);
    assert_eq!(schedule.next(0), Next::Visit(order));
    assert_eq!(schedule.unreached().len(), 4);
}

proptest! {
    #[test]
    fn visits_to_a_point_keep_their_distance(
        points in 1usize..24, seed in any::<u64>(), patience in proptest::collection::vec(0usize..15, 24),
    ) {
        let mut schedule = one_phase(points, seed);
        let (made, _, _) = carry_out(&mut schedule, |point, rounds| rounds >= patience[point]);
        let gap = schedule.parameters.gap_for(points);
        prop_assert!(least_gap(&made) >= gap);
        for (point, patience) in patience.iter().enumerate().take(points) {
            let first = if points < 4 { 6 } else { 4 };
            let count = made.iter().filter(|made| is_round_of(made, point)).count();
            prop_assert_eq!(count, (*patience).clamp(first, 12));
        }
    }
}

proptest! {
    /// Whatever the looks say, a phase ends, and a point that is not done has had all of its visits.
    #[test]
    fn a_phase_ends_though_points_come_and_go(points in 1usize..20, seed in any::<u64>(), chance in 0.0f64..1.0) {
        let mut schedule = one_phase(points, seed);
        let noise = RefCell::new(Generator::new(seed, &[3]));
        let last = RefCell::new(vec![false; points]);
        let (made, reason, looks) = carry_out(&mut schedule, |point, _| {
            let done = noise.borrow_mut().unit() < chance;
            last.borrow_mut()[point] = done;
            done
        });
        let last = last.into_inner();
        let open: Vec<usize> = (0..points).filter(|&point| !last[point]).collect();
        prop_assert_eq!(&schedule.unreached(), &open);
        prop_assert_eq!(reason, if open.is_empty() { Reason::Reached } else { Reason::MostVisits });
        prop_assert!(least_gap(&made) >= schedule.parameters.gap_for(points));
        prop_assert!(looks >= 1 && looks <= 12 * points);
        for (point, &done) in last.iter().enumerate() {
            let rounds = made.iter().filter(|made| is_round_of(made, point)).count();
            prop_assert!(rounds <= 12);
            prop_assert!(done || visits_to(&made, point) >= 12, "point {}", point);
        }
    }
}

/// Rounds must not repeat one another: the spread over visits would then be that of one order.
#[test]
fn rounds_follow_no_pattern() {
    for points in [5, 7, 12, 17, 20] {
        let (mut same_predecessor, mut pairs, mut alike, mut rounds) = (0, 0, 0, 0);
        for seed in 0..40 {
            let phase = Phase { points: (0..points).collect(), ..Phase::default() };
            let parameters = Parameters::default();
            let mut schedule = Schedule::new(vec![phase], parameters, Generator::new(seed, &[9]));
            let mut orders: Vec<Vec<usize>> = vec![Vec::new()];
            let mut now = 0;
            loop {
                match schedule.next(now) {
                    Next::Wait(ns) => now += ns,
                    Next::Visit(order) => {
                        now += parameters.settle_ns + order.measure_ns;
                        schedule.finished(now, 1e4);
                        if orders[orders.len() - 1].len() == points {
                            orders.push(Vec::new());
                        }
                        orders.last_mut().unwrap().push(order.point);
                    }
                    Next::Look => schedule.looked(|_| false),
                    Next::Done(_) => break,
                }
            }
            for two in orders.windows(2) {
                let after = |order: &[usize]| order.windows(2).map(|p| (p[0], p[1])).collect::<Vec<_>>();
                let before = after(&two[0]);
                same_predecessor += after(&two[1]).iter().filter(|pair| before.contains(pair)).count();
                pairs += points - 1;
                alike += usize::from(two[0] == two[1]);
                rounds += 1;
            }
        }
        // Of n points each follows a given other one in one round of n.
        let share = count(same_predecessor) / count(pairs);
        assert!(share < 2.0 / count(points), "{points} points: {share}");
        assert!(count(alike) / count(rounds) < 0.03, "{points} points: {alike} of {rounds} rounds repeat");
    }
}
