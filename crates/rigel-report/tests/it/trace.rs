//! The trace.

use crate::support::{MINUTE, Run, SPREAD, classes, file_of, same, steady, tally};
use rigel_core::judge::flags::{Flag, FlagCode};
use rigel_core::load::class::Pattern;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::request::Request;
use rigel_core::record::WarmUpLoad;
use rigel_report::{Format, OrionVersion, View};

#[test]
fn every_point_with_all_that_is_known() {
    let request = Request {
        classes: classes(Pattern::Streams { ios_per_stream: 4 }, 20),
        ..Request::new(RunLevel::Normal)
    };
    let mut run = Run::new(request, &[("/dev/sdb", 1 << 34), ("/dev/sdc", 1 << 34)]);
    let small = tally(8192, 1, MINUTE, same(4800, 10_000_000), same(1200, 10_000_000));
    run.visit((1, 0), MINUTE, Some(small), None);
    let mut large = steady(1 << 20, 4, MINUTE, 6000);
    large.errors = 2;
    run.visit((1, 1), MINUTE, Some(steady(8192, 1, MINUTE, 3000)), Some(large));
    run.record.visits[1].warm_up = Some(WarmUpLoad { ns: 2 * MINUTE, bytes: 3 << 30, failures: 0 });
    run.record.header.nodes.first_mut().engine.notes =
        vec!["buffers are not registered: memlock limit".into()];
    run.record.header.nodes.first_mut().buffers.large_segments_max = Some(3);
    let trace = run.file(Format::Orion(OrionVersion::V19), "_trace.txt");
    let (heading, trace) = trace.split_once("found.\n\n").unwrap();
    assert!(heading.starts_with("ORION VERSION 19 layout"));
    insta::assert_snapshot!(trace, @r"
    run: orion_20260101_1200, started 2026-01-01T12:00:00+01:00
    host: Linux 6.12.0 x86_64, 4 CPUs, CPU model unknown
    engine: io_uring, worker threads 1, seed 0
    engine note: buffers are not registered: memlock limit
    buffers: 4 MiB
    intervals: each shows only variation within the one visit to the point; what another visit would add is not known; see _ci.csv

    Running point: Small=1, Large=0
    Point 2 out of 55
    visit: began at 0.000 s, settled 0.500 s, measured 60.000 s, workers' CPU 1.000 s
    ran (small): VLun = 0 Size = 34359738368
    ran (small): Index = 0 Count = 6000 Avg Lat = 10000.00
    ran (small): nio=6000 nior=4800 niow=1200 req w%=20 act w%=20
    ran (small): my 1 oth 0 iops 100 size 8 K lat 10.00 ms bw = 0.78 MBps dur 60.00 s READ/WRITE

    Running point: Small=1, Large=1
    Point 13 out of 55
    visit: began at 0.000 s, settled 0.500 s, measured 60.000 s, warmed up 120.000 s with 3 GiB, workers' CPU 1.000 s
    ran (small): VLun = 0 Size = 34359738368
    ran (small): Index = 0 Count = 3000 Avg Lat = 20000.00
    ran (small): nio=3000 nior=3000 niow=0 req w%=20 act w%=0
    ran (small): my 1 oth 4 iops 50 size 8 K lat 20.00 ms bw = 0.39 MBps dur 60.00 s READ
    ran (large): VLun = 0 Size = 34359738368
    ran (large): Index = 0 Count = 6000 Avg Lat = 40000.00
    ran (large): nio=6000 nior=6000 niow=0 req w%=20 act w%=0
    ran (large): my 4 oth 1 iops 100 size 1024 K lat 40.00 ms bw = 100.00 MBps dur 60.00 s READ
    ran (large): 2 failed
    Flags @ Small=1 and Large=1: BUFFERS (large buffers lie in up to 3 physical pieces: the rate may be up to 3 times too low)
    ");
}

#[test]
fn every_visit_says_why_it_was_made_and_what_it_found() {
    let mut run = Run::searched(RunLevel::Oltp);
    run.rounds(&SPREAD);
    let mut view = View::of(&run.record);
    view.findings.flags = vec![Flag::new(FlagCode::FewPoints, "few")];
    let trace = file_of(&view, Format::Orion(OrionVersion::V19), "_trace.txt");
    let visits = trace.lines().filter(|line| line.contains("visit (")).count();
    assert_eq!(visits, run.record.search.len() + run.record.visits.len());
    let (_, search) = trace.split_once("Searching levels of small I/O\n").unwrap();
    insta::assert_snapshot!(search.lines().take(2).collect::<Vec<_>>().join("\n"), @r"
    Small=1, Large=0, visit (search of small I/O): began at 0.500 s, settled 0.500 s, measured 2.000 s, workers' CPU 1.000 s; small iops 900.0 lat 1111.11 us Little 1.000
    Small=2, Large=0, visit (search of small I/O): began at 3.000 s, settled 0.500 s, measured 2.000 s, workers' CPU 1.000 s; small iops 2000.0 lat 1000.00 us Little 1.000
    ");
    let (_, last) = trace.split_once("Running point: Small=16, Large=0\n").unwrap();
    insta::assert_snapshot!(last, @r"
    Point 6 out of 6
    visit (long visit, not counted): began at 0.500 s, settled 0.500 s, measured 2.000 s, workers' CPU 1.000 s; small iops 160000.0 lat 100.00 us Little 1.000
    visit (round 1): began at 13.000 s, settled 0.500 s, measured 2.000 s, workers' CPU 1.000 s; small iops 156800.0 lat 102.04 us Little 1.000
    visit (round 2): began at 25.500 s, settled 0.500 s, measured 2.000 s, workers' CPU 1.000 s; small iops 161600.0 lat 99.01 us Little 1.000
    visit (round 3): began at 38.000 s, settled 0.500 s, measured 2.000 s, workers' CPU 1.000 s; small iops 160000.0 lat 100.00 us Little 1.000
    visit (round 4): began at 50.500 s, settled 0.500 s, measured 2.000 s, workers' CPU 1.000 s; small iops 161600.0 lat 99.01 us Little 1.000
    ran (small): VLun = 0 Size = 17179869184
    ran (small): Index = 0 Count = 1280000 Avg Lat = 100.00
    ran (small): nio=1280000 nior=1280000 niow=0 req w%=0 act w%=0
    ran (small): my 16 oth 0 iops 160000 size 8 K lat 0.10 ms bw = 1250.00 MBps dur 8.00 s READ

    Flags @ the run: FEW_POINTS (few)
    ");
}
