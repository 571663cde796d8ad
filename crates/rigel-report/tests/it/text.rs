//! Text for the terminal.

use crate::support::{MINUTE, Run, steady};
use rigel_core::matrix::{MatrixShape, RunLevel};
use rigel_core::request::{CacheWarmUp, EngineRequest, Request};
use rigel_core::sim_law::SimLaw;
use rigel_core::workload::{LargePattern, Layout, WritePercent};
use rigel_report::{View, text};

fn plan(request: Request, targets: &[(&str, u64)]) -> String {
    let header = Run::new(request, targets).record.header;
    text::plan(&header.request, &header.plan, &header.targets)
}

#[test]
fn plan_of_a_simple_run() {
    let request =
        Request { name: "mytest".into(), num_disks: Some(8), seed: 42, ..Request::new(RunLevel::Simple) };
    insta::assert_snapshot!(plan(request, &[("/dev/sdb", 1 << 34)]), @r"
    Run       mytest, level simple
    Targets   /dev/sdb  file, 16 GiB
    I/O       small: 8 KiB, random
              large: 1 MiB, random
    Points    37, outstanding I/Os of each class:
              small 1, 2-40 by 2 with large 0
              small 0 with large 1-16
    Per point 500 ms to settle, then 60 s measured
    Time      37 min 19 s; ORION's rule estimates 39 minutes
    Buffers   16.31 MiB for 1 worker
    Engine    the best one that works here
    Seed      42
    Writes    nothing would be written
    ");
}

#[test]
fn plan_of_a_single_point() {
    let request =
        Request { shape: MatrixShape::Point { small: 1000, large: 0 }, ..Request::new(RunLevel::Advanced) };
    insta::assert_snapshot!(plan(request, &[("/dev/sdb", 1 << 34)]), @r"
    Run       orion, level advanced, matrix point
    Targets   /dev/sdb  file, 16 GiB
    I/O       small: 8 KiB, random
    Points    1, outstanding I/Os of each class:
              small 1000 with large 0
    Per point 500 ms to settle, then 60 s measured
    Time      1 min 1 s; ORION's rule estimates 2 minutes
    Buffers   7.81 MiB for 4 workers
    Engine    the best one that works here
    Seed      0
    Writes    nothing would be written
    ");
}

#[test]
fn plan_of_streams_that_write() {
    let request = Request {
        shape: MatrixShape::Detailed,
        large_pattern: LargePattern::Sequential { ios_per_stream: 4 },
        layout: Layout::Raid0 { stripe_bytes: 1 << 20 },
        write_percent: WritePercent::new(50).unwrap(),
        cache: CacheWarmUp::Bytes(8 << 30),
        engine: EngineRequest::Sim(SimLaw::default()),
        buffered: true,
        ..Request::new(RunLevel::Advanced)
    };
    insta::assert_snapshot!(plan(request, &[("/dev/sdb", 1 << 34), ("/srv/file", 1_500_000_000)]), @r"
    Run       orion, level advanced, matrix detailed
    Targets   /dev/sdb  file, 16 GiB
              /srv/file  file, 1.40 GiB
    I/O       small: 8 KiB, random
              large: 1 MiB, streams of 4 outstanding, striped 1 MiB deep
    Points    54, outstanding I/Os of each class:
              small 1-10 with large 0
              small 0-10 with large 1-4
    Per point 500 ms to settle, then 60 s measured
              before 44 of them 8 GiB of random large I/O, not measured
    Time      54 min 27 s and the warm-ups; ORION's rule estimates 56 minutes
    Buffers   16.08 MiB for 1 worker
    Engine    sim: 4 servers, 1 ms of service each, no storage is touched
    Cache     through the page cache, as asked: memory is measured, not storage
    Seed      0
    Writes    50 % of the small I/Os and of the streams
              what these targets hold now would be lost:
              /dev/sdb
              /srv/file
    ");
}

const TABLE: &str = "
 Small  Large      IOPS       MBPS     mean us      p99 us  Flags
     1      0      4032          -       248.0       248.0  BUFFERED
     0      2         -     131.12     15253.2     15253.2  BUFFERED
     5      2   1234567   98765.00         4.0         4.0  BUFFERED
                                                            QUEUE_NOT_FILLED

IOPS of small I/Os; MBPS of large I/Os, 2^20 bytes per second; latency in
microseconds, of the small I/Os where there are some, else of the large ones.
";

#[test]
fn table_of_a_run() {
    let mut run = Run::new(Request::new(RunLevel::Normal), &[("/dev/sdb", 1 << 34)]);
    run.small(1, 4032).large(2, 13_112);
    let small = steady(8192, 5, MINUTE, 60 * 1_234_567);
    let large = steady(1 << 20, 2, MINUTE, 60 * 98_765);
    run.visit((5, 2), MINUTE, Some(small), Some(large));
    run.record.header.request.buffered = true;
    run.record.visits[2].small.as_mut().unwrap().in_flight_ns = MINUTE;
    let table = text::table(&View::of(&run.record));
    assert_eq!(table, TABLE.strip_prefix('\n').unwrap());
    let wide = table.lines().map(str::len).max();
    assert!(wide.unwrap() <= 80);
}

#[test]
fn table_of_a_run_without_results() {
    let mut run = Run::new(Request::new(RunLevel::Simple), &[("/dev/sdb", 1 << 34)]);
    run.record.closing = None;
    assert_eq!(text::table(&View::of(&run.record)), "");
}
