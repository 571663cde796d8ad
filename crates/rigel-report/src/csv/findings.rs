//! `_findings.csv`: one tidy table, a row per point and class, a column per variable.
//!
//! Must not choose the columns; [`crate::table`] does.

use super::write;
use crate::table::{Cell, columns, rows};
use crate::view::View;
use rigel_core::error::Problem;

/// The table with its header line.
pub(crate) fn table(view: &View<'_>) -> Result<Vec<u8>, Problem> {
    let fields = |row: Vec<Cell>| row.into_iter().map(field).collect();
    write(columns(view), rows(view).map(fields))
}

pub(super) fn field(cell: Cell) -> String {
    match cell {
        Cell::Text(text) => text,
        Cell::Count(count) => count.to_string(),
        Cell::Number(number) => number.to_string(),
        Cell::Truth(truth) => truth.to_string(),
        Cell::Nothing => String::new(),
    }
}
