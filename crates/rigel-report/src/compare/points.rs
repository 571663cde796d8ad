//! What all load levels of a quantity say together, in sentences.
//!
//! Must not compute it.

use super::words::named;
use crate::words::listed;
use rigel_core::judge::quantity::{Quantity, What};
use rigel_core::load::matrix::Point;
use rigel_core::units::say::{change, plain_percent, signed_percent, trimmed};
use rigel_uses::compare::{Effect, MARGIN, OverPoints};
use schemars::JsonSchema;
use serde::Serialize;

/// From this change on, a factor is reported.
const TIMES_FROM: f64 = 1.0;

/// A quantity over all of its load levels.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct OverPointsDocument {
    /// Which quantity, as gates name it.
    metric: String,
    /// The number of load levels that no row judges alone.
    levels: usize,
    /// At how many of them the value of the new side is higher.
    more: usize,
    /// The median of their changes.
    relative: f64,
    /// Lower end of its 95 % interval, by the sign test.
    lo: f64,
    /// Upper end.
    hi: f64,
    /// What the interval says.
    #[schemars(extend("enum" = ["better", "worse", "alike", "undecided"]))]
    verdict: &'static str,
}

impl OverPointsDocument {
    pub(super) fn new(found: &OverPoints) -> Self {
        Self {
            metric: found.quantity.name(),
            levels: found.points.len(),
            more: found.more,
            relative: found.change.relative,
            lo: found.change.lo,
            hi: found.change.hi,
            verdict: found.effect.name(),
        }
    }
}

/// `Over all 17 load levels together the new side is better in the rate of small I/O: it is higher at 17 of 17, ..`
pub(super) fn sentence(found: &OverPoints) -> String {
    let all = found.points.len();
    let what = noun(found.quantity);
    let [median, lo, hi] = [found.change.relative, found.change.lo, found.change.hi].map(change);
    let test = format!("median {median}, in the range {lo} .. {hi} by the sign test");
    let (fewer, word) =
        if 2 * found.more >= all { (all - found.more, "higher") } else { (found.more, "lower") };
    let at = format!("{word} at {} of {all}", all - fewer);
    match found.effect {
        Effect::Better | Effect::Worse => format!(
            "Over all {all} load levels together the new side is {} in {what}: it is {at}, by {} ({test}).",
            found.effect.name(),
            span(found.span)
        ),
        Effect::Alike => format!(
            "Over all {all} load levels together {what} shows no difference (within ±{} %): {test}.",
            plain_percent(MARGIN)
        ),
        Effect::Undecided(_) => {
            format!("Over all {all} load levels together {what} is undecided: it is {at} ({test}).")
        }
    }
}

/// `20.1 to 33.0 %`, `4.8 to 5.3 times`, or from one to the other: `+28.6 % to x 12`.
fn span((least, most): (f64, f64)) -> String {
    if least >= TIMES_FROM {
        let times = |change: f64| trimmed(((1.0 + change) * 10.0).round() / 10.0);
        return format!("{} to {} times", times(least), times(most));
    }
    let whole = change(most);
    let (least, most) = (signed_percent(least), signed_percent(most));
    if !whole.ends_with('%') {
        return format!("{least} % to {whole}");
    }
    if least == most { format!("{least} %") } else { format!("{least} to {most} %") }
}

/// `the rate of small I/O`
fn noun(quantity: Quantity) -> String {
    let class = quantity.class;
    let io = if class.is_of_pair() { format!("{class} I/O") } else { class.to_string() };
    let what = match quantity.what {
        What::Rate | What::Mbps => "the rate",
        What::Mean | What::Bounded => "the mean latency",
        _ => "the p99",
    };
    format!("{what} of {io}")
}

/// Loads at which a side was best and the other was not measured.
pub(super) fn best_loads(found: &[(Quantity, Point, Point)]) -> Option<String> {
    let one = |(quantity, base, new): &(Quantity, Point, Point)| {
        let words = |point: &Point| named(&[*point]);
        format!("{} (base at {}, new side at {})", quantity.name(), words(base), words(new))
    };
    let all: Vec<String> = found.iter().map(one).collect();
    (!all.is_empty()).then(|| {
        format!(
            "Each side was best at a load that the other was not given: {}. A side that tried more \
             outstanding I/Os may have found \
             more, whatever the storage.",
            listed(&all)
        )
    })
}
