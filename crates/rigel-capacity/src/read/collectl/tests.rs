//! Plot files of collectl 4.3.1, of which two were written in the same seconds.

use crate::read::tests::{disk, file, read, try_read};
use crate::read::{Format, Options};
use crate::{Metric, Source};
use jiff::tz::TimeZone;

fn text(name: &str) -> String {
    String::from_utf8(file(name)).unwrap()
}

/// A column of the rows, by its place among the words.
fn column(text: &str, place: usize) -> Vec<f64> {
    let rows = text.lines().filter(|line| line.starts_with("2026"));
    rows.map(|line| line.split(' ').nth(place).unwrap().parse().unwrap()).collect()
}

#[test]
fn disks_and_sums_are_read_with_the_zone_of_the_head() {
    for (name, subject, places) in
        [("collectl-4.3.1.dsk", "vda", [3, 5, 7, 9]), ("collectl-4.3.1.tab", "ALL", [2, 5, 3, 6])]
    {
        let (format, seen, tables) = try_read(&file(name), Options::default(), 1 << 20).unwrap();
        assert_eq!(
            (format, seen.unusable, seen.first_reports, seen.gaps),
            (Format::Collectl, 0, 0, 0),
            "{name}"
        );
        let table = disk(&tables, subject);
        assert!(tables.keys().all(|key| key.host == "db1" && key.source == Source::Collectl), "{name}");
        // The first row is on the second up to 11:15:18.
        let begin = (20_786 * 86_400 + 11 * 3_600 + 15 * 60 + 17) * 1_000;
        let spans: Vec<(i64, u32)> =
            table.spans().iter().map(|span| (span.start_ms - begin, span.length_ms)).collect();
        assert_eq!(spans, [0, 1, 2, 3, 4].map(|after| (after * 1_000, 1_000)), "{name}");
        let metrics = [Metric::ReadOps, Metric::ReadBytes, Metric::WriteOps, Metric::WriteBytes];
        for ((metric, place), unit) in metrics.into_iter().zip(places).zip([1.0, 1024.0, 1.0, 1024.0]) {
            let expected: Vec<f64> = column(&text(name), place).iter().map(|value| value * unit).collect();
            assert_eq!(table.column(metric).unwrap(), expected, "{name} {metric:?}");
        }
        for size in [1, 7, 1000] {
            assert_eq!(try_read(&file(name), Options::default(), size).unwrap().2, tables, "{name} {size}");
        }
    }
    let (seen, tables) = read(&file("collectl-4.3.1.dsk"), Options::default());
    let vda = disk(&tables, "vda");
    assert_eq!(vda.column(Metric::Busy).unwrap()[0], 0.17);
    assert!(vda.column(Metric::ReadTime).is_none() && seen.notes.iter().any(|note| note.contains("waits")));
    // sadc saw the same second: 2217 tps.
    let first = |metric| vda.column(metric).unwrap()[0];
    assert!(((first(Metric::ReadOps) + first(Metric::WriteOps)) / 2217.0 - 1.0).abs() < 0.01);
}

/// `-on`: counts of intervals of 2 s, 3,200 reads in the first.
#[test]
fn counts_of_an_interval_become_rates() {
    let tables = read(&file("collectl-4.3.1-counts.dsk"), Options::default()).1;
    let vda = disk(&tables, "vda");
    assert_eq!(vda.column(Metric::ReadOps).unwrap(), [1600.0, 1598.5, 1456.0]);
    assert_eq!((vda.spans()[0].length_ms, vda.column(Metric::Busy).unwrap()[0]), (2_000, 0.22));
}

#[test]
fn other_forms_of_the_time_and_gaps_are_read() {
    let text = text("collectl-4.3.1.dsk");
    let plain = read(text.as_bytes(), Options::default()).1;
    let seconds = |line: &str| match line.strip_prefix("20261129 11:15:") {
        Some(rest) => format!("{} {}\n", 1_795_950_900 + rest[..2].parse::<i64>().unwrap(), &rest[3..]),
        None => line.replace("#Date Time", "#UTC") + "\n",
    };
    let utc: String = text.lines().map(seconds).collect();
    assert_eq!(read(utc.as_bytes(), Options::default()).1, plain);
    let commas: String = text
        .lines()
        .map(|line| if line.starts_with("# ") { line.to_owned() } else { line.replace(' ', ",") } + "\n")
        .collect();
    assert_eq!(read(commas.as_bytes(), Options::default()).1, plain);
    assert_eq!(read(text.replace("11:15:20 ", "11:15:20.000 ").as_bytes(), Options::default()).1, plain);
    // Stopped for a while: the row behind is on one interval.
    let (seen, tables) = read(text.replace("11:15:22", "11:35:22").as_bytes(), Options::default());
    assert_eq!((seen.gaps, disk(&tables, "vda").spans()[4].length_ms), (1, 1_000));
    let east = text.replace("TZ: +0000", "TZ: +0530");
    let begin = |options| disk(&read(east.as_bytes(), options).1, "vda").spans()[0].start_ms;
    let utc = Options { zone: Some(TimeZone::UTC), ..Options::default() };
    assert_eq!(begin(utc) - begin(Options::default()), 19_800_000, "a zone that is named has the say");
    let waits = text.replace(" 102408 0 607 ", " 102408 0.25 607 ");
    let found = read(waits.as_bytes(), Options::default()).1;
    assert!(
        (disk(&found, "vda").column(Metric::ReadTime).unwrap()[0] - 1602.0 * 0.25 / 1000.0).abs() < 1e-12
    );
}

#[test]
fn what_is_missing_is_named_and_a_cut_row_is_left_out() {
    let text = text("collectl-4.3.1.dsk");
    let rows: Vec<&str> = text.lines().filter(|line| !line.starts_with("# ")).collect();
    let headless = rows.join("\n") + "\n";
    assert!(
        try_read(headless.as_bytes(), Options::default(), 99).unwrap_err().to_string().contains("--host")
    );
    let no_disks = text.replace("[DSK:vda]", "[NET:eth0]");
    assert!(try_read(no_disks.as_bytes(), Options::default(), 99).unwrap_err().to_string().contains("-sD"));
    let (seen, tables) = read(&text.as_bytes()[..text.len() - 3], Options::default());
    assert_eq!(disk(&tables, "vda").spans().len(), 4);
    assert!(seen.notes.iter().any(|note| note.contains("ends in the middle")), "{seen:?}");
}
