use super::*;
use crate::Span;

fn key(disk: &str, id: &str, source: Source) -> Key {
    Key::new("db1", Subject::disk(disk, id), source)
}

fn table(seconds: u32, rows: i64, value: f64) -> Table {
    let mut table = Table::default();
    for row in 0..rows {
        let span = Span { start_ms: row * i64::from(seconds) * 1_000, length_ms: seconds * 1_000 };
        assert!(table.push(span, &[(Metric::ReadOps, value)]));
    }
    table
}

#[test]
fn the_finest_source_has_the_say_and_the_others_fill_its_gaps() {
    let mut history = History::default();
    history.add(key("sda", "", Source::Sadf), &table(600, 4, 7.0));
    history.add(key("sda", "", Source::Prometheus), &table(60, 10, 5.0));
    let series = history.series("db1", &Subject::disk("sda", ""), Metric::ReadOps);
    let lengths: Vec<u32> = series.samples.iter().map(|sample| sample.span.length_ms / 1_000).collect();
    assert_eq!(lengths, [vec![60; 10], vec![600; 3]].concat());
    assert_eq!(series.mean(), Some((5.0 * 600.0 + 7.0 * 1_800.0) / 2_400.0));
    assert_eq!((series.quantile(0.2), series.quantile(0.5)), (Some(5.0), Some(7.0)));
}

/// A second of every 30 says less than all of ten minutes.
#[test]
fn samples_give_way_to_what_looked_on_all_of_the_time() {
    let mut history = History::default();
    history.add(key("sda", "", Source::OsWatcher), &table(30, 80, 500.0));
    history.add(key("sda", "", Source::Sadf), &table(600, 2, 7.0));
    let series = history.series("db1", &Subject::disk("sda", ""), Metric::ReadOps);
    let found: Vec<(u32, f64)> =
        series.samples.iter().map(|sample| (sample.span.length_ms / 1_000, sample.value)).collect();
    assert_eq!(found, [vec![(600, 7.0); 2], vec![(30, 500.0); 40]].concat());
}

#[test]
fn a_renamed_disk_is_one_series() {
    let mut history = History::default();
    history.add(key("sda", "wwn-1", Source::Prometheus), &table(60, 3, 5.0));
    let later = table(60, 6, 6.0).slice(180_000, i64::MAX);
    history.add(key("sdb", "wwn-1", Source::Prometheus), &later);
    let subjects = history.subjects("db1", Kind::Disk);
    assert_eq!(subjects.len(), 1);
    let series = history.series("db1", &subjects[0], Metric::ReadOps);
    assert_eq!(series.samples.len(), 6);
}

#[test]
fn a_total_needs_every_disk_that_lives() {
    let mut history = History::default();
    history.add(key("sda", "", Source::Sadf), &table(60, 5, 10.0));
    // A gap in the third minute, and the disk is gone in the fifth.
    let mut gappy = table(60, 2, 1.0);
    gappy.merge(&table(60, 4, 1.0).slice(180_000, i64::MAX));
    history.add(key("sdb", "", Source::Sadf), &gappy);
    let total = crate::Members::of_host(&history, "db1").sum(&history, &[&[Metric::ReadOps]], 60_000);
    let found: Vec<(i64, f64)> =
        total.samples.iter().map(|sample| (sample.span.start_ms / 60_000, sample.value)).collect();
    assert_eq!(found, [(0, 11.0), (1, 11.0), (3, 11.0), (4, 10.0)]);
}

#[test]
fn a_device_made_of_other_disks_does_not_count_beside_them() {
    let mut history = History::default();
    let total = |history: &History| {
        let sum = crate::Members::of_host(history, "db1").sum(history, &[&[Metric::ReadOps]], 60_000);
        sum.samples.iter().map(|sample| sample.value).reduce(f64::max)
    };
    history.add(key("dm-0", "LVM-a", Source::Recorder), &table(60, 5, 7.0));
    history.add(key("dm-1", "LVM-b", Source::Recorder), &table(60, 5, 5.0));
    assert_eq!(total(&history), Some(12.0), "what lies below is not known");
    history.add(key("md0", "", Source::Recorder), &table(60, 5, 12.0));
    assert_eq!(total(&history), Some(12.0), "the volumes lie on the array");
    history.add(key("sda", "wwn-1", Source::Recorder), &table(60, 5, 10.0));
    history.add(key("sdb", "wwn-2", Source::Recorder), &table(60, 5, 3.0));
    assert_eq!(total(&history), Some(13.0), "the array lies on the disks");
}
