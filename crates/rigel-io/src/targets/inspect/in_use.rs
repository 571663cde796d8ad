//! Who uses a target: mounts, devices made of it, swap, loop devices, other programs.
//!
//! A device is also in use when a partition of it is, or the disk it is on as a whole, or anything that is made of it.
//! Must not read what is on the target.

use super::block::{Block, Generation};
use super::mounts::Mount;
use super::{Snapshot, processes};
use crate::system::System;
use crate::targets::errno::patiently;
use crate::targets::ioctl;
use crate::targets::node::{Node, identity_of, number, plain_kind};
use rigel_core::facts::{Identity, TargetKind};
use rigel_core::guard::safety::Evidence;
use rigel_core::path_text;
use rustix::fs::{self, Mode, OFlags};
use rustix::io::Errno;
use std::os::fd::AsFd;
use std::path::Path;

/// A list of mounts in a message ends here; a container host has hundreds of the same device.
const MOST_MOUNTS: usize = 8;

/// Everything that uses the target.
pub(crate) fn evidence(node: &Node, snapshot: &Snapshot) -> Vec<Evidence> {
    let system = snapshot.system();
    let mut found = forbidding(node, snapshot);
    if node.kind() == TargetKind::BlockDevice {
        if found.is_empty() && is_exclusively_open(node) {
            found.push(Evidence::ExclusivelyOpen);
        }
        let partitions = block_of(node, system).map(|block| block.partitions()).unwrap_or_default();
        if !partitions.is_empty() {
            found.push(Evidence::Partitions { names: partitions.into_iter().map(|p| p.name).collect() });
        }
    }
    found.extend(processes::open_elsewhere(&system.proc, snapshot.openers(), &handles(node, system)));
    found
}

/// The part of it that is cheap and forbids a write whatever is said; looked at again once a target is open.
pub(crate) fn forbidding(node: &Node, snapshot: &Snapshot) -> Vec<Evidence> {
    let block = block_of(node, snapshot.system());
    let mut found = block.as_ref().map(|block| mounted_or_held(block, snapshot)).unwrap_or_default();
    let (who, name) = match &block {
        Some(block) => {
            (related(block).into_iter().map(|b| device_identity(b.number)).collect(), block.name.clone())
        }
        None => (vec![(node.kind(), node.identity())], node.place()),
    };
    found.extend(loop_devices(&who, &name, snapshot));
    found.extend(in_swap(&who, snapshot));
    let read_only = match node.kind() {
        TargetKind::File => node.on_read_only_mount(),
        _ => node.open(OFlags::RDONLY).and_then(|fd| ioctl::device_is_read_only(fd.as_fd())) == Ok(true),
    };
    if read_only {
        found.push(Evidence::ReadOnly);
    }
    found
}

fn block_of(node: &Node, system: &System) -> Option<Block> {
    (node.kind() == TargetKind::BlockDevice)
        .then(|| Block::by_number(&system.sys, node.identity().device))
        .flatten()
}

/// What tells one medium of a block device from the next; `None` for a file.
pub(crate) fn generation(node: &Node, system: &System) -> Option<Generation> {
    block_of(node, system)?.generation()
}

/// A file or device, and what kind it is: numbers of block and character devices mean different things.
pub(crate) type Who = (TargetKind, Identity);

const fn device_identity(number: (u32, u32)) -> Who {
    (TargetKind::BlockDevice, Identity { device: number, inode: 0 })
}

/// The target as open descriptors show it: itself, its partitions, what is made of them.
fn handles(node: &Node, system: &System) -> Vec<Who> {
    match block_of(node, system) {
        Some(block) => {
            let generic = block
                .generic()
                .map(|generic| (TargetKind::CharDevice, Identity { device: generic.number, inode: 0 }));
            let blocks = upwards(vec![block]).into_iter().map(|b| device_identity(b.number));
            blocks.chain(generic).collect()
        }
        None => vec![(node.kind(), node.identity())],
    }
}

/// Devices, their partitions, and everything that is made of them, each once.
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

/// Everything whose use is a use of the device: upwards from it, and from what holds the disk as a whole that it is a
/// partition of.
fn related(block: &Block) -> Vec<Block> {
    let disk = block.disk();
    let holders_of_disk = disk.iter().flat_map(Block::holders);
    let mut found = upwards(std::iter::once(block.clone()).chain(holders_of_disk).collect());
    found.extend(disk);
    found
}

/// Mounts and holders of a device.
pub(crate) fn mounted_or_held(block: &Block, snapshot: &Snapshot) -> Vec<Evidence> {
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

/// The number of the device that a mount names as its source, where it does.
pub(crate) fn source_number(source: &Path) -> Option<(u32, u32)> {
    // Only below /dev: any other text could be a path on a server that does not answer.
    if !source.starts_with("/dev") {
        return None;
    }
    let stat = fs::stat(source).ok()?;
    (plain_kind(&stat) == Some(TargetKind::BlockDevice)).then(|| number(stat.st_rdev))
}

/// A mounted btrfs lists all its devices; the mount table names only one of them.
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

/// Loop devices that are made of the target. The kernel does not list them as holders.
fn loop_devices(who: &[Who], name: &str, snapshot: &Snapshot) -> Vec<Evidence> {
    let made_of_it = snapshot.loops().iter().filter(|one| one.behind.iter().any(|found| who.contains(found)));
    made_of_it.map(|one| Evidence::Held { device: name.to_owned(), holder: one.title.clone() }).collect()
}

pub(crate) fn who_is(path: &Path) -> Option<Who> {
    let stat = fs::stat(path).ok()?;
    let kind = plain_kind(&stat)?;
    Some((kind, identity_of(&stat, kind)))
}

pub(crate) fn behind_loop(block: &Block) -> Option<Who> {
    let fd =
        fs::open(format!("/dev/{}", block.name), OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok()?;
    let (device, inode, rdevice) = ioctl::loop_backing(fd.as_fd()).ok()?;
    Some(match rdevice {
        0 => (TargetKind::File, Identity { device: number(device), inode }),
        _ => device_identity(number(rdevice)),
    })
}

fn in_swap(who: &[Who], snapshot: &Snapshot) -> Vec<Evidence> {
    let used = snapshot.swaps().iter().filter(|(_, found)| who.contains(found));
    used.map(|(path, _)| Evidence::Swap { device: path_text::encode(path) }).collect()
}

/// Whether someone holds the device exclusively: asked by trying.
fn is_exclusively_open(node: &Node) -> bool {
    let attempt = || node.open(OFlags::RDONLY | OFlags::EXCL);
    patiently(Errno::BUSY, attempt).err() == Some(Errno::BUSY)
}

#[cfg(test)]
mod tests;
