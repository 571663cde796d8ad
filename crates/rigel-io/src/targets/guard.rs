//! The write guard: the only way to a descriptor that can write.
//!
//! A [`WritePermit`] is given for evidence that nothing can be lost, or for the user's consent that names the target. It
//! is never given for a target in use. The permit is bound to one target, and its reasons are checked again when that
//! target is open. Must not ask the user anything, and must not open for writing.

use super::block::Generation;
use super::inspect::{Snapshot, TargetEvidence, holds_data_now, in_use};
use super::lock::Hold;
use super::node::{ChangeTimes, Node, NodeId, id_at};
use crate::system::System;
use rigel_core::error::Problem;
use rigel_core::facts::TargetFacts;
use rigel_core::guard::safety::{self, Evidence, Verdict};
use std::path::PathBuf;

/// Permission to write to one target. Cannot be made, copied or changed outside this module.
#[derive(Debug)]
pub struct WritePermit {
    id: NodeId,
    size_bytes: u64,
    generation: Option<Generation>,
    /// Why no consent was needed, if none was given. It must still hold when the target is open.
    harmless: Option<HarmlessState>,
    /// The lock of the target, if this run already has it.
    hold: Option<Hold>,
}

/// The state of a target in which nothing could be lost.
#[derive(Debug)]
struct HarmlessState {
    changed: Option<ChangeTimes>,
    /// The facts of a target that held nothing at all, or nothing but a fill.
    blank: Option<Box<TargetFacts>>,
}

impl HarmlessState {
    fn of(facts: &TargetFacts, evidence: &TargetEvidence) -> Self {
        let is_blank = |found: &Evidence| matches!(found, Evidence::NeverWritten { .. } | Evidence::OurFill);
        let blank = evidence.iter().any(is_blank);
        Self { changed: evidence.changed, blank: blank.then(|| Box::new(facts.clone())) }
    }

    fn still(&self, node: &Node) -> Result<(), Problem> {
        if self.changed != node.changed() {
            return Err(written_meanwhile(&node.place(), "the file changed after it was checked"));
        }
        let Some(blank) = &self.blank else { return Ok(()) };
        match holds_data_now(node, blank)? {
            Some(found) => Err(written_meanwhile(&node.place(), &found.to_string())),
            None => Ok(()),
        }
    }
}

/// Gives a permit, or says why there is none and what to do.
///
/// # Errors
/// When the target is in use or read-only, with or without consent; when data would be destroyed and there is no
/// consent; when the evidence is about another target.
pub fn permit(facts: &TargetFacts, evidence: &TargetEvidence, consent: bool) -> Result<WritePermit, Problem> {
    if !evidence.is_about(facts) {
        return Err(exchanged(&facts.path));
    }
    match (safety::judge(evidence), consent) {
        (Verdict::Refused, _) => Err(refused(facts, evidence)),
        (Verdict::NeedsConsent, false) => Err(needs_consent(facts, evidence)),
        (Verdict::NeedsConsent, true) | (Verdict::MayWrite, _) => {
            let (id, size_bytes) = ((facts.kind, facts.identity), facts.size_bytes);
            let harmless = (!consent).then(|| HarmlessState::of(facts, evidence));
            Ok(WritePermit { id, size_bytes, generation: evidence.generation, harmless, hold: None })
        }
    }
}

/// Whether [`permit`] would succeed, by what is known about a target without reading it: what uses it, and what it is. `holds_no_data`: nothing was
/// ever written to it.
///
/// # Errors
/// As those of [`permit`]; also if the contents of the target are unknown, and may be anything.
pub fn foresee(
    facts: &TargetFacts,
    evidence: &[Evidence],
    consent: bool,
    holds_no_data: bool,
) -> Result<(), Problem> {
    match (safety::judge(evidence), consent) {
        (Verdict::Refused, _) => Err(refused(facts, evidence)),
        (Verdict::NeedsConsent, false) if !evidence.is_empty() => Err(needs_consent(facts, evidence)),
        (Verdict::NeedsConsent, false) if !holds_no_data => Err(needs_consent(facts, evidence)
            .because("it may hold data; the run itself checks whether all of it reads as zeros")),
        _ => Ok(()),
    }
}

/// Whether one of the paths that the user consented to leads to this target. The names may differ; a directory or the
/// beginning of a path covers nothing.
pub fn consent_covers(consents: &[PathBuf], target: &TargetFacts) -> bool {
    consents.iter().any(|path| id_at(path) == Some((target.kind, target.identity)))
}

impl WritePermit {
    /// Adds the lock of the run's own scratch file. It has no effect on any other target.
    #[must_use]
    pub fn with_hold(mut self, hold: Hold) -> Self {
        self.hold = Some(hold);
        self
    }

    /// Whether this run already has the lock of the open file.
    pub(crate) fn holds(&self, node: &Node) -> bool {
        self.hold.as_ref().is_some_and(|hold| hold.identity == node.identity())
    }

    pub(crate) fn check(&self, node: &Node, size_bytes: u64) -> Result<(), Problem> {
        if self.id != node.id() {
            return Err(exchanged(&node.place()));
        }
        // Another medium, or another file behind a loop device, can have the same number.
        if self.generation != node.generation(&System::default()) {
            return Err(exchanged(&node.place()));
        }
        if self.size_bytes != size_bytes {
            return Err(Problem::refused("the target changed its size since it was checked")
                .at(node.place())
                .because(format!(
                    "it had {} bytes and now has {size_bytes}; something uses it",
                    self.size_bytes
                ))
                .next("find out what (fuser -v), then start again"));
        }
        Ok(())
    }

    /// Checks again, with the target open, that nothing uses it, and that nothing was written to it that the user did not
    /// consent to lose.
    pub(crate) fn still_holds(&self, node: &Node, snapshot: &Snapshot) -> Result<(), Problem> {
        let blockers = in_use::blockers(node, snapshot);
        if !blockers.is_empty() {
            return Err(blocked(node.place(), &blockers));
        }
        match &self.harmless {
            Some(harmless) if !self.holds(node) => harmless.still(node),
            // The user consented, or it is the run's own scratch file, locked since it was filled or inspected.
            _ => Ok(()),
        }
    }
}

/// Somebody wrote to the target after the inspection.
fn written_meanwhile(place: &str, because: &str) -> Problem {
    Problem::refused("something wrote to the target since it was checked")
        .at(place)
        .because(because)
        .next("find out what (fuser -v), then start again; the target will be checked again")
}

/// The path leads to another file or device than before.
pub(crate) fn exchanged(place: &str) -> Problem {
    Problem::refused("the target is not the one that was checked")
        .at(place)
        .because("the path or a link in it changed, or the medium was replaced")
        .next("start again once nothing changes it")
}

fn listed(evidence: &[Evidence]) -> String {
    evidence.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

fn refused(facts: &TargetFacts, evidence: &[Evidence]) -> Problem {
    let blockers: Vec<Evidence> = evidence.iter().filter(|e| e.is_blocker()).cloned().collect();
    blocked(facts.path.clone(), &blockers)
}

/// A write that is refused with or without consent.
pub(crate) fn blocked(place: String, blockers: &[Evidence]) -> Problem {
    let mut remedies: Vec<String> = blockers.iter().filter_map(Evidence::remedy).collect();
    remedies.dedup();
    Problem::refused("the target is in use or read-only: it is never written, even with --destroy-data")
        .at(place)
        .because(listed(blockers))
        .next(remedies.join("; "))
}

fn needs_consent(facts: &TargetFacts, evidence: &[Evidence]) -> Problem {
    Problem::refused("writing would destroy what is on the target")
        .at(facts.path.clone())
        .because(listed(evidence))
        .next(format!("if that is no longer needed: --destroy-data {}", facts.path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_medium_behind_the_same_name_is_noticed() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let node = Node::pin(file.path()).unwrap();
        let permit =
            |generation| WritePermit { id: node.id(), size_bytes: 0, generation, harmless: None, hold: None };
        permit(None).check(&node, 0).unwrap();
        // A file has no generation, so a permit with one is for something else.
        let problem = permit(Some(Generation { disk: 7, start_bytes: 0 })).check(&node, 0).unwrap_err();
        assert!(problem.to_string().contains("the medium was replaced"), "{problem}");
        assert!(permit(None).check(&node, 1).unwrap_err().what.contains("changed its size"));
    }
}
