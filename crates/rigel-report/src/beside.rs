//! Raw I/O beside SQL in one run: text, JSON and page.
//!
//! Takes the run with what its two ways come to, gives bytes. Must not judge again.

mod json;
mod page;
mod text;
pub(crate) mod words;

pub use json::{SCHEMA, schema};

use crate::output_file::OutputFile;
use crate::text::Style;
use crate::view::View;
use rigel_core::error::Problem;
use rigel_core::uses::beside::Beside;
use rigel_core::uses::versus::Versus;

/// A run of both, and what they come to.
pub struct Both<'a> {
    /// The run.
    pub view: &'a View<'a>,
    /// Its two sides, raw I/O first.
    pub sides: &'a Versus,
    /// What part of the one the other is.
    pub found: &'a Beside,
}

/// For the terminal, 80 columns wide; `files` are where the outputs are, printable.
pub fn text(both: &Both<'_>, style: Style, files: &[String]) -> String {
    text::text(both, style, files)
}

/// One JSON document, [`SCHEMA`].
///
/// # Errors
/// Only when a library refuses to write to memory, which is a bug.
pub fn json(both: &Both<'_>) -> Result<Vec<u8>, Problem> {
    json::document(both)
}

/// One page for people, with charts.
///
/// # Errors
/// As for [`json()`].
pub fn page(both: &Both<'_>) -> Result<OutputFile, Problem> {
    Ok(OutputFile::new("_sql.html", page::page(both)?))
}
