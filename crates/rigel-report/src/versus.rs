//! Two sides that took turns in one run: text, JSON and page.
//!
//! Takes the run with what its sides come to, gives bytes. Must not judge again, and must not choose an exit code.

mod bounds;
mod json;
mod page;
mod text;
mod width;
mod words;

pub use json::{SCHEMA, schema};

pub use bounds::reason;
pub(crate) use page::{judged as judged_on_page, run};
pub(crate) use text::judged;
pub(crate) use width::{not_reached, ratio_of, sureness};

use crate::output_file::OutputFile;
use crate::text::Style;
use crate::view::View;
use rigel_core::error::Problem;
use rigel_core::uses::compare::Past;
use rigel_core::uses::versus::Versus;

/// A run of two sides, and what they come to.
pub struct Turned<'a> {
    /// The run.
    pub view: &'a View<'a>,
    /// What its sides come to, and the gates that were asked for.
    pub found: &'a Versus,
    /// How much sessions of A and of B differed in the past.
    pub past: &'a [Past; 2],
}

impl Turned<'_> {
    /// Whether any load was measured on both sides.
    pub const fn has_rows(&self) -> bool {
        !self.found.comparison.rows.is_empty()
    }
}

/// What the sides of a run come to, in sentences.
pub(crate) fn reached(view: &View<'_>, found: &Versus) -> String {
    let turned = Turned { view, found, past: &[Past::default(); 2] };
    words::sentences(&turned).join(" ")
}

/// For the terminal, 80 columns wide; `files` are where the outputs are, printable.
pub fn text(turned: &Turned<'_>, style: Style, files: &[String]) -> String {
    text::text(turned, style, files)
}

/// One JSON document, [`SCHEMA`].
///
/// # Errors
/// Only when a library refuses to write to memory, which is a bug.
pub fn json(turned: &Turned<'_>) -> Result<Vec<u8>, Problem> {
    json::document(turned)
}

/// One page for people, with charts.
///
/// # Errors
/// As for [`json()`].
pub fn page(turned: &Turned<'_>) -> Result<OutputFile, Problem> {
    Ok(OutputFile::new("_versus.html", page::page(turned)?))
}
