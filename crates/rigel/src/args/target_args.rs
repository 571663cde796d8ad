//! The options that name what is measured: `rigel run` and `rigel calibrate` take the same ones.
//!
//! Must not look at a path.

use super::TargetSource;
use rigel_core::error::Problem;
use rigel_core::guard::scratch::BLOCK_BYTES;
use rigel_core::units::Bytes;
use std::path::PathBuf;

const TARGETS: &str = "Targets";
/// The current directory.
pub const HERE: &str = ".";

#[derive(Debug, Default, clap::Args)]
pub struct TargetArgs {
    /// Files, block devices, or directories for a scratch file [default: .]
    #[arg(value_name = "TARGET")]
    pub targets: Vec<PathBuf>,

    /// Read the targets from FILE, one path per line
    #[arg(long, value_name = "FILE", help_heading = TARGETS, hide_short_help = true)]
    pub lun: Option<PathBuf>,

    /// Size of the scratch file [default: by memory size and free space]
    #[arg(long, value_name = "SIZE", help_heading = TARGETS, hide_short_help = true)]
    pub scratch_size: Option<Bytes>,

    /// Keep the scratch file, so that the next run need not fill it
    #[arg(long, help_heading = TARGETS, hide_short_help = true)]
    pub keep_scratch: bool,
}

impl TargetArgs {
    /// Targets that are named, a list of them, or a scratch file.
    pub fn source(self) -> Result<TargetSource, Problem> {
        let (size, keep) = (self.scratch_size, self.keep_scratch);
        match (self.lun, self.targets.as_slice()) {
            (Some(path), _) => Ok(TargetSource::LunFile(path)),
            // Whether they are directories is seen later.
            (None, [_, ..]) if size.is_none() && !keep => Ok(TargetSource::Named(self.targets)),
            (None, named) => {
                let size = size.map(check_scratch_size).transpose()?;
                let dirs = if named.is_empty() { vec![PathBuf::from(HERE)] } else { self.targets };
                Ok(TargetSource::Scratch { dirs, size, keep })
            }
        }
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
