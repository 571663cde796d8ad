//! Bounds on the numbers of a side, such as 2 ms for a p99: whether B keeps them, and whether A does, with their figures.
//!
//! A gate is about B alone; who decides between two storages asks for both. Must not judge, and must not format for an output.

use super::{Turned, words};
use crate::compare::{Names, reason_in, value};
use crate::numbers::{counted, plain_percent};
use rigel_core::load::sides::Side;
use rigel_core::stats::{Basis, Estimate};
use rigel_core::uses::compare::gate::{Bound, GateResult, Outcome};
use rigel_core::uses::compare::{Metric, Row, Standing};

/// A bound with what became of it on one side.
struct Kept<'a> {
    side: Side,
    outcome: Outcome,
    /// The row that comes nearest to the bound, or is the farthest beyond it.
    row: &'a Row,
}

/// The bounds on numbers that were asked for, where something was measured.
fn all<'a>(turned: &'a Turned<'_>) -> impl Iterator<Item = (&'a GateResult, f64, [Kept<'a>; 2])> {
    turned.found.gates.iter().filter_map(|judged| {
        let Bound::Value(bound) = judged.gate.bound else { return None };
        let b = side(turned, judged, Side::B, judged.outcome)?;
        let of_a = judged.base.iter().map(|row| row.1).max()?;
        let a = side(turned, judged, Side::A, of_a)?;
        Some((judged, bound, [a, b]))
    })
}

fn side<'a>(turned: &'a Turned<'_>, judged: &GateResult, side: Side, outcome: Outcome) -> Option<Kept<'a>> {
    let rows = if side == Side::A { &judged.base } else { &judged.rows };
    let worst = rows.iter().map(|row| row.1).max()?;
    let own = rows.iter().filter(|row| row.1 == worst);
    let own = own.filter_map(|row| turned.found.comparison.rows.get(row.0));
    let value = |row: &&Row| number(row, side).value;
    let nearest = |a: &&Row, b: &&Row| value(a).total_cmp(&value(b));
    let row = if judged.gate.is_upper() { own.max_by(nearest) } else { own.min_by(nearest) }?;
    Some(Kept { side, outcome, row })
}

const fn number(row: &Row, side: Side) -> &Estimate {
    match side {
        Side::A => &row.base,
        Side::B => &row.new,
    }
}

/// Who keeps what: `B keeps p99 < 2 ms at 8000 per second, and A does not.`
pub(super) fn verdicts(turned: &Turned<'_>) -> Vec<String> {
    let told = |(judged, bound, [a, b]): (&GateResult, f64, [Kept<'_>; 2])| {
        let what = format!("{}{}", bound_words(turned, judged, bound), places(turned, judged));
        match (b.outcome, a.outcome) {
            (Outcome::Passed, Outcome::Passed) => format!("A and B both keep {what}."),
            (Outcome::Passed, Outcome::Failed) => format!("B keeps {what}, and A does not."),
            (Outcome::Failed, Outcome::Passed) => format!("B does not keep {what}, and A does."),
            (Outcome::Failed, Outcome::Failed) => format!("Neither A nor B keeps {what}."),
            (Outcome::Passed, Outcome::Undecided) => {
                format!("B keeps {what}; whether A does, these visits do not tell.")
            }
            (Outcome::Failed, Outcome::Undecided) => {
                format!("B does not keep {what}; whether A does, these visits do not tell.")
            }
            (Outcome::Undecided, Outcome::Passed) => {
                format!("Whether B keeps {what}, these visits do not tell; A does.")
            }
            (Outcome::Undecided, Outcome::Failed) => {
                format!("Whether B keeps {what}, these visits do not tell; A does not.")
            }
            (Outcome::Undecided, Outcome::Undecided) => {
                format!("Whether A or B keeps {what}, these visits do not tell.")
            }
        }
    };
    all(turned).map(told).collect()
}

/// The figures behind that: `The p99 of open I/O: 1.942 ms (1.911 ms to 1.972 ms) on B, at least 1.4 % below the bound; 6.062 ms (..) on A,
/// at least 180 % above the bound.`
pub(super) fn figures(turned: &Turned<'_>) -> Vec<String> {
    let told = |(judged, bound, [a, b]): (&GateResult, f64, [Kept<'_>; 2])| {
        let told = |kept: &Kept<'_>| of_side(turned, judged, kept, bound);
        format!("The {}: {}; {}.", quantity(turned, judged.gate.metric), told(&b), told(&a))
    };
    all(turned).map(told).collect()
}

/// Whether the figures of a quantity are told beside a bound at every load that it has.
pub(super) fn tells(turned: &Turned<'_>, metric: Metric) -> bool {
    let rows = turned.found.comparison.rows.iter().filter(|row| row.metric == metric).count();
    rows == 1 && all(turned).any(|(judged, ..)| judged.gate.metric == metric)
}

/// `p99 of open I/O`, `mean latency of small I/O`, `rate of small I/O`.
fn quantity(turned: &Turned<'_>, metric: Metric) -> String {
    format!("{} of {}", short(metric), words::of(turned, metric))
}

const fn short(metric: Metric) -> &'static str {
    if metric.is_p99() {
        "p99"
    } else if metric.is_rate() {
        "rate"
    } else {
        "mean latency"
    }
}

/// `p99 < 2 ms`; with the class where there are several.
fn bound_words(turned: &Turned<'_>, judged: &GateResult, bound: f64) -> String {
    let metric = judged.gate.metric;
    let classes = turned.found.metrics.iter().filter(|one| one.is_p99()).count();
    let what = if classes > 1 { quantity(turned, metric) } else { short(metric).to_owned() };
    let sign = if judged.gate.is_upper() { '<' } else { '>' };
    format!("{what} {sign} {}", value(metric, bound))
}

/// Where it is asked: ` at 8000 per second`, ` at all 5 loads`.
fn places(turned: &Turned<'_>, judged: &GateResult) -> String {
    let rows: Vec<&Row> =
        judged.rows.iter().filter_map(|row| turned.found.comparison.rows.get(row.0)).collect();
    match rows.as_slice() {
        [one] => format!(" at {}", words::place(turned, one)),
        [_, _] => " at both loads".to_owned(),
        all => format!(" at all {}", counted(all.len(), "load")),
    }
}

/// `1.942 ms (1.911 ms to 1.972 ms) on B, at least 1.4 % below the bound`; with the load where there are several.
fn of_side(turned: &Turned<'_>, judged: &GateResult, kept: &Kept<'_>, bound: f64) -> String {
    let &Kept { side, row, .. } = kept;
    let (name, found) = (side.name(), number(row, side));
    let many = judged.rows.len() > 1;
    let place = if many { format!(" at {}", words::place(turned, row)) } else { String::new() };
    let standing = if side == Side::A { row.base_standing } else { row.standing };
    let told = match standing {
        Standing::Invalid => return format!("that of {name}{place} must not be used, as a flag says"),
        Standing::Behind { .. } => {
            return format!("more arrives on {name}{place} than it serves, so that it keeps no latency");
        }
        Standing::Late if kept.outcome == Outcome::Undecided && is_known(found) => {
            "of which a part is Rigel's own (PACING_LATE)".to_owned()
        }
        Standing::Late | Standing::Usable => margin(found, bound),
    };
    format!("{} on {name}{place}, {told}", words::told_in(row.metric, found))
}

/// Whether it is known what another visit would give.
fn is_known(found: &Estimate) -> bool {
    found.ends().is_some() && found.basis != Basis::OneVisit
}

/// How far an interval is from a bound.
fn margin(found: &Estimate, bound: f64) -> String {
    let Some((lo, hi)) = found.ends().filter(|_| is_known(found)) else {
        return "without an interval".to_owned();
    };
    let share = |end: f64| plain_percent((end / bound - 1.0).abs());
    if hi <= bound {
        format!("at least {} % below the bound", share(hi))
    } else if lo >= bound {
        format!("at least {} % above the bound", share(lo))
    } else {
        "with the bound inside the interval".to_owned()
    }
}

/// Why a gate came out as it did, with the load in words.
pub fn reason(turned: &Turned<'_>, judged: &GateResult) -> Option<String> {
    let load = |row: &Row| Some(words::place(turned, row));
    let quantity = |metric: Metric| format!("the {} of B", short(metric));
    reason_in(judged, &turned.found.comparison, &Names { load: &load, quantity: &quantity })
}
