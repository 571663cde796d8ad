//! What each of several nodes did, as a table for people.
//!
//! Text and page write the same cells. Must not compute what the findings have.

use crate::numbers::{number, time};
use crate::view::View;
use crate::words;
use rigel_core::judge::findings::{NodeFindings, NodeIo, PointFindings};
use rigel_core::load::class::{Class, Figure, LoadClass};
use rigel_core::load::request::Request;
use rigel_core::path_text::printable;

/// The columns behind the name of the node.
pub(crate) const HEADS: [&str; 5] = ["load", "outstanding", "rate", OF_PART, "mean"];
/// The column that tells a node which lags behind.
pub(crate) const OF_PART: &str = "of its part";

/// What the columns mean.
pub(crate) const MEANING: &str = "Of its part: what the node did of what it would do if all were as fast, by what it had outstanding. \
    The nodes began each visit together; the sum of their rates is that of the point.";

/// A node at a point.
pub(crate) struct Row {
    /// Its name.
    pub name: String,
    /// A cell for each of [`HEADS`].
    pub cells: [String; 5],
    /// What it did of its part; 1 is all of it.
    pub of_part: f64,
}

/// The nodes under a load, which `named` names.
pub(crate) fn rows_of(request: &Request, named: &str, nodes: &[NodeFindings]) -> Vec<Row> {
    let rows = |node: &NodeFindings| -> Vec<Row> {
        let name = printable(&node.name).into_owned();
        let row = |(class, io): (&Class, &NodeIo)| {
            let load = request.class(*class)?;
            Some(Row { name: name.clone(), cells: cells(named, load, io), of_part: io.of_due })
        };
        node.ios.iter().filter_map(row).collect()
    };
    nodes.iter().flat_map(rows).collect()
}

/// The nodes of every point.
pub(crate) fn all_rows(view: &View<'_>) -> Vec<Row> {
    view.findings.points.iter().flat_map(|found| rows_of_point(view, found)).collect()
}

fn rows_of_point(view: &View<'_>, found: &PointFindings) -> Vec<Row> {
    rows_of(&view.record.header.request, &view.named(found.point, ", "), &found.nodes)
}

/// The same of the points that have the highest rates, one for each class.
pub(crate) fn rows(view: &View<'_>) -> Vec<Row> {
    let mut steps: Vec<usize> = Vec::new();
    let best = view.findings.points.iter().flat_map(PointFindings::classes).map(|(class, _)| class);
    for class in best {
        let Some(point) = view.findings.best.rate(class).map(|best| best.point) else { continue };
        let step = view.findings.points.iter().find(|found| found.point == point).map(|found| found.step);
        steps.extend(step.filter(|step| !steps.contains(step)));
    }
    let chosen = view.findings.points.iter().filter(|found| steps.contains(&found.step));
    chosen.flat_map(|found| rows_of_point(view, found)).collect()
}

fn cells(named: &str, load: &LoadClass, io: &NodeIo) -> [String; 5] {
    let rate = match load.figure {
        Figure::Mbps => format!("{} MBPS", number(io.mbps)),
        Figure::Rate(_) => format!("{} {}", number(io.iops), printable(load.unit())),
    };
    [
        named.to_owned(),
        format!("{} {}", io.planned, load.name),
        rate,
        format!("{} %", words::percent(io.of_due)),
        io.latency_us.map_or_else(|| "-".to_owned(), time),
    ]
}
