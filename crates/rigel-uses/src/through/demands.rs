//! Whether the demands were met: certainly met, certainly not met, or undecided with the reason. Must not choose an exit code.

use super::{Baseline, ThroughFindings};
use rigel_core::load::through::{Demand, Span};
use rigel_core::measure::Histogram;
use rigel_core::units::{Nanos, to_f64};

/// A demand with its verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct DemandOutcome {
    /// The demand.
    pub demand: Demand,
    /// Its verdict.
    pub verdict: DemandVerdict,
}

/// The verdict on a demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DemandVerdict {
    /// It was kept.
    Kept,
    /// It was not.
    Missed,
    /// It cannot be decided, with the reason.
    Undecided(&'static str),
}

/// Judges one.
pub fn judged(demand: Demand, found: &ThroughFindings) -> DemandOutcome {
    let verdict = match demand {
        Demand::Standstill(limit) => standstill(limit, found),
        Demand::Back(limit) => back(limit, found),
        Demand::Errors(_) if found.course.is_empty() => NOTHING,
        Demand::Errors(most) => of(found.errors <= most),
        Demand::Latency { bound, span } => match latencies(span, found) {
            Ok((all, errors)) => match bound.judged.allowed() {
                Some(allowed) => share(&all, errors, bound.limit, allowed),
                None => all.mean_ns().map_or(NOTHING, |mean_ns| of(mean_ns <= to_f64(bound.limit.0))),
            },
            Err(reason) => DemandVerdict::Undecided(reason),
        },
    };
    // What was kept so far may be missed by what did not come any more.
    let verdict = match verdict {
        DemandVerdict::Kept if found.hung.is_some() => DemandVerdict::Undecided("I/Os never completed"),
        other => other,
    };
    DemandOutcome { demand, verdict }
}

const NOTHING: DemandVerdict = DemandVerdict::Undecided("no I/O completed in that part of the run");

const fn of(is_kept: bool) -> DemandVerdict {
    if is_kept { DemandVerdict::Kept } else { DemandVerdict::Missed }
}

/// Every standstill has to be certainly shorter.
fn standstill(limit: Nanos, found: &ThroughFindings) -> DemandVerdict {
    let all = &found.standstills;
    if found.course.is_empty() {
        NOTHING
    } else if all.iter().any(|still| still.least >= limit) {
        DemandVerdict::Missed
    } else if all.iter().any(|still| still.is_open) {
        DemandVerdict::Undecided("the load stood still when the run ended")
    } else if all.iter().any(|still| still.most >= limit) {
        DemandVerdict::Undecided("the length of the standstill is known too roughly")
    } else {
        DemandVerdict::Kept
    }
}

fn back(limit: Nanos, found: &ThroughFindings) -> DemandVerdict {
    let Some(sign) = found.trouble.sign else { return DemandVerdict::Undecided("nothing happened") };
    if let Some(reason) = unknown(found.trouble.baseline) {
        return DemandVerdict::Undecided(reason);
    }
    match found.back_after() {
        Some(after) => of(after < limit),
        None if found.lasted.1.saturating_sub(sign.at_ns) >= limit.0 => DemandVerdict::Missed,
        None => DemandVerdict::Undecided("the run ended before rate and p99 were back"),
    }
}

const fn unknown(baseline: Baseline) -> Option<&'static str> {
    match baseline {
        Baseline::Known { .. } => None,
        Baseline::TooShort { .. } => Some("the level before the first sign of trouble is not known"),
        Baseline::NotHeld { .. } => Some("the rate was not held from the start"),
    }
}

/// The latencies of a part of the run, and its failed I/Os.
fn latencies(span: Option<Span>, found: &ThroughFindings) -> Result<(Histogram, u64), &'static str> {
    let Some(span) = span else {
        let mut all = Histogram::empty();
        found.course.iter().for_each(|one| all.add(&one.latency));
        return Ok((all, found.errors));
    };
    if let Some(reason) = unknown(found.trouble.baseline).filter(|_| found.trouble.sign.is_some()) {
        return Err(reason);
    }
    match found.level(span) {
        Some(level) => Ok((level.latency.clone(), level.errors)),
        None if found.trouble.sign.is_none() => Err("nothing happened"),
        None if span == Span::During => Err("the load was not affected by what was marked"),
        None => Err("the run has no such part"),
    }
}

/// Whether at most this many I/Os took longer; failed ones count as longer. The bucket of the limit may be on either side.
fn share(all: &Histogram, errors: u64, limit: Nanos, allowed: f64) -> DemandVerdict {
    let count = all.count().saturating_add(errors);
    if count == 0 {
        return NOTHING;
    }
    let above = |is_above: &dyn Fn(u64, u64) -> bool| {
        let own = all.buckets().filter(|(low, high, _)| is_above(*low, *high)).map(|(.., n)| n);
        to_f64(own.fold(errors, u64::saturating_add)) / to_f64(count)
    };
    let surely = above(&|low, _| low > limit.0);
    let perhaps = above(&|_, high| high > limit.0.saturating_add(1));
    if surely > allowed {
        DemandVerdict::Missed
    } else if perhaps <= allowed {
        DemandVerdict::Kept
    } else {
        DemandVerdict::Undecided("the limit lies within the accuracy of a percentile, 1.6 %")
    }
}
