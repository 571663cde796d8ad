//! Renderers of Rigel: a record in, bytes out.
//!
//! Every output of a run is made here from its record alone, so it can be made again, byte for byte, as long as the record exists. Nothing in here
//! opens a file, reads a clock or prints; the program writes what it is given. Names and messages in a record are untrusted text: every renderer
//! passes them through [`rigel_core::path_text::printable`].
#![forbid(unsafe_code)]

pub mod advice;
pub mod beside;
pub mod calibration;
pub mod capacity;
pub mod compare;
pub mod doctor;
pub mod document;
pub mod durability;
pub mod duration;
pub mod headroom;
pub mod json;
mod label;
mod listing;
mod loss;
pub mod orion;
pub mod proof;
pub mod rank;
pub mod replay;
pub mod scrub;
pub mod selftest;
pub mod slo;
pub mod soak;
pub mod targets;
pub mod text;
pub mod through;
pub mod transfer;
pub mod versus;

mod burst;
mod by_reader;
mod by_target;
mod change;
mod commits;
mod csv;
mod curve;
mod fio;
mod flag_scopes;
mod headline;
mod hlog;
mod html;
mod json_text;
mod judgement;
mod markdown;
mod metric_family;
mod moment;
mod nodes;
mod notes;
mod open;
mod openmetrics;
mod output_file;
mod page;
mod phases;
mod places;
mod point_name;
mod queries;
mod run;
mod scaling;
mod streams;
mod sure;
mod surroundings;
mod table;
mod uneven;
mod verdict;
mod view;
mod warnings;
mod words;
mod working_set;

pub use judgement::{Cause, Suggestion, Tone};
pub use orion::OrionVersion;
pub use output_file::OutputFile;
pub use verdict::Conclusion;
pub use view::View;

use rigel_core::error::Problem;
use rigel_core::judge::answer::Answer;

/// The format of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The files that this version of ORION writes, and two tables for what these have no place for: the intervals and
    /// the flags.
    Orion(OrionVersion),
    /// One JSON document, [`json::SCHEMA`].
    Json,
    /// One tidy table: a row per point and class; for a run on several nodes another one with a row for each of them.
    Csv,
    /// One page for people, with charts.
    Html,
    /// fio's JSON: first one document with a job per point and class, then each job alone, in directories as fio-plot wants
    /// them.
    Fio,
    /// The latencies of every visit as an interval log of HdrHistogram.
    Hlog,
    /// Text for Prometheus and compatible tools.
    OpenMetrics,
    /// Tables for a ticket or a wiki.
    Markdown,
    /// Everything that is reported on a terminal, without colours, for people who read files there.
    Text,
}

impl Format {
    /// Every format, ORION's in the newest layout, in the order of the help.
    pub const ALL: [Self; 9] = [
        Self::Orion(OrionVersion::V19),
        Self::Json,
        Self::Csv,
        Self::Html,
        Self::Fio,
        Self::Hlog,
        Self::OpenMetrics,
        Self::Markdown,
        Self::Text,
    ];

    /// The word on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Orion(_) => "orion",
            Self::Json => "json",
            Self::Csv => "csv",
            Self::Html => "html",
            Self::Fio => "fio",
            Self::Hlog => "hlog",
            Self::OpenMetrics => "openmetrics",
            Self::Markdown => "markdown",
            Self::Text => "text",
        }
    }

    /// Whether it is one text, which can be piped; files and pages go next to the record.
    pub const fn is_text(self) -> bool {
        match self {
            Self::Json
            | Self::Csv
            | Self::Fio
            | Self::Hlog
            | Self::OpenMetrics
            | Self::Markdown
            | Self::Text => true,
            Self::Orion(_) | Self::Html => false,
        }
    }
}

/// The outputs of a run besides its record, in this order; each name follows that of the run.
/// Layouts of ORION differ in the ending of the histogram.
pub const RUN_OUTPUTS: [&str; 10] = [
    "_summary.txt",
    "_iops.csv",
    "_mbps.csv",
    "_lat.csv",
    "_hist.csv",
    "_hist.txt",
    "_trace.txt",
    "_ci.csv",
    "_flags.csv",
    "_report.html",
];

/// All files of one format. A record is judged once, by [`View::of`], however many formats are made of it.
///
/// # Errors
/// When the format was not built in; otherwise only when a library refuses to write to memory, which is a bug.
pub fn render(format: Format, view: &View<'_>) -> Result<Vec<OutputFile>, Problem> {
    match format {
        Format::Orion(version) => {
            let mut files = orion::files(version, view);
            files.push(OutputFile::new("_ci.csv", csv::intervals(view)?));
            files.push(OutputFile::new("_flags.csv", csv::flags(view)?));
            Ok(files)
        }
        Format::Json => Ok(vec![match view.answer() {
            Answer::Rate(found) => OutputFile::new("_slo.json", slo::Document::new(view, found).json()?),
            Answer::Points
            | Answer::Ratio(_)
            | Answer::Calibration(_)
            | Answer::Soak(_)
            | Answer::Through
            | Answer::Scaling(_)
            | Answer::Burst(_)
            | Answer::WorkingSet(_) => OutputFile::new("_findings.json", json::document(view)?),
        }]),
        Format::Html => Ok(vec![OutputFile::new("_report.html", html::page(view)?)]),
        Format::Csv => {
            let nodes = csv::nodes(view)?.map(|bytes| OutputFile::new("_nodes.csv", bytes));
            Ok(std::iter::once(OutputFile::new("_findings.csv", csv::findings(view)?)).chain(nodes).collect())
        }
        Format::Fio => fio::files(view),
        Format::Hlog => Ok(vec![OutputFile::new("_latency.hlog", hlog::log(view)?)]),
        Format::OpenMetrics => Ok(vec![OutputFile::new("_metrics.prom", openmetrics::text(view))]),
        Format::Markdown => Ok(vec![OutputFile::new("_report.md", markdown::page(view))]),
        Format::Text => {
            Ok(vec![OutputFile::new("_report.txt", text::explained(view, text::Style::default(), &[]))])
        }
    }
}

/// One page about several records, each judged by [`View::of`]: an overview, and a page for each record in their order. A
/// record may occur twice.
///
/// # Errors
/// Only when a library refuses to write to memory, which is a bug.
pub fn report_of_several(views: &[View<'_>]) -> Result<OutputFile, Problem> {
    Ok(OutputFile::new("_report.html", html::page_of_several(views)?))
}
