//! The open loops of a run, as a table.
//!
//! Mean and p99 stand here as well: beside other loads the table of all numbers shows theirs.

use super::markup::{Column, Text, close_table, open_table};
use crate::open::{HEADS, MEANING, rows};
use crate::page::Page;
use crate::view::View;

/// A longer table is folded.
const MOST_ROWS: usize = 60;

/// The table; nothing when nothing arrived at a rate of its own.
pub(super) fn section(page: &mut Page, view: &View<'_>) {
    let rows = rows(view);
    if rows.is_empty() {
        return;
    }
    page.line("<section class=\"points\">\n<h2>Arrivals</h2>");
    let mut columns: Vec<Column<'_>> = vec![("Class", false)];
    columns.extend(HEADS.map(|name| (name, true)));
    open_table(page, &columns, rows.len(), MOST_ROWS, "rate");
    for (class, cells) in rows {
        page.push(format_args!("<tr><th scope=\"row\">{}</th>", Text(&class)));
        for cell in cells {
            page.push(format_args!("<td class=\"n\">{}</td>", Text(&cell)));
        }
        page.line("</tr>");
    }
    close_table(page);
    page.line(format_args!("<p class=\"about\">{MEANING}</p>\n</section>"));
}
