use super::*;

const WINDOW: Window = Window { start_ns: 1000, end_ns: 2000 };

fn tally() -> Tally {
    Tally::new(WINDOW, vec![Some(ClassTally::new(8192, 2, WINDOW.span_ns())), None], 0)
}

#[test]
fn only_the_window_counts() {
    let mut tally = tally();
    tally.submitted(0, 2);
    tally.look(900);
    tally.completed(0, Direction::Read, 900, 900);
    tally.submitted(0, 1);
    tally.look(1500);
    tally.completed(0, Direction::Read, 1400, 1500);
    tally.look(2500);
    tally.completed(0, Direction::Write, 999, 2500);
    let mut classes = tally.finish();
    assert!(classes[1].is_none());
    let small = classes[0].take().unwrap();
    // None but the third began in the window, and it was over after it: the rate is that of the second.
    assert_eq!((small.completed(), small.begun(), small.writes.count()), (1, 1, 1));
    let edges = Edges { carried: 1, beyond: 1, longest_before_ns: 1400, carried_ns: 500, beyond_ns: 500 };
    assert_eq!(small.edges, edges);
    assert_eq!((small.longest_ns(), small.mean_latency_ns()), (1400, Some(999.0)));
    // Two in flight from 1000 to 1500, then one to 2000.
    assert_eq!(small.in_flight_ns, 2 * 500 + 500);
    assert!((small.mean_in_flight(1000) - 1.5).abs() < 1e-12);
}

#[test]
fn the_start_is_kept_apart_and_the_lead_is_seen() {
    // The load begins at 800, the window at 1000; the latencies of what begins until 800 + 400 and 800 + 700 are kept apart.
    let class = ClassTally::with_lead(8192, 1, WINDOW.span_ns(), 200, &[400, 700]);
    let mut tally = Tally::new(WINDOW, vec![Some(class), None], 800);
    tally.submitted(0, 6);
    // The last one but one began in the first part, which had been over for long.
    for (now_ns, latency_ns) in [(900, 1), (1100, 2), (1199, 3), (1204, 4), (1450, 300), (1505, 5)] {
        tally.look(now_ns);
        tally.completed(0, Direction::Read, latency_ns, now_ns);
    }
    let small = tally.finish()[0].take().unwrap();
    assert_eq!(
        (small.completed(), small.latency_sum_ns()),
        (5, 2 + 3 + 4 + 300 + 5),
        "900 is before the window"
    );
    let after = |settle_ns| small.latencies_after(settle_ns).0.sum_ns();
    assert_eq!((after(200), after(400), after(699), after(700)), (314, 9, 9, 5));
    assert_eq!((small.completed_after(200), small.completed_after(400)), (5, 2));
    assert_eq!(small.series.ops.iter().sum::<u32>(), 6, "the series begins with the load");
    let mut sum = small.clone();
    sum.add(&small);
    assert_eq!(sum.latencies_after(400).0.sum_ns(), 18);
}

/// The series begins with the load, so how a visit settles is seen at its place in time: 30 ms before this window.
#[test]
fn the_series_begins_with_the_lead() {
    const MS: u64 = 1_000_000;
    let window = Window { start_ns: 100 * MS, end_ns: 150 * MS };
    let class = ClassTally::with_lead(8192, 1, window.span_ns(), 30 * MS, &[]);
    let mut tally = Tally::new(window, vec![Some(class)], 70 * MS);
    tally.submitted(0, 4);
    // Before the window; from before it into it; twice within it.
    for (now_ms, latency_ms) in [(75, 1), (105, 10), (112, 1), (145, 2)] {
        tally.look(now_ms * MS);
        tally.completed(0, Direction::Read, latency_ms * MS, now_ms * MS);
    }
    let series = tally.finish()[0].take().unwrap().series;
    assert_eq!((series.bucket_ns, series.ops), (10 * MS, vec![1, 0, 0, 1, 1, 0, 0, 1]));
}

/// A device that freezes in a window answers after it. What was in flight then counts in full, and in no rate; parts that were handed over
/// before do not matter.
#[test]
fn what_a_window_ends_on_counts_in_full() {
    let mut tally = tally();
    tally.submitted(0, 3);
    tally.look(1100);
    tally.completed(0, Direction::Read, 200, 1100);
    tally.submitted(0, 1);
    let first = tally.cut(1500, 500)[0].take().unwrap();
    assert_eq!((first.completed(), first.begun(), first.edges.carried), (1, 0, 1));
    tally.look(9000);
    for latency_ns in [7900, 8500] {
        tally.completed(0, Direction::Read, latency_ns, 9000);
    }
    let last = tally.finish()[0].take().unwrap();
    assert_eq!((last.completed(), last.begun(), last.longest_ns()), (0, 1, 8500));
    let edges = Edges { carried: 0, beyond: 1, longest_before_ns: 8500, carried_ns: 1000, beyond_ns: 7000 };
    assert_eq!(last.edges, edges);
    let mut whole = ClassTally::new(8192, 2, WINDOW.span_ns());
    whole.place(&first, 0);
    whole.place(&last, 500);
    assert_eq!((whole.completed(), whole.begun(), whole.latency_sum_ns()), (1, 1, 7900));
    assert_eq!(whole.series.ops.iter().sum::<u32>(), 1);
    // 100 of the first, 900 of the one that began at 1100, all of the one that began before.
    assert_eq!(whole.occupancy_after(0), Occupancy { time_ns: 100 + 900 + 1000, doubt_ns: 0 });
}

/// Little's law holds of whatever a device does, at both ends of a window: here it stands still in turn before, across and behind them.
#[test]
fn time_inside_the_window_is_what_was_in_flight_there() {
    for still in [0..900, 900..1100, 950..2050, 1900..3000, 1200..1700] {
        let mut tally = tally();
        let (mut now_ns, mut begun) = (605, [605, 605]);
        tally.look(605);
        tally.submitted(0, 2);
        while now_ns < 2000 || tally.in_flight() > 0 {
            now_ns += 10;
            if still.contains(&now_ns) {
                continue;
            }
            tally.look(now_ns);
            for began_ns in &mut begun {
                if tally.in_flight() > 0 {
                    tally.completed(0, Direction::Read, now_ns - *began_ns, now_ns);
                }
                *began_ns = now_ns;
            }
            if now_ns < 2000 {
                tally.submitted(0, 2);
            }
        }
        let small = tally.finish()[0].take().unwrap();
        let occupied = Occupancy { time_ns: small.in_flight_ns, doubt_ns: 0 };
        assert_eq!((small.occupancy_after(0), small.in_flight_ns), (occupied, 2000), "{still:?}");
    }
}

#[test]
fn what_is_not_known_of_the_ends_is_a_doubt() {
    let mut early = ClassTally::with_lead(8192, 3, WINDOW.span_ns(), 200, &[400]);
    early.reads.record(70);
    early.early[0].reads.record(90);
    assert_eq!(
        early.occupancy_after(200),
        Occupancy { time_ns: 160, doubt_ns: 3 * 90 },
        "no times are known"
    );
    early.edges = Edges { carried_ns: 30, beyond_ns: 10, longest_before_ns: 100, ..Edges::default() };
    assert_eq!(early.occupancy_after(200), Occupancy { time_ns: 180, doubt_ns: 0 });
    assert_eq!(early.occupancy_after(400), Occupancy { time_ns: 70, doubt_ns: 3 * 100 }, "it begins later");
}

/// The last I/Os of a window that an early end shortened.
#[test]
fn what_begins_after_an_early_end_does_not_count() {
    let mut tally = tally();
    tally.submitted(0, 2);
    tally.shorten(1500);
    tally.look(1700);
    for latency_ns in [199, 201] {
        tally.completed(0, Direction::Read, latency_ns, 1700);
    }
    let small = tally.finish()[0].take().unwrap();
    assert_eq!((small.begun(), small.completed(), small.longest_ns()), (1, 0, 201));
}

#[test]
fn bytes_of_several_sizes_are_counted_within_the_window() {
    let class = ClassTally { bytes: Some(0), ..ClassTally::new(65_536, 2, WINDOW.span_ns()) };
    let mut tally = Tally::new(WINDOW, vec![Some(class)], 0);
    tally.submitted(0, 4);
    for (now_ns, bytes) in [(900, 8192), (1100, 8192), (1999, 65_536), (2000, 8192)] {
        tally.look(now_ns);
        tally.completed(0, Direction::Read, 1, now_ns);
        tally.moved(0, bytes, now_ns);
        if now_ns == 1100 {
            let first = tally.cut(1200, 800)[0].take().unwrap();
            assert_eq!((first.completed(), first.moved_bytes()), (1, 8192));
        }
    }
    let mut last = tally.finish()[0].take().unwrap();
    assert_eq!((last.completed(), last.moved_bytes()), (1, 65_536));
    last.add(&last.clone());
    assert_eq!(last.moved_bytes(), 131_072);
    let fixed = ClassTally::new(8192, 1, 1000);
    assert_eq!((fixed.bytes, fixed.moved_bytes()), (None, 0));
}

#[test]
fn a_failure_outside_the_window_counts() {
    let mut tally = tally();
    let error = FirstError { errno: 5, target: 0, offset: 8192, direction: Direction::Read };
    tally.submitted(0, 2);
    tally.look(500);
    tally.failed(0, error);
    tally.look(1500);
    tally.failed(0, FirstError { errno: 6, ..error });
    assert_eq!(tally.in_flight(), 0);
    let small = tally.finish()[0].take().unwrap();
    assert_eq!((small.errors, small.first_error), (2, Some(error)));
}

#[test]
fn a_shortened_window_never_ends_before_it_began() {
    let mut tally = tally();
    tally.shorten(500);
    assert_eq!(tally.window(), Window { start_ns: 1000, end_ns: 1000 });
}

/// The first failure that is kept may be of any worker; all of them count.
#[test]
fn workers_add_up() {
    let of = |failures: u64, offset: u64| {
        let mut tally = ClassTally::new(4096, 3, WINDOW.span_ns());
        tally.reads.record(1_000);
        (tally.errors, tally.in_flight_ns) = (failures, 5);
        let error = FirstError { errno: 5, target: 0, offset, direction: Direction::Read };
        tally.first_error = (failures > 0).then_some(error);
        tally
    };
    let mut sum = of(0, 0);
    [of(2, 8192), of(3, 4096)].iter().for_each(|other| sum.add(other));
    assert_eq!((sum.errors, sum.completed(), sum.in_flight_ns, sum.planned), (5, 3, 15, 9));
    assert_eq!(sum.first_error.map(|error| error.offset), Some(8192));
}
