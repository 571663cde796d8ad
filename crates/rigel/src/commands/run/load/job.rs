//! A run whose load is a fio job file: its time and its targets if none were typed.
//!
//! Must not choose a target that the job would write to.

use crate::args::{RunOptions, TargetSource};
use crate::commands::remark::remark_text;
use rigel_core::error::Problem;
use rigel_core::load::fio::FioLoad;
use rigel_core::load::pace::{Adaptive, Pace};
use rigel_core::path_text::{encode, shell_word};
use std::path::{Path, PathBuf};

/// The options with what a job file says besides its load.
pub fn with_job(options: &RunOptions, found: &FioLoad, name: &str) -> Result<RunOptions, Problem> {
    let mut options = options.clone();
    options.notes.extend(found.remarks.iter().map(|remark| format!("{name}: {}", remark_text(remark))));
    if let (Some(Pace::Adaptive(pace)), Some(time)) = (options.request.pace(), found.runtime)
        && pace == Adaptive::default()
    {
        options.request.set_pace(Pace::Fixed(time));
        if options.request.pace() == Some(Pace::Fixed(time)) {
            options.notes.push(format!(
                "{name}: each point is measured once for {time}, the runtime of the job; --precision 2% \
                 measures until its numbers are precise enough"
            ));
        }
    }
    let is_unnamed =
        matches!(&options.targets, TargetSource::Scratch { dirs, .. } if dirs == &[Path::new(".")]);
    if is_unnamed {
        options.targets = targets(&options, found, name)?;
    }
    Ok(options)
}

/// The targets of the job, for a command line without any.
fn targets(options: &RunOptions, found: &FioLoad, name: &str) -> Result<TargetSource, Problem> {
    let TargetSource::Scratch { dirs, size, keep } = options.targets.clone() else {
        return Ok(options.targets.clone());
    };
    let scratch = |dirs| TargetSource::Scratch { dirs, size: size.or(found.size), keep };
    if found.differ {
        return Err(Problem::usage("the jobs have different files")
            .at(name)
            .because("every class of a load uses all targets")
            .next("name the targets, or run each job from a file of its own"));
    }
    let paths: Vec<PathBuf> = found.targets.iter().map(PathBuf::from).collect();
    let words: Vec<String> = paths.iter().map(|path| shell_word(&encode(path))).collect();
    match paths.as_slice() {
        [] => Ok(scratch(dirs)),
        [directory] if directory.is_dir() => Ok(scratch(vec![directory.clone()])),
        _ if found.load.classes.iter().any(|class| class.write_percent.writes()) => {
            Err(Problem::usage("the job writes, and the command line names no target")
                .at(name)
                .because(format!(
                    "Rigel writes only to targets that you type; the job has {}",
                    words.join(" ")
                ))
                .next(format!("`rigel run --load {} {}`", shell_word(name), words.join(" "))))
        }
        _ => match paths.iter().find(|path| !path.exists()) {
            None => Ok(TargetSource::Named(paths)),
            Some(missing) => Err(Problem::usage("the file of the job does not exist")
                .at(encode(missing))
                .because("fio would make it; Rigel makes a scratch file in a directory instead")
                .next(format!("name a directory: `rigel run --load {} .`", shell_word(name)))),
        },
    }
}
