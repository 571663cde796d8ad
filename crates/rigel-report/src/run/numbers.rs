//! Every number with its interval, as a table: the figures of the charts for readers without charts.
//!
//! Must not leave out a point.

use crate::document::{Block, Cell, Column, Table};
use crate::flag_scopes::FlagScopes;
use crate::html::ids::Ids;
use crate::listing::{self, Listing, Room};
use crate::uneven;
use crate::view::View;
use rigel_core::judge::findings::{IoFindings, LatencyUs, PointFindings};
use rigel_core::judge::flags::Flag;
use rigel_core::load::class::LoadClass;
use rigel_core::path_text::printable;
use rigel_core::stats::Estimate;
use rigel_core::units::say::{number, time};

type LatencyFigure = fn(&LatencyUs) -> Estimate;

/// Figures of a latency with a column.
const LATENCIES: [(&str, LatencyFigure); 3] =
    [("mean", |us| us.mean), ("p50", |us| us.p50), ("p99", |us| us.p99)];

/// The tables; empty if nothing was measured.
pub(super) fn block(view: &View<'_>, ids: &Ids) -> Block {
    if view.findings.points.is_empty() {
        return Block::part(Vec::new());
    }
    let scopes = FlagScopes::of(view);
    let mut all = shared(&scopes);
    for (shown, points) in view.tables() {
        let blocks = match Listing::of(view, &shown, &points, Room::Wide) {
            Some(listing) => listed(view, &scopes, &listing),
            None => vec![matrix(view, &scopes, &shown, &points)],
        };
        all.push(match shown.first().and_then(|class| class.side) {
            Some(side) => Block::section(side.name(), blocks),
            None => Block::part(blocks),
        });
    }
    all.extend(uneven::sentence(view).map(Block::about));
    let phases = listing::phases(view);
    all.extend(phases.map(|listing| Block::section("Phases", listed(view, &scopes, &listing))));
    Block::section("Numbers", all).named(ids.of("numbers"))
}

/// Flags that many points share.
fn shared(scopes: &FlagScopes<'_>) -> Vec<Block> {
    let rows: Vec<(&str, &[&Flag])> = scopes.shared().collect();
    let table = || {
        Table::of("set", &rows)
            .column(Column::left("Of"), |(set, _)| *set)
            .column(Column::left("Flags"), |(_, flags)| cells(flags.to_vec()))
            .done()
    };
    (!rows.is_empty()).then(table).into_iter().collect()
}

fn cells(flags: Vec<&Flag>) -> Cell {
    Cell::Flags(flags.into_iter().cloned().collect())
}

/// A row for each point, columns for each class.
fn matrix(
    view: &View<'_>,
    scopes: &FlagScopes<'_>,
    shown: &[&LoadClass],
    points: &[&PointFindings],
) -> Block {
    let mut table = Table::of("point", points)
        .bad(|found| found.invalid())
        .column(Column::left("Point"), |found| choice(view, &[*found], view.named(found.point, " ")));
    for load in shown.iter().copied().filter(|load| view.has(load.name)) {
        let head = |name: &str| printable(&format!("{} {name}", load.plain_name().label())).into_owned();
        table = table
            .column(Column::right(head(load.unit())), |found| {
                Cell::figure(found.io(load.name).map(IoFindings::rate), number)
            })
            .columns(
                LATENCIES,
                |(name, _)| Column::right(head(name)),
                |found, (_, figure)| {
                    let us = found.io(load.name).and_then(|io| io.latency_us);
                    Cell::figure(us.as_ref().map(figure), time)
                },
            );
    }
    table
        .column(Column::right("Visits"), |found| found.visits)
        .column(Column::left("Flags"), |found| cells(scopes.own(found)))
        .done()
}

/// The same for a table with its own columns.
fn listed(view: &View<'_>, scopes: &FlagScopes<'_>, listing: &Listing<'_>) -> Vec<Block> {
    let mut table = listing.table();
    table.columns.push(Column::left("Flags"));
    for (row, of) in table.rows.iter_mut().zip(&listing.rows) {
        if let (Some(first), Some(name)) = (row.cells.first_mut(), of.cells.first()) {
            *first = choice(view, &of.points, name.clone());
        }
        row.cells.push(cells(of.points.iter().flat_map(|found| scopes.own(found)).collect()));
    }
    vec![table.into(), Block::about(listing.meaning)]
}

/// The name of a row, which chooses its point for the charts if it has one.
fn choice(view: &View<'_>, points: &[&PointFindings], name: String) -> Cell {
    let place = match points {
        [one] => view.findings.points.iter().position(|found| found.point == one.point),
        _ => None,
    };
    match place {
        Some(place) => Cell::Choice(place, name),
        None => Cell::Text(name),
    }
}
