//! What each of several nodes did, a line each. Must not choose the loads; who shows them does.

use super::listing::lines;
use super::wrap::wrapped;
use crate::listing::{Listing, Row};
use crate::nodes::{self, HEADS, MEANING};
use crate::page::Page;
use std::iter;

/// A longer table is in `_nodes.csv` only.
const MOST_ROWS: usize = 64;

/// The table under an empty line; nothing where one host measured.
pub(crate) fn section(page: &mut Page, rows: Vec<nodes::Row>) {
    if rows.is_empty() {
        return;
    }
    let more = rows.len().saturating_sub(MOST_ROWS);
    let row =
        |row: nodes::Row| Row { cells: iter::once(row.name).chain(row.cells).collect(), points: Vec::new() };
    let listing = Listing {
        heads: iter::once("node").chain(HEADS).map(str::to_owned).collect(),
        rows: rows.into_iter().take(MOST_ROWS).map(row).collect(),
        meaning: MEANING,
    };
    let (heading, rows) = lines(&listing);
    page.blank();
    page.line(heading);
    rows.iter().for_each(|row| page.line(row));
    if more > 0 {
        page.line(format_args!(
            ".. and {more} more: `rigel report RECORD --format csv` writes them to _nodes.csv"
        ));
    }
    page.blank();
    wrapped(page, "", "", listing.meaning);
}
