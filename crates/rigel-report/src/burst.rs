//! How long a rate lasts and what restores it: a sentence, a table, the course of the rate, and its part of the JSON document.
//!
//! Must not judge; the findings do.

mod json;
mod metrics;
mod words;

pub(crate) use json::{BurstDocument, document};
pub(crate) use metrics::families;
pub(crate) use words::{lasting, reached, sentence};

use crate::document::picture::{Axis, Dot, Line, Lines, Panel, Shape};
use crate::document::{Block, Card, Column, Room, Table};
use crate::view::View;
use rigel_core::judge::findings::BurstFindings;
use rigel_core::path_text::printable;
use rigel_core::stats::burst::{BurstVerdict, Credit, Doubt, Recovery, Second};
use rigel_core::stats::sample::mean;
use rigel_core::stats::{Basis, Estimate, Interval};
use rigel_core::units::say::{number, percent, short};

/// Most dots of a line: more would overlap.
const MOST_DOTS: usize = 120;
const S_PER_MIN: f64 = 60.0;

/// A figure of the answer: its name, its value, half the width of its interval as a share of the value, and the ends of the interval as text.
struct Row {
    name: &'static str,
    value: String,
    half: Option<f64>,
    ends: Option<(String, String)>,
}

/// What a run found about a fall, whatever its test said.
pub(crate) const fn credit_of(found: &BurstVerdict) -> Option<(&Credit, Option<&Recovery>)> {
    match found {
        BurstVerdict::TokenBucket(credit, recovery)
        | BurstVerdict::NotABucket(credit, recovery)
        | BurstVerdict::Undecided(Doubt::TooSmall(credit, recovery)) => Some((credit, Some(recovery))),
        BurstVerdict::Undecided(Doubt::Untested(credit)) => Some((credit, None)),
        BurstVerdict::NoFall { .. } | BurstVerdict::Undecided(_) => None,
    }
}

/// The constant rate of a run without a fall.
pub(crate) const fn rate_of(found: &BurstVerdict) -> Option<Interval> {
    match found {
        BurstVerdict::NoFall { rate, .. }
        | BurstVerdict::Undecided(
            Doubt::Stopped(rate)
            | Doubt::FellLate(rate)
            | Doubt::EmptyAtStart { rate, .. }
            | Doubt::SpentAtOnce { rate, .. }
            | Doubt::LoadTooSmall { rate, .. },
        ) => Some(*rate),
        BurstVerdict::TokenBucket(..) | BurstVerdict::NotABucket(..) | BurstVerdict::Undecided(_) => None,
    }
}

/// A rate in the unit of its class.
fn rate(found: &BurstFindings, per_s: Interval) -> Estimate {
    found.load.rate(Estimate::of(per_s, Basis::OneVisit))
}

fn rows(found: &BurstFindings) -> Vec<Row> {
    let unit = printable(found.load.unit()).into_owned();
    let of = |name, interval: Interval, write: &dyn Fn(f64) -> String| Row {
        name,
        value: write(interval.mean),
        half: Some(interval.relative_half_width),
        ends: Some((write(interval.lo95), write(interval.hi95))),
    };
    let of_rate = |name, per_s: Interval| {
        let scale = rate(found, per_s).value / per_s.mean;
        of(name, per_s, &|per_s| format!("{} {unit}", number(per_s * scale)))
    };
    let Some((credit, recovery)) = credit_of(&found.found) else {
        return rate_of(&found.found).into_iter().map(|per_s| of_rate("Rate", per_s)).collect();
    };
    let plain = |name, value: String| Row { name, value, half: None, ends: None };
    let much = |ios: f64| words::amount(&found.load, ios);
    let mut all = vec![
        of_rate("Rate before the fall", credit.fall.high),
        of_rate("Rate after it", credit.fall.low),
        plain("Time until the fall", lasting(credit.lasted_s)),
        of("Used above the lower rate", credit.credit, &much),
    ];
    if matches!(found.found, BurstVerdict::TokenBucket(..)) {
        all.push(of("Idle time to refill", credit.refill_s, &lasting));
    }
    if let Some(recovery) = recovery {
        all.push(plain("Length of the pause", lasting(recovery.rest_s)));
        all.push(plain("Refilled in the pause", much(recovery.recovered)));
        all.push(plain("A bucket would have", much(recovery.expected)));
        // A width in per cent of a share in per cent would be taken for points.
        let (lo, hi) = recovery.ratio;
        let share = |of: f64| format!("{} %", percent(of.max(0.0)));
        all.push(Row {
            name: "Share that refilled",
            value: share(f64::midpoint(lo, hi)),
            half: None,
            ends: Some((share(lo), share(hi))),
        });
    }
    all
}

/// The figures; empty for another run, and for one whose answer has none.
pub(crate) fn blocks(view: &View<'_>, _room: Room) -> Vec<Block> {
    let Some(found) = &view.findings.burst else { return Vec::new() };
    let rows = rows(found);
    let table = Table::of("figure", &rows)
        .column(Column::left("Figure"), |row| row.name.to_owned())
        .column(Column::right("Value"), |row| match (&row.ends, row.half) {
            (Some((lo, hi)), None) => format!("{} ({lo} to {hi})", row.value),
            _ => row.value.clone(),
        })
        .column(Column::right("±%").gap(1), |row| row.half.map_or_else(|| "-".to_owned(), percent))
        .done();
    let mut all: Vec<Block> = if rows.is_empty() { Vec::new() } else { vec![table] };
    all.push(Block::about(words::about(found)));
    vec![Block::section("Bursts", all)]
}

/// The headline numbers; empty for another run.
pub(crate) fn cards(view: &View<'_>) -> Option<Vec<Card>> {
    let found = view.findings.burst.as_ref()?;
    let card = |row: Row| Card {
        title: row.name.to_owned(),
        value: row.value,
        about: row.ends.map(|(lo, hi)| format!("{lo} to {hi} (95 %)")).into_iter().collect(),
        ..Card::default()
    };
    Some(rows(found).into_iter().map(card).collect())
}

/// The rate over the time of the run.
pub(crate) fn panel(view: &View<'_>) -> Option<Panel> {
    let found = view.findings.burst.as_ref()?;
    let scale = found.load.rate(Estimate::bare(1.0)).value;
    let start_s = found.first.first()?.began_s;
    let line = |name: &str, seconds: &[Second]| {
        let dot = |part: &[Second]| {
            let ops: Vec<f64> = part.iter().map(|second| second.ops).collect();
            let middle_s = part
                .first()
                .zip(part.last())
                .map_or(0.0, |(first, last)| f64::midpoint(first.began_s, last.began_s + 1.0) - start_s);
            Dot { across: middle_s / S_PER_MIN, up: mean(&ops) * scale, ends: None }
        };
        let each = seconds.len().div_ceil(MOST_DOTS).max(1);
        Line { name: name.to_owned(), dots: seconds.chunks(each).map(dot).collect() }
    };
    let mut lines = vec![line("first burst", &found.first)];
    lines.extend((!found.second.is_empty()).then(|| line("second burst", &found.second)));
    let unit = printable(found.load.unit()).into_owned();
    let title = format!("{unit} over the time of the run");
    let (across, up) = (Axis::linear("minutes", short), Axis::linear(unit, short));
    Some(Panel {
        title,
        shape: Shape::Lines(Lines { across, up, lines, limit: None, band: None, marks: Vec::new() }),
    })
}
