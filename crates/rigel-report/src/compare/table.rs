//! A comparison as a table for the terminal, 80 columns wide.
//!
//! Must show every row that tells something of its own.

use super::verdict::Standing;
use super::words::{DOUBTS, doubt, meaning, named, names, some, verdict, width};
use super::{Compared, gates, levels, measured};
use crate::numbers::{signed_percent, time};
use crate::page::Page;
use crate::text::{number, suggestion, wrapped};
use rigel_core::load::class::Class;
use rigel_core::load::matrix::Point;
use rigel_core::path_text::printable;
use rigel_core::stats::Estimate;
use rigel_core::uses::compare::{Difference, Effect, Metric, Row};

/// The whole text.
pub(super) fn text(compared: &Compared<'_>) -> String {
    let mut page = Page::default();
    for (side, views) in [("Base  ", compared.base), ("New   ", compared.new)] {
        wrapped(&mut page, side, "      ", &names(views));
        measured::lines(views).iter().for_each(|line| wrapped(&mut page, "      ", "      ", line));
    }
    page.blank();
    standing(&mut page, &Standing::of(compared));
    page.blank();
    heading(&mut page);
    Metric::ALL.into_iter().for_each(|metric| section(&mut page, compared, metric));
    page.blank();
    wrapped(&mut page, "", "", &meaning(compared));
    repeated(&mut page, compared);
    doubts(&mut page, compared);
    differences(&mut page, compared);
    judged(&mut page, compared);
    page.into_string()
}

/// Whether the numbers may be used, before what they come to.
fn standing(page: &mut Page, found: &Standing) {
    wrapped(page, "", "", &found.head);
    found.causes.iter().for_each(|cause| wrapped(page, "- ", "  ", cause));
    found.outcome.iter().for_each(|sentence| wrapped(page, "", "", sentence));
    found.next.iter().for_each(|next| page.push(suggestion(next)));
}

fn heading(page: &mut Page) {
    page.line(format_args!(
        "{:>5}{:>6}{:>10}{:>6}{:>10}{:>6}{:>8} {:>16} Effect",
        "Small", "Large", "Base", "±%", "New", "±%", "Change", "from .. to %"
    ));
}

fn section(page: &mut Page, compared: &Compared<'_>, metric: Metric) {
    let found = compared.comparison;
    let rows: Vec<&Row> = found.shown().filter(|row| row.metric == metric).collect();
    if rows.is_empty() {
        return;
    }
    let same = found.rows.iter().filter(|row| row.metric.is_of_a_run() == metric.is_of_a_run());
    let same = same.filter(|row| found.repeated_by(row).is_some_and(|other| other.metric == metric));
    let names: Vec<_> = std::iter::once(metric).chain(same.map(|row| row.metric)).map(Metric::name).collect();
    page.line(format_args!("{} ({})", names.join(" = "), metric.unit()));
    let change = |row: &Row| row.change.ok().map(|change| [change.relative, change.lo, change.hi]);
    rows.into_iter().for_each(|row| line(page, row, change(row)));
}

/// A row with its change and both ends of an interval of it.
pub(crate) fn line(page: &mut Page, row: &Row, change: Option<[f64; 3]>) {
    let nothing = || "-".to_owned();
    let decimals = match row.metric.unit() {
        "IOPS" => 0,
        "us" | "per s" => 1,
        _ => 2,
    };
    let value = |side: &Estimate| number(some(side), decimals, 10);
    let (change, ends) = change.map_or_else(
        || (nothing(), nothing()),
        |change| {
            let [relative, lo, hi] = change.map(signed_percent);
            (relative, format!("{lo} .. {hi}"))
        },
    );
    let load = load(page, row.point);
    page.line(format_args!(
        "{load}{:>10}{:>6}{:>10}{:>6}{change:>8} {ends:>16} {}",
        value(&row.base),
        width(&row.base).unwrap_or_else(nothing),
        value(&row.new),
        width(&row.new).unwrap_or_else(nothing),
        verdict(row.verdict)
    ));
}

/// The load of a row in the first columns: small and large, or the level of another class. A load that needs more room has a
/// line of its own before.
fn load(page: &mut Page, point: Option<Point>) -> String {
    let Some(point) = point else { return format!("{:>5}{:>6}", "-", "-") };
    if point.is_of_pair() {
        return format!("{:>5}{:>6}", point.small(), point.large());
    }
    let mut classes = point.classes();
    if let (Some((_, level)), None) = (classes.next(), classes.next()) {
        return format!("{level:>11}");
    }
    wrapped(page, "  ", "    ", &point.words());
    format!("{:>11}", "")
}

/// The lowest latency, where a rate of the table tells the same.
fn repeated(page: &mut Page, compared: &Compared<'_>) {
    let found = compared.comparison;
    for row in found.rows.iter().filter(|row| row.metric == Metric::MinSmallLatency) {
        let Some((other, point)) = found.repeated_by(row).and_then(|other| Some((other, other.point?)))
        else {
            continue;
        };
        let text = format!(
            "{}: from {} to {}. {} at {} says the same: the latency is the outstanding I/Os over the rate.",
            row.metric.name(),
            some(&row.base).map_or_else(|| "-".to_owned(), time),
            some(&row.new).map_or_else(|| "-".to_owned(), time),
            other.metric.name(),
            named(&[point])
        );
        wrapped(page, "", "  ", &text);
    }
}

/// Why rows have no verdict.
fn doubts(page: &mut Page, compared: &Compared<'_>) {
    for reason in DOUBTS {
        let has = |row: &Row| row.verdict == Effect::Undecided(reason);
        if let Some(text) = doubt(reason).filter(|_| compared.comparison.shown().any(has)) {
            let label = format!("{}: ", verdict(Effect::Undecided(reason)));
            wrapped(page, &label, "  ", &format!("{text}."));
        }
    }
}

fn differences(page: &mut Page, compared: &Compared<'_>) {
    let found = compared.comparison;
    if !found.differences.is_empty() {
        page.blank();
        page.line("What differs besides the numbers (base, other run):");
    }
    for Difference { what, base, other, incomparable, .. } in &found.differences {
        let mark = if *incomparable { "! " } else { "  " };
        wrapped(page, mark, "    ", &format!("{what}: {}; {}", printable(base), printable(other)));
    }
    if found.incomparable().next().is_some() {
        page.line("!  the numbers are not about the same thing");
    }
    if let Some(points) = levels::left_out(compared, level) {
        page.blank();
        let text = format!("Not compared, because not every run has them (small,large): {points}");
        wrapped(page, "", "  ", &text);
    }
}

/// `8,0`; other classes with their names.
fn level(point: Point) -> String {
    let others = point.without(Class::SMALL).without(Class::LARGE).classes();
    let others: String = others.map(|(class, level)| format!(",{class}={level}")).collect();
    format!("{},{}{others}", point.small(), point.large())
}

fn judged(page: &mut Page, compared: &Compared<'_>) {
    let Some(verdict) = gates::sentence(compared.gates) else {
        return;
    };
    page.blank();
    for judged in compared.gates {
        let all = judged.rows.len();
        let places = if all > 1 { format!(" ({all} of {all} points)") } else { String::new() };
        let why = gates::reason(judged, compared.comparison).map_or(places, |why| format!(": {why}"));
        let outcome = format!("{:<10} ", judged.outcome.name());
        wrapped(page, &outcome, "           ", &format!("{}{why}", printable(&judged.gate.text)));
    }
    page.line(verdict);
}
