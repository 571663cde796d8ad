//! The open loops of a run, a line per point.
//!
//! The latencies are those of the table above, which has no room for them where other loads run beside.

use super::listing::lines;
use super::wrap::wrapped;
use crate::listing::{Listing, Row};
use crate::open::{HEADS, MEANING, rows};
use crate::page::Page;
use crate::view::View;
use std::iter;

/// The table under an empty line; nothing when nothing arrived at a rate of its own.
pub(super) fn section(page: &mut Page, view: &View<'_>) {
    let rows = rows(view);
    if rows.is_empty() {
        return;
    }
    // Flags and marks stand in the table above.
    let row = |(class, cells): (String, [String; 8])| Row {
        cells: iter::once(class).chain(cells).collect(),
        points: Vec::new(),
    };
    let listing = Listing {
        heads: iter::once("").chain(HEADS).map(str::to_owned).collect(),
        rows: rows.into_iter().map(row).collect(),
        meaning: MEANING,
    };
    let (heading, rows) = lines(&listing);
    page.blank();
    page.line(heading);
    rows.iter().for_each(|row| page.line(row));
    page.blank();
    wrapped(page, "", "", listing.meaning);
}
