//! What each of several nodes did, as a table: each node beside the others, its part as a bar. Must not choose the loads; who shows them does.

use super::markup::{Column, Text, close_table, open_table};
use crate::nodes::{HEADS, MEANING, OF_PART, Row};
use crate::page::Page;
use rigel_core::judge::findings::LEAST_OF_DUE;

/// A longer table is folded.
const MOST_ROWS: usize = 60;

/// The table; nothing where one host measured.
pub(crate) fn section(page: &mut Page, rows: Vec<Row>) {
    if rows.is_empty() {
        return;
    }
    page.line("<section class=\"points\">\n<h2>Nodes</h2>");
    let mut columns: Vec<Column<'_>> = vec![("Node", false)];
    columns.extend(HEADS.map(|name| (name, true)));
    open_table(page, &columns, rows.len(), MOST_ROWS, "row");
    for row in rows {
        page.push(format_args!("<tr><th scope=\"row\">{}</th>", Text(&row.name)));
        for (head, cell) in HEADS.iter().zip(&row.cells) {
            page.push(format_args!("<td class=\"n\">{}", Text(cell)));
            if *head == OF_PART {
                bar(page, row.of_part);
            }
            page.push("</td>");
        }
        page.line("</tr>");
    }
    close_table(page);
    page.line(format_args!("<p class=\"about\">{MEANING}</p>\n</section>"));
}

/// Below [`LEAST_OF_DUE`] a bar warns, below half of that more strongly.
const LOW: f64 = 0.5 * LEAST_OF_DUE;

/// What a node did of its part; the figure beside it says the same.
fn bar(page: &mut Page, of_part: f64) {
    page.push(format_args!(
        " <meter aria-hidden=\"true\" max=\"1\" low=\"{LOW}\" high=\"{LEAST_OF_DUE}\" optimum=\"1\" value=\"{:.3}\"></meter>",
        of_part.clamp(0.0, 1.0)
    ));
}
