//! The curve of each latency limit over the rates that were visited.
//!
//! Must not choose a figure.

use super::{ChartInterval, drawn};
use crate::slo;
use rigel_core::judge::findings::{SloFindings, SloPoint, SloRole};
use rigel_core::load::slo::SloBound;
use rigel_core::stats::share::{BoundVerdict, Ratio};
use rigel_core::units::{to_f64, us_from_ns};
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct SloData {
    bounds: Vec<BoundData>,
    /// The rate: lower end, best value, upper end.
    rate: Option<[Option<f64>; 3]>,
    /// Rates are times of the load, and rows are of phases.
    scaled: bool,
}

#[derive(Serialize)]
struct BoundData {
    /// `p99 < 2 ms`
    name: String,
    /// `p99`
    judged: String,
    limit_us: f64,
    rows: Vec<RowData>,
}

#[derive(Serialize)]
struct RowData {
    rate: f64,
    /// The phase, counted from 1, if phases are scaled together.
    phase: Option<u32>,
    /// The share of the rate that was found, in words; for the points of the curve.
    label: Option<String>,
    /// It was required: its name is above the mark, as a share of the rate may be next to it.
    required: bool,
    us: ChartInterval,
    /// The observation, and whether the limit is met.
    told: String,
}

impl SloData {
    pub(super) fn of(found: &SloFindings) -> Self {
        let bound = |(place, bound): (usize, &SloBound)| BoundData {
            name: bound.to_string(),
            judged: bound.judged.to_string(),
            limit_us: us_from_ns(to_f64(bound.limit.0)),
            rows: found.points.iter().filter_map(|point| row(found, point, place, bound)).collect(),
        };
        let x = |rate: f64| found.scale.as_ref().map_or(rate, |scale| scale.of(rate));
        Self {
            scaled: found.scale.is_some(),
            bounds: found.bounds.iter().enumerate().map(bound).collect(),
            rate: found.rate().map(|rate| [rate.lower, rate.at, rate.upper].map(|end| end.map(x))),
        }
    }
}

fn row(found: &SloFindings, point: &SloPoint, place: usize, bound: &SloBound) -> Option<RowData> {
    let us = (*point.judged_us.get(place)?)?;
    let ratio: Ratio = (*point.ratios.get(place)?)?;
    let kept = match point.kept.get(place)? {
        BoundVerdict::Yes => "met",
        BoundVerdict::No => "not met",
        BoundVerdict::Undecided => "undecided",
    };
    Some(RowData {
        rate: found.scale.as_ref().map_or(f64::from(point.rate), |scale| scale.of(f64::from(point.rate))),
        phase: point.phase.map(|phase| phase.saturating_add(1)),
        label: match point.role {
            SloRole::Share(share) => Some(format!("{share} %")),
            SloRole::Required => Some("required".to_owned()),
            SloRole::Ladder => None,
        },
        required: point.role == SloRole::Required,
        us: drawn(us),
        told: format!("{bound}: {kept}, {}", slo::seen(bound, &ratio)),
    })
}
