//! Targets and limits that change under the run.

use super::Maker;
use crate::facts::{ChangedTarget, Changes, Identity, LimitsChange, TargetChange};
use crate::judge::findings::Findings;
use crate::judge::flags::{Flag, FlagCode};
use crate::record::{Purpose, Record};

/// Of each point of `simple`, visited in three rounds after the long visit, the flag of a change.
fn flags(change: impl FnOnce(&mut Record)) -> (Vec<Option<Flag>>, Option<Flag>) {
    let mut record = Maker::simple().rounds(3, |moment| 100.0 * f64::from(moment.outstanding)).record;
    change(&mut record);
    let findings = Findings::of(&record);
    let of = |flags: &[Flag]| flags.iter().find(|flag| flag.code == FlagCode::Changed).cloned();
    (findings.points.iter().map(|point| of(&point.flags)).collect(), of(&findings.flags))
}

fn target(change: TargetChange) -> Changes {
    Changes { targets: vec![ChangedTarget { target: 0, change }], ..Changes::default() }
}

/// Puts a change into the visits from one on.
fn since(record: &mut Record, first: usize, changed: &Changes) {
    record.visits[first..].iter_mut().for_each(|visit| visit.nodes[0].changed = changed.clone());
}

#[test]
fn nothing_changed_nothing_said() {
    let (points, run) = flags(|_| {});
    assert!(points.iter().all(Option::is_none) && run.is_none(), "{points:?} {run:?}");
}

#[test]
fn a_target_that_shrank_spoils_the_points_behind_it() {
    let mut last = 0;
    let (points, run) = flags(|record| {
        last = record.visits.len();
        let step = record.visits[last - 1].step;
        assert!(record.visits.iter().any(|visit| visit.step != step));
        since(record, last - 1, &target(TargetChange::Size { bytes: 4096 }));
    });
    let flagged: Vec<&Flag> = points.iter().flatten().collect();
    assert_eq!(flagged.len(), 1, "only the point of the last visit: {points:?}");
    assert!(flagged[0].invalid && flagged[0].text.starts_with("1 of 3 visits: "), "{flagged:?}");
    assert!(flagged[0].text.contains("has 4096 bytes, not "), "{flagged:?}");
    assert!(run.unwrap().text.starts_with(&format!("since visit {last} of {last}: ")));
}

#[test]
fn a_target_that_grew_or_was_replaced_spoils_nothing() {
    let other = Identity { device: (8, 1), inode: 9 };
    for change in [
        TargetChange::Size { bytes: u64::MAX },
        TargetChange::NoName,
        TargetChange::OtherAtPath { now: Some(other) },
        TargetChange::OtherAtPath { now: None },
        TargetChange::ReadOnly,
        TargetChange::LoadedToo { process: Some(7) },
    ] {
        let (points, _) = flags(|record| since(record, 1, &target(change)));
        assert!(points.iter().all(|flag| flag.as_ref().is_some_and(|flag| !flag.invalid)), "{points:?}");
    }
    for change in [TargetChange::NoSize { errno: 6 }, TargetChange::Allocated { bytes: 0 }] {
        let (points, _) = flags(|record| since(record, 1, &target(change)));
        assert!(points.iter().all(|flag| flag.as_ref().is_some_and(|flag| flag.invalid)), "{points:?}");
    }
}

/// A point all of whose visits had the new limit has the rate of that limit; the mean of another one is the rate of neither.
#[test]
fn a_limit_that_changed_spoils_what_was_measured_under_both() {
    let limits = Changes { io_max: Some(vec!["8:0 riops=100".to_owned()]), ..Changes::default() };
    // The long visits come first: nothing of what counts is from before.
    let (points, run) = flags(|record| since(record, 0, &limits));
    let flagged: Vec<bool> = points.iter().flatten().map(|flag| flag.invalid).collect();
    assert_eq!(flagged, vec![false; points.len()], "{points:?}");
    assert!(run.unwrap().text.contains("8:0 riops=100, before: none"));
    // The first visit that counts was under both.
    let (points, _) = flags(|record| since(record, long_visits(record), &limits));
    let flagged: Vec<bool> = points.iter().flatten().map(|flag| flag.invalid).collect();
    assert_eq!(flagged.iter().filter(|&&invalid| invalid).count(), 1, "{points:?}");
    // All of the first round were under the old one.
    let round = points.len();
    let (points, _) = flags(|record| since(record, long_visits(record) + round, &limits));
    assert!(points.iter().all(|flag| flag.as_ref().is_some_and(|flag| flag.invalid)), "{points:?}");
}

/// What was put back leaves no difference when the visit is over.
#[test]
fn a_limit_that_was_put_back_within_a_visit_spoils_that_visit_alone() {
    let lines = |iops: u32| vec![format!("8:0 riops={iops}")];
    let (points, run) = flags(|record| {
        let number = record.visits.len() - 2;
        let visit = &mut record.visits[number];
        let began_ns = visit.began_ns - visit.settle_ns;
        let change = |after_ns, before, now| LimitsChange { at_ns: began_ns + after_ns, before, now };
        visit.nodes[0].changed.io_max_changes = vec![
            change(500_000_000, lines(3000), lines(1000)),
            change(1_500_000_000, lines(1000), lines(3000)),
        ];
    });
    let flagged: Vec<&Flag> = points.iter().flatten().collect();
    assert_eq!(flagged.len(), 1, "{points:?}");
    let told = "limits of the control group on I/O changed during visit ";
    let when = "from 8:0 riops=3000 to 8:0 riops=1000 at 500 ms, from 8:0 riops=1000 to 8:0 riops=3000 at 1.50 s of the visit";
    assert!(
        flagged[0].invalid && flagged[0].text.starts_with(&format!("1 of 3 visits: {told}")),
        "{flagged:?}"
    );
    assert!(flagged[0].text.ends_with(when), "{flagged:?}");
    let run = run.unwrap().text;
    assert!(run.starts_with("in visit ") && run.ends_with(when), "{run}");
}

#[test]
fn many_changes_of_a_limit_are_counted() {
    let (_, run) = flags(|record| {
        let change = |at_ns| LimitsChange { at_ns, before: Vec::new(), now: vec!["8:0 riops=1".to_owned()] };
        record.visits[0].nodes[0].changed.io_max_changes =
            (1..=10).map(|s| change(s * 1_000_000_000)).collect();
    });
    let run = run.unwrap().text;
    assert!(
        run.contains("from none to 8:0 riops=1 at 1.00 s, ") && run.ends_with(", and 6 more times"),
        "{run}"
    );
}

fn long_visits(record: &Record) -> usize {
    record.visits.iter().filter(|visit| visit.purpose == Purpose::Long).count()
}
