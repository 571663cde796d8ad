//! What each of several nodes did, as a table: every point, each node beside the others.

use super::markup::{Column, Text, close_table, open_table};
use crate::nodes::{HEADS, MEANING, rows_of};
use crate::page::Page;
use crate::view::View;

/// A longer table is folded.
const MOST_ROWS: usize = 60;

/// The table; nothing where one host measured.
pub(super) fn section(page: &mut Page, view: &View<'_>) {
    let rows: Vec<_> = view.findings.points.iter().flat_map(|found| rows_of(view, found)).collect();
    if rows.is_empty() {
        return;
    }
    page.line("<section class=\"points\">\n<h2>Nodes</h2>");
    let mut columns: Vec<Column<'_>> = vec![("Node", false)];
    columns.extend(HEADS.map(|name| (name, true)));
    open_table(page, &columns, rows.len(), MOST_ROWS, "row");
    for (name, cells) in rows {
        page.push(format_args!("<tr><th scope=\"row\">{}</th>", Text(&name)));
        for cell in cells {
            page.push(format_args!("<td class=\"n\">{}</td>", Text(&cell)));
        }
        page.line("</tr>");
    }
    close_table(page);
    page.line(format_args!("<p class=\"about\">{MEANING}</p>\n</section>"));
}
