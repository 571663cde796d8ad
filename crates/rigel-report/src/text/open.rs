//! The open loops of a run, a line per point.
//!
//! Must not repeat the latencies; the table above has them.

use super::wrap::wrapped;
use crate::open::{HEADS, MEANING, rows};
use crate::page::Page;
use crate::view::View;

/// Widths of the columns.
const WIDTHS: [usize; 8] = [8, 10, 9, 9, 9, 9, 8, 11];

/// The table under an empty line; nothing when nothing arrived at a rate of its own.
pub(super) fn section(page: &mut Page, view: &View<'_>) {
    let rows = rows(view);
    if rows.is_empty() {
        return;
    }
    page.blank();
    page.line(format_args!("{:<6}{}", "", columns(&HEADS.map(str::to_owned))));
    for (class, cells) in rows {
        page.line(format_args!("{class:<6}{}", columns(&cells)));
    }
    page.blank();
    wrapped(page, "", "", MEANING);
}

fn columns(cells: &[String; 8]) -> String {
    cells.iter().zip(WIDTHS).map(|(cell, width)| format!("{cell:>width$}")).collect()
}
