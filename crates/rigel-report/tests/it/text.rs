//! Text for the terminal.

use crate::support::{MINUTE, Run, SPREAD, classes, figures, in_this_order, same, steady, visited};
use rigel_core::judge::flags::{Flag, FlagCode};
use rigel_core::load::class::{Class, Pattern};
use rigel_core::load::matrix::{MatrixShape, Point, RunLevel};
use rigel_core::load::pace::{Adaptive, Pace, Precision};
use rigel_core::load::request::{CacheWarmUp, EngineRequest, Request};
use rigel_core::load::task::Task;
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
    let plan = plan(request, &[("/dev/sdb", 1 << 34)]);
    assert_eq!(
        figures(&plan),
        "16 GiB 8 KiB 1 MiB 37 1 2-40 2 0 0 1-16 500 ms 60 s 37 min 19 s 39 16.31 MiB 1 42"
    );
    assert!(plan.ends_with(" nothing would be written\n"), "{plan}");
}

#[test]
fn plan_of_a_single_point() {
    let request = Request::of(Task::advanced(MatrixShape::Point { small: 1000, large: 0 }));
    let plan = plan(request, &[("/dev/sdb", 1 << 34)]);
    assert_eq!(figures(&plan), "16 GiB 8 KiB 1 1000 0 500 ms 60 s 1 min 1 s 2 7.81 MiB 4 0");
}

fn adaptive(request: Request) -> Request {
    request.paced(Pace::Adaptive(Adaptive::default()))
}

#[test]
fn plan_of_an_adaptive_run() {
    let plan = plan(adaptive(Request::new(RunLevel::Normal)), &[("/dev/sdb", 1 << 34)]);
    assert!(widest(&plan) <= 80);
    let (_, from_points) = plan.split_once("\nPoints").unwrap();
    assert_eq!(
        figures(from_points),
        "17 1-5 0 0-5 1 2 ±5 % 95 % 17 20 s 5 2 4 12 20 s 500 ms 2 s 8 s 200 3 19 min 2.04 MiB 1 0"
    );
}

#[test]
fn plan_of_an_adaptive_run_in_two_phases_with_a_limit() {
    let limited = Adaptive { precision: Precision(7), max_duration: Some(Nanos::from_secs(600)), fast: true };
    let request = Request {
        classes: classes(Pattern::Streams { ios_per_stream: 4 }, 34),
        cache: CacheWarmUp::Bytes(8 << 30),
        ..Request::of(Task::advanced(MatrixShape::Max { small: 0, large: 4 })).paced(Pace::Adaptive(limited))
    };
    let plan = plan(request, &[("/dev/sdb", 1 << 34)]);
    assert!(widest(&plan) <= 80);
    let (_, from_points) = plan.split_once("\nPoints").unwrap();
    assert_eq!(
        figures(from_points),
        "4 0 1-4 ±0.7 % 95 % 8 GiB 2 20 s 0 2 6 12 10 s 2 10 s 60 s 0 4 6 12 10 s \
         500 ms 1 s 8 s 200 4 10 min 10 min 16 MiB 1 0 34 %"
    );
    let parts = ["2 points that only read", "2 points that write", " would be lost:\n          /dev/sdb\n"];
    in_this_order(from_points, &parts);
}

#[test]
fn plan_of_a_search() {
    let request = Request::of(Task::searched(RunLevel::Normal, Pace::Adaptive(Adaptive::default())));
    let plan = plan(request, &[("/dev/sdb", 1 << 34)]);
    assert!(widest(&plan) <= 80);
    let (_, from_search) = plan.split_once("\nSearch").unwrap();
    assert_eq!(figures(from_search), "512 64 90 500 ms 2 s ±5 % 95 % 3 45 min 68 MiB 4 0");
    assert!(from_search.contains(" min, with the search"), "no points are known: {plan}");
}

#[test]
fn plan_of_streams_that_write() {
    let request = Request {
        classes: classes(Pattern::Streams { ios_per_stream: 4 }, 50),
        layout: Layout::Raid0 { stripe_bytes: 1 << 20 },
        cache: CacheWarmUp::Bytes(8 << 30),
        engine: EngineRequest::Sim(SimLaw::default()),
        buffered: true,
        ..Request::of(Task::advanced(MatrixShape::Detailed))
    };
    let plan = plan(request, &[("/dev/sdb", 1 << 34), ("/srv/file", 1_500_000_000)]);
    assert_eq!(
        figures(&plan),
        "16 GiB 1.40 GiB 8 KiB 1 MiB 4 1 MiB 54 1-10 0 0-10 1-4 500 ms 60 s 44 8 GiB 54 min 27 s 56 \
         16.08 MiB 1 4 1 ms 0 50 %"
    );
    assert!(plan.ends_with(" would be lost:\n          /dev/sdb\n          /srv/file\n"), "{plan}");
}

const TABLE: &str = "
 Small Large      IOPS   ±%      MBPS   ±%    mean µs   ±%    p99 µs   ±% Visits
!    1     0      4032    -         -    -      248.0    -     248.0    -      1
!    0     2         -    -    131.12    -    15253.2    -   15253.2    -      1
!    5     2   1234567    -  98765.00    -        4.0    -       4.0    -      1
            QUEUE_NOT_FILLED (small: 1.00 of 5 planned were in flight)
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
    let (rows, signs) = table.split_once("\n\n").unwrap();
    assert_eq!(rows, TABLE.trim_matches('\n'));
    assert!(signs.starts_with("!  ") && !signs.contains("*  "), "what the rows have: {signs}");
    in_this_order(signs, &["\n±% ", "\n\n! Flag of all points: BUFFERED ("]);
    assert_eq!(table.matches("BUFFERED").count(), 1, "{table}");
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
    let (rows, signs) = table.split_once("\n\n").unwrap();
    insta::assert_snapshot!(rows, @r"
     Small Large      IOPS   ±%      MBPS   ±%    mean µs   ±%    p99 µs   ±% Visits
         1     0     10000  9.1*        -    -       99.9  9.1     102.0  4.1      4
                FOREIGN (others used 1.87 of a core on average, more than 0.25 in
                  100 % of the time)
    !    2     0     20000  9.1*        -    -      300.0  9.1     300.0  1.6      4
              ! LITTLE (small: rate x latency is 3.000 of 2 outstanding)
              ! CACHE (others used 1.87 of a core on average, more than 0.25 in
                  100 % of the time)
         3     0     30000  9.1*        -    -       99.9  9.1     102.0  4.1      4
         4     0     41000   24*        -    -       99.9   24     133.3   81      4
         5     0     50000  9.1*        -    -       99.9  9.1     102.0  4.1      4
         0     1         -    -  10000.00  9.1*     100.0  9.1     102.0  4.1      4
         0     2         -    -  20000.00  9.1*     100.0  9.1     102.0  4.1      4
    ");
    // Each sign of the rows, then what the intervals rest on.
    let parts =
        ["*  ", "±5 %", "\n!  ", "\n±% ", " 1.4 times ", "28 visits ", " 10 % ", "\nFlag of the run: "];
    in_this_order(signs, &parts);
    let flag = signs.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flag.ends_with(&format!(" FEW_POINTS ({})", "7 points share one device, ".repeat(4))), "{flag}");
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
    let (curve, _) = curves.split_once("\n\n").unwrap();
    insta::assert_snapshot!(curve, @r"
                X_max   ±%    N_sat      lo..hi   Crossing   Knee  Visits
    small          7967 IOPS  1.3        8        8..8        8.6      8      30
          1: 933 at 1.071 ms, 2: 2000 at 1 ms, 4: 4000 at 1 ms, 6: 5933 at 1.011 ms,
            7: 6933 at 1.01 ms, 8: 7960 at 1.005 ms, 16: 7920 at 2.02 ms, 32: 7960
            at 4.02 ms
          RETROGRADE (a device that dislikes company)
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
    let results = explained(&view);
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
    Lowest small latency: 100.0 µs ±1.7 % (95 %, 4 visits) @ Small=1 and Large=0
    ");
    // One visit to each point: the table says what its intervals are worth.
    let mut run = Run::new(Request::new(RunLevel::Simple), &[("/dev/sdb", 1 << 34)]);
    run.small(1, 100);
    let view = View::of(&run.record);
    assert_eq!(explained(&view), format!("{}\n{}", text::verdict_of(&view), text::table(&view)));
}

#[test]
fn what_is_shown_after_a_run_begins_with_the_answer() {
    let run = Run::visited(RunLevel::Simple, &SPREAD);
    let mut view = View::of(&run.record);
    let codes = [FlagCode::Foreign, FlagCode::Buffers, FlagCode::Drift, FlagCode::Contaminated];
    view.findings.points[0].flags = codes.map(|code| Flag::new(code, "figures")).into();
    let files = ["./x_record.jsonl".to_owned()];
    let told = text::report(&view, Style::default(), &files);
    assert!(told.starts_with("This storage reached 50,000 small I/Os per second"), "{told}");
    in_this_order(
        &told,
        &[
            "\n! ",
            "\n! ",
            "\n! ",
            "\n  and 2 more\n",
            " Small Large ",
            "\nmore: rigel report ./x_record.jsonl --explain\n",
        ],
    );
    let deep = [format!("./{}/x_record.jsonl", "directory/".repeat(9))];
    let line = format!("\nmore: rigel report {} --explain\n", deep[0]);
    assert!(text::report(&view, Style::default(), &deep).contains(&line), "whole, so that it can be pasted");
    assert_eq!(told.matches("\n! ").count(), 3, "{told}");
    assert!(!told.contains("figures"), "the figures are behind --explain: {told}");
    assert_eq!(text::explained(&view, Style::default(), &files).matches(": figures.").count(), 4);
    // What must not be used says so before anything else.
    view.findings.flags = vec![Flag::new(FlagCode::Cache, "too fast").invalidating()];
    let told = text::report(&view, Style::default(), &files);
    assert!(told.starts_with("Do not use these numbers.\nThis storage seemed to reach "), "{told}");
}

/// ORION's lines are in its files and what `rigel orion` prints; nothing in the text is about them.
#[test]
fn the_lines_of_orion_are_not_repeated() {
    let run = Run::visited(RunLevel::Normal, &SPREAD);
    let view = View::of(&run.record);
    for told in [text::report(&view, Style::default(), &[]), explained(&view)] {
        for line in ["ORION", "Maximum ", "Minimum Small Latency", "Histogram"] {
            assert!(!told.contains(line), "{line}: {told}");
        }
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
        told.contains(" µs or less; a slow share raises the mean to ") && !told.contains("other"),
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
        sentence(&run).unwrap().contains(" or more; a fast share lowers the mean to "),
        "{:?}",
        sentence(&run)
    );
}

fn explained(view: &View<'_>) -> String {
    text::explained(view, Style::default(), &[])
}

#[test]
fn table_of_a_run_without_results() {
    let mut run = Run::new(Request::new(RunLevel::Simple), &[("/dev/sdb", 1 << 34)]);
    run.record.closing = None;
    assert_eq!(text::table(&View::of(&run.record)), "");
}
