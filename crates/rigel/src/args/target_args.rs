//! The options that name what is measured: `rigel run` and `rigel calibrate` take the same ones.
//!
//! Must not look at a path.

use super::TargetSource;
use rigel_core::error::Problem;
use rigel_core::guard::scratch::BLOCK_BYTES;
use rigel_core::units::Bytes;
use std::path::PathBuf;

const TARGETS: &str = "Targets";

#[derive(Debug, Default, clap::Args)]
pub struct TargetArgs {
    /// Files or block devices to measure [default: a scratch file here]
    #[arg(value_name = "TARGET")]
    pub targets: Vec<PathBuf>,

    /// Read the targets from FILE, one path per line
    #[arg(long, value_name = "FILE", help_heading = TARGETS)]
    pub lun: Option<PathBuf>,

    /// Size of the scratch file [default: chosen from memory and free space]
    #[arg(long, value_name = "SIZE", help_heading = TARGETS, hide_short_help = true)]
    pub scratch_size: Option<Bytes>,

    /// Leave the scratch file there, so that the next run need not fill it
    #[arg(long, help_heading = TARGETS, hide_short_help = true)]
    pub keep_scratch: bool,
}

impl TargetArgs {
    /// Targets that are named, a list of them, or a scratch file.
    pub fn source(self) -> Result<TargetSource, Problem> {
        let keep = self.keep_scratch.then_some("--keep-scratch");
        let scratch_option = self.scratch_size.map(|_| "--scratch-size").or(keep);
        match (self.lun, self.targets.as_slice(), scratch_option) {
            (Some(_), [_, ..], _) => Err(Problem::usage("targets are named and a list of targets is given")
                .at("--lun")
                .next("name the targets, or list all of them in the file")),
            (Some(_), [], Some(option)) | (None, [_, ..], Some(option)) => {
                Err(Problem::usage(format!("{option} does not go with targets"))
                    .at(option)
                    .because("a scratch file is measured only when no target is named")
                    .next(format!("leave out {option}, or the targets")))
            }
            (Some(path), [], None) => Ok(TargetSource::LunFile(path)),
            (None, [_, ..], None) => Ok(TargetSource::Named(self.targets)),
            (None, [], _) => {
                let size = self.scratch_size.map(check_scratch_size).transpose()?;
                Ok(TargetSource::Scratch { size, keep: self.keep_scratch })
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
