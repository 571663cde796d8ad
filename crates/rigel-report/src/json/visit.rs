//! A visit of the document: when, why, and what it found on its own.
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
pub(super) struct VisitDocument<'a> {
    /// Its number in the run, from 0; visits were made in this order.
    number: u64,
    /// Why it was made. `only`: the only visit to its point. `long`: a long one that shows limits and drift. `round`: part of an adaptive run.
    /// `fills_gap`: part of an adaptive run, while another point pauses. `search`: for load levels.
    /// `phase`: part of a load with phases. `warm`: reads a working set until its rate is steady. `again`: to the smallest
    /// working set at the end of the run.
    #[schemars(extend("enum" = ["only", "long", "round", "fills_gap", "search", "phase", "warm", "again"]))]
    purpose: &'static str,
    /// Which round of its phase, or which phase of its load, from 0; null when it was not made in one.
    round: Option<u32>,
    /// The load level of each class: outstanding I/Os, streams or sessions.
    levels: PerClass<u32>,
    /// Whether the figures of its point are based on it.
    counts: bool,
    /// The user or an error ended it early.
    cut_short: bool,
    /// Seconds from the start of the run to the start of the load.
    began_s: f64,
    /// Seconds of load before the part that its figures are from.
    settle_s: f64,
    /// Seconds of the part that its figures are from.
    measured_s: f64,
    /// How others disturbed it on the host and its devices, each with its figures; null when this was not recorded.
    foreign: Option<Vec<String>>,
    /// What each class did.
    classes: &'a PerClass<VisitIo>,
}

impl<'a> From<&'a VisitFindings> for VisitDocument<'a> {
    fn from(found: &'a VisitFindings) -> Self {
        Self {
            number: found.number,
            purpose: words::purpose_name(found.purpose),
            round: match found.purpose {
                Purpose::Round(number) | Purpose::Phase(number) => Some(number),
                Purpose::Only
                | Purpose::Long
                | Purpose::FillsGap
                | Purpose::Search(_)
                | Purpose::Warm
                | Purpose::Again => None,
            },
            levels: found.point.shown().collect(),
            counts: found.counts,
            cut_short: found.cut_short,
            began_s: Nanos(found.began_ns).seconds(),
            settle_s: Nanos(found.settle_ns).seconds(),
            measured_s: Nanos(found.measured_ns).seconds(),
            foreign: found.foreign.as_ref().map(|all| all.iter().map(ToString::to_string).collect()),
            classes: &found.ios,
        }
    }
}
