//! The rows of a comparison as tables: one of all quantities on a terminal, one for each on a page.
//!
//! Must not leave out a row that it is given.

use super::quantity::title;
use super::seen;
use super::words::{named, some, value, verdict, width};
use crate::document::{Block, Column, Room, Table};
use crate::text::number;
use rigel_core::judge::quantity::{Quantity, Unit};
use rigel_core::load::class::Class;
use rigel_core::stats::Estimate;
use rigel_core::units::say;
use rigel_uses::compare::{Comparison, Row, SeenChange};

/// Classes with a column of their own; with more, the load is named.
const MOST_CLASSES: usize = 2;

/// A longer number loses digits.
const MOST_DIGITS: usize = 10;

/// A row with its change, as far as it was observed.
pub(crate) type RowChange<'a> = (&'a Row, Option<SeenChange>);

/// The quantities that have rows, in their order.
pub(super) fn quantities(comparison: &Comparison) -> Vec<Quantity> {
    let mut all: Vec<Quantity> = comparison.rows.iter().map(|row| row.quantity).collect();
    all.dedup();
    all
}

/// A row with the change that it shows by itself.
pub(super) fn of_row(row: &Row) -> RowChange<'_> {
    (row, row.seen())
}

/// The tables; `name` is the name of a quantity on a terminal.
pub(crate) fn tables(
    rows: &[RowChange<'_>],
    sides: [&str; 2],
    name: impl Fn(Quantity) -> String,
    room: Room,
) -> Vec<Block> {
    let classes = classes(rows);
    if room.is_wide() {
        let parts = rows.chunk_by(|one, next| one.0.quantity == next.0.quantity);
        let part = |rows: &[RowChange<'_>]| {
            let title = rows.first().map_or_else(String::new, |(row, _)| title(row.quantity));
            Block::section(title, vec![table(rows, sides, &classes, room, &name)])
        };
        return parts.map(part).collect();
    }
    let all = if rows.is_empty() { Vec::new() } else { vec![table(rows, sides, &classes, room, &name)] };
    vec![Block::part(all)]
}

fn table(
    rows: &[RowChange<'_>],
    [base, new]: [&str; 2],
    classes: &[Class],
    room: Room,
    name: impl Fn(Quantity) -> String,
) -> Block {
    let (narrow, wide) = (!room.is_wide(), room.is_wide());
    let is_named = classes.len() > MOST_CLASSES || wide;
    let level = |(row, _): &RowChange<'_>, class: Class| row.point.map(|point| u64::from(point.of(class)));
    let side = |row: &Row, side: &Estimate| match (room, width(side)) {
        (Room::Narrow, _) => number(some(side), decimals(row.quantity), MOST_DIGITS),
        (Room::Wide, Some(width)) => format!("{} ±{width} %", value(row.quantity, side.value)),
        (Room::Wide, None) => some(side).map_or_else(|| "-".to_owned(), |side| value(row.quantity, side)),
    };
    let grouped =
        |(row, _): &RowChange<'_>| format!("{} ({})", name(row.quantity), row.quantity.unit().symbol());
    let table = Table::of("row", rows)
        .indent(if narrow { 2 } else { 0 })
        .column_if(is_named, Column::left("Load"), |(row, _)| row.point.map(|point| named(&[point])))
        .columns(classes.iter().copied().filter(|_| !is_named), |class| Column::right(class.label()), level)
        .column(Column::right(base), |(row, _)| side(row, &row.base))
        .column_if(narrow, Column::right("±%").gap(1), |(row, _)| width(&row.base))
        .column(Column::right(new), |(row, _)| side(row, &row.new))
        .column_if(narrow, Column::right("±%").gap(1), |(row, _)| width(&row.new))
        .column(Column::right("Change"), |(_, change)| change.map(|seen| say::change(seen.relative)))
        .column(Column::right("From .. to %"), |(_, change)| change.and_then(seen::range))
        .column(Column::left("Effect"), |(row, _)| verdict(row.verdict));
    if wide { table.done() } else { table.grouped(grouped).done() }
}

/// The classes of all loads.
fn classes(rows: &[RowChange<'_>]) -> Vec<Class> {
    let points = rows.iter().filter_map(|(row, _)| row.point);
    let mut all: Vec<Class> =
        points.flat_map(|point| point.classes().collect::<Vec<_>>()).map(|one| one.0).collect();
    all.sort();
    all.dedup();
    all
}

fn decimals(quantity: Quantity) -> usize {
    match quantity.unit() {
        Unit::Iops => 0,
        Unit::Us | Unit::PerSecond => 1,
        Unit::Times => 3,
        Unit::Mbps | Unit::Commits => 2,
    }
}
