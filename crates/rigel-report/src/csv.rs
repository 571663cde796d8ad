//! Tables for programs (RFC 4180 with line feeds): the findings, their intervals, their flags.
//!
//! A missing number is an empty field; an interval has the columns `_lo95` and `_hi95` after the column of its figure. Rates are per second, one
//! MB is 2^20 bytes. Must not round.

mod findings;
mod flags;
mod intervals;
mod nodes;

pub(crate) use findings::table as findings;
pub(crate) use flags::table as flags;
pub(crate) use intervals::table as intervals;
pub(crate) use nodes::table as nodes;

use crate::output_file::unwritable;
use rigel_core::error::Problem;
use std::fmt::Display;

/// A header line and the rows below it.
fn write(
    columns: impl IntoIterator<Item = String>,
    rows: impl IntoIterator<Item = Vec<String>>,
) -> Result<Vec<u8>, Problem> {
    let bug = |error: &dyn Display| unwritable("the findings", "CSV", error);
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(columns).map_err(|error| bug(&error))?;
    for row in rows {
        writer.write_record(row).map_err(|error| bug(&error))?;
    }
    writer.into_inner().map_err(|error| bug(&error))
}
