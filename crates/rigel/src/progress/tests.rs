use super::*;
use indicatif::TermLike;
use rigel_core::event::{Activity, LiveFigures, Saturation, VisitPosition};
use rigel_core::load::class::{Arrival, Class, Pattern, Shape};
use rigel_core::load::matrix::Point;
use rigel_core::measure::ClassTally;
use rigel_core::record::{Purpose, Visit};
use rigel_core::stats::forecast::TimeRange;
use rigel_core::units::{MIB, NS_PER_S};
use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// What was written to a pipe.
#[derive(Clone, Default)]
struct Pipe(Arc<Mutex<Vec<u8>>>);

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Pipe {
    /// A line in ten seconds, by a clock that continues by this many seconds whenever it is read.
    fn surface(&self, step: u64) -> Surface {
        let (began, readings) = (Instant::now(), AtomicU64::new(0));
        let now = move || began + Duration::from_secs(step * readings.fetch_add(1, Ordering::Relaxed));
        Surface::Lines(LineFold::by(now, Box::new(self.clone())))
    }

    /// By a clock whose seconds the test sets.
    fn surface_at(&self, seconds: &Arc<AtomicU64>) -> Surface {
        let (began, seconds) = (Instant::now(), Arc::clone(seconds));
        let now = move || began + Duration::from_secs(seconds.load(Ordering::Relaxed));
        Surface::Lines(LineFold::by(now, Box::new(self.clone())))
    }

    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

/// A terminal of one line.
#[derive(Clone, Debug, Default)]
struct Screen(Arc<Mutex<String>>);

impl TermLike for Screen {
    fn width(&self) -> u16 {
        100
    }

    fn move_cursor_up(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_down(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_right(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_left(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        self.write_str(text)
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        self.0.lock().unwrap().push_str(text);
        Ok(())
    }

    fn clear_line(&self) -> io::Result<()> {
        self.0.lock().unwrap().clear();
        Ok(())
    }

    fn flush(&self) -> io::Result<()> {
        Ok(())
    }
}

fn tally(io_bytes: u64, outstanding: u32, count: u64, latency_ns: u64) -> ClassTally {
    let mut tally = ClassTally::new(io_bytes, outstanding, NS_PER_S);
    for _ in 0..count {
        tally.reads.record(latency_ns);
    }
    tally
}

/// Half a second of small I/Os at 0.243 ms, of large ones at 4 ms.
fn visit(small: u32, large: u32) -> Visit {
    Visit {
        step: 2,
        number: 2,
        purpose: Purpose::Only,
        busiest_worker_cpu_ns: None,
        ios: None,
        hung: None,
        nodes: vec![rigel_core::record::NodeVisit::default()],
        loaded_ns: NS_PER_S / 2,
        point: Point::pair(small, large),
        began_ns: 0,
        settle_ns: 0,
        measured_ns: NS_PER_S / 2,
        cut_short: false,
        warm_up: None,
        worker_cpu_ns: None,
        tallies: [
            (Class::SMALL, tally(8192, small, 6172, 243_000)),
            (Class::LARGE, tally(MIB, large, 250, 4_000_000)),
        ]
        .into_iter()
        .filter(|(_, tally)| tally.planned > 0)
        .collect(),
    }
}

fn classes() -> Vec<LoadClass> {
    LoadClass::pair(8192, MIB)
}

fn at(small: u32, large: u32) -> VisitPosition {
    VisitPosition { step: 2, point: Point::pair(small, large), purpose: Purpose::Only }
}

#[test]
fn reads_of_zeros_are_told_once_after_the_first_visit() {
    let zeros = |zero_blocks| {
        let mut visit = visit(4, 0);
        let tally = visit.tallies.get_mut(&Class::SMALL).unwrap();
        tally.looked = ReadLook { sampled: 96, zero_blocks, wrong_stamps: 0 };
        visit
    };
    let told = |visits: [Visit; 2]| {
        let pipe = Pipe::default();
        let mut progress = RunProgress::on(pipe.surface(0), 2);
        visits.iter().for_each(|visit| progress.event(&Event::VisitFinished { visit }));
        pipe.text()
    };
    let text = told([zeros(96), zeros(96)]);
    assert!(text.starts_with("note: 96 of the first 96 blocks that were checked are zeros"), "{text}");
    assert!(text.matches("ZEROS").count() == 1 && text.contains("rigel help fill"), "{text}");
    for fine in [told([zeros(3), zeros(96)]), told([visit(4, 0), visit(4, 0)])] {
        assert!(!fine.contains("ZEROS"), "{fine}");
    }
}

#[test]
fn visits_of_an_adaptive_run_say_which_they_are() {
    for (purpose, text) in [
        (Purpose::Long, "point 3 of 17: small 3 large 0, long visit"),
        (Purpose::Round(1), "point 3 of 17: small 3 large 0, visit 2"),
        (Purpose::FillsGap, "point 3 of 17: small 3 large 0, one more visit"),
        (Purpose::Search(Class::SMALL), "searching for the load levels of small I/O: 3 outstanding"),
    ] {
        assert_eq!(lines::place(&VisitPosition { purpose, ..at(3, 0) }, 17, &classes()), text);
    }
    let mut streams = classes();
    streams[1].pattern = Pattern::Streams { ios_per_stream: 4 };
    for (level, text) in [(1, "1 stream"), (8, "8 streams")] {
        let at = VisitPosition { purpose: Purpose::Search(Class::LARGE), ..at(0, level) };
        let text = format!("searching for the load levels of large I/O: {text}");
        assert_eq!(lines::place(&at, 0, &streams), text);
    }
}

#[test]
fn a_search_for_a_rate_counts_per_second() {
    let mut open = classes();
    open[0].arrival = Arrival::Open { shape: Shape::Poisson, most_outstanding: 64 };
    let at = VisitPosition { purpose: Purpose::Search(Class::SMALL), ..at(1600, 0) };
    assert_eq!(lines::place(&at, 0, &open), "searching for the rate of small I/O: 1600 per second");
}

#[test]
fn what_was_found_on_the_way_is_told() {
    assert_eq!(
        lines::looked(3, 17, 0.0731),
        "3 of 17 points are precise enough, the widest interval is ±7.3 %"
    );
    assert_eq!(
        lines::looked(0, 2, f64::INFINITY),
        "0 of 2 points are precise enough, some have no interval yet"
    );
    // The verdict may say NOT_SATURATED afterwards: it knows visits that come after the search.
    let found = |is_reached| lines::level_found(Class::LARGE, Some(Saturation { level: 4, is_reached }));
    assert_eq!(found(true), "so far, large I/O saturates at 4 outstanding");
    assert_eq!(
        found(false),
        "so far, large I/O is not saturated: 4 outstanding give 95 % of its highest rate"
    );
    assert_eq!(lines::level_found(Class::SMALL, None), "small I/O has no rate");
}

#[test]
fn a_measured_point_is_one_line() {
    for (small, large, line) in [
        (3, 0, "point 3 of 17: small 3 large 0: 12344 IOPS, 0.243 ms"),
        (0, 2, "point 3 of 17: small 0 large 2: 500.00 MBPS, 4.000 ms"),
        (3, 2, "point 3 of 17: small 3 large 2: 12344 IOPS, 0.243 ms; 500.00 MBPS, 4.000 ms"),
    ] {
        assert_eq!(lines::measured(&visit(small, large), 17, &classes()), line);
    }
}

#[test]
fn failures_are_told_with_the_point() {
    let mut broken = visit(3, 0);
    broken.tallies.insert(Class::SMALL, tally(8192, 3, 0, 1));
    broken.tallies.get_mut(&Class::SMALL).unwrap().errors = 4;
    broken.cut_short = true;
    assert_eq!(
        lines::measured(&broken, 17, &classes()),
        "point 3 of 17: small 3 large 0: 0 IOPS, 4 failed; cut short"
    );
}

#[test]
fn the_bar_says_what_goes_on() {
    let live = LiveFigures {
        per_s: [(Class::SMALL, 12_345.4), (Class::LARGE, 512.0)].into(),
        ..LiveFigures::default()
    };
    let text = |small, large, activity| lines::under_way(&at(small, large), 17, activity, &live, &classes());
    assert_eq!(text(3, 1, Activity::Measure), "point 3 of 17: small 3 large 1: 12345 IOPS, 512.00 MBPS");
    assert_eq!(text(3, 0, Activity::Measure), "point 3 of 17: small 3 large 0: 12345 IOPS");
    assert_eq!(text(0, 1, Activity::WarmUp), "point 3 of 17: small 0 large 1: warming up");
}

#[test]
fn the_bar_says_how_long_arrivals_take() {
    let arrival = Arrival::Open { shape: Shape::Poisson, most_outstanding: 64 };
    let open = LoadClass { arrival, levels: vec![500], ..LoadClass::random(Class::constant("open"), 8192) };
    let at = VisitPosition { step: 0, point: Point::alone(open.name, 500), purpose: Purpose::Only };
    let live = LiveFigures { per_s: [(open.name, 498.0)].into(), latency_us: [(open.name, 1234.0)].into() };
    let text = lines::under_way(&at, 1, Activity::Measure, &live, &[open]);
    assert!(text.starts_with("point 1 of 1: open 500: 498 ") && text.ends_with(", 1.234 ms"), "{text}");
}

/// A device that stands still has a rate of 0; a visit of which nothing was counted yet has none.
#[test]
fn what_was_not_counted_yet_is_no_rate() {
    let search = VisitPosition { purpose: Purpose::Search(Class::SMALL), ..at(8, 0) };
    let text =
        |at: &VisitPosition, live: &LiveFigures| lines::under_way(at, 0, Activity::Measure, live, &classes());
    let place = "searching for the load levels of small I/O: 8 outstanding";
    assert_eq!(text(&search, &LiveFigures::default()), format!("{place}: settling"));
    let still = LiveFigures { per_s: [(Class::SMALL, 0.0)].into(), ..LiveFigures::default() };
    assert_eq!(text(&search, &still), format!("{place}: 0 IOPS"));
}

#[test]
fn what_is_left_is_a_range_or_known() {
    let left = TimeRange { least_ns: 131 * NS_PER_S, most_ns: 555 * NS_PER_S };
    assert_eq!(lines::times(70 * NS_PER_S, left), "1:10 elapsed, 2 to 10 min left");
    assert_eq!(lines::times(0, TimeRange::exactly(250 * NS_PER_S)), "0:00 elapsed, 4:10 left");
}

#[test]
fn time_left_is_never_short() {
    for (ns, text) in [
        (0, "0:00"),
        (1, "0:01"),
        (45 * NS_PER_S, "0:45"),
        (3723 * NS_PER_S, "1:02:03"),
        (100 * 3600 * NS_PER_S, "100:00:00"),
    ] {
        assert_eq!(lines::time_left(ns), text);
    }
}

fn tick() -> Event<'static> {
    let left = TimeRange { least_ns: 30 * NS_PER_S, most_ns: 240 * NS_PER_S };
    let activity = Activity::Measure;
    Event::Tick { at: at(3, 0), activity, elapsed_ns: 65 * NS_PER_S, left, live: LiveFigures::default() }
}

#[test]
fn a_pipe_gets_a_line_in_ten_seconds_with_all_that_happened() {
    let (pipe, seconds) = (Pipe::default(), Arc::default());
    let mut progress = RunProgress::on(pipe.surface_at(&seconds), 17);
    progress.classes = classes();
    let (visit, looked) = (visit(3, 0), Event::Looked { done: 3, points: 17, widest: 0.0731 });
    for visits in 1..=20 {
        seconds.store(visits - 1, Ordering::Relaxed);
        progress.event(&Event::VisitStarted { at: at(3, 0) });
        progress.event(&tick());
        progress.event(&Event::VisitFinished { visit: &visit });
        if visits == 2 {
            let n_sat = Some(Saturation { level: 4, is_reached: true });
            progress.event(&Event::LevelFound { class: Class::LARGE, n_sat });
            progress.event(&looked);
        }
    }
    let measured = "point 3 of 17: small 3 large 0: 12344 IOPS, 0.243 ms";
    let times = "1:05 elapsed, 30 s to 4 min left";
    let sure = "3 of 17 points are precise enough, the widest interval is ±7.3 %";
    let text = pipe.text();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], format!("{measured}; {times}"), "at once");
    let found = "so far, large I/O saturates at 4 outstanding";
    assert_eq!(lines[1], format!("{found}; {measured}; {sure}; {times}"));
    assert_eq!(lines.len(), 2, "20 s: {text}");
}

#[test]
fn a_pipe_is_told_what_goes_on_while_no_visit_ends() {
    let (pipe, seconds) = (Pipe::default(), Arc::default());
    let mut progress = RunProgress::on(pipe.surface_at(&seconds), 17);
    progress.classes = classes();
    for second in 0..60 {
        seconds.store(second, Ordering::Relaxed);
        progress.event(&tick());
    }
    let line = "point 3 of 17: small 3 large 0: settling; 1:05 elapsed, 30 s to 4 min left\n";
    assert_eq!(pipe.text(), line.repeat(2), "after 20 and after 40 seconds");
}

#[test]
fn a_pipe_gets_a_tenth_of_bytes_a_line_but_not_each_second() {
    let lines = |step| {
        let pipe = Pipe::default();
        let mut progress = WorkProgress::bytes_on(pipe.surface(step), "filling rigel-scratch.dat");
        for mib in 0..=1000 {
            progress.done_of(mib * MIB, 1000 * MIB);
        }
        pipe.text().lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let slow = lines(10);
    assert_eq!(slow.len(), 10);
    assert_eq!(slow[0], "filling rigel-scratch.dat: 100 MiB of 1000 MiB");
    assert_eq!(slow[9], "filling rigel-scratch.dat: 1000 MiB of 1000 MiB");
    assert_eq!(lines(0), [slow[0].as_str(), slow[9].as_str()], "the first and the last, in no time");
    assert_eq!((tenths(0, 0), tenths(u64::MAX, 0), tenths(u64::MAX, 3)), (0, 10, 10));
}

#[test]
fn a_terminal_gets_a_bar_that_goes_away() {
    let term = Screen::default();
    let target = ProgressDrawTarget::term_like(Box::new(term.clone()));
    let mut progress = RunProgress::on(Surface::Bar(bar(0, target)), 17);
    progress.classes = classes();
    progress.event(&Event::VisitStarted { at: at(3, 0) });
    progress.event(&Event::Tick {
        at: at(3, 0),
        activity: Activity::Measure,
        elapsed_ns: 5 * NS_PER_S,
        left: TimeRange::exactly(5 * NS_PER_S),
        live: LiveFigures { per_s: [(Class::SMALL, 12_345.0)].into(), ..LiveFigures::default() },
    });
    let shown = term.0.lock().unwrap().clone();
    assert!(shown.starts_with("============"), "{shown}");
    assert!(shown.contains("small 3 large 0: 12345 IOPS, 0:05 left"), "{shown}");
    drop(progress);
    assert_eq!(*term.0.lock().unwrap(), "");
}

#[test]
fn quiet_is_quiet() {
    assert!(matches!(Surface::of(&Streams::of_process(), true), Surface::Quiet));
    let mut progress = RunProgress::new(&Streams::of_process(), true, 1);
    progress.event(&Event::VisitFinished { visit: &visit(1, 0) });
}
