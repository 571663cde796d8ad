mod drives;
mod failures;
mod forecasts;
mod intervals;
mod resume;

use super::walk::all_failed;
use super::*;
use crate::bench;
use crate::bench::simulated::{SimulatedBench, site};
use crate::job::Workload;
use rigel_core::facts::{ChangedTarget, HostFacts, TargetChange, TargetFacts};
use rigel_core::judge::findings::Findings;
use rigel_core::judge::flags::FlagCode;
use rigel_core::load::class::{Class, Pattern};
use rigel_core::load::matrix::{MatrixShape, Point, RunLevel};
use rigel_core::load::pace::Pace;
use rigel_core::load::request::{CacheWarmUp, EngineRequest};
use rigel_core::load::task::Task;
use rigel_core::load::workload::Direction;
use rigel_core::measure::FirstError;
use rigel_core::record::{Record, Visit};
use rigel_core::sim::SimLaw;
use rigel_core::units::Nanos;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// 4 stations of 1 ms, no transfer time: 1, 2, 3, 4, 4, .. thousand IOPS.
fn law() -> SimLaw {
    SimLaw { bytes_per_s: None, ..SimLaw::default() }
}

/// Who measures what in these runs.
fn host() -> HostFacts {
    HostFacts { cpus: 2, ..HostFacts::default() }
}

fn targets() -> Vec<TargetFacts> {
    vec![TargetFacts::simulated(law().size_bytes)]
}

const PACE: Pace = Pace::Fixed(Nanos::from_secs(2));

fn run_of(change: impl FnOnce(&mut Request)) -> Run {
    let mut request = Request::new(RunLevel::Simple);
    request.engine = EngineRequest::Sim(law());
    request.set_pace(PACE);
    request.seed = 11;
    change(&mut request);
    let plan = Plan::new(&request, &host(), &targets()).unwrap();
    Run { program_version: "test".into(), run_id: "sim_20260101_1200".into(), request, plan }
}

/// The lines of a record as they would stand in its file.
#[derive(Default)]
struct Lines(Vec<u8>);

impl Journal for Lines {
    fn append(&mut self, line: &Line) -> Result<(), Problem> {
        self.0.extend(rigel_core::record::write_line(line).unwrap());
        Ok(())
    }
}

fn bench_of(law: SimLaw, run: &Run) -> SimulatedBench {
    let targets = targets();
    let workload = Workload::new(&run.request, &targets).unwrap();
    SimulatedBench::new(law, workload, bench::layout(&run.request, &run.plan, 0), site(host(), targets))
}

/// Runs to the end or until the listener sets the flag; returns the bytes that went to the record.
fn recorded(
    law: SimLaw,
    run: &Run,
    beginning: Beginning,
    mut listener: impl FnMut(&Event<'_>, &AtomicBool),
) -> (Outcome, Vec<u8>) {
    let mut bench = bench_of(law, run);
    let mut lines = Lines::default();
    let flag = Arc::new(AtomicBool::new(false));
    let stop = Stop::new(Arc::clone(&flag));
    let mut told = |event: Event<'_>| listener(&event, &flag);
    let outcome = execute(run, beginning, &mut bench, &mut lines, &stop, &mut told).unwrap();
    (outcome, lines.0)
}

fn new() -> Beginning {
    Beginning::new(Wall::simulated(1_767_268_800))
}

fn record_of(run: &Run, listener: impl FnMut(&Event<'_>, &AtomicBool)) -> (Outcome, Vec<u8>) {
    recorded(law(), run, new(), listener)
}

#[test]
fn a_simple_run_finds_the_law() {
    let (outcome, bytes) = record_of(&run_of(|_| {}), |_, _| {});
    assert_eq!(outcome, Outcome::Complete);
    let record = Record::read(&bytes).unwrap();
    assert!(record.complete());
    let found = Findings::of(&record);
    assert_eq!(found.points.len(), 7);
    for point in &found.points {
        let outstanding = point.point.small().max(point.point.large());
        let io = point.io(Class::SMALL).or(point.io(Class::LARGE)).unwrap();
        let rate = f64::from(outstanding.min(4)) * 1000.0;
        assert!((io.iops.value / rate - 1.0).abs() < 0.005, "{outstanding}: {}", io.iops.value);
        assert!((io.mean_outstanding - f64::from(outstanding)).abs() < 1e-9);
        let codes: Vec<_> = point.flags.iter().map(|flag| flag.code).collect();
        assert_eq!(codes, [FlagCode::Simulated]);
    }
    assert_eq!(found.plainly_best.rate(Class::SMALL).unwrap().point, Point::pair(4, 0), "the knee is at 4");
    assert_eq!(record.closing.unwrap().ended, "2026-01-01T12:00:15+00:00", "7 points of 2.2 s virtual time");
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let run = run_of(|_| {});
    let (first, second) = (record_of(&run, |_, _| {}), record_of(&run, |_, _| {}));
    assert_eq!(first, second);
    let other = run_of(|request| request.seed = 12);
    assert_ne!(record_of(&other, |_, _| {}).1, first.1);
}

#[test]
fn a_stopped_run_is_whole_up_to_there() {
    let (outcome, bytes) = record_of(&run_of(|_| {}), |event, flag| {
        if let Event::VisitFinished { visit } = event {
            flag.store(visit.step == 2, Ordering::Relaxed);
        }
    });
    assert_eq!(outcome, Outcome::Stopped);
    assert_eq!(outcome.problem("").unwrap().kind.code(), 4);
    let record = Record::read(&bytes).unwrap();
    assert_eq!(record.visits.len(), 3);
    assert!(!record.complete());
    assert!(record.closing.unwrap().reason.unwrap().contains("user"));
}

#[test]
fn warm_up_is_recorded_before_sequential_points() {
    let run = run_of(|request| {
        request.task = Task::advanced(MatrixShape::Basic);
        request.set_pace(PACE);
        request.set_large(Pattern::Streams { ios_per_stream: 4 });
        request.cache = CacheWarmUp::Bytes(64 << 20);
    });
    let record = Record::read(&record_of(&run, |_, _| {}).1).unwrap();
    for visit in &record.visits {
        assert_eq!(visit.warm_up.is_some(), visit.point.large() > 0, "{:?}", visit.point);
        if let Some(done) = visit.warm_up {
            assert!(done.bytes >= 64 << 20 && done.ns > 0);
        }
    }
}

#[test]
fn a_point_on_which_everything_fails_ends_the_run() {
    let run = run_of(|_| {});
    let (_, bytes) = record_of(&run, |_, _| {});
    let mut record = Record::read(&bytes).unwrap();
    let (header, mut visit) = (record.header, record.visits.remove(0));
    assert_eq!(all_failed(&header, &visit), None);
    let small = visit.tallies.get_mut(&Class::SMALL).unwrap();
    small.errors = 1;
    assert_eq!(all_failed(&header, &visit), None, "some I/Os still succeed");
    visit.tallies.get_mut(&Class::SMALL).unwrap().reads.clear();
    let told = all_failed(&header, &visit).unwrap();
    assert!(told.contains("Small=1 and Large=0"), "{told}");
    let small = visit.tallies.get_mut(&Class::SMALL).unwrap();
    small.first_error = Some(FirstError { errno: 0, target: 0, offset: 0, direction: Direction::Read });
    let told = all_failed(&header, &visit).unwrap();
    assert!(told.ends_with("(transferred fewer bytes than requested)"), "{told}");
    let change = TargetChange::Size { bytes: 0 };
    visit.nodes[0].changed.targets.push(ChangedTarget { target: 0, change });
    let told = all_failed(&header, &visit).unwrap();
    assert!(told.contains("simulated has 0 bytes, not ") && !told.contains("fewer"), "{told}");
}
