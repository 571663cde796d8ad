//! What each of several nodes did, as a table for people.
//!
//! Text and page write the same cells. Must not compute what the findings have.

use crate::numbers::{number, time};
use crate::view::View;
use crate::words;
use rigel_core::judge::findings::{NodeFindings, NodeIo, PointFindings};
use rigel_core::load::class::{Figure, LoadClass};
use rigel_core::path_text::printable;

/// The columns behind the name of the node.
pub(crate) const HEADS: [&str; 5] = ["load", "outstanding", "rate", "of its part", "mean"];

/// What the columns mean.
pub(crate) const MEANING: &str = "Of its part: what the node did of what it would do if all were as fast, by what it had outstanding. \
    The nodes began each visit together; the sum of their rates is that of the point.";

/// The nodes of a point: name, and a cell for each column.
pub(crate) fn rows_of(view: &View<'_>, found: &PointFindings) -> Vec<(String, [String; 5])> {
    let row = |node: &NodeFindings| {
        let cells: Vec<[String; 5]> = node
            .ios
            .iter()
            .filter_map(|(class, io)| Some(cells(view, found, view.record.header.request.class(*class)?, io)))
            .collect();
        let name = printable(&node.name).into_owned();
        cells.into_iter().map(move |cells| (name.clone(), cells)).collect::<Vec<_>>()
    };
    found.nodes.iter().flat_map(row).collect()
}

/// The same of the points that have the highest rates, one for each class.
pub(crate) fn rows(view: &View<'_>) -> Vec<(String, [String; 5])> {
    let mut steps: Vec<usize> = Vec::new();
    let best = view.findings.points.iter().flat_map(PointFindings::classes).map(|(class, _)| class);
    for class in best {
        let Some(point) = view.findings.best.rate(class).map(|best| best.point) else { continue };
        let step = view.findings.points.iter().find(|found| found.point == point).map(|found| found.step);
        steps.extend(step.filter(|step| !steps.contains(step)));
    }
    let chosen = view.findings.points.iter().filter(|found| steps.contains(&found.step));
    chosen.flat_map(|found| rows_of(view, found)).collect()
}

fn cells(view: &View<'_>, found: &PointFindings, load: &LoadClass, io: &NodeIo) -> [String; 5] {
    let rate = match load.figure {
        Figure::Mbps => format!("{} MBPS", number(io.mbps)),
        Figure::Rate(_) => format!("{} {}", number(io.iops), printable(load.unit())),
    };
    [
        view.named(found.point, ", "),
        format!("{} {}", io.planned, load.name),
        rate,
        format!("{} %", words::percent(io.of_due)),
        io.latency_us.map_or_else(|| "-".to_owned(), time),
    ]
}
