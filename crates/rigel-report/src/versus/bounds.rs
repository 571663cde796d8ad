//! Bounds on the numbers of a side, such as 2 ms for a p99: whether B meets them, and whether A does, with their figures.
//!
//! A gate is about B alone, but a choice between two storages needs both. Must not judge, and must not format for an output.

use super::{VersusReport, names};
use crate::compare::{Names, reason_in, value};
use rigel_core::judge::quantity::{Quantity, What};
use rigel_core::load::sides::Side;
use rigel_core::stats::{Basis, Estimate};
use rigel_core::units::say::{counted, plain_percent};
use rigel_uses::compare::gate::{GateBound, GateResult, Outcome};
use rigel_uses::compare::{Row, SideUsability};

/// A limit with the result of one side.
struct SideBound<'a> {
    side: Side,
    outcome: Outcome,
    /// The row closest to the limit, or farthest beyond it.
    row: &'a Row,
}

/// The requested limits on numbers that were measured.
fn all<'a>(turned: &'a VersusReport<'_>) -> impl Iterator<Item = (&'a GateResult, f64, [SideBound<'a>; 2])> {
    turned.found.gates.iter().filter_map(|judged| {
        let GateBound::Value(bound) = judged.gate.bound else { return None };
        let b = side(turned, judged, Side::B, judged.outcome)?;
        let of_a = judged.base.iter().map(|row| row.1).max()?;
        let a = side(turned, judged, Side::A, of_a)?;
        Some((judged, bound, [a, b]))
    })
}

fn side<'a>(
    turned: &'a VersusReport<'_>,
    judged: &GateResult,
    side: Side,
    outcome: Outcome,
) -> Option<SideBound<'a>> {
    let rows = if side == Side::A { &judged.base } else { &judged.rows };
    let worst = rows.iter().map(|row| row.1).max()?;
    let own = rows.iter().filter(|row| row.1 == worst);
    let own = own.filter_map(|row| turned.found.comparison.rows.get(row.0));
    let value = |row: &&Row| number(row, side).value;
    let nearest = |a: &&Row, b: &&Row| value(a).total_cmp(&value(b));
    let row = if judged.gate.is_upper() { own.max_by(nearest) } else { own.min_by(nearest) }?;
    Some(SideBound { side, outcome, row })
}

const fn number(row: &Row, side: Side) -> &Estimate {
    match side {
        Side::A => &row.base,
        Side::B => &row.new,
    }
}

/// Who meets what: `B meets p99 < 2 ms at 8000 per second, and A does not.`
pub(super) fn verdicts(turned: &VersusReport<'_>) -> Vec<String> {
    let told = |(judged, bound, [a, b]): (&GateResult, f64, [SideBound<'_>; 2])| {
        let what = format!("{}{}", bound_words(turned, judged, bound), places(turned, judged));
        match (b.outcome, a.outcome) {
            (Outcome::Passed, Outcome::Passed) => format!("A and B both meet {what}."),
            (Outcome::Passed, Outcome::Failed) => format!("B meets {what}, and A does not."),
            (Outcome::Failed, Outcome::Passed) => format!("B does not meet {what}, and A does."),
            (Outcome::Failed, Outcome::Failed) => format!("Neither A nor B meets {what}."),
            (Outcome::Passed, Outcome::Undecided) => {
                format!("B meets {what}; undecided for A.")
            }
            (Outcome::Failed, Outcome::Undecided) => {
                format!("B does not meet {what}; undecided for A.")
            }
            (Outcome::Undecided, Outcome::Passed) => {
                format!("Undecided whether B meets {what}; A does.")
            }
            (Outcome::Undecided, Outcome::Failed) => {
                format!("Undecided whether B meets {what}; A does not.")
            }
            (Outcome::Undecided, Outcome::Undecided) => {
                format!("Undecided whether A or B meets {what}.")
            }
        }
    };
    all(turned).map(told).collect()
}

/// The figures for that: `The p99 of open I/O: 1.942 ms (1.911 ms to 1.972 ms) on B, at least 1.4 % below the limit;
/// 6.062 ms (..) on A, at least 180 % above the limit.`
pub(super) fn figures(turned: &VersusReport<'_>) -> Vec<String> {
    let told = |(judged, bound, [a, b]): (&GateResult, f64, [SideBound<'_>; 2])| {
        let told = |kept: &SideBound<'_>| of_side(turned, judged, kept, bound);
        format!("The {}: {}; {}.", noun(turned, judged.gate.quantity), told(&b), told(&a))
    };
    all(turned).map(told).collect()
}

/// Whether the figures of a quantity are reported with a limit at every load that it has.
pub(super) fn tells(turned: &VersusReport<'_>, quantity: Quantity) -> bool {
    let rows = turned.found.comparison.rows.iter().filter(|row| row.quantity == quantity).count();
    rows == 1 && all(turned).any(|(judged, ..)| judged.gate.quantity == quantity)
}

/// `p99 of open I/O`, `mean latency of small I/O`, `rate of small I/O`.
fn noun(turned: &VersusReport<'_>, quantity: Quantity) -> String {
    format!("{} of {}", short(quantity), names::of(turned, quantity))
}

const fn short(quantity: Quantity) -> &'static str {
    match quantity.what {
        What::Rate | What::Mbps => "rate",
        What::Mean | What::Bounded => "mean latency",
        _ => "p99",
    }
}

/// `p99 < 2 ms`; with the class if there are several.
fn bound_words(turned: &VersusReport<'_>, judged: &GateResult, bound: f64) -> String {
    let quantity = judged.gate.quantity;
    let classes = turned.found.leading.len();
    let what = if classes > 1 { noun(turned, quantity) } else { short(quantity).to_owned() };
    let sign = if judged.gate.is_upper() { '<' } else { '>' };
    format!("{what} {sign} {}", value(quantity, bound))
}

/// The load: ` at 8000 per second`, ` at all 5 loads`.
fn places(turned: &VersusReport<'_>, judged: &GateResult) -> String {
    let rows: Vec<&Row> =
        judged.rows.iter().filter_map(|row| turned.found.comparison.rows.get(row.0)).collect();
    match rows.as_slice() {
        [one] => format!(" at {}", names::place(turned, one)),
        [_, _] => " at both loads".to_owned(),
        all => format!(" at all {}", counted(all.len(), "load")),
    }
}

/// `1.942 ms (1.911 ms to 1.972 ms) on B, at least 1.4 % below the limit`; with the load if there are several.
fn of_side(turned: &VersusReport<'_>, judged: &GateResult, kept: &SideBound<'_>, bound: f64) -> String {
    let &SideBound { side, row, .. } = kept;
    let (name, found) = (side.name(), number(row, side));
    let many = judged.rows.len() > 1;
    let place = if many { format!(" at {}", names::place(turned, row)) } else { String::new() };
    let standing = if side == Side::A { row.base_standing } else { row.standing };
    let told = match standing {
        SideUsability::Invalid => return format!("that of {name}{place} must not be used (see the flag)"),
        SideUsability::Behind { .. } => {
            return format!("{name} could not keep up{place}, so a latency would be meaningless");
        }
        SideUsability::Late if kept.outcome == Outcome::Undecided && is_known(found) => {
            "of which a part is Rigel's own (PACING_LATE)".to_owned()
        }
        SideUsability::Late | SideUsability::Usable => margin(found, bound),
    };
    format!("{} on {name}{place}, {told}", names::in_words(row.quantity, found))
}

/// Whether the effect of another visit is known.
fn is_known(found: &Estimate) -> bool {
    found.ends().is_some() && found.basis != Basis::OneVisit
}

/// The distance of an interval from a limit.
fn margin(found: &Estimate, bound: f64) -> String {
    let Some((lo, hi)) = found.ends().filter(|_| is_known(found)) else {
        return "without an interval".to_owned();
    };
    let share = |end: f64| plain_percent((end / bound - 1.0).abs());
    if hi <= bound {
        format!("at least {} % below the limit", share(hi))
    } else if lo >= bound {
        format!("at least {} % above the limit", share(lo))
    } else {
        "with the limit inside the interval".to_owned()
    }
}

/// The reason for a gate's result, with the load in words.
pub fn reason(turned: &VersusReport<'_>, judged: &GateResult) -> Option<String> {
    let load = |row: &Row| Some(names::place(turned, row));
    let quantity = |quantity: Quantity| format!("the {} of B", short(quantity));
    reason_in(judged, &turned.found.comparison, &Names { load: &load, quantity: &quantity })
}
