//! Raw I/O beside SQL in one run: text, JSON and page.
//!
//! Turns the run and the results of its two ways into bytes. Must not judge again.

mod blocks;
mod json;
pub(crate) mod words;

pub use json::{SCHEMA, schema};

use crate::document::PageDocument as _;
use crate::output_file::OutputFile;
use crate::view::View;
use rigel_core::error::Problem;
use rigel_uses::beside::RawAndSql;
use rigel_uses::versus::Versus;

/// A run of both sides, with the results.
pub struct RawAndSqlView<'a> {
    /// The run.
    pub view: &'a View<'a>,
    /// Its two sides, raw I/O first.
    pub sides: &'a Versus,
    /// How much of raw I/O reaches SQL.
    pub found: &'a RawAndSql,
}

impl RawAndSqlView<'_> {
    /// The page.
    ///
    /// # Errors
    /// Only when a library refuses to write to memory, which is a bug.
    pub fn file(&self) -> Result<OutputFile, Problem> {
        self.page("_sql.html")
    }
}

/// One JSON document, [`SCHEMA`].
///
/// # Errors
/// Only when a library refuses to write to memory, which is a bug.
pub fn json(both: &RawAndSqlView<'_>) -> Result<Vec<u8>, Problem> {
    json::document(both)
}
