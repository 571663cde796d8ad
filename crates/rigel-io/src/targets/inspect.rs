//! Finding out what a target is and what is on it, without writing and without printing.
//!
//! [`inspect`] pins what the path leads to, so that facts and evidence are about the same file or device even when
//! the path changes its meaning in between. Must not decide whether a target may be written: that is
//! `rigel_core::guard::safety` and [`crate::targets::guard`].

mod block;
mod contents;
mod direct;
mod extents;
#[cfg(test)]
mod fixture;
pub(crate) mod in_use;
pub(crate) mod mounts;
mod processes;
mod snapshot;
mod survey;

use super::errno::refusal;
use super::node::{Changed, Node, number};
use super::{ioctl, scratch, signature};
use crate::system::System;
use rigel_core::error::Problem;
use rigel_core::facts::{DeviceFacts, Identity, ScratchFacts, TargetFacts, TargetKind};
use rigel_core::guard::safety::Evidence;
use rigel_core::path_text;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

pub(crate) use block::{Block, Generation, chosen_word};
pub use contents::{Progress, Scan};
pub use snapshot::Snapshot;
pub use survey::{Survey, survey};

/// A target that was looked at and is still pinned.
#[derive(Debug)]
pub struct Inspected {
    facts: TargetFacts,
    node: Node,
}

/// Evidence about one target. Only an inspection makes it, so that a permit cannot rest on anything else.
#[derive(Clone, Debug)]
pub struct TargetEvidence {
    identity: Identity,
    kind: TargetKind,
    generation: Option<Generation>,
    changed: Option<Changed>,
    list: Vec<Evidence>,
}

impl TargetEvidence {
    /// Whether it is about this target.
    #[must_use]
    pub fn is_about(&self, facts: &TargetFacts) -> bool {
        (self.identity, self.kind) == (facts.identity, facts.kind)
    }

    pub(crate) const fn generation(&self) -> Option<Generation> {
        self.generation
    }

    /// When a file had been changed last before the look.
    pub(crate) const fn changed(&self) -> Option<Changed> {
        self.changed
    }
}

impl std::ops::Deref for TargetEvidence {
    type Target = [Evidence];

    fn deref(&self) -> &[Evidence] {
        &self.list
    }
}

/// Every block device of this host that has a size, partitions behind their disks, by the paths that the kernel gives them.
#[must_use]
pub fn block_devices(snapshot: &Snapshot) -> Vec<PathBuf> {
    let devices = all_blocks(&snapshot.system().sys).into_iter();
    devices.map(|block| Path::new("/dev").join(path_text::decode(&block.name))).collect()
}

/// Every block device with a medium, partitions behind their disks.
fn all_blocks(sys: &Path) -> Vec<Block> {
    let with_partitions = |disk: Block| {
        let partitions = disk.partitions();
        std::iter::once(disk).chain(partitions)
    };
    Block::all(sys).into_iter().flat_map(with_partitions).filter(Block::has_size).collect()
}

/// Looks at what a path leads to.
///
/// # Errors
/// When it is missing, empty, unreadable, or nothing that could be a target.
pub fn inspect(path: &Path, snapshot: &Snapshot) -> Result<Inspected, Problem> {
    let node = Node::pin(path)?;
    let facts = facts_of(&node, snapshot)?;
    Ok(Inspected { facts, node })
}

/// The facts of the target that a path leads to.
///
/// # Errors
/// As [`inspect`].
pub fn target_facts(path: &Path) -> Result<TargetFacts, Problem> {
    inspect(path, &Snapshot::take()).map(Inspected::into_facts)
}

impl Inspected {
    /// What it is, but for its extents.
    #[must_use]
    pub const fn facts(&self) -> &TargetFacts {
        &self.facts
    }

    /// What it is and where its bytes are, without holding it any longer.
    #[must_use]
    pub fn into_facts(self) -> TargetFacts {
        // Not with the other facts: looking for evidence needs none, and a file of many pieces takes a while.
        let extents = extents::find(&self.node, self.facts.size_bytes);
        TargetFacts { extents, ..self.facts }
    }

    /// Who uses it: all of the evidence that can be had without reading the target. Says nothing for a write.
    #[must_use]
    pub fn users(&self, snapshot: &Snapshot) -> Vec<Evidence> {
        in_use::evidence(&self.node, snapshot)
    }

    /// What a whole scratch file of ours is: ours, or written into by somebody else; `None` for anything else.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn scratch(&self) -> Result<Option<Evidence>, Problem> {
        scratch::evidence(&self.node)
    }

    /// What is on it and who uses it. Never empty. `progress` is told bytes done and bytes to do; when `stop` becomes
    /// true the look ends.
    ///
    /// # Errors
    /// When reading it fails, or `stop` was set.
    pub fn evidence(
        &self,
        snapshot: &Snapshot,
        look: Scan,
        progress: Progress<'_>,
        stop: &AtomicBool,
    ) -> Result<TargetEvidence, Problem> {
        // Before the look, so that a medium that is changed during it is noticed.
        let generation = in_use::generation(&self.node, snapshot.system());
        let list = self.gather(snapshot, look, progress, stop)?;
        let TargetFacts { identity, kind, .. } = self.facts;
        Ok(TargetEvidence { identity, kind, generation, changed: self.node.changed(), list })
    }

    fn gather(
        &self,
        snapshot: &Snapshot,
        look: Scan,
        progress: Progress<'_>,
        stop: &AtomicBool,
    ) -> Result<Vec<Evidence>, Problem> {
        let (node, facts) = (&self.node, &self.facts);
        let mut found = self.users(snapshot);
        if let Some(scratch) = self.scratch()? {
            let ours = scratch.clears();
            found.push(scratch);
            // Random data may look like anything; what it is, is known.
            if ours {
                return Ok(found);
            }
        }
        found.extend(signature::evidence(node, facts, &regions(node, snapshot.system()))?);
        // Where consent is needed anyway, reading everything would tell nothing more.
        let look = if found.iter().all(is_unknown) { look } else { Scan::Sample };
        let contents = contents::evidence(node, facts, look, progress, stop)?;
        Ok(with_contents(found, contents))
    }
}

const fn is_unknown(evidence: &Evidence) -> bool {
    matches!(evidence, Evidence::SignaturesUnknown { .. })
}

/// What holds nothing but zeros holds no signature, with or without a library to find it.
fn with_contents(mut found: Vec<Evidence>, contents: Evidence) -> Vec<Evidence> {
    if matches!(contents, Evidence::NeverWritten { .. }) {
        found.retain(|evidence| !is_unknown(evidence));
    }
    found.push(contents);
    found
}

/// The devices to count the I/O of targets on, each once, from the devices that the targets are or lie on: the lowest ones
/// that move every byte exactly once, so that others on the same disk are seen too. `None` when one of the targets has
/// no block device of its own (NFS, btrfs, FUSE, tmpfs): then there is nothing to compare the bytes of all with.
#[must_use]
pub fn counting_devices(root: &Path, targets: &[(u32, u32)]) -> Option<Vec<(u32, u32)>> {
    let sys = root.join("sys");
    let lowest = |&number: &(u32, u32)| Some(Block::by_number(&sys, number)?.lowest().number);
    let mut devices = targets.iter().map(lowest).collect::<Option<Vec<_>>>()?;
    devices.sort_unstable();
    devices.dedup();
    Some(devices)
}

/// Whether a target that held nothing holds something now; a quick look at the places where that shows.
pub(super) fn holds_data_now(node: &Node, facts: &TargetFacts) -> Result<Option<Evidence>, Problem> {
    let found = contents::evidence(node, facts, Scan::Sample, &mut |_, _| {}, &AtomicBool::new(false))?;
    Ok(matches!(found, Evidence::HoldsData { .. }).then_some(found))
}

/// The partitions of a disk, so that what is in them is found too.
fn regions(node: &Node, system: &System) -> Vec<signature::Region> {
    if node.kind() != TargetKind::BlockDevice {
        return Vec::new();
    }
    let partitions = Block::by_number(&system.sys, node.identity().device).map(|block| block.partitions());
    let region = |block: Block| {
        let (offset, len) = block.region_bytes()?;
        Some(signature::Region { name: block.name, offset, len })
    };
    partitions.unwrap_or_default().into_iter().filter_map(region).collect()
}

fn facts_of(node: &Node, snapshot: &Snapshot) -> Result<TargetFacts, Problem> {
    let system = snapshot.system();
    let size_bytes = size_of_target(node)?;
    let is_file = node.kind() == TargetKind::File;
    let (device_block, physical) = if is_file { (None, None) } else { device_blocks(node) };
    let direct = direct::find(node, device_block);
    let real_path = node.real_path();
    let mount = if is_file { mount_of(node, &real_path, snapshot) } else { None };
    let device = match (mount, is_file) {
        (_, false) => (node.kind() == TargetKind::BlockDevice).then(|| node.identity().device),
        // A filesystem without a device number of its own (btrfs, ZFS) may name one of its devices.
        (Some((mount, number)), true) if mount.device.0 == 0 => *number,
        (_, true) => Some(number(node.stat().st_dev)),
    };
    let mount = mount.map(|(mount, _)| mount);
    let block = device.and_then(|number| Block::by_number(&system.sys, number));
    Ok(TargetFacts {
        path: node.place(),
        real_path: path_text::encode(&real_path),
        kind: node.kind(),
        size_bytes,
        identity: node.identity(),
        logical_block_bytes: direct.logical_block_bytes,
        physical_block_bytes: physical.or_else(|| block.as_ref()?.physical_block_bytes()),
        direct_io: Some(direct.refusal.is_none()),
        direct_io_refusal: direct.refusal,
        filesystem: mount.map(|mount| mount.filesystem.clone()),
        mount_point: mount.map(|mount| path_text::encode(&mount.mount_point)),
        mount: mount.map(|mount| mount.facts(block.as_ref())),
        below: block.as_ref().map(|block| below(block, system)).unwrap_or_default(),
        // Always in units of 512 bytes.
        allocated_bytes: is_file
            .then(|| u64::try_from(node.stat().st_blocks).unwrap_or(0).saturating_mul(512)),
        extents: None,
        // Whoever has just filled it knows better.
        scratch: scratch::whole_header(node).map(|header| ScratchFacts {
            seed: header.seed,
            used_before: true,
            own: false,
        }),
        device: block.map(|block| block.facts(system)),
    })
}

fn below(block: &Block, system: &System) -> Vec<DeviceFacts> {
    block.below().iter().map(|block| block.facts(system)).collect()
}

/// The part of a file that a run may use: the end of a scratch file of ours says what it is, and must survive.
pub(super) fn usable_bytes(node: &Node, size_bytes: u64) -> u64 {
    scratch::whole_header(node).map_or(size_bytes, |header| header.data_bytes)
}

fn size_of_target(node: &Node) -> Result<u64, Problem> {
    let fd = node.open_to_read()?;
    let empty =
        |is: &str, next: &str| Err(Problem::refused(format!("the target {is}")).at(node.place()).next(next));
    if node.kind() == TargetKind::File {
        return match u64::try_from(node.stat().st_size) {
            Ok(0) | Err(_) => {
                let next = format!("give it a size, for example: fallocate -l 4G {}", node.place());
                empty("is an empty file", &next)
            }
            Ok(size) => Ok(usable_bytes(node, size)),
        };
    }
    match ioctl::device_size_bytes(fd.as_fd()) {
        Ok(0) => empty("has a size of zero", "insert the medium, attach the device, or choose another one"),
        Ok(size) => Ok(size),
        Err(errno) => Err(refusal("the target does not tell its size", node.path(), errno)),
    }
}

fn device_blocks(node: &Node) -> (Option<u32>, Option<u32>) {
    let fd = node.open_to_read().ok();
    match fd.and_then(|fd| ioctl::block_sizes(fd.as_fd()).ok()) {
        Some((logical, physical)) => (Some(logical), physical),
        None => (None, None),
    }
}

/// The mount that a file is reached through, and the number of its device.
fn mount_of<'a>(node: &Node, real_path: &Path, snapshot: &'a Snapshot) -> Option<&'a snapshot::Numbered> {
    let mut all = snapshot.mounts().iter();
    if let Some(id) = node.mount_id() {
        return all.find(|(mount, _)| mount.id == id);
    }
    // The longest mount point above it; of several at one place the last is on top.
    let above = all.filter(|(mount, _)| real_path.starts_with(&mount.mount_point));
    above.max_by_key(|(mount, _)| mount.mount_point.as_os_str().len())
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
        let sampled = Evidence::NotWhollyRead { looked_bytes: 1 };
        assert_eq!(judge(&with_contents(vec![unknown()], sampled)), Verdict::NeedsConsent);
        let open = Evidence::OpenElsewhere { processes: vec!["1 (db)".into()] };
        assert_eq!(judge(&with_contents(vec![open, unknown()], never())), Verdict::NeedsConsent);
    }
}
