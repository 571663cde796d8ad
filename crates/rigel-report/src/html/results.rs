//! Every number with its interval, as a table: the figures of the charts for readers without charts.
//!
//! Must not leave out a point.

use super::ids::Ids;
use super::markup::{Column, Text, close_table, flag, open_table};
use crate::flag_scopes::FlagScopes;
use crate::listing::{self, Listing, Room};
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

/// The tables; nothing when nothing was measured.
pub(super) fn section(page: &mut Page, view: &View<'_>, ids: &Ids) {
    let points = &view.findings.points;
    if points.is_empty() {
        return;
    }
    let scopes = FlagScopes::of(view);
    page.line(format_args!("<section class=\"points\" id=\"{}\">\n<h2>Numbers</h2>", ids.of("numbers")));
    for (set, flags) in scopes.shared() {
        let flags: String = flags.iter().copied().map(flag).collect();
        page.line(format_args!("<div class=\"about\">Flags of {}: {flags}</div>", Text(set)));
    }
    for (shown, points) in view.tables() {
        if let Some(side) = shown.first().and_then(|class| class.side) {
            page.line(format_args!("<h3>{}</h3>", side.name()));
        }
        match Listing::of(view, &shown, &points, Room::Wide) {
            Some(listing) => listed(page, view, &scopes, &listing),
            None => matrix(page, view, &scopes, &shown, &points),
        }
    }
    if let Some(sentence) = uneven::sentence(view) {
        page.line(format_args!("<p class=\"about\">{}</p>", Text(&sentence)));
    }
    if let Some(listing) = listing::phases(view) {
        page.line("<h3>Phases</h3>");
        listed(page, view, &scopes, &listing);
    }
    page.line("</section>");
}

/// A row for each point, columns for each class.
fn matrix(
    page: &mut Page,
    view: &View<'_>,
    scopes: &FlagScopes<'_>,
    shown: &[&LoadClass],
    points: &[&PointFindings],
) {
    let loads: Vec<&LoadClass> = shown.iter().copied().filter(|load| view.has(load.name)).collect();
    let of_class = |load: &&LoadClass| {
        let label = load.plain_name().label();
        [load.unit(), "mean", "p50", "p99"].map(|name| printable(&format!("{label} {name}")).into_owned())
    };
    let names: Vec<String> = loads.iter().flat_map(of_class).collect();
    let mut columns: Vec<Column<'_>> = vec![("Point", false)];
    columns.extend(names.iter().map(|name| (name.as_str(), true)));
    columns.extend([("Visits", true), ("Flags", false)]);
    open_table(page, &columns, points.len(), MOST_ROWS, "point");
    for found in points {
        begin_row(page, found.invalid(), &chooser(view, &[found], &view.named(found.point, " ")));
        loads.iter().for_each(|load| cells(page, found.io(load.name)));
        page.push(format_args!("<td class=\"n\">{}</td>", found.visits));
        end_row(page, scopes.own(found));
    }
    close_table(page);
}

/// The same of a table that has its own columns.
fn listed(page: &mut Page, view: &View<'_>, scopes: &FlagScopes<'_>, listing: &Listing<'_>) {
    let mut columns: Vec<Column<'_>> =
        listing.heads.iter().zip(0..).map(|(head, place)| (head.as_str(), place > 0)).collect();
    columns.push(("Flags", false));
    open_table(page, &columns, listing.rows.len(), MOST_ROWS, "row");
    for row in &listing.rows {
        let Some((name, cells)) = row.cells.split_first() else { continue };
        begin_row(page, row.invalid(), &chooser(view, &row.points, name));
        cells.iter().for_each(|cell| page.push(format_args!("<td class=\"n\">{}</td>", Text(cell))));
        end_row(page, row.points.iter().flat_map(|found| scopes.own(found)).collect());
    }
    close_table(page);
    page.line(format_args!("<p class=\"about\">{}</p>", Text(listing.meaning)));
}

fn begin_row(page: &mut Page, invalid: bool, name: &str) {
    let class = if invalid { " class=\"bad\"" } else { "" };
    page.push(format_args!("<tr{class}><th scope=\"row\">{name}</th>"));
}

fn end_row(page: &mut Page, own: Vec<&Flag>) {
    let flags: String = own.into_iter().map(flag).collect();
    page.line(format_args!("<td class=\"flags\">{flags}</td></tr>"));
}

/// The name of a row, which chooses its point for the charts where it has one.
fn chooser(view: &View<'_>, points: &[&PointFindings], name: &str) -> String {
    let index = match points {
        [one] => view.findings.points.iter().position(|found| found.point == one.point),
        _ => None,
    };
    match index {
        Some(index) => format!("<button type=\"button\" data-point=\"{index}\">{}</button>", Text(name)),
        None => Text(name).to_string(),
    }
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
