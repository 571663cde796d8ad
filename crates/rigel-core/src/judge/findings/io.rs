//! The figures of one class of one point.
//!
//! Must not judge them.

use super::sureness::Sureness;
use crate::measure::{ClassTally, FirstError, Histogram};
use crate::stats::interval::Interval;
use crate::units::{self, us_from_ns};

/// Latency of successful I/Os, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LatencyUs {
    /// Arithmetic mean.
    pub mean: f64,
    /// Smallest.
    pub min: f64,
    /// Largest.
    pub max: f64,
    /// Standard deviation.
    pub stddev: f64,
    /// Median.
    pub p50: f64,
    /// 90th percentile.
    pub p90: f64,
    /// 99th percentile.
    pub p99: f64,
    /// 99.9th percentile.
    pub p99_9: f64,
    /// 99.99th percentile.
    pub p99_99: f64,
}

impl LatencyUs {
    /// The statistics of a histogram; `None` when it is empty.
    #[must_use]
    pub fn of(histogram: &Histogram) -> Option<Self> {
        let exact = |ns: Option<u64>| ns.map(|ns| us_from_ns(units::to_f64(ns)));
        let quantile = |q| exact(histogram.quantile_ns(q));
        Some(Self {
            mean: us_from_ns(histogram.mean_ns()?),
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

    /// What has an interval becomes its middle. The other quantiles are of all visits merged, where a slow visit counts
    /// for less, because it has fewer I/Os: they give way where they would not be in order.
    fn with_intervals(self, sure: &Sureness) -> Self {
        let middle = |interval: Option<Interval>, merged| interval.map_or(merged, |interval| interval.mean);
        // An exponential of a mean of logarithms may miss the smallest or largest by the last bit.
        let within = |us: f64| us.max(self.min).min(self.max);
        let (p50, p99) = (within(middle(sure.p50_us(), self.p50)), within(middle(sure.p99_us(), self.p99)));
        // Where only one of the two has an interval.
        let p99 = p99.max(p50);
        let p99_9 = self.p99_9.max(p99);
        Self {
            mean: middle(sure.latency_us, self.mean),
            p50,
            p90: self.p90.max(p50).min(p99),
            p99,
            p99_9,
            p99_99: self.p99_99.max(p99_9),
            ..self
        }
    }
}

/// One class of one point.
#[derive(Clone, Debug, PartialEq)]
pub struct IoFindings {
    /// Successful I/Os per second, reads and writes: the mean of the visits.
    pub iops: f64,
    /// Megabytes (2^20) per second, reads and writes.
    pub mbps: f64,
    /// Reads and writes together, all visits merged; but what has an interval is the middle of it. `None` when nothing completed.
    pub latency_us: Option<LatencyUs>,
    /// How sure these figures are.
    pub sure: Sureness,
    /// Latencies of reads.
    pub reads: Histogram,
    /// Latencies of writes.
    pub writes: Histogram,
    /// Bytes of one I/O.
    pub io_bytes: u64,
    /// Failed I/Os.
    pub errors: u64,
    /// The first of them.
    pub first_error: Option<FirstError>,
    /// Outstanding I/Os planned.
    pub planned_outstanding: u32,
    /// Mean in flight over the measured time.
    pub mean_outstanding: f64,
}

/// What the visits to a point add up to for one class.
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
    /// Length of what the latencies are from.
    pub span_ns: u64,
    io_bytes: u64,
    planned: u32,
    errors: u64,
    first_error: Option<FirstError>,
}

impl Sum {
    /// Of visits that measured `window_ns` each, of which only what lies `settle_ns` or more behind the start of the
    /// load counts. `None` without visits.
    pub fn of<'a>(visits: impl Iterator<Item = (&'a ClassTally, u64)>, settle_ns: u64) -> Option<Self> {
        let mut sum: Option<Self> = None;
        for (tally, window_ns) in visits {
            let (reads, writes) = tally.latencies_after(settle_ns);
            let mine = sum.get_or_insert_with(|| Self::empty(tally));
            mine.reads.add(&reads);
            mine.writes.add(&writes);
            mine.in_flight_ns = mine.in_flight_ns.saturating_add(tally.in_flight_ns);
            mine.window_ns = mine.window_ns.saturating_add(window_ns);
            // What of the window lies behind the settling time.
            let end_ns = tally.lead_ns.saturating_add(window_ns);
            let begin_ns = if tally.lead_ns == 0 { 0 } else { settle_ns.max(tally.lead_ns) };
            mine.span_ns = mine.span_ns.saturating_add(end_ns.saturating_sub(begin_ns));
            mine.errors = mine.errors.saturating_add(tally.errors);
            mine.first_error = mine.first_error.or(tally.first_error);
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
            io_bytes: tally.io_bytes,
            planned: tally.planned,
            errors: 0,
            first_error: None,
        }
    }

    /// The figures. One that has an interval is the middle of the interval.
    pub fn findings(self, sure: Sureness) -> IoFindings {
        let mut all = self.reads.clone();
        all.add(&self.writes);
        let iops = sure.iops.map_or_else(|| units::iops(all.count(), self.span_ns), |interval| interval.mean);
        let latency_us = LatencyUs::of(&all).map(|us| us.with_intervals(&sure));
        IoFindings {
            iops,
            mbps: iops * units::to_f64(self.io_bytes) / units::to_f64(units::MIB),
            latency_us,
            sure,
            mean_outstanding: mean_in_flight(self.in_flight_ns, self.window_ns),
            reads: self.reads,
            writes: self.writes,
            io_bytes: self.io_bytes,
            errors: self.errors,
            first_error: self.first_error,
            planned_outstanding: self.planned,
        }
    }
}

fn mean_in_flight(in_flight_ns: u64, window_ns: u64) -> f64 {
    if window_ns == 0 { 0.0 } else { units::to_f64(in_flight_ns) / units::to_f64(window_ns) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::quantile::Quantile;

    /// One fast visit has most of the I/Os, so the merged quantiles are its own; those of the visits are much higher.
    #[test]
    fn quantiles_with_and_without_intervals_stay_in_order() {
        let mut merged = Histogram::new();
        (0..100_000).for_each(|_| merged.record(100_000));
        merged.record(10_000_000);
        let us = LatencyUs::of(&merged).unwrap();
        let of = |ns: f64| Quantile::Sure(Interval::symmetric(ns, 0.05, 4, 6.0).unwrap());
        let sure = |p50_ns, p99_ns| Sureness { p50_ns, p99_ns, ..Sureness::default() };
        let order = |us: LatencyUs| [us.min, us.p50, us.p90, us.p99, us.p99_9, us.p99_99, us.max];
        let both = order(us.with_intervals(&sure(of(1e6), of(3e6))));
        assert_eq!((both[1], both[3]), (1000.0, 3000.0));
        assert!(both.is_sorted(), "{both:?}");
        let tail = order(us.with_intervals(&sure(Quantile::Nothing, of(5e4))));
        assert!(tail.is_sorted(), "{tail:?}");
        let head = order(us.with_intervals(&sure(of(1e6), Quantile::Nothing)));
        assert!(head.is_sorted() && (head[1] - 1000.0).abs() < 1e-9, "{head:?}");
        let beyond = order(us.with_intervals(&sure(of(9e4), of(2e7))));
        assert!(beyond.is_sorted(), "{beyond:?}");
        let none = order(us.with_intervals(&Sureness::default()));
        assert_eq!(none, order(us));
    }
}
