//! How long it takes to read or write a number of bytes at the rates of a record: full scan, backup, restore.
//!
//! Each time is the size over a rate that the findings hold, and its interval is that of the rate with the ends swapped.
//! Must not take the rate of a mix of reads and writes for that of either.

use crate::advice::again;
use rigel_core::judge::findings::{Findings, IoFindings, PointFindings, best_alone};
use rigel_core::load::class::{Class, Figure, LoadClass};
use rigel_core::load::matrix::Point;
use rigel_core::record::Header;
use rigel_core::stats::{Estimate, Interval};
use rigel_core::units::{Bytes, MIB, to_f64};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// The direction of the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// They are read: a full scan, or a backup.
    Read,
    /// They are written: a restore.
    Write,
}

/// The time of a transfer at the rate of a point.
#[derive(Clone, Debug, PartialEq)]
pub struct TransferTime {
    /// Whether the bytes are read or written.
    pub way: Way,
    /// The class of large I/O whose rate it is.
    pub load: LoadClass,
    /// The point that has the rate.
    pub point: Point,
    /// The rate, in megabytes (2^20) per second.
    pub mbps: Estimate,
    /// The time, in seconds.
    pub seconds: Estimate,
    /// What ran at the same time, each class with its rate.
    pub beside: Vec<(LoadClass, Estimate)>,
    /// Whether a flag says that the rate must not be used.
    pub invalid: bool,
}

/// The times of all transfers of a size.
#[derive(Clone, Debug, PartialEq)]
pub struct Transfers {
    /// Bytes to be read or written.
    pub size: Bytes,
    /// With nothing else running.
    pub alone: Vec<TransferTime>,
    /// While something else ran; for each additional load the point with the highest rate.
    pub beside: Vec<TransferTime>,
    /// What was not measured, and the command that measures it.
    pub missing: Vec<(Way, String)>,
}

impl Way {
    /// What a load does; `None` for one that mixes reads and writes.
    fn of(load: &LoadClass) -> Option<Self> {
        match load.write_percent.get() {
            0 => Some(Self::Read),
            100 => Some(Self::Write),
            _ => None,
        }
    }
}

/// Whether the rate of a class is one of large I/O that transfers could have: at full speed, over all of every target.
pub fn is_large(load: &LoadClass) -> bool {
    load.figure == Figure::Mbps && load.is_block_io() && load.level_is_load() && !load.appends()
}

impl Transfers {
    /// The times by what was found in a record.
    pub fn of(header: &Header, findings: &Findings, size: Bytes) -> Self {
        let loads = || header.request.classes.iter().filter(|load| is_large(load));
        let alone: Vec<TransferTime> = loads().filter_map(|load| alone(findings, load, size)).collect();
        let beside: Vec<TransferTime> = loads().flat_map(|load| beside(findings, load, size)).collect();
        let is_missing = |way: &Way| !alone.iter().chain(&beside).any(|one| one.way == *way);
        let missing = [Way::Read, Way::Write].into_iter().filter(is_missing);
        let missing = missing.map(|way| (way, again::large(header, way == Way::Write))).collect();
        Self { size, alone, beside, missing }
    }

    /// Whether nothing in the record says how long anything takes.
    pub const fn is_empty(&self) -> bool {
        self.alone.is_empty() && self.beside.is_empty()
    }
}

fn alone(findings: &Findings, load: &LoadClass, size: Bytes) -> Option<TransferTime> {
    // The headline number, where it is not one beside other load.
    let best = findings.best.rate(load.name).map(|best| best.point);
    let best = best.filter(|point| point.is_alone(load.name));
    let point = best.or_else(|| best_alone(&findings.points, load.name))?;
    time(findings.points.iter().find(|found| found.point == point)?, load, size)
}

/// For each load that runs at the same time, the point at which the class has its highest rate.
fn beside(findings: &Findings, load: &LoadClass, size: Bytes) -> Vec<TransferTime> {
    let mut fastest: BTreeMap<Point, TransferTime> = BTreeMap::new();
    for found in findings.points.iter().filter(|found| !found.point.is_alone(load.name)) {
        let Some(time) = time(found, load, size) else { continue };
        let rank = |one: &TransferTime| (!one.invalid, one.mbps.value);
        let known = fastest.entry(found.point.without(load.name)).or_insert_with(|| time.clone());
        if rank(&time) > rank(known) {
            *known = time;
        }
    }
    fastest.into_values().collect()
}

fn time(found: &PointFindings, load: &LoadClass, size: Bytes) -> Option<TransferTime> {
    let io = found.io(load.name).filter(|io| io.latency_us.is_some())?;
    let mbps = io.mbps().filter(|mbps| mbps.value > 0.0)?;
    let others = found.classes().filter(|(class, _)| *class != load.name);
    let rate = |(_, io): (Class, &IoFindings)| (io.load.clone(), io.rate());
    Some(TransferTime {
        way: Way::of(load)?,
        load: load.clone(),
        point: found.point,
        mbps,
        seconds: seconds(size, mbps),
        beside: others.map(rate).collect(),
        invalid: found.invalid(),
    })
}

/// The size over the rate. An interval of the rate that reaches down to nothing leaves the time without one.
fn seconds(size: Bytes, mbps: Estimate) -> Estimate {
    let mib = to_f64(size.0) / to_f64(MIB);
    let value = mib / mbps.value;
    let interval = mbps.interval.filter(|rate| rate.lo95 > 0.0).map(|rate| {
        let (lo95, hi95) = (mib / rate.hi95, mib / rate.lo95);
        Interval { mean: value, lo95, hi95, relative_half_width: hi95 / value - 1.0, ..rate }
    });
    Estimate { value, interval, ..mbps }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigel_core::stats::Basis;

    #[test]
    fn the_ends_of_the_interval_change_places() {
        let rate = Estimate::from(Interval::symmetric(1024.0, 0.25, 5, 4.0).unwrap());
        let found = seconds(Bytes(1 << 40), rate);
        assert_eq!(found.columns(), [Some(1024.0), Some(819.2), Some(1024.0 / 0.75)]);
        assert!((found.half_width().unwrap() - (1.0 / 0.75 - 1.0)).abs() < 1e-12);
        assert_eq!((found.basis, found.interval.unwrap().visits), (Basis::Visits, 5));
    }

    #[test]
    fn a_rate_that_may_be_nothing_has_a_time_without_an_interval() {
        let rate = Estimate::from(Interval::symmetric(10.0, 1.5, 2, 1.0).unwrap());
        assert_eq!(seconds(Bytes(10 * MIB), rate).columns(), [Some(1.0), None, None]);
        assert_eq!(seconds(Bytes(MIB), Estimate::bare(4.0)).columns(), [Some(0.25), None, None]);
    }
}
