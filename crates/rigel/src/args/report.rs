//! `rigel report`: the arguments, and what they ask for.
//!
//! Must not open the record.

use super::{Environment, values, words};
use rigel_core::error::Problem;
use rigel_core::units::Bytes;
use rigel_report::{Format, OrionVersion};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  rigel report .
      the newest run in this directory: answer, warnings, table
  rigel report mytest_20260101_1200_record.jsonl --explain
      why, and how sure: each warning with its figures and what to do, every flag, charts
  rigel report mytest_20260101_1200_record.jsonl --html
      write the page with charts next to the record: mytest_20260101_1200_report.html
  rigel report mytest_20260101_1200_record.jsonl --size 10T
      how long a full scan, a backup and a restore of 10 TiB take at the measured MBPS
  rigel report monday_record.jsonl tuesday_record.jsonl --html
      one page about both runs, with an overview
  rigel report mytest_20260101_1200_record.jsonl --format fio --out /tmp
      output like that of fio, in directories for fio-plot: /tmp/mytest_20260101_1200_fio/small ..
  rigel report mytest_20260101_1200_record.jsonl --format orion --orion-version 11.1 --out /tmp
      ORION's files in the format of version 11.1, in another directory";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportOptions {
    pub records: Vec<PathBuf>,
    pub format: Format,
    /// Where to write it; `None`: ORION's files and the page next to the record, anything else to standard output.
    pub out: Option<PathBuf>,
    pub force: bool,
    /// Everything that a terminal can show, not only what was shown after the run.
    pub explain: bool,
    /// How long it takes to read or write this much, instead of the results.
    pub size: Option<Bytes>,
}

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct ReportArgs {
    /// Record of a run, NAME_record.jsonl, or a directory: its newest record; several make one page about all, or separate other files
    #[arg(value_name = "RECORD", required = true)]
    records: Vec<PathBuf>,

    /// Output format [default: text]
    ///
    /// text: what was shown after the run; with --out, what --explain shows. fio: JSON like that of fio; with --out also a file per job, in directories
    /// for fio-plot. hlog: latencies as an HdrHistogram interval log. openmetrics: text for Prometheus. markdown: tables for a ticket or a wiki.
    #[arg(long, value_name = "FORMAT", ignore_case = true, value_parser = words::parser::<Format>())]
    format: Option<Format>,

    /// Short for --format html: one file that opens in any browser, offline
    #[arg(long, conflicts_with = "format")]
    html: bool,

    /// Show everything known about the run: warnings with figures, flags, charts
    #[arg(long, conflicts_with_all = ["format", "html", "out"])]
    explain: bool,

    /// Show how long a scan, a backup and a restore of SIZE (10T) take
    ///
    /// From the large reads of the record, and its large writes if any; also next to small I/O if data points have both. With --format
    /// text, markdown or json.
    #[arg(long, value_name = "SIZE", value_parser = values::amount, conflicts_with_all = ["html", "explain", "out"])]
    size: Option<Bytes>,

    /// Directory of the outputs [default: next to the record (orion, html), otherwise standard output]
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    out: Option<PathBuf>,

    /// Format of the ORION files: 10.2, 11.1, 11.2 or 19 [default: RIGEL_ORION_VERSION, else 19]
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
        if self.size.is_some() {
            only_one(&self.records)?;
            is_shown(format)?;
        }
        Ok(ReportOptions {
            size: self.size,
            records: self.records,
            format,
            out: self.out,
            force: self.force,
            explain: self.explain,
        })
    }
}

fn only_one(records: &[PathBuf]) -> Result<(), Problem> {
    if records.len() == 1 {
        return Ok(());
    }
    Err(Problem::usage("--size takes one record")
        .at("RECORD")
        .because("the times follow from the rates of one run")
        .next("give one record; rigel compare shows several side by side"))
}

fn is_shown(format: Format) -> Result<(), Problem> {
    if matches!(format, Format::Text | Format::Markdown | Format::Json) {
        return Ok(());
    }
    Err(Problem::usage(format!("--size has no {} output", format.name()))
        .at("--format")
        .because("the times are a short text, not results")
        .next("use --format text, markdown or json"))
}
