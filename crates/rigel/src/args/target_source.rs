//! Where the targets of a run come from, by the options that name them.
//!
//! Must not look at a path.

use super::TargetSource;
use rigel_core::error::Problem;
use rigel_core::guard::scratch::BLOCK_BYTES;
use rigel_core::units::Bytes;
use std::path::PathBuf;

/// Targets that are named, a list of them, or a scratch file.
///
/// # Errors
/// When options contradict each other, or no scratch file can have that size.
pub fn target_source(
    targets: Vec<PathBuf>,
    lun: Option<PathBuf>,
    scratch_size: Option<Bytes>,
    keep_scratch: bool,
) -> Result<TargetSource, Problem> {
    if lun.is_some() && !targets.is_empty() {
        return Err(Problem::usage("targets are named and a list of targets is given")
            .at("--lun")
            .next("name the targets, or list all of them in the file"));
    }
    let scratch_option = match (scratch_size, keep_scratch) {
        (Some(_), _) => Some("--scratch-size"),
        (None, true) => Some("--keep-scratch"),
        (None, false) => None,
    };
    let others = lun.is_some() || !targets.is_empty();
    if let (true, Some(option)) = (others, scratch_option) {
        return Err(Problem::usage(format!("{option} does not go with targets"))
            .at(option)
            .because("a scratch file is measured only when no target is named")
            .next(format!("leave out {option}, or the targets")));
    }
    if let Some(path) = lun {
        return Ok(TargetSource::LunFile(path));
    }
    if !targets.is_empty() {
        return Ok(TargetSource::Named(targets));
    }
    Ok(TargetSource::Scratch { size: scratch_size.map(check_scratch_size).transpose()?, keep: keep_scratch })
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
