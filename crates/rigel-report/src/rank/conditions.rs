//! Under which conditions storages were measured, and what their offers say about them.
//!
//! Must not judge them.

use super::RankView;
use crate::compare::{SourceView, run_lines};
use crate::document::{Block, Column, Room, Table};
use crate::surroundings;
use rigel_core::path_text::printable;
use std::collections::BTreeSet;

/// What is known about a storage besides its figures.
struct Condition {
    name: String,
    raid: String,
    labels: String,
    notes: String,
    machine: String,
    measured: String,
}

/// A table on a page, a line each on a terminal.
pub(super) fn block(ranked: &RankView<'_>, room: Room) -> Block {
    let rows: Vec<Condition> = ranked.ranking.rows.iter().map(|row| condition(ranked, row.storage)).collect();
    if !room.is_wide() {
        let line = |one: &Condition| {
            let parts = [&one.measured, &one.machine, &one.raid, &one.labels, &one.notes];
            let parts: Vec<&str> =
                parts.into_iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
            (one.name.clone(), parts.join("; "))
        };
        return Block::part(vec![Block::Facts(rows.iter().map(line).collect())]);
    }
    let has = |of: fn(&Condition) -> &String| rows.iter().any(|row| !of(row).is_empty());
    let table = Table::of("storage", &rows)
        .column(Column::left("Storage"), |row| row.name.clone())
        .column_if(has(|row| &row.raid), Column::left("RAID"), |row| row.raid.clone())
        .column_if(has(|row| &row.labels), Column::left("Labels"), |row| row.labels.clone())
        .column_if(has(|row| &row.machine), Column::left("Machine"), |row| row.machine.clone())
        .column_if(has(|row| &row.notes), Column::long("Notes"), |row| row.notes.clone())
        .column(Column::long("Measured"), |row| row.measured.clone())
        .done();
    Block::section("Conditions", vec![table])
}

fn condition(ranked: &RankView<'_>, storage: usize) -> Condition {
    let view = &ranked.storages[storage];
    let offer = ranked.offers.of(storage);
    let text = |text: Option<&String>| text.map(|text| printable(text).into_owned()).unwrap_or_default();
    let of_offer = offer.map(|offer| offer.labels.clone()).unwrap_or_default();
    let of_runs = view.runs.iter().filter_map(|run| match run {
        SourceView::Run(run) => run.record.header.request.label.clone(),
        SourceView::Tool(..) => None,
    });
    let own = of_runs.filter(|label| *printable(label) != view.name);
    let mut labels: Vec<String> =
        of_offer.into_iter().chain(own).map(|one| printable(&one).into_owned()).collect();
    labels.dedup();
    let lines = view.runs.iter().enumerate();
    let lines = lines.flat_map(|(run, source)| run_lines(source, ranked.contenders.results(storage, run)));
    Condition {
        name: view.name.clone(),
        raid: text(offer.map(|offer| &offer.raid)),
        labels: labels.join(", "),
        notes: text(offer.map(|offer| &offer.notes)),
        machine: machine(view.runs.iter()),
        measured: lines.collect::<Vec<_>>().join("; "),
    }
}

/// `a KVM virtual machine (QEMU Standard PC)`, of all runs; empty for simulated devices.
fn machine<'a>(runs: impl Iterator<Item = &'a SourceView<'a>>) -> String {
    let hosts = runs.filter_map(|run| match run {
        SourceView::Run(view) => Some(view.record.header.nodes.all()),
        SourceView::Tool(..) => None,
    });
    let nodes = hosts.flatten().filter(|node| !node.engine.kind.is_simulated());
    let of_host = |node: &rigel_core::record::Node| {
        let guest = node.host.guest().unwrap_or_else(|| "no virtual machine".to_owned());
        let limits = surroundings::limits(&node.host).map(|limits| format!(", limited to {limits}"));
        guest + &limits.unwrap_or_default()
    };
    let all: BTreeSet<String> = nodes.map(of_host).collect();
    all.into_iter().collect::<Vec<_>>().join("; ")
}
