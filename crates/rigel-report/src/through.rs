//! What a failure did to a steady load: a text, a page that runs no script, and one JSON document, `rigel.through/1`.
//!
//! Must not judge; [`rigel_uses::through`] does.

mod blocks;
mod json;
mod words;

pub use json::{SCHEMA, json, schema};

use crate::Format;
use crate::document::{Document as _, Room};
use crate::judgement::Cause;
use crate::label;
use crate::output_file::OutputFile;
use crate::text::Style;
use crate::verdict::Conclusion;
use crate::view::View;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::judge::flags::Mark;
use rigel_core::record::Record;
use rigel_core::units::say::listed;
use rigel_uses::through::{DemandVerdict, ThroughFindings};

/// Such a run with its record.
#[derive(Clone, Copy, Debug)]
pub struct ThroughReport<'a> {
    /// The record.
    pub record: &'a Record,
    /// The results.
    pub found: &'a ThroughFindings,
}

impl ThroughReport<'_> {
    /// Doubts about the numbers, without what the failure did, which belongs to the answer.
    fn causes(&self) -> Vec<Cause> {
        let view = View::of(self.record);
        let is_own = |cause: &Cause| cause.code.is_some_and(|code| !code.has(Mark::OfFailure));
        Conclusion::of(&view).causes.into_iter().filter(is_own).collect()
    }
}

/// For the terminal; `files` are the outputs, the record first.
pub fn text(told: &ThroughReport<'_>, style: Style, files: &[String]) -> String {
    told.with_record(style, files)
}

/// The page as a file.
pub fn page(told: &ThroughReport<'_>) -> OutputFile {
    let header = &told.record.header;
    let label = header.request.label.as_ref().map_or_else(String::new, |label| format!("{label}: "));
    let title = format!("{label}What does a failure do to {}?", label::storage(&header.targets));
    let when = [header.run_id.clone(), header.started.clone()];
    OutputFile::new("_report.html", told.blocks(Room::Wide).still_page(&title, &when, "the record"))
}

/// The output in a format that such a run has of its own; the others are those of any run.
///
/// # Errors
/// Those of the output.
pub fn file(format: Format, told: &ThroughReport<'_>) -> Result<Option<OutputFile>, Problem> {
    Ok(Some(match format {
        Format::Text => OutputFile::new("_report.txt", text(told, Style::default(), &[])),
        Format::Json => OutputFile::new("_through.json", json(told)?),
        Format::Html => page(told),
        Format::Markdown => OutputFile::new("_report.md", told.markdown().into_bytes()),
        _ => return Ok(None),
    }))
}

/// The problem of a run that missed its limits.
pub fn unkept(found: &ThroughFindings) -> Option<Problem> {
    let of = |is: fn(&DemandVerdict) -> bool| {
        let own = found.demands.iter().filter(|one| is(&one.verdict));
        own.map(|one| one.demand.to_string()).collect::<Vec<_>>()
    };
    let missed = of(|verdict| *verdict == DemandVerdict::Missed);
    let open = of(|verdict| matches!(verdict, DemandVerdict::Undecided(_)));
    Some(match (missed.is_empty(), open.is_empty()) {
        (true, true) => return None,
        (false, _) => Problem::new(ExitKind::GateFailed, format!("not met: {}", listed(&missed)))
            .next("look at the timeline in the result, and at the kernel log (dmesg) of that time"),
        (true, false) => Problem::new(ExitKind::GateFailed, format!("undecided: {}", listed(&open)))
            .next("see the limits in the result; a failure in the middle of a run of 10 minutes leaves nothing undecided"),
    })
}
