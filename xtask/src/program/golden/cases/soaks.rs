//! Soaks: reads, verified blocks with and without faults, drives that say something of themselves, many targets, beside production.

use super::super::documents::lines;
use super::super::facts;
use super::super::simulated::{on_disk, request};
use super::Case;
use rigel_core::facts::drive::{Counter, Counters, Drive, DriveAnswer, DriveLook};
use rigel_core::load::class::Class;
use rigel_core::load::governor::GovernorInterval;
use rigel_core::load::matrix::{Point, RunLevel};
use rigel_core::load::phase::Phase;
use rigel_core::load::request::Request;
use rigel_core::load::soak::Soak;
use rigel_core::load::task::Task;
use rigel_core::load::workload::{Direction, WritePercent};
use rigel_core::measure::{ByTarget, FirstError};
use rigel_core::record::{ClosingLine, End, Record, ResumedLine};
use rigel_core::units::{NS_PER_MS, Nanos};
use rigel_core::verify::{Excerpt, Fault, Finding, VerifyCounts};

const SLOW: &str = "servers=4,service=20ms,rate=100M,spread=lognormal:20%,between=1%";

/// The cases.
pub fn all() -> Vec<Case> {
    vec![
        Case::of("soak-reads", || soaked(0)),
        Case::of("soak-verified", verified),
        Case::of("soak-faults", faults),
        Case::of("soak-targets", many_targets),
        Case::of("soak-drives", drives),
        Case::of("soak-beside-production", beside),
        Case::of("soak-killed", killed),
        Case::of("soak-resumed", resumed),
    ]
}

/// Two phases of two seconds in turns for twelve, with figures every second.
fn soaked(write_percent: u8) -> anyhow::Result<Record> {
    let phases = [Point::pair(4, 1), Point::pair(1, 0)];
    let phases: Vec<Phase> =
        phases.into_iter().map(|point| Phase { time: Nanos::from_secs(2), point, shape: None }).collect();
    let soak = Soak { time: Nanos::from_secs(12), every: Nanos::from_secs(1), beside: None, through: false };
    let mut asked = Request {
        name: "soak".into(),
        command_line: "/dev/sdb --for 12s ".into(),
        task: Task::soak(soak, phases),
        ..request(RunLevel::Simple)
    };
    if write_percent > 0 {
        asked.classes[0].write_percent = WritePercent::new(write_percent).unwrap_or_default();
    }
    on_disk(SLOW, asked)
}

/// Small I/O writes, and each of its blocks is compared.
fn verified() -> anyhow::Result<Record> {
    let mut record = soaked(30)?;
    record.header.request.classes[0].verify = true;
    let checked = |visits: bool, record: &mut Record| {
        let of_visits = record.visits.iter_mut().filter(|_| visits).map(|visit| &mut visit.tallies);
        let of_intervals = record.intervals.iter_mut().filter(|_| !visits).map(|one| &mut one.tallies);
        for tally in of_visits.chain(of_intervals).filter_map(|tallies| tallies.get_mut(&Class::SMALL)) {
            let blocks = |ios: u64| 2 * ios;
            let verified = VerifyCounts {
                written: blocks(tally.writes.count()),
                checked: blocks(tally.reads.count()),
                ..VerifyCounts::default()
            };
            tally.verified = Some(Box::new(verified));
        }
    };
    checked(true, &mut record);
    checked(false, &mut record);
    Ok(record)
}

/// Every fault that a storage can have, in the second phase.
fn faults() -> anyhow::Result<Record> {
    let mut record = verified()?;
    let all = [
        Fault::Corrupt { bits: 3, first_bit: 17, last_bit: 4090 },
        Fault::Torn { older: 4, newer: 5 },
        Fault::Misdirected { from_target: 0, from_offset: 1 << 20, generation: 7 },
        Fault::Stale { generation: 2, age: 1 },
        Fault::Stale { generation: 0, age: 3 },
        Fault::Ahead { generation: 9 },
        Fault::Zeroed,
        Fault::Foreign { seed: None },
        Fault::Unreadable { errno: 5 },
    ];
    let visit = &mut record.visits[1];
    let at_ns = visit.began_ns;
    let found = |(place, fault): (u64, Fault)| Finding {
        at_ns: at_ns + place * 100 * NS_PER_MS,
        target: 0,
        offset: 81_920 + 4096 * place,
        expected: (5, 5 + place % 2),
        fault,
        sectors: 0b0000_0110,
        excerpt_at: 512,
        found_hex: Excerpt([0xab; 32]),
        expected_hex: Excerpt([0x5c; 32]),
    };
    if let Some(verified) = visit.tallies.get_mut(&Class::SMALL).and_then(|tally| tally.verified.as_mut()) {
        (0..).zip(all).for_each(|one| verified.found(found(one)));
        verified.again = 4;
    }
    Ok(record)
}

/// Eight targets, one of which is slow and one of which fails.
fn many_targets() -> anyhow::Result<Record> {
    let mut record = soaked(0)?;
    let size_bytes = record.header.targets[0].size_bytes;
    record.header.targets = (0..8).map(|number| facts::device(number, size_bytes)).collect();
    for tally in record.visits.iter_mut().flat_map(|visit| visit.tallies.values_mut()) {
        let mut by_target = ByTarget::new(8);
        for target in 0..8 {
            let each_ms = 20 + u64::from(target) % 3 + if target == 3 { 30 } else { 0 };
            (0..200).for_each(|io| by_target.completed(target, (each_ms + io % 2) * NS_PER_MS));
        }
        by_target.failed(5);
        tally.errors = 1;
        tally.first_error =
            Some(FirstError { errno: 5, target: 5, offset: 12_288, direction: Direction::Read });
        tally.by_target = Some(Box::new(by_target));
    }
    Ok(record)
}

/// Three drives: one that got worse, one that is as it was, one that does not say anything.
fn drives() -> anyhow::Result<Record> {
    let mut record = verified()?;
    let counters = |hours: u64, pending: u64| -> Counters {
        [
            (Counter::PowerOnHours, hours),
            (Counter::PendingSectors, pending),
            (Counter::MediaErrors, 0),
            (Counter::SparePercent, 100 - pending),
            (Counter::SpareThresholdPercent, 97),
            (Counter::CriticalWarning, 4 * pending.min(1)),
            (Counter::WrittenBytes, hours << 30),
        ]
        .into()
    };
    let drive = |number: u8, counters: Counters| Drive {
        model: Some("GOLDEN SSD".into()),
        serial: Some(format!("S{number}")),
        said: DriveAnswer::Counters(counters),
        ..Drive::silent(facts::disk(number).name, "")
    };
    let look = |at: &str, run_ns: u64, hours: u64, pending: u64| DriveLook {
        at: at.into(),
        run_ns,
        drives: vec![
            drive(0, counters(hours, pending)),
            drive(1, counters(hours, 0)),
            Drive::silent("sdd", "smartctl found no such device"),
        ],
    };
    let end_ns = record.visits.last().map_or(0, |visit| visit.ended_ns());
    record.drives =
        vec![look("2026-03-01T00:00:00+00:00", 0, 100, 0), look("2026-03-01T00:00:12+00:00", end_ns, 101, 5)];
    Ok(record)
}

/// A twentieth of the time, given way now and then.
fn beside() -> anyhow::Result<Record> {
    let mut record = soaked(0)?;
    if let Task::Soak { soak, .. } = &mut record.header.request.task {
        soak.beside = Some(50_000);
    }
    for (number, interval) in (0_u32..).zip(&mut record.intervals) {
        interval.tallies.values_mut().for_each(|tally| tally.in_flight_ns = interval.measured_ns / 25);
        let slow = u32::from(number % 4 == 1);
        interval.governed = Some(GovernorInterval {
            allowed_ppm: 50_000 >> slow,
            least_ppm: 25_000,
            p99_ns: (30 + 40 * u64::from(slow)) * NS_PER_MS,
            pressed_ppm: Some(20_000 + 100_000 * u32::from(number % 5 == 2)),
            looks: 1,
            slow,
            pressed: u32::from(number % 5 == 2),
        });
    }
    Ok(record)
}

/// Killed in its fourth visit, of which only the intervals are known.
fn killed() -> anyhow::Result<Record> {
    let mut record = verified()?;
    record.closing = None;
    record.visits.truncate(3);
    let mut left =
        record.intervals.iter().filter(|interval| interval.visit == 3).map(|interval| interval.began_ns);
    let last_ns = left.next().unwrap_or(0);
    record.intervals.retain(|interval| interval.began_ns <= last_ns);
    Ok(Record::read(&lines(&record)?)?)
}

fn resumed() -> anyhow::Result<Record> {
    let mut record = soaked(0)?;
    let line = |at: &str, kept: usize| ResumedLine {
        at: at.into(),
        run_ns: record.visits[kept].began_ns,
        kept: kept as u64,
        set_aside: 0,
        torn_bytes: 0,
    };
    record.resumed = vec![line("2026-03-02T07:00:00+00:00", 2), line("2026-03-04T07:00:00+00:00", 4)];
    let ended = "2026-03-04T07:00:05+00:00".into();
    record.closing = Some(ClosingLine {
        ended,
        complete: false,
        reason: Some("stopped by the user".into()),
        end: Some(End::Stopped),
    });
    Ok(record)
}
