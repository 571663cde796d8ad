//! Runs that did not go as planned: stopped, killed, gone on with, hung, failed, without a result.

use super::super::documents::lines;
use super::super::simulated::{on_disk, once, request, rounds};
use super::Case;
use rigel_core::facts::{ChangedTarget, TargetChange};
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::workload::Direction;
use rigel_core::measure::{FirstError, HungIo};
use rigel_core::record::{ClosingLine, End, Record, ResumedLine, TornLine};
use rigel_core::units::NS_PER_S;

const SLOW: &str = "servers=4,service=20ms,rate=100M,spread=lognormal:20%,between=1%";

/// The cases.
pub fn all() -> Vec<Case> {
    vec![
        Case::of("stopped", || changed(|record| stop(record, 5))),
        Case::of("stopped-in-rounds", stopped_in_rounds),
        Case::of("killed", || changed(killed)),
        Case::of("killed-and-torn", torn),
        Case::of("resumed", || changed(resumed)),
        Case::of("hung", || changed(hung)),
        Case::of("errors", || changed(errors)),
        Case::of("all-failed", || changed(all_failed)),
        Case::of("target-shrank", || changed(shrank)),
        Case::of("no-points", || changed(|record| stop(record, 0))),
    ]
}

fn changed(change: impl FnOnce(&mut Record)) -> anyhow::Result<Record> {
    let mut record = on_disk(SLOW, request(RunLevel::Simple).paced(once(1)))?;
    change(&mut record);
    Ok(record)
}

/// The user ends it in the visit of that number.
pub fn stop(record: &mut Record, visits: usize) {
    record.visits.truncate(visits);
    cut(record);
    close(record, "stopped by the user", End::Stopped);
}

/// The same in the search.
pub fn stop_in_search(record: &mut Record, visits: usize) {
    record.visits.clear();
    record.search.truncate(visits);
    close(record, "stopped by the user", End::Stopped);
}

fn close(record: &mut Record, reason: &str, end: End) {
    let ended = "2026-03-01T00:00:20+00:00".into();
    record.closing =
        Some(ClosingLine { ended, complete: false, reason: Some(reason.into()), end: Some(end) });
}

/// Ends the last visit halfway.
fn cut(record: &mut Record) {
    let Some(last) = record.visits.last_mut() else { return };
    last.cut_short = true;
    last.measured_ns /= 2;
    last.loaded_ns = last.loaded_ns.saturating_sub(last.measured_ns);
    for tally in last.tallies.values_mut() {
        tally.series.truncate(tally.lead_ns + last.measured_ns);
        tally.in_flight_ns /= 2;
    }
}

fn stopped_in_rounds() -> anyhow::Result<Record> {
    let mut record = on_disk(SLOW, request(RunLevel::Simple).paced(rounds(100)))?;
    stop(&mut record, 12);
    Ok(record)
}

fn killed(record: &mut Record) {
    record.visits.truncate(4);
    record.closing = None;
}

/// Killed while it wrote the line of its fifth visit.
fn torn() -> anyhow::Result<Record> {
    let mut record = changed(killed)?;
    record.torn = Some(TornLine { line: 0, offset: 0 });
    Ok(Record::read(&lines(&record)?)?)
}

/// Stopped in the third visit, which is repeated, and killed after the fifth.
fn resumed(record: &mut Record) {
    let mut aside = record.clone();
    stop(&mut aside, 3);
    record.set_aside = aside.visits.split_off(2);
    let line = |day: u32, kept: usize, set_aside| ResumedLine {
        at: format!("2026-03-0{day}T09:30:00+00:00"),
        run_ns: record.visits[kept].began_ns - record.visits[kept].settle_ns,
        kept: kept as u64,
        set_aside,
        torn_bytes: 0,
    };
    record.resumed = vec![line(2, 2, 1), line(3, 5, 0)];
}

fn hung(record: &mut Record) {
    record.visits.truncate(3);
    cut(record);
    let io = HungIo {
        target: 0,
        offset: 81_920,
        direction: Direction::Read,
        age_ns: 61 * NS_PER_S,
        count: 3,
        taken_back: false,
    };
    record.visits[2].hung = Some(io);
    let what = io.sentence(&record.header.targets);
    close(record, &what, End::GaveUp);
}

const EIO: i32 = 5;

fn errors(record: &mut Record) {
    for (visit, count) in record.visits.iter_mut().zip([0, 1, 12, 0, 0, 3, 0]) {
        for tally in visit.tallies.values_mut().filter(|_| count > 0) {
            tally.errors = count;
            // A short transfer has no number.
            let errno = if count == 1 { 0 } else { EIO };
            tally.first_error =
                Some(FirstError { errno, target: 0, offset: 8192 * count, direction: Direction::Read });
        }
    }
}

fn all_failed(record: &mut Record) {
    record.visits.truncate(2);
    let last = &mut record.visits[1];
    for tally in last.tallies.values_mut() {
        tally.errors = 40;
        tally.first_error = Some(FirstError { errno: EIO, target: 0, offset: 0, direction: Direction::Read });
        tally.reads.clear();
        tally.series.ops.fill(0);
        tally.series.latency_sum_ns.fill(0);
    }
    cut(record);
    close(record, "all I/Os @ Small=2 and Large=0 failed", End::GaveUp);
}

fn shrank(record: &mut Record) {
    record.visits.truncate(4);
    let bytes = record.header.targets[0].size_bytes / 2;
    let change = TargetChange::Size { bytes };
    record.visits[3].nodes[0].changed.targets.push(ChangedTarget { target: 0, change });
    let gone = TargetChange::OtherAtPath { now: None };
    record.visits[3].nodes[0].changed.targets.push(ChangedTarget { target: 0, change: gone });
    cut(record);
    close(record, "/dev/sdb changed", End::GaveUp);
}
