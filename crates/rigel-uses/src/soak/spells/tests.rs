use super::*;
use rigel_core::load::matrix::Point;
use rigel_core::load::phase::Phase;
use rigel_core::load::plan::Plan;
use rigel_core::load::soak::Soak;
use rigel_core::load::task::Task;
use rigel_core::measure::{ByTarget, ClassTally, OpenTally, Series};
use rigel_core::record::{Interval, Record};
use rigel_core::testing::header;
use rigel_core::units::NS_PER_S;

/// Parts of an interval of a second.
const PARTS: u64 = 20;
const PART_NS: u64 = NS_PER_S / PARTS;

/// A part of an interval: I/Os per second, and what each takes.
#[derive(Clone, Copy)]
struct Pace {
    per_s: u64,
    us: u64,
}

/// Four in flight of 1 ms each.
const USUAL: Pace = Pace { per_s: 4000, us: 1000 };
const SILENT: Pace = Pace { per_s: 0, us: 0 };

/// The same four in flight, so many times slower.
fn slow(times: u64) -> Pace {
    Pace { per_s: USUAL.per_s / times, us: USUAL.us * times }
}

/// A soak of phases of that load each, in turn, with an interval for each visit.
fn soak(loads: &[u32]) -> Record {
    let mut header = header();
    let phase = |&level| Phase { time: Nanos::from_secs(1), point: Point::pair(level, 0), shape: None };
    let soak = Soak { every: Nanos::from_secs(1), ..Soak::new(Nanos::from_secs(60)) };
    header.request.task = Task::soak(soak, loads.iter().map(phase).collect());
    header.plan = Plan::new(&header.request, &header.nodes.first().host, &header.targets).unwrap();
    Record::begun(header)
}

/// An interval of a second with that pace in each of its parts.
fn add(record: &mut Record, paces: &[Pace]) {
    let number = record.intervals.len() as u64;
    let mut tally = ClassTally::new(8192, 4, NS_PER_S);
    let mut series = Series { bucket_ns: PART_NS, ops: Vec::new(), latency_sum_ns: Vec::new() };
    for (part, pace) in (0..).zip(paces) {
        // Of fewer than one in a part, every other part has one.
        let ops = (part + 1) * pace.per_s / PARTS - part * pace.per_s / PARTS;
        (0..ops).for_each(|_| tally.reads.record(pace.us * 1000));
        series.ops.push(u32::try_from(ops).unwrap());
        series.latency_sum_ns.push(ops * pace.us * 1000);
    }
    tally.series = series;
    record.intervals.push(Interval {
        visit: number,
        began_ns: number * NS_PER_S,
        measured_ns: NS_PER_S,
        tallies: [(Class::SMALL, tally)].into(),
        governed: None,
    });
}

/// Seconds of that pace, one load.
fn seconds(paces: &[Pace]) -> Record {
    let mut record = soak(&[4]);
    paces.iter().for_each(|pace| add(&mut record, &[*pace; 20]));
    record
}

/// Where each spell begins, and its length, in milliseconds.
fn told(record: &Record) -> Vec<(u64, u64)> {
    of(record).iter().map(|one| (one.began_ns / 1_000_000, one.lasted.0 / 1_000_000)).collect()
}

#[test]
fn a_spell_is_told_with_its_length_however_much_of_the_load_it_covers() {
    assert_eq!(told(&seconds(&[USUAL; 10])), []);
    for times in [5, 20, 100] {
        let mut paces = [USUAL; 10];
        paces[3..5].fill(slow(times));
        assert_eq!(told(&seconds(&paces)), [(3000, 2000)], "{times} times");
        let half = [[USUAL; 2], [slow(times); 2]].concat();
        assert_eq!(told(&seconds(&half)), [(2000, 2000)], "half of it all, {times} times");
        assert_eq!(told(&seconds(&half[1..])), [(1000, 2000)], "of three intervals two, {times} times");
    }
    assert_eq!(told(&seconds(&[USUAL, slow(2), USUAL, slow(3), USUAL])), [], "not that much slower");
}

/// Neither half of them is a majority of its interval.
#[test]
fn a_spell_within_two_intervals_is_told_by_its_parts() {
    let mut record = soak(&[4]);
    for part in 0..4 {
        let paces: Vec<Pace> =
            (0..20).map(|at| if (32..50).contains(&(20 * part + at)) { slow(100) } else { USUAL }).collect();
        add(&mut record, &paces);
    }
    assert_eq!(told(&record), [(1600, 900)]);
}

#[test]
fn a_phase_that_is_slow_as_a_whole_is_held_against_others_of_the_same_load() {
    // Two loads in turn, each visit one interval: the third and the fourth visit are slow.
    let mut record = soak(&[4, 1]);
    let low = Pace { per_s: 200, us: 5000 };
    for visit in 0..6 {
        let own = if visit % 2 == 0 { USUAL } else { low };
        let times = if [2, 3].contains(&visit) { 20 } else { 1 };
        add(&mut record, &[Pace { per_s: own.per_s / times, us: own.us * times }; 20]);
    }
    assert_eq!(told(&record), [(2000, 2000)]);
    // Two phases of the same load, one visit each.
    let mut record = soak(&[4, 4]);
    add(&mut record, &[USUAL; 20]);
    add(&mut record, &[slow(20); 20]);
    assert_eq!(told(&record), [(1000, 1000)]);
}

#[test]
fn loads_in_turn_have_latencies_of_their_own() {
    let mut record = soak(&[4, 1]);
    for visit in 0..20 {
        add(&mut record, &[if visit % 2 == 0 { USUAL } else { slow(25) }; 20]);
    }
    assert_eq!(of(&record), []);
}

#[test]
fn standstills_and_rare_long_ios_are_no_spells() {
    let mut record = soak(&[4]);
    // It begins within a part and ends within another one, of which little is left.
    let [begin, end] = [Pace { per_s: 400, us: 1000 }, Pace { per_s: 200, us: 700_000 }];
    let frozen = [vec![USUAL; 3], vec![begin], vec![SILENT; 13], vec![end], vec![USUAL; 2]].concat();
    for second in 0..8 {
        add(&mut record, if second == 4 { &frozen } else { &[USUAL; 20] });
    }
    assert_eq!(of(&record), []);
    // Every hundredth I/O takes a hundred times as long: a part may have several.
    let mut record = soak(&[4]);
    for second in 0..8 {
        let of = |at: u64| if (at + second).is_multiple_of(7) { Pace { us: 5000, ..USUAL } } else { USUAL };
        let paces: Vec<Pace> = (0..20).map(of).collect();
        add(&mut record, &paces);
    }
    assert_eq!(of(&record), []);
}

#[test]
fn a_standstill_within_a_spell_is_part_of_it() {
    let paces = [USUAL, USUAL, slow(10), SILENT, slow(10), USUAL, USUAL, USUAL];
    assert_eq!(told(&seconds(&paces)), [(2000, 3000)]);
}

/// Records of earlier versions have a sum for each interval.
#[test]
fn whole_intervals_are_judged_by_mean_and_median() {
    let whole = |record: Record| {
        let mut record = record;
        for interval in &mut record.intervals {
            let tally = interval.tallies.get_mut(&Class::SMALL).unwrap();
            *tally = tally.summed(NS_PER_S);
        }
        told(&record)
    };
    assert_eq!(whole(seconds(&[USUAL, USUAL, slow(100), slow(5), USUAL])), [(2000, 2000)]);
    assert_eq!(whole(seconds(&[USUAL, slow(100)])), [(1000, 1000)], "two intervals");
    assert_eq!(whole(seconds(&[slow(100)])), [], "nothing to compare with");
    let mut record = soak(&[4]);
    for second in 0..6 {
        let frozen = [vec![USUAL; 4], vec![SILENT; 15], vec![Pace { per_s: 80, us: 750_000 }]].concat();
        add(&mut record, if second == 3 { &frozen } else { &[USUAL; 20] });
    }
    assert_eq!(whole(record), [], "a standstill moves the mean alone");
}

/// A rate that is given does not fall.
#[test]
fn arrivals_at_a_rate_are_judged_by_their_latency() {
    let at = |paces: &[Pace]| {
        let mut record = soak(&[4]);
        for pace in paces {
            add(&mut record, &[*pace; 20]);
            let interval = record.intervals.last_mut().unwrap();
            interval.tallies.get_mut(&Class::SMALL).unwrap().open = Some(Box::new(OpenTally::default()));
        }
        told(&record)
    };
    let usual = Pace { per_s: 400, us: 1000 };
    assert_eq!(at(&[usual, usual, usual, Pace { us: 20_000, ..usual }, usual]), [(3000, 1000)]);
    assert_eq!(at(&[usual; 5]), []);
}

#[test]
fn the_targets_that_account_for_a_spell_are_named() {
    let blamed = |slow_ones: &[usize]| {
        let mut paces = [USUAL; 8];
        paces[4..6].fill(slow(10));
        let mut record = seconds(&paces);
        for (second, interval) in record.intervals.iter_mut().enumerate() {
            let mut counts = ByTarget::new(4);
            for target in 0..4_u16 {
                let is_slow = [4, 5].contains(&second) && slow_ones.contains(&usize::from(target));
                (0..10).for_each(|_| counts.completed(target, if is_slow { 40_000_000 } else { 1_000_000 }));
            }
            interval.tallies.get_mut(&Class::SMALL).unwrap().by_target = Some(Box::new(counts));
        }
        let found = of(&record);
        assert_eq!(found.len(), 1);
        found[0].targets.clone()
    };
    assert_eq!(blamed(&[2]), [2]);
    assert_eq!(blamed(&[0, 3]), [0, 3]);
    assert_eq!(blamed(&[0, 1, 2, 3]), Vec::<usize>::new(), "all of them");
}
