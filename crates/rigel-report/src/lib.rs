//! Renderers of Rigel: a record in, bytes out.
//!
//! Every output of a run is made here from its record alone, so it can be made again, byte for byte, whenever the record
//! is at hand. Nothing in here opens a file, reads a clock or prints; the program writes what it is given. Names and
//! messages in a record are foreign text: every renderer passes them through [`rigel_core::path_text::printable`].
#![forbid(unsafe_code)]

pub mod json;
pub mod orion;
pub mod text;

mod csv;
mod notes;
mod page;
mod view;

pub use orion::OrionVersion;
pub use view::View;

use rigel_core::error::Problem;
use rigel_core::record::Record;

/// What an output looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The files that ORION of that version writes.
    Orion(OrionVersion),
    /// One JSON document, [`json::SCHEMA`].
    Json,
    /// One tidy table: a row per point and class.
    Csv,
}

/// One file of an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputFile {
    /// What follows the name of the run, `_summary.txt`.
    pub suffix: &'static str,
    /// The contents.
    pub bytes: Vec<u8>,
}

impl OutputFile {
    pub(crate) fn new(suffix: &'static str, contents: impl Into<Vec<u8>>) -> Self {
        Self { suffix, bytes: contents.into() }
    }
}

/// Renders a record in one format. For several formats make one [`View`], so that the record is judged once.
///
/// # Errors
/// Only when a library refuses to write to memory, which is a bug.
pub fn render(format: Format, record: &Record) -> Result<Vec<OutputFile>, Problem> {
    View::of(record).render(format)
}
