//! Finding out what a target is and what is on it, without writing and without printing.
//!
//! [`inspect`] pins the target, so facts and evidence are about one file or device even if the path changes in between. Must not decide whether a
//! target may be written: `rigel_core::guard::safety` and
//! [`crate::targets::guard`] do.

mod contents;
mod direct;
mod extents;
mod facts;
pub(crate) mod in_use;
mod layers;
mod overlay;
mod processes;
mod signature;
mod snapshot;

use super::block::{Block, Generation};
use super::node::{ChangeTimes, Node, NodeId};
use super::own_file;
use super::room;
use crate::system::System;
use rigel_core::error::Problem;
use rigel_core::facts::TargetFacts;
use rigel_core::guard::safety::Evidence;
use rigel_core::path_text;
use rigel_core::units::{Bytes, GIB, MIB};
use rustix::fs::{Access, access};
use rustix::io::Errno;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

pub use contents::{Progress, Scan};
pub use facts::directory_facts;
pub(super) use layers::devices as devices_of;
pub use snapshot::Snapshot;

/// An inspected target, still pinned.
#[derive(Debug)]
pub struct InspectedTarget {
    facts: TargetFacts,
    node: Node,
}

/// Evidence about one target. Only an inspection can make it, so a permit can be based on nothing else.
#[derive(Clone, Debug)]
pub struct TargetEvidence {
    id: NodeId,
    pub(crate) generation: Option<Generation>,
    /// The last changes of a file before the inspection.
    pub(crate) changed: Option<ChangeTimes>,
    list: Vec<Evidence>,
}

impl TargetEvidence {
    pub(crate) fn is_about(&self, facts: &TargetFacts) -> bool {
        self.id == (facts.kind, facts.identity)
    }
}

impl std::ops::Deref for TargetEvidence {
    type Target = [Evidence];

    fn deref(&self) -> &[Evidence] {
        &self.list
    }
}

/// The paths of all block devices of this host that have a size, each disk before its partitions.
pub fn block_devices(snapshot: &Snapshot) -> Vec<PathBuf> {
    let devices = Block::all_with_partitions(&snapshot.system().sys).into_iter();
    devices.map(|block| Path::new("/dev").join(path_text::decode(&block.name))).collect()
}

/// Inspects the file or device that a path leads to.
///
/// # Errors
/// When it is missing, empty, unreadable, or of a kind that cannot be a target.
pub fn inspect(path: &Path, snapshot: &Snapshot) -> Result<InspectedTarget, Problem> {
    let inspected = inspect_any(path, snapshot)?;
    if inspected.facts.size_bytes > 0 {
        return Ok(inspected);
    }
    let place = inspected.node.place();
    let next = match access(path, Access::WRITE_OK) {
        Err(error) => unwritable_hint(error).to_owned(),
        Ok(()) => fill_hint(room::room_left(path), &path_text::shell_word(&place)),
    };
    Err(Problem::refused("the target is an empty file").at(place).next(next))
}

/// The suggested fill of an empty file if there is room.
const FILL_BYTES: u64 = 4 * GIB;
/// Less is not a target to measure.
const LEAST_FILL_BYTES: u64 = 16 * MIB;

/// What helps with an empty file that cannot be written to.
const fn unwritable_hint(error: Errno) -> &'static str {
    match error {
        Errno::ROFS => {
            "its filesystem is read-only, so it cannot be filled: name a file that holds data, or one on another filesystem"
        }
        _ => "you may not write to it, so you cannot fill it: name a file that holds data, or ask its owner",
    }
}

/// The command that fills an empty file: as much as is worth measuring, or most of the free space of its filesystem.
fn fill_hint(left_bytes: Option<u64>, place: &str) -> String {
    let fits = left_bytes.map_or(FILL_BYTES, |left| left / 10 * 9).min(FILL_BYTES);
    match (fits, left_bytes) {
        (FILL_BYTES, _) => format!("fill it with random data: rigel fill --size 4G {place}"),
        (LEAST_FILL_BYTES.., Some(left)) => {
            format!(
                "fill it with random data: rigel fill --size {}M {place} ({} are free)",
                fits / MIB,
                Bytes(left)
            )
        }
        _ => {
            let free = Bytes(left_bytes.unwrap_or(0));
            format!(
                "its filesystem has no room to fill it ({free} are free): free some, or name a file on a larger one"
            )
        }
    }
}

/// The same, also for an empty file, which a fill gives a size.
///
/// # Errors
/// When it is missing, unreadable, or of a kind that cannot be a target.
pub fn inspect_any(path: &Path, snapshot: &Snapshot) -> Result<InspectedTarget, Problem> {
    let node = Node::pin(path)?;
    let facts = facts::facts_of(&node, snapshot)?;
    Ok(InspectedTarget { facts, node })
}

/// What is known about a block device that cannot be opened: what the kernel lists, and what uses it. `None` for anything
/// else.
pub fn without_opening(path: &Path, snapshot: &Snapshot) -> Option<(TargetFacts, Vec<Evidence>)> {
    let system = snapshot.system();
    let node = Node::pin(path).ok();
    let block = match &node {
        Some(node) => node.block(system)?,
        None => Block::by_path(&system.sys, path)?,
    };
    let users = node.map(|node| in_use::evidence(&node, snapshot)).unwrap_or_default();
    Some((facts::of_closed(path, &block, system), users))
}

/// The facts of the target that a path leads to.
///
/// # Errors
/// As [`inspect`].
pub fn target_facts(path: &Path) -> Result<TargetFacts, Problem> {
    inspect(path, &Snapshot::take()).map(InspectedTarget::into_facts)
}

impl InspectedTarget {
    /// The facts with the extents. Unpins the target.
    pub fn into_facts(self) -> TargetFacts {
        // Extents come last: evidence needs none, and a file of many pieces takes a while.
        let extents = extents::find(&self.node, self.facts.size_bytes);
        TargetFacts { extents, ..self.facts }
    }

    /// What uses it: all evidence that needs no reading of the target. This is not enough for a permit.
    pub fn users(&self, snapshot: &Snapshot) -> Vec<Evidence> {
        in_use::evidence(&self.node, snapshot)
    }

    /// Evidence about a whole scratch file of Rigel; `None` for any other target.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn scratch(&self) -> Result<Option<Evidence>, Problem> {
        own_file::evidence(&self.node)
    }

    /// All evidence: what uses the target, and what is on it. Never empty. `progress` gets the bytes done and the bytes to
    /// do; if `stop` becomes true, the search ends.
    ///
    /// # Errors
    /// When reading fails, or `stop` was set.
    pub fn evidence(
        &self,
        snapshot: &Snapshot,
        look: Scan,
        progress: Progress<'_>,
        stop: &AtomicBool,
    ) -> Result<TargetEvidence, Problem> {
        // Before the search, so that a change of the medium during it is noticed.
        let generation = self.node.generation(snapshot.system());
        let (node, facts) = (&self.node, &self.facts);
        let made = |list| TargetEvidence { id: node.id(), generation, changed: node.changed(), list };
        let mut found = self.users(snapshot);
        if let Some(scratch) = self.scratch()? {
            let ours = scratch.clears();
            found.push(scratch);
            // Random data can look like a signature by chance, so a file of ours is not searched for one.
            if ours {
                return Ok(made(found));
            }
        }
        found.extend(signature::evidence(node, facts, &regions(node, snapshot.system()))?);
        let of_fill = look == Scan::Fill;
        // Where consent is needed anyway, reading everything would not change the verdict.
        let look = if found.iter().all(is_unknown) { look } else { Scan::Sample };
        let contents = contents::evidence(node, facts, (look, of_fill), progress, stop)?;
        Ok(made(with_contents(found, contents)))
    }
}

const fn is_unknown(evidence: &Evidence) -> bool {
    matches!(evidence, Evidence::SignaturesUnknown { .. })
}

/// Adds the evidence about the contents. A target of zeros, or of what a fill wrote, has no signature, even where libblkid could not look.
fn with_contents(mut found: Vec<Evidence>, contents: Evidence) -> Vec<Evidence> {
    if matches!(contents, Evidence::NeverWritten { .. } | Evidence::OurFill) {
        found.retain(|evidence| !is_unknown(evidence));
    }
    found.push(contents);
    found
}

/// Evidence of data on a target that held nothing before, or nothing but a fill, from a quick sample.
pub(super) fn holds_data_now(node: &Node, facts: &TargetFacts) -> Result<Option<Evidence>, Problem> {
    let look = (Scan::Sample, true);
    let found = contents::evidence(node, facts, look, &mut |_, _| {}, &AtomicBool::new(false))?;
    Ok(matches!(found, Evidence::HoldsData { .. }).then_some(found))
}

/// The partitions of a disk, which are searched for signatures too.
fn regions(node: &Node, system: &System) -> Vec<signature::Region> {
    let partitions = node.block(system).map(|block| block.partitions());
    let region = |block: Block| {
        let (offset, len) = block.region_bytes()?;
        Some(signature::Region { name: block.name, offset, len })
    };
    partitions.unwrap_or_default().into_iter().filter_map(region).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigel_core::guard::safety::{Verdict, judge};

    #[test]
    fn without_a_library_zeros_are_still_zeros() {
        let unknown = || Evidence::SignaturesUnknown { reason: "no library".into() };
        let never = || Evidence::NeverWritten { how: "all of it".into() };
        let data = || Evidence::HoldsData { first_offset: 0 };
        assert_eq!(with_contents(vec![unknown()], never()), [never()]);
        assert_eq!(with_contents(vec![unknown()], data()), [unknown(), data()]);
        assert_eq!(with_contents(vec![unknown()], Evidence::OurFill), [Evidence::OurFill]);
        let sampled = Evidence::NotWhollyRead { looked_bytes: 1 };
        assert_eq!(judge(&with_contents(vec![unknown()], sampled)), Verdict::NeedsConsent);
        let open = Evidence::OpenElsewhere { processes: vec!["1 (db)".into()] };
        assert_eq!(judge(&with_contents(vec![open, unknown()], never())), Verdict::NeedsConsent);
    }

    #[test]
    fn an_empty_file_is_offered_what_fits() {
        let hint = |left| fill_hint(left, "t.dat");
        for unlimited in [None, Some(100 * GIB)] {
            assert_eq!(hint(unlimited), "fill it with random data: rigel fill --size 4G t.dat");
        }
        let small = hint(Some(182 * MIB));
        assert!(small.contains("rigel fill --size 163M t.dat (182 MiB are free)"), "{small}");
        let none = hint(Some(MIB));
        assert!(none.contains("no room") && !none.contains("rigel fill"), "{none}");
        assert!(unwritable_hint(Errno::ROFS).contains("read-only"));
        assert!(unwritable_hint(Errno::ACCESS).contains("you may not write"));
    }
}
