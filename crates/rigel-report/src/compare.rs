//! Comparisons of runs: table, Markdown, JSON, JUnit and page.
//!
//! Turns a comparison with its gates into bytes. Must not judge again, and must not choose an exit code.

mod blocks;
mod gates;
mod json;
mod junit;
mod levels;
mod measured;
mod outcome;
pub(crate) mod page;
mod points;
pub(crate) mod quantity;
pub(crate) mod rows;
mod seen;
mod tools;
mod verdict;
mod words;

pub(crate) use blocks::differences;
pub use gates::reason;
pub(crate) use gates::{Names, reason_in, sentence as gate_sentence, table as gate_table};
pub(crate) use json::{GateDocument, RowDocument};
pub(crate) use json::{RunDocument, name as doubt_name};
pub use json::{SCHEMA, schema};
pub use outcome::same_run;
pub(crate) use quantity::io_of;
pub use tools::{SourceView, ToolComparisonView, render as render_tools};
pub(crate) use tools::{document as run_document, lines as run_lines};
pub(crate) use verdict::look;
pub(crate) use words::{value, verdict as effect};

use crate::document::{Document as _, PageDocument as _};
use crate::output_file::OutputFile;
use crate::text::Style;
use crate::view::View;
use rigel_core::error::Problem;
use rigel_uses::compare::gate::GateResult;
use rigel_uses::compare::{Comparison, Run};

/// A comparison with the runs of both sides.
pub struct ComparisonView<'a> {
    /// The runs of the base.
    pub base: &'a [View<'a>],
    /// The new runs.
    pub new: &'a [View<'a>],
    /// The comparison.
    pub comparison: &'a Comparison,
    /// The gates that were requested.
    pub gates: &'a [GateResult],
    /// Whether an undecided gate fails.
    pub undecided_fails: bool,
}

/// The format of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompareFormat {
    /// A table of 80 columns.
    Text,
    /// One JSON document, [`SCHEMA`].
    Json,
    /// A test suite for continuous integration: a case for each gate, or for each row without gates.
    Junit,
    /// For a ticket or a wiki.
    Markdown,
    /// One page for people, with charts.
    Html,
}

/// One output.
///
/// # Errors
/// Only when a library refuses to write to memory, which is a bug.
pub fn render(format: CompareFormat, compared: &ComparisonView<'_>) -> Result<OutputFile, Problem> {
    match format {
        CompareFormat::Text => Ok(OutputFile::new("_compare.txt", compared.text(Style::default()))),
        CompareFormat::Json => Ok(OutputFile::new("_compare.json", json::document(compared)?)),
        CompareFormat::Junit => Ok(OutputFile::new("_compare.xml", junit::suite(compared)?)),
        CompareFormat::Markdown => Ok(OutputFile::new("_compare.md", compared.markdown())),
        CompareFormat::Html => compared.page("_compare.html"),
    }
}

/// Runs in the form that the rules of comparison need.
pub fn runs<'a>(views: &'a [View<'a>]) -> Vec<Run<'a>> {
    views.iter().map(|view| Run { record: view.record, findings: &view.findings }).collect()
}
