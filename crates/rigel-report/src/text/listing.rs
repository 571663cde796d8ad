//! A table whose rows are no points of a matrix, 80 columns wide where its names permit.
//!
//! Must not choose a cell; [`crate::listing`] does.

use crate::listing::Listing;

/// Columns of a terminal.
const WIDE: usize = 80;

/// The heading, and a line for each row. A mark stands before a row whose numbers must not be used.
pub(super) fn lines(listing: &Listing<'_>) -> (String, Vec<String>) {
    let mut widths: Vec<usize> = listing.heads.iter().map(|head| head.chars().count()).collect();
    for row in &listing.rows {
        widths
            .iter_mut()
            .zip(&row.cells)
            .for_each(|(width, cell)| *width = (*width).max(cell.chars().count()));
    }
    // What is in per cent stands close to what it is of. Where two blanks between the others are too much, there is one.
    let is_close = |place: usize| listing.heads[place] == "±%";
    let total = |gap: usize| {
        let gaps = (1..widths.len()).map(|place| if is_close(place) { 1 } else { gap });
        1 + widths.iter().chain(&gaps.collect::<Vec<_>>()).sum::<usize>()
    };
    let wide = if total(2) > WIDE { 1 } else { 2 };
    let line = |mark: char, cells: &[String]| {
        let mut line = String::from(mark);
        for (place, (cell, width)) in cells.iter().zip(&widths).enumerate() {
            let gap = if is_close(place) { 1 } else { wide };
            line += &match place {
                0 => format!("{cell:<width$}"),
                _ => format!("{}{cell:>width$}", " ".repeat(gap)),
            };
        }
        line.trim_end().to_owned()
    };
    let mark = |invalid: bool| if invalid { '!' } else { ' ' };
    (
        line(' ', &listing.heads),
        listing.rows.iter().map(|row| line(mark(row.invalid()), &row.cells)).collect(),
    )
}
