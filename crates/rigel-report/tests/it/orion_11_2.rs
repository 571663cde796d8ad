//! Output of 11.2.0.2, byte for byte: two summaries, the tables, what it prints.

use crate::support::{MINUTE, Run, after_line_1, before_flags, classes, histogram, same, steady, tally, us};
use rigel_core::load::class::{Class, Pattern};
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::request::{CacheWarmUp, Request};
use rigel_core::load::workload::Layout;
use rigel_core::measure::Histogram;
use rigel_core::units::NS_PER_S;
use rigel_report::{Format, OrionVersion, View, orion};

const FORMAT: Format = Format::Orion(OrionVersion::V11_2);

/// The summary of a `normal` run as it was published (German DBA community, May 2011). That program printed latency and
/// histogram of Small=3 beside the rate of Small=5; here both are of Small=5.
const NORMAL: &str = "
Command line:
-testname mytest -run normal 

These options enable these settings:
Test: mytest
Small IO size: 8 KB
Large IO size: 1024 KB
IO types: small random IOs, large random IOs
Sequential stream pattern: one LUN per stream 
Writes: 0%
Cache size: not specified
Duration for each data point: 60 seconds
Small Columns:,      0,      1,      2,      3,      4,      5
Large Columns:,      0,      1,      2
Total Data Points: 18

Name: /home/oracle/data_02\tSize: 2147483648
1 files found.

Maximum Large MBPS=131.12 @ Small=0 and Large=2

Maximum Small IOPS=4734 @ Small=5 and Large=0
Small Read Latency: avg=639 us, min=0 us, max=1305307 us, std dev=4348 us @ Small=5 and Large=0

Minimum Small Latency=248 usecs @ Small=1 and Large=0
Small Read Latency: avg=248 us, min=0 us, max=445929 us, std dev=1363 us @ Small=1 and Large=0
Small Read / Write Latency Histogram @ Small=5 and Large=0
\tLatency:\t\t# of IOs (read) \t # of IOs (write) 
        0 - 1\t\tus:\t\t7418\t\t\t0
        2 - 4\t\tus:\t\t0\t\t\t0
        4 - 8\t\tus:\t\t0\t\t\t0
        8 - 16\t\tus:\t\t0\t\t\t0
       16 - 32\t\tus:\t\t2\t\t\t0
       32 - 64\t\tus:\t\t105971\t\t\t0
       64 - 128\t\tus:\t\t18208\t\t\t0
      128 - 256\t\tus:\t\t389\t\t\t0
      256 - 512\t\tus:\t\t101880\t\t\t0
      512 - 1024\tus:\t\t5593\t\t\t0
     1024 - 2048\tus:\t\t629\t\t\t0
     2048 - 4096\tus:\t\t143\t\t\t0
     4096 - 8192\tus:\t\t338\t\t\t0
     8192 - 16384\tus:\t\t321\t\t\t0
    16384 - 32768\tus:\t\t102\t\t\t0
    32768 - 65536\tus:\t\t40\t\t\t0
    65536 - 131072\tus:\t\t7\t\t\t0
   131072 - 262144\tus:\t\t0\t\t\t0
   262144 - 524288\tus:\t\t1\t\t\t0
   524288 - 1048576\tus:\t\t0\t\t\t0
  1048576 - 2097152\tus:\t\t0\t\t\t0
  2097152 - 4194304\tus:\t\t0\t\t\t0
  4194304 - 8388608\tus:\t\t0\t\t\t0
  8388608 - 16777216\tus:\t\t0\t\t\t0
 16777216 - 33554432\tus:\t\t0\t\t\t0
 33554432 - 67108864\tus:\t\t0\t\t\t0
 67108864 - 134217728\tus:\t\t0\t\t\t0
134217728 - 268435456\tus:\t\t0\t\t\t0
";

/// The counts of that histogram.
const NORMAL_ROWS: [(u64, u64); 16] = [
    (0, 7418),
    (16, 2),
    (32, 105_971),
    (64, 18_208),
    (128, 389),
    (256, 101_880),
    (512, 5593),
    (1024, 629),
    (2048, 143),
    (4096, 338),
    (8192, 321),
    (16_384, 102),
    (32_768, 40),
    (65_536, 7),
    (131_072, 0),
    (262_144, 1),
];

fn normal() -> Run {
    let request = Request {
        name: "mytest".into(),
        command_line: "-testname mytest -run normal ".into(),
        ..Request::new(RunLevel::Normal)
    };
    let mut run = Run::new(request, &[("/home/oracle/data_02", 2_147_483_648)]);
    let none = Histogram::new;
    let one = histogram(&[(0, 100), (128, 241_800)], us(248.0, 0.0, 445_929.0, 1363.0));
    run.visit((1, 0), MINUTE, Some(tally(8192, 1, MINUTE, one, none())), None);
    // The window in which the counts make 4734 I/Os per second. The latency is that of 3 outstanding, as published.
    let window = 241_042 * NS_PER_S / 4734;
    let five = histogram(&NORMAL_ROWS, us(639.0, 0.0, 1_305_307.0, 4348.0));
    run.visit((5, 0), window, Some(tally(8192, 3, window, five, none())), None);
    run.large(1, 9000).large(2, 13_112);
    run
}

#[test]
fn summary_of_a_normal_run() {
    let summary = normal().file(FORMAT, "_summary.txt");
    assert_eq!(before_flags(after_line_1(&summary)), NORMAL);
    assert_eq!(
        summary.lines().next().unwrap(),
        "ORION VERSION 11.2.0.2.0 layout, written by Rigel 0.1.0; 1 MB is 2^20 bytes"
    );
}

#[test]
fn prints_what_the_summary_ends_with() {
    let run = normal();
    let block = orion::result_block(OrionVersion::V11_2, &View::of(&run.record));
    assert_eq!(before_flags(&block), &NORMAL[NORMAL.find("Maximum Large").unwrap()..]);
    insta::assert_snapshot!(orion::banner(OrionVersion::V11_2, "0.1.0", "mytest_20110510_2303", 19), @r"
    ORION: ORacle IO Numbers -- Version 11.2.0.2.0 layout, written by Rigel 0.1.0
    mytest_20110510_2303
    Calibration will take approximately 19 minutes.
    Using a large value for -cache_size may take longer.
    ");
}

/// A `simple` run of February 2011: its results, its tables and the sizes of its files were published.
fn simple() -> Run {
    let request = Request {
        name: "simpletest".into(),
        command_line: "-run simple -testname simpletest ".into(),
        ..Request::new(RunLevel::Simple)
    };
    // The size of the LUN was not published; 13 digits complete the size of the file.
    let mut run = Run::new(request, &[("/dev/raw/raw1", 1_099_511_627_776)]);
    let latencies = [9_478_830, 8_590_160, 8_097_650, 8_089_160];
    for (outstanding, mean) in (1..).zip(latencies) {
        let reads = same(u64::from(outstanding) * MINUTE / mean, mean);
        let io = tally(8192, outstanding, MINUTE, reads, Histogram::new());
        run.visit((outstanding, 0), MINUTE, Some(io), None);
    }
    let rows = [
        (1024, 470),
        (2048, 4863),
        (4096, 19_006),
        (8192, 12_410),
        (16_384, 1207),
        (32_768, 138),
        (65_536, 23),
        (131_072, 2),
    ];
    let five = histogram(&rows, us(7866.98, 1858.0, 210_500.0, 4914.0));
    let five = tally(8192, 5, MINUTE, five, Histogram::new());
    run.visit((5, 0), MINUTE, Some(five), None);
    run.large(1, 5641).large(2, 10_182);
    run
}

#[test]
fn summary_of_a_simple_run() {
    let summary = simple().file(FORMAT, "_summary.txt");
    let theirs = format!("ORION VERSION 11.2.0.2.0\n{}", before_flags(after_line_1(&summary)));
    assert_eq!(theirs.len(), 1773);
    let results = "
Maximum Large MBPS=101.82 @ Small=0 and Large=2

Maximum Small IOPS=635 @ Small=5 and Large=0
Small Read Latency: avg=7867 us, min=1858 us, max=210500 us, std dev=4914 us @ Small=5 and Large=0

Minimum Small Latency=7867 usecs @ Small=5 and Large=0
Small Read Latency: avg=7867 us, min=1858 us, max=210500 us, std dev=4914 us @ Small=5 and Large=0
Small Read / Write Latency Histogram @ Small=5 and Large=0
";
    assert!(theirs.contains(results), "{theirs}");
    assert!(theirs.contains("     8192 - 16384\tus:\t\t12410\t\t\t0\n"), "{theirs}");
    // A run that was aborted at its first point left this much.
    let settings = theirs.find("Small Columns").unwrap();
    assert_eq!(settings, 342);
}

#[test]
fn tables_stand_below_a_paragraph() {
    let run = simple();
    let mbps = "\
Large/Small,      0,      1,      2,      3,      4,      5
          1,  56.41
          2, 101.82
";
    let latency = "\
Large/Small,      1,      2,      3,      4,      5
          0, 9478.83, 8590.16, 8097.65, 8089.16, 7866.98
          1
          2
";
    for (suffix, table, bytes) in [("_mbps.csv", mbps, 100), ("_lat.csv", latency, 133)] {
        assert_eq!(table.len(), bytes);
        let file = run.file(FORMAT, suffix);
        let (preamble, found) = file.split_once("\n\n").unwrap();
        assert_eq!(found, table);
        assert!(!preamble.contains('\n'));
        assert_eq!(preamble.matches(". ").count() + 1, 4, "four sentences: {preamble}");
    }
    assert!(run.file(FORMAT, "_iops.csv").ends_with("\n          1\n          2\n"));
}

/// What `oltp` with 20 % writes printed in February 2011: no line for large I/O, one more line for each latency. The page
/// lost the TABs of the histogram and perhaps the empty line; they are as in the summary above.
const WRITES: &str = "\
Maximum Small IOPS=2820 @ Small=19 and Large=0
Small Read Latency: avg=8333 us, min=118 us, max=540359 us, std dev=9541 us @ Small=19 and Large=0
Small Write Latency: avg=315 us, min=217 us, max=11142 us, std dev=331 us @ Small=19 and Large=0

Minimum Small Latency=5409 usecs @ Small=4 and Large=0
Small Read Latency: avg=6685 us, min=243 us, max=202301 us, std dev=5715 us @ Small=4 and Large=0
Small Write Latency: avg=300 us, min=217 us, max=6300 us, std dev=296 us @ Small=4 and Large=0
Small Read / Write Latency Histogram @ Small=19 and Large=0
\tLatency:\t\t# of IOs (read) \t # of IOs (write) 
        0 - 1\t\tus:\t\t0\t\t\t0
        2 - 4\t\tus:\t\t0\t\t\t0
        4 - 8\t\tus:\t\t0\t\t\t0
        8 - 16\t\tus:\t\t0\t\t\t0
       16 - 32\t\tus:\t\t0\t\t\t0
       32 - 64\t\tus:\t\t0\t\t\t0
       64 - 128\t\tus:\t\t0\t\t\t0
      128 - 256\t\tus:\t\t1\t\t\t6457
      256 - 512\t\tus:\t\t339\t\t\t1894
      512 - 1024\tus:\t\t115\t\t\t369
     1024 - 2048\tus:\t\t2830\t\t\t92
     2048 - 4096\tus:\t\t7105\t\t\t44
     4096 - 8192\tus:\t\t16469\t\t\t11
     8192 - 16384\tus:\t\t7301\t\t\t0
    16384 - 32768\tus:\t\t1106\t\t\t0
    32768 - 65536\tus:\t\t190\t\t\t0
    65536 - 131072\tus:\t\t30\t\t\t0
   131072 - 262144\tus:\t\t4\t\t\t0
   262144 - 524288\tus:\t\t0\t\t\t0
   524288 - 1048576\tus:\t\t0\t\t\t0
  1048576 - 2097152\tus:\t\t0\t\t\t0
  2097152 - 4194304\tus:\t\t0\t\t\t0
  4194304 - 8388608\tus:\t\t0\t\t\t0
  8388608 - 16777216\tus:\t\t0\t\t\t0
 16777216 - 33554432\tus:\t\t0\t\t\t0
 33554432 - 67108864\tus:\t\t0\t\t\t0
 67108864 - 134217728\tus:\t\t0\t\t\t0
134217728 - 268435456\tus:\t\t0\t\t\t0
";

#[test]
fn results_of_a_run_that_writes() {
    let request = Request { classes: classes(Pattern::Random, 20), ..Request::new(RunLevel::Oltp) };
    let mut run = Run::new(request, &[("/dev/raw/raw1", 1 << 40)]);
    let reads = histogram(&[(4096, 4001)], us(6685.0, 243.0, 202_301.0, 5715.0));
    let writes = histogram(&[(256, 999)], us(300.0, 217.0, 6300.0, 296.0));
    let window = 5000 / 4 * 5_409_277;
    run.visit((4, 0), window, Some(tally(8192, 4, window, reads, writes)), None);
    let reads = [
        (128, 1),
        (256, 339),
        (512, 115),
        (1024, 2830),
        (2048, 7105),
        (4096, 16_469),
        (8192, 7301),
        (16_384, 1106),
        (32_768, 190),
        (65_536, 30),
        (131_072, 4),
    ];
    let writes = [(128, 6457), (256, 1894), (512, 369), (1024, 92), (2048, 44), (4096, 11)];
    let reads = histogram(&reads, us(8333.0, 118.0, 540_359.0, 9541.0));
    let writes = histogram(&writes, us(315.0, 217.0, 11_142.0, 331.0));
    // The window in which the counts, which are those of one of its workers, make 2820 I/Os per second.
    let window = (reads.count() + writes.count()) * NS_PER_S / 2820;
    run.visit((19, 0), window, Some(tally(8192, 19, window, reads, writes)), None);
    let block = orion::result_block(OrionVersion::V11_2, &View::of(&run.record));
    assert_eq!(before_flags(&block), WRITES);
}

#[test]
fn large_io_alone_has_one_line() {
    let mut run = Run::new(Request::new(RunLevel::Dss), &[("/dev/sdb", 1 << 40)]);
    run.large(15, 40_000);
    let block = orion::result_block(OrionVersion::V11_2, &View::of(&run.record));
    assert_eq!(block, "Maximum Large MBPS=400.00 @ Small=0 and Large=15\n");
}

#[test]
fn settings_of_streams() {
    let mut request = Request {
        classes: classes(Pattern::Streams { ios_per_stream: 4 }, 0),
        layout: Layout::Raid0 { stripe_bytes: 2 << 20 },
        cache: CacheWarmUp::Bytes(500 << 20),
        ..Request::new(RunLevel::Advanced)
    };
    request.set_size(Class::SMALL, 512);
    let mut run = Run::new(request, &[("/dev/sdb", 1 << 40)]);
    let settings = |run: &Run, version, from: &str| {
        let summary = run.file(Format::Orion(version), "_summary.txt");
        let text = &summary[summary.find(from).unwrap()..summary.find("Duration").unwrap()];
        text.to_owned()
    };
    insta::assert_snapshot!(settings(&run, OrionVersion::V11_2, "Small IO"), @r"
    Small IO size: 0.5 KB
    Large IO size: 1024 KB
    IO types: small random IOs, large sequential streams
    Number of concurrent IOs per stream: 4
    Sequential stream pattern: RAID-0 striping for all streams 
    Stripe depth: 2048 KB
    Writes: 0%
    Cache size: 500 MB
    ");
    run.record.header.request.cache = CacheWarmUp::Off;
    insta::assert_snapshot!(settings(&run, OrionVersion::V11_1, "IO Types"), @r"
    IO Types: Small Random IOs, Large Sequential Streams
    Number of Concurrent IOs Per Stream: 4
    Force streams to separate disks: No
    Simulated Array Type: RAID 0
    Stripe Depth: 2048 KB
    Write: 0%
    Cache Size: 0 MB
    ");
}

#[test]
fn histogram_file_has_every_point_and_class() {
    let mut run = normal();
    let mixed = [Some(steady(8192, 1, MINUTE, 60_000)), Some(steady(1 << 20, 1, MINUTE, 600))];
    let [small, large] = mixed;
    run.visit((1, 1), MINUTE, small, large);
    let file = run.file(FORMAT, "_hist.txt");
    let titles: Vec<&str> = file.lines().filter(|line| line.contains("Histogram @")).collect();
    assert_eq!(
        titles,
        [
            "Small Read / Write Latency Histogram @ Small=1 and Large=0",
            "Small Read / Write Latency Histogram @ Small=5 and Large=0",
            "Large Read / Write Latency Histogram @ Small=0 and Large=1",
            "Small Read / Write Latency Histogram @ Small=1 and Large=1",
            "Large Read / Write Latency Histogram @ Small=1 and Large=1",
            "Large Read / Write Latency Histogram @ Small=0 and Large=2",
        ]
    );
    assert_eq!(file.lines().filter(|line| line.contains("us:\t\t")).count(), 6 * 28);
}
