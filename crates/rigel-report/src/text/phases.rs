//! The phases of a load, under the table of its points.
//!
//! Must not choose a cell; [`crate::listing`] does.

use super::listing::lines;
use super::style::{Ink, Style};
use super::wrap::wrapped;
use crate::listing;
use crate::page::Page;
use crate::view::View;

/// More lines than these are for a file.
const MOST_LINES: usize = 48;

/// The table under an empty line; nothing when the load has no phases.
pub(super) fn section(page: &mut Page, view: &View<'_>, style: Style) {
    let Some(listing) = listing::phases(view) else { return };
    let (heading, lines) = lines(&listing);
    page.blank();
    page.line(style.painted(Ink::Heading, &heading));
    let left_out = lines.len().saturating_sub(MOST_LINES);
    for (row, text) in listing.rows.iter().zip(lines).take(MOST_LINES) {
        page.line(if row.invalid() { style.painted(Ink::Invalid, &text) } else { text });
    }
    if left_out > 0 {
        page.line(format_args!("and {left_out} more lines: rigel report RECORD --format markdown"));
    }
    page.blank();
    wrapped(page, "", "", listing.meaning);
}
