//! `_nodes.csv`: what each of several nodes did: a row for each node, point and class.
//!
//! Must not add the nodes up; the findings do.

use super::write;
use crate::view::View;
use rigel_core::error::Problem;
use rigel_core::judge::findings::{NodeIo, PointFindings};
use rigel_core::path_text::printable;

const FIGURES: [&str; 10] = [
    "class",
    "node",
    "name",
    "outstanding",
    "iops",
    "mbps",
    "latency_mean_us",
    "of_part",
    "of_part_error",
    "errors",
];

/// The table with its header line; `None` if one host measured.
pub(crate) fn table(view: &View<'_>) -> Result<Option<Vec<u8>>, Problem> {
    if view.findings.points.iter().all(|found| found.nodes.is_empty()) {
        return Ok(None);
    }
    let levels = view.level_columns();
    let names = levels.iter().map(|(name, _)| name.clone());
    let names = std::iter::once("run_id".to_owned()).chain(names).chain(FIGURES.map(str::to_owned));
    write(names, view.findings.points.iter().flat_map(|found| rows(view, found))).map(Some)
}

fn rows<'a>(view: &'a View<'_>, found: &'a PointFindings) -> impl Iterator<Item = Vec<String>> + 'a {
    let run_id = printable(&view.record.header.run_id).into_owned();
    let levels: Vec<String> =
        view.level_columns().into_iter().map(|(_, class)| found.point.of(class).to_string()).collect();
    let all = found.nodes.iter().flat_map(|node| node.ios.iter().map(move |(class, io)| (node, class, io)));
    all.map(move |(node, class, io)| {
        let mut row = vec![run_id.clone()];
        row.extend(levels.iter().cloned());
        row.extend([class.to_string(), node.node.to_string(), printable(&node.name).into_owned()]);
        row.extend(figures(io));
        row
    })
}

fn figures(io: &NodeIo) -> [String; 7] {
    [
        io.planned.to_string(),
        io.iops.to_string(),
        io.mbps.to_string(),
        io.latency_us.map_or_else(String::new, |us| us.to_string()),
        io.of_due.to_string(),
        io.of_due_error.to_string(),
        io.errors.to_string(),
    ]
}
