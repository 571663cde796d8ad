//! Renderers of Rigel: a record in, bytes out.
//!
//! Every output of a run is made here from its record alone, so it can be made again, byte for byte, whenever the record
//! is at hand. Nothing in here opens a file, reads a clock or prints; the program writes what it is given. Names and
//! messages in a record are foreign text: every renderer passes them through [`rigel_core::path_text::printable`].
#![forbid(unsafe_code)]

pub mod calibration;
pub mod compare;
pub mod json;
pub mod orion;
pub mod text;

mod csv;
mod flag_scopes;
mod html;
mod notes;
mod output_file;
mod page;
mod view;
mod words;

pub use orion::OrionVersion;
pub use output_file::OutputFile;
pub use view::View;

use rigel_core::error::Problem;

/// What an output looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The files that ORION of that version writes, and two tables for what these have no place for: the intervals and
    /// the flags.
    Orion(OrionVersion),
    /// One JSON document, [`json::SCHEMA`].
    Json,
    /// One tidy table: a row per point and class.
    Csv,
    /// One page for people, with charts.
    Html,
}

/// All files of one format. A record is judged once, by [`View::of`], however many formats are made of it.
///
/// # Errors
/// Only when a library refuses to write to memory, which is a bug.
pub fn render(format: Format, view: &View<'_>) -> Result<Vec<OutputFile>, Problem> {
    match format {
        Format::Orion(version) => {
            let mut files = orion::files(version, view);
            files.push(OutputFile::new("_ci.csv", csv::intervals(view)?));
            files.push(OutputFile::new("_flags.csv", csv::flags(view)?));
            Ok(files)
        }
        Format::Json => Ok(vec![OutputFile::new("_findings.json", json::document(view)?)]),
        Format::Html => Ok(vec![OutputFile::new("_report.html", html::page(view)?)]),
        Format::Csv => Ok(vec![OutputFile::new("_findings.csv", csv::findings(view)?)]),
    }
}

/// One page about several records, each judged by [`View::of`]: an overview, and a page for each record in their order. A
/// record may be there twice.
///
/// # Errors
/// Only when a library refuses to write to memory, which is a bug.
pub fn report_of_several(views: &[View<'_>]) -> Result<OutputFile, Problem> {
    Ok(OutputFile::new("_report.html", html::page_of_several(views)?))
}
