//! What the drives say about themselves, asked before and after a soak.

use super::*;
use crate::bench::{BenchMessage, Order, RunPast, Site, VisitResult};
use rigel_core::facts::drive::{Counter, Drive, DriveAnswer};
use rigel_core::load::phase::Phase;
use rigel_core::load::soak::Soak;
use rigel_core::load::task::Task;

/// A bench whose drive counts how often it was asked.
struct DriveCounterBench {
    bench: SimulatedBench,
    asked: u64,
}

impl Bench for DriveCounterBench {
    fn site(&self) -> &Site {
        self.bench.site()
    }
    fn now_ns(&self) -> u64 {
        self.bench.now_ns()
    }
    fn work(
        &mut self,
        order: &Order,
        hear: &mut dyn FnMut(BenchMessage) -> bool,
    ) -> Result<VisitResult, Problem> {
        self.bench.work(order, hear)
    }
    fn rest(&mut self, ns: u64, hear: &mut dyn FnMut(BenchMessage) -> bool) {
        self.bench.rest(ns, hear);
    }
    fn pass(&mut self, until_ns: u64, passed: RunPast) -> bool {
        self.bench.pass(until_ns, passed)
    }
    fn drives(&mut self) -> Option<Vec<Drive>> {
        self.asked += 1;
        let said = DriveAnswer::Counters([(Counter::PowerOnHours, self.asked)].into());
        Some(vec![Drive { said, ..Drive::silent("sda", "") }])
    }
}

fn soaking() -> Run {
    run_of(|request| {
        let point = Point::pair(1, 0);
        let soak =
            Soak { time: Nanos::from_secs(4), every: Nanos::from_secs(1), beside: None, through: false };
        request.task = Task::soak(soak, vec![Phase { time: Nanos::from_secs(1), point, shape: None }]);
    })
}

fn bytes_of(run: &Run, beginning: Beginning, stops: bool) -> (u64, Vec<u8>) {
    let mut bench = DriveCounterBench { bench: bench_of(law(), run), asked: 0 };
    let mut lines = Lines::default();
    let flag = Arc::new(AtomicBool::new(false));
    let stop = Stop::new(Arc::clone(&flag));
    let mut told = |event: Event<'_>| {
        if matches!(event, Event::VisitFinished { .. }) {
            flag.store(stops, Ordering::Relaxed);
        }
    };
    execute(run, beginning, &mut bench, &mut lines, &stop, &mut told).unwrap();
    (bench.asked, lines.0)
}

/// What the record has of them, with the time of the run.
fn looks(record: &Record) -> Vec<(u64, u64)> {
    let hours = |drive: &Drive| drive.counters().unwrap()[&Counter::PowerOnHours];
    record.drives.iter().map(|look| (look.run_ns, hours(&look.drives[0]))).collect()
}

#[test]
fn a_soak_asks_before_its_first_load_and_after_its_last() {
    let (asked, bytes) = bytes_of(&soaking(), new(), false);
    let record = Record::read(&bytes).unwrap();
    let end = record.visits.last().unwrap().ended_ns();
    assert_eq!((asked, record.complete(), looks(&record)), (2, true, vec![(0, 1), (end, 2)]));
    let text = String::from_utf8(bytes).unwrap();
    let kinds: Vec<&str> = text.lines().map(|line| line.split('"').nth(3).unwrap()).collect();
    assert_eq!((kinds[1], kinds[kinds.len() - 2], kinds[kinds.len() - 1]), ("drives", "drives", "closing"));
}

#[test]
fn a_soak_that_goes_on_asks_again() {
    let run = soaking();
    let (_, mut bytes) = bytes_of(&run, new(), true);
    let record = Record::read(&bytes).unwrap();
    let (past, plan) = RecordPast::of(&record, bytes.len() as u64, "test").unwrap();
    let went_on = past.run_ns();
    let header = Header { plan, ..record.header };
    let beginning = Beginning::resumed(Wall::simulated(1_767_268_800), header, past);
    let (asked, more) = bytes_of(&run, beginning, false);
    bytes.extend(more);
    let record = Record::read(&bytes).unwrap();
    let end = record.visits.last().unwrap().ended_ns();
    assert_eq!((asked, record.complete()), (2, true));
    assert_eq!(looks(&record), [(0, 1), (went_on, 2), (went_on, 1), (end, 2)]);
}

#[test]
fn no_other_run_asks() {
    assert_eq!(bytes_of(&run_of(|_| {}), new(), false).0, 0);
}
