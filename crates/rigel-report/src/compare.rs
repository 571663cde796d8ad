//! Comparisons of runs: table, JSON, JUnit and page.
//!
//! Takes a comparison with its gates, gives bytes. Must not judge again, and must not choose an exit code.

mod gates;
mod json;
mod junit;
mod levels;
mod measured;
mod outcome;
pub(crate) mod page;
mod table;
mod verdict;
mod words;

pub use gates::reason;
pub(crate) use gates::{Names, reason_in, sentence as gate_sentence};
pub(crate) use json::{ChangeDocument, GateDocument, RowDocument};
pub use json::{SCHEMA, schema};
pub(crate) use table::line as row_line;
pub(crate) use words::value;

use crate::output_file::OutputFile;
use crate::view::View;
use rigel_core::error::Problem;
use rigel_core::uses::compare::gate::GateResult;
use rigel_core::uses::compare::{Comparison, Run};

/// A comparison with the runs of both sides.
pub struct Compared<'a> {
    /// The runs of the base.
    pub base: &'a [View<'a>],
    /// The new runs.
    pub new: &'a [View<'a>],
    /// What they come to.
    pub comparison: &'a Comparison,
    /// The gates that were asked for.
    pub gates: &'a [GateResult],
    /// A gate that is undecided fails.
    pub undecided_fails: bool,
}

/// What an output of a comparison looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompareFormat {
    /// A table of 80 columns.
    Text,
    /// One JSON document, [`SCHEMA`].
    Json,
    /// A test suite as continuous integration reads it: a case for each gate, or for each row when there is no gate.
    Junit,
    /// One page for people, with charts.
    Html,
}

/// One output.
///
/// # Errors
/// Only when a library refuses to write to memory, which is a bug.
pub fn render(format: CompareFormat, compared: &Compared<'_>) -> Result<OutputFile, Problem> {
    match format {
        CompareFormat::Text => Ok(OutputFile::new("_compare.txt", table::text(compared))),
        CompareFormat::Json => Ok(OutputFile::new("_compare.json", json::document(compared)?)),
        CompareFormat::Junit => Ok(OutputFile::new("_compare.xml", junit::suite(compared)?)),
        CompareFormat::Html => Ok(OutputFile::new("_compare.html", page::page(compared)?)),
    }
}

/// Runs as the rules of comparison want them.
pub fn runs<'a>(views: &'a [View<'a>]) -> Vec<Run<'a>> {
    views.iter().map(|view| Run { record: view.record, findings: &view.findings }).collect()
}
