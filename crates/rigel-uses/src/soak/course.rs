//! The figures of a soak over time, one for each interval. Must not join intervals.

use super::beside::{self, MomentBeside};
use rigel_core::documents;
use rigel_core::load::class::PerClass;
use rigel_core::measure::{ClassTally, Histogram};
use rigel_core::record::{Interval, Record};
use rigel_core::units::{iops, to_f64, us_from_ns};
use schemars::JsonSchema;
use serde::Serialize;

/// The figures of an interval.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Moment {
    /// Where it begins, in seconds of load.
    #[serde(rename = "at_s", serialize_with = "documents::ns_in_seconds")]
    #[schemars(with = "f64")]
    pub began_ns: u64,
    /// Its length in seconds.
    #[serde(rename = "lasted_s", serialize_with = "documents::ns_in_seconds")]
    #[schemars(with = "f64")]
    pub measured_ns: u64,
    /// Number of its phase; in documents from 1.
    #[serde(serialize_with = "documents::from_one")]
    pub phase: u64,
    /// What each class did.
    #[serde(rename = "classes")]
    pub ios: PerClass<MomentIo>,
    /// Next to production: its use of the storage.
    #[serde(rename = "beside_production")]
    pub beside: Option<MomentBeside>,
}

/// A class in an interval. Percentiles are known to 13 %.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct MomentIo {
    /// Successful I/Os per second.
    pub iops: f64,
    /// Mean latency in microseconds; null if nothing completed.
    #[serde(rename = "latency_mean_us")]
    pub mean_us: Option<f64>,
    /// Median.
    #[serde(rename = "latency_p50_us")]
    pub p50_us: Option<f64>,
    /// 99th percentile.
    #[serde(rename = "latency_p99_us")]
    pub p99_us: Option<f64>,
    /// The longest, whenever it began.
    #[serde(rename = "latency_max_us")]
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
