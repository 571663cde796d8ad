//! The figures of one class of one point.
//!
//! Must not judge them.

use super::OpenFindings;
use super::sureness::{Intervals, Sureness};
use crate::load::class::{Figure, LoadClass};
use crate::measure::{ClassTally, FirstError, Histogram, Occupancy};
use crate::stats::Interval;
use crate::stats::estimate::{Basis, Estimate};
use crate::units::{self, MIB, to_f64, us_from_ns};
use schemars::JsonSchema;
use serde::Serialize;

/// Latency of successful I/Os, in microseconds, from just before submission until the completion was seen. Percentiles are those of all visits
/// together; `basis` is `merged` where one has no interval: an indication, not an estimate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Latency")]
pub struct LatencyUs {
    /// Arithmetic mean.
    pub mean: Estimate,
    /// Smallest.
    pub min: f64,
    /// Largest.
    pub max: f64,
    /// Standard deviation.
    pub stddev: f64,
    /// Median.
    pub p50: Estimate,
    /// 90th percentile.
    pub p90: Estimate,
    /// 99th percentile.
    pub p99: Estimate,
    /// 99.9th percentile.
    #[serde(rename = "p99.9")]
    pub p99_9: Estimate,
    /// 99.99th percentile.
    #[serde(rename = "p99.99")]
    pub p99_99: Estimate,
}

impl LatencyUs {
    /// The statistics of a histogram, without intervals; `None` when it is empty.
    pub fn of(histogram: &Histogram) -> Option<Self> {
        let exact = |ns: Option<u64>| ns.map(|ns| us_from_ns(to_f64(ns)));
        let quantile = |q| exact(histogram.quantile_ns(q)).map(Estimate::merged);
        Some(Self {
            mean: Estimate::bare(us_from_ns(histogram.mean_ns()?)),
            min: exact(histogram.min_ns())?,
            max: exact(histogram.max_ns())?,
            stddev: us_from_ns(histogram.stddev_ns()?),
            p50: quantile(0.5)?,
            p90: quantile(0.9)?,
            p99: quantile(0.99)?,
            p99_9: quantile(0.999)?,
            p99_99: quantile(0.9999)?,
        })
    }

    /// The percentiles, each with its number in per cent, in ascending order.
    pub const fn percentiles(&self) -> [(&'static str, Estimate); 5] {
        [("50", self.p50), ("90", self.p90), ("99", self.p99), ("99.9", self.p99_9), ("99.99", self.p99_99)]
    }

    /// The mean becomes the middle of its interval. Percentiles stay those of all visits merged, which are the middles of theirs.
    fn with_intervals(self, known: &Intervals) -> Self {
        let estimate = |interval: Option<Interval>, basis, merged: Estimate| {
            interval.map_or(merged, |interval| Estimate::of(interval, basis))
        };
        let percentile = |interval, merged: Estimate| Estimate {
            value: merged.value,
            ..estimate(interval, Basis::Visits, merged)
        };
        Self {
            mean: estimate(known.mean_us, known.basis, self.mean),
            p50: percentile(known.p50_us, self.p50),
            p99: percentile(known.p99_us, self.p99),
            ..self
        }
    }
}

/// One class of one point.
#[derive(Clone, Debug, PartialEq)]
pub struct IoFindings {
    /// The class that was requested.
    pub load: LoadClass,
    /// Successful operations per second, reads and writes: the mean of the visits.
    pub iops: Estimate,
    /// Latency of reads and writes together; `None` if nothing completed.
    pub latency_us: Option<LatencyUs>,
    /// The basis of the precision of these figures.
    pub sure: Sureness,
    /// Latencies of reads.
    pub reads: Histogram,
    /// Latencies of writes.
    pub writes: Histogram,
    /// Bytes of one I/O, of the largest if there are several sizes; 0 if it is not block I/O.
    pub io_bytes: u64,
    /// Mean bytes of one I/O, as counted if there are several sizes.
    pub mean_bytes: f64,
    /// Failed I/Os.
    pub errors: u64,
    /// The first of them.
    pub first_error: Option<FirstError>,
    /// Outstanding I/Os planned.
    pub planned_outstanding: u32,
    /// Mean in flight over the measured time.
    pub mean_outstanding: f64,
    /// The time that its I/Os took inside the measured time.
    pub occupancy: Occupancy,
    /// Only for an open loop.
    pub open: Option<OpenFindings>,
}

impl IoFindings {
    /// Megabytes (2^20) per second, reads and writes; `None` if it is not block I/O.
    pub fn mbps(&self) -> Option<Estimate> {
        (self.io_bytes > 0).then(|| self.iops.scaled(self.mean_mib()))
    }

    /// The figure whose interval tells how certain the point is: the rate; for an open loop, whose rate is given, the mean latency.
    pub fn judged(&self) -> Estimate {
        match (&self.open, self.latency_us) {
            (Some(_), Some(us)) => us.mean,
            _ => self.iops,
        }
    }

    /// Latencies of reads and writes together.
    pub fn latencies(&self) -> Histogram {
        let mut all = self.reads.clone();
        all.add(&self.writes);
        all
    }

    /// The rate in the unit of its class.
    pub fn rate(&self) -> Estimate {
        self.iops.scaled(self.scale())
    }

    fn mean_mib(&self) -> f64 {
        self.mean_bytes / to_f64(MIB)
    }

    /// One operation per second in that unit. Megabytes are those of [`Self::mbps`], so both are one figure.
    pub(super) fn scale(&self) -> f64 {
        match self.load.figure {
            Figure::Mbps if self.io_bytes > 0 => self.mean_mib(),
            _ => self.load.scale(),
        }
    }
}

/// The sum of the visits to a point for one class.
#[derive(Debug)]
pub struct Sum {
    /// After settling.
    pub reads: Histogram,
    /// After settling.
    pub writes: Histogram,
    /// Counts of the whole windows.
    pub in_flight_ns: u64,
    /// Length of the whole windows.
    pub window_ns: u64,
    /// Length of the span that the latencies come from.
    pub span_ns: u64,
    occupancy: Occupancy,
    io_bytes: u64,
    /// Successful I/Os that ended in that span.
    completed: u64,
    /// Successful I/Os of the whole windows, and their bytes if there are several sizes.
    moved: (u64, Option<u64>),
    planned: u32,
    errors: u64,
    first_error: Option<FirstError>,
    open: Option<OpenFindings>,
}

impl Sum {
    /// The sum of visits that measured `window_ns` each, of which only what lies at least `settle_ns` after the start of the
    /// load counts. `None` without visits.
    pub fn of<'a>(visits: impl Iterator<Item = (&'a ClassTally, u64)>, settle_ns: u64) -> Option<Self> {
        let mut sum: Option<Self> = None;
        for (tally, window_ns) in visits {
            let (reads, writes) = tally.latencies_after(settle_ns);
            let mine = sum.get_or_insert_with(|| Self::empty(tally));
            mine.reads.add(&reads);
            mine.writes.add(&writes);
            mine.occupancy.add(tally.occupancy_after(settle_ns));
            mine.completed = mine.completed.saturating_add(tally.completed_after(settle_ns));
            mine.in_flight_ns = mine.in_flight_ns.saturating_add(tally.in_flight_ns);
            mine.window_ns = mine.window_ns.saturating_add(window_ns);
            // What of the window lies behind the settling time.
            let end_ns = tally.lead_ns.saturating_add(window_ns);
            let begin_ns = if tally.lead_ns == 0 { 0 } else { settle_ns.max(tally.lead_ns) };
            mine.span_ns = mine.span_ns.saturating_add(end_ns.saturating_sub(begin_ns));
            let bytes = tally.bytes.map(|bytes| mine.moved.1.unwrap_or(0).saturating_add(bytes));
            mine.moved = (mine.moved.0.saturating_add(tally.completed()), bytes);
            mine.errors = mine.errors.saturating_add(tally.errors);
            mine.first_error = mine.first_error.or(tally.first_error);
            if let Some(open) = &tally.open {
                mine.open.get_or_insert_default().add(open, window_ns);
            }
        }
        sum
    }

    fn empty(tally: &ClassTally) -> Self {
        Self {
            reads: Histogram::empty(),
            writes: Histogram::empty(),
            in_flight_ns: 0,
            window_ns: 0,
            span_ns: 0,
            occupancy: Occupancy::default(),
            io_bytes: tally.io_bytes,
            completed: 0,
            moved: (0, None),
            planned: tally.planned,
            errors: 0,
            first_error: None,
            open: None,
        }
    }

    /// The figures. One with an interval is the centre of the interval.
    pub fn findings(self, load: LoadClass, known: &Intervals, sure: Sureness) -> IoFindings {
        let mut all = self.reads.clone();
        all.add(&self.writes);
        let merged = || Estimate::bare(units::iops(self.completed, self.span_ns));
        let mean_bytes = match self.moved {
            (ios @ 1.., Some(bytes)) => to_f64(bytes) / to_f64(ios),
            _ => to_f64(self.io_bytes),
        };
        IoFindings {
            mean_bytes,
            load,
            iops: known.iops.map_or_else(merged, |interval| Estimate::of(interval, known.basis)),
            latency_us: LatencyUs::of(&all).map(|us| us.with_intervals(known)),
            sure,
            mean_outstanding: mean_in_flight(self.in_flight_ns, self.window_ns),
            occupancy: self.occupancy,
            reads: self.reads,
            writes: self.writes,
            io_bytes: self.io_bytes,
            errors: self.errors,
            first_error: self.first_error,
            planned_outstanding: self.planned,
            open: self.open,
        }
    }
}

fn mean_in_flight(in_flight_ns: u64, window_ns: u64) -> f64 {
    if window_ns == 0 { 0.0 } else { to_f64(in_flight_ns) / to_f64(window_ns) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_moves_no_percentile() {
        let mut merged = Histogram::new();
        (1..=1000).for_each(|us| merged.record(us * 1000));
        let us = LatencyUs::of(&merged).unwrap();
        // Their middles are a bit off, as an exponential of a logarithm is.
        let of = |us: f64| Interval::symmetric(us * (1.0 + 1e-15), 0.05, 4, 6.0);
        let known = Intervals { p50_us: of(us.p50.value), p99_us: of(us.p99.value), ..Intervals::default() };
        let found = us.with_intervals(&known);
        let values = |us: &LatencyUs| us.percentiles().map(|(_, us)| us.value);
        assert_eq!(values(&found), values(&us));
        assert_eq!(
            (found.p50.basis, found.p90.basis, found.p99.basis),
            (Basis::Visits, Basis::Merged, Basis::Visits)
        );
        assert_eq!(us.with_intervals(&Intervals::default()), us);
    }
}
