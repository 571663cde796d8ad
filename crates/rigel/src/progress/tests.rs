use super::*;
use indicatif::TermLike;
use rigel_core::event::{Activity, At, Live};
use rigel_core::load::class::Class;
use rigel_core::load::matrix::Point;
use rigel_core::measure::ClassTally;
use rigel_core::record::{Purpose, Visit};
use rigel_core::units::{MIB, NS_PER_S};
use std::sync::{Arc, Mutex};

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
    fn surface(&self) -> Surface {
        Surface::Lines(Box::new(self.clone()))
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

fn at(small: u32, large: u32) -> At {
    At { step: 2, point: Point::pair(small, large), purpose: Purpose::Only }
}

#[test]
fn visits_of_an_adaptive_run_say_which_they_are() {
    for (purpose, text) in [
        (Purpose::Long, "point 3 of 17: small 3 large 0, long visit"),
        (Purpose::Round(1), "point 3 of 17: small 3 large 0, visit 2"),
        (Purpose::FillsGap, "point 3 of 17: small 3 large 0, one more visit"),
        (Purpose::Search(Class::SMALL), "search 3: small 3 large 0"),
    ] {
        assert_eq!(lines::place(&At { purpose, ..at(3, 0) }, 17), text);
    }
}

#[test]
fn what_was_found_on_the_way_is_told() {
    assert_eq!(lines::looked(3, 17, 0.0731), "3 of 17 points are sure enough, the widest interval is ±7.3 %");
    assert_eq!(
        lines::looked(0, 2, f64::INFINITY),
        "0 of 2 points are sure enough, some have no interval yet"
    );
    assert_eq!(lines::level_found(Class::LARGE, Some(4)), "large I/O is saturated at 4 outstanding");
    assert_eq!(lines::level_found(Class::SMALL, None), "small I/O has no rate at all");
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
    let live = Live { per_s: [(Class::SMALL, 12_345.4), (Class::LARGE, 512.0)].into() };
    let text = |small, large, activity| {
        lines::under_way(&at(small, large), 17, activity, &live, 250 * NS_PER_S, &classes())
    };
    assert_eq!(
        text(3, 1, Activity::Measure),
        "point 3 of 17: small 3 large 1: 12345 IOPS, 512.00 MBPS, 4:10 left"
    );
    assert_eq!(text(3, 0, Activity::Measure), "point 3 of 17: small 3 large 0: 12345 IOPS, 4:10 left");
    assert_eq!(text(0, 1, Activity::WarmUp), "point 3 of 17: small 0 large 1: warming up, 4:10 left");
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

#[test]
fn a_pipe_gets_a_line_per_point() {
    let pipe = Pipe::default();
    let mut progress = RunProgress::on(pipe.surface(), 17);
    progress.classes = classes();
    let visit = visit(3, 0);
    progress.event(&Event::VisitStarted { at: at(3, 0) });
    progress.event(&Event::Tick {
        at: at(3, 0),
        activity: Activity::Measure,
        elapsed_ns: 1,
        remaining_ns: 1,
        live: Live::default(),
    });
    progress.event(&Event::VisitFinished { visit: &visit });
    assert_eq!(pipe.text(), "point 3 of 17: small 3 large 0: 12344 IOPS, 0.243 ms\n");
}

#[test]
fn a_pipe_gets_ten_lines_of_bytes_at_most() {
    let pipe = Pipe::default();
    let mut progress = WorkProgress::bytes_on(pipe.surface(), "filling rigel-scratch.dat");
    for mib in 0..=1000 {
        progress.done_of(mib * MIB, 1000 * MIB);
    }
    let text = pipe.text();
    assert_eq!(text.lines().count(), 10);
    assert_eq!(text.lines().next(), Some("filling rigel-scratch.dat: 100 MiB of 1000 MiB"));
    assert_eq!(text.lines().last(), Some("filling rigel-scratch.dat: 1000 MiB of 1000 MiB"));
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
        remaining_ns: 5 * NS_PER_S,
        live: Live { per_s: [(Class::SMALL, 12_345.0)].into() },
    });
    let shown = term.0.lock().unwrap().clone();
    assert!(shown.starts_with("============"), "{shown}");
    assert!(shown.contains("small 3 large 0: 12345 IOPS, 0:05 left"), "{shown}");
    drop(progress);
    assert_eq!(*term.0.lock().unwrap(), "");
}

#[test]
fn quiet_is_quiet() {
    assert!(matches!(Surface::of_stderr(true), Surface::Quiet));
    let mut progress = RunProgress::new(true, 1);
    progress.event(&Event::VisitFinished { visit: &visit(1, 0) });
}
