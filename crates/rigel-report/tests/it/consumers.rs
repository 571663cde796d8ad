//! What scripts out there do with ORION's files, done here: they must read ours.

use crate::support::{MINUTE, Run, SPREAD, steady};
use rigel_core::load::matrix::{MatrixShape, RunLevel};
use rigel_core::load::request::Request;
use rigel_core::load::task::Task;
use rigel_report::{Format, OrionVersion};
use std::collections::BTreeMap;

/// Versions without text above the tables.
const WITHOUT_PREAMBLE: [OrionVersion; 2] = [OrionVersion::V11_1, OrionVersion::V19];

/// The whole matrix, with a rate that tells its point.
fn matrix() -> Run {
    let mut run = Run::new(Request::new(RunLevel::Normal), &[("/dev/sdb", 1 << 34)]);
    let points: Vec<_> = run.record.header.plan.grid.points.clone();
    for point in points {
        let small = (point.small() > 0).then(|| {
            let iops = 1000 * u64::from(point.small()) + u64::from(point.large());
            steady(8192, point.small(), MINUTE, 60 * iops)
        });
        let large = (point.large() > 0).then(|| steady(1 << 20, point.large(), MINUTE, 600));
        run.visit((point.small(), point.large()), MINUTE, small, large);
    }
    run
}

/// A table as the log reader of a public test suite reads it: line 1 is the header, every field is stripped, the row is
/// keyed by the field `Large/Small`, empty fields are skipped. Gives values by (large, small).
fn read_table(text: &str) -> BTreeMap<(u32, u32), f64> {
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').map(str::trim).collect();
    let key = header.iter().position(|&field| field == "Large/Small").unwrap();
    let mut values = BTreeMap::new();
    for line in lines {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let large = fields[key].parse().unwrap();
        for (index, (column, value)) in header.iter().zip(&fields).enumerate() {
            if index != key && !value.is_empty() {
                values.insert((large, column.parse().unwrap()), value.parse().unwrap());
            }
        }
    }
    values
}

#[test]
fn the_log_reader_joins_rates_and_latencies() {
    let run = matrix();
    for version in WITHOUT_PREAMBLE {
        let rates = read_table(&run.file(Format::Orion(version), "_iops.csv"));
        let latencies = read_table(&run.file(Format::Orion(version), "_lat.csv"));
        assert_eq!(rates.len(), 3 * 5);
        assert!(rates.keys().eq(latencies.keys()));
        assert_eq!(rates.get(&(2, 3)), Some(&3002.0), "large 2, small 3");
        let mbps = read_table(&run.file(Format::Orion(version), "_mbps.csv"));
        assert_eq!((mbps.len(), mbps.get(&(1, 0))), (2 * 6, Some(&10.0)));
    }
}

#[test]
fn the_log_reader_finds_nothing_in_rows_that_were_not_measured() {
    let mut run = Run::new(Request::new(RunLevel::Simple), &[("/dev/sdb", 1 << 34)]);
    run.small(1, 100).small(2, 200);
    for version in WITHOUT_PREAMBLE {
        let rates = read_table(&run.file(Format::Orion(version), "_iops.csv"));
        assert_eq!(rates.into_iter().collect::<Vec<_>>(), [((0, 1), 100.0), ((0, 2), 200.0)]);
    }
}

/// `tail -1 file | awk -F'[, ]' '{print $NF}'`
fn last_field(text: &str) -> &str {
    text.lines().last().unwrap().rsplit([',', ' ']).next().unwrap()
}

#[test]
fn the_last_field_of_the_last_line_is_the_value_of_a_single_point() {
    let request = Request::of(Task::advanced(MatrixShape::Point { small: 32, large: 0 }));
    let mut run = Run::new(request, &[("/dev/sdb", 1 << 34)]);
    run.small(32, 123_456_789);
    for version in OrionVersion::ALL {
        assert_eq!(last_field(&run.file(Format::Orion(version), "_iops.csv")), "123456789");
    }
}

/// `grep pattern summary | sed 's/.*=\([0-9.]*\).*/\1/'`, as several scripts do in one way or another.
fn grep_value<'t>(summary: &'t str, pattern: &str) -> &'t str {
    let mut lines = summary.lines().filter(|line| line.contains(pattern));
    let value = lines.next().unwrap().split_once('=').unwrap().1;
    assert!(lines.next().is_none(), "one line only has {pattern}");
    &value[..value.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap()]
}

#[test]
fn scripts_that_grep_the_summary_find_one_line_each() {
    let run = matrix();
    let adaptive = Run::visited(RunLevel::Normal, &SPREAD);
    for version in OrionVersion::ALL {
        // What is added for an adaptive run has other words.
        let summary = adaptive.file(Format::Orion(version), "_summary.txt");
        assert_eq!(grep_value(&summary, "Maximum Small IOPS"), "50000");
        assert_eq!(grep_value(&summary, "Maximum Large MBPS"), "20000.00");
        assert!(!grep_value(&summary, "Minimum Small Latency").is_empty());
    }
    for (version, latency) in OrionVersion::ALL.into_iter().zip(["1.00", "1.00", "999", "998.004"]) {
        let summary = run.file(Format::Orion(version), "_summary.txt");
        assert!(summary.starts_with("ORION VERSION"));
        assert_eq!(grep_value(&summary, "Maximum Large MBPS"), "10.00");
        assert_eq!(grep_value(&summary, "Maximum Small IOPS"), "5002");
        let found = grep_value(&summary, "Minimum Small Latency");
        assert_eq!(found.len(), latency.len(), "{found} in the form of {latency}");
    }
}
