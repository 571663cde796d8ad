//! What counts when: nothing twice, and nothing lost.

use super::*;
use crate::Kind;

const DAY_OF_HOURS: i64 = 24;

/// Hours of some metrics at constant rates.
fn hours(first: i64, count: i64, values: &[(Metric, f64)]) -> Table {
    let mut table = Table::default();
    for hour in first..first + count {
        let span = Span::between(hour * HOUR_MS, (hour + 1) * HOUR_MS).unwrap();
        assert!(table.push(span, values));
    }
    table
}

fn parted(reads: f64, writes: f64) -> [(Metric, f64); 4] {
    [
        (Metric::ReadOps, reads),
        (Metric::WriteOps, writes),
        (Metric::ReadBytes, 8192.0 * reads),
        (Metric::WriteBytes, 8192.0 * writes),
    ]
}

fn disk(name: &str, source: Source) -> Key {
    Key::new("db1", Subject::disk(name, ""), source)
}

fn total(history: &History) -> Vec<f64> {
    let members = Members::of_host(history, "db1");
    members.sum(history, OPS, 3_600_000).samples.iter().map(|sample| sample.value).collect()
}

/// Twenty days of `sar`, whose operations have no direction, and the last of them by iostat as well.
#[test]
fn a_day_that_tells_more_takes_no_day_away_that_tells_less() {
    let mut history = History::default();
    let days = 20 * DAY_OF_HOURS;
    history.add(disk("sda", Source::Sadf), &hours(0, days, &[(Metric::AllOps, 100.0)]));
    history.add(disk("sda", Source::Iostat), &hours(days - 24, 24, &parted(60.0, 30.0)));
    assert_eq!(total(&history), [vec![100.0; 456], vec![90.0; 24]].concat());
    // A share of writes is one of the time in which both are known, and no hour of sar makes it smaller.
    let members = Members::of_host(&history, "db1");
    let demand = Demand::of(&history, &members, &WhatIf::default(), 0);
    assert_eq!((demand.write_share, demand.io_bytes), (Some(1.0 / 3.0), Some(8192.0)));
    assert_eq!(demand.daily[0].1.days(), 20);
}

#[test]
fn a_disk_counts_from_when_on_it_is_known_and_before_what_lies_on_it() {
    let mut history = History::default();
    history.add(disk("dm-0", Source::Sadf), &hours(0, 100, &[(Metric::AllOps, 70.0)]));
    history.add(disk("sda", Source::Iostat), &hours(60, 40, &parted(50.0, 25.0)));
    assert_eq!(total(&history), [vec![70.0; 60], vec![75.0; 40]].concat());
    // A gap of the disk is none of its volume.
    history.add(disk("sdb", Source::Iostat), &hours(60, 10, &parted(1.0, 0.0)));
    history.add(disk("sdb", Source::Iostat), &hours(80, 10, &parted(1.0, 0.0)));
    let wanted = [vec![70.0; 60], vec![76.0; 10], vec![76.0; 10], vec![75.0; 10]].concat();
    assert_eq!(total(&history), wanted, "ten hours in which sdb is not known are left out");
}

#[test]
fn a_database_counts_until_the_disks_below_it_are_known() {
    let mut history = History::default();
    let prod = Key::new("db1", Subject::instance("PROD", "1", "271"), Source::Awr);
    history.add(prod.clone(), &hours(0, 100, &parted(40.0, 10.0)));
    history.add(disk("sda", Source::Iostat), &hours(90, 24, &parted(60.0, 30.0)));
    assert_eq!(total(&history), [vec![50.0; 90], vec![90.0; 24]].concat());
    let handovers = Members::of_host(&history, "db1").handovers();
    assert_eq!((handovers.len(), handovers[0].at_ms), (1, 90 * HOUR_MS));
    assert_eq!(handovers[0].before, [("db1".to_owned(), prod.subject)]);
    assert_eq!(handovers[0].after, [("db1".to_owned(), Subject::disk("sda", ""))]);
    // One that is known all of the time is nothing more.
    let mut beside = History::default();
    beside.add(disk("sda", Source::Iostat), &hours(0, 100, &parted(60.0, 30.0)));
    beside.add(
        Key::new("db1", Subject::named(Kind::Database, "X"), Source::Awr),
        &hours(0, 99, &parted(9.0, 9.0)),
    );
    let members = Members::of_host(&beside, "db1");
    assert_eq!((members.parts().count(), total(&beside)[0]), (1, 90.0));
}

/// What a disk does of which no bytes are reported is unknown, and not nothing.
#[test]
fn a_disk_without_bytes_has_no_sum_of_bytes() {
    let mut history = History::default();
    history.add(disk("sda", Source::Iostat), &hours(0, 10, &parted(60.0, 30.0)));
    history.add(disk("sdb", Source::Sadf), &hours(0, 10, &[(Metric::AllOps, 10.0)]));
    let members = Members::of_host(&history, "db1");
    let known = |ways| members.sum(&history, ways, 3_600_000).samples.len();
    assert_eq!((known(OPS), known(BYTES), known(WRITES)), (10, 0, 0));
}

#[test]
fn an_instance_that_moved_is_one_and_a_copy_is_another() {
    let on = |host: &str| Key::new(host, Subject::instance("PROD", "1", "271"), Source::Awr);
    let mut history = History::default();
    history.add(on("a"), &hours(0, 50, &parted(40.0, 10.0)));
    history.add(on("b"), &hours(50, 50, &parted(60.0, 10.0)));
    let both = hosts(&["a", "b"]);
    let members = Members::of_history(&history, &both);
    let sum = members.sum(&history, OPS, 3_600_000);
    assert_eq!((members.all().len(), sum.samples.len(), sum.left_out_ms), (1, 100, 0));
    assert_eq!((sum.samples[49].value, sum.samples[50].value), (50.0, 70.0));
    assert_eq!((members.all()[0].host.as_str(), members.handovers()[0].at_ms), ("b", 50 * HOUR_MS));
    // Both at the same time are a copy beside it.
    history.add(on("b"), &hours(40, 10, &parted(60.0, 10.0)));
    let members = Members::of_history(&history, &both);
    let sum = members.sum(&history, OPS, 3_600_000);
    assert_eq!((members.all().len(), sum.samples.len(), sum.samples[0].value), (2, 10, 120.0));
}

#[test]
fn a_database_that_got_another_number_is_one_only_if_that_is_said() {
    let of = |dbid: &str, source| Key::new("db1", Subject::instance("PROD", "1", dbid), source);
    let mut history = History::default();
    history.add(of("271", Source::Awr), &hours(0, 50, &parted(40.0, 10.0)));
    history.add(of("999", Source::Awr), &hours(50, 50, &parted(60.0, 10.0)));
    history.add(of("271", Source::AwrSpace), &hours(0, 48, &[(Metric::UsedBytes, 1e9)]));
    history.add(of("999", Source::AwrSpace), &hours(48, 48, &[(Metric::UsedBytes, 2e9)]));
    assert!(total(&history).is_empty(), "two databases with no time in common");
    let keys = || history.tables().map(|(key, table)| (key, lifetime(table)));
    let members = Members::of_one_database(keys(), &hosts(&["db1"]));
    let sum = members.sum(&history, OPS, 3_600_000);
    assert_eq!((sum.samples.len(), sum.samples[99].value), (100, 70.0));
    let space = Space::of(&history, &members).unwrap();
    assert_eq!((space.databases, space.used.len(), space.used[95].value), (1, 96, 2e9));
}

/// A file that does not tell the number of the only database of that name is about that one.
#[test]
fn space_of_a_database_whose_number_one_file_does_not_tell_counts_once() {
    let of = |dbid: &str, source| Key::new("db1", Subject::instance("PROD", "1", dbid), source);
    let mut history = History::default();
    history.add(of("271", Source::AwrSpace), &hours(0, 48, &[(Metric::UsedBytes, 1e9)]));
    history.add(of("", Source::Statspack), &hours(0, 48, &[(Metric::UsedBytes, 1e9)]));
    let space = |history: &History| Space::of(history, &Members::of_host(history, "db1")).unwrap();
    assert_eq!((space(&history).databases, space(&history).used[0].value), (1, 1e9));
    // Of two that are called so it is one of its own.
    history.add(of("999", Source::AwrSpace), &hours(0, 48, &[(Metric::UsedBytes, 1e9)]));
    assert_eq!(space(&history).databases, 3);
}
