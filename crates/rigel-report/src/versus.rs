//! Two alternating sides in one run: text, JSON and page.
//!
//! Turns the run and the results of its sides into bytes. Must not judge again, and must not choose an exit code.

mod blocks;
mod bounds;
mod json;
mod names;
mod width;
pub(crate) mod words;

pub use json::{SCHEMA, schema};

pub(crate) use blocks::{answered, next, run, warned};
pub use bounds::reason;
pub(crate) use width::{not_reached, ratio_of, sureness};

use crate::document::PageDocument as _;
use crate::output_file::OutputFile;
use crate::view::View;
use rigel_core::error::Problem;
use rigel_uses::compare::SessionSpread;
use rigel_uses::versus::Versus;

/// A run of two sides, with the results.
pub struct VersusReport<'a> {
    /// The run.
    pub view: &'a View<'a>,
    /// The comparison of its sides, and the gates that were requested.
    pub found: &'a Versus,
    /// How much sessions of A and of B differed in the past.
    pub past: &'a [SessionSpread; 2],
}

impl VersusReport<'_> {
    /// Whether any load was measured on both sides.
    pub const fn has_rows(&self) -> bool {
        !self.found.comparison.rows.is_empty()
    }

    /// The page.
    ///
    /// # Errors
    /// Only when a library refuses to write to memory, which is a bug.
    pub fn file(&self) -> Result<OutputFile, Problem> {
        self.page("_versus.html")
    }
}

/// One JSON document, [`SCHEMA`].
///
/// # Errors
/// Only when a library refuses to write to memory, which is a bug.
pub fn json(turned: &VersusReport<'_>) -> Result<Vec<u8>, Problem> {
    json::document(turned)
}
