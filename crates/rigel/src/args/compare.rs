//! `rigel compare`: the arguments.
//!
//! Must not open a record.

use super::words;
use rigel_core::error::Problem;
use rigel_core::uses::compare::gate::Gate;
use rigel_report::compare::CompareFormat;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  rigel compare before_record.jsonl after_record.jsonl
      the table: what changed, with the interval of every change
  rigel compare before/ after/
      every record in the one directory against every record in the other
  rigel compare before_record.jsonl after_record.jsonl --html --out .
      the page with overlaid curves
  rigel compare base_record.jsonl new_record.jsonl --fail-if 'small_iops < -5%' --junit junit.xml
      exit code 1 when the rate of small I/O fell by more than 5 % at some point";

#[derive(Clone, Debug, PartialEq, clap::Args)]
#[command(after_help = EXAMPLES, override_usage = "rigel compare [OPTIONS] BASE NEW..\n       rigel compare [OPTIONS] --base BASE [--base BASE].. NEW..")]
pub struct CompareArgs {
    /// The run to compare with, then the new one; a directory stands for every record in it
    ///
    /// Further ones are more runs of the new side. With --base all of these are new runs.
    #[arg(id = "runs", value_name = "RECORD", required = true)]
    pub new: Vec<PathBuf>,

    /// A run of the base; may be repeated
    ///
    /// With several runs of a side the intervals hold how much runs differ.
    #[arg(long, value_name = "RECORD")]
    pub base: Vec<PathBuf>,

    /// What to make: the table, one JSON document, a JUnit report, or one page with charts
    #[arg(long, value_name = "FORMAT", ignore_case = true, default_value = "text", value_parser = words::parser::<CompareFormat>())]
    pub format: CompareFormat,

    /// The same as --format json
    #[arg(long, conflicts_with_all = ["format", "html"])]
    json: bool,

    /// The same as --format html: one file with overlaid curves, named by both sides
    #[arg(long, conflicts_with = "format")]
    html: bool,

    /// Write a JUnit report to this file as well
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,

    /// Directory of the output [default: beside the new record (html), standard output (text, json, junit)]
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    pub out: Option<PathBuf>,

    /// Exit with 1 when a change is beyond a bound, as 'small_iops < -5%', or the new side, as 'small_p99 > 2ms'; may be repeated
    ///
    /// A bound in per cent is on the change, one with another unit (us, ms, s; IOPS, MBPS, /s) on the number of the new side.
    /// Quantities of every point: small_iops, large_mbps, small_latency, large_latency, small_p99, large_p99. Of the run:
    /// max_small_iops, max_large_mbps, min_small_latency; of calibrations max_iops; of commits commit_latency,
    /// commit_fdatasync, max_commits.
    ///
    /// 'max_small_iops < +50%' demands 50 % more at least. A gate fails (exit code 1) when at some point the whole range of
    /// the change, from .. to, is beyond the bound. It passes (0) when every whole range keeps the bound. Otherwise it is
    /// undecided (0 with a note that says why; 1 with --fail-undecided): a range holds the bound, a number has no range, or a
    /// load level of a quantity of points is not in every run. A quantity of the run needs no equal levels, unless the best
    /// was at a level that another run was not given.
    #[arg(long, value_name = "GATE")]
    fail_if: Vec<String>,

    /// The gates.
    #[arg(skip)]
    pub gates: Vec<Gate>,

    /// Exit with 1 also when a gate is undecided; `rigel help compare` tells when it is
    #[arg(long, requires = "fail_if")]
    pub fail_undecided: bool,

    /// Compare runs of different sizes, write shares, engines or flags all the same
    #[arg(long)]
    pub allow_differences: bool,

    /// Do not look into the history of calibrations for how much sessions differ
    #[arg(long)]
    pub no_history: bool,

    /// Replace existing output files
    #[arg(long)]
    pub force: bool,
}

impl CompareArgs {
    /// With both sides, one format, and the gates read.
    pub fn checked(mut self) -> Result<Self, Problem> {
        if self.base.is_empty() && !self.new.is_empty() {
            self.base.push(self.new.remove(0));
        }
        if self.new.is_empty() {
            return Err(Problem::usage("there is nothing to compare the run with")
                .because("only one record was given")
                .next("give two: rigel compare BASE NEW"));
        }
        self.format = match (self.json, self.html) {
            (true, _) => CompareFormat::Json,
            (_, true) => CompareFormat::Html,
            _ => self.format,
        };
        self.gates = self.fail_if.iter().map(|text| Gate::read(text)).collect::<Result<_, _>>()?;
        Ok(self)
    }
}
