//! `rigel targets`: the targets, and what Rigel may do with them, from the evidence that the write guard uses.
//!
//! Must not write to a target, nor judge one.

use crate::args::TargetsArgs;
use crate::progress::WorkProgress;
use crate::signals::Signals;
use crate::streams::Streams;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::path_text;
use rigel_io::targets::inspect::{Scan, Snapshot, block_devices, inspect, without_opening};
use rigel_report::document::Document as _;
use rigel_report::targets::{TargetCheck, TargetList, json};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Examines every target and prints what it is.
pub fn targets(options: &TargetsArgs, streams: &Streams) -> Result<(), Problem> {
    let signals = Signals::listen()?;
    let snapshot = Snapshot::take();
    let named = !options.targets.is_empty();
    let paths: Vec<PathBuf> = if named { options.targets.clone() } else { block_devices(&snapshot) };
    let mut all = Vec::with_capacity(paths.len());
    for path in &paths {
        match look(path, &snapshot, (streams, options.quiet), signals.flag()) {
            Ok(looked) => all.push(looked),
            Err(_) if signals.flag().load(Ordering::Relaxed) => {
                return Err(Problem::new(ExitKind::CutShort, "the inspection of the targets was stopped")
                    .because("stopped by the user")
                    .next("start again; name targets to inspect fewer"));
            }
            Err(problem) if named => return Err(problem),
            // A device that vanished.
            Err(problem) => streams.remark(&format!("{}: {}", path_text::encode(path), problem.what)),
        }
    }
    if options.json {
        streams.results(&json(&all)?)
    } else {
        streams.results(TargetList(&all).text(streams.style()).as_bytes())
    }
}

fn look(
    path: &Path,
    snapshot: &Snapshot,
    (streams, quiet): (&Streams, bool),
    stop: &AtomicBool,
) -> Result<TargetCheck, Problem> {
    let inspected = match inspect(path, snapshot) {
        Ok(inspected) => inspected,
        Err(problem) => return closed(path, snapshot, problem),
    };
    let label = format!("looking at {}", path_text::encode(path));
    let mut bar = WorkProgress::of_bytes(streams, quiet, &label);
    let found = inspected.evidence(snapshot, Scan::Sample, &mut |done, total| bar.done_of(done, total), stop);
    drop(bar);
    let (evidence, trouble) = match found {
        Ok(found) => (found.to_vec(), None),
        Err(problem) if stop.load(Ordering::Relaxed) => return Err(problem),
        Err(problem) => (inspected.users(snapshot), Some(problem.what)),
    };
    Ok(TargetCheck { facts: inspected.into_facts(), evidence, trouble, closed: None })
}

/// A block device that cannot be opened, with what is known about it; the problem for anything else.
fn closed(path: &Path, snapshot: &Snapshot, problem: Problem) -> Result<TargetCheck, Problem> {
    let Some((facts, evidence)) = without_opening(path, snapshot) else { return Err(problem) };
    let closed = if path.exists() {
        problem
    } else {
        problem
            .because("the kernel lists it, but the file does not exist, as in some containers")
            .next("inspect it from the host, or give the container the device")
    };
    Ok(TargetCheck { facts, evidence, trouble: None, closed: Some(closed) })
}
