//! ORION's files and what it prints, in the layouts of four of its versions.
//!
//! The layouts are interfaces: scripts read them by line and column. They were taken from published output only. Rigel
//! adds lines in two places: line 1 names the writer, and intervals, flags and an early end follow the results. A
//! clean run with one visit per point has none of the latter. Must not judge a number.

mod heading;
mod hist;
mod results;
mod rows;
mod tables;
mod trace;

use crate::notes;
use crate::output_file::OutputFile;
use crate::page::{Page, join_paragraphs};
use crate::view::View;
use rigel_core::load::class::Class;
use rigel_core::load::request::Request;
use rigel_core::path_text::printable;
use std::str::FromStr;

/// The versions of ORION whose output differs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OrionVersion {
    /// 10.2.0.1: as 11.1, but names without a time, and one line before a run.
    V10_2,
    /// 11.1.0.7: milliseconds, no histogram, nothing printed at the end.
    V11_1,
    /// 11.2.0.2 to 12.1: whole microseconds, a histogram of 28 rows, text above the tables.
    V11_2,
    /// 12.2 to 19: microseconds with three decimals, a histogram with cumulative percentages.
    #[default]
    V19,
}

rigel_core::named!(OrionVersion { V10_2: "10.2", V11_1: "11.1", V11_2: "11.2", V19: "19" });

impl OrionVersion {
    /// The version as that program writes it, without a build.
    const fn full_name(self) -> &'static str {
        match self {
            Self::V10_2 => "10.2.0.1.0",
            Self::V11_1 => "11.1.0.7.0",
            Self::V11_2 => "11.2.0.2.0",
            Self::V19 => "19",
        }
    }

    /// Whether it predates the wording, the microseconds and the histograms of 11.2.
    pub(crate) const fn is_before_11_2(self) -> bool {
        matches!(self, Self::V10_2 | Self::V11_1)
    }

    /// Whether its file names contain date and time of a run.
    pub const fn dates_its_files(self) -> bool {
        !matches!(self, Self::V10_2)
    }
}

impl FromStr for OrionVersion {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|version| version.name() == text).ok_or_else(|| {
            format!("'{}' is not a version of ORION that Rigel knows (10.2, 11.1, 11.2, 19)", printable(text))
        })
    }
}

/// Whether a run has something to say in ORION's file with this ending. A level that defines its own points may have neither of
/// ORION's two classes, and its tables and its summary know no others.
pub fn has_content(request: &Request, suffix: &str) -> bool {
    let has = |class: Class| !request.level().is_own() || request.class(class).is_some();
    match suffix {
        "_iops.csv" | "_lat.csv" => has(Class::SMALL),
        "_mbps.csv" => has(Class::LARGE),
        "_summary.txt" => has(Class::SMALL) || has(Class::LARGE),
        _ => true,
    }
}

/// The files of a run; 10.2 and 11.1 have no histogram file, and the newer ones name theirs differently.
pub(crate) fn files(version: OrionVersion, view: &View<'_>) -> Vec<OutputFile> {
    let mut files = vec![
        OutputFile::new("_summary.txt", summary(version, view)),
        OutputFile::new("_iops.csv", tables::render(version, tables::Quantity::Iops, view)),
        OutputFile::new("_mbps.csv", tables::render(version, tables::Quantity::Mbps, view)),
        OutputFile::new("_lat.csv", tables::render(version, tables::Quantity::Latency, view)),
    ];
    match version {
        OrionVersion::V10_2 | OrionVersion::V11_1 => {}
        OrionVersion::V11_2 => files.push(OutputFile::new("_hist.txt", hist::text(view))),
        OrionVersion::V19 => files.push(OutputFile::new("_hist.csv", hist::csv(view))),
    }
    files.push(OutputFile::new("_trace.txt", trace::render(version, view)));
    files.retain(|file| has_content(&view.record.header.request, &file.suffix));
    files
}

/// What is printed before a run: who, and from 11.1 on the name of the run and how long it will take (published output of
/// 10.2.0.1, 11.1.0.7, 11.2.0.2 and 19.3; 12.2 and later print an empty line after it).
pub fn banner(version: OrionVersion, program_version: &str, run_id: &str, estimate_minutes: u64) -> String {
    let mut page = Page::default();
    page.line(format_args!(
        "ORION: ORacle IO Numbers -- Version {} layout, written by Rigel {}",
        version.full_name(),
        printable(program_version)
    ));
    if version == OrionVersion::V10_2 {
        return page.into_string();
    }
    page.line(printable(run_id));
    if version == OrionVersion::V11_1 {
        page.line(format_args!("Test will take approximately {estimate_minutes} minutes"));
        page.line("Larger caches may take longer");
    } else {
        page.line(format_args!("Calibration will take approximately {estimate_minutes} minutes."));
        page.line("Using a large value for -cache_size may take longer.");
    }
    if version == OrionVersion::V19 {
        page.blank();
    }
    page.into_string()
}

/// What is printed after a run: the results as in the summary, which 10.2 and 11.1 do not print, and the notes. 19.3 prints a line of its own
/// before the results (published output).
pub fn result_block(version: OrionVersion, view: &View<'_>) -> String {
    let mut results = results(version, view);
    if version == OrionVersion::V19 && !results.is_empty() {
        results.insert_str(0, "Setting ftype=0\n");
    }
    join_paragraphs([results, notes::of(view)])
}

/// The results alone, if that version prints them.
pub(crate) fn results(version: OrionVersion, view: &View<'_>) -> String {
    match version {
        OrionVersion::V10_2 | OrionVersion::V11_1 => String::new(),
        OrionVersion::V11_2 | OrionVersion::V19 => results::render(version, view),
    }
}

fn summary(version: OrionVersion, view: &View<'_>) -> String {
    join_paragraphs([heading::render(version, view), results::render(version, view), notes::of(view)])
}
