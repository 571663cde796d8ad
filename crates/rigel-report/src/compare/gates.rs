//! The reason for a gate's result, in words.
//!
//! Must not judge a gate.

use super::words::{doubt, named, percents, place, value};
use crate::document::{Block, Column, Paragraph, Table};
use rigel_core::judge::quantity::Quantity;
use rigel_core::load::matrix::Point;
use rigel_core::path_text::printable;
use rigel_core::stats::Basis;
use rigel_core::units::say::{counted, signed_percent};
use rigel_uses::compare::gate::{GateBound, GateResult, Outcome};
use rigel_uses::compare::{Comparison, Row, SideUsability};

const LATE: &str = "but Rigel started some I/Os late (PACING_LATE), so part of that latency is Rigel's: measure again while nothing else needs the CPUs";
/// More load levels are counted.
const MOST_NAMED: usize = 4;

/// Names for loads and the new side.
pub(crate) struct Names<'a> {
    /// A load, as text after `at`.
    pub load: &'a dyn Fn(&Row) -> Option<String>,
    /// A quantity of the new side.
    pub quantity: &'a dyn Fn(Quantity) -> String,
}

/// Where a gate fails, or what leaves it undecided, with the interval; `None` if it passed.
pub fn reason(judged: &GateResult, comparison: &Comparison) -> Option<String> {
    let quantity = |quantity: Quantity| format!("{} of the new side", quantity.name());
    reason_in(judged, comparison, &Names { load: &place, quantity: &quantity })
}

/// The same with the caller's words.
pub(crate) fn reason_in(judged: &GateResult, comparison: &Comparison, names: &Names<'_>) -> Option<String> {
    let limit = match judged.gate.bound {
        GateBound::Change(bound) => format!("{} %", signed_percent(bound)),
        GateBound::Value(bound) => value(judged.gate.quantity, bound),
    };
    let rows = |of: &[&Row], what: &str| rows(judged, of, what, names);
    let of = |wanted: Outcome| {
        let own = judged.rows.iter().filter(move |row| row.1 == wanted);
        own.filter_map(|row| comparison.rows.get(row.0)).collect::<Vec<&Row>>()
    };
    match judged.outcome {
        Outcome::Passed => None,
        Outcome::Failed => rows(&of(Outcome::Failed), "all of it beyond the limit"),
        Outcome::Undecided => {
            let inside = format!("and the limit ({limit}) lies inside that range");
            let open = rows(&of(Outcome::Undecided), &inside);
            let kept = rows(&of(Outcome::Passed), "all of it within the limit").filter(|_| open.is_none());
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
    let of_value = |what: &str| of_value(first, what, &(names.quantity)(first.quantity));
    let more = if of > 1 { format!(" (so at {} of {of} load levels)", rows.len()) } else { String::new() };
    let found = match (judged.gate.bound, &first.change) {
        (GateBound::Value(_), _) if is_late(judged, first) => of_value(LATE),
        (GateBound::Value(_), _) => of_value(what),
        (GateBound::Change(_), Ok(_)) if is_late(judged, first) => format!("the latency changed, {LATE}"),
        (GateBound::Change(_), Ok(change)) => {
            let [relative, lo, hi] = percents(change);
            format!("the change is {relative} %, in the range {lo} .. {hi}, {what}")
        }
        (GateBound::Change(_), Err(why)) => doubt(*why).unwrap_or("there is no interval").to_owned(),
    };
    Some(format!("{place}{found}{more}"))
}

/// Whether the gate is open because part of the latency is the tool's.
fn is_late(judged: &GateResult, row: &Row) -> bool {
    row.standing == SideUsability::Late
        && !row.quantity.what.is_rate()
        && judged.outcome == Outcome::Undecided
        && row.new.ends().is_some_and(|_| row.new.basis != Basis::OneVisit)
}

/// The number of the new side.
fn of_value(row: &Row, what: &str, quantity: &str) -> String {
    match (row.standing, row.new.ends()) {
        (SideUsability::Invalid, _) => "a flag says that the number must not be used".to_owned(),
        (SideUsability::Behind { .. }, _) => {
            "more I/O arrived than was served, and no latency limit is met".to_owned()
        }
        (SideUsability::Usable | SideUsability::Late, None) => "the number has no interval".to_owned(),
        (SideUsability::Usable | SideUsability::Late, Some(_)) if row.new.basis == Basis::OneVisit => {
            "the point was measured once, so it is unknown what another visit would give".to_owned()
        }
        (SideUsability::Usable | SideUsability::Late, Some((lo, hi))) => {
            let [value, lo, hi] = [row.new.value, lo, hi].map(|one| value(row.quantity, one));
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
    format!("{count} {verb} not in every run, and the limit may be broken there ({}{more})", named(&points))
}

/// The result of the gates, as a sentence; `None` without gates.
pub(crate) fn sentence(gates: &[GateResult]) -> Option<String> {
    let count = |outcome| gates.iter().filter(|gate| gate.outcome == outcome).count();
    let all = counted(gates.len(), "gate");
    Some(match (count(Outcome::Failed), count(Outcome::Undecided)) {
        _ if gates.is_empty() => return None,
        (0, 0) if gates.len() == 1 => "Passed: the gate is met.".to_owned(),
        (0, 0) => format!("Passed: all {all} are met."),
        (0, open) => format!("Undecided: {open} of {all} undecided, {} passed.", count(Outcome::Passed)),
        (failed, open) => {
            format!("Failed: {failed} of {all} failed, {open} undecided, {} passed.", count(Outcome::Passed))
        }
    })
}

/// A row for each gate, with the reason below it; empty without gates.
pub(crate) fn table(gates: &[GateResult], reason: impl Fn(&GateResult) -> Option<String>) -> Block {
    let points = |judged: &GateResult| {
        let at = judged.rows.iter().filter(|row| row.1 == judged.outcome).count();
        format!("{at} of {}", judged.rows.len())
    };
    let table = || {
        Table::of("gate", gates)
            .column(Column::left("Gate"), |judged| printable(&judged.gate.text).into_owned())
            .column(Column::left("Outcome"), |judged| judged.outcome.name())
            .column(Column::left("Points"), points)
            .below(|judged| {
                let why = reason(judged);
                why.map(|why| Paragraph::labelled("  ", 2, why).into()).into_iter().collect()
            })
            .done()
    };
    Block::section("Gates", if gates.is_empty() { Vec::new() } else { vec![table()] })
}
