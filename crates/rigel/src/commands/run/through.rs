//! The outputs of a run through a failure. Must not judge; `rigel_uses::through` does.

use super::present::Reporter;
use crate::args::Display;
use crate::output::OutputSet;
use crate::streams::Streams;
use rigel_core::error::Problem;
use rigel_core::path_text;
use rigel_report::through::{ThroughReport, json, page, text};
use std::path::Path;

/// Writes the page and prints the result.
pub fn outputs(reporter: Reporter<'_>, told: &ThroughReport<'_>, set: &OutputSet) -> Result<(), Problem> {
    let Display { json: as_json, no_html, .. } = reporter.options.display;
    let page = (!no_html).then(|| page(told));
    let style = reporter.streams.style();
    reporter.page_and_result(set, page, |files| {
        if as_json { json(told) } else { Ok(text(told, style, files).into_bytes()) }
    })
}

/// Shows the record again.
pub fn again(told: &ThroughReport<'_>, path: &Path, streams: &Streams) -> Result<(), Problem> {
    streams.results(text(told, streams.style(), &[path_text::encode(path)]).as_bytes())
}
