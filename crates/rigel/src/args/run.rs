//! `rigel run`: the arguments as clap reads them, and what they come to.
//!
//! Must not hold checks that ORION's command line needs as well; those are in [`super::build`].

use super::build::{self, Typed};
use super::load::LoadWish;
use super::names::Front;
use super::own::OwnOptions;
use super::{Environment, RunOptions, TargetSource, words};
use rigel_core::error::Problem;
use rigel_core::matrix::RunLevel;
use rigel_core::scratch::BLOCK_BYTES;
use rigel_core::units::Bytes;
use std::ffi::OsString;
use std::path::PathBuf;

const TARGETS: &str = "Targets";
const FILES: &str = "Output";

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
      no storage at all, to see what the outputs look like";

/// See the module.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct RunArgs {
    /// Run level: which load is measured
    ///
    /// simple: small random I/O alone, then large random I/O alone. normal: every pair of both. oltp: small only, up to
    /// 20 outstanding per disk. dss: large only, up to 15 per disk. advanced: as the options say.
    #[arg(value_name = "LEVEL", ignore_case = true, value_parser = words::parser::<RunLevel>())]
    level: RunLevel,

    /// Files or block devices to measure [default: a scratch file in the current directory]
    #[arg(value_name = "TARGET")]
    targets: Vec<PathBuf>,

    /// Read the targets from FILE, one path per line
    #[arg(long, value_name = "FILE", help_heading = TARGETS)]
    lun: Option<PathBuf>,

    /// Size of the scratch file [default: chosen from memory and free space]
    #[arg(long, value_name = "SIZE", help_heading = TARGETS)]
    scratch_size: Option<Bytes>,

    /// Leave the scratch file there, so that the next run need not fill it
    #[arg(long, help_heading = TARGETS)]
    keep_scratch: bool,

    #[command(flatten)]
    load: LoadWish,

    #[command(flatten)]
    own: OwnOptions,

    /// Name of the run; every output begins with it
    #[arg(long, value_name = "NAME", default_value = "rigel", help_heading = FILES, display_order = 0)]
    name: OsString,

    /// Directory of the outputs
    #[arg(long, value_name = "DIR", default_value = ".", help_heading = FILES, display_order = 1)]
    out: PathBuf,

    /// Tell more while measuring
    #[arg(short, long, help_heading = FILES)]
    verbose: bool,
}

impl RunArgs {
    /// What was asked for; `command_line` is its echo.
    ///
    /// # Errors
    /// A usage problem that names the option.
    pub fn options(self, command_line: String, environment: &Environment) -> Result<RunOptions, Problem> {
        let targets = self.target_source()?;
        let typed = Typed {
            front: Front::Rigel,
            level: self.level,
            name: self.name,
            command_line,
            load: self.load,
            own: self.own,
            targets,
            out_dir: self.out,
            verbose: self.verbose,
            notes: Vec::new(),
        };
        build::options(typed, environment)
    }

    fn target_source(&self) -> Result<TargetSource, Problem> {
        if self.lun.is_some() && !self.targets.is_empty() {
            return Err(Problem::usage("targets are named and a list of targets is given")
                .at("--lun")
                .next("name the targets, or list all of them in the file"));
        }
        let scratch_option = match (self.scratch_size, self.keep_scratch) {
            (Some(_), _) => Some("--scratch-size"),
            (None, true) => Some("--keep-scratch"),
            (None, false) => None,
        };
        let others = self.lun.is_some() || !self.targets.is_empty();
        if let (true, Some(option)) = (others, scratch_option) {
            return Err(Problem::usage(format!("{option} does not go with targets"))
                .at(option)
                .because("a scratch file is measured only when no target is named")
                .next(format!("leave out {option}, or the targets")));
        }
        if let Some(path) = &self.lun {
            return Ok(TargetSource::LunFile(path.clone()));
        }
        if !self.targets.is_empty() {
            return Ok(TargetSource::Named(self.targets.clone()));
        }
        Ok(TargetSource::Scratch {
            size: self.scratch_size.map(check_scratch_size).transpose()?,
            keep: self.keep_scratch,
        })
    }
}

fn check_scratch_size(size: Bytes) -> Result<Bytes, Problem> {
    if size.0 > 0 && size.0.is_multiple_of(BLOCK_BYTES as u64) {
        return Ok(size);
    }
    Err(Problem::usage(format!("a scratch file of {} bytes cannot be made", size.0))
        .at("--scratch-size")
        .because(format!("it is made of blocks of {BLOCK_BYTES} bytes"))
        .next("give a size such as 4G"))
}
