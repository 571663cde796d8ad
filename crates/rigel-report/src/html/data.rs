//! The figures that the page's script draws, as one JSON document in a block of the page.
//!
//! No interface: the document and the script that reads it are made together. Times are in seconds, latencies in microseconds,
//! rates as their names say; an estimate is `[value, lo95, hi95]`. Numbers have as many digits as a chart can show.

mod interference;
mod latencies;
pub(super) mod overview;
mod visits;

use crate::flag_scopes::FlagScopes;
use crate::json::compact;
use crate::view::View;
use interference::{Loss, losses};
use rigel_core::error::Problem;
use rigel_core::judge::findings::{CurveFindings, IoFindings, PointFindings};
use rigel_core::judge::flags::{Flag, FlagCode};
use rigel_core::load::workload::{Class, LargePattern};
use rigel_core::stats::{Estimate, Interval};
use rigel_core::units::{MIB, to_f64};
use serde::Serialize;
use visits::VisitData;

/// A figure and both ends of its interval, as a chart shows them.
type Drawn = [Option<f64>; 3];

#[derive(Serialize)]
struct Document {
    has_small: bool,
    /// What a large level counts.
    large_unit: &'static str,
    /// Megabytes (2^20) of a large I/O.
    large_mb: f64,
    /// The point that is shown first, by its place in `points`.
    first: usize,
    points: Vec<PointData>,
    visits: Vec<VisitData>,
    curves: Vec<CurveData>,
    interference: Interference,
}

#[derive(Serialize)]
struct Interference {
    small: Vec<Loss>,
    large: Vec<Loss>,
}

#[derive(Serialize)]
struct PointData {
    small: u32,
    large: u32,
    invalid: bool,
    /// Some flag is its own and says more than the width of the interval or the name of the engine.
    own: bool,
    flags: Vec<&'static str>,
    small_io: Option<IoData>,
    large_io: Option<IoData>,
}

#[derive(Serialize)]
struct IoData {
    iops: Drawn,
    mbps: Drawn,
    mean: Option<Drawn>,
    p50: Option<Drawn>,
    p99: Option<Drawn>,
    /// See [`latencies::bins`].
    histogram: Vec<(u64, u64)>,
    /// See [`latencies::percentiles`].
    percentiles: Vec<(f64, f64)>,
}

#[derive(Serialize)]
struct CurveData {
    class: Class,
    n_sat: u32,
    levels: Vec<LevelData>,
}

#[derive(Serialize)]
struct LevelData {
    outstanding: u32,
    /// IOPS of small, MBPS of large I/O.
    rate: Drawn,
}

/// The document.
pub(super) fn json(view: &View<'_>) -> Result<String, Problem> {
    let points = &view.findings.points;
    let request = &view.record.header.request;
    let scopes = FlagScopes::of(points);
    let document = Document {
        has_small: view.has(Class::Small),
        large_unit: match request.large_pattern {
            LargePattern::Random => "I/Os",
            LargePattern::Sequential { .. } => "streams",
        },
        large_mb: to_f64(request.large_bytes) / to_f64(MIB),
        first: first(view),
        points: points
            .iter()
            .map(|found| point(found, scopes.own(found).into_iter().any(is_marked)))
            .collect(),
        visits: visits::of(view),
        curves: view.findings.curves.iter().map(curve).collect(),
        interference: Interference {
            small: losses(points, Class::Small),
            large: losses(points, Class::Large),
        },
    };
    compact(&document)
}

/// Not what the width of an interval, or the name of the engine, says already.
fn is_marked(flag: &Flag) -> bool {
    !matches!(flag.code, FlagCode::NotReached | FlagCode::Simulated)
}

/// The point of the best rate; the first one when there is none.
fn first(view: &View<'_>) -> usize {
    let found = &view.findings;
    let best = found.best.small_iops.or(found.best.large_mbps).map(|best| best.point);
    found.points.iter().position(|point| Some(point.point) == best).unwrap_or(0)
}

fn point(found: &PointFindings, own: bool) -> PointData {
    PointData {
        small: found.point.small,
        large: found.point.large,
        invalid: found.invalid(),
        own,
        flags: found.flags.iter().map(|flag| flag.code.name()).collect(),
        small_io: found.small.as_ref().map(io),
        large_io: found.large.as_ref().map(io),
    }
}

fn io(io: &IoFindings) -> IoData {
    let us = io.latency_us;
    let mut all = io.reads.clone();
    all.add(&io.writes);
    IoData {
        iops: drawn(io.iops),
        mbps: drawn(io.mbps()),
        mean: us.map(|us| drawn(us.mean)),
        p50: us.map(|us| drawn(us.p50)),
        p99: us.map(|us| drawn(us.p99)),
        histogram: latencies::bins(&all, latencies::FINE),
        percentiles: latencies::percentiles(&all),
    }
}

fn curve(found: &CurveFindings) -> CurveData {
    let level =
        |&(outstanding, iops): &(u32, Interval)| LevelData { outstanding, rate: drawn(found.rate(iops)) };
    CurveData {
        class: found.class,
        n_sat: found.curve.n_sat.found,
        levels: found.curve.levels.iter().map(level).collect(),
    }
}

fn drawn(found: Estimate) -> Drawn {
    found.columns().map(|figure| figure.map(rounded))
}

/// Six figures: more than any chart can show.
fn rounded(value: f64) -> f64 {
    figures(value, 6)
}

fn figures(value: f64, count: usize) -> f64 {
    let after_the_point = count.saturating_sub(1);
    format!("{value:.after_the_point$e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_lose_the_digits_that_nobody_sees() {
        assert_eq!(rounded(1_234_567.89), 1_234_570.0);
        assert_eq!(figures(0.000_123_456, 4), 0.000_123_5);
        assert_eq!(rounded(0.0), 0.0);
        assert!(rounded(f64::NAN).is_nan(), "becomes null");
    }
}
