//! Every number with its interval, as a table: the figures of the charts for readers without charts.
//!
//! Must not leave out a point.

use super::ids::Ids;
use super::markup::{Column, Text, close_table, flag, open_table};
use crate::flag_scopes::FlagScopes;
use crate::numbers::{number, time};
use crate::page::Page;
use crate::uneven;
use crate::view::View;
use crate::words;
use rigel_core::judge::findings::{IoFindings, PointFindings};
use rigel_core::judge::flags::Flag;
use rigel_core::load::class::LoadClass;
use rigel_core::path_text::printable;
use rigel_core::stats::Estimate;

/// A longer table is folded.
const MOST_ROWS: usize = 60;

/// The table; nothing when nothing was measured.
pub(super) fn section(page: &mut Page, view: &View<'_>, ids: &Ids) {
    let points = &view.findings.points;
    if points.is_empty() {
        return;
    }
    let scopes = FlagScopes::of(points);
    let loads = view.loads();
    let of_class = |load: &&LoadClass| {
        let label = load.name.label();
        [load.unit(), "mean", "p50", "p99"].map(|name| printable(&format!("{label} {name}")).into_owned())
    };
    let names: Vec<String> = loads.iter().flat_map(of_class).collect();
    let mut columns: Vec<Column<'_>> = vec![("Point", false)];
    columns.extend(names.iter().map(|name| (name.as_str(), true)));
    columns.extend([("Visits", true), ("Flags", false)]);
    page.line(format_args!("<section class=\"points\" id=\"{}\">\n<h2>Numbers</h2>", ids.of("numbers")));
    for (set, flags) in scopes.shared() {
        let flags: String = flags.iter().copied().map(flag).collect();
        page.line(format_args!("<div class=\"about\">Flags of {}: {flags}</div>", Text(set)));
    }
    open_table(page, &columns, points.len(), MOST_ROWS, "point");
    for (index, found) in points.iter().enumerate() {
        row(page, index, found, &loads, scopes.own(found));
    }
    close_table(page);
    if let Some(sentence) = uneven::sentence(view) {
        page.line(format_args!("<p class=\"about\">{}</p>", Text(&sentence)));
    }
    page.line("</section>");
}

fn row(page: &mut Page, index: usize, found: &PointFindings, loads: &[&LoadClass], own: Vec<&Flag>) {
    page.push(format_args!(
        "<tr{}><th scope=\"row\"><button type=\"button\" data-point=\"{index}\">{}</button></th>",
        if found.invalid() { " class=\"bad\"" } else { "" },
        found.point.named(" ")
    ));
    for load in loads {
        cells(page, found.io(load.name));
    }
    let flags: String = own.into_iter().map(flag).collect();
    page.line(format_args!("<td class=\"n\">{}</td><td class=\"flags\">{flags}</td></tr>", found.visits));
}

/// Rate, mean, median and 99th percentile of a class.
fn cells(page: &mut Page, io: Option<&IoFindings>) {
    let us = io.and_then(|io| io.latency_us);
    cell(page, io.map(IoFindings::rate), number);
    cell(page, us.map(|us| us.mean), time);
    cell(page, us.map(|us| us.p50), time);
    cell(page, us.map(|us| us.p99), time);
}

/// A number with the width of its interval, as a cell of a table.
pub(super) fn cell(page: &mut Page, estimate: Option<Estimate>, write: impl Fn(f64) -> String) {
    let Some(Estimate { value, interval, .. }) = estimate else {
        page.push("<td class=\"n\">-</td>");
        return;
    };
    match interval {
        Some(interval) => page.push(format_args!(
            "<td class=\"n\" title=\"{} to {}\">{} <small>±{} %</small></td>",
            write(interval.lo95),
            write(interval.hi95),
            write(value),
            words::percent(interval.relative_half_width)
        )),
        None => page.push(format_args!("<td class=\"n\">{}</td>", write(value))),
    }
}
