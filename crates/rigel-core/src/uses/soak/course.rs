//! The figures of a soak over time, one for each interval. Must not join intervals.

use super::beside::{self, MomentBeside};
use crate::load::class::PerClass;
use crate::measure::{ClassTally, Histogram};
use crate::record::{Interval, Record};
use crate::units::{iops, to_f64, us_from_ns};

/// What an interval says.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// Nanoseconds of the run at which it began.
    pub began_ns: u64,
    /// Its length.
    pub measured_ns: u64,
    /// Number of its phase, from 0.
    pub phase: u64,
    /// What each class did.
    pub ios: PerClass<MomentIo>,
    /// Beside production: what it took of the storage.
    pub beside: Option<MomentBeside>,
}

/// A class in an interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MomentIo {
    /// Successful I/Os per second.
    pub iops: f64,
    /// Mean latency in microseconds; `None` when nothing completed.
    pub mean_us: Option<f64>,
    /// Median, to 13 %.
    pub p50_us: Option<f64>,
    /// 99th percentile, to 13 %.
    pub p99_us: Option<f64>,
    /// The longest, whenever it began.
    pub max_us: Option<f64>,
    /// Failed I/Os.
    pub errors: u64,
    /// Blocks that were wrong.
    pub wrong: u64,
}

/// Every interval of a record.
pub fn of(record: &Record) -> Vec<Moment> {
    let phases = record.header.plan.phases.len() as u64;
    let one = |interval: &Interval| Moment {
        began_ns: interval.began_ns,
        measured_ns: interval.measured_ns,
        phase: interval.visit.checked_rem(phases).unwrap_or(0),
        ios: interval
            .tallies
            .iter()
            .map(|(class, tally)| (*class, io(tally, interval.measured_ns)))
            .collect(),
        beside: interval.governed.as_ref().map(|governed| {
            let flown_ns = interval.tallies.values().map(|tally| tally.in_flight_ns);
            let flown_ns = flown_ns.fold(0, u64::saturating_add);
            beside::moment(governed, flown_ns, interval.measured_ns, record.header.targets.len())
        }),
    };
    record.intervals.iter().map(one).collect()
}

fn io(tally: &ClassTally, measured_ns: u64) -> MomentIo {
    let all: Histogram = tally.all_latencies_after(0);
    let us = |ns: u64| us_from_ns(to_f64(ns));
    MomentIo {
        iops: iops(tally.completed(), measured_ns),
        mean_us: all.mean_ns().map(us_from_ns),
        p50_us: all.quantile_ns(0.5).map(us),
        p99_us: all.quantile_ns(0.99).map(us),
        max_us: Some(tally.longest_ns()).filter(|&ns| ns > 0).map(us),
        errors: tally.errors,
        wrong: tally.verified.as_ref().map_or(0, |verified| verified.faults.all()),
    }
}
