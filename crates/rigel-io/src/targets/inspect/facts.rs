//! The facts of a target: kind, size, units of direct I/O, mount, devices below it. Must not look for data.

use super::direct;
use super::snapshot::{Numbered, Snapshot};
use crate::targets::block::Block;
use crate::targets::errno::refusal;
use crate::targets::node::{Node, number};
use crate::targets::{ioctl, own_file};
use rigel_core::error::Problem;
use rigel_core::facts::{ScratchFacts, TargetFacts, TargetKind};
use rigel_core::path_text;
use std::os::fd::AsFd;
use std::path::Path;

pub(super) fn facts_of(node: &Node, snapshot: &Snapshot) -> Result<TargetFacts, Problem> {
    let system = snapshot.system();
    let size_bytes = size_of_target(node)?;
    let is_file = node.kind == TargetKind::File;
    // Logical and physical block size of a device.
    let blocks = match node.open_to_read() {
        Ok(fd) if !is_file => ioctl::block_sizes(fd.as_fd()).ok(),
        _ => None,
    };
    let direct = direct::find(node, blocks.map(|(logical, _)| logical));
    let real_path = node.real_path();
    let mount = if is_file { mount_of(node, &real_path, snapshot) } else { None };
    let device = match (mount, is_file) {
        (_, false) => (node.kind == TargetKind::BlockDevice).then(|| node.identity().device),
        // A filesystem without a device number of its own (btrfs, ZFS) may name one of its devices.
        (Some((mount, number)), true) if mount.device.0 == 0 => *number,
        (_, true) => Some(number(node.stat.st_dev)),
    };
    let mount = mount.map(|(mount, _)| mount);
    let block = device.and_then(|number| Block::by_number(&system.sys, number));
    let below = block.as_ref().map(Block::below).unwrap_or_default();
    Ok(TargetFacts {
        path: node.place(),
        real_path: path_text::encode(&real_path),
        kind: node.kind,
        size_bytes,
        identity: node.identity(),
        logical_block_bytes: direct.logical_block_bytes,
        physical_block_bytes: blocks
            .and_then(|(_, physical)| physical)
            .or_else(|| block.as_ref()?.physical_block_bytes()),
        direct_io: Some(direct.refusal.is_none()),
        direct_io_refusal: direct.refusal,
        filesystem: mount.map(|mount| mount.filesystem.clone()),
        mount_point: mount.map(|mount| path_text::encode(&mount.mount_point)),
        mount: mount.map(|mount| mount.facts(block.as_ref().map(|block| block.name.clone()))),
        below: below.iter().map(|block| block.facts(system)).collect(),
        // Always in units of 512 bytes.
        allocated_bytes: is_file.then(|| u64::try_from(node.stat.st_blocks).unwrap_or(0).saturating_mul(512)),
        extents: None,
        // The run that has just filled it corrects this.
        scratch: own_file::whole_header(node).map(|header| ScratchFacts {
            seed: header.seed,
            used_before: true,
            own: false,
        }),
        device: block.map(|block| block.facts(system)),
    })
}

fn size_of_target(node: &Node) -> Result<u64, Problem> {
    let fd = node.open_to_read()?;
    let empty =
        |is: &str, next: &str| Err(Problem::refused(format!("the target {is}")).at(node.place()).next(next));
    if node.kind == TargetKind::File {
        return match u64::try_from(node.stat.st_size) {
            Ok(0) | Err(_) => {
                let next = format!("give it a size, for example: fallocate -l 4G {}", node.place());
                empty("is an empty file", &next)
            }
            Ok(size) => Ok(own_file::usable_bytes(node, size)),
        };
    }
    match ioctl::device_size_bytes(fd.as_fd()) {
        Ok(0) => empty("has a size of zero", "insert the medium, attach the device, or choose another one"),
        Ok(size) => Ok(size),
        Err(errno) => Err(refusal("the target does not tell its size", &node.path, errno)),
    }
}

/// The mount that the path of a file goes through, and the number of its device.
fn mount_of<'a>(node: &Node, real_path: &Path, snapshot: &'a Snapshot) -> Option<&'a Numbered> {
    let mut all = snapshot.mounts().iter();
    if let Some(id) = node.mount_id() {
        return all.find(|(mount, _)| mount.id == id);
    }
    // Without the number: the longest mount point above it. Of several at one place the last is on top.
    let above = all.filter(|(mount, _)| real_path.starts_with(&mount.mount_point));
    above.max_by_key(|(mount, _)| mount.mount_point.as_os_str().len())
}
