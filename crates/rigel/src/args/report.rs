//! `rigel report`: the arguments, and what they ask for.
//!
//! Must not open the record.

use super::{Environment, values, words};
use rigel_core::error::Problem;
use rigel_report::{Format, OrionVersion};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  rigel report mytest_20260101_1200_record.jsonl
      what was shown after the run: table, charts, best numbers
  rigel report mytest_20260101_1200_record.jsonl --html
      the page with charts beside the record, mytest_20260101_1200_report.html
  rigel report monday_record.jsonl tuesday_record.jsonl --html
      one page about both runs: an overview, and a page for each
  rigel report mytest_20260101_1200_record.jsonl --format json
      the results as JSON on standard output
  rigel report mytest_20260101_1200_record.jsonl --format fio --out charts
      what fio would have written, in directories that fio-plot reads: charts/mytest_20260101_1200_fio/small ..
  rigel report mytest_20260101_1200_record.jsonl --format orion --orion-version 11.1 --out old
      ORION's files, as version 11.1 wrote them, into the directory old";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportOptions {
    pub records: Vec<PathBuf>,
    pub format: Format,
    /// Where to write it; `None`: ORION's files and the page beside the record, anything else to standard output.
    pub out: Option<PathBuf>,
    pub force: bool,
}

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct ReportArgs {
    /// Record of a run, the file that ends in _record.jsonl; several give one page about all, or other files of each
    #[arg(value_name = "RECORD", required = true)]
    records: Vec<PathBuf>,

    /// What to make: ORION's files, one JSON document, one table, one page with charts, or what other tools read [default: text]
    ///
    /// text: what is shown after a run. fio: JSON as fio writes it; with --out also a file for each job in directories that
    /// fio-plot reads. hlog: latencies as an interval log of HdrHistogram. openmetrics: text for Prometheus. markdown: tables for a ticket or a wiki.
    #[arg(long, value_name = "FORMAT", ignore_case = true, value_parser = words::parser::<Format>())]
    format: Option<Format>,

    /// The same as --format html: one file that opens in any browser, without a network
    #[arg(long, conflicts_with = "format")]
    html: bool,

    /// Directory of the outputs [default: beside the record (orion, html), else standard output]
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    out: Option<PathBuf>,

    /// Layout of the ORION files: 11.1, 11.2 or 19 [default: RIGEL_ORION_VERSION, else 19]
    #[arg(long, value_name = "VERSION")]
    orion_version: Option<OrionVersion>,

    /// Replace existing output files
    #[arg(long)]
    force: bool,
}

impl ReportArgs {
    pub fn options(self, environment: &Environment) -> Result<ReportOptions, Problem> {
        let version = values::orion_version(self.orion_version, environment.orion_version.as_deref())?;
        let format = match self.format {
            None if self.html => Format::Html,
            None => Format::Text,
            Some(Format::Orion(_)) => Format::Orion(version),
            Some(other) => other,
        };
        Ok(ReportOptions { records: self.records, format, out: self.out, force: self.force })
    }
}
