//! A point of the document: its figures with their intervals, its visits, its flags.
//!
//! Must not compute.

use super::visit::VisitDocument;
use crate::json_text::flags;
use rigel_core::judge::findings::{
    Contrast, IoFindings, LatencyUs, NodeFindings, OpenFindings, OwnCpu, PointFindings,
};
use rigel_core::judge::flags::Flag;
use rigel_core::load::class::PerClass;
use rigel_core::stats::Estimate;
use schemars::JsonSchema;
use serde::Serialize;

/// One point of the matrix.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Point")]
pub(super) struct PointDocument<'a> {
    /// The load level of each class: outstanding I/Os, streams or sessions.
    levels: PerClass<u32>,
    /// Measured time of the visits that count, without settling.
    seconds: f64,
    /// Points of one phase were measured together, and their intervals share their variance; from 0. Null for a run with one visit per point.
    phase: Option<usize>,
    /// What each class of the point did.
    classes: PerClass<Io>,
    /// What Rigel itself used of the CPU; null when it is not known.
    own_cpu: Option<OwnCpu>,
    /// What to know before these numbers are used.
    flags: Vec<Flag>,
    /// The results of each node, in the order of the run's nodes; empty where one host measured.
    nodes: &'a [NodeFindings],
    /// Every visit in the order in which they were made. From those that count, all intervals of a phase can be computed
    /// again.
    visits: Vec<VisitDocument<'a>>,
}

/// One class at one point.
#[derive(Debug, Serialize, JsonSchema)]
struct Io {
    /// Successful operations per second, reads and writes.
    iops: Estimate,
    /// Megabytes (2^20 bytes) per second, reads and writes; null for what is not a block I/O.
    mbps: Option<Estimate>,
    /// Latency of successful I/Os in microseconds; null when none completed.
    latency_us: Option<LatencyUs>,
    /// The error of a visit's mean rate, as far as the visit itself shows it: the standard error divided by the mean, root mean square over the
    /// visits. Null when the visits are too short.
    within: Option<f64>,
    /// How much the visits differ: the standard deviation of their mean rates divided by the mean. Null for fewer than two.
    between: Option<f64>,
    /// Share of the measured time in which almost nothing completed; null when there were too few completions to judge.
    stalled_share: Option<f64>,
    /// The rate divided by the highest rate of the class in the run, from the rounds in which both points were visited; null at the highest, and
    /// without such rounds.
    of_highest: Option<Estimate>,
    /// The same divided by the rate at this level without the other classes: 0.8 is a loss of 20 % because of them.
    of_alone: Option<Estimate>,
    /// Whether the interval of the rate is as narrow as requested; null when no width was requested.
    reached: Option<bool>,
    /// Successful reads.
    reads: u64,
    /// Successful writes.
    writes: u64,
    /// Failed I/Os.
    errors: u64,
    /// I/Os in flight.
    outstanding: Outstanding,
    /// For a class whose I/Os arrive at a given rate: its latencies count from the time at which an I/O should have begun. Null for any other class.
    open: Option<Open>,
}

/// The arrivals and how they were served. Counts are sums over the visits.
#[derive(Debug, Serialize, JsonSchema)]
struct Open {
    /// Requested arrivals per second.
    asked_per_s: u32,
    /// I/Os that were due in the measured time.
    arrived: u64,
    /// The same per second.
    arrived_per_s: f64,
    /// Of those that began in the measured time, those that had to wait because the maximum number was outstanding.
    waited_for_slot: u64,
    /// Arrivals that were still waiting to start at the end.
    left_without_slot: u64,
    /// Arrived but not completed at the start, in the middle and at the end.
    backlog: [u64; 3],
    /// From the real start of an I/O to its end: what the device took. Null when nothing completed.
    service_us: Option<LatencyUs>,
    /// How late the tool itself was: from the time at which an I/O should and could have begun to its real start.
    lag_us: Option<LatencyUs>,
}

/// I/Os in flight.
#[derive(Debug, Serialize, JsonSchema)]
struct Outstanding {
    /// As planned.
    planned: u32,
    /// Mean over the measured time.
    mean: f64,
}

impl<'a> PointDocument<'a> {
    /// `contrasts` by class; `target`: the requested relative half-width.
    pub(super) fn new(found: &'a PointFindings, contrasts: &PerClass<Contrast>, target: Option<f64>) -> Self {
        let contrast = |class| contrasts.get(&class).copied().unwrap_or_default();
        Self {
            levels: found.point.shown().collect(),
            seconds: found.seconds,
            phase: found.phase,
            classes: found
                .classes()
                .map(|(class, io)| (class, Io::new(found.point.of(class), io, contrast(class), target)))
                .collect(),
            own_cpu: found.own_cpu,
            flags: flags(&found.flags),
            nodes: &found.nodes,
            visits: found.each_visit.iter().map(VisitDocument::from).collect(),
        }
    }
}

impl Io {
    fn new(level: u32, io: &IoFindings, contrast: Contrast, target: Option<f64>) -> Self {
        let sure = &io.sure;
        Self {
            iops: io.iops,
            mbps: io.mbps(),
            latency_us: io.latency_us,
            within: sure.within,
            between: sure.between,
            stalled_share: sure.stalled,
            of_highest: contrast.of_highest.map(Estimate::of_rounds),
            of_alone: contrast.of_alone.map(Estimate::of_rounds),
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
            service_us: found.service_us(),
            lag_us: found.lag_us(),
        }
    }
}
