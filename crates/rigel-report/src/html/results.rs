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
use rigel_core::stats::Interval;

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
    if has_small {
        let rate = found.small.as_ref().map(|io| (io.iops, io.sure.iops));
        cells(page, found.small.as_ref(), rate);
    }
    if has_large {
        let rate = found.large.as_ref().map(|io| (io.mbps, io.sure.mbps(io.io_bytes)));
        cells(page, found.large.as_ref(), rate);
    }
    let flags: String = found.flags.iter().map(flag).collect();
    page.line(format_args!("<td class=\"n\">{}</td><td>{flags}</td></tr>", found.visits));
}

/// Rate, mean, median and 99th percentile of a class.
fn cells(page: &mut Page, io: Option<&IoFindings>, rate: Option<(f64, Option<Interval>)>) {
    let us = io.and_then(|io| io.latency_us.map(|us| (us, &io.sure)));
    cell(page, rate, number);
    cell(page, us.map(|(us, sure)| (us.mean, sure.latency_us)), time);
    cell(page, us.map(|(us, sure)| (us.p50, sure.p50_us())), time);
    cell(page, us.map(|(us, sure)| (us.p99, sure.p99_us())), time);
}

/// A number with the width of its interval, as a cell of a table.
pub(super) fn cell(
    page: &mut Page,
    estimate: Option<(f64, Option<Interval>)>,
    write: impl Fn(f64) -> String,
) {
    let Some((value, interval)) = estimate else {
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
