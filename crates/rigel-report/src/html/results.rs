//! Every number with its interval, as a table: the figures of the charts for readers without charts.
//!
//! Must not leave out a point.

use super::ids::Ids;
use super::markup::{Column, close_table, flag, open_table};
use crate::numbers::{number, time};
use crate::page::Page;
use crate::view::View;
use crate::words;
use rigel_core::judge::findings::{IoFindings, PointFindings};
use rigel_core::load::workload::Class;
use rigel_core::stats::Estimate;

/// A longer table is folded.
const MOST_ROWS: usize = 60;

/// The table; nothing when nothing was measured.
pub(super) fn section(page: &mut Page, view: &View<'_>, ids: &Ids) {
    let points = &view.findings.points;
    if points.is_empty() {
        return;
    }
    let has_small = view.has(Class::Small);
    let has_large = view.has(Class::Large);
    let classes =
        [("Small", "IOPS", has_small), ("Large", "MBPS", has_large)].into_iter().filter(|class| class.2);
    let names: Vec<String> = classes
        .flat_map(|(class, unit, _)| [unit, "mean", "p50", "p99"].map(|name| format!("{class} {name}")))
        .collect();
    let mut columns: Vec<Column<'_>> = vec![("Point", false)];
    columns.extend(names.iter().map(|name| (name.as_str(), true)));
    columns.extend([("Visits", true), ("Flags", false)]);
    page.line(format_args!("<section id=\"{}\">\n<h2>Numbers</h2>", ids.of("numbers")));
    open_table(page, &columns, points.len(), MOST_ROWS, "point");
    for (index, found) in points.iter().enumerate() {
        row(page, index, found, has_small, has_large);
    }
    close_table(page);
    page.line("</section>");
}

fn row(page: &mut Page, index: usize, found: &PointFindings, has_small: bool, has_large: bool) {
    page.push(format_args!(
        "<tr{}><th scope=\"row\"><button type=\"button\" data-point=\"{index}\">Small={} Large={}</button></th>",
        if found.invalid() { " class=\"bad\"" } else { "" },
        found.point.small,
        found.point.large
    ));
    for (class, _) in
        [(Class::Small, has_small), (Class::Large, has_large)].into_iter().filter(|class| class.1)
    {
        cells(page, found.io(class), class);
    }
    let flags: String = found.flags.iter().map(flag).collect();
    page.line(format_args!("<td class=\"n\">{}</td><td>{flags}</td></tr>", found.visits));
}

/// Rate, mean, median and 99th percentile of a class.
fn cells(page: &mut Page, io: Option<&IoFindings>, class: Class) {
    let us = io.and_then(|io| io.latency_us);
    cell(page, io.map(|io| io.rate(class)), number);
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
