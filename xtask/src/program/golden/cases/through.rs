//! A rate held while something fails: a path that is pulled, a disk that fails and is rebuilt, nothing at all, too early, too much.

use super::super::simulated::{on_disk, request};
use super::Case;
use super::open::arrivals;
use rigel_core::facts::states::{StateChange, StateKind};
use rigel_core::load::class::{Class, Shape};
use rigel_core::load::demands::Demands;
use rigel_core::load::matrix::{Point, RunLevel};
use rigel_core::load::phase::Phase;
use rigel_core::load::request::Request;
use rigel_core::load::task::Task;
use rigel_core::load::through;
use rigel_core::load::workload::Direction;
use rigel_core::measure::{ClassTally, FirstError};
use rigel_core::record::{Mark, MarkContent, Record};
use rigel_core::units::{NS_PER_S, Nanos};

const FAST: &str = "servers=8,service=2ms,spread=exponential";
const OPEN: Class = Class::constant("open");
const SECONDS: u64 = 40;

/// The cases.
pub fn all() -> Vec<Case> {
    vec![
        Case::of("through-quiet", || held(FAST, 500, &["errors = 0", "p99 < 20ms during"])),
        Case::of("through-path", path),
        Case::of("through-rebuild", rebuild),
        Case::of("through-rebuilding", rebuilding),
        Case::of("through-rebuilt", rebuilt),
        Case::of("through-early", early),
        Case::of("through-not-held", || held("servers=1,service=10ms", 300, &["back < 5s"])),
    ]
}

fn held(law: &str, rate: u32, demands: &[&str]) -> anyhow::Result<Record> {
    let time = Nanos::from_secs(SECONDS);
    let phase = Phase { time, point: Point::alone(OPEN, rate), shape: None };
    let demands = demands.iter().map(|text| text.parse().map_err(anyhow::Error::msg));
    let asked = Request {
        name: "through".into(),
        command_line: format!("through /dev/sdb --rate {rate} --for 40s "),
        classes: vec![arrivals(Shape::Poisson)],
        task: Task::soak(through::soak(time), vec![phase]),
        demands: Demands { through: demands.collect::<anyhow::Result<_>>()?, ..Demands::default() },
        ..request(RunLevel::Through)
    };
    on_disk(law, asked)
}

/// The tallies of some seconds of the load.
fn seconds(record: &mut Record, from: usize, to: usize) -> impl Iterator<Item = &mut ClassTally> {
    record.intervals[from..to].iter_mut().filter_map(|interval| interval.tallies.get_mut(&OPEN))
}

/// As if nothing had completed in these seconds.
fn freeze(record: &mut Record, from: usize, to: usize) {
    for tally in seconds(record, from, to) {
        *tally = ClassTally {
            open: tally.open.take(),
            ..ClassTally::new(tally.io_bytes, tally.planned, NS_PER_S)
        };
        tally.series = tally.series.widened(NS_PER_S / 50);
        tally.edges = rigel_core::measure::Edges::default();
    }
    // What waited takes as long as the freeze.
    for tally in seconds(record, to, to + 1) {
        (0..500).for_each(|_| tally.reads.record((to - from) as u64 * NS_PER_S));
        tally.reads.trim();
    }
}

fn mark(record: &Record, second: u64, marked: MarkContent) -> Mark {
    let began_ns = record.intervals.first().map_or(0, |first| first.began_ns);
    Mark { run_ns: began_ns + second * NS_PER_S, at: format!("2026-03-01T00:00:{second:02}+00:00"), marked }
}

fn said(record: &Record, second: u64, text: &str) -> Mark {
    mark(record, second, MarkContent::Person(text.into()))
}

fn seen(record: &Record, second: u64, kind: StateKind, device: &str, from: &str, to: &str) -> Mark {
    let change = StateChange { kind, device: device.into(), from: Some(from.into()), to: Some(to.into()) };
    mark(record, second, MarkContent::Host(change))
}

/// A path is pulled: seven seconds without an I/O, then two in which some fail.
fn path() -> anyhow::Result<Record> {
    let demands = [
        "standstill < 30s",
        "standstill < 5s",
        "errors = 0",
        "back < 30s",
        "p99 < 10ms during",
        "p99 < 100ms after",
    ];
    let mut record = held(FAST, 500, &demands)?;
    freeze(&mut record, 12, 19);
    let failed = FirstError { errno: 5, target: 0, offset: 81_920, direction: Direction::Read };
    for tally in seconds(&mut record, 19, 21) {
        tally.errors = 90;
        tally.first_error = Some(failed);
    }
    for tally in record.visits.iter_mut().filter_map(|visit| visit.tallies.get_mut(&OPEN)) {
        tally.errors = 180;
        tally.first_error = Some(failed);
        tally.edges.longest_before_ns = 7 * NS_PER_S;
    }
    record.marks = vec![
        said(&record, 11, "path A pulled"),
        seen(&record, 12, StateKind::Link, "eth1", "up", "down"),
        seen(&record, 19, StateKind::Path, "mpatha, sdb", "active", "failed"),
        said(&record, 30, "path A <b>back</b>"),
    ];
    Ok(record)
}

/// A disk of a mirror fails, another takes its place.
fn rebuild() -> anyhow::Result<Record> {
    let mut record = held(FAST, 500, &["errors = 0", "p99 < 100ms during"])?;
    for tally in seconds(&mut record, 20, 35) {
        (0..60).for_each(|io| tally.reads.record(40_000_000 + io * 100_000));
        tally.reads.trim();
    }
    let steps = ["0 / 4194304", "1048576 / 4194304", "3145728 / 4194304"];
    record.marks = vec![
        said(&record, 15, "disk 2 failed"),
        seen(&record, 15, StateKind::Degraded, "md0", "0", "1"),
        seen(&record, 20, StateKind::SyncAction, "md0", "idle", "recover"),
        seen(&record, 20, StateKind::SyncCompleted, "md0", "none", steps[0]),
        seen(&record, 25, StateKind::SyncCompleted, "md0", steps[0], steps[1]),
        seen(&record, 30, StateKind::SyncCompleted, "md0", steps[1], steps[2]),
        seen(&record, 35, StateKind::SyncAction, "md0", "recover", "idle"),
        seen(&record, 36, StateKind::SyncAction, "md1", "idle", "resync"),
    ];
    Ok(record)
}

/// A disk was replaced before the load began.
fn rebuilding() -> anyhow::Result<Record> {
    let mut record = held(FAST, 500, &["errors = 0"])?;
    let steps = ["1048576 / 4194304", "2097152 / 4194304"];
    record.marks = vec![
        seen(&record, 0, StateKind::SyncCompleted, "md0", "none", steps[0]),
        seen(&record, 15, StateKind::SyncCompleted, "md0", steps[0], steps[1]),
        seen(&record, 16, StateKind::SyncCompleted, "md1", "none", steps[0]),
    ];
    Ok(record)
}

/// And the rebuild ends in the midst of it.
fn rebuilt() -> anyhow::Result<Record> {
    let mut record = rebuilding()?;
    let ended = seen(&record, 25, StateKind::SyncAction, "md0", "recover", "idle");
    record.marks.push(ended);
    Ok(record)
}

/// There is no level before it, and it does not end.
fn early() -> anyhow::Result<Record> {
    let mut record = held(FAST, 500, &["back < 30s"])?;
    freeze(&mut record, 30, 35);
    record.marks = vec![said(&record, 2, "controller restarted")];
    record.closing = None;
    Ok(record)
}
