//! What each of several sequential readers got: a table, and its part of the JSON document.
//!
//! Must not judge a reader.

use crate::document::{Block, Column, Room, Table};
use crate::view::View;
use rigel_core::judge::findings::{PointFindings, apart};
use rigel_core::load::class::{Class, LoadClass};
use rigel_core::path_text::printable;
use rigel_core::stats::Estimate;
use rigel_core::units::say::{number, percent};
use schemars::JsonSchema;
use serde::Serialize;

/// Readers that a terminal shows; a page and JSON have all.
const MOST_SHOWN: usize = 16;

/// A number of readers, each working alone.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReadersDocument {
    /// The class.
    class: Class,
    /// How many read at the same time.
    readers: u32,
    /// The rate of the slowest divided by the mean of all: 1 if all are equal.
    evenness: f64,
    /// The rate of each in the unit of the class, in the order of their starting places.
    each: Vec<Estimate>,
}

/// A point with the rates of its readers.
struct Readers<'a> {
    load: &'a LoadClass,
    readers: u32,
    each: Vec<Estimate>,
}

impl Readers<'_> {
    fn evenness(&self) -> f64 {
        let mean = self.each.iter().map(|one| one.value).sum::<f64>() / f64::from(self.readers.max(1));
        let least = self.each.iter().map(|one| one.value).fold(f64::INFINITY, f64::min);
        if mean > 0.0 { least / mean } else { 0.0 }
    }
}

/// Every point whose readers were counted separately.
fn all<'a>(view: &'a View<'_>) -> Vec<Readers<'a>> {
    let of = |found: &'a PointFindings| {
        let (class, io) = found.classes().next()?;
        let readers = found.point.of(class);
        let mut each = apart::rates(view.record, found, &io.load, apart::by_reader);
        if each.is_empty() || found.invalid() {
            return None;
        }
        each.truncate(usize::try_from(readers).unwrap_or(usize::MAX));
        Some(Readers { load: &io.load, readers, each })
    };
    view.findings.points.iter().filter_map(of).collect()
}

/// The documents of a run; empty if readers were not counted separately.
pub(crate) fn documents(view: &View<'_>) -> Vec<ReadersDocument> {
    let one = |found: Readers<'_>| ReadersDocument {
        class: found.load.name,
        readers: found.readers,
        evenness: found.evenness(),
        each: found.each,
    };
    all(view).into_iter().map(one).collect()
}

/// On a terminal a table of the most readers, elsewhere of every number of them.
pub(crate) fn blocks(view: &View<'_>, room: Room) -> Vec<Block> {
    let mut all: Vec<Readers<'_>> = all(view).into_iter().filter(|one| one.readers > 1).collect();
    if !room.is_wide() {
        all.drain(..all.len().saturating_sub(1));
    }
    all.iter().map(|found| section(found, room)).collect()
}

fn section(found: &Readers<'_>, room: Room) -> Block {
    let mean = found.each.iter().map(|one| one.value).sum::<f64>() / f64::from(found.readers.max(1));
    let mut rows: Vec<(usize, Estimate)> = found.each.iter().copied().enumerate().collect();
    rows.truncate(if room.is_wide() { rows.len() } else { MOST_SHOWN });
    let table = Table::of("reader", &rows)
        .column(Column::right("Reader"), |one| (one.0 + 1).to_string())
        .column(Column::right(printable(found.load.unit())), |one| number(one.1.value))
        .column(Column::right("±%").gap(1), |one| one.1.half_width().map_or_else(|| "-".to_owned(), percent))
        .column(Column::right("of mean"), move |one| format!("{} %", percent(one.1.value / mean)))
        .done();
    let about = format!(
        "The slowest of {} readers gets {} % of the mean. Reader k begins at (k-1)/{} of the targets; each \
         visit shifts all readers by the same amount. ± is half of a 95 % interval over the visits.",
        found.readers,
        percent(found.evenness()),
        found.readers
    );
    Block::section(format!("Each of {} readers", found.readers), vec![table, Block::about(about)])
}
