//! A comparison as a table for the terminal, 80 columns wide.
//!
//! Must show every row, except a latency that follows from the rate of the same point.

use super::Compared;
use super::verdict::Standing;
use super::words::{doubt, meaning, names, percents, some, verdict, verdict_of_gates, width};
use crate::page::Page;
use crate::text::{number, suggestion, wrapped};
use rigel_core::load::class::Class;
use rigel_core::load::matrix::Point;
use rigel_core::path_text::printable;
use rigel_core::stats::Estimate;
use rigel_core::uses::compare::change::Doubt;
use rigel_core::uses::compare::{Difference, Effect, Metric, Row};

/// The whole text.
pub(super) fn text(compared: &Compared<'_>) -> String {
    let mut page = Page::default();
    wrapped(&mut page, "Base  ", "      ", &names(compared.base));
    wrapped(&mut page, "New   ", "      ", &names(compared.new));
    page.blank();
    standing(&mut page, &Standing::of(compared));
    page.blank();
    heading(&mut page);
    Metric::ALL
        .into_iter()
        .filter(|metric| is_shown(*metric))
        .for_each(|metric| section(&mut page, compared, metric));
    page.blank();
    wrapped(&mut page, "", "", meaning(compared));
    doubts(&mut page, compared);
    differences(&mut page, compared);
    gates(&mut page, compared);
    page.into_string()
}

/// Whether the numbers may be used, before what they come to.
fn standing(page: &mut Page, found: &Standing) {
    wrapped(page, "", "", &found.head);
    found.causes.iter().for_each(|cause| wrapped(page, "- ", "  ", cause));
    wrapped(page, "", "", &found.outcome);
    if let Some(next) = &found.next {
        page.push(suggestion(next));
    }
}

/// Latencies at a point follow from its rate; they are in the other outputs.
const fn is_shown(metric: Metric) -> bool {
    metric.is_of_a_run() || !metric.mirrors_a_rate()
}

fn heading(page: &mut Page) {
    page.line(format_args!(
        "{:>5}{:>6}{:>10}{:>6}{:>10}{:>6}{:>8} {:>16} Effect",
        "Small", "Large", "Base", "±%", "New", "±%", "Change", "from .. to %"
    ));
}

fn section(page: &mut Page, compared: &Compared<'_>, metric: Metric) {
    let rows: Vec<&Row> = compared.comparison.rows.iter().filter(|row| row.metric == metric).collect();
    if rows.is_empty() {
        return;
    }
    page.line(format_args!("{} ({})", metric.name(), metric.unit()));
    rows.into_iter().for_each(|row| line(page, row));
}

fn line(page: &mut Page, row: &Row) {
    let nothing = || "-".to_owned();
    let level = |level: Option<u32>| level.map_or_else(nothing, |level| level.to_string());
    let decimals = match row.metric.unit() {
        "IOPS" => 0,
        "us" => 1,
        _ => 2,
    };
    let value = |side: &Estimate| number(some(side), decimals, 10);
    let (change, ends) = match &row.change {
        Ok(change) => {
            let [relative, lo, hi] = percents(change);
            (relative, format!("{lo} .. {hi}"))
        }
        Err(_) => (nothing(), nothing()),
    };
    page.line(format_args!(
        "{:>5}{:>6}{:>10}{:>6}{:>10}{:>6}{change:>8} {ends:>16} {}",
        level(row.point.map(|point| point.small())),
        level(row.point.map(|point| point.large())),
        value(&row.base),
        width(&row.base).unwrap_or_else(nothing),
        value(&row.new),
        width(&row.new).unwrap_or_else(nothing),
        verdict(row.verdict)
    ));
}

/// Why rows have no verdict.
fn doubts(page: &mut Page, compared: &Compared<'_>) {
    for reason in [Doubt::Invalid, Doubt::NoData, Doubt::OneVisit, Doubt::NoInterval] {
        let has = |row: &Row| row.verdict == Effect::NoEvidence(reason) && is_shown(row.metric);
        if let Some(text) = doubt(reason).filter(|_| compared.comparison.rows.iter().any(has)) {
            let label = format!("{}: ", verdict(Effect::NoEvidence(reason)));
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
    if !found.left_out.is_empty() {
        page.blank();
        let points: Vec<String> = found.left_out.iter().map(|&point| levels(point)).collect();
        let text =
            format!("Not compared, because some run has no such point (small,large): {}", points.join(" "));
        wrapped(page, "", "  ", &text);
    }
}

/// `8,0`; other classes with their names.
fn levels(point: Point) -> String {
    let others = point.without(Class::SMALL).without(Class::LARGE).classes();
    let others: String = others.map(|(class, level)| format!(",{class}={level}")).collect();
    format!("{},{}{others}", point.small(), point.large())
}

fn gates(page: &mut Page, compared: &Compared<'_>) {
    let Some(verdict) = verdict_of_gates(compared) else {
        return;
    };
    page.blank();
    for judged in compared.gates {
        let (outcome, all) = (judged.outcome, judged.rows.len());
        let at = judged.rows.iter().filter(|row| row.1 == outcome).count();
        let places = if all > 1 { format!(" ({at} of {all} points)") } else { String::new() };
        page.line(format_args!("{:<10} {}{places}", outcome.name(), printable(&judged.gate.text)));
    }
    page.line(verdict);
}
