//! Text for the terminal.

use crate::support::{MINUTE, Run, SPREAD, classes, same, steady, visited};
use rigel_core::judge::flags::{Flag, FlagCode};
use rigel_core::load::class::{Class, Pattern};
use rigel_core::load::matrix::{MatrixShape, Point, RunLevel};
use rigel_core::load::pace::{Adaptive, LevelChoice, Pace, Precision};
use rigel_core::load::request::{CacheWarmUp, EngineRequest, Request};
use rigel_core::load::workload::Layout;
use rigel_core::measure::Histogram;
use rigel_core::sim::SimLaw;
use rigel_core::units::Nanos;
use rigel_report::text::Style;
use rigel_report::{Format, OrionVersion, View, text};

fn plan(request: Request, targets: &[(&str, u64)]) -> String {
    let header = Run::new(request, targets).record.header;
    text::plan(&header.request, &header.plan, &header.targets, None)
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

fn adaptive(request: Request) -> Request {
    Request { pace: Pace::Adaptive(Adaptive::default()), ..request }
}

#[test]
fn plan_of_an_adaptive_run() {
    let plan = plan(adaptive(Request::new(RunLevel::Normal)), &[("/dev/sdb", 1 << 34)]);
    assert!(widest(&plan) <= 80);
    let (_, from_points) = plan.split_once("\nPoints").unwrap();
    insta::assert_snapshot!(from_points, @r"
        17, outstanding I/Os of each class:
              small 1-5 with large 0
              small 0-5 with large 1, 2
    Precision ±5 %: half the width of the 95 % CI of every mean rate
    Visits    in random order, until the precision is reached at every point
              17 points: first 20 s at small 5 large 2, to see limits and drift,
                then 4 to 12 visits to each, 20 s or more apart
    Per visit 500 ms to settle, then 2 s measured; up to 8 s when fewer than 200
                I/Os complete
    Time      usually 3 to 19 min: the less the device varies, the shorter; a device
                with few IOPS takes longer
    Buffers   2.04 MiB for 1 worker
    Engine    the best one that works here
    Seed      0
    Writes    nothing would be written
    ");
}

#[test]
fn plan_of_an_adaptive_run_in_two_phases_with_a_limit() {
    let limited = Adaptive { precision: Precision(7), max_duration: Some(Nanos::from_secs(600)), fast: true };
    let request = Request {
        classes: classes(Pattern::Streams { ios_per_stream: 4 }, 34),
        shape: MatrixShape::Max { small: 0, large: 4 },
        cache: CacheWarmUp::Bytes(8 << 30),
        pace: Pace::Adaptive(limited),
        ..Request::new(RunLevel::Advanced)
    };
    let plan = plan(request, &[("/dev/sdb", 1 << 34)]);
    assert!(widest(&plan) <= 80);
    let (_, from_points) = plan.split_once("\nPoints").unwrap();
    insta::assert_snapshot!(from_points, @r"
        4, outstanding I/Os of each class:
              small 0 with large 1-4
    Precision ±0.7 %: half the width of the 95 % CI of every mean rate
    Visits    in random order, until the precision is reached at every point
              before the first stream 8 GiB of random large I/O, not measured
              2 points that only read: first 20 s at small 0 large 2, to see limits
                and drift, then 6 to 12 visits to each, 10 s or more apart
              2 points that write, after a rest of 10 s: first 60 s at small 0 large
                4, to see limits and drift, then 6 to 12 visits to each, 10 s or
                more apart
    Per visit 500 ms to settle, then 1 s measured; up to 8 s when fewer than 200
                I/Os complete
    Time      usually 4 to 10 min and the warm-up: the less the device varies, the
                shorter; a device with few IOPS takes longer; no visit begins after
                10 min
    Buffers   16 MiB for 1 worker
    Engine    the best one that works here
    Seed      0
    Writes    34 % of the small I/Os and of the streams
              what these targets hold now would be lost:
              /dev/sdb
    ");
}

#[test]
fn plan_of_a_search() {
    let request = Request { levels: LevelChoice::Auto, ..adaptive(Request::new(RunLevel::Normal)) };
    let plan = plan(request, &[("/dev/sdb", 1 << 34)]);
    assert!(widest(&plan) <= 80);
    let (_, from_search) = plan.split_once("\nSearch").unwrap();
    insta::assert_snapshot!(from_search, @r"
        small I/O up to 512 outstanding, then large I/O up to 64 outstanding,
                until more gains nothing
              usually 90 visits of 500 ms to settle and 2 s measured
              the points then lie around what saturates each class
    Precision ±5 %: half the width of the 95 % CI of every mean rate
    Time      usually 3 to 45 min, with the search: the less the device varies, the
                shorter; a device with few IOPS takes longer
    Buffers   68 MiB for 4 workers
    Engine    the best one that works here
    Seed      0
    Writes    nothing would be written
    ");
}

#[test]
fn plan_of_streams_that_write() {
    let request = Request {
        classes: classes(Pattern::Streams { ios_per_stream: 4 }, 50),
        shape: MatrixShape::Detailed,
        layout: Layout::Raid0 { stripe_bytes: 1 << 20 },
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
 Small Large      IOPS   ±%      MBPS   ±%    mean us   ±%    p99 us   ±% Visits
!    1     0      4032    -         -    -      248.0    -     248.0    -      1
!    0     2         -    -    131.12    -    15253.2    -   15253.2    -      1
!    5     2   1234567    -  98765.00    -        4.0    -       4.0    -      1
            QUEUE_NOT_FILLED (small: 1.00 of 5 planned were in flight)

!  these numbers must not be used, as the flag under them says
±% half of a 95 % interval that shows only what varied inside the one visit to
   the point; what another visit would add is not known.
IOPS of small I/Os; MBPS of large I/Os, 2^20 bytes per second; latency in
microseconds, of the small I/Os where there are some, else of the large ones.

! Flag of all points: BUFFERED (measured through the page cache: memory, not
  storage)
";

#[test]
fn table_of_a_run() {
    let mut run = Run::new(Request::new(RunLevel::Normal), &[("/dev/sdb", 1 << 34)]);
    run.small(1, 4032).large(2, 13_112);
    let small = steady(8192, 5, MINUTE, 60 * 1_234_567);
    let large = steady(1 << 20, 2, MINUTE, 60 * 98_765);
    run.visit((5, 2), MINUTE, Some(small), Some(large));
    run.record.header.request.buffered = true;
    run.record.visits[2].tallies.get_mut(&Class::SMALL).unwrap().in_flight_ns = MINUTE;
    let table = text::table(&View::of(&run.record));
    assert_eq!(table, TABLE.strip_prefix('\n').unwrap());
    assert!(widest(&table) <= 80);
}

/// Columns of the widest line.
fn widest(text: &str) -> usize {
    text.lines().map(|line| line.chars().count()).max().unwrap_or(0)
}

#[test]
fn table_of_an_adaptive_run() {
    let mut run = Run::visited(RunLevel::Simple, &SPREAD);
    for visit in run.record.visits.iter_mut().filter(|visit| visit.point == Point::pair(2, 0)) {
        let small = visit.tallies.get_mut(&Class::SMALL).unwrap();
        small.reads = same(small.reads.count(), 300_000);
    }
    for (index, visit) in run.record.visits.iter_mut().filter(|visit| visit.step == 3).enumerate() {
        *visit.tallies.get_mut(&Class::SMALL).unwrap() =
            visited(8192, 4, [40_000, 30_000, 50_000, 44_000][index]);
    }
    let mut view = View::of(&run.record);
    let long = "others used 1.87 of a core on average, more than 0.25 in 100 % of the time".to_owned();
    view.findings.points[0].flags.push(Flag::new(FlagCode::Foreign, &long));
    view.findings.points[1].flags.push(Flag::new(FlagCode::Cache, &long).invalidating());
    view.findings.flags = vec![Flag::new(FlagCode::FewPoints, "7 points share one device, ".repeat(4))];
    let table = text::table(&view);
    insta::assert_snapshot!(table, @r"
     Small Large      IOPS   ±%      MBPS   ±%    mean us   ±%    p99 us   ±% Visits
         1     0     10000  9.1*        -    -      100.0  9.1     102.0  4.1      4
                FOREIGN (others used 1.87 of a core on average, more than 0.25 in ..
    !    2     0     20000  9.1*        -    -      300.0  9.1     300.0  1.6      4
              ! LITTLE (small: rate x latency is 3.000 of 2 outstanding)
              ! CACHE (others used 1.87 of a core on average, more than 0.25 in
                  100 % of the time)
         3     0     30000  9.1*        -    -      100.0  9.1     102.0  4.1      4
         4     0     41000   24*        -    -       97.6   24     133.3   81      4
         5     0     50000  9.1*        -    -      100.0  9.1     102.0  4.1      4
         0     1         -    -  10000.00  9.1*     100.0  9.1     102.0  4.1      4
         0     2         -    -  20000.00  9.1*     100.0  9.1     102.0  4.1      4

    *  wider than the ±5 % that was asked for, or no interval (NOT_REACHED)
    !  these numbers must not be used, as the flag under them says
    .. the whole text: rigel report RECORD --format markdown, or _flags.csv
    ±% half of the 95 % CI for the mean over the run, that is the mean at the point
       over the conditions of this run, in steady state, averaged over time. For a
       run on another day it is 1.4 times that at least.
       28 visits in all. A state of the device that lasts less than 10 % of the time
       may have been missed.
    IOPS of small I/Os; MBPS of large I/Os, 2^20 bytes per second; latency in
    microseconds, of the small I/Os where there are some, else of the large ones.

    Flag of the run: FEW_POINTS (7 points share one device, 7 points share one
      device, 7 points share one device, 7 points share one device, )
    ");
    assert!(widest(&table) <= 80);
}

#[test]
fn table_of_a_search() {
    let mut run = Run::searched(RunLevel::Oltp);
    run.rounds(&SPREAD);
    let mut view = View::of(&run.record);
    view.findings.curves[0].flags = vec![Flag::new(FlagCode::Retrograde, "a device that dislikes company")];
    let table = text::table(&view);
    let (_, curves) = table.split_once("Search ").unwrap();
    insta::assert_snapshot!(curves, @r"
                X_max   ±%    N_sat      lo..hi   Crossing   Knee  Visits
    small          7967 IOPS  1.3        8        8..8        8.6      8      30
          1: 933 at 1.071 ms, 2: 2000 at 1 ms, 4: 4000 at 1 ms, 6: 5933 at 1.011 ms,
            7: 6933 at 1.01 ms, 8: 7960 at 1.005 ms, 16: 7920 at 2.02 ms, 32: 7960
            at 4.02 ms
          RETROGRADE (a device that dislikes company)

    X_max: the highest rate of the class alone, in the visits of the search; the
    table above is from visits of its own, and is the answer. N_sat: the fewest
    outstanding I/Os that reach 95 % of it, lo..hi as far as the noise tells.
    Crossing: X_max times the latency of one outstanding I/O. Knee: the most rate
    per latency.
    ");
    assert!(widest(&table) <= 80);
    view.findings.curves[0].curve.saturated = false;
    let table = text::table(&view);
    assert!(table.contains(">7967 IOPS") && table.contains(">  at least"), "{table}");
    assert!(widest(&table) <= 80);
}

/// Numbers as large as a device may have, all at once.
#[test]
fn no_number_is_too_wide_for_its_column() {
    let mut run = Run::visited(RunLevel::Normal, &SPREAD);
    for visit in &mut run.record.visits {
        if let Some(small) = visit.tallies.get_mut(&Class::SMALL) {
            small.series.ops.fill(999_999);
            small.reads = same(200, 9_999_999_999_000);
        }
        if let Some(large) = visit.tallies.get_mut(&Class::LARGE) {
            large.series.ops.fill(99_999);
        }
    }
    let view = View::of(&run.record);
    let table = text::table(&view);
    assert!(widest(&table) <= 80, "{table}");
    let row = table.lines().find(|line| line.contains(" 99999900 ")).unwrap();
    let words = row.split_whitespace().filter(|word| *word != "!").count();
    assert_eq!(words, 11, "no two numbers touch: {row}");
}

#[test]
fn results_of_an_adaptive_run_say_how_sure_the_best_ones_are() {
    let run = Run::visited(RunLevel::Simple, &SPREAD);
    let view = View::of(&run.record);
    let results = report(&view);
    let (table, rest) = results.split_once("\nHighest large MBPS: ").unwrap();
    let verdict = text::verdict_of(&view);
    assert!(verdict.starts_with("Use with care: "), "{verdict}");
    assert!(
        table.starts_with(&format!("{verdict}\n{}", text::table(&view))),
        "the verdict stands first: {table}"
    );
    insta::assert_snapshot!(rest, @r"
    20000.00 ±1.7 % (95 %, 4 visits) @ Small=0 and Large=2
    Highest small IOPS: 50000 ±1.7 % (95 %, 4 visits) @ Small=5 and Large=0
    Lowest small latency: 100.0 us ±1.7 % (95 %, 4 visits) @ Small=1 and Large=0
    ");
    // One visit to each point: the table says what its intervals are worth.
    let mut run = Run::new(Request::new(RunLevel::Simple), &[("/dev/sdb", 1 << 34)]);
    run.small(1, 100);
    let view = View::of(&run.record);
    assert_eq!(report(&view), format!("{}\n{}", text::verdict_of(&view), text::table(&view)));
}

/// ORION's lines are in its files and what `rigel orion` prints; nothing in the text is about them.
#[test]
fn the_lines_of_orion_are_not_repeated() {
    let run = Run::visited(RunLevel::Normal, &SPREAD);
    let told = report(&View::of(&run.record));
    for line in ["ORION", "Maximum ", "Minimum Small Latency", "Histogram"] {
        assert!(!told.contains(line), "{line}: {told}");
    }
    assert!(run.file(Format::Orion(OrionVersion::V19), "_summary.txt").contains("Maximum Large MBPS="));
}

#[test]
fn a_mean_that_is_far_from_the_median_is_explained() {
    // 97 us on average where half of the I/Os take 53 us or less.
    let slow = |run: &mut Run, step: usize, slow_us: u64, share: u64| {
        for visit in run.record.visits.iter_mut().filter(|visit| visit.step == step) {
            let small = visit.tallies.get_mut(&Class::SMALL).unwrap();
            let mut reads = Histogram::new();
            (0..1000).for_each(|io| reads.record(1000 * if io < share { slow_us } else { 53 }));
            small.reads = reads;
        }
    };
    let sentence = |run: &Run| {
        let table = text::table(&View::of(&run.record));
        let place = table.find("Half of the ")?;
        Some(table[place..].lines().take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" "))
    };
    let mut run = Run::visited(RunLevel::Simple, &SPREAD);
    assert_eq!(sentence(&run), None, "all alike");
    slow(&mut run, 2, 493, 100);
    let told = sentence(&run).unwrap();
    assert!(told.starts_with("Half of the small I/Os @ Small=3 and Large=0 took 53"), "{told}");
    assert!(
        told.contains(" us or less; a slow share raises the mean to ") && !told.contains("other"),
        "{told}"
    );
    slow(&mut run, 3, 20_000, 100);
    let told = sentence(&run).unwrap();
    assert!(
        told.contains("Small=4 and Large=0") && told.contains(" at 1 other point, too."),
        "the worst: {told}"
    );
    let markdown = run.file(Format::Markdown, "_report.md");
    assert!(markdown.contains("a slow share raises the mean to"), "{markdown}");
    let mut run = Run::visited(RunLevel::Simple, &SPREAD);
    slow(&mut run, 2, 9, 0);
    slow(&mut run, 2, 1, 490);
    assert!(
        sentence(&run).unwrap().contains(" or more; a quick share lowers the mean to "),
        "{:?}",
        sentence(&run)
    );
}

fn report(view: &View<'_>) -> String {
    text::report(view, Style::default(), &[])
}

#[test]
fn table_of_a_run_without_results() {
    let mut run = Run::new(Request::new(RunLevel::Simple), &[("/dev/sdb", 1 << 34)]);
    run.record.closing = None;
    assert_eq!(text::table(&View::of(&run.record)), "");
}
