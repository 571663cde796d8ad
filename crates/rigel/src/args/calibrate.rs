//! `rigel calibrate`: the arguments. A calibration is a run of the level simple with a bound on the latency.
//!
//! Must not judge what the arguments of a run hold as well; [`super::build`] does.

use super::load::LoadArgs;
use super::names::Front;
use super::output::OutputArgs;
use super::own::{ConsentArgs, OwnArgs};
use super::run::RunArgs;
use super::target_args::TargetArgs;
use super::{Environment, Invocation, values, words};
use clap::Arg;
use rigel_core::error::Problem;
use rigel_core::load::class::Pattern;
use rigel_core::load::commits::NoCommits;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::pace::LevelChoice;
use rigel_core::load::request::{DEFAULT_STREAM_IOS, EngineRequest};
use rigel_core::stats::bound::{LatencyBound, LatencyOf};
use rigel_core::units::{Bytes, Nanos};
use std::path::PathBuf;

const LOAD: &str = "Load";
const TUI: &str =
    "Watch it: rates, latency, intervals, flags and time left, instead of a progress bar; q ends it, ? helps";
const WATCHED: &str = "Drawn on standard error, which has to be a terminal of 80 columns and 24 lines or more. The answers go to \
     standard output afterwards, as without it.";
const PAST: &str = "History";
/// A shorter budget would leave no time to search for the levels.
const LEAST_BUDGET: Nanos = Nanos::from_secs(20);

const SUMMARY: &str = "\
Examples:
  rigel calibrate                                  a scratch file in this directory
  rigel calibrate /dev/nvme1n1 --max-latency 2ms   a device; nothing is written
All options and more examples: rigel help calibrate";

const EXAMPLES: &str = "\
Examples:
  rigel calibrate
      fill a scratch file here, calibrate on it, commits included, remove it
  rigel calibrate /dev/nvme1n1 --max-latency 2ms --percentile p99
      the most IOPS whose 99th percentile stays within 2 ms; nothing is written
  rigel calibrate --engine sim:servers=8 --json
      a simulated device, as JSON for programs";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryOptions {
    /// Only those of these targets; all when empty.
    pub targets: Vec<PathBuf>,
    pub last: bool,
    pub json: bool,
}

#[derive(Debug, clap::Args)]
#[command(after_help = SUMMARY, after_long_help = EXAMPLES, mut_args(adapted))]
pub struct CalibrateArgs {
    #[command(flatten)]
    targets: TargetArgs,

    /// Latency that small I/O may have at the rate that is reported as max_iops, such as 2ms
    #[arg(long, value_name = "TIME", default_value = "10ms", value_parser = values::latency, help_heading = LOAD)]
    max_latency: Nanos,

    /// Which latency that is
    #[arg(long, value_name = "WHICH", default_value = "mean", ignore_case = true, value_parser = words::parser::<LatencyOf>(), help_heading = LOAD)]
    percentile: LatencyOf,

    /// Number of disks behind the targets
    ///
    /// The search goes up to 64 outstanding small I/Os for each, and to 512 at least.
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

    /// Time for everything but filling a scratch file: no visit begins after it
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = values::duration, help_heading = LOAD)]
    budget: Nanos,

    /// Do not measure what a commit costs
    ///
    /// Commits are small writes, each durable before the next. They are measured on a scratch file, and on targets that
    /// --destroy-data names, at the end and within the same budget. Nothing else is ever written to for them.
    #[arg(long, help_heading = LOAD, hide_short_help = true)]
    no_commits: bool,

    /// How I/O reaches the kernel, as with rigel run
    #[arg(long, value_name = "ENGINE", default_value = "auto", value_parser = values::engine, help_heading = LOAD, hide_short_help = true)]
    engine: EngineRequest,

    /// Seed of every offset [default: drawn, and printed]
    #[arg(long, value_name = "N", value_parser = values::seed, help_heading = LOAD, hide_short_help = true)]
    seed: Option<u64>,

    #[command(flatten)]
    consent: ConsentArgs,

    #[command(flatten)]
    output: OutputArgs,

    /// Show the last calibration of the targets, or of any, and measure nothing
    #[arg(long, help_heading = PAST, conflicts_with = "history")]
    last: bool,

    /// Show all calibrations of the targets, or of any, the newest first, and measure nothing
    #[arg(long, help_heading = PAST)]
    history: bool,

    /// Do not keep the answers in the history
    #[arg(long, help_heading = PAST, hide_short_help = true)]
    no_history: bool,
}

/// The options of a run, as the help of a calibration has them.
fn adapted(arg: Arg) -> Arg {
    match arg.get_id().as_str() {
        "lun" => arg.hide_short_help(true),
        "destroy_data" | "allow_memory" | "share" | "dry_run" => arg.help_heading(LOAD).hide_short_help(true),
        "name" => arg.default_value("calibration"),
        "label" => arg.hide_short_help(false),
        "out" => arg.default_value("."),
        "tui" => arg.help(TUI).long_help(format!("{TUI}\n\n{WATCHED}")),
        "json" => arg.help("The answers as JSON on standard output"),
        "quiet" => arg.help("No progress, no remarks; the answers only").hide_short_help(false),
        _ => arg,
    }
}

impl CalibrateArgs {
    /// What was asked for: a calibration, or those of the past.
    pub fn invocation(self, command_line: String, environment: &Environment) -> Result<Invocation, Problem> {
        if self.last || self.history {
            let (targets, json) = (self.targets.targets, self.output.show.json);
            return Ok(Invocation::History(HistoryOptions { targets, last: self.last, json }));
        }
        if self.budget < LEAST_BUDGET {
            return Err(Problem::usage(format!("a budget of {} is too short", self.budget))
                .at("--budget")
                .because("the levels have to be searched and then visited several times")
                .next(format!("give at least {LEAST_BUDGET}; 60s is usual")));
        }
        let bound = LatencyBound { limit: self.max_latency, of: self.percentile };
        let (history, no_commits) = (!self.no_history, self.no_commits);
        let mut options = self.run().options(Front::Calibrate, command_line, environment)?;
        options.history = history;
        options.request.bound = Some(bound);
        options.request.no_commits = no_commits.then_some(NoCommits::LeftOut);
        options.request.check()?;
        Ok(Invocation::Run(Box::new(options)))
    }

    fn run(self) -> RunArgs {
        let load = LoadArgs {
            num_disks: self.num_disks,
            write: self.write,
            size_small: self.size_small,
            size_large: self.size_large,
            pattern: Some(Pattern::Streams { ios_per_stream: DEFAULT_STREAM_IOS }),
            cache_size: Some(Bytes(0)),
            ..LoadArgs::default()
        };
        let own = OwnArgs {
            max_duration: Some(self.budget),
            fast: true,
            levels: Some(LevelChoice::Auto),
            engine: self.engine,
            seed: self.seed,
            consent: self.consent,
            ..OwnArgs::default()
        };
        RunArgs {
            level: Some(RunLevel::Simple),
            targets: self.targets,
            load,
            with_commits: !self.no_commits,
            ..self.output.of_run(own)
        }
    }
}
