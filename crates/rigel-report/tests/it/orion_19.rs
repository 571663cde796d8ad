//! Output of 12.2 and 19.3, byte for byte where it was published: results and histogram. The tables are ours.

use crate::support::{MINUTE, Run, classes, histogram, same, tally, us};
use rigel_core::load::class::Pattern;
use rigel_core::load::matrix::{MatrixShape, RunLevel};
use rigel_core::load::pace::{Adaptive, Pace};
use rigel_core::load::request::Request;
use rigel_core::load::task::Task;
use rigel_core::measure::Histogram;
use rigel_report::{Format, OrionVersion, View, orion};

const FORMAT: Format = Format::Orion(OrionVersion::V19);

/// A `simple` run of 19.3 on Linux with six files (November 2021), without the line `Setting ftype=0`.
const SIMPLE: &str = "\
Maximum Large MBPS=1571.33 @ Small=0 and Large=5

Maximum Small IOPS=58778 @ Small=10 and Large=0
Small Read Latency: avg=169.594 us, min=128.415 us, max=1924.721 us, std dev=13.566 us @ Small=10 and Large=0

Minimum Small Latency=97.677 usecs @ Small=2 and Large=0
Small Read Latency: avg=97.677 us, min=63.652 us, max=2133.198 us, std dev=47.348 us @ Small=2 and Large=0
Small Read / Write Latency Histogram @ Small=2 and Large=0
        Latency:                         # of IOs (read)          # of IOs (write)
        0 - 32         us:               0 (  0.00%)              0 (  0.00%)
       32 - 64         us:               1 (  0.00%)              0 (  0.00%)
       64 - 128        us:         1112243 ( 91.12%)              0 (  0.00%)
      128 - 256        us:          102320 ( 99.50%)              0 (  0.00%)
      256 - 512        us:            5434 ( 99.95%)              0 (  0.00%)
      512 - 1024       us:             405 ( 99.98%)              0 (  0.00%)
     1024 - 2048       us:             259 (100.00%)              0 (  0.00%)
     2048 - 4096       us:               2 (100.00%)              0 (  0.00%)
     4096 - 268435456  us:               0 (100.00%)              0 (  0.00%)
";

fn simple() -> Run {
    let mut run =
        Run::new(Request { num_disks: Some(6), ..Request::new(RunLevel::Simple) }, &[("/u01/file", 1 << 34)]);
    let rows = [(32, 1), (64, 1_112_243), (128, 102_320), (256, 5434), (512, 405), (1024, 259), (2048, 2)];
    let two = histogram(&rows, us(97.677, 63.652, 2133.198, 47.348));
    let ten = histogram(&[(128, 58_778 * 60)], us(169.594, 128.415, 1924.721, 13.566));
    for (outstanding, reads) in [(2, two), (10, ten)] {
        let io = tally(8192, outstanding, MINUTE, reads, Histogram::new());
        run.visit((outstanding, 0), MINUTE, Some(io), None);
    }
    run.large(5, 157_133);
    run
}

#[test]
fn results_of_a_simple_run() {
    let run = simple();
    assert_eq!(
        orion::result_block(OrionVersion::V19, &View::of(&run.record)),
        format!("Setting ftype=0\n{SIMPLE}")
    );
    assert!(run.file(FORMAT, "_summary.txt").ends_with(&format!("files found.\n\n{SIMPLE}")));
}

/// `oltp` with 50 % writes on 12.2, four disks. The counts are such that they give the published minimum.
#[test]
fn results_of_a_run_that_writes() {
    let request =
        Request { classes: classes(Pattern::Random, 50), num_disks: Some(4), ..Request::new(RunLevel::Oltp) };
    let mut run = Run::new(request, &[("/home/test1.img", 1 << 30)]);
    let reads = histogram(&[(4096, 27_234)], us(4455.933, 2947.072, 126_228.454, 2760.667));
    let writes = histogram(&[(4096, 27_188)], us(4363.848, 2608.965, 137_914.519, 3499.135));
    run.visit((4, 0), MINUTE, Some(tally(8192, 4, MINUTE, reads, writes)), None);
    let reads = histogram(&[(65_536, 459 * 60)], us(74_069.66, 62_642.274, 180_620.254, 12_263.553));
    let writes = histogram(&[(65_536, 459 * 60)], us(73_935.104, 62_631.574, 187_240.852, 12_174.669));
    run.visit((68, 0), MINUTE, Some(tally(8192, 68, MINUTE, reads, writes)), None);
    let expected = "\
Setting ftype=0
Maximum Small IOPS=918 @ Small=68 and Large=0
Small Read Latency: avg=74069.660 us, min=62642.274 us, max=180620.254 us, std dev=12263.553 us @ Small=68 and Large=0
Small Write Latency: avg=73935.104 us, min=62631.574 us, max=187240.852 us, std dev=12174.669 us @ Small=68 and Large=0

Minimum Small Latency=4409.929 usecs @ Small=4 and Large=0
Small Read Latency: avg=4455.933 us, min=2947.072 us, max=126228.454 us, std dev=2760.667 us @ Small=4 and Large=0
Small Write Latency: avg=4363.848 us, min=2608.965 us, max=137914.519 us, std dev=3499.135 us @ Small=4 and Large=0
Small Read / Write Latency Histogram @ Small=4 and Large=0
";
    let block = orion::result_block(OrionVersion::V19, &View::of(&run.record));
    assert!(block.starts_with(expected), "{block}");
}

#[test]
fn prints_an_empty_line_after_the_estimate() {
    let banner = orion::banner(OrionVersion::V19, "0.1.0", "mytest_20211113_1809", 44);
    let lines: Vec<&str> = banner.split('\n').collect();
    assert_eq!(
        lines,
        [
            "ORION: ORacle IO Numbers -- Version 19 layout, written by Rigel 0.1.0",
            "mytest_20211113_1809",
            "Calibration will take approximately 44 minutes.",
            "Using a large value for -cache_size may take longer.",
            "",
            "",
        ]
    );
}

#[test]
fn columns_of_a_table_are_equally_wide() {
    let request = Request::of(Task::advanced(MatrixShape::Detailed));
    let mut run = Run::new(request, &[("/dev/sdb", 1 << 34)]);
    let io = |mean| Some(tally(8192, 1, MINUTE, same(1000, mean), Histogram::new()));
    run.visit((1, 0), MINUTE, io(12_345_678), None);
    run.visit((3, 0), MINUTE, io(81_500), None);
    run.visit((5, 1), MINUTE, io(1_000_000_000), None);
    insta::assert_snapshot!(run.file(FORMAT, "_lat.csv"), @r"
    Large/Small,          1,          2,          3,          4,          5
              0,  12345.678,           ,     81.500
              1,           ,           ,           ,           ,1000000.000
              2
    ");
}

#[test]
fn a_search_that_was_ended_has_no_levels_in_its_tables() {
    let request = Request {
        task: Task::searched(RunLevel::Normal, Pace::Adaptive(Adaptive::default())),
        ..Request::new(RunLevel::Normal)
    };
    let run = Run::new(request, &[("/dev/sdb", 1 << 34)]);
    for suffix in ["_iops.csv", "_lat.csv", "_mbps.csv"] {
        assert_eq!(run.file(FORMAT, suffix).trim_end(), "Large/Small", "{suffix}");
    }
}

#[test]
fn histogram_file_is_a_table() {
    let file = simple().file(FORMAT, "_hist.csv");
    let lines: Vec<&str> = file.lines().collect();
    assert!(lines[0].starts_with("Small,Large,Class,Direction,I/Os,0-2 us,2-4 us,4-8 us,"));
    assert!(lines[0].ends_with(",134217728-268435456 us"));
    assert!(lines[1].starts_with("2,0,small,read,1220664,0,0,0,0,0,1,1112243,102320,5434,405,259,2,0,"));
    assert!(lines[2].starts_with("2,0,small,write,0,0,"));
    assert!(lines[5].starts_with("0,5,large,read,157133,"));
    assert!(lines.iter().all(|line| line.split(',').count() == 5 + 28));
}
