//! `rigel targets`: what there is to measure, and what may be done with it, by the evidence that the write guard uses.
//!
//! Must not write to a target, nor judge one.

use crate::args::TargetsOptions;
use crate::commands;
use crate::progress::{ByteProgress, ProgressMode};
use crate::signals::Signals;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::path_text;
use rigel_io::targets::inspect::{Scan, Snapshot, block_devices, inspect};
use rigel_report::targets::{Looked, json, table};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Looks at every target and tells.
///
/// # Errors
/// When a target that was named cannot be looked at at all, or the user stopped it.
pub fn targets(options: &TargetsOptions) -> Result<(), Problem> {
    let signals = Signals::listen()?;
    let snapshot = Snapshot::take();
    let named = !options.paths.is_empty();
    let paths: Vec<PathBuf> = if named { options.paths.clone() } else { block_devices(&snapshot) };
    let mut all = Vec::with_capacity(paths.len());
    for path in &paths {
        match look(path, &snapshot, options.quiet, signals.flag()) {
            Ok(looked) => all.push(looked),
            Err(problem) if named || signals.flag().load(Ordering::Relaxed) => {
                return Err(stopped(problem, signals.flag()));
            }
            // A device that vanished, or that the kernel lists without a node.
            Err(problem) => commands::remark(&format!("{}: {}", path_text::encode(path), problem.what)),
        }
    }
    if options.json { commands::to_stdout(&json(&all)?) } else { commands::to_stdout(table(&all).as_bytes()) }
}

fn stopped(problem: Problem, stop: &AtomicBool) -> Problem {
    if !stop.load(Ordering::Relaxed) {
        return problem;
    }
    Problem::new(ExitKind::CutShort, "the look at the targets was stopped")
        .because("the user ended it")
        .next("start again; name single targets to look at fewer")
}

fn look(path: &Path, snapshot: &Snapshot, quiet: bool, stop: &AtomicBool) -> Result<Looked, Problem> {
    let inspected = inspect(path, snapshot)?;
    let mut bar = None;
    let label = format!("looking at {}", path_text::encode(path));
    let mut told = |done, total| {
        let new = || ByteProgress::new(ProgressMode::of_stderr(quiet), &label, total);
        bar.get_or_insert_with(new).done(done);
    };
    let found = inspected.evidence(snapshot, Scan::Sample, &mut told, stop);
    drop(bar);
    let (evidence, trouble) = match found {
        Ok(found) => (found.to_vec(), None),
        Err(problem) if stop.load(Ordering::Relaxed) => return Err(problem),
        Err(problem) => (inspected.users(snapshot), Some(problem.what)),
    };
    Ok(Looked { facts: inspected.into_facts(), evidence, trouble })
}
