//! The curves of several runs in one chart: one class of I/O alone, of one size.
//!
//! Must not put points into one chart that differ in more than the run and the outstanding I/Os.

use super::{ChartInterval, drawn, is_marked};
use crate::flag_scopes::FlagScopes;
use crate::json_text::{compact, text};
use crate::label;
use crate::view::View;
use rigel_core::error::Problem;
use rigel_core::judge::findings::{IoFindings, PointFindings};
use rigel_core::load::class::{Class, LoadClass};
use rigel_core::load::matrix::Point;
use rigel_core::stats::Estimate;
use serde::Serialize;
use std::collections::BTreeMap;

/// The charts, as the page's script reads them.
#[derive(Serialize)]
pub(crate) struct Overlays {
    /// The names of the runs.
    pub runs: Vec<String>,
    /// A chart for each size that several runs have, and each of its quantities.
    pub charts: Vec<Overlay>,
    /// Runs that are in no chart, by index.
    #[serde(skip)]
    pub alone: Vec<usize>,
}

/// One chart.
#[derive(Serialize)]
pub(crate) struct Overlay {
    /// What is shown.
    pub title: String,
    /// The subject.
    pub about: String,
    /// What the axis of the load counts.
    x: String,
    /// `IOPS`, `MBPS`, or empty for times in microseconds.
    unit: String,
    lines: Vec<Line>,
}

/// The curve of a run.
#[derive(Clone, Serialize)]
struct Line {
    run: usize,
    /// The share of writes in per cent.
    writes: u64,
    rows: Vec<Row>,
}

#[derive(Clone, Serialize)]
struct Row {
    x: u32,
    estimate: ChartInterval,
    invalid: bool,
    own: bool,
    flags: Vec<&'static str>,
}

/// What runs in one chart share: class, size, and whether it uses streams.
type Kind = (Class, String, bool);
/// The figure that a chart shows.
type Quantity = fn(&IoFindings) -> Option<Estimate>;

impl Overlays {
    /// The charts of all runs.
    pub fn of(views: &[View<'_>]) -> Self {
        let mut kinds: BTreeMap<Kind, Vec<usize>> = BTreeMap::new();
        for (run, view) in views.iter().enumerate() {
            for load in view.loads() {
                if points(view, load.name).next().is_some() {
                    kinds.entry((load.name, size_of(load), load.streams())).or_default().push(run);
                }
            }
        }
        let shared: Vec<(Kind, Vec<usize>)> = kinds.into_iter().filter(|(_, runs)| runs.len() > 1).collect();
        let alone = (0..views.len()).filter(|run| shared.iter().all(|(_, runs)| !runs.contains(run)));
        Self {
            runs: label::numbered(views),
            alone: alone.collect(),
            charts: shared.into_iter().flat_map(|(kind, runs)| charts(views, kind, &runs)).collect(),
        }
    }

    /// The document.
    pub fn json(&self) -> Result<String, Problem> {
        compact(self)
    }
}

/// The points of one class alone that have numbers.
fn points<'a>(view: &'a View<'_>, class: Class) -> impl Iterator<Item = &'a PointFindings> {
    let all = view.findings.points.iter();
    all.filter(move |found| found.point.is_alone(class) && found.io(class).is_some())
}

/// ` of 8 KiB`; empty if it is not block I/O.
fn size_of(load: &LoadClass) -> String {
    let places = load.places.map_or_else(String::new, |places| format!(" by {places} places"));
    if load.io_bytes() > 0 { format!(" of {}{places}", load.size_text()) } else { places }
}

fn charts(views: &[View<'_>], (class, size, streams): Kind, runs: &[usize]) -> Vec<Overlay> {
    let first = runs.first().and_then(|&run| views.get(run));
    let Some(load) = first.and_then(|view| view.record.header.request.class(class)) else {
        return Vec::new();
    };
    let about = format!("of {}{size}{} alone", load.noun(), if streams { " in streams" } else { "" });
    let chart = |title: &str, unit: &str, quantity: Quantity| Overlay {
        title: text(title),
        about: about.clone(),
        x: load.axis(),
        unit: text(unit),
        lines: runs.iter().filter_map(|&run| Some(line(views.get(run)?, run, class, quantity))).collect(),
    };
    vec![
        chart(load.unit(), load.unit(), |io| Some(io.rate())),
        chart("Mean latency", "", |io| Some(io.latency_us?.mean)),
    ]
}

fn line(view: &View<'_>, run: usize, class: Class, quantity: Quantity) -> Line {
    let scopes = FlagScopes::of(view);
    let mut rows: BTreeMap<Point, Row> = BTreeMap::new();
    for found in points(view, class) {
        let Some(estimate) = found.io(class).and_then(quantity) else { continue };
        let row = Row {
            x: found.point.of(class),
            estimate: drawn(estimate),
            invalid: found.invalid(),
            own: scopes.own(found).into_iter().any(is_marked),
            flags: found.flags.iter().map(|flag| flag.code.name()).collect(),
        };
        rows.insert(found.point, row);
    }
    let writes = view.record.header.request.class(class).map_or(0, |class| class.write_percent.get());
    Line { run, writes: writes.into(), rows: rows.into_values().collect() }
}
