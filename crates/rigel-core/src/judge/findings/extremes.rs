//! The extremes over all points: the headline numbers.
//!
//! Must not print one that a flag speaks against, as long as there is another.

use super::{IoFindings, PointFindings};
use crate::judge::flags::FlagCode;
use crate::load::matrix::Point;
use crate::load::workload::Class;
use crate::stats::estimate::{Basis, Estimate};

/// An extreme over all points, and where it was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extreme {
    /// The figure.
    pub estimate: Estimate,
    /// Where.
    pub point: Point,
}

/// Highest rate of a class, in its unit.
pub fn max_rate(points: &[PointFindings], class: Class) -> Option<Extreme> {
    extreme(points, |p| Some(done(p.io(class))?.rate(class)), f64::gt)
}

/// Lowest mean latency of small I/Os in microseconds.
pub fn min_small_latency(points: &[PointFindings]) -> Option<Extreme> {
    extreme(points, |p| Some(p.small.as_ref()?.latency_us?.mean), f64::lt)
}

/// The first point whose value beats all others. Points in doubt, by having been cut short or by a flag that makes
/// their numbers invalid, have a say only when there are no others; a class without completions has none.
pub fn extreme(
    points: &[PointFindings],
    figure: impl Fn(&PointFindings) -> Option<Estimate>,
    beats: impl Fn(&f64, &f64) -> bool,
) -> Option<Extreme> {
    let has = |p: &PointFindings| figure(p).is_some();
    let some_sound = points.iter().any(|p| has(p) && !in_doubt(p));
    let with_a_say = points.iter().filter(|p| !some_sound || !in_doubt(p));
    let all = with_a_say.filter_map(|p| figure(p).map(|estimate| Extreme { estimate, point: p.point }));
    all.fold(None, |best: Option<Extreme>, next| match best {
        Some(best) if !beats(&next.estimate.value, &best.estimate.value) => Some(best),
        _ => Some(next),
    })
}

pub fn in_doubt(point: &PointFindings) -> bool {
    // Of an adaptive run a point that only had its long visit, or one that was cut short, is no estimate.
    let ios = [point.small.as_ref(), point.large.as_ref()];
    let single = ios.into_iter().flatten().any(|io| io.iops.basis != Basis::Visits);
    let flagged = point.flags.iter().any(|flag| flag.code == FlagCode::CutShort || flag.invalid);
    flagged || (point.phase.is_some() && single)
}

/// A class in which something completed.
fn done(io: Option<&IoFindings>) -> Option<&IoFindings> {
    io.filter(|io| io.latency_us.is_some())
}
