//! A point of the document: its figures with their intervals, its visits, its flags.
//!
//! Must not compute.

use super::estimate::{IntervalDocument, RateDocument, RatioDocument};
use super::visit::VisitDocument;
use super::{flags, text};
use rigel_core::judge::findings::{
    Contrast, IoFindings, LatencyUs, NodeFindings, NodeIo, OpenFindings, PointFindings,
};
use rigel_core::judge::flags::Flag;
use rigel_core::load::class::PerClass;
use rigel_core::stats::Estimate;
use schemars::JsonSchema;
use serde::Serialize;

/// One point of the matrix.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Point")]
pub(super) struct PointDocument {
    /// The load level of each class: outstanding I/Os, streams or sessions.
    levels: PerClass<u32>,
    /// Measured time of the visits that count, without settling.
    seconds: f64,
    /// Points of one phase were measured together, and their intervals borrow from one another; from 0. Null for a run
    /// with one visit per point.
    phase: Option<usize>,
    /// What each class of the point did.
    classes: PerClass<Io>,
    /// What Rigel itself used of the CPU; null when it is not known.
    own_cpu: Option<OwnCpuDocument>,
    /// What to know before these numbers are used.
    flags: Vec<Flag>,
    /// What each node did, in the order of the run's nodes; empty where one host measured.
    nodes: Vec<PointNode>,
    /// Every visit in the order in which they were made. From those that count, all intervals of a phase can be computed
    /// again.
    visits: Vec<VisitDocument>,
}

/// A node at a point.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PointNode {
    /// Its place among the run's nodes, from 0.
    node: usize,
    /// Its name.
    name: String,
    /// What it did of each class that it had something of.
    classes: PerClass<NodeShare>,
}

/// What a node did of a class.
#[derive(Debug, Serialize, JsonSchema)]
struct NodeShare {
    /// Outstanding I/Os planned.
    outstanding: u32,
    /// Successful operations per second.
    iops: f64,
    /// Megabytes (2^20 bytes) per second.
    mbps: f64,
    /// Mean latency in microseconds; null when nothing completed.
    latency_mean_us: Option<f64>,
    /// What it did of its part, by what it had outstanding of what all had: 1 is all of it.
    of_part: f64,
    /// Standard error of that.
    of_part_error: f64,
    /// I/Os that failed.
    errors: u64,
}

impl From<&NodeFindings> for PointNode {
    fn from(found: &NodeFindings) -> Self {
        let share = |io: &NodeIo| NodeShare {
            outstanding: io.planned,
            iops: io.iops,
            mbps: io.mbps,
            latency_mean_us: io.latency_us,
            of_part: io.of_due,
            of_part_error: io.of_due_error,
            errors: io.errors,
        };
        let classes = found.ios.iter().map(|(class, io)| (*class, share(io))).collect();
        Self { node: found.node, name: text(&found.name), classes }
    }
}

/// CPU time, user and system, of the workers over the time of their load: 1 is one CPU.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OwnCpu")]
struct OwnCpuDocument {
    /// All workers together, over all visits that count.
    share: f64,
    /// The busiest worker in the visit in which it was busiest; near 1 the tool was the limit.
    busiest: f64,
}

/// One class at one point.
#[derive(Debug, Serialize, JsonSchema)]
struct Io {
    /// Successful operations per second, reads and writes.
    iops: RateDocument,
    /// Megabytes (2^20 bytes) per second, reads and writes; null for what is no block I/O.
    mbps: Option<RateDocument>,
    /// Latency of successful I/Os in microseconds; null when none completed.
    latency_us: Option<Latency>,
    /// What the intervals rest on. `visits`: visits that lie apart, so that they hold for another run under the
    /// same conditions. `one_visit`: the pieces of one visit, so that they show only what varied inside it. `none`: there
    /// is no interval.
    #[schemars(extend("enum" = ["visits", "one_visit", "none"]))]
    basis: &'static str,
    /// What a visit can see of the error of its own mean rate: the standard error over the mean, root mean square over
    /// the visits. Null when the visits are too short to say.
    within: Option<f64>,
    /// How much the visits differ: the standard deviation of their mean rates over the mean. Null for fewer than two.
    between: Option<f64>,
    /// Share of the measured time in which almost nothing completed; null when too little did to say.
    stalled_share: Option<f64>,
    /// The rate over the highest of the class in the run, from the rounds in which both points were visited; null at the highest, and
    /// where no rounds tell.
    of_highest: Option<RatioDocument>,
    /// The same over the rate at this level without the other classes: 0.8 is a loss of 20 % beside them.
    of_alone: Option<RatioDocument>,
    /// Whether the interval of the rate is as narrow as was asked for; null when nothing was asked for.
    reached: Option<bool>,
    /// Successful reads.
    reads: u64,
    /// Successful writes.
    writes: u64,
    /// Failed I/Os.
    errors: u64,
    /// I/Os in flight.
    outstanding: Outstanding,
    /// Of a class whose I/Os arrive at a rate of their own: its latencies count from the time at which an I/O should have begun. Null
    /// for any other class.
    open: Option<Open>,
}

/// What arrived, and what became of it. Counts are sums over the visits.
#[derive(Debug, Serialize, JsonSchema)]
struct Open {
    /// Arrivals per second that were asked for.
    asked_per_s: u32,
    /// I/Os whose time came in the measured time.
    arrived: u64,
    /// The same per second.
    arrived_per_s: f64,
    /// Of those that began in the measured time, those that had to wait because as many as allowed were outstanding.
    waited_for_slot: u64,
    /// Arrivals that still waited for that at the end.
    left_without_slot: u64,
    /// Arrived and not over at the start, in the middle and at the end.
    backlog: [u64; 3],
    /// From the real start of an I/O to its end: what the device took. Null when nothing completed.
    service_us: Option<Latency>,
    /// How late the tool itself was: from the time at which an I/O should have begun, and could have, to its real start.
    lag_us: Option<Latency>,
}

/// Latency in microseconds, from just before submission to the moment the completion was seen. Of all I/Os of the visits
/// together.
#[derive(Debug, Serialize, JsonSchema)]
struct Latency {
    /// Arithmetic mean.
    mean: f64,
    /// Smallest.
    min: f64,
    /// Largest.
    max: f64,
    /// Standard deviation.
    stddev: f64,
    /// Median.
    p50: f64,
    /// 90th percentile.
    p90: f64,
    /// 99th percentile.
    p99: f64,
    /// 99.9th percentile.
    #[serde(rename = "p99.9")]
    p99_9: f64,
    /// 99.99th percentile.
    #[serde(rename = "p99.99")]
    p99_99: f64,
    /// How sure they are.
    intervals: LatencyIntervals,
    /// Names of the quantiles that have no interval: an indication, not an estimate.
    indicative: Vec<&'static str>,
}

/// Intervals of latencies in microseconds; null where there is none.
#[derive(Debug, Serialize, JsonSchema)]
struct LatencyIntervals {
    /// Of the arithmetic mean: in a closed loop it is the outstanding I/Os over the rate, so it is as sure as the rate.
    mean: Option<IntervalDocument>,
    /// Of the median.
    p50: Option<IntervalDocument>,
    /// Of the 99th percentile.
    p99: Option<IntervalDocument>,
}

/// I/Os in flight.
#[derive(Debug, Serialize, JsonSchema)]
struct Outstanding {
    /// As planned.
    planned: u32,
    /// Mean over the measured time.
    mean: f64,
}

impl PointDocument {
    /// `contrasts` by class; `target`: the relative half-width that was asked for.
    pub(super) fn new(found: &PointFindings, contrasts: &PerClass<Contrast>, target: Option<f64>) -> Self {
        let contrast = |class| contrasts.get(&class).copied().unwrap_or_default();
        Self {
            levels: found.point.shown().collect(),
            seconds: found.seconds,
            phase: found.phase,
            classes: found
                .classes()
                .map(|(class, io)| (class, Io::new(found.point.of(class), io, contrast(class), target)))
                .collect(),
            own_cpu: found.own_cpu.map(|cpu| OwnCpuDocument { share: cpu.share, busiest: cpu.busiest }),
            flags: flags(&found.flags),
            nodes: found.nodes.iter().map(PointNode::from).collect(),
            visits: found.each_visit.iter().map(VisitDocument::from).collect(),
        }
    }
}

impl Io {
    fn new(level: u32, io: &IoFindings, contrast: Contrast, target: Option<f64>) -> Self {
        let sure = &io.sure;
        Self {
            iops: RateDocument::new(io.iops, sure.visits),
            mbps: io.mbps().map(|mbps| RateDocument::new(mbps, sure.visits)),
            latency_us: io.latency_us.map(Latency::from),
            basis: io.iops.basis.name(),
            within: sure.within,
            between: sure.between,
            stalled_share: sure.stalled,
            of_highest: contrast.of_highest.map(RatioDocument::from),
            of_alone: contrast.of_alone.map(RatioDocument::from),
            reached: target.map(|_| sure.reached),
            reads: io.reads.count(),
            writes: io.writes.count(),
            errors: io.errors,
            outstanding: Outstanding { planned: io.planned_outstanding, mean: io.mean_outstanding },
            open: io.open.as_ref().map(|open| Open::new(level, open)),
        }
    }
}

impl Open {
    fn new(asked_per_s: u32, found: &OpenFindings) -> Self {
        Self {
            asked_per_s,
            arrived: found.arrived,
            arrived_per_s: found.arrived_per_s(),
            waited_for_slot: found.waited,
            left_without_slot: found.left,
            backlog: found.backlog,
            service_us: found.service_us().map(Latency::from),
            lag_us: found.lag_us().map(Latency::from),
        }
    }
}

impl From<LatencyUs> for Latency {
    fn from(us: LatencyUs) -> Self {
        const NAMES: [&str; 5] = ["p50", "p90", "p99", "p99.9", "p99.99"];
        let without = us.percentiles().map(|(_, found)| found.interval.is_none());
        let [p50, p90, p99, p99_9, p99_99] = us.percentiles().map(|(_, found)| found.value);
        let interval = |found: Estimate| found.interval.map(IntervalDocument::from);
        Self {
            mean: us.mean.value,
            min: us.min,
            max: us.max,
            stddev: us.stddev,
            p50,
            p90,
            p99,
            p99_9,
            p99_99,
            intervals: LatencyIntervals {
                mean: interval(us.mean),
                p50: interval(us.p50),
                p99: interval(us.p99),
            },
            indicative: NAMES
                .into_iter()
                .zip(without)
                .filter(|(_, without)| *without)
                .map(|(name, _)| name)
                .collect(),
        }
    }
}
