//! The latency that a bound is about, with an interval that agrees with the judgement on the bound.
//!
//! What is judged is the share of slow I/Os. The interval of a percentile is therefore the latencies that could be bounds about
//! which the same visits could not decide. Must not judge differently from [`Ratio`].

use super::tail::{self, Tail};
use crate::judge::slo::SloVisit;
use crate::load::slo::SloBound;
use crate::measure::Histogram;
use crate::stats::share::{BoundVerdict, Ratio};
use crate::stats::{Estimate, Interval};
use crate::units::{Nanos, to_f64, us_from_ns};

/// Halvings of a span of latencies: enough for less than a bucket of a histogram.
const HALVINGS: usize = 24;

/// The mean or percentile that a limit is about, in microseconds. `None` if nothing was observed.
pub(super) fn judged_us(visits: &[SloVisit], bound: &SloBound) -> Option<Estimate> {
    let tail = Tail::of(visits);
    let ratio = |limit: u64| {
        let bound = SloBound { limit: Nanos(limit), ..*bound };
        tail::ratio(visits, &bound, tail.as_ref())
    };
    let Some(allowed) = bound.judged.allowed() else {
        let (found, limit_ns) = (ratio(bound.limit.0)?, to_f64(bound.limit.0));
        return Some(estimate(&found, [Some(found.value), Some(found.lo95), found.hi95], limit_ns));
    };
    let mut all = Histogram::empty();
    visits.iter().for_each(|visit| all.add(visit.latencies()));
    let (value, min, max) = (all.quantile_ns(1.0 - allowed)?, all.min_ns()?, all.max_ns()?);
    let kept = |limit: u64| ratio(limit).map_or(BoundVerdict::Undecided, |ratio| ratio.kept());
    let low = halved([min, value], |limit| kept(limit) == BoundVerdict::No).min(value);
    let high = (kept(max) == BoundVerdict::Yes)
        .then(|| halved([value, max], |limit| kept(limit) != BoundVerdict::Yes));
    let ends = [Some(value), Some(low), high].map(|ns| ns.map(to_f64));
    Some(estimate(&ratio(value)?, ends, 1.0))
}

/// The end of the range, between two latencies, where a condition holds.
fn halved([mut low, mut high]: [u64; 2], holds: impl Fn(u64) -> bool) -> u64 {
    for _ in 0..HALVINGS {
        let middle = low.midpoint(high);
        if holds(middle) { low = middle } else { high = middle }
    }
    high
}

/// Value and interval, in this many nanoseconds.
fn estimate(found: &Ratio, ends: [Option<f64>; 3], scale_ns: f64) -> Estimate {
    let [value, low, high] = ends.map(|end| end.map(|end| us_from_ns(end * scale_ns)));
    let mean = value.unwrap_or(0.0);
    match (low, high) {
        (Some(lo95), Some(hi95)) if mean > 0.0 => Estimate::from(Interval {
            mean,
            lo95: lo95.min(mean),
            hi95: hi95.max(mean),
            relative_half_width: hi95 / mean - 1.0,
            visits: found.visits,
            df: to_f64(found.visits.saturating_sub(1) as u64),
        }),
        _ => Estimate::bare(mean),
    }
}
