//! Why a gate came out as it did, in words.
//!
//! Must not judge a gate.

use super::words::{doubt, named, percents, place, value};
use crate::numbers::counted;
use rigel_core::load::matrix::Point;
use rigel_core::stats::Basis;
use rigel_core::uses::compare::gate::{Bound, GateResult, Outcome};
use rigel_core::uses::compare::{Comparison, Metric, Row, Standing};

const LATE: &str = "with a part that is Rigel's own, as it began I/Os late (PACING_LATE): measure again while nothing else needs the CPUs";
/// More load levels are counted.
const MOST_NAMED: usize = 4;

/// What loads and the new side are called.
pub(crate) struct Names<'a> {
    /// A load, as a sentence goes on behind `at`.
    pub load: &'a dyn Fn(&Row) -> Option<String>,
    /// A quantity of the new side.
    pub quantity: &'a dyn Fn(Metric) -> String,
}

/// Where a gate fails, or what leaves it undecided, with the interval; `None` of one that passed.
pub fn reason(judged: &GateResult, comparison: &Comparison) -> Option<String> {
    let quantity = |metric: Metric| format!("{} of the new side", metric.name());
    reason_in(judged, comparison, &Names { load: &place, quantity: &quantity })
}

/// The same with words of the caller's.
pub(crate) fn reason_in(judged: &GateResult, comparison: &Comparison, names: &Names<'_>) -> Option<String> {
    let rows = |of: &[&Row], what: &str| rows(judged, of, what, names);
    let of = |wanted: Outcome| {
        let own = judged.rows.iter().filter(move |row| row.1 == wanted);
        own.filter_map(|row| comparison.rows.get(row.0)).collect::<Vec<&Row>>()
    };
    match judged.outcome {
        Outcome::Passed => None,
        Outcome::Failed => rows(&of(Outcome::Failed), "all of it beyond the bound"),
        Outcome::Undecided => {
            let open = rows(&of(Outcome::Undecided), "which holds the bound");
            let kept = rows(&of(Outcome::Passed), "which keeps the bound").filter(|_| open.is_none());
            let kept = kept.map(|kept| format!("{kept}; but"));
            let unseen = (!judged.unseen.is_empty()).then(|| unseen(judged));
            let separator = if kept.is_some() { " " } else { "; " };
            Some(kept.into_iter().chain(open).chain(unseen).collect::<Vec<_>>().join(separator))
        }
    }
}

/// The first of several rows with its interval, and how many there are.
fn rows(judged: &GateResult, rows: &[&Row], what: &str, names: &Names<'_>) -> Option<String> {
    let (first, of) = (rows.first()?, judged.rows.len());
    let place = (names.load)(first).map_or_else(String::new, |place| format!("at {place} "));
    let of_value = |what: &str| of_value(first, what, &(names.quantity)(first.metric));
    let more = if of > 1 { format!(" (so at {} of {of} load levels)", rows.len()) } else { String::new() };
    let found = match (judged.gate.bound, &first.change) {
        (Bound::Value(_), _) if is_late(judged, first) => of_value(LATE),
        (Bound::Value(_), _) => of_value(what),
        (Bound::Change(_), Ok(_)) if is_late(judged, first) => format!("the latency is {LATE}"),
        (Bound::Change(_), Ok(change)) => {
            let [relative, lo, hi] = percents(change);
            format!("the change is {relative} %, in the range {lo} .. {hi}, {what}")
        }
        (Bound::Change(_), Err(why)) => doubt(*why).unwrap_or("there is no interval").to_owned(),
    };
    Some(format!("{place}{found}{more}"))
}

/// Whether the gate is open because a part of the latency is the tool's.
fn is_late(judged: &GateResult, row: &Row) -> bool {
    row.standing == Standing::Late
        && !row.metric.is_rate()
        && judged.outcome == Outcome::Undecided
        && row.new.ends().is_some_and(|_| row.new.basis != Basis::OneVisit)
}

/// The number of the new side.
fn of_value(row: &Row, what: &str, quantity: &str) -> String {
    match (row.standing, row.new.ends()) {
        (Standing::Invalid, _) => "a flag says that the number must not be used".to_owned(),
        (Standing::Behind { .. }, _) => "more I/O arrived than was served, and no latency is kept".to_owned(),
        (Standing::Usable | Standing::Late, None) => "the number has no interval".to_owned(),
        (Standing::Usable | Standing::Late, Some(_)) if row.new.basis == Basis::OneVisit => {
            "there was one visit to the point, and what another visit would give is not known".to_owned()
        }
        (Standing::Usable | Standing::Late, Some((lo, hi))) => {
            let [value, lo, hi] = [row.new.value, lo, hi].map(|one| value(row.metric, one));
            format!("{quantity} is {value}, in the range {lo} .. {hi}, {what}")
        }
    }
}

/// `6 load levels are not in every run (small 70, 76 and 140 ..)`
fn unseen(judged: &GateResult) -> String {
    let points: Vec<Point> = judged.unseen.iter().copied().take(MOST_NAMED).collect();
    let more = if judged.unseen.len() > MOST_NAMED { " .." } else { "" };
    let verb = if judged.unseen.len() == 1 { "is" } else { "are" };
    let count = counted(judged.unseen.len(), "load level");
    format!("{count} {verb} not in every run, and the bound may be broken there ({}{more})", named(&points))
}

/// What the gates come to, as a sentence; nothing without gates.
pub(crate) fn sentence(gates: &[GateResult]) -> Option<String> {
    let count = |outcome| gates.iter().filter(|gate| gate.outcome == outcome).count();
    (!gates.is_empty()).then(|| {
        format!(
            "{}: {} passed, {} failed, {} undecided.",
            counted(gates.len(), "gate"),
            count(Outcome::Passed),
            count(Outcome::Failed),
            count(Outcome::Undecided)
        )
    })
}
