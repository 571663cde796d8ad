//! `rigel run`: the arguments as clap reads them, and what they come to.
//!
//! Must not hold checks that ORION's command line needs as well; those are in [`super::build`].

use super::build::{self, Typed};
use super::load::LoadWish;
use super::names::Front;
use super::own::OwnOptions;
use super::target_source::target_source;
use super::{Environment, Invocation, ResumeOptions, RunOptions, values, words};
use rigel_core::error::Problem;
use rigel_core::load::matrix::RunLevel;
use rigel_core::units::Bytes;
use std::ffi::OsString;
use std::path::PathBuf;

const TARGETS: &str = "Targets";
/// The heading of what comes out.
pub const FILES: &str = "Output";

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
  rigel run dss --engine sim:servers=16,service=200us
      no storage at all, to see what the outputs look like
  rigel run --resume rigel_20260101_1200_record.jsonl
      go on with a run that was stopped, killed, or ended by a crash of the machine";

/// Options of which the record of an interrupted run says all.
const GIVEN_BY_THE_RECORD: [&str; 33] = [
    "level",
    "targets",
    "lun",
    "scratch_size",
    "keep_scratch",
    "name",
    "out",
    "num_disks",
    "write",
    "duration",
    "cache_size",
    "matrix",
    "num_small",
    "num_large",
    "size_small",
    "size_large",
    "pattern",
    "stream_ios",
    "simulate",
    "stripe",
    "precision",
    "max_duration",
    "fast",
    "levels",
    "engine",
    "poll",
    "workers",
    "io_timeout",
    "cpus",
    "seed",
    "buffered",
    "dry_run",
    "force",
];

/// See the module.
#[derive(Debug, clap::Args)]
#[command(after_help = SUMMARY, after_long_help = EXAMPLES)]
pub struct RunArgs {
    /// Which load is measured: simple, normal, oltp, dss or advanced
    ///
    /// simple: small random I/O alone, then large random I/O alone. normal: every pair of both. oltp: small only, up to
    /// 20 outstanding per disk. dss: large only, up to 15 per disk. advanced: as the options say.
    #[arg(value_name = "LEVEL", ignore_case = true, hide_possible_values = true, required_unless_present = "resume", value_parser = words::parser::<RunLevel>())]
    level: Option<RunLevel>,

    /// Files or block devices to measure [default: a scratch file in the current directory]
    #[arg(value_name = "TARGET")]
    targets: Vec<PathBuf>,

    /// Read the targets from FILE, one path per line
    #[arg(long, value_name = "FILE", help_heading = TARGETS)]
    lun: Option<PathBuf>,

    /// Size of the scratch file [default: chosen from memory and free space]
    #[arg(long, value_name = "SIZE", help_heading = TARGETS, hide_short_help = true)]
    scratch_size: Option<Bytes>,

    /// Leave the scratch file there, so that the next run need not fill it
    #[arg(long, help_heading = TARGETS, hide_short_help = true)]
    keep_scratch: bool,

    /// Go on with an interrupted run
    ///
    /// RECORD is its NAME_record.jsonl. What was asked for is in it, so that nothing of it may be given again, but for --destroy-data where the run
    /// writes. Targets, host and program have to be what they were. Visits that were made count; the last one does not when
    /// it was cut short. The outputs beside the record are made anew.
    #[arg(long, value_name = "RECORD", value_hint = clap::ValueHint::FilePath, conflicts_with_all = GIVEN_BY_THE_RECORD, help_heading = FILES, display_order = 2)]
    resume: Option<PathBuf>,

    #[command(flatten)]
    load: LoadWish,

    #[command(flatten)]
    own: OwnOptions,

    /// Name of the run; every output begins with it
    #[arg(long, value_name = "NAME", default_value = "rigel", help_heading = FILES, display_order = 0)]
    name: OsString,

    /// Directory of the outputs
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath, default_value = ".", help_heading = FILES, display_order = 1)]
    out: PathBuf,

    /// Tell more while measuring
    #[arg(short, long, help_heading = FILES, hide_short_help = true)]
    verbose: bool,

    /// Watch the run: matrix, rates, intervals, flags and time left, instead of a progress bar; q ends it
    ///
    /// Drawn on standard error, which has to be a terminal of 80 columns and 24 lines or more. Results go to standard
    /// output afterwards, as without it.
    #[arg(long, help_heading = FILES)]
    tui: bool,
}

impl RunArgs {
    /// What was asked for; `command_line` is its echo.
    ///
    /// # Errors
    /// A usage problem that names the option.
    pub fn invocation(self, command_line: String, environment: &Environment) -> Result<Invocation, Problem> {
        let level = match (&self.resume, self.level) {
            (Some(_), _) => {
                return self.resumed(environment).map(|options| Invocation::Resume(Box::new(options)));
            }
            // clap has asked for it.
            (None, level) => level.unwrap_or(RunLevel::Simple),
        };
        self.options(level, command_line, environment).map(|options| Invocation::Run(Box::new(options)))
    }

    fn resumed(self, environment: &Environment) -> Result<ResumeOptions, Problem> {
        let Self { resume, own, verbose, tui, .. } = self;
        build::check_voices(Front::Rigel, own.quiet, verbose, tui)?;
        let orion_version = values::orion_version(own.orion_version, environment.orion_version.as_deref())?;
        Ok(ResumeOptions {
            record: resume.unwrap_or_default(),
            destroy: own.destroy_data,
            json: own.json,
            no_html: own.no_html,
            quiet: own.quiet,
            verbose,
            tui,
            orion_version,
        })
    }

    fn options(
        self,
        level: RunLevel,
        command_line: String,
        environment: &Environment,
    ) -> Result<RunOptions, Problem> {
        let targets = target_source(self.targets, self.lun, self.scratch_size, self.keep_scratch)?;
        let typed = Typed {
            front: Front::Rigel,
            level,
            name: self.name,
            command_line,
            load: self.load,
            own: self.own,
            targets,
            out_dir: self.out,
            verbose: self.verbose,
            tui: self.tui,
            notes: Vec::new(),
        };
        build::options(typed, environment)
    }
}
