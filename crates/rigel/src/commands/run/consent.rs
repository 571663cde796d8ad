//! Permits to write: evidence about every target that the plan writes, then a permit for each, or the reason for refusing it.
//!
//! Must not judge; `rigel_core::guard::safety` does, behind the guard of `rigel_io`.

use super::present::Reporter;
use crate::args::{RunOptions, TargetSource};
use crate::commands::answer::answering;
use crate::progress::WorkProgress;
use crate::streams::Streams;
use rigel_core::error::Problem;
use rigel_core::facts::{TargetFacts, TargetKind};
use rigel_core::guard::safety::{self, Evidence, Verdict};
use rigel_core::path_text;
use rigel_core::units::Nanos;
use rigel_io::targets::Hold;
use rigel_io::targets::guard::{self, WritePermit};
use rigel_io::targets::inspect::{Scan, Snapshot, inspect_any};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// Permits for every target of a run that writes; none for a run that reads. `holds`: the locks on them, where they are scratch files of the run.
pub fn permits(
    reporter: Reporter<'_>,
    targets: &[TargetFacts],
    holds: &[Hold],
    stop: &AtomicBool,
) -> Result<Vec<Option<WritePermit>>, Problem> {
    permits_between(reporter, targets, holds, stop, &|| {})
}

/// The same, with something to do between the pieces that are read: it may take hours, and somebody may need attention meanwhile.
pub fn permits_between(
    reporter: Reporter<'_>,
    targets: &[TargetFacts],
    holds: &[Hold],
    stop: &AtomicBool,
    between: &dyn Fn(),
) -> Result<Vec<Option<WritePermit>>, Problem> {
    let real = |target: &&TargetFacts| target.kind != TargetKind::Simulated;
    if !reporter.options.request.writes_at_all() {
        return Ok(Vec::new());
    }
    let snapshot = Snapshot::take();
    let permit = |(at, target): (usize, &TargetFacts)| {
        let RunOptions { destroy, display, request, .. } = reporter.options;
        let limit = (reporter.streams, display.quiet, request.io_timeout);
        let look = (&snapshot, Scan::Whole);
        let (permit, why) = permit_between(target, destroy, limit, look, (stop, between))?;
        reporter.note(why);
        Ok(Some(match holds.get(at) {
            Some(hold) => permit.with_hold(hold.clone()),
            None => permit,
        }))
    };
    targets.iter().filter(real).enumerate().map(permit).collect()
}

/// A permit for a target, with a sentence why it may be written. `destroy`: what the user consented to lose. `limit`:
/// the program ends if examining it takes longer. `look`: what is read of it without consent.
pub fn permit_for(
    target: &TargetFacts,
    destroy: &[PathBuf],
    (streams, quiet, limit): (&Streams, bool, Nanos),
    (snapshot, look): (&Snapshot, Scan),
    stop: &AtomicBool,
) -> Result<(WritePermit, String), Problem> {
    permit_between(target, destroy, (streams, quiet, limit), (snapshot, look), (stop, &|| {}))
}

fn permit_between(
    target: &TargetFacts,
    destroy: &[PathBuf],
    (streams, quiet, limit): (&Streams, bool, Nanos),
    (snapshot, look): (&Snapshot, Scan),
    (stop, between): (&AtomicBool, &dyn Fn()),
) -> Result<(WritePermit, String), Problem> {
    let consent = guard::consent_covers(destroy, target);
    // With consent the contents do not decide; without it, every byte may.
    let look = if consent { Scan::Sample } else { look };
    let mut bar = WorkProgress::of_bytes(streams, quiet, "looking for data");
    let path = path_text::decode(&target.path);
    let found = answering(&path, limit, || {
        let inspected = inspect_any(&path, snapshot)?;
        let progress = &mut |done, total| {
            bar.done_of(done, total);
            between();
        };
        inspected.evidence(snapshot, look, progress, stop)
    })?;
    drop(bar);
    let permit = guard::permit(target, &found, consent)?;
    let listed = found.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    let what = match safety::judge(&found) {
        Verdict::MayWrite => "written",
        Verdict::NeedsConsent | Verdict::Refused => "overwritten, as you allowed",
    };
    Ok((permit, format!("{} will be {what}: {listed}", target.path)))
}

/// Whether a permit would be given, one line for each target, without reading the targets.
pub fn forecast(options: &RunOptions, targets: &[TargetFacts]) -> Result<Vec<String>, Problem> {
    if !options.request.writes_at_all() || matches!(options.targets, TargetSource::Scratch { .. }) {
        return Ok(Vec::new());
    }
    let snapshot = Snapshot::take();
    let real = targets.iter().filter(|target| target.kind != TargetKind::Simulated);
    let of = |target| {
        let spared = "reads as zeros";
        let limit = options.request.io_timeout;
        forecast_of(("run", "would be", spared), target, &options.destroy, limit, &snapshot)
            .map(|found| found.text)
    };
    real.map(of).collect()
}

/// Refuses what the run would refuse to write, as far as it can be known without reading the targets.
pub fn foresee(options: &RunOptions, targets: &[TargetFacts]) -> Result<(), Problem> {
    if !options.request.writes_at_all() || matches!(options.targets, TargetSource::Scratch { .. }) {
        return Ok(());
    }
    let snapshot = Snapshot::take();
    let real = targets.iter().filter(|target| target.kind != TargetKind::Simulated);
    for target in real {
        let found = known_evidence(target, options.request.io_timeout, &snapshot)?;
        let consent = guard::consent_covers(&options.destroy, target);
        guard::foresee(target, &found, consent, holds_no_data(target))?;
    }
    Ok(())
}

/// What a dry run says about a target that would be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forecast {
    /// It would certainly not be written.
    pub refused: bool,
    pub text: String,
}

/// Whether a permit would be given, without reading the target. `doing` is what requests it, `verb` what would happen
/// to the target if only reading could tell, `spared` what it needs no consent for.
pub fn forecast_of(
    (doing, verb, spared): (&str, &str, &str),
    target: &TargetFacts,
    destroy: &[PathBuf],
    limit: Nanos,
    snapshot: &Snapshot,
) -> Result<Forecast, Problem> {
    let found = known_evidence(target, limit, snapshot)?;
    let listed = found.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    let consent = guard::consent_covers(destroy, target);
    let path = &target.path;
    let needed = format!("To allow it, add --destroy-data {path}, which overwrites all of it");
    let (refused, text) = match (safety::judge(&found), consent) {
        (Verdict::Refused, _) => {
            (true, format!("This {doing} would be refused even with --destroy-data: {path}: {listed}."))
        }
        (Verdict::MayWrite, _) => (false, format!("{path} needs no consent: it is a Rigel scratch file.")),
        (Verdict::NeedsConsent, true) => {
            (false, format!("Everything on {path} would be overwritten, as --destroy-data allows."))
        }
        (Verdict::NeedsConsent, false) if found.is_empty() && holds_no_data(target) => (
            false,
            format!("{path} needs no consent: no block of it was ever written, so there is nothing to lose."),
        ),
        (Verdict::NeedsConsent, false) if found.is_empty() => (
            false,
            format!(
                "This {doing} {verb} refused: {path} may hold data. {needed}, unless the {doing} itself finds, before it writes, \
                 that all of it {spared}; this dry run does not read it."
            ),
        ),
        (Verdict::NeedsConsent, false) => {
            (true, format!("This {doing} would be refused: {path}: {listed}. {needed}."))
        }
    };
    Ok(Forecast { refused, text })
}

/// What is known about a target without reading it.
fn known_evidence(target: &TargetFacts, limit: Nanos, snapshot: &Snapshot) -> Result<Vec<Evidence>, Problem> {
    let path = path_text::decode(&target.path);
    answering(&path, limit, || {
        let inspected = inspect_any(&path, snapshot)?;
        let mut found = inspected.users(snapshot);
        found.extend(inspected.scratch()?);
        Ok(found)
    })
}

/// Whether the filesystem knows of no block of a file that was ever written.
pub fn holds_no_data(target: &TargetFacts) -> bool {
    target.extents.is_some_and(|found| found.written_bytes == 0 && !found.truncated)
}

/// A consent that names no target of the run is a mistake that could hide another one.
pub fn check_names(destroy: &[PathBuf], targets: &[TargetFacts]) -> Result<(), Problem> {
    let named = |path: &PathBuf| {
        targets.iter().any(|target| guard::consent_covers(std::slice::from_ref(path), target))
    };
    match destroy.iter().find(|path| !named(path)) {
        Some(stray) => Err(Problem::usage("--destroy-data names something that is not a target of this run")
            .at(path_text::encode(stray))
            .next("name each target that may be overwritten exactly, or leave the option out")),
        None => Ok(()),
    }
}
