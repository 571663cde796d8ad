//! The tables for programs.

use crate::support::{MINUTE, Run, SPREAD, file_of, rows, steady};
use rigel_core::judge::flags::{Flag, FlagCode};
use rigel_core::load::class::Class;
use rigel_core::load::matrix::{MatrixShape, RunLevel};
use rigel_core::load::request::Request;
use rigel_core::load::task::Task;
use rigel_report::{Format, OrionVersion, View};
use std::collections::BTreeMap;

fn mixed() -> Run {
    let request = Request::of(Task::advanced(MatrixShape::Point { small: 2, large: 1 }));
    let mut run = Run::new(request, &[("/dev/sdb", 1 << 34)]);
    let small = steady(8192, 2, MINUTE, 6000);
    let large = steady(1 << 20, 1, MINUTE, 600);
    run.visit((2, 1), MINUTE, Some(small), Some(large));
    run
}

#[test]
fn a_row_per_point_and_class() {
    insta::assert_snapshot!(mixed().file(Format::Csv, "_findings.csv"), @r"
    run_id,small,large,class,io_bytes,seconds,iops,iops_lo95,iops_hi95,mbps,mbps_lo95,mbps_hi95,latency_mean_us,latency_mean_us_lo95,latency_mean_us_hi95,latency_min_us,latency_max_us,latency_stddev_us,latency_p50_us,latency_p50_us_lo95,latency_p50_us_hi95,latency_p90_us,latency_p99_us,latency_p99_us_lo95,latency_p99_us_hi95,latency_p99_9_us,latency_p99_99_us,visits,basis,within,between,stalled_share,reached,reads,writes,errors,outstanding_planned,outstanding_mean,own_cpu,flags,run_flags
    orion_20260101_1200,2,1,small,8192,60,100,,,0.78125,,,20000,,,20000,20000,0,20000,,,20000,20000,,,20000,20000,1,none,,,,,6000,0,0,2,2,,,
    orion_20260101_1200,2,1,large,1048576,60,10,,,10,,,100000,,,100000,100000,0,100000,,,100000,100000,,,100000,100000,1,none,,,,,600,0,0,1,1,,,
    ");
}

#[test]
fn what_is_not_there_is_empty_and_commas_are_quoted() {
    let mut run = mixed();
    run.record.header.run_id = "a,\"b\"".into();
    run.record.header.request.buffered = true;
    let small = run.record.visits[0].tallies.get_mut(&Class::SMALL).unwrap();
    small.reads.clear();
    let file = run.file(Format::Csv, "_findings.csv");
    let mut lines = file.lines();
    let columns = lines.next().unwrap().split(',').count();
    let small = lines.next().unwrap();
    assert_eq!(
        small,
        "\"a,\"\"b\"\"\",2,1,small,8192,60,0,,,0,,,,,,,,,,,,,,,,,,1,none,,,,,0,0,0,2,2,,BUFFERED;NO_DATA,"
    );
    assert_eq!(small.split(',').count(), columns + 1, "the quoted comma");
}

fn number(row: &BTreeMap<String, String>, column: &str) -> f64 {
    row[column].parse().unwrap_or_else(|_| panic!("{column} of {row:?}"))
}

/// Whether a figure lies between the ends of its interval, which are apart.
fn is_inside(row: &BTreeMap<String, String>, column: &str) -> bool {
    let [lo, hi] = ["_lo95", "_hi95"].map(|end| number(row, &format!("{column}{end}")));
    let value = number(row, column);
    lo < value && value < hi
}

#[test]
fn intervals_of_an_adaptive_run_stand_beside_orions_files() {
    let run = Run::visited(RunLevel::Normal, &SPREAD);
    for version in OrionVersion::ALL {
        let rows = rows(&run.file(Format::Orion(version), "_ci.csv"));
        assert_eq!(rows.len(), 5 + 2 + 2 * 10, "a row per point and class");
        for row in &rows {
            assert_eq!((row["visits"].as_str(), row["basis"].as_str()), ("4", "visits"), "{row:?}");
            assert_eq!((row["reached"].as_str(), row["stalled_share"].as_str()), ("true", "0"), "{row:?}");
            for column in ["iops", "mbps", "latency_mean_us", "latency_p50_us", "latency_p99_us"] {
                assert!(is_inside(row, column), "{column}: {row:?}");
            }
            assert!(number(row, "between") > 0.01 && number(row, "within") < 0.01, "{row:?}");
        }
        let mixed = rows.iter().find(|row| row["small"] == "3" && row["large"] == "2").unwrap();
        assert_eq!(
            (mixed["class"].as_str(), number(mixed, "iops")),
            ("small", 30_000.0),
            "the mean of the visits"
        );
    }
}

#[test]
fn both_tables_tell_the_same_intervals() {
    let mut run = Run::visited(RunLevel::Simple, &[-200, 100, 0, 100]);
    run.record.header.run_id = "a,\"b\"\nc".into();
    let narrow = rows(&run.file(Format::Orion(OrionVersion::V19), "_ci.csv"));
    let wide = rows(&run.file(Format::Csv, "_findings.csv"));
    assert_eq!(narrow.len(), wide.len());
    for (narrow, wide) in narrow.iter().zip(&wide) {
        assert!(narrow.iter().all(|(column, field)| wide[column] == *field), "{narrow:?} {wide:?}");
        assert_eq!((narrow["reached"].as_str(), narrow["run_id"].as_str()), ("false", "a,\"b\"\\x0ac"));
        assert!(wide["flags"].contains("NOT_REACHED"));
    }
}

#[test]
fn one_visit_shows_what_varied_inside_it() {
    let mut run = Run::new(Request::new(RunLevel::Oltp), &[("/dev/sdb", 1 << 34)]);
    run.small(1, 100).small(2, 200);
    let varied = run.record.visits[0].tallies.get_mut(&Class::SMALL).unwrap();
    for (index, ops) in varied.series.ops.iter_mut().enumerate() {
        *ops = if index % 3 == 0 { 4 } else { 5 };
    }
    let rows = rows(&run.file(Format::Orion(OrionVersion::V11_1), "_ci.csv"));
    let seen: Vec<_> = rows.iter().map(|row| (row["basis"].as_str(), row["visits"].as_str())).collect();
    assert_eq!(seen, [("one_visit", "1"), ("none", "1")]);
    assert!(is_inside(&rows[0], "iops") && is_inside(&rows[0], "latency_mean_us"));
    assert_eq!((rows[0]["latency_p99_us_lo95"].as_str(), rows[0]["reached"].as_str()), ("", ""));
    assert_eq!((number(&rows[1], "iops"), rows[1]["iops_lo95"].as_str()), (200.0, ""));
}

#[test]
fn every_flag_has_its_row() {
    let mut run = Run::searched(RunLevel::Simple);
    run.rounds(&[-200, 100, 0, 100]);
    run.record.visits[1].tallies.get_mut(&Class::SMALL).unwrap().reads.clear();
    let mut view = View::of(&run.record);
    view.findings.flags = vec![Flag::new(FlagCode::FewPoints, "one, \"two\"\nthree")];
    view.findings.curves[1].flags = vec![Flag::new(FlagCode::NotSaturated, "up to 64").invalidating()];
    let rows = rows(&file_of(&view, Format::Orion(OrionVersion::V19), "_flags.csv"));
    let row = |row: &BTreeMap<String, String>| {
        ["scope", "small", "large", "class", "code", "invalid", "text"].map(|column| row[column].clone())
    };
    assert_eq!(row(&rows[0]), ["run", "", "", "", "FEW_POINTS", "false", "one, \"two\"\\x0athree"]);
    let last = rows.last().unwrap();
    assert_eq!(row(last), ["curve", "", "", "large", "NOT_SATURATED", "true", "up to 64"]);
    let points: usize = view.findings.points.iter().map(|found| found.flags.len()).sum();
    assert!(points >= 10, "{points}");
    assert_eq!(rows.iter().filter(|row| row["scope"] == "point").count(), points);
    assert!(
        rows.iter().all(|row| row["scope"] != "point" || !row["code"].is_empty() && !row["small"].is_empty())
    );
}

#[test]
fn a_run_without_flags_has_a_table_of_one_line() {
    let table = mixed().file(Format::Orion(OrionVersion::V19), "_flags.csv");
    assert_eq!(table, "run_id,scope,small,large,class,code,invalid,note,text\n");
}
