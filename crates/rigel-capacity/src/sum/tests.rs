//! Sums with a known answer.

mod course;

use super::*;
use crate::forecast::years::LAWS;
use crate::forecast::{Daily, Kind as Figure, Reading};
use crate::headroom::{Course, Demand, Ends, Limit, Resource, Scenario, WhatIf};
use crate::{DAY_MS, HOUR_MS, Source, Table};
use rigel_core::load::draw::Generator;
use rigel_core::stats::EstimateForm;

const MINUTE_MS: i64 = 60_000;

/// A table of a flow: the mean of `rate` over each interval, which `middle` stands for.
fn clock(first_ms: i64, length_ms: i64, rows: i64, rate: impl Fn(i64) -> f64) -> Table {
    let mut table = Table::default();
    for row in 0..rows {
        let start_ms = first_ms + row * length_ms;
        let span = Span::between(start_ms, start_ms + length_ms).unwrap();
        let ops = rate(start_ms + length_ms / 2);
        assert!(table.push(span, &[(Metric::ReadOps, ops), (Metric::WriteOps, 0.0)]));
    }
    table
}

fn instance(host: &str, number: &str) -> Key {
    Key::new(host, Subject::instance("PROD", number, "2718281828"), Source::Awr)
}

fn hosts(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn mean(samples: &[Sample]) -> f64 {
    let sum: f64 = samples.iter().map(|one| one.value * f64::from(one.span.length_ms)).sum();
    sum / samples.iter().map(|one| f64::from(one.span.length_ms)).sum::<f64>()
}

/// A line whose mean over any interval is its value in the middle: so is that of the sum, whatever the clocks.
#[test]
fn clocks_of_15_and_7_minutes_have_the_mean_of_the_analytic_sum() {
    let (one, two) = (|ms: i64| 100.0 + ms as f64 / 1e5, |ms: i64| 900.0 - ms as f64 / 2e5);
    // Both cover 0:00 to 35:00, 140 and 300 intervals.
    let mut history = History::default();
    history.add(instance("rac1", "1"), &clock(0, 15 * MINUTE_MS, 140, one));
    history.add(instance("rac2", "2"), &clock(0, 7 * MINUTE_MS, 300, two));
    let members = Members::of_history(&history, &hosts(&["rac1", "rac2"]));
    assert_eq!((members.all().len(), members.step_ms(&history)), (2, 900_000));
    let sum = members.sum(&history, OPS, members.step_ms(&history));
    let middle = 35 * HOUR_MS / 2;
    assert!((mean(&sum.samples) / (one(middle) + two(middle)) - 1.0).abs() < 1e-12, "{}", mean(&sum.samples));
    assert_eq!((sum.samples.len(), sum.left_out_ms), (140, 0));
    // Each interval for itself: one of 7 minutes that lies across has its part on each side, and a line's mean there is a little off its middle.
    for sample in &sum.samples {
        let middle = sample.span.start_ms + 450_000;
        assert!((sample.value - one(middle) - two(middle)).abs() < 0.3, "{sample:?}");
    }
    let shares = sum.shares(&members);
    let all = one(middle) + two(middle);
    assert!((shares[0].1 - one(middle) / all).abs() < 1e-9 && shares[1].0 == "rac2", "{shares:?}");
}

/// `sar -d` reports operations without a direction, iostat reads and writes.
#[test]
fn disks_with_and_without_a_direction_add_up() {
    let disk = |name: &str, source| Key::new("db1", Subject::disk(name, ""), source);
    let mut history = History::default();
    history.add(disk("sda", Source::Iostat), &clock(0, HOUR_MS, 10, |_| 150.0));
    let mut whole = Table::default();
    for row in 0..10 {
        let span = Span::between(row * HOUR_MS, (row + 1) * HOUR_MS).unwrap();
        assert!(whole.push(span, &[(Metric::AllOps, 500.0)]));
    }
    history.add(disk("sdb", Source::Sadf), &whole);
    let members = Members::of_host(&history, "db1");
    let sum = members.sum(&history, OPS, members.step_ms(&history));
    assert!((mean(&sum.samples) - 650.0).abs() < 1e-9, "{:?}", sum.samples);
}

#[test]
fn what_one_member_lacks_is_unknown_and_not_less() {
    let mut history = History::default();
    history.add(instance("rac1", "1"), &clock(0, HOUR_MS, 100, |_| 50.0));
    // Begins later and at another minute, ends earlier, and has a gap of 10 hours.
    let mut gappy = clock(20 * HOUR_MS + 7 * MINUTE_MS, HOUR_MS, 30, |_| 30.0);
    gappy.merge(&clock(60 * HOUR_MS + 7 * MINUTE_MS, HOUR_MS, 20, |_| 30.0));
    history.add(instance("rac2", "2"), &gappy);
    let members = Members::of_history(&history, &hosts(&["rac1", "rac2"]));
    let sum = members.sum(&history, OPS, 3_600_000);
    assert!(sum.samples.iter().all(|sample| (sample.value - 80.0).abs() < 1e-9), "{:?}", sum.samples);
    assert_eq!((sum.samples.len(), sum.left_out_ms), (50, 50 * HOUR_MS));
    assert_eq!(sum.lacking(), [0.0, 0.5]);
    // One that is not known at all has no sum, and neither has nobody.
    history.add(Key::new("rac3", Subject::disk("sda", ""), Source::Iostat), &Table::default());
    let members = Members::of_history(&history, &hosts(&["rac1", "rac3"]));
    assert_eq!(members.sum(&history, OPS, 3_600_000), Sum::default());
}

#[test]
fn a_host_counts_by_its_disks_and_one_without_by_each_database() {
    let mut history = History::default();
    let table = clock(0, HOUR_MS, 10, |_| 10.0);
    for (host, disk, id) in [("db1", "sda", "wwn-1"), ("db1", "dm-0", "LVM-a"), ("db2", "sda", "wwn-1")] {
        history.add(Key::new(host, Subject::disk(disk, id), Source::Iostat), &table);
    }
    history.add(instance("db1", "1"), &table);
    for name in ["ORCL", "SHOP"] {
        history.add(Key::new("db3", Subject::instance(name, "1", ""), Source::Awr), &table);
    }
    let members = Members::of_history(&history, &hosts(&["db1", "db2", "db3"]));
    let sum = members.sum(&history, OPS, 3_600_000);
    // The disk that both hosts see has the I/O of both; the volume and the database lie on it.
    assert_eq!((members.all().len(), sum.samples[0].value), (4, 40.0));
    assert_eq!(sum.shares(&members)[2], ("db3".to_owned(), 0.5));
}

#[test]
fn space_is_that_of_all_databases_each_once() {
    let used = |first: i64, days: i64, bytes: f64| {
        let mut table = Table::default();
        for day in first..first + days {
            let span = Span::between(day * DAY_MS, day * DAY_MS + HOUR_MS).unwrap();
            assert!(table.push(span, &[(Metric::UsedBytes, bytes + day as f64)]));
        }
        table
    };
    let key = |host: &str, name: &str, number: &str, dbid: &str| {
        Key::new(host, Subject::instance(name, number, dbid), Source::AwrSpace)
    };
    let mut history = History::default();
    history.add(key("rac1", "PROD", "1", "271"), &used(0, 10, 1000.0));
    // The other instance tells of the same tablespaces, and of more days.
    history.add(key("rac2", "PROD", "2", "271"), &used(0, 12, 1000.0));
    let of = |history: &History| {
        let members = Members::of_history(history, &hosts(&["rac1", "rac2"]));
        Space::of(history, &members).unwrap()
    };
    let one = of(&history);
    assert_eq!((one.used.len(), one.used[11].value, one.databases), (12, 1011.0, 1));
    history.add(key("rac1", "SHOP", "1", "314"), &used(5, 20, 500.0));
    let both = of(&history);
    assert_eq!((both.databases, both.used.len()), (2, 7), "the days that both have");
    assert_eq!(both.used[0].value, 1005.0 + 505.0);
    // The file of a what-if brings its own.
    let mut members = Members::of_history(&history, &hosts(&["rac1", "rac2"]));
    history.add(key("db7.csv", "DB7", "1", "1"), &used(300, 2, 100.0));
    members.extend(Members::of_history(&history, &hosts(&["db7.csv"])), "db7.csv");
    assert_eq!(Space::of(&history, &members).unwrap().used[0].value, both.used[0].value + 400.0);
}

#[test]
fn a_file_of_another_time_brings_its_usual_week_and_a_host_does_not() {
    let busy = |ms: i64| if (8..18).contains(&(ms / HOUR_MS % 24)) { 100.0 } else { 10.0 };
    let mut history = History::default();
    history.add(instance("rac1", "1"), &clock(0, HOUR_MS, 24 * 60, |_| 1000.0));
    let guest = Key::new("db7.csv", Subject::instance("DB7", "1", "7"), Source::Awr);
    history.add(guest, &clock(700 * DAY_MS, HOUR_MS, 24 * 8, busy));
    let mut members = Members::of_history(&history, &hosts(&["rac1"]));
    members.extend(Members::of_history(&history, &hosts(&["db7.csv"])), "db7.csv");
    let sum = members.sum(&history, OPS, 3_600_000);
    assert_eq!((sum.samples.len(), sum.left_out_ms), (24 * 60, 0));
    assert_eq!((sum.samples[9].value, sum.samples[20].value), (1100.0, 1010.0));
    let demand = |more| Demand::of(&history, &members, &WhatIf { more, ..WhatIf::default() }, 0);
    let peaks = [None, Some(0.3)].map(|more| demand(more).peak.unwrap().ops);
    assert_eq!(peaks, [1100.0, 1430.0]);
    // As a host of the store it has no time in common with the other.
    let both = Members::of_history(&history, &hosts(&["rac1", "db7.csv"]));
    assert!(both.sum(&history, OPS, 3_600_000).samples.is_empty());
}

#[test]
fn the_load_of_a_host_that_is_gone_moves_to_the_others() {
    let mut history = History::default();
    for (host, number, ops) in [("rac1", "1", 50.0), ("rac2", "2", 30.0), ("rac3", "3", 20.0)] {
        history.add(instance(host, number), &clock(0, HOUR_MS, 48, |_| ops));
    }
    let members = Members::of_history(&history, &hosts(&["rac1", "rac2", "rac3"]));
    let demand = Demand::of(&history, &members, &WhatIf::default(), 0);
    let without = |names: &[&str]| WhatIf { without: hosts(names), ..WhatIf::default() };
    let moved = demand.moved(&without(&["rac2"]));
    let near = |one: f64, other: f64| (one - other).abs() < 1e-9;
    assert!(moved.len() == 2 && near(moved[0].1, 5.0 / 7.0) && near(moved[1].1, 2.0 / 7.0), "{moved:?}");
    assert!(moved.iter().all(|one| near(one.2, 1.0 / 0.7)), "{moved:?}");
    assert!(demand.moved(&without(&[])).iter().all(|one| near(one.2, 1.0)));
}

/// A year of an instance by hours, of the law of which some days have the level; a share of it.
fn year(levels: &[f64], share: f64, first_ms: i64) -> Table {
    let day =
        |ms: i64| usize::try_from((ms - first_ms).div_euclid(DAY_MS)).unwrap_or(0).min(levels.len() - 1);
    let rows = i64::try_from(levels.len()).unwrap() * 24;
    clock(first_ms, HOUR_MS, rows, |ms| share * levels[day(ms)])
}

/// Two instances, one of which takes snapshots seven minutes later. Their sum reaches a level in a week that is known, as it follows a law of
/// [`crate::forecast::years`]; each alone stays far below it.
#[test]
fn the_date_of_two_instances_is_that_of_their_sum_in_nine_of_ten_years() {
    const YEARS: u64 = 20;
    const DAYS: usize = 364;
    let law = &LAWS[0];
    let (mut held, mut of, mut alone_held) = (0, 0, 0);
    for seed in 0..YEARS {
        let course = law.draw(3 * DAYS, seed);
        // Days of known weeks behind the history that are busier than any before them.
        let busy = |week: &[f64]| {
            let mut week = week.to_vec();
            week.sort_by(f64::total_cmp);
            week[week.len() - 2]
        };
        let weeks: Vec<f64> = course.expected[DAYS..].chunks_exact(7).map(busy).collect();
        let mut top = course.expected[..DAYS].chunks_exact(7).map(busy).fold(0.0, f64::max);
        let mut due = Vec::new();
        for (week, &level) in weeks.iter().enumerate() {
            if level > top && (8..60).contains(&week) {
                due.push((week, level));
            }
            top = top.max(level);
        }
        let Some(last) = due.len().checked_sub(1) else { continue };
        let (week, level) = due[Generator::new(seed, &[0x5A5]).index(last)];
        let mut history = History::default();
        history.add(instance("rac1", "1"), &year(&course.seen[..DAYS], 0.6, 0));
        history.add(instance("rac2", "2"), &year(&course.seen[..DAYS], 0.4, 7 * MINUTE_MS));
        let limit = Limit {
            resource: Resource::Iops,
            figure: EstimateForm::bare(level),
            from: "known".to_owned(),
            keeps_bound: true,
        };
        let holds = |names: &[&str]| {
            let members = Members::of_history(&history, &hosts(names));
            let demand = Demand::of(&history, &members, &WhatIf::default(), 0);
            let (_, daily) = demand.daily.into_iter().find(|one| one.0 == Resource::Iops).unwrap();
            let course = Course::of(Resource::Iops, daily, 2 * DAYS, &Scenario::default());
            let ends = Ends::of(&course, &limit);
            let (first, after) =
                (i64::try_from(DAYS + 7 * week).unwrap(), i64::try_from(DAYS + 7 * week + 7).unwrap());
            let is_late = ends.earliest.day().is_none_or(|day| day >= after);
            let is_early = ends.latest.day().is_some_and(|day| day + 7 <= first);
            !is_late && !is_early
        };
        of += 1;
        held += usize::from(holds(&["rac1", "rac2"]));
        alone_held += usize::from(holds(&["rac1"])) + usize::from(holds(&["rac2"]));
    }
    assert!(of >= 18, "{of} years have a date");
    assert!(10 * held >= 9 * of, "{held} of {of} dates are in their intervals");
    assert_eq!(alone_held, 0, "of one alone");
}

/// The level of a day of the sum is made like that of one host with the same load.
#[test]
fn a_sum_on_one_clock_has_the_levels_of_one_host() {
    let load = |ms: i64| 100.0 + (ms / HOUR_MS % 24) as f64;
    let mut history = History::default();
    history.add(instance("rac1", "1"), &clock(0, HOUR_MS, 240, |ms| 0.25 * load(ms)));
    history.add(instance("rac2", "2"), &clock(0, HOUR_MS, 240, |ms| 0.75 * load(ms)));
    let members = Members::of_history(&history, &hosts(&["rac1", "rac2"]));
    let demand = Demand::of(&history, &members, &WhatIf::default(), 0);
    let whole: Vec<Reading> = (0..240)
        .map(|hour| Reading { from_s: hour * 3600, seconds: 3600, value: load(hour * HOUR_MS + HOUR_MS / 2) })
        .collect();
    let wanted = Daily::of(&whole, 0, Figure::Rate);
    assert_eq!(demand.daily[0].1, wanted);
}
