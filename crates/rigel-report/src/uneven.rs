//! What it means if a mean latency lies far from the median, as one sentence below a table of latencies.
//!
//! Must not say why the latencies are uneven; flags do.

use crate::view::View;
use rigel_core::judge::findings::{IoFindings, PointFindings};
use rigel_core::units::say::{counted, time};
use std::collections::BTreeSet;

/// Mean and median count as alike up to this factor. It is 1.44 for latencies of an exponential distribution.
const ALIKE: f64 = 1.5;

/// The sentence, about the class and point where they differ most; `None` if they are alike everywhere.
pub(crate) fn sentence(view: &View<'_>) -> Option<String> {
    let uneven = || {
        let all = view.classes().filter_map(|(found, _, io)| Some((found, io, ratio(io)?)));
        all.filter(|(_, _, ratio)| *ratio > ALIKE || ratio * ALIKE < 1.0)
    };
    let (found, io, _) = uneven().max_by(|one, other| one.2.ln().abs().total_cmp(&other.2.ln().abs()))?;
    let others: BTreeSet<usize> = uneven().map(|(found, ..)| found.step).collect();
    let others = match others.len().saturating_sub(1) {
        0 => String::new(),
        others => format!(
            " Mean and median differ by more than a factor of {ALIKE} at {}, too.",
            counted(others, "other point")
        ),
    };
    Some(skew(view, found, io)? + &others)
}

/// The mean over the median.
fn ratio(io: &IoFindings) -> Option<f64> {
    let us = io.latency_us?;
    (us.p50.value > 0.0).then(|| us.mean.value / us.p50.value)
}

fn skew(view: &View<'_>, found: &PointFindings, io: &IoFindings) -> Option<String> {
    let us = io.latency_us?;
    let (half, mean, what, at) =
        (time(us.p50.value), time(us.mean.value), io.load.nouns(), view.named(found.point, " and "));
    Some(if us.mean.value > us.p50.value {
        format!("Half of the {what} @ {at} took {half} or less; a slow share raises the mean to {mean}.")
    } else {
        format!("Half of the {what} @ {at} took {half} or more; a fast share lowers the mean to {mean}.")
    })
}
