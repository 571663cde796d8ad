//! The extremes over all points: the headline numbers.
//!
//! Must not print one that a flag speaks against, as long as there is another.

use super::{Basis, IoFindings, PointFindings};
use crate::judge::flags::FlagCode;
use crate::load::matrix::Point;
use crate::stats::interval::Interval;
use crate::units::{MIB, to_f64};

/// An extreme over all points, and where it was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extreme {
    /// The value.
    pub value: f64,
    /// Where.
    pub point: Point,
    /// How sure it is, in the unit of the value.
    pub interval: Option<Interval>,
}

/// Highest rate of small I/Os per second.
pub fn max_small_iops(points: &[PointFindings]) -> Option<Extreme> {
    extreme(
        points,
        |p| {
            let io = done(p.small.as_ref())?;
            Some((io.iops, io.sure.iops))
        },
        f64::gt,
    )
}

/// Highest rate of large I/Os in megabytes per second.
pub fn max_large_mbps(points: &[PointFindings]) -> Option<Extreme> {
    extreme(
        points,
        |p| {
            let io = done(p.large.as_ref())?;
            let factor = to_f64(io.io_bytes) / to_f64(MIB);
            Some((io.mbps, io.sure.iops.map(|interval| interval.scaled(factor))))
        },
        f64::gt,
    )
}

/// Lowest mean latency of small I/Os in microseconds.
pub fn min_small_latency(points: &[PointFindings]) -> Option<Extreme> {
    extreme(
        points,
        |p| {
            let io = p.small.as_ref()?;
            Some((io.latency_us?.mean, io.sure.latency_us))
        },
        f64::lt,
    )
}

/// The first point whose value beats all others. Points in doubt, by having been cut short or by a flag that makes
/// their numbers invalid, have a say only when there are no others; a class without completions has none.
pub fn extreme(
    points: &[PointFindings],
    value: impl Fn(&PointFindings) -> Option<(f64, Option<Interval>)>,
    beats: impl Fn(&f64, &f64) -> bool,
) -> Option<Extreme> {
    let has = |p: &PointFindings| value(p).is_some();
    let some_sound = points.iter().any(|p| has(p) && !in_doubt(p));
    let with_a_say = points.iter().filter(|p| !some_sound || !in_doubt(p));
    let values = with_a_say
        .filter_map(|p| value(p).map(|(value, interval)| Extreme { value, point: p.point, interval }));
    values.fold(None, |best: Option<Extreme>, next| match best {
        Some(best) if !beats(&next.value, &best.value) => Some(best),
        _ => Some(next),
    })
}

pub fn in_doubt(point: &PointFindings) -> bool {
    // Of an adaptive run a point that only had its long visit, or one that was cut short, is no estimate.
    let ios = [point.small.as_ref(), point.large.as_ref()];
    let single = ios.into_iter().flatten().any(|io| io.sure.basis != Basis::Visits);
    let flagged = point.flags.iter().any(|flag| flag.code == FlagCode::CutShort || flag.invalid);
    flagged || (point.phase.is_some() && single)
}

/// A class in which something completed.
fn done(io: Option<&IoFindings>) -> Option<&IoFindings> {
    io.filter(|io| io.latency_us.is_some())
}
