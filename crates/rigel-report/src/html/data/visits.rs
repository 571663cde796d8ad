//! Every visit to the points: when, why, its rate over time and its latencies.
//!
//! Must not hold more than a chart can show, however many visits there are and however long they are.

use super::latencies::{COARSE, bins};
use super::{figures, rounded};
use crate::view::View;
use crate::words;
use rigel_core::judge::findings::VisitFindings;
use rigel_core::judge::profiles::whole_buckets;
use rigel_core::load::class::{Class, PerClass};
use rigel_core::measure::ClassTally;
use rigel_core::record::Visit;
use rigel_core::units::{NS_PER_S, Nanos, to_f64, us_from_ns};
use serde::Serialize;

/// Samples over time of all visits together, to limit the page to some hundred kilobytes.
const ALL_SAMPLES: usize = 40_000;
/// Samples of one visit.
const MOST_SAMPLES: usize = 250;
const LEAST_SAMPLES: usize = 10;

#[derive(Serialize)]
pub(super) struct VisitData {
    number: u64,
    /// Its point, by index in `points`.
    point: usize,
    purpose: String,
    counts: bool,
    /// Seconds from the start of the run to the start of the load.
    began: f64,
    settle: f64,
    measured: f64,
    ios: PerClass<VisitIoData>,
}

#[derive(Serialize)]
struct VisitIoData {
    /// Successful I/Os per second.
    rate: f64,
    /// Latencies of the counted part, see [`bins`].
    bins: Vec<(u64, u64)>,
    /// Seconds from the start of the load to the first sample.
    start: f64,
    /// Seconds of a sample.
    width: f64,
    /// I/Os per second in each sample.
    rates: Vec<f64>,
    /// Mean latency in each sample, for a visit that is alone at its point.
    means: Vec<Option<f64>>,
}

/// All visits to points, in order of time.
pub(super) fn of(view: &View<'_>) -> Vec<VisitData> {
    let by_step = view.visits();
    let series: usize = view.record.visits.iter().map(|visit| visit.tallies.len()).sum();
    let samples = (ALL_SAMPLES / series.max(1)).clamp(LEAST_SAMPLES, MOST_SAMPLES);
    let mut all = Vec::new();
    for (point, found) in view.findings.points.iter().enumerate() {
        let recorded = by_step.get(&found.step).map_or(&[][..], Vec::as_slice);
        let both = recorded.iter().zip(&found.each_visit);
        all.extend(both.map(|(visit, found)| one(point, visit, found, samples, recorded.len() == 1)));
    }
    all.sort_by_key(|visit: &VisitData| visit.number);
    all
}

fn one(point: usize, visit: &Visit, found: &VisitFindings, samples: usize, alone: bool) -> VisitData {
    let later_ns = found.settle_ns.saturating_sub(visit.settle_ns);
    let io = |(class, tally): (&Class, &ClassTally)| {
        let rate = found.ios.get(class)?.iops;
        Some((*class, samples_of(tally, visit, rate, later_ns, samples, alone)))
    };
    VisitData {
        number: found.number,
        point,
        purpose: purpose(found),
        counts: found.counts,
        began: seconds(found.began_ns),
        settle: seconds(found.settle_ns),
        measured: seconds(found.measured_ns),
        ios: visit.tallies.iter().filter_map(io).collect(),
    }
}

fn purpose(found: &VisitFindings) -> String {
    let mut text = words::purpose(found.purpose).unwrap_or_else(|| "the only visit".to_owned());
    if found.cut_short {
        text += ", cut short";
    }
    for other in found.foreign.iter().flatten() {
        text += &format!("; {other}");
    }
    text
}

fn seconds(ns: u64) -> f64 {
    rounded(Nanos(ns).seconds())
}

fn samples_of(
    tally: &ClassTally,
    visit: &Visit,
    rate: f64,
    later_ns: u64,
    samples: usize,
    alone: bool,
) -> VisitIoData {
    let latencies = tally.all_latencies_after(tally.lead_ns.saturating_add(later_ns));
    let ops = whole_buckets(tally, visit.measured_ns);
    let each = ops.len().div_ceil(samples).max(1);
    let bucket_ns = tally.series.bucket_ns.max(1);
    let width_ns = bucket_ns.saturating_mul(each as u64);
    // A last sample of fewer buckets would look like a stall.
    let whole = ops.chunks_exact(each);
    let rates = whole.map(|part| {
        let ios: u64 = part.iter().map(|&ios| u64::from(ios)).sum();
        figures(to_f64(ios) / to_f64(width_ns) * to_f64(NS_PER_S), 5)
    });
    let means = ops.chunks_exact(each).zip(tally.series.latency_sum_ns.chunks(each)).map(|(ops, sums)| {
        let ios: u64 = ops.iter().map(|&ios| u64::from(ios)).sum();
        let sum_ns = sums.iter().copied().fold(0, u64::saturating_add);
        (ios > 0).then(|| figures(us_from_ns(to_f64(sum_ns)) / to_f64(ios), 4))
    });
    VisitIoData {
        rate: rounded(rate),
        bins: bins(&latencies, COARSE),
        start: seconds(visit.settle_ns.saturating_sub(tally.lead_ns)),
        width: seconds(width_ns),
        rates: rates.collect(),
        means: if alone { means.collect() } else { Vec::new() },
    }
}
