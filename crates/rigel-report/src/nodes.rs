//! What each of several nodes did, as a table for people: each node beside the others.
//!
//! Must not compute what the findings have.

use crate::document::{Block, Cell, Column, Room, Table};
use crate::view::View;
use rigel_core::judge::findings::{NodeFindings, NodeIo, PointFindings};
use rigel_core::load::class::{Class, Figure, LoadClass};
use rigel_core::load::request::Request;
use rigel_core::path_text::printable;
use rigel_core::units::say::{number, time};

/// Longer tables are in `_nodes.csv` only.
const MOST_ROWS: usize = 64;

/// What the columns mean.
const MEANING: &str = "Of its part: what the node did, as a share of what it would do if all nodes were \
    equally fast, given its outstanding I/Os. \
    The nodes began each visit together; the sum of their rates is that of the point.";

/// A node at a point.
pub(crate) struct Row {
    name: String,
    load: String,
    outstanding: String,
    rate: String,
    /// How much of its part it did; 1 is all of it. Shows which node lags behind.
    of_part: f64,
    mean: Option<String>,
}

/// The table; nothing if one host measured.
pub(crate) fn blocks(mut rows: Vec<Row>, room: Room) -> Vec<Block> {
    if rows.is_empty() {
        return Vec::new();
    }
    let left = if room.is_wide() { 0 } else { rows.len().saturating_sub(MOST_ROWS) };
    rows.truncate(rows.len() - left);
    let table = Table::of("row", &rows)
        .indent(1)
        .column(Column::left(room.either("node", "Node")), |row| row.name.clone())
        .column(Column::right("load"), |row| row.load.clone())
        .column(Column::right("outstanding"), |row| row.outstanding.clone())
        .column(Column::right("rate"), |row| row.rate.clone())
        .column(Column::right("of its part"), |row| Cell::Share(row.of_part))
        .column(Column::right("mean"), |row| row.mean.clone())
        .done();
    let csv = "`rigel report RECORD --format csv` writes them to _nodes.csv";
    let more = (left > 0).then(|| Block::whole("", format!(".. and {left} more: {csv}")));
    Block::explained("Nodes", [table].into_iter().chain(more).collect(), MEANING, room)
}

/// The nodes under a load with this name.
pub(crate) fn rows_of(request: &Request, named: &str, nodes: &[NodeFindings]) -> Vec<Row> {
    let rows = |node: &NodeFindings| -> Vec<Row> {
        let name = printable(&node.name).into_owned();
        let row = |(class, io): (&Class, &NodeIo)| Some(row(&name, named, request.class(*class)?, io));
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

fn row(name: &str, named: &str, load: &LoadClass, io: &NodeIo) -> Row {
    Row {
        name: name.to_owned(),
        load: named.to_owned(),
        outstanding: format!("{} {}", io.planned, load.name),
        rate: match load.figure {
            Figure::Mbps => format!("{} MBPS", number(io.mbps)),
            Figure::Rate(_) => format!("{} {}", number(io.iops), printable(load.unit())),
        },
        of_part: io.of_due,
        mean: io.latency_us.map(time),
    }
}
