//! What only open loops have, as a table for people: what was requested and served, how long that took, how late Rigel was.
//!
//! Mean and p99 are here as well: with other loads, the table of all numbers may have no room for them. Must not compute what the findings have.

use crate::document::{Block, Column, Room, Table};
use crate::view::View;
use crate::words;
use rigel_core::judge::findings::{IoFindings, OpenFindings, PointFindings};
use rigel_core::load::class::Class;
use rigel_core::units::say::{number, time};
use rigel_core::units::to_f64;

/// The columns.
const HEADS: [&str; 8] = ["asked/s", "served/s", "mean", "p99", "service", "lag p99", "waited", "backlog"];

/// What the columns mean.
const MEANING: &str = "Mean and p99 count from the time at which an I/O should have begun, even if it had \
    to wait. \
    Service: from its actual start to its end, on average. Lag: how late Rigel itself began it. Waited: the \
    share that waited because as many as allowed were outstanding, including those still waiting at the \
    end. Backlog: I/Os that had arrived but not completed, at the start and at the end of the measured time \
    of a visit.";

/// The table; empty if nothing arrived at a rate of its own. Flags and marks are in the table of all numbers.
pub(crate) fn blocks(view: &View<'_>, room: Room) -> Vec<Block> {
    let rows = rows(view);
    if rows.is_empty() {
        return Vec::new();
    }
    let table = Table::of("rate", &rows)
        .indent(1)
        .column(Column::left(room.either("", "Class")), |(class, _)| class.clone())
        .columns(
            HEADS.into_iter().enumerate(),
            |(_, head)| Column::right(head),
            |(_, cells), (place, _)| cells.get(place).cloned(),
        )
        .done();
    Block::explained("Arrivals", vec![table], MEANING, room)
}

/// A point of an open loop: its class, `open, A` if there are sides, and a cell for each column.
fn rows(view: &View<'_>) -> Vec<(String, [String; 8])> {
    let each = view
        .classes()
        .filter_map(|(found, class, io)| Some((io.load.title(), cells(found, class, io, io.open.as_ref()?))));
    each.collect()
}

fn cells(found: &PointFindings, class: Class, io: &IoFindings, open: &OpenFindings) -> [String; 8] {
    let (latency, service, lag) = (io.latency_us, open.service_us(), open.lag_us());
    let us = |us: Option<f64>| us.map_or_else(|| "-".to_owned(), time);
    let share = words::percent(open.waited_share());
    let visits = to_f64(found.visits.max(1) as u64);
    let [start, _, end] = open.backlog.map(|count| number((to_f64(count) / visits).round()));
    [
        number(found.point.of(class).into()),
        number(io.iops.value),
        us(latency.map(|us| us.mean.value)),
        us(latency.map(|us| us.p99.value)),
        us(service.map(|us| us.mean.value)),
        us(lag.map(|us| us.p99.value)),
        format!("{share} %"),
        format!("{start}..{end}"),
    ]
}
