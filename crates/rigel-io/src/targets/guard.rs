//! The write guard: the only way to a descriptor that can write.
//!
//! A [`WritePermit`] is given for evidence that nothing can be lost, or for the user's consent naming the target; never
//! for a target that is in use. It remembers which target it is for, and what it says is looked at again when the
//! target is opened. Must not ask the user anything, and must not open for writing.

use super::inspect::{Generation, Snapshot, TargetEvidence, holds_data_now, in_use};
use super::node::{Changed, Node, identity_of, plain_kind};
use super::scratch::Hold;
use crate::system::System;
use rigel_core::error::Problem;
use rigel_core::facts::{Identity, TargetFacts, TargetKind};
use rigel_core::guard::safety::{self, Evidence, Verdict};
use rustix::fs;
use std::path::PathBuf;

/// Leave to write to one target. Cannot be made, copied or changed outside this module.
#[derive(Debug)]
pub struct WritePermit {
    identity: Identity,
    kind: TargetKind,
    size_bytes: u64,
    generation: Option<Generation>,
    /// What makes consent needless, where it is not there: that has to be so still when the target is open.
    harmless: Option<Harmless>,
    /// The lock of the target, where this run has it already.
    hold: Option<Hold>,
}

/// How a target was found to hold nothing that could be lost.
#[derive(Debug)]
struct Harmless {
    changed: Option<Changed>,
    /// What it was, if it held nothing at all.
    blank: Option<Box<TargetFacts>>,
}

impl Harmless {
    fn of(facts: &TargetFacts, evidence: &TargetEvidence) -> Self {
        let blank = evidence.iter().any(|found| matches!(found, Evidence::NeverWritten { .. }));
        Self { changed: evidence.changed(), blank: blank.then(|| Box::new(facts.clone())) }
    }
}

/// Gives a permit, or says what stands against it and what to do.
///
/// # Errors
/// When the target is in use or read-only, whatever was consented to; when something would be destroyed and there is no
/// consent; when the evidence is about another target.
pub fn permit(facts: &TargetFacts, evidence: &TargetEvidence, consent: bool) -> Result<WritePermit, Problem> {
    if !evidence.is_about(facts) {
        return Err(exchanged(&facts.path));
    }
    match (safety::judge(evidence), consent) {
        (Verdict::Refused, _) => Err(refused(facts, evidence)),
        (Verdict::NeedsConsent, false) => Err(needs_consent(facts, evidence)),
        (Verdict::NeedsConsent, true) | (Verdict::MayWrite, _) => {
            let &TargetFacts { identity, kind, size_bytes, .. } = facts;
            let harmless = (!consent).then(|| Harmless::of(facts, evidence));
            let generation = evidence.generation();
            Ok(WritePermit { identity, kind, size_bytes, generation, harmless, hold: None })
        }
    }
}

/// Whether one of the paths that the user consented to is this target, whatever it is called there. A directory or the
/// beginning of a path names nothing.
#[must_use]
pub fn consent_covers(consents: &[PathBuf], target: &TargetFacts) -> bool {
    consents.iter().any(|path| {
        let Ok(stat) = fs::stat(path) else { return false };
        plain_kind(&stat)
            .is_some_and(|kind| (kind, identity_of(&stat, kind)) == (target.kind, target.identity))
    })
}

impl WritePermit {
    /// Adds the lock of the run's own scratch file; of no use for any other target.
    #[must_use]
    pub fn with_hold(mut self, hold: Hold) -> Self {
        self.hold = Some(hold);
        self
    }

    /// Whether this run has locked the file that is open now.
    pub(crate) fn holds(&self, node: &Node) -> bool {
        self.hold.as_ref().is_some_and(|hold| hold.identity() == node.identity())
    }

    /// Checks that the permit is for what is open now.
    pub(crate) fn check(&self, node: &Node, size_bytes: u64) -> Result<(), Problem> {
        if (self.identity, self.kind) != (node.identity(), node.kind()) {
            return Err(exchanged(&node.place()));
        }
        // The same number, but another medium or another file behind it.
        if self.generation != in_use::generation(node, &System::default()) {
            return Err(exchanged(&node.place()));
        }
        if self.size_bytes != size_bytes {
            return Err(Problem::refused("the target changed its size since it was looked at")
                .at(node.place())
                .because(format!(
                    "it had {} bytes and has {size_bytes} now; something uses it",
                    self.size_bytes
                ))
                .next("find out what (fuser -v), then start again"));
        }
        Ok(())
    }

    /// Looks again, with the target open, whether it came into use, or something came into it that nobody consented to
    /// lose.
    pub(crate) fn still_holds(&self, node: &Node, snapshot: &Snapshot) -> Result<(), Problem> {
        let found = in_use::forbidding(node, snapshot);
        if !found.is_empty() {
            return Err(forbidden(node.place(), &found));
        }
        match &self.harmless {
            Some(harmless) if !self.holds(node) => harmless.still(node),
            // Consented to; or the run's own scratch file, locked since it was filled or looked into.
            _ => Ok(()),
        }
    }
}

impl Harmless {
    fn still(&self, node: &Node) -> Result<(), Problem> {
        if self.changed != node.changed() {
            return Err(written_meanwhile(&node.place(), "the file was changed after the look"));
        }
        let Some(blank) = &self.blank else { return Ok(()) };
        match holds_data_now(node, blank)? {
            Some(found) => Err(written_meanwhile(&node.place(), &found.to_string())),
            None => Ok(()),
        }
    }
}

/// Somebody began to use what was free.
fn written_meanwhile(place: &str, because: &str) -> Problem {
    Problem::refused("something was written to the target since it was looked at")
        .at(place)
        .because(because)
        .next("find out what (fuser -v), then start again: the target is looked at anew")
}

/// The path leads to something else than before.
pub(crate) fn exchanged(place: &str) -> Problem {
    Problem::refused("the target is another one than was looked at")
        .at(place)
        .because("the path or a link in it was changed, or the device got another medium")
        .next("start again when nothing changes it any more")
}

fn listed(evidence: &[Evidence]) -> String {
    evidence.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

fn refused(facts: &TargetFacts, evidence: &[Evidence]) -> Problem {
    let against: Vec<Evidence> = evidence.iter().filter(|e| e.forbids()).cloned().collect();
    forbidden(facts.path.clone(), &against)
}

pub(crate) fn forbidden(place: String, against: &[Evidence]) -> Problem {
    let mut remedies: Vec<String> = against.iter().filter_map(Evidence::remedy).collect();
    remedies.dedup();
    Problem::refused("the target is in use or read-only: it will not be written, whatever is consented to")
        .at(place)
        .because(listed(against))
        .next(remedies.join("; "))
}

fn needs_consent(facts: &TargetFacts, evidence: &[Evidence]) -> Problem {
    Problem::refused("writing would destroy what is on the target")
        .at(facts.path.clone())
        .because(listed(evidence))
        .next(format!("if nothing of that is needed any more: --destroy-data {}", facts.path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_medium_behind_the_same_name_is_noticed() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let node = Node::pin(file.path()).unwrap();
        let permit = |generation| WritePermit {
            identity: node.identity(),
            kind: node.kind(),
            size_bytes: 0,
            generation,
            harmless: None,
            hold: None,
        };
        permit(None).check(&node, 0).unwrap();
        // A file has no generation: one that had one before is something else now.
        let problem = permit(Some(Generation { disk: 7, start_bytes: 0 })).check(&node, 0).unwrap_err();
        assert!(problem.to_string().contains("another medium"), "{problem}");
        assert!(permit(None).check(&node, 1).unwrap_err().what.contains("changed its size"));
    }
}
