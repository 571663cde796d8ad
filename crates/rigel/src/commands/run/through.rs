//! The outputs of a run through a failure. Must not judge; `rigel_uses::through` does.

use super::present::Reporter;
use crate::args::Display;
use crate::output::OutputSet;
use crate::streams::Streams;
use rigel_core::error::Problem;
use rigel_core::path_text;
use rigel_report::through::{ThroughReport, json, page, text};
use std::path::{Path, PathBuf};

/// Writes the page and prints the result.
pub fn outputs(reporter: Reporter<'_>, told: &ThroughReport<'_>, set: &OutputSet) -> Result<(), Problem> {
    let Display { json, no_html, .. } = reporter.options.display;
    let pages = if no_html { Vec::new() } else { vec![page(told)] };
    // Whatever becomes of the page, the answer is told.
    let written = set.write(&pages, reporter.options.force);
    let pages = written.as_ref().map_or(&[][..], Vec::as_slice).iter().cloned();
    let files: Vec<PathBuf> = std::iter::once(set.record_path()).chain(pages).collect();
    show(told, json, &files, reporter.streams)?;
    written.map(drop)
}

fn show(
    told: &ThroughReport<'_>,
    as_json: bool,
    files: &[PathBuf],
    streams: &Streams,
) -> Result<(), Problem> {
    if as_json {
        return streams.results(&json(told)?);
    }
    let files: Vec<String> = files.iter().map(|path| path_text::encode(path)).collect();
    streams.results(text(told, streams.style(), &files).as_bytes())
}

/// Shows the record again.
pub fn again(told: &ThroughReport<'_>, path: &Path, streams: &Streams) -> Result<(), Problem> {
    show(told, false, &[path.to_owned()], streams)
}
