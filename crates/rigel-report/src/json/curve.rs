//! A curve of the document: what the search for load levels found for one class.
//!
//! Must not compute.

use super::visit::VisitDocument;
use crate::json_text::flags;
use rigel_core::judge::findings::CurveFindings;
use rigel_core::judge::flags::Flag;
use rigel_core::load::class::Class;
use rigel_core::stats::levels_auto::{Bracket, Violation, ViolationKind};
use rigel_core::stats::{Estimate, Interval};
use rigel_core::units::{MIB, to_f64};
use schemars::JsonSchema;
use serde::Serialize;

/// The rate over the number of outstanding I/Os of one class alone.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Curve")]
pub(super) struct CurveDocument<'a> {
    /// Which class.
    class: Class,
    /// Bytes of one I/O.
    io_bytes: u64,
    /// Whether more outstanding I/Os no longer increased the rate. If not, `x_max` and `n_sat` are lower bounds.
    saturated: bool,
    /// The highest rate, from visits that were not used to choose its level.
    x_max: Rates,
    /// The smallest level that reaches 95 % of the highest rate.
    n_sat: Bracket,
    /// Where the two asymptotic bounds of the curve cross: the highest rate multiplied by the latency of one outstanding I/O.
    crossing: f64,
    /// The level with the highest ratio of rate to latency.
    knee: u32,
    /// All levels that were visited, ascending.
    levels: Vec<Level>,
    /// Levels whose figures are impossible in a closed loop, even after more visits.
    violations: Vec<ViolationDocument>,
    /// What to know before these numbers are used.
    flags: Vec<Flag>,
    /// The visits in the order in which they were made.
    visits: Vec<VisitDocument<'a>>,
}

/// One rate in two units.
#[derive(Debug, Serialize, JsonSchema)]
struct Rates {
    /// I/Os per second.
    iops: Estimate,
    /// Megabytes (2^20 bytes) per second.
    mbps: Estimate,
}

/// One level.
#[derive(Debug, Serialize, JsonSchema)]
struct Level {
    /// I/Os, or streams, outstanding.
    outstanding: u32,
    /// I/Os per second.
    iops: Estimate,
    /// Megabytes (2^20 bytes) per second.
    mbps: Estimate,
}

/// A level whose figures are impossible in a closed loop.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Violation")]
struct ViolationDocument {
    /// I/Os, or streams, outstanding.
    outstanding: u32,
    /// Its I/Os per second.
    iops: f64,
    /// How: `above_bound`: more than the asymptotic bounds allow. `falls`: less than a smaller level.
    #[schemars(extend("enum" = ["above_bound", "falls"]))]
    kind: &'static str,
    /// The I/Os per second of that bound or smaller level.
    limit: f64,
}

impl<'a> From<&'a CurveFindings> for CurveDocument<'a> {
    fn from(found: &'a CurveFindings) -> Self {
        let curve = &found.curve;
        let rates = |interval| Rates::new(interval, found.load.mean_bytes());
        let level = |&(outstanding, interval): &(u32, Interval)| {
            let Rates { iops, mbps } = rates(interval);
            Level { outstanding, iops, mbps }
        };
        Self {
            class: found.class(),
            io_bytes: found.load.io_bytes(),
            saturated: curve.saturated,
            x_max: rates(curve.x_max),
            n_sat: curve.n_sat,
            crossing: curve.crossing,
            knee: curve.power_knee,
            levels: curve.levels.iter().map(level).collect(),
            violations: curve.violations.iter().map(ViolationDocument::from).collect(),
            flags: flags(&found.flags),
            visits: found.visits.iter().map(VisitDocument::from).collect(),
        }
    }
}

impl Rates {
    fn new(interval: Interval, mean_bytes: f64) -> Self {
        let iops = Estimate::from(interval);
        Self { iops, mbps: iops.scaled(mean_bytes / to_f64(MIB)) }
    }
}

impl From<&Violation> for ViolationDocument {
    fn from(found: &Violation) -> Self {
        let (kind, limit) = match found.kind {
            ViolationKind::AboveBound(bound) => ("above_bound", bound),
            ViolationKind::Falls(smaller) => ("falls", smaller),
        };
        Self { outstanding: found.outstanding, iops: found.rate, kind, limit }
    }
}
