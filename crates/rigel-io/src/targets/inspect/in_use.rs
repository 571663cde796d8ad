//! Who uses a target: mounts, devices made of it, swap, loop devices, other programs.
//!
//! A device is also in use when one of its partitions is, when its whole disk is, or when a device made of it is. Must not
//! read the contents of the target.

use super::processes;
use super::snapshot::Snapshot;
use crate::mounts::Mount;
use crate::system::System;
use crate::targets::block::Block;
use crate::targets::errno::retry_while;
use crate::targets::ioctl;
use crate::targets::node::{Node, NodeId, block_id};
use rigel_core::facts::{Identity, TargetKind};
use rigel_core::guard::safety::Evidence;
use rigel_core::path_text;
use rustix::fs::OFlags;
use rustix::io::Errno;
use std::os::fd::AsFd;
use std::time::Duration;

/// Mounts in one message. A container host can mount the same device hundreds of times.
const MOST_MOUNTS: usize = 8;

pub(crate) fn evidence(node: &Node, snapshot: &Snapshot) -> Vec<Evidence> {
    let system = snapshot.system();
    let mut found = blockers(node, snapshot);
    if node.kind == TargetKind::BlockDevice {
        if found.is_empty() && is_exclusively_open(node) {
            found.push(Evidence::ExclusivelyOpen);
        }
        let partitions = node.block(system).map(|block| block.partitions()).unwrap_or_default();
        if !partitions.is_empty() {
            found.push(Evidence::Partitions { names: partitions.into_iter().map(|p| p.name).collect() });
        }
    }
    found.extend(processes::open_elsewhere(&system.proc, snapshot.openers(), &handles(node, system)));
    found
}

/// The evidence that blocks a write with or without consent, as far as it is cheap to get. It is gathered again once the
/// target is open.
pub(crate) fn blockers(node: &Node, snapshot: &Snapshot) -> Vec<Evidence> {
    let block = node.block(snapshot.system());
    let mut found = block.as_ref().map(|block| mounted_or_held(block, snapshot)).unwrap_or_default();
    let (ids, name) = match &block {
        Some(block) => (related(block).into_iter().map(|b| block_id(b.number)).collect(), block.name.clone()),
        None => (vec![node.id()], node.place()),
    };
    // The kernel does not list loop devices as holders.
    let loops = snapshot.loops().iter().filter(|one| one.behind.iter().any(|id| ids.contains(id)));
    found.extend(loops.map(|one| Evidence::Held { device: name.clone(), holder: one.title.clone() }));
    found.extend(in_swap(&ids, snapshot));
    let read_only = match node.kind {
        TargetKind::File => node.on_read_only_mount(),
        _ => node.open(OFlags::RDONLY).and_then(|fd| ioctl::device_is_read_only(fd.as_fd())) == Ok(true),
    };
    if read_only {
        found.push(Evidence::ReadOnly);
    }
    found
}

/// Everything that counts as the target if a program has it open: itself, its partitions, devices made of them.
fn handles(node: &Node, system: &System) -> Vec<NodeId> {
    match node.block(system) {
        Some(block) => {
            let generic = block
                .generic()
                .map(|generic| (TargetKind::CharDevice, Identity { device: generic.number, inode: 0 }));
            let blocks = upwards(vec![block]).into_iter().map(|b| block_id(b.number));
            blocks.chain(generic).collect()
        }
        None => vec![node.id()],
    }
}

/// Adds the partitions of devices and everything made of them, each once.
fn upwards(mut found: Vec<Block>) -> Vec<Block> {
    let mut next = 0;
    while let Some(at) = found.get(next) {
        for above in at.partitions().into_iter().chain(at.holders()) {
            if !found.contains(&above) {
                found.push(above);
            }
        }
        next += 1;
    }
    found
}

/// All devices whose use is a use of this one: those above it, and for a partition its disk and those above the disk.
fn related(block: &Block) -> Vec<Block> {
    let disk = block.disk();
    let holders_of_disk = disk.iter().flat_map(Block::holders);
    let mut found = upwards(std::iter::once(block.clone()).chain(holders_of_disk).collect());
    found.extend(disk);
    found
}

fn mounted_or_held(block: &Block, snapshot: &Snapshot) -> Vec<Evidence> {
    let related = related(block);
    let mut found = mounted(&related, snapshot);
    for device in block.disk().iter().chain([block]).chain(&block.partitions()) {
        found.extend(
            device
                .holders()
                .into_iter()
                .map(|holder| Evidence::Held { device: device.name.clone(), holder: holder.title() }),
        );
    }
    found
}

fn mounted(related: &[Block], snapshot: &Snapshot) -> Vec<Evidence> {
    let mut found: Vec<Evidence> = Vec::new();
    for (mount, number) in snapshot.mounts() {
        if let Some(block) = related.iter().find(|block| Some(block.number) == *number)
            && found.len() < MOST_MOUNTS
        {
            found.push(Evidence::Mounted {
                device: block.name.clone(),
                mount_point: path_text::encode(&mount.mount_point),
            });
        }
    }
    if found.is_empty() {
        found.extend(related.iter().filter_map(|block| member_of_btrfs(block, snapshot)));
    }
    found
}

/// Evidence that a device belongs to a mounted btrfs. The mount table names only one of the devices of a btrfs, sysfs
/// lists them all.
fn member_of_btrfs(block: &Block, snapshot: &Snapshot) -> Option<Evidence> {
    let filesystems = std::fs::read_dir(snapshot.system().sys.join("fs/btrfs")).ok()?;
    let devices = filesystems.flatten().map(|entry| entry.path().join("devices"));
    let devices = devices.into_iter().find(|dir| dir.join(block.name.replace('/', "!")).exists())?;
    let members: Vec<_> =
        std::fs::read_dir(&devices).ok()?.flatten().map(|entry| entry.file_name()).collect();
    let mut mounts = snapshot.mounts().iter().map(|(mount, _)| mount);
    let mount = mounts.find(|mount: &&Mount| {
        mount.filesystem == "btrfs"
            && mount.source.file_name().is_some_and(|name| members.iter().any(|m| m == name))
    });
    let mount_point = match mount {
        Some(mount) => path_text::encode(&mount.mount_point),
        None => format!("the btrfs filesystem {}", path_text::encode_os(devices.parent()?.file_name()?)),
    };
    Some(Evidence::Mounted { device: block.name.clone(), mount_point })
}

fn in_swap(ids: &[NodeId], snapshot: &Snapshot) -> Vec<Evidence> {
    let used = snapshot.swaps().iter().filter(|(_, found)| ids.contains(found));
    used.map(|(path, _)| Evidence::Swap { device: path_text::encode(path) }).collect()
}

/// Whether a program has the device open exclusively. The only way to know is to try an exclusive open.
fn is_exclusively_open(node: &Node) -> bool {
    let attempt = || node.open(OFlags::RDONLY | OFlags::EXCL);
    retry_while(Errno::BUSY, Duration::from_millis(500), attempt).err() == Some(Errno::BUSY)
}

#[cfg(test)]
mod tests;
