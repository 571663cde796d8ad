//! `rigel compare`: the arguments.
//!
//! Must not open a record.

use super::judgement::JudgementArgs;
use super::rank::{RankArgs, StorageArg};
use super::{Invocation, words};
use rigel_core::error::Problem;
use rigel_report::compare::CompareFormat;
use rigel_report::rank::RankFormat;
use rigel_uses::compare::gate::Gate;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  rigel compare before_record.jsonl after_record.jsonl
      what changed, with the interval of each change
  rigel compare old_summary.txt new_record.jsonl
      ORION's results of the old storage with a run on the new one
  rigel compare before/ after/
      all records in one directory against all records in the other
  rigel compare a/ --and b/ --and c/
      three storages: the same as `rigel rank a/ b/ c/`
  rigel compare before_record.jsonl after_record.jsonl --html --out .
      write a page with overlaid curves
  rigel compare base_record.jsonl new_record.jsonl --fail-if 'small_iops < -5%' --junit junit.xml
      exit code 1 if the rate of small I/O fell by more than 5 % at any load";

#[derive(Clone, Debug, PartialEq, clap::Args)]
#[command(after_help = EXAMPLES, override_usage = "rigel compare [OPTIONS] BASE NEW..\n       rigel compare [OPTIONS] --base BASE [--base BASE].. NEW..\n       rigel compare [OPTIONS] BASE --and NEW [--and THIRD]..")]
pub struct CompareArgs {
    /// The base run, then the new one; a directory stands for all records in it
    ///
    /// Further records are more runs of the new side; `rigel rank` puts several storages in order. With --base, all of them are new runs. Results
    /// of other tools can take the place of a record: ORION's _summary.txt, _iops.csv, _mbps.csv and _lat.csv, the row of DBA_RSRC_IO_CALIBRATE
    /// (CSV, or as SQL*Plus shows it), fio's JSON and JSON+, the text of pg_test_fsync, elbencho's CSV, diskspd's XML (-Rxml), and
    /// `rigel calibrate --json`. Rigel recognises a file by its content, and reports what each tool leaves out and where its load differs.
    #[arg(id = "runs", value_name = "RECORD", required = true)]
    pub new: Vec<PathBuf>,

    /// A base run; repeatable
    ///
    /// With several runs on a side, the intervals cover how much runs differ.
    #[arg(long, value_name = "RECORD")]
    pub base: Vec<PathBuf>,

    /// The other side: a record or a directory; with several, all storages are ranked
    ///
    /// The record or directory without it is the first side. Two or more --and ask for a ranking, as `rigel rank` does: which storage is best, and
    /// which cannot be told apart.
    #[arg(long, value_name = "RECORD", conflicts_with = "base")]
    and: Vec<PathBuf>,

    /// Output format
    #[arg(long, value_name = "FORMAT", ignore_case = true, default_value = "text", value_parser = words::parser::<CompareFormat>())]
    pub format: CompareFormat,

    /// Short for --format json
    #[arg(long, conflicts_with_all = ["format", "html"])]
    json: bool,

    /// Short for --format html: a page with overlaid curves
    #[arg(long, conflicts_with = "format")]
    html: bool,

    /// Also write a JUnit report to FILE
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,

    /// Exit with 1 if a change exceeds a limit, such as 'small_iops < -5%', or the new side does, such as 'small_p99 > 2ms'; repeatable
    ///
    /// A limit in percent applies to the change, one with another unit (us, ms, s; IOPS, MBPS, /s) to the new side.
    /// Quantities of every data point: small_iops, large_mbps, small_latency, large_latency, small_p99, large_p99. For the run: max_small_iops,
    /// max_large_mbps, min_small_latency; for calibrations max_iops, max_pmbps, latency_at_1; for commits commit_latency, commit_fdatasync,
    /// commit_unsynced, max_commits. For any other load class NAME: NAME_per_s or NAME_mbps,
    /// NAME_latency, NAME_p99; for the run max_NAME_per_s or max_NAME_mbps, and min_NAME_latency.
    ///
    /// 'max_small_iops < +50%' demands at least 50 % more. A gate fails (exit code 1) if the whole interval of the change is beyond the limit at
    /// any data point. It passes (0) if all intervals are within the limit. Otherwise it is undecided (0 with a note; 1 with --fail-undecided): an
    /// interval contains the limit, a number has no interval, or a load level is missing in a run. Quantities of the run do not need equal levels,
    /// unless the best result was at a level that another run does not have.
    #[arg(long, value_name = "GATE")]
    fail_if: Vec<String>,

    /// The gates.
    #[arg(skip)]
    pub gates: Vec<Gate>,

    /// Also exit with 1 if a gate is undecided; see `rigel help compare`
    #[arg(long, requires = "fail_if")]
    pub fail_undecided: bool,

    #[command(flatten)]
    pub judgement: JudgementArgs,
}

impl CompareArgs {
    /// A comparison, or the ranking of three storages or more.
    pub fn invocation(self) -> Result<Invocation, Problem> {
        // Which side a record behind an --and is of, nobody could tell.
        if !self.and.is_empty() && self.new.len() > 1 {
            return Err(Problem::usage("with --and, each side is one record or directory")
                .at("--and")
                .because(format!("{} were given without it", self.new.len()))
                .next("put the runs of a side into a directory, or use --base for them"));
        }
        if self.and.len() > 1 {
            return self.ranking()?.checked().map(Invocation::Rank);
        }
        self.checked().map(Invocation::Compare)
    }

    fn ranking(self) -> Result<RankArgs, Problem> {
        let own = [
            ("--fail-if", !self.fail_if.is_empty()),
            ("--junit", self.junit.is_some()),
            ("--format junit", self.format == CompareFormat::Junit),
        ];
        if let Some((option, _)) = own.into_iter().find(|(_, given)| *given) {
            return Err(Problem::usage(format!(
                "{option} needs two sides, and there are {}",
                self.and.len() + 1
            ))
            .at(option)
            .because("a gate is about the change from one side to the other")
            .next(
                "compare two of them, or ask `rigel rank` for a number: --require 'max_small_iops >= 20000'",
            ));
        }
        let sides = std::iter::once(self.new).chain(self.and.into_iter().map(|side| vec![side]));
        Ok(RankArgs {
            storages: sides.map(|paths| StorageArg { name: None, paths }).collect(),
            format: match self.format {
                CompareFormat::Text | CompareFormat::Junit => RankFormat::Text,
                CompareFormat::Json => RankFormat::Json,
                CompareFormat::Markdown => RankFormat::Markdown,
                CompareFormat::Html => RankFormat::Html,
            },
            json: self.json,
            html: self.html,
            judgement: self.judgement,
            ..RankArgs::default()
        })
    }

    /// With both sides, one format, and the parsed gates.
    fn checked(mut self) -> Result<Self, Problem> {
        if let Some(new) = self.and.pop() {
            self.base = std::mem::replace(&mut self.new, vec![new]);
        }
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
