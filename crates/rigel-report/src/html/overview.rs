//! The overview of several runs: a table with the headline numbers of each, and the curves of those that can lie over each
//! other.
//!
//! Must not judge one run by another; that is for a comparison, which has its own rules.

use super::data::overview::{Overlay, Overlays};
use super::markup::{Column, Text, badge, chart, close_table, open_table};
use super::results;
use crate::label;
use crate::numbers::{number, time};
use crate::page::Page;
use crate::verdict::Conclusion;
use crate::view::View;
use rigel_core::judge::flags::FlagCode;
use rigel_core::load::class::{Class, LoadClass, PerClass};

/// A longer table is folded.
const MOST_ROWS: usize = 100;
/// All of it.
pub(super) fn sections(page: &mut Page, views: &[View<'_>], overlays: &Overlays) {
    page.line(
        "<p class=\"about\">Each run has a page of its own, with all its numbers. IOPS are of small, MBPS of large I/O, latency is the \
         mean of small I/O. ± is half the width of the 95 % interval of a number; whether two runs differ is more than whether their \
         intervals overlap.</p>",
    );
    let others = others(views);
    let names: Vec<String> =
        others.iter().map(|load| format!("Most {} {}", load.name, load.unit())).collect();
    let mut columns: Vec<Column<'_>> = vec![("Run", false), ("Targets", false), ("Load", false)];
    columns.extend([("Most IOPS", true), ("Most MBPS", true), ("Least latency", true)]);
    columns.extend(names.iter().map(|name| (name.as_str(), true)));
    columns.extend([("Points", true), ("Flags", false)]);
    open_table(page, &columns, views.len(), MOST_ROWS, "run");
    for ((number, view), name) in (1..).zip(views).zip(&overlays.runs) {
        row(page, number, view, name, &others);
    }
    close_table(page);
    curves(page, overlays);
}

/// The classes of all runs beside ORION's pair, each once.
fn others<'a>(views: &[View<'a>]) -> Vec<&'a LoadClass> {
    let all: PerClass<&LoadClass> =
        views.iter().flat_map(View::loads).map(|load| (load.name, load)).collect();
    all.into_values().filter(|load| ![Class::SMALL, Class::LARGE].contains(&load.name)).collect()
}

fn row(page: &mut Page, index: usize, view: &View<'_>, name: &str, others: &[&LoadClass]) {
    let header = &view.record.header;
    let found = &view.findings;
    let verdict = Conclusion::of(view);
    page.push(format_args!(
        "<tr><th scope=\"row\" class=\"run\"><a href=\"#r{index}\">{}</a><div class=\"when\">{}</div></th><td class=\"some\">{}</td><td>{}</td>",
        Text(name),
        Text(&header.started),
        Text(&label::targets(view)),
        Text(&load(view))
    ));
    results::cell(page, found.best.rate(Class::SMALL).map(|best| best.estimate), number);
    results::cell(page, found.best.rate(Class::LARGE).map(|best| best.estimate), number);
    results::cell(page, found.best.latency_us(Class::SMALL).map(|best| best.estimate), time);
    for load in others {
        results::cell(page, found.best.rate(load.name).map(|best| best.estimate), number);
    }
    page.push(format_args!("<td class=\"n\">{}</td><td class=\"flags\">", found.points.len()));
    if !view.record.complete() {
        page.push("<span class=\"flag bad\">cut short</span>");
    }
    codes(page, verdict.codes(true), true);
    codes(page, verdict.codes(false), false);
    if verdict.causes.is_empty() {
        page.push("none");
    }
    page.line("</td></tr>");
}

fn codes(page: &mut Page, codes: impl Iterator<Item = FlagCode>, invalid: bool) {
    for code in codes {
        page.push(badge(code, invalid));
    }
}

/// The request in short: `normal, 8 KiB and 1 MiB, 20 % writes`.
fn load(view: &View<'_>) -> String {
    let request = &view.record.header.request;
    let size = |class: &LoadClass| match class.io_bytes() {
        0 => class.noun(),
        _ => class.size_text(),
    };
    let sizes: Vec<String> = view.main_loads().into_iter().map(size).collect();
    let mut parts = vec![request.level.name().to_owned(), sizes.join(" and ")];
    if request.write_percent().writes() {
        parts.push(format!("{} writes", request.write_share()));
    }
    parts.retain(|part| !part.is_empty());
    parts.join(", ")
}

/// The places of the charts, and the runs that are in none of them.
fn curves(page: &mut Page, overlays: &Overlays) {
    if !overlays.charts.is_empty() {
        page.line(
            "<section id=\"overlays\" class=\"drawn-only\">\n<h2>Over the load</h2>\n<p class=\"about\">One class of I/O alone, a line for \
             each run whose I/Os have that size. A click on a line opens the page of its run.</p>\n<p class=\"no-charts\">The \
             charts are drawn by the script of this page, which did not run.</p>\n<div class=\"charts\">",
        );
        for (number, overlay) in overlays.charts.iter().enumerate() {
            let Overlay { title, about, .. } = overlay;
            chart(page, format_args!("overlay-{number}"), title, about);
        }
        page.line("</div>\n</section>");
    }
    if !overlays.alone.is_empty() {
        let names: Vec<&str> =
            overlays.alone.iter().filter_map(|&run| Some(overlays.runs.get(run)?.as_str())).collect();
        page.line(format_args!(
            "<p class=\"about\">In no chart, as no other run has a class of I/O of that size alone: {}.</p>",
            Text(&names.join(", "))
        ));
    }
}
