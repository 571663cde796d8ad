//! `rigel run`: the arguments.
//!
//! Must not judge them; [`super::build`] does.

use super::build::{Frame, display};
use super::level::LevelArgs;
use super::names::Front;
use super::output::OutputArgs;
use super::target_args::TargetArgs;
use super::through::{self, ThroughArgs};
use super::values::ValueError;
use super::{Display, Environment, Invocation, ResumeOptions, RunOptions, Versus, open, words};
use clap::Arg;
use rigel_core::error::Problem;
use rigel_core::load::matrix::RunLevel;
use std::path::PathBuf;

pub const FILES: &str = "Output";
/// As in [`super::load`].
pub const LOAD: &str = "Load";

/// The note for a run of commits without further options.
const OF_FEW_WRITERS: &str = "only 1 and 16 writers, to answer in a minute: --writers 1,2,4,8,16 measures more of them until the precision is reached";
const SUMMARY: &str = "\
Examples:
  rigel run simple                 measure the storage under this directory
  rigel run oltp /dev/nvme1n1      small random reads on a device; nothing is written
All options and more examples: rigel help run";

const EXAMPLES: &str = "\
Examples:
  rigel run simple
      measure the storage under this directory: fill a scratch file, measure it, remove it
  rigel run oltp /mnt/fast --for 2m
      small I/O only, with a scratch file in another directory, in two minutes
  rigel run normal /dev/nvme1n1 /dev/nvme2n1 --num-disks 8
      every combination of small and large I/O over two devices, with the load of eight disks; nothing is written
  rigel run oltp --lun mytest.lun --duration 60s
      small I/O on the targets listed in a file, each data point once for 60 s
  rigel run advanced /data/file --qd 32
      one data point: 32 small I/Os outstanding
  rigel run oltp --write 20 --destroy-data /dev/sdx /dev/sdx
      20 % writes, on a device whose data may be lost
  rigel run --load shop.toml /dev/sdx
      a load of your own; `rigel run oltp --dry-run --as-load` prints such a file
  rigel run --load postgresql
      pages, log and scans as PostgreSQL does them, on a scratch file in this directory; also mysql and oracle
  rigel run --load job.fio /dev/sdx
      a job file of fio; what has no counterpart is listed line by line
  rigel run --load week.toml --compress 24 /dev/sdx
      replay a week that `rigel capacity replay` turned into a load, in 7 hours
  rigel run commit
      cost of a commit: writes to a scratch file in this directory, each durable before the next
  rigel run open --rate 1000,5000,20000 /dev/nvme1n1
      latency if small reads arrive at these rates, independent of each other
  rigel run zones /dev/sdx
      is the start of a disk faster than its end, and where does it change?
  rigel run streams /dev/sdx
      1, 2, 4 .. sequential readers at separate offsets, like several dd
  rigel run scaling /dev/sdx /dev/sdy /dev/sdz
      the same load over 1, 2 and 3 targets: does the rate grow with them, and what limits it?
  rigel run through /dev/mapper/mpatha --rate 1000 --require 'standstill < 30s'
      hold a rate while you pull a path: how long does the load stand still, and when is it back? `rigel mark TEXT` marks what you do
  rigel run working-set /dev/sdx
      random reads of 64 MiB, 128 MiB .. all of it: how large is the cache, how fast, and what would twice as much give?
  rigel run burst /dev/sdx
      full load for up to an hour: does the rate of this cloud volume last, or does it run out of credits?
  rigel run oltp /dev/sdx --span 0-33%
      small I/O on the first third only: short stroking
  rigel run dss --engine sim:servers=16,service=200us
      no storage at all, to see the outputs
  rigel run --resume rigel_20260101_1200_record.jsonl
      resume a run that was stopped, killed, or interrupted by a crash of the host

Effect on other programs:
      A run without --write changes nothing on its targets, but loads them to their limit: everything else that uses the same disks, such as a
      running database, is slow until the run ends. --dry-run lists what uses a target.";

/// The options allowed with --resume: its record says everything else.
pub const BESIDE_RESUME: [&str; 9] =
    ["resume", "destroy_data", "dry_run", "json", "no_html", "quiet", "verbose", "tui", "orion_version"];

#[derive(Debug, Default, clap::Args)]
#[command(after_help = SUMMARY, after_long_help = EXAMPLES, mut_args(adapted))]
pub struct RunArgs {
    /// Load: simple, normal, oltp, dss, advanced, commit, open, zones, streams, scaling, working-set, burst or through
    ///
    /// simple: small random I/O alone, then large random I/O alone. normal: every combination of both. oltp: small only, up to 20 outstanding per
    /// disk. dss: large only, up to 15 per disk. advanced: as the options say. commit: small durable writes, one after the other, as a database does
    /// for each commit; needs a scratch file or --destroy-data. open: small I/O that arrives at the rates of --rate. zones: sequential and random
    /// reads, one at a time, at 16 offsets across the targets. streams: 1, 2, 4 .. sequential readers at a time, like several dd. scaling: the same
    /// small I/O on each of 1, 2, 3 .. of the targets. working-set: random reads of more and more of a target: how large are its caches, and what are they
    /// worth? burst: as much small I/O as possible for up to an hour, then a pause and a second burst: does
    /// the rate last, or does the storage spend credits? through: small I/O at one rate while something fails, and what that does to it.
    #[arg(value_name = "LEVEL", ignore_case = true, hide_possible_values = true, required_unless_present = "resume", value_parser = words::run_level())]
    pub level: Option<RunLevel>,

    #[command(flatten)]
    pub targets: TargetArgs,

    /// Make the phases of --load N times shorter at the same rates: 24 turns a day into an hour
    #[arg(long, value_name = "N", requires = "load_file", value_parser = compression, help_heading = LOAD, display_order = 0, hide_short_help = true)]
    pub compress: Option<f64>,

    /// Print the load as a file for --load, with --dry-run
    #[arg(long, requires = "dry_run", help_heading = LOAD, hide_short_help = true)]
    pub as_load: bool,

    /// Resume an interrupted run
    ///
    /// RECORD is its NAME_record.jsonl, which holds all options; only --destroy-data has to be repeated if the run writes. Targets, host and program
    /// must be the same. Completed measurements count. The outputs next to the record are replaced.
    #[arg(long, value_name = "RECORD", value_hint = clap::ValueHint::FilePath, help_heading = FILES, display_order = 2)]
    pub resume: Option<PathBuf>,

    #[command(flatten)]
    pub load: LevelArgs,

    #[command(flatten)]
    pub through: ThroughArgs,

    /// Print more while measuring
    #[arg(short, long, help_heading = FILES, hide_short_help = true)]
    pub verbose: bool,

    #[command(flatten)]
    pub output: OutputArgs,
}

/// The options of every run, as the help of this command has them.
fn adapted(arg: Arg) -> Arg {
    const TUI: &str = "Show a live view; ? shows help, q ends the run";
    const WATCHED: &str = "Needs a terminal of at least 80 columns and 24 lines on standard error. The results follow on standard output.";
    match arg.get_id().as_str() {
        "name" => arg
            .help("Name of the run; all output files start with it")
            .default_value("rigel")
            .hide_short_help(false),
        "out" => arg.default_value("."),
        "tui" => arg.help(TUI).long_help(format!("{TUI}\n\n{WATCHED}")),
        _ => arg,
    }
}

/// Longer ones leave nothing of a week.
const MOST_COMPRESSION: f64 = 100_000.0;

fn compression(text: &str) -> Result<f64, ValueError> {
    let times = text.parse::<f64>().ok().filter(|times| (1.0..=MOST_COMPRESSION).contains(times));
    times.ok_or_else(|| ValueError {
        reason: "is not a valid factor".into(),
        next: format!("give 1 to {MOST_COMPRESSION}, such as 24"),
    })
}

impl RunArgs {
    /// What was requested; `command_line` is its echo.
    pub fn invocation(
        mut self,
        command_line: String,
        environment: &Environment,
    ) -> Result<Invocation, Problem> {
        let Some(record) = self.resume.take() else {
            let is_brief = self.level == Some(RunLevel::Commit) && self.load.be_brief_on_commits();
            let thousands = open::looks_like_thousands(&self.load.open.rate);
            let mut options = self.options(Front::Rigel, command_line, environment)?;
            options.notes.extend(thousands);
            options.notes.extend(is_brief.then(|| OF_FEW_WRITERS.to_owned()));
            return Ok(Invocation::Run(Box::new(options)));
        };
        let own = self.load.own;
        let shown = display(own.how.show, self.output.tui, own.orion_version, environment)?;
        Ok(Invocation::Resume(ResumeOptions {
            record,
            destroy: own.how.consent.destroy_data,
            dry_run: own.how.consent.dry_run,
            display: Display { verbose: self.verbose, ..shown },
            versus: Versus::default(),
            server: None,
        }))
    }

    /// The options of a run.
    pub fn options(
        self,
        front: Front,
        command_line: String,
        environment: &Environment,
    ) -> Result<RunOptions, Problem> {
        // clap asks for a level, unless a run is resumed.
        let level = self.level.unwrap_or(RunLevel::Simple);
        let request = match level {
            RunLevel::Through => through::request(&self.load, &self.through)?,
            _ => self.load.request(front, level)?,
        };
        let LevelArgs { load_file, own, .. } = self.load;
        let frame = Frame {
            front,
            command_line,
            environment,
            targets: self.targets,
            load_file,
            how: own.how,
            output: self.output,
            orion_version: own.orion_version,
        };
        let options = frame.options(request)?;
        let display = Display { verbose: self.verbose, ..options.display };
        Ok(RunOptions {
            compress: self.compress,
            as_load: self.as_load,
            force: own.force,
            display,
            ..options
        })
    }
}
