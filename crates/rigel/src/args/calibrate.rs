//! `rigel calibrate`: the arguments. A calibration is a run of the level simple with a latency limit.
//!
//! Must not judge what it shares with the arguments of a run; [`super::build`] does.

use super::build::Frame;
use super::names::{Front, Opt};
use super::output::OutputArgs;
use super::own::{HowArgs, beside_own};
use super::target_args::TargetArgs;
use super::{Environment, Invocation, RunOptions, shaping, values, words};
use clap::Arg;
use rigel_core::error::Problem;
use rigel_core::load::class::Class;
use rigel_core::load::commits::NoCommits;
use rigel_core::load::request::Request;
use rigel_core::stats::bound::{LatencyBound, LatencyOf};
use rigel_core::units::{Bytes, Nanos};
use std::path::PathBuf;

const LOAD: &str = "Load";
const TUI: &str = "Show a live view instead of a progress bar; ? shows help, q ends the run";
const WATCHED: &str = "Needs a terminal of at least 80 columns and 24 lines on standard error. The answers follow on standard output.";
const PAST: &str = "History";
/// A shorter budget would leave no time to search for the levels.
const LEAST_BUDGET: Nanos = Nanos::from_secs(20);

const SUMMARY: &str = "\
Examples:
  rigel calibrate                                  the storage under this directory
  rigel calibrate /mnt/fast                        another disk, with a scratch file there
  rigel calibrate /dev/nvme1n1 --max-latency 2ms   a device; nothing is written
All options and more examples: rigel help calibrate";

const EXAMPLES: &str = "\
Examples:
  rigel calibrate
      fill a scratch file in this directory, measure it, commits included, remove it
  rigel calibrate /mnt/fast --for 5m
      the same on another disk, with more time and so more precise
  rigel calibrate /dev/nvme1n1 --max-latency 2ms --percentile p99
      the most IOPS whose 99th percentile stays within 2 ms; nothing is written
  rigel calibrate --engine sim:servers=8 --json
      a simulated device, as JSON for programs";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryOptions {
    /// Only those of these targets; all if empty.
    pub targets: Vec<PathBuf>,
    pub last: bool,
    pub json: bool,
}

#[derive(Debug, clap::Args)]
#[command(after_help = SUMMARY, after_long_help = EXAMPLES, mut_args(adapted))]
pub struct CalibrateArgs {
    #[command(flatten)]
    targets: TargetArgs,

    /// Latency limit for small I/O: max_iops is the highest rate within it, such as 2ms
    #[arg(long, value_name = "TIME", default_value = "10ms", value_parser = values::latency, help_heading = LOAD)]
    max_latency: Nanos,

    /// What the limit applies to
    #[arg(long, value_name = "WHICH", default_value = "mean", ignore_case = true, value_parser = words::parser::<LatencyOf>(), help_heading = LOAD)]
    percentile: LatencyOf,

    /// Number of disks behind the targets
    ///
    /// The search goes up to 64 outstanding small I/Os per disk, and at least to 512.
    #[arg(long, value_name = "N", help_heading = LOAD, hide_short_help = true)]
    num_disks: Option<u64>,

    /// Share of writes in per cent, 0 to 100 [default: 0]
    #[arg(long, value_name = "PERCENT", value_parser = values::per_cent, help_heading = LOAD)]
    write: Option<u64>,

    /// Size of a small I/O [default: 8K]
    #[arg(long, value_name = "SIZE", help_heading = LOAD, hide_short_help = true)]
    size_small: Option<Bytes>,

    /// Size of a large I/O [default: 1M]
    #[arg(long, value_name = "SIZE", help_heading = LOAD, hide_short_help = true)]
    size_large: Option<Bytes>,

    /// Time for everything but filling a scratch file; no measurement begins after it
    #[arg(long = "for", aliases = ["budget", "max-duration"], value_name = "TIME", default_value = "60s", value_parser = values::duration, help_heading = LOAD)]
    budget: Nanos,

    /// Do not measure the cost of a commit
    ///
    /// Commits are small writes, each durable before the next. They are measured last, within the same time, and only on a scratch file or on
    /// targets named with --destroy-data.
    #[arg(long, help_heading = LOAD, hide_short_help = true)]
    no_commits: bool,

    #[command(flatten)]
    how: HowArgs,

    #[command(flatten)]
    output: OutputArgs,

    /// Show the last calibration of the targets, or of any target; measure nothing
    #[arg(long, help_heading = PAST, conflicts_with = "history")]
    last: bool,

    /// Show all calibrations of the targets, or of any target, newest first; measure nothing
    #[arg(long, help_heading = PAST)]
    history: bool,

    /// Do not store the answers in the history
    #[arg(long, help_heading = PAST, hide_short_help = true)]
    no_history: bool,
}

/// The options of a run, as the help of a calibration has them.
fn adapted(arg: Arg) -> Arg {
    match arg.get_id().as_str() {
        "name" => arg.default_value("calibration"),
        "label" => arg.hide_short_help(false),
        "tui" => arg.help(TUI).long_help(format!("{TUI}\n\n{WATCHED}")),
        "json" => arg.help("Print the answers as JSON"),
        "quiet" => arg.help("Show no progress and no notes, only the answers").hide_short_help(false),
        _ => beside_own(arg),
    }
}

impl CalibrateArgs {
    /// What was requested: a calibration, or past ones.
    pub fn invocation(self, command_line: String, environment: &Environment) -> Result<Invocation, Problem> {
        if self.last || self.history {
            let (targets, json) = (self.targets.targets, self.how.show.json);
            return Ok(Invocation::History(HistoryOptions { targets, last: self.last, json }));
        }
        if self.budget < LEAST_BUDGET {
            return Err(Problem::usage(format!("{} is too short for a calibration", self.budget))
                .at("--for")
                .because("the levels have to be searched and then visited several times")
                .next(format!("give at least {LEAST_BUDGET}; 60s is usual")));
        }
        let history = !self.no_history;
        let request = self.request()?;
        let frame = Frame {
            front: Front::Calibrate,
            command_line,
            environment,
            targets: self.targets,
            load_file: None,
            how: self.how,
            output: self.output,
            orion_version: None,
        };
        Ok(Invocation::Run(Box::new(RunOptions { history, ..frame.options(request)? })))
    }

    /// The request, without name and command line.
    fn request(&self) -> Result<Request, Problem> {
        let bound = LatencyBound { limit: self.max_latency, of: self.percentile };
        let mut request = Request {
            num_disks: shaping::count(Front::Calibrate, Opt::NUM_DISKS, self.num_disks)?,
            ..self.how.request(Request::calibration(bound, self.budget))?
        };
        request.calibrate(bound, self.no_commits.then_some(NoCommits::LeftOut));
        request.set_writes(shaping::write_percent(Front::Calibrate, self.write)?);
        for (class, size) in [(Class::SMALL, self.size_small), (Class::LARGE, self.size_large)] {
            if let Some(size) = size {
                request.set_size(class, size.0);
            }
        }
        request.check()?;
        Ok(request)
    }
}
