//! Leave to write: evidence about every target that the plan writes, and a permit for each, or the reason why not.
//!
//! Must not judge; `rigel_core::safety` does, behind the guard of `rigel_io`.

use super::present::Voice;
use crate::args::RunOptions;
use crate::progress::{self, ByteProgress};
use rigel_core::error::Problem;
use rigel_core::facts::{TargetFacts, TargetKind};
use rigel_core::path_text;
use rigel_core::safety::{self, Verdict};
use rigel_io::targets::guard::{self, WritePermit};
use rigel_io::targets::inspect::{Look, evidence};

/// Permits for every target of a run that writes; none for a run that reads.
///
/// # Errors
/// When a target may not be written. Every target is looked at first, so that one message names all that need consent.
pub fn permits(
    options: &RunOptions,
    targets: &[TargetFacts],
    voice: &Voice,
) -> Result<Vec<Option<WritePermit>>, Problem> {
    check_names(options, targets)?;
    let real = |target: &&TargetFacts| target.kind != TargetKind::Simulated;
    if !options.request.write_percent.writes() {
        return Ok(Vec::new());
    }
    targets.iter().filter(real).map(|target| permit(options, target, voice).map(Some)).collect()
}

fn permit(options: &RunOptions, target: &TargetFacts, voice: &Voice) -> Result<WritePermit, Problem> {
    let consent = guard::consent_covers(&options.destroy, target);
    // With consent the contents do not decide; without it, every byte may.
    let look = if consent { Look::Sample } else { Look::Whole };
    let mut bar = None;
    let found = evidence(&path_text::decode(&target.path), look, &mut |done, total| {
        let new = || ByteProgress::new(progress::Look::of_stderr(options.quiet), "looking for data", total);
        bar.get_or_insert_with(new).done(done);
    })?;
    drop(bar);
    let permit = guard::permit(target, &found, consent)?;
    let listed = found.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    match safety::judge(&found) {
        Verdict::MayWrite => voice.note(Some(format!("{} will be written: {listed}", target.path))),
        Verdict::NeedsConsent | Verdict::Refused => {
            voice.note(Some(format!("{} will be overwritten, as you consented: {listed}", target.path)));
        }
    }
    Ok(permit)
}

/// A consent that names no target of the run is a mistake that could hide another one.
fn check_names(options: &RunOptions, targets: &[TargetFacts]) -> Result<(), Problem> {
    let named = |path: &std::path::PathBuf| {
        targets.iter().any(|target| guard::consent_covers(std::slice::from_ref(path), target))
    };
    match options.destroy.iter().find(|path| !named(path)) {
        Some(stray) => Err(Problem::usage("--destroy-data names something that is no target of this run")
            .at(path_text::encode(stray))
            .next("name each target that may be overwritten exactly, or leave the option out")),
        None => Ok(()),
    }
}
