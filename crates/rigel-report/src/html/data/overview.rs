//! The curves of several runs in one chart: one class of I/O alone, of one size.
//!
//! Must not put points into one chart that differ in more than the run and the outstanding I/Os.

use super::{Drawn, drawn, is_marked};
use crate::flag_scopes::FlagScopes;
use crate::html::several::label;
use crate::json::compact;
use crate::view::View;
use rigel_core::error::Problem;
use rigel_core::judge::findings::{IoFindings, PointFindings};
use rigel_core::load::matrix::Point;
use rigel_core::load::workload::{Class, LargePattern};
use rigel_core::path_text::printable;
use rigel_core::stats::Estimate;
use rigel_core::units::Bytes;
use serde::Serialize;
use std::collections::BTreeMap;

/// The charts, as the page's script reads them.
#[derive(Serialize)]
pub(in crate::html) struct Overlays {
    /// How the runs are called.
    runs: Vec<String>,
    /// A chart for each size that several runs have, and each of its quantities.
    pub charts: Vec<Overlay>,
    /// Runs that are in none, by their place.
    #[serde(skip)]
    pub alone: Vec<usize>,
}

/// One chart.
#[derive(Serialize)]
pub(in crate::html) struct Overlay {
    /// What is shown.
    pub title: &'static str,
    /// Of what.
    pub about: String,
    /// What the axis of the load counts.
    x: String,
    /// `IOPS`, `MBPS`, or nothing for times in microseconds.
    unit: &'static str,
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
    estimate: Drawn,
    invalid: bool,
    own: bool,
    flags: Vec<&'static str>,
}

/// What runs in one chart have in common: class, size, and for large I/O whether it walks in streams.
type Kind = (bool, u64, bool);
/// The figure that a chart shows.
type Quantity = fn(&IoFindings) -> Option<Estimate>;

impl Overlays {
    /// Those of all runs.
    pub fn of(views: &[View<'_>]) -> Self {
        let mut kinds: BTreeMap<Kind, Vec<usize>> = BTreeMap::new();
        for (run, view) in views.iter().enumerate() {
            for class in [Class::Small, Class::Large] {
                if points(view, class).next().is_some() {
                    kinds.entry(kind(view, class)).or_default().push(run);
                }
            }
        }
        let shared: Vec<(Kind, Vec<usize>)> = kinds.into_iter().filter(|(_, runs)| runs.len() > 1).collect();
        let alone = (0..views.len()).filter(|run| shared.iter().all(|(_, runs)| !runs.contains(run)));
        Self {
            runs: (1..)
                .zip(views)
                .map(|(number, view)| printable(&label(number, view)).into_owned())
                .collect(),
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
    all.filter(move |found| found.point.of(class.other()) == 0 && found.io(class).is_some())
}

fn kind(view: &View<'_>, class: Class) -> Kind {
    let request = &view.record.header.request;
    match class {
        Class::Small => (false, request.small_bytes, false),
        Class::Large => {
            (true, request.large_bytes, matches!(request.large_pattern, LargePattern::Sequential { .. }))
        }
    }
}

fn charts(views: &[View<'_>], (large, bytes, streams): Kind, runs: &[usize]) -> Vec<Overlay> {
    let size = Bytes(bytes);
    let (class, name, what) = match (large, streams) {
        (false, _) => (Class::Small, format!("small I/O of {size}"), "small I/Os"),
        (true, false) => (Class::Large, format!("large I/O of {size}"), "large I/Os"),
        (true, true) => (Class::Large, format!("large I/O of {size} in streams"), "large streams"),
    };
    let chart = |title, unit, quantity: Quantity| Overlay {
        title,
        about: format!("of {name} alone"),
        x: format!("outstanding {what}"),
        unit,
        lines: runs.iter().filter_map(|&run| Some(line(views.get(run)?, run, class, quantity))).collect(),
    };
    let rate = match class {
        Class::Small => chart("IOPS", "IOPS", |io| Some(io.iops)),
        Class::Large => chart("MBPS", "MBPS", |io| Some(io.mbps())),
    };
    vec![rate, chart("Mean latency", "", |io| Some(io.latency_us?.mean))]
}

fn line(view: &View<'_>, run: usize, class: Class, quantity: Quantity) -> Line {
    let scopes = FlagScopes::of(&view.findings.points);
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
    let writes = view.record.header.request.write_percent.get();
    Line { run, writes: writes.into(), rows: rows.into_values().collect() }
}
