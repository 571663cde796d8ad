//! `rigel calibrate`: the arguments, and what they come to: a run of the level simple with a bound on the latency.
//!
//! Must not hold checks that a run needs as well; those are in [`super::build`].

use super::build::{self, Typed};
use super::load::LoadWish;
use super::names::Front;
use super::own::OwnOptions;
use super::target_source::target_source;
use super::words::{self, LevelWord, Pattern, Words};
use super::{Environment, Invocation, RunOptions, values};
use rigel_core::error::Problem;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::pace::Precision;
use rigel_core::load::request::EngineRequest;
use rigel_core::stats::bound::{LatencyBound, LatencyOf};
use rigel_core::units::{Bytes, Nanos};
use std::ffi::OsString;
use std::path::PathBuf;

const TARGETS: &str = "Targets";
const LOAD: &str = "Load";
const OUTPUT: &str = "Output";
const PAST: &str = "History";
/// Shorter than that, the search for the levels would have no time.
const LEAST_BUDGET: Nanos = Nanos::from_secs(20);

const SUMMARY: &str = "\
Examples:
  rigel calibrate                                  a scratch file in this directory
  rigel calibrate /dev/nvme1n1 --max-latency 2ms   a device; nothing is written
All options and more examples: rigel help calibrate";

const EXAMPLES: &str = "\
Examples:
  rigel calibrate
      fill a scratch file here, calibrate on it, remove it
  rigel calibrate /dev/nvme1n1 --max-latency 2ms --percentile p99
      the most IOPS whose 99th percentile stays within 2 ms; nothing is written
  rigel calibrate --engine sim:servers=8 --json
      a simulated device, as JSON for programs";

impl Words for LatencyOf {
    const ALL: &'static [Self] = &Self::ALL;

    fn word(self) -> &'static str {
        self.name()
    }
}

/// Which calibrations of the past to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryOptions {
    /// Only those of these targets; all when empty.
    pub targets: Vec<PathBuf>,
    /// Only the newest.
    pub last: bool,
    /// As JSON.
    pub json: bool,
}

/// See the module.
#[derive(Debug, clap::Args)]
#[command(after_help = SUMMARY, after_long_help = EXAMPLES)]
pub struct CalibrateArgs {
    /// Files or block devices to calibrate [default: a scratch file in the current directory]
    #[arg(value_name = "TARGET")]
    targets: Vec<PathBuf>,

    /// Read the targets from FILE, one path per line
    #[arg(long, value_name = "FILE", help_heading = TARGETS, hide_short_help = true)]
    lun: Option<PathBuf>,

    /// Size of the scratch file [default: chosen from memory and free space]
    #[arg(long, value_name = "SIZE", help_heading = TARGETS, hide_short_help = true)]
    scratch_size: Option<Bytes>,

    /// Leave the scratch file there, so that the next run need not fill it
    #[arg(long, help_heading = TARGETS, hide_short_help = true)]
    keep_scratch: bool,

    /// Latency that small I/O may have at the rate that is reported as max_iops
    #[arg(long, value_name = "TIME", default_value = "10ms", help_heading = LOAD)]
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
    #[arg(long, value_name = "PERCENT", help_heading = LOAD)]
    write: Option<u64>,

    /// Size of a small I/O [default: 8K]
    #[arg(long, value_name = "SIZE", help_heading = LOAD, hide_short_help = true)]
    size_small: Option<Bytes>,

    /// Size of a large I/O [default: 1M]
    #[arg(long, value_name = "SIZE", help_heading = LOAD, hide_short_help = true)]
    size_large: Option<Bytes>,

    /// Time for everything but filling a scratch file: no visit begins after it
    #[arg(long, value_name = "TIME", default_value = "60s", help_heading = LOAD)]
    budget: Nanos,

    /// How I/O reaches the kernel, as with rigel run
    #[arg(long, value_name = "ENGINE", default_value = "auto", value_parser = values::engine, help_heading = LOAD, hide_short_help = true)]
    engine: EngineRequest,

    /// Seed of every offset [default: drawn, and printed]
    #[arg(long, value_name = "N", value_parser = values::seed, help_heading = LOAD, hide_short_help = true)]
    seed: Option<u64>,

    /// Allow to overwrite everything on TARGET; may be given several times
    #[arg(long, value_name = "TARGET", help_heading = LOAD, hide_short_help = true)]
    destroy_data: Vec<PathBuf>,

    /// Show what would be done and do nothing
    #[arg(long, help_heading = LOAD, hide_short_help = true)]
    dry_run: bool,

    /// Name of the record and of the page
    #[arg(long, value_name = "NAME", default_value = "calibration", help_heading = OUTPUT, hide_short_help = true)]
    name: OsString,

    /// Directory of the outputs
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath, default_value = ".", help_heading = OUTPUT)]
    out: PathBuf,

    /// The answers as JSON on standard output
    #[arg(long, help_heading = OUTPUT)]
    json: bool,

    /// Do not write the page with charts, NAME_report.html
    #[arg(long, help_heading = OUTPUT, hide_short_help = true)]
    no_html: bool,

    /// Show the last calibration of the targets, or of any, and measure nothing
    #[arg(long, help_heading = PAST, conflicts_with = "history")]
    last: bool,

    /// Show all calibrations of the targets, or of any, the newest first, and measure nothing
    #[arg(long, help_heading = PAST)]
    history: bool,

    /// Do not keep the answers in the history
    #[arg(long, help_heading = PAST, hide_short_help = true)]
    no_history: bool,

    /// No progress, no remarks; the answers only
    #[arg(long, help_heading = OUTPUT)]
    quiet: bool,
}

impl CalibrateArgs {
    /// What was asked for: a calibration, or those of the past.
    ///
    /// # Errors
    /// A usage problem that names the option.
    pub fn invocation(self, command_line: String, environment: &Environment) -> Result<Invocation, Problem> {
        if self.last || self.history {
            let Self { targets, last, json, .. } = self;
            return Ok(Invocation::History(HistoryOptions { targets, last, json }));
        }
        self.options(command_line, environment).map(|options| Invocation::Run(Box::new(options)))
    }

    /// What was asked for; `command_line` is its echo.
    ///
    /// # Errors
    /// A usage problem that names the option.
    fn options(self, command_line: String, environment: &Environment) -> Result<RunOptions, Problem> {
        if self.budget < LEAST_BUDGET {
            return Err(Problem::usage(format!("a budget of {} is too short", self.budget))
                .at("--budget")
                .because("the levels have to be searched and then visited several times")
                .next(format!("give at least {LEAST_BUDGET}; 60s is usual")));
        }
        let no_history = self.no_history;
        let bound = LatencyBound { limit: self.max_latency, of: self.percentile };
        let typed = Typed {
            front: Front::Calibrate,
            level: RunLevel::Simple,
            name: self.name,
            command_line,
            load: LoadWish {
                num_disks: self.num_disks,
                write: self.write,
                size_small: self.size_small,
                size_large: self.size_large,
                pattern: Some(Pattern::Seq),
                cache_size: Some(Bytes(0)),
                ..LoadWish::default()
            },
            own: OwnOptions {
                precision: Some(Precision::default()),
                max_duration: Some(self.budget),
                fast: true,
                levels: Some(LevelWord::Auto),
                engine: self.engine,
                seed: self.seed,
                destroy_data: self.destroy_data,
                dry_run: self.dry_run,
                json: self.json,
                no_html: self.no_html,
                quiet: self.quiet,
                ..OwnOptions::default()
            },
            targets: target_source(self.targets, self.lun, self.scratch_size, self.keep_scratch)?,
            out_dir: self.out,
            verbose: false,
            tui: false,
            notes: Vec::new(),
        };
        let mut options = build::options(typed, environment)?;
        options.history = !no_history;
        options.request.bound = Some(bound);
        options.request.check().map_err(|problem| problem.at("--max-latency"))?;
        Ok(options)
    }
}
