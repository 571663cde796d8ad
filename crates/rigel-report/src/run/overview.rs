//! The overview of several runs: a table with the headline numbers of each, and the curves that can be overlaid.
//!
//! Must not judge one run by another; that is for a comparison, which has its own rules.

use super::hero;
use crate::document::{Block, Cell, Chart, Column, Table};
use crate::html::data::overview::{Overlay, Overlays};
use crate::label;
use crate::verdict::Conclusion;
use crate::view::View;
use rigel_core::load::class::{Class, LoadClass, PerClass};
use rigel_core::units::say::{number, time};

/// All of it.
pub(crate) fn blocks(views: &[View<'_>], overlays: &Overlays) -> Vec<Block> {
    let about = "Each run has a page of its own, with all its numbers. IOPS are of small, MBPS of large I/O, latency is the \
                 mean of small I/O. ± is half the width of the 95 % interval of a number; overlapping \
                 intervals do not decide whether two runs differ.";
    let mut all: Vec<Block> = hero::several(views, &overlays.runs).into_iter().collect();
    all.extend([Block::section("Runs", vec![Block::about(about), table(views, overlays)]), curves(overlays)]);
    all.extend(alone(overlays));
    all
}

/// A run, with its number and its name.
type Row<'r, 'v> = (usize, &'r View<'v>, &'r String);

fn table(views: &[View<'_>], overlays: &Overlays) -> Block {
    let rows: Vec<Row<'_, '_>> =
        (1..).zip(views).zip(&overlays.runs).map(|((number, view), name)| (number, view, name)).collect();
    let rate = |view: &View<'_>, class: Class| {
        Cell::figure(view.findings.best.rate(class).map(|best| best.estimate), number)
    };
    let latency = |view: &View<'_>| {
        Cell::figure(view.findings.best.latency_us(Class::SMALL).map(|best| best.estimate), time)
    };
    Table::of("run", &rows)
        .column(Column::long("Run"), |(number, view, name)| Cell::Link {
            to: format!("r{number}"),
            text: (*name).clone(),
            below: view.record.header.started.clone(),
        })
        .column(Column::long("Targets"), |(_, view, _)| label::targets(view))
        .column(Column::left("Load"), |(_, view, _)| load(view))
        .column(Column::right("Most IOPS"), |(_, view, _)| rate(view, Class::SMALL))
        .column(Column::right("Most MBPS"), |(_, view, _)| rate(view, Class::LARGE))
        .column(Column::right("Least latency"), |(_, view, _)| latency(view))
        .columns(
            others(views),
            |load| Column::right(format!("Most {} {}", load.name, load.unit())),
            |(_, view, _), load| rate(view, load.name),
        )
        .column(Column::right("Points"), |(_, view, _)| view.findings.points.len())
        .column(Column::left("Flags"), |(_, view, _)| flags(view))
        .done()
}

/// The classes of all runs besides ORION's pair, each once.
fn others<'a>(views: &[View<'a>]) -> Vec<&'a LoadClass> {
    let all: PerClass<&LoadClass> =
        views.iter().flat_map(View::loads).map(|load| (load.name, load)).collect();
    all.into_values().filter(|load| ![Class::SMALL, Class::LARGE].contains(&load.name)).collect()
}

fn flags(view: &View<'_>) -> Cell {
    let verdict = Conclusion::of(view);
    let cut = (!view.record.complete()).then_some(("cut short", true));
    let codes = |invalid: bool| verdict.codes(invalid).map(move |code| (code.name(), invalid));
    let all: Vec<(&str, bool)> = cut.into_iter().chain(codes(true)).chain(codes(false)).collect();
    if all.is_empty() { "none".into() } else { Cell::Badges(all) }
}

/// The request in short: `normal, 8 KiB and 1 MiB, 20 % writes`.
fn load(view: &View<'_>) -> String {
    let request = &view.record.header.request;
    let size = |class: &LoadClass| match class.io_bytes() {
        0 => class.noun(),
        _ => class.size_text(),
    };
    let sizes: Vec<String> = view.main_loads().into_iter().map(size).collect();
    let mut parts = vec![request.level().name().to_owned(), sizes.join(" and ")];
    if request.write_percent().writes() {
        parts.push(format!("{} writes", request.write_share()));
    }
    parts.retain(|part| !part.is_empty());
    parts.join(", ")
}

/// The places of the charts.
fn curves(overlays: &Overlays) -> Block {
    let chart = |(number, Overlay { title, about, .. }): (usize, &Overlay)| {
        Chart::new(format!("overlay-{number}"), title.clone(), about.clone())
    };
    let charts: Vec<Chart> = overlays.charts.iter().enumerate().map(chart).collect();
    if charts.is_empty() {
        return Block::part(Vec::new());
    }
    let about = "One class of I/O alone, a line for each run whose I/Os have that size. A click on a line opens the page of its run.";
    Block::drawn("Over the load", &[about], charts).named("overlays".to_owned())
}

/// The runs that are in no chart.
fn alone(overlays: &Overlays) -> Option<Block> {
    let names: Vec<&str> =
        overlays.alone.iter().filter_map(|&run| Some(overlays.runs.get(run)?.as_str())).collect();
    let told = || {
        Block::about(format!(
            "In no chart, because no other run has a class of I/O of that size alone: {}.",
            names.join(", ")
        ))
    };
    (!names.is_empty()).then(told)
}
