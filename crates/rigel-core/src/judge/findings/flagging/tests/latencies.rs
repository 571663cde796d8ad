//! Flags from the latencies of a point.

use super::*;
use crate::load::workload::WritePercent;

fn kinds(kinds: fn(Moment) -> Kinds) -> Vec<(usize, String)> {
    let found = Maker { kinds, ..Maker::simple() }.rounds(4, unloaded).found();
    at_points(&found, FlagCode::Bimodal)
}

#[test]
fn two_kinds_of_io_are_told_with_their_shares() {
    let flags = kinds(|_| vec![(0.4, 0.1), (0.6, 1.6)]);
    assert_eq!(flags.len(), 7, "{flags:?}");
    assert!(flags[0].1.starts_with("small: 40 % of the I/Os take around 8"), "{flags:?}");
    assert!(
        flags[0].1.contains(" us, 60 % around 1") && flags[0].1.contains("the mean describes neither"),
        "{flags:?}"
    );
    assert_eq!(kinds(|_| vec![(0.05, 0.1), (0.95, 1.05)]), [], "below a tenth");
    assert_eq!(kinds(|_| vec![(0.5, 0.8), (0.5, 1.2)]), [], "less than a factor of 2 apart");
}

#[test]
fn visits_that_differ_are_not_two_kinds_of_io() {
    let each =
        |moment: Moment| if moment.visit.is_multiple_of(2) { vec![(1.0, 0.3)] } else { vec![(1.0, 1.7)] };
    assert_eq!(kinds(each), []);
}

/// Four stations of a constant service time: of five I/Os one waits for the others, and takes twice as long.
#[test]
fn a_queue_is_not_two_kinds_of_io() {
    let queue = |moment: Moment| match moment.outstanding {
        5 => vec![(0.75, 0.8), (0.25, 1.6)],
        _ => vec![(1.0, 1.0)],
    };
    let law = |moment: Moment| 1000.0 * f64::from(moment.outstanding.min(4));
    let found = Maker { kinds: queue, ..Maker::simple() }.rounds(4, law).found();
    assert_eq!(at_points(&found, FlagCode::Bimodal), []);
    // The same where one that is alone takes longer than the fast ones: a cache.
    let slow_alone = |moment: Moment| if moment.outstanding == 1 { 700.0 } else { law(moment) };
    let found = Maker { kinds: queue, ..Maker::simple() }.rounds(4, slow_alone).found();
    assert_eq!(at_points(&found, FlagCode::Bimodal).len(), 1);
}

/// A cache that answers most I/Os: their mean is barely slower than a hit.
#[test]
fn two_kinds_of_io_that_are_alone_are_two_kinds_at_every_depth() {
    let found = Maker { kinds: |_| vec![(0.88, 0.8), (0.12, 2.4)], ..Maker::simple() };
    let found = found.rounds(4, unloaded).found();
    assert_eq!(at_points(&found, FlagCode::Bimodal).len(), found.points.len());
}

#[test]
fn reads_and_writes_are_judged_apart() {
    let mut maker =
        Maker::new(RunLevel::Simple, |request| request.set_writes(WritePercent::new(50).unwrap()));
    maker = maker.rounds(4, unloaded);
    for visit in &mut maker.record.visits {
        for tally in visit.tallies.values_mut() {
            // As many reads, ten times as fast; the mean of both is Little's.
            let (count, mean_ns) = (tally.writes.count(), tally.writes.mean_ns().unwrap());
            tally.writes.clear();
            for _ in 0..count / 2 {
                tally.reads.record(nanos(mean_ns * 2.0 / 11.0));
                tally.writes.record(nanos(mean_ns * 20.0 / 11.0));
            }
        }
    }
    assert_eq!(at_points(&maker.found(), FlagCode::Bimodal), []);
}
