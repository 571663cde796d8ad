//! What each visit says on its own: the figures behind the intervals of a point.
//!
//! With these, every interval can be recomputed. Must not join visits; [`super::estimate`] does.

use crate::facts::HostFacts;
use crate::judge::profiles::{self, BUCKET_NS};
use crate::load::class::PerClass;
use crate::load::matrix::Point;
use crate::measure::{ClassTally, Window};
use crate::record::{Header, NodeVisit, Purpose, Visit};
use crate::stats::batch_means::{self, SeriesError};
use crate::stats::detect::overload::Growth;
use crate::stats::sample::mean;
use crate::stats::settle::after;
use crate::units::{self, to_f64, us_from_ns};
use crate::witness::{DeviceTransfer, Disturbance, device_io, judge};
use schemars::JsonSchema;
use serde::Serialize;

/// One visit to a point.
#[derive(Clone, Debug, PartialEq)]
pub struct VisitFindings {
    /// Number of the visit in the run, from 0.
    pub number: u64,
    /// Why it was made.
    pub purpose: Purpose,
    /// The point.
    pub point: Point,
    /// Whether the figures of the point are based on it.
    pub counts: bool,
    /// The user or an error ended it early.
    pub cut_short: bool,
    /// Nanoseconds from the start of the run to the start of the load.
    pub began_ns: u64,
    /// Load before the measured part, in nanoseconds.
    pub settle_ns: u64,
    /// The measured part, in nanoseconds.
    pub measured_ns: u64,
    /// How other programs disturbed it; `None` if nothing watched.
    pub foreign: Option<Vec<Disturbance>>,
    /// The largest part of its numbers that they can have changed.
    pub foreign_effect: f64,
    /// The results of each of its classes.
    pub ios: PerClass<VisitIo>,
}

/// One class of one visit, reads and writes together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct VisitIo {
    /// Successful I/Os.
    pub ios: u64,
    /// Successful I/Os per second; in an adaptive run the mean over buckets of 10 ms.
    pub iops: f64,
    /// Standard error of that mean as far as the visit itself shows it, in I/Os per second; null if the visit is too short.
    #[serde(rename = "iops_standard_error")]
    pub standard_error: Option<f64>,
    /// Mean latency in microseconds; null if nothing completed.
    #[serde(rename = "latency_mean_us")]
    pub latency_us: Option<f64>,
    /// The standard error of that mean as far as the visit itself shows it, relative: that of the rate, or of the number in the
    /// system of an open loop.
    #[serde(skip)]
    pub latency_error: Option<f64>,
    /// Median latency in microseconds; null if nothing completed.
    #[serde(rename = "latency_p50_us")]
    pub p50_us: Option<f64>,
    /// 99th percentile of latency in microseconds; null if nothing completed.
    #[serde(rename = "latency_p99_us")]
    pub p99_us: Option<f64>,
    /// Little's law: rate times latency over the number outstanding, for I/Os cut at the ends of the window: 1 except for failed I/Os. Null if
    /// nothing completed.
    pub little: Option<f64>,
    /// Mean number in flight over the whole window.
    #[serde(rename = "outstanding_mean")]
    pub mean_outstanding: f64,
    /// Failed I/Os of the whole visit, including settling and draining.
    pub errors: u64,
    /// Only for an open loop.
    #[serde(skip)]
    pub open: Option<VisitOpen>,
}

/// The arrivals of a visit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VisitOpen {
    /// Arrivals per second, as chance had it.
    pub arrived_per_s: f64,
    /// More arrived than was served: the backlog grew by more than chance explains.
    pub is_overload: bool,
}

/// Visits; `counts` says whether the figures of their point are based on them. `settle_ns`: the part of the start of
/// every visit of an adaptive run that does not count.
pub fn of(
    header: &Header,
    visits: &[&Visit],
    settle_ns: u64,
    counts: impl Fn(&Visit) -> bool,
) -> Vec<VisitFindings> {
    let one = |visit: &&Visit| {
        let (foreign, foreign_effect) = foreign(header, visit).unzip();
        let foreign_effect = foreign_effect.unwrap_or(0.0);
        VisitFindings { foreign, foreign_effect, ..figures(visit, settle_ns, counts(visit)) }
    };
    visits.iter().map(one).collect()
}

/// How other programs disturbed a visit, and the largest part of its numbers that they can have changed; `None` if nothing watched.
pub fn foreign(header: &Header, visit: &Visit) -> Option<(Vec<Disturbance>, f64)> {
    let window =
        Window { start_ns: visit.began_ns, end_ns: visit.began_ns.saturating_add(visit.measured_ns) };
    // Through the page cache our bytes are not those of the device.
    let failed_bytes = failed_bytes(visit);
    let is_buffered = header.request.is_buffered_at(visit.point);
    let own_bytes = |node: &NodeVisit| (!is_buffered).then(|| node.moved_bytes.saturating_add(failed_bytes));
    let of_node = |(place, node): (usize, &NodeVisit)| {
        let witness = node.witness.as_ref()?;
        let host = header.nodes.all().get(place).map(|node| &node.host);
        let cpus = host.map(HostFacts::usable_cpus).filter(|cpus| *cpus > 0).or(witness.cpus);
        let judged = judge(witness, window, own_bytes(node));
        Some((judged.foreign(), judged.effect(cpus.unwrap_or(1))))
    };
    let join = |(all, most): (Vec<Disturbance>, f64), (more, other): (Vec<Disturbance>, f64)| {
        (all.into_iter().chain(more).collect(), most.max(other))
    };
    visit.nodes.iter().enumerate().filter_map(of_node).reduce(join)
}

/// What the devices below the targets moved in visits, and what was requested; `None` unless every node knows it for every visit. Of the
/// topmost and the lowest devices, those that moved fewer bytes. Through the page cache Rigel's bytes are not those of the device.
pub fn moved(header: &Header, visits: &[&Visit]) -> Option<(u64, u64)> {
    let of_node = |node: &NodeVisit| {
        let witness = node.witness.as_ref()?;
        let on_top = device_io(witness, node.moved_bytes).map(|io| io.device_bytes);
        let at_bottom = witness.carried.map(DeviceTransfer::total_bytes);
        Some((on_top.into_iter().chain(at_bottom).min()?, node.moved_bytes))
    };
    let direct = |visit: &Visit| !header.request.is_buffered_at(visit.point);
    added(visits.iter().map(|visit| added(visit.nodes.iter().map(of_node)).filter(|_| direct(visit))))
}

/// The sums of pairs; `None` if one is unknown, or there is none.
fn added(mut all: impl Iterator<Item = Option<(u64, u64)>>) -> Option<(u64, u64)> {
    let first = all.next()??;
    all.try_fold(first, |sum, pair| {
        pair.map(|pair| (sum.0.saturating_add(pair.0), sum.1.saturating_add(pair.1)))
    })
}

/// Bytes of failed I/Os: the device may have counted them, and nothing else requested them.
fn failed_bytes(visit: &Visit) -> u64 {
    let bytes = |tally: &ClassTally| tally.errors.saturating_mul(tally.io_bytes);
    visit.tallies.values().map(bytes).fold(0, u64::saturating_add)
}

fn figures(visit: &Visit, settle_ns: u64, counts: bool) -> VisitFindings {
    let later_ns = later_ns(visit, settle_ns);
    VisitFindings {
        number: visit.number,
        purpose: visit.purpose,
        point: visit.point,
        counts,
        cut_short: visit.cut_short,
        began_ns: visit.began_ns.saturating_sub(visit.settle_ns),
        settle_ns: visit.settle_ns.saturating_add(later_ns),
        measured_ns: visit.measured_ns.saturating_sub(later_ns),
        foreign: None,
        foreign_effect: 0.0,
        ios: visit.tallies.iter().map(|(class, tally)| (*class, class_of(visit, tally, later_ns))).collect(),
    }
}

/// How much later than the window the figures of a visit begin, because the adaptive run took longer to settle.
pub fn later_ns(visit: &Visit, settle_ns: u64) -> u64 {
    if is_of_an_adaptive_run(visit) { settle_ns.saturating_sub(visit.settle_ns) } else { 0 }
}

const fn is_of_an_adaptive_run(visit: &Visit) -> bool {
    !matches!(
        visit.purpose,
        Purpose::Only | Purpose::Search(_) | Purpose::Phase(_) | Purpose::Warm | Purpose::Again
    )
}

fn class_of(visit: &Visit, tally: &ClassTally, later_ns: u64) -> VisitIo {
    let begin_ns = tally.lead_ns.saturating_add(later_ns);
    let all = tally.all_latencies_after(begin_ns);
    let profile = profiles::profile(tally, visit.measured_ns);
    let rates = after(&profile, BUCKET_NS, begin_ns);
    let iops = if is_of_an_adaptive_run(visit) {
        mean(rates)
    } else {
        units::iops(tally.completed(), visit.measured_ns)
    };
    let us = |ns: u64| us_from_ns(to_f64(ns));
    let latency_us = all.mean_ns().map(us_from_ns);
    let course = profiles::course_profile(tally, visit.measured_ns);
    let course = after(&course, BUCKET_NS, begin_ns);
    let span_ns = to_f64(visit.measured_ns.saturating_sub(later_ns).max(1));
    let little = |_| to_f64(tally.occupancy_after(begin_ns).time_ns) / span_ns / f64::from(tally.planned);
    VisitIo {
        ios: tally.completed_after(begin_ns),
        iops,
        standard_error: own_error(rates).map(|own| own.standard_error),
        latency_us,
        latency_error: own_error(course).map(|own| own.standard_error / mean(course)),
        p50_us: all.quantile_ns(0.5).map(us),
        p99_us: all.quantile_ns(0.99).map(us),
        little: latency_us.filter(|_| tally.planned > 0 && tally.open.is_none()).map(little),
        mean_outstanding: tally.mean_in_flight(visit.measured_ns),
        errors: tally.errors,
        open: tally.open.as_ref().map(|open| {
            let mut growth = Growth::default();
            open.add_growth(&mut growth);
            let arrived_per_s = units::iops(open.arrived, visit.measured_ns);
            VisitOpen { arrived_per_s, is_overload: growth.is_overload() }
        }),
    }
}

/// What a visit shows of the error of its own mean; `None` if it is too short or nothing completed.
pub fn own_error(rates: &[f64]) -> Option<SeriesError> {
    batch_means::within(rates).filter(|_| mean(rates) > 0.0)
}
