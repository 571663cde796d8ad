//! `rigel run`: the arguments as clap reads them. The other commands that measure turn theirs into these.
//!
//! Must not judge them; [`super::build`] does.

use super::by_place::PlaceArgs;
use super::commit::CommitArgs;
use super::load::LoadArgs;
use super::names::Front;
use super::open::OpenArgs;
use super::own::OwnArgs;
use super::target_args::TargetArgs;
use super::values::Misread;
use super::{Environment, Invocation, ResumeOptions, Versus, words};
use rigel_core::error::Problem;
use rigel_core::load::matrix::RunLevel;
use std::ffi::OsString;
use std::path::PathBuf;

pub const FILES: &str = "Output";
/// As in [`super::load`].
pub const LOAD: &str = "Load";

const SUMMARY: &str = "\
Examples:
  rigel run simple                 measure this directory, with a scratch file
  rigel run oltp /dev/nvme1n1      small I/O on a device; nothing is written
All options, also those of 'advanced', and more examples: rigel help run";

const EXAMPLES: &str = "\
Examples:
  rigel run simple
      measure this directory: fill a scratch file, measure it, remove it
  rigel run normal /dev/nvme1n1 /dev/nvme2n1 --num-disks 8
      the whole matrix over two devices, with the load of eight disks; nothing is written
  rigel run oltp --lun mytest.lun --duration 60s
      small I/O only, on the targets listed in a file
  rigel run advanced /data/file --matrix point --num-small 32 --num-large 0
      one data point
  rigel run oltp --write 20 --destroy-data /dev/sdx /dev/sdx
      with writes, on a device whose contents may be lost
  rigel run --load shop.toml /dev/sdx
      a load of your own; `rigel run oltp --dry-run --as-load` shows what such a file looks like
  rigel run --load postgresql
      pages, log and scans as PostgreSQL makes them, on a scratch file in this directory; also mysql and oracle
  rigel run --load week.toml --compress 24 /dev/sdx
      a week that `rigel capacity replay` made a load of, in 7 hours
  rigel run commit
      what a commit costs: writes to a scratch file in this directory, each durable before the next
  rigel run open --rate 1000,5000,20000 /dev/nvme1n1
      the latency when small reads arrive at these rates, as users make them
  rigel run zones /dev/sdx
      whether the begin of a disk is faster than its end, and where it changes
  rigel run streams /dev/sdx
      1, 2, 4 .. sequential readers at places of their own, as several dd
  rigel run oltp /dev/sdx --span 0-33%
      small I/O on the first third only: short stroking
  rigel run dss --engine sim:servers=16,service=200us
      no storage at all, to see what the outputs look like
  rigel run --resume rigel_20260101_1200_record.jsonl
      go on with a run that was stopped, killed, or ended by a crash of the machine

What a run does to others:
      A run without --write changes nothing on its targets. It loads them to their limit all the same: what else uses the
      same disks, such as a running database, is slow until the run is over. --dry-run names who uses a target.";

/// The options that may stand beside --resume: its record says everything else.
pub const BESIDE_RESUME: [&str; 8] =
    ["resume", "destroy_data", "json", "no_html", "quiet", "verbose", "tui", "orion_version"];

#[derive(Debug, Default, clap::Args)]
#[command(after_help = SUMMARY, after_long_help = EXAMPLES)]
pub struct RunArgs {
    /// Which load: simple, normal, oltp, dss, advanced, commit, open, zones or streams
    ///
    /// simple: small random I/O alone, then large random I/O alone. normal: every pair of both. oltp: small only, up to
    /// 20 outstanding per disk. dss: large only, up to 15 per disk. advanced: as the options say. commit: small
    /// writes that have to be durable, one after the other, as a database makes for each commit; on a scratch file, or with --destroy-data. open: small I/O that arrives at the rates of --rate.
    /// zones: one sequential stream, and one random read at a time, at 16 places over the targets. streams: 1, 2, 4 .. sequential readers at a time,
    /// as several dd are.
    #[arg(value_name = "LEVEL", ignore_case = true, hide_possible_values = true, required_unless_present = "resume", value_parser = words::run_level())]
    pub level: Option<RunLevel>,

    #[command(flatten)]
    pub targets: TargetArgs,

    /// Measure a load file, or postgresql, mysql, oracle
    ///
    /// A load of your own: several classes of I/O with sizes, shares of writes, rates, phases. FILE is TOML; docs/reference/load-files.md
    /// has every key and an example. The words stand for loads as these databases make them: pages, log and scans together, with
    /// the sizes, sync and shares of their documentation. They write. --dry-run --as-load prints them, to be changed; a file of
    /// such a name is ./postgresql.
    #[arg(long = "load", value_name = "FILE", value_hint = clap::ValueHint::FilePath, help_heading = LOAD, display_order = 0)]
    pub load_file: Option<PathBuf>,

    /// Make the phases of --load so many times shorter, at the same rates: 24 makes an hour of a day
    #[arg(long, value_name = "N", requires = "load_file", value_parser = compression, help_heading = LOAD, display_order = 0, hide_short_help = true)]
    pub compress: Option<f64>,

    /// Print the load as a file for --load, with --dry-run
    #[arg(long, requires = "dry_run", help_heading = LOAD, hide_short_help = true)]
    pub as_load: bool,

    /// Go on with an interrupted run
    ///
    /// RECORD is its NAME_record.jsonl. What was asked for is in it, so that nothing of it may be given again, but for --destroy-data where the run
    /// writes. Targets, host and program have to be what they were. Visits that were made count; the last one does not when
    /// it was cut short. The outputs beside the record are made anew.
    #[arg(long, value_name = "RECORD", value_hint = clap::ValueHint::FilePath, help_heading = FILES, display_order = 2)]
    pub resume: Option<PathBuf>,

    #[command(flatten)]
    pub load: LoadArgs,

    #[command(flatten)]
    pub commit: CommitArgs,

    /// Whether a calibration measures commits where it may.
    #[arg(skip)]
    pub with_commits: bool,

    #[command(flatten)]
    pub open: OpenArgs,

    #[command(flatten)]
    pub places: PlaceArgs,

    #[command(flatten)]
    pub own: OwnArgs,

    /// Name of the run; every output begins with it
    #[arg(long, value_name = "NAME", default_value = "rigel", help_heading = FILES, display_order = 0)]
    pub name: OsString,

    /// Directory of the outputs
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath, default_value = ".", help_heading = FILES, display_order = 1)]
    pub out: PathBuf,

    /// Tell more while measuring
    #[arg(short, long, help_heading = FILES, hide_short_help = true)]
    pub verbose: bool,

    /// Watch the run in a live view, ? helps and q ends it
    ///
    /// Drawn on standard error, which has to be a terminal of 80 columns and 24 lines or more. Results go to standard
    /// output afterwards, as without it.
    #[arg(long, help_heading = FILES)]
    pub tui: bool,
}

/// Longer ones leave nothing of a week.
const MOST_COMPRESSION: f64 = 100_000.0;

fn compression(text: &str) -> Result<f64, Misread> {
    let times = text.parse::<f64>().ok().filter(|times| (1.0..=MOST_COMPRESSION).contains(times));
    times.ok_or_else(|| Misread {
        reason: "is no number of times".into(),
        next: format!("give 1 to {MOST_COMPRESSION}, such as 24"),
    })
}

impl RunArgs {
    /// What was asked for; `command_line` is its echo.
    pub fn invocation(
        mut self,
        command_line: String,
        environment: &Environment,
    ) -> Result<Invocation, Problem> {
        let Some(record) = self.resume.take() else {
            let options = self.options(Front::Rigel, command_line, environment)?;
            return Ok(Invocation::Run(Box::new(options)));
        };
        let display = self.display(Front::Rigel, environment)?;
        Ok(Invocation::Resume(ResumeOptions {
            record,
            destroy: self.own.consent.destroy_data,
            display,
            versus: Versus::default(),
            server: None,
        }))
    }
}
