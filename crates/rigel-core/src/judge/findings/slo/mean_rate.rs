//! The load of a run over all of its time: what a limit on more than one visit sees of it.
//!
//! Must not judge a rate.

use crate::record::{Record, Visit};
use crate::units::{Nanos, to_f64};
use std::collections::BTreeSet;

/// The load per second over the whole time of the points. What arrives and is not served uses up no credit.
pub(super) fn mean_rate(record: &Record, rate: &impl Fn(usize) -> u32, overloaded: &BTreeSet<usize>) -> f64 {
    let seconds = |ns: u64| Nanos(ns).seconds();
    let load = |visit: &Visit| {
        let asked = f64::from(rate(visit.step)) * seconds(visit.settle_ns.saturating_add(visit.measured_ns));
        match visit.ios {
            Some(ios) if overloaded.contains(&visit.step) => asked.min(to_f64(ios.returned)),
            _ => asked,
        }
    };
    let began_ns = record.visits.iter().map(|visit| visit.began_ns.saturating_sub(visit.settle_ns)).min();
    let ended_ns = record.visits.iter().map(Visit::ended_ns).max();
    let span_ns = ended_ns.unwrap_or(0).saturating_sub(began_ns.unwrap_or(0));
    record.visits.iter().map(load).sum::<f64>() / seconds(span_ns.max(1))
}
