//! A visit of the document: when, why, and what it found by itself.
//!
//! Must not compute.

use crate::words;
use rigel_core::judge::findings::{VisitFindings, VisitIo};
use rigel_core::load::class::PerClass;
use rigel_core::record::Purpose;
use rigel_core::units::Nanos;
use schemars::JsonSchema;
use serde::Serialize;

/// One visit to one point.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Visit")]
pub(super) struct VisitDocument {
    /// Its number in the run, from 0; visits were made in this order.
    number: u64,
    /// Why it was made. `only`: the one visit to its point. `long`: a long one that shows limits and drift. `round`: of an
    /// adaptive run. `fills_gap`: of an adaptive run, while another point rests. `search`: for load levels.
    /// `phase`: of a load that has phases.
    #[schemars(extend("enum" = ["only", "long", "round", "fills_gap", "search", "phase"]))]
    purpose: &'static str,
    /// Which round of its phase, or which phase of its load, from 0; null when it was not made in one.
    round: Option<u32>,
    /// The load level of each class: outstanding I/Os, streams or sessions.
    levels: PerClass<u32>,
    /// Whether the figures of its point rest on it.
    counts: bool,
    /// The user or an error ended it before its time.
    cut_short: bool,
    /// Seconds from the start of the run to the start of the load.
    began_s: f64,
    /// Seconds of load before the part that its figures are from.
    settle_s: f64,
    /// Seconds of the part that its figures are from.
    measured_s: f64,
    /// How others disturbed it on the host and its devices, each with its figures; null when nobody watched.
    foreign: Option<Vec<String>>,
    /// What each class did.
    classes: PerClass<VisitIoDocument>,
}

/// One class in one visit, reads and writes together.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "VisitIo")]
struct VisitIoDocument {
    /// Successful I/Os.
    ios: u64,
    /// Successful I/Os per second; of an adaptive run the mean over buckets of 10 ms.
    iops: f64,
    /// Standard error of that mean as far as the visit itself can see it, in I/Os per second; null when it is too
    /// short.
    iops_standard_error: Option<f64>,
    /// Mean latency in microseconds; null when nothing completed.
    latency_mean_us: Option<f64>,
    /// Median latency in microseconds; null when nothing completed.
    latency_p50_us: Option<f64>,
    /// 99th percentile of latency in microseconds; null when nothing completed.
    latency_p99_us: Option<f64>,
    /// Little's law: rate times latency over the number outstanding, of I/Os cut at the ends of the window; 1 but for failed I/Os. Null when
    /// nothing completed.
    little: Option<f64>,
    /// Mean in flight over the whole window.
    outstanding_mean: f64,
    /// Failed I/Os of the whole visit, settling and draining included.
    errors: u64,
}

impl From<&VisitFindings> for VisitDocument {
    fn from(found: &VisitFindings) -> Self {
        Self {
            number: found.number,
            purpose: words::purpose_name(found.purpose),
            round: match found.purpose {
                Purpose::Round(number) | Purpose::Phase(number) => Some(number),
                Purpose::Only | Purpose::Long | Purpose::FillsGap | Purpose::Search(_) => None,
            },
            levels: found.point.shown().collect(),
            counts: found.counts,
            cut_short: found.cut_short,
            began_s: Nanos(found.began_ns).seconds(),
            settle_s: Nanos(found.settle_ns).seconds(),
            measured_s: Nanos(found.measured_ns).seconds(),
            foreign: found.foreign.as_ref().map(|all| all.iter().map(ToString::to_string).collect()),
            classes: found.ios.iter().map(|(class, io)| (*class, VisitIoDocument::from(*io))).collect(),
        }
    }
}

impl From<VisitIo> for VisitIoDocument {
    fn from(io: VisitIo) -> Self {
        Self {
            ios: io.ios,
            iops: io.iops,
            iops_standard_error: io.standard_error,
            latency_mean_us: io.latency_us,
            latency_p50_us: io.p50_us,
            latency_p99_us: io.p99_us,
            little: io.little,
            outstanding_mean: io.mean_outstanding,
            errors: io.errors,
        }
    }
}
