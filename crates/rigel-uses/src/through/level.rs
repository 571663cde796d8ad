//! Before, during, after: the figures of each, with intervals from their stretches. Must not choose where they begin.

use super::trouble::TroubleFindings;
use super::{Baseline, Figures};
use rigel_core::load::through::Span;
use rigel_core::measure::Histogram;
use rigel_core::stats::{Basis, Estimate, Interval};
use rigel_core::units::{Nanos, to_f64, us_from_ns};

/// A part of the run is cut into this many stretches at most.
const STRETCHES: usize = 10;
/// With fewer of them there is no interval.
const LEAST_STRETCHES: usize = 3;

/// The figures of a part of the run.
#[derive(Clone, Debug)]
pub struct Level {
    /// The part of the run.
    pub span: Span,
    /// Where it begins and ends, on the clock of the run.
    pub from_ns: u64,
    /// Its end.
    pub to_ns: u64,
    /// I/Os per second.
    pub rate: Estimate,
    /// Mean latency in microseconds.
    pub mean_us: Option<Estimate>,
    /// 99th percentile, the mean over its stretches.
    pub p99_us: Option<Estimate>,
    /// The longest I/O.
    pub longest: Nanos,
    /// I/Os that succeeded.
    pub ios: u64,
    /// I/Os that failed.
    pub errors: u64,
    /// The share of the I/Os that took longer than the limit that was demanded, or failed.
    pub above: Option<f64>,
    /// All latencies.
    pub latency: Histogram,
}

/// The levels that exist.
pub fn all(course: &[Figures], found: &TroubleFindings, limit: Option<Nanos>) -> Vec<Level> {
    let Some(sign) = found.sign else {
        return of(Span::Before, course.iter().collect(), limit).into_iter().collect();
    };
    if !matches!(found.baseline, Baseline::Known { .. }) {
        return Vec::new();
    }
    let back_ns = found.back_ns.unwrap_or(u64::MAX);
    let spanned = |span: Span| {
        let is_in = |figures: &&Figures| match span {
            Span::Before => figures.ended_ns <= sign.at_ns,
            Span::After => figures.began_ns >= back_ns && figures.ended_ns > sign.at_ns,
            Span::During => figures.ended_ns > sign.at_ns && figures.began_ns < back_ns,
        };
        let own: Vec<&Figures> = course.iter().filter(is_in).collect();
        // Where the load noticed nothing, the interval of the mark is none of a failure.
        let span = if span == Span::During && back_ns == sign.at_ns { None } else { Some(span) };
        of(span?, own, limit)
    };
    [Span::Before, Span::During, Span::After].into_iter().filter_map(spanned).collect()
}

fn of(span: Span, own: Vec<&Figures>, limit: Option<Nanos>) -> Option<Level> {
    let (first, last) = (own.first()?, own.last()?);
    let latency = merged(&own);
    let (ios, errors) = (sum(&own, |one| one.completed), sum(&own, |one| one.errors));
    let us = |ns: u64| us_from_ns(to_f64(ns));
    let above = limit.map(|limit| {
        let all = to_f64(latency.count().saturating_add(errors));
        if all > 0.0 { (latency.count_above(limit.0) + to_f64(errors)) / all } else { 0.0 }
    });
    Some(Level {
        span,
        from_ns: first.began_ns,
        to_ns: last.ended_ns,
        rate: estimate(&own, |part| Some(rate(part)))?,
        mean_us: estimate(&own, |part| merged(part).mean_ns().map(us_from_ns)),
        p99_us: estimate(&own, |part| merged(part).quantile_ns(0.99).map(us)),
        longest: Nanos(own.iter().map(|one| one.longest_ns).fold(0, u64::max)),
        ios,
        errors,
        above,
        latency,
    })
}

/// The I/Os per second of some intervals.
pub fn rate(own: &[&Figures]) -> f64 {
    let ns = sum(own, |one| one.ended_ns.saturating_sub(one.began_ns));
    rigel_core::units::iops(sum(own, |one| one.completed), ns)
}

/// Their latencies together.
pub fn merged(own: &[&Figures]) -> Histogram {
    let mut all = Histogram::empty();
    own.iter().for_each(|one| all.add(&one.latency));
    all
}

fn sum(own: &[&Figures], of: fn(&Figures) -> u64) -> u64 {
    own.iter().map(|one| of(one)).fold(0, u64::saturating_add)
}

/// A figure with its interval from the stretches; without one if there are too few. `None` if no stretch has it.
pub fn estimate(own: &[&Figures], of: impl Fn(&[&Figures]) -> Option<f64>) -> Option<Estimate> {
    let each = own.len().div_ceil(STRETCHES).max(1);
    let values: Vec<f64> = own.chunks(each).filter_map(&of).collect();
    let interval = (values.len() >= LEAST_STRETCHES).then(|| Interval::of_alike(&values)).flatten();
    interval.map(|interval| Estimate::of(interval, Basis::OneVisit)).or_else(|| of(own).map(Estimate::bare))
}
