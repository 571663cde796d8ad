//! Output of 11.1.0.7, byte for byte: its tables, its summary, what it prints.

use crate::support::{Run, after_line_1};
use rigel_core::load::class::Class;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::request::Request;
use rigel_report::{Format, OrionVersion, View, orion};

const FORMAT: Format = Format::Orion(OrionVersion::V11_1);

fn simple(name: &str, command_line: &str, targets: &[(&str, u64)]) -> Run {
    let request = Request {
        name: name.into(),
        command_line: command_line.into(),
        num_disks: Some(1),
        ..Request::new(RunLevel::Simple)
    };
    Run::new(request, targets)
}

/// The run whose three tables were published (March 2019, one LVM device); its latencies do not follow from its rates to
/// the last digit, so the tables are checked one by one.
fn published() -> Run {
    let mut run =
        simple("mytest", "-run simple -testname mytest -num_disks 1 ", &[("/dev/mapper/ol-root", 1 << 34)]);
    for (outstanding, iops) in [(1, 2302), (2, 4398), (3, 5450), (4, 6006), (5, 6210)] {
        run.small(outstanding, iops);
    }
    run.large(1, 27158).large(2, 37426);
    run
}

#[test]
fn iops_table() {
    let expected = "\
Large/Small,      1,      2,      3,      4,      5
          0,   2302,   4398,   5450,   6006,   6210
          1
          2
";
    assert_eq!(expected.len(), 128);
    assert_eq!(published().file(FORMAT, "_iops.csv"), expected);
}

#[test]
fn mbps_table() {
    let expected = "\
Large/Small,      0,      1,      2,      3,      4,      5
          1, 271.58
          2, 374.26
";
    assert_eq!(expected.len(), 100);
    assert_eq!(published().file(FORMAT, "_mbps.csv"), expected);
}

#[test]
fn latency_table() {
    let expected = "\
Large/Small,      1,      2,      3,      4,      5
          0,   0.43,   0.45,   0.55,   0.67,   0.80
          1
          2
";
    assert_eq!(expected.len(), 128);
    let mut run = published();
    // 5 / 6210 s is 0.805 ms; published is 0.80, so a little less.
    let io = run.record.visits[4].tallies.get_mut(&Class::SMALL).unwrap();
    io.reads = crate::support::same(6210 * 60, 804_000);
    assert_eq!(run.file(FORMAT, "_lat.csv"), expected);
}

#[test]
fn summary_of_a_bare_command_line() {
    let mut run = simple("orion", "-run simple ", &[("/dev/vdb", 21_474_836_480)]);
    for (outstanding, iops) in [(1, 3000), (2, 6000), (3, 9000), (4, 12_000), (5, 19_019)] {
        run.small(outstanding, iops);
    }
    run.large(1, 100_000).large(2, 155_454);
    let expected = "
Commandline:
-run simple 

This maps to this test:
Test: orion
Small IO size: 8 KB
Large IO size: 1024 KB
IO Types: Small Random IOs, Large Random IOs
Simulated Array Type: CONCAT
Write: 0%
Cache Size: Not Entered
Duration for each Data Point: 60 seconds
Small Columns:,      0
Large Columns:,      0,      1,      2
Total Data Points: 8

Name: /dev/vdb\tSize: 21474836480
1 FILEs found.

Maximum Large MBPS=1554.54 @ Small=0 and Large=2
Maximum Small IOPS=19019 @ Small=5 and Large=0
Minimum Small Latency=0.26 @ Small=5 and Large=0
";
    let summary = run.file(FORMAT, "_summary.txt");
    assert_eq!(after_line_1(&summary), expected);
    assert_eq!(
        summary.lines().next().unwrap(),
        "ORION VERSION 11.1.0.7.0 layout, written by Rigel 0.1.0; 1 MB is 2^20 bytes"
    );
}

/// The summary of a run on two partitions was published with its size, 630 bytes. Of its figures only their 33 digits
/// and points are known here: two sizes, the rate, the I/Os, the latency. These have as many.
#[test]
fn summary_has_the_published_size() {
    let targets = [("/dev/cciss/c0d0p3", 139_586_950_656), ("/dev/cciss/c0d0p1", 106_896_384)];
    let mut run = simple("rjx", "-run simple -testname rjx -num_disks 1 ", &targets);
    for (outstanding, iops) in [(1, 191), (2, 230), (3, 260), (4, 290), (5, 305)] {
        run.small(outstanding, iops);
    }
    run.large(1, 5641).large(2, 9716);
    let summary = run.file(FORMAT, "_summary.txt");
    let theirs = format!("ORION VERSION 11.1.0.7.0\n{}", after_line_1(&summary));
    assert_eq!(theirs.len(), 630);
}

#[test]
fn prints_two_lines_of_estimate_and_no_results() {
    insta::assert_snapshot!(orion::banner(OrionVersion::V11_1, "0.1.0", "mytest_20190329_1057", 9), @r"
    ORION: ORacle IO Numbers -- Version 11.1.0.7.0 layout, written by Rigel 0.1.0
    mytest_20190329_1057
    Test will take approximately 9 minutes
    Larger caches may take longer
    ");
    let run = published();
    assert_eq!(orion::result_block(OrionVersion::V11_1, &View::of(&run.record)), "");
}

#[test]
fn writes_no_histogram_file() {
    let files = rigel_report::render(FORMAT, &View::of(&published().record)).unwrap();
    let suffixes: Vec<&str> = files.iter().map(|file| &*file.suffix).collect();
    assert_eq!(
        suffixes,
        ["_summary.txt", "_iops.csv", "_mbps.csv", "_lat.csv", "_trace.txt", "_ci.csv", "_flags.csv"]
    );
}
