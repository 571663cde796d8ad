//! Latencies in fio's form: statistics with percentiles and bins, and the shares of coarse classes.
//!
//! Must not know directions or points.

use super::Pairs;
use rigel_core::judge::findings::LatencyUs;
use rigel_core::measure::Histogram;
use rigel_core::units::say::whole;
use rigel_core::units::{NS_PER_MS, NS_PER_US, to_f64};
use serde::Serialize;

/// One of the statistics that other outputs have as well.
type PickLatency = fn(&LatencyUs) -> f64;

/// fio's list: how it writes a percentile, which share of the I/Os it is, and the field of other outputs.
const PERCENTILES: [(&str, f64, Option<PickLatency>); 17] = [
    ("1.000000", 0.01, None),
    ("5.000000", 0.05, None),
    ("10.000000", 0.1, None),
    ("20.000000", 0.2, None),
    ("30.000000", 0.3, None),
    ("40.000000", 0.4, None),
    ("50.000000", 0.5, Some(|us| us.p50.value)),
    ("60.000000", 0.6, None),
    ("70.000000", 0.7, None),
    ("80.000000", 0.8, None),
    ("90.000000", 0.9, Some(|us| us.p90.value)),
    ("95.000000", 0.95, None),
    ("99.000000", 0.99, Some(|us| us.p99.value)),
    ("99.500000", 0.995, None),
    ("99.900000", 0.999, Some(|us| us.p99_9.value)),
    ("99.950000", 0.9995, None),
    ("99.990000", 0.9999, Some(|us| us.p99_99.value)),
];

/// Statistics of latencies in nanoseconds.
#[derive(Clone, Serialize)]
pub(super) struct Latency {
    min: u64,
    max: u64,
    mean: f64,
    stddev: f64,
    #[serde(rename = "N")]
    count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    percentile: Option<Pairs<u64>>,
    /// Middle of each bucket and its I/Os.
    #[serde(skip_serializing_if = "Option::is_none")]
    bins: Option<Pairs<u64>>,
}

impl Latency {
    /// `shown`: statistics of the same I/Os in other outputs, which take precedence.
    pub fn of(histogram: &Histogram, shown: Option<&LatencyUs>) -> Self {
        let bins = || histogram.buckets().map(|(from, to, ios)| (middle(from, to).to_string(), ios));
        let some = histogram.count() > 0;
        Self {
            min: histogram.min_ns().unwrap_or(0),
            max: histogram.max_ns().unwrap_or(0),
            mean: shown.map(|us| us.mean.value * to_f64(NS_PER_US)).or(histogram.mean_ns()).unwrap_or(0.0),
            stddev: histogram.stddev_ns().unwrap_or(0.0),
            count: histogram.count(),
            percentile: some.then(|| percentiles(histogram, shown)),
            bins: some.then(|| Pairs(bins().collect())),
        }
    }
}

impl Latency {
    /// The same, smaller.
    pub fn without_bins(self) -> Self {
        Self { bins: None, ..self }
    }
}

const fn middle(from_ns: u64, to_ns: u64) -> u64 {
    from_ns + (to_ns - from_ns) / 2
}

/// Percentiles that other outputs also show keep their values. The others are moved where the order would be broken.
fn percentiles(histogram: &Histogram, shown: Option<&LatencyUs>) -> Pairs<u64> {
    let known = PERCENTILES.map(|(_, _, of)| Some(whole(of?(shown?) * to_f64(NS_PER_US))));
    let mut values = PERCENTILES.map(|(_, share, _)| histogram.quantile_ns(share).unwrap_or(0));
    let mut floor = 0;
    for (value, known) in values.iter_mut().zip(known) {
        *value = known.unwrap_or(floor.max(*value));
        floor = known.unwrap_or(floor);
    }
    let mut ceiling = u64::MAX;
    for (value, known) in values.iter_mut().zip(known).rev() {
        *value = (*value).min(ceiling);
        ceiling = known.unwrap_or(ceiling);
    }
    let names = PERCENTILES.map(|(name, ..)| name.to_owned());
    Pairs(names.into_iter().zip(values).collect())
}

/// Classes below 1 of the next unit: name and end.
const CLASSES: [(&str, u64); 10] = [
    ("2", 2),
    ("4", 4),
    ("10", 10),
    ("20", 20),
    ("50", 50),
    ("100", 100),
    ("250", 250),
    ("500", 500),
    ("750", 750),
    ("1000", 1000),
];
/// Two more classes, in milliseconds only.
const SECONDS: [(&str, u64); 2] = [("2000", 2000), (">=2000", u64::MAX)];

/// Per cent of the I/Os in each class of latency; a bucket across an edge counts where its middle is.
#[derive(Serialize)]
pub(super) struct Classes {
    latency_ns: Pairs<f64>,
    latency_us: Pairs<f64>,
    latency_ms: Pairs<f64>,
}

impl Classes {
    /// The classes of reads and writes together.
    pub fn of(histogram: &Histogram) -> Self {
        let units = [(1, &[][..]), (NS_PER_US, &[][..]), (NS_PER_MS, &SECONDS[..])];
        let [latency_ns, latency_us, latency_ms] =
            units.map(|(unit_ns, more)| of_unit(histogram, unit_ns, more));
        Self { latency_ns, latency_us, latency_ms }
    }
}

/// The classes of one unit: from 1, or 0 ns, up to 1000 and `more`.
fn of_unit(histogram: &Histogram, unit_ns: u64, more: &[(&str, u64)]) -> Pairs<f64> {
    let mut from = if unit_ns == 1 { 0 } else { unit_ns };
    let mut class = |&(name, end): &(&str, u64)| {
        let to = end.saturating_mul(unit_ns);
        let share = percent_between(histogram, from, to);
        from = to;
        (name.to_owned(), share)
    };
    Pairs(CLASSES.iter().chain(more).map(&mut class).collect())
}

fn percent_between(histogram: &Histogram, from_ns: u64, to_ns: u64) -> f64 {
    let lies = |from, to| (from_ns..to_ns).contains(&middle(from, to));
    let inside = histogram.buckets().filter(|&(from, to, _)| lies(from, to));
    let ios = inside.fold(0_u64, |sum, (_, _, ios)| sum.saturating_add(ios));
    if histogram.count() == 0 { 0.0 } else { 100.0 * to_f64(ios) / to_f64(histogram.count()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigel_core::stats::Estimate;

    fn of(latencies_ns: &[u64]) -> Histogram {
        let mut histogram = Histogram::new();
        latencies_ns.iter().for_each(|&ns| histogram.record(ns));
        histogram
    }

    fn value<T: Copy>(pairs: &Pairs<T>, name: &str) -> T {
        pairs.0.iter().find(|(own, _)| own == name).unwrap().1
    }

    #[test]
    fn every_io_is_in_one_class() {
        let classes = Classes::of(&of(&[0, 1, 2, 999, 1500, 3_000_000, 300_000_000, 2_500_000_000]));
        let all = [&classes.latency_ns, &classes.latency_us, &classes.latency_ms];
        let sum: f64 = all.iter().flat_map(|pairs| &pairs.0).map(|pair| pair.1).sum();
        assert!((sum - 100.0).abs() < 1e-9, "{sum}");
        assert_eq!(all.map(|pairs| pairs.0.len()), [10, 10, 12]);
        for (pairs, name, share) in [
            (&classes.latency_ns, "2", 25.0),
            (&classes.latency_ns, "4", 12.5),
            (&classes.latency_ns, "1000", 12.5),
            (&classes.latency_us, "2", 12.5),
            (&classes.latency_ms, "4", 12.5),
            (&classes.latency_ms, "500", 12.5),
            (&classes.latency_ms, ">=2000", 12.5),
        ] {
            assert_eq!(value(pairs, name), share, "{name}");
        }
    }

    #[test]
    fn percentiles_are_those_of_other_outputs_and_in_order() {
        let histogram = of(&(1..=1000).map(|i| i * 1000).collect::<Vec<u64>>());
        let own = percentiles(&histogram, None);
        assert!(value(&own, "50.000000").abs_diff(500_000) < 8000);
        let shown = LatencyUs {
            p50: Estimate::bare(800.0),
            p90: Estimate::bare(850.0),
            ..LatencyUs::of(&histogram).unwrap()
        };
        let both = percentiles(&histogram, Some(&shown));
        assert_eq!((value(&both, "50.000000"), value(&both, "90.000000")), (800_000, 850_000));
        assert_eq!(value(&both, "60.000000"), 800_000, "no less than the median");
        assert!(both.0.is_sorted_by(|a, b| a.1 <= b.1));
        let low = LatencyUs {
            p50: Estimate::bare(10.0),
            p90: Estimate::bare(20.0),
            p99: Estimate::bare(30.0),
            p99_9: Estimate::bare(40.0),
            p99_99: Estimate::bare(50.0),
            ..shown
        };
        let low = percentiles(&histogram, Some(&low));
        assert_eq!(value(&low, "40.000000"), 10_000, "no more than the median");
        assert!(low.0.is_sorted_by(|a, b| a.1 <= b.1));
    }

    #[test]
    fn nothing_has_no_percentiles() {
        let nothing = serde_json::to_value(Latency::of(&Histogram::new(), None)).unwrap();
        assert_eq!(nothing, serde_json::json!({"min": 0, "max": 0, "mean": 0.0, "stddev": 0.0, "N": 0}));
    }
}
