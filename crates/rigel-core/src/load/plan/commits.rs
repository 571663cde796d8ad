//! The share of a calibration's time that its commits get: the end of it, in shorter visits.
//!
//! They come last, since reads after writes would also measure what the writes left behind. They also get the time that the search and the other
//! points do not use. Must not choose what is measured; [`crate::load::commits`] does.

use super::{BRISK_MEASURE, BRISK_SETTLE};
use crate::load::matrix::Point;
use crate::load::pace::Adaptive;
use crate::load::request::Request;
use crate::stats::Parameters;
use crate::units::Nanos;

/// Commits have this fraction of the time.
const PART_OF_THE_TIME: u64 = 6;
/// Visits that must fit into it, four to each of five points, unless they would become too short.
const VISITS: u64 = 20;

/// The limit of everything but the commits; `None` if the run has no limit.
pub fn time_before(request: &Request) -> Option<Nanos> {
    let limit = request.max_duration()?;
    let part_ns = if request.commits().next().is_some() { limit.0 / PART_OF_THE_TIME } else { 0 };
    Some(Nanos(limit.0 - part_ns))
}

/// Whether a point is one of the commits of a calibration.
pub fn has(request: &Request, point: Point) -> bool {
    request.commits().any(|class| point.of(class.name) > 0)
}

/// How commits are visited: like everything else, `usual`, but as briefly as possible.
pub fn parameters(usual: &Parameters, adaptive: &Adaptive) -> Parameters {
    let Some(limit) = adaptive.max_duration else { return *usual };
    let visit_ns = limit.0 / PART_OF_THE_TIME / VISITS;
    let settle_ns = usual.settle_ns.min((visit_ns / 4).max(BRISK_SETTLE.0));
    let measure_ns = usual.measure_ns.min((visit_ns - visit_ns / 4).max(BRISK_MEASURE.0));
    let gap_ns = usual.gap_ns.min(2 * (settle_ns + measure_ns));
    Parameters {
        settle_ns,
        measure_ns,
        longest_measure_ns: usual.longest_measure_ns.min(4 * measure_ns),
        gap_ns,
        gap_few_ns: gap_ns,
        time_limit_ns: Some(limit.0),
        ..*usual
    }
}
