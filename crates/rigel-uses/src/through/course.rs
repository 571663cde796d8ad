//! The figures of each interval, as the record has them. Must not join intervals.

use rigel_core::load::class::Class;
use rigel_core::measure::{ClassTally, Histogram, Series};
use rigel_core::record::Record;
use rigel_core::units::iops;

/// An interval.
#[derive(Clone, Debug)]
pub struct Figures {
    /// Where it begins, on the clock of the run.
    pub began_ns: u64,
    /// Where it ends.
    pub ended_ns: u64,
    /// I/Os that succeeded in it.
    pub completed: u64,
    /// I/Os that were due in it.
    pub arrived: Option<u64>,
    /// I/Os that failed.
    pub errors: u64,
    /// For those that succeeded in it, from the times at which they should have begun.
    pub latency: Histogram,
    /// The longest of them.
    pub longest_ns: u64,
    /// Completions by parts of it.
    pub series: Series,
}

impl Figures {
    /// I/Os per second.
    pub fn rate(&self) -> f64 {
        iops(self.completed, self.ended_ns.saturating_sub(self.began_ns))
    }

    /// The 99th percentile; `None` if nothing succeeded.
    pub fn p99_ns(&self) -> Option<u64> {
        self.latency.quantile_ns(0.99)
    }
}

/// Every interval of the class.
pub fn of(record: &Record, class: Class) -> Vec<Figures> {
    let one = |tally: &ClassTally, began_ns: u64, measured_ns: u64| Figures {
        began_ns,
        ended_ns: began_ns.saturating_add(measured_ns),
        completed: tally.completed(),
        arrived: tally.open.as_ref().map(|open| open.arrived),
        errors: tally.errors,
        latency: tally.all_latencies_after(0),
        longest_ns: tally.longest_ns(),
        series: tally.series.clone(),
    };
    let of_class = record.intervals.iter().filter_map(|interval| {
        Some(one(interval.tallies.get(&class)?, interval.began_ns, interval.measured_ns))
    });
    of_class.filter(|figures| figures.ended_ns > figures.began_ns).collect()
}
