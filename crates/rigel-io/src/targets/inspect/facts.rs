//! The facts of a target: kind, size, units of direct I/O, mount, devices below it. Must not look for data.

use super::overlay::{self, Place};
use super::snapshot::Snapshot;
use super::{direct, layers};
use crate::mounts::Mount;
use crate::system::System;
use crate::targets::block::Block;
use crate::targets::errno::refusal;
use crate::targets::node::{NAME_STORAGE, Node, memory_filesystem, mount_id, number};
use crate::targets::{ioctl, own_file};
use rigel_core::error::Problem;
use rigel_core::facts::{Identity, MountFacts, ScratchFacts, TargetFacts, TargetKind};
use rigel_core::path_text;
use rustix::fs::{self, Mode, OFlags};
use std::os::fd::AsFd;
use std::path::Path;

/// Filesystems whose files the kernel makes up when they are read.
const OF_THE_KERNEL: [&str; 18] = [
    "proc",
    "sysfs",
    "cgroup",
    "cgroup2",
    "debugfs",
    "tracefs",
    "securityfs",
    "selinuxfs",
    "configfs",
    "efivarfs",
    "pstore",
    "bpf",
    "nsfs",
    "mqueue",
    "fusectl",
    "binfmt_misc",
    "rpc_pipefs",
    "resctrl",
];

pub(super) fn facts_of(node: &Node, snapshot: &Snapshot) -> Result<TargetFacts, Problem> {
    let system = snapshot.system();
    let is_file = node.kind == TargetKind::File;
    let real_path = node.real_path();
    let ground = if is_file {
        Ground::of(&Place::of(node), snapshot)
    } else {
        let device = (node.kind == TargetKind::BlockDevice).then(|| node.identity().device);
        Ground {
            mount: None,
            lies_on: None,
            block: device.and_then(|number| Block::by_number(&system.sys, number)),
        }
    };
    // Before it is opened: reading such a file may have effects.
    if let Some(mount) = ground.mount.filter(|mount| OF_THE_KERNEL.contains(&mount.filesystem.as_str())) {
        return Err(Problem::refused(format!(
            "the target is not storage: a kernel file ({})",
            mount.filesystem
        ))
        .at(node.place())
        .because("the kernel generates its contents on each read; none of it is on a disk")
        .next(NAME_STORAGE));
    }
    let size_bytes = size_of_target(node)?;
    // Logical and physical block size of a device.
    let blocks = match node.open_to_read() {
        Ok(fd) if !is_file => ioctl::block_sizes(fd.as_fd()).ok(),
        _ => None,
    };
    let direct = direct::find(node, blocks.map(|(logical, _)| logical));
    let physical_block_bytes =
        blocks.and_then(|(_, physical)| physical).or_else(|| ground.block.as_ref()?.physical_block_bytes());
    let facts = TargetFacts {
        path: node.place(),
        real_path: path_text::encode(&real_path),
        kind: node.kind,
        size_bytes,
        identity: node.identity(),
        logical_block_bytes: direct.logical_block_bytes,
        physical_block_bytes,
        direct_io: Some(direct.refusal.is_none()),
        direct_io_refusal: direct.refusal,
        filesystem: node.memory_filesystem().filter(|_| is_file).map(str::to_owned),
        // Always in units of 512 bytes.
        allocated_bytes: is_file.then(|| u64::try_from(node.stat.st_blocks).unwrap_or(0).saturating_mul(512)),
        extents: None,
        // The run that has just filled it corrects this.
        scratch: own_file::whole_header(node).map(|header| ScratchFacts {
            seed: header.seed,
            used_before: true,
            own: false,
            kept: header.is_kept(),
        }),
        ..TargetFacts::default()
    };
    Ok(ground.added_to(facts, snapshot))
}

/// The facts of a file that would be created in a directory, as far as the directory shows them.
///
/// # Errors
/// When the directory cannot be reached.
pub fn directory_facts(dir: &Path, snapshot: &Snapshot) -> Result<TargetFacts, Problem> {
    let problem = |errno| refusal("the directory cannot be accessed", dir, errno);
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let fd = fs::open(dir, flags, Mode::empty()).map_err(problem)?;
    let stat = fs::fstat(&fd).map_err(problem)?;
    let real_path = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    let place = Place { path: real_path.clone(), mount: mount_id(fd.as_fd()), stat };
    let ground = Ground::of(&place, snapshot);
    let facts = TargetFacts {
        path: path_text::encode(dir),
        real_path: path_text::encode(&real_path),
        kind: TargetKind::File,
        identity: Identity { device: number(stat.st_dev), inode: stat.st_ino },
        filesystem: memory_filesystem(fd.as_fd()).map(str::to_owned),
        ..TargetFacts::default()
    };
    Ok(ground.added_to(facts, snapshot))
}

/// The mount and the device of a target.
struct Ground<'a> {
    mount: Option<&'a Mount>,
    /// The filesystem below an overlay.
    lies_on: Option<String>,
    block: Option<Block>,
}

impl<'a> Ground<'a> {
    /// For a file or directory.
    fn of(place: &Place, snapshot: &'a Snapshot) -> Self {
        let (mount, own) = layers::mounted(place, snapshot);
        let below = overlay::below(place, snapshot).map(|layer| layers::mounted(&layer, snapshot));
        let lies_on = below.and_then(|(mount, _)| Some(mount?.filesystem.clone()));
        let device = below.map_or(own, |(_, number)| number);
        let block = device.and_then(|number| Block::by_number(&snapshot.system().sys, number));
        Self { mount, lies_on, block }
    }

    fn added_to(self, facts: TargetFacts, snapshot: &Snapshot) -> TargetFacts {
        let name = self.block.as_ref().map(|block| block.name.clone());
        let (device, below) = self.block.map(|block| layers::devices(&block, snapshot)).unzip();
        let Some(mount) = self.mount else {
            return TargetFacts { device, below: below.unwrap_or_default(), ..facts };
        };
        TargetFacts {
            filesystem: Some(mount.filesystem.clone()),
            mount_point: Some(path_text::encode(&mount.mount_point)),
            mount: Some(MountFacts { lies_on: self.lies_on, ..mount.facts(name) }),
            device,
            below: below.unwrap_or_default(),
            ..facts
        }
    }
}

fn size_of_target(node: &Node) -> Result<u64, Problem> {
    let fd = node.open_to_read()?;
    if node.kind == TargetKind::File {
        return Ok(own_file::usable_bytes(node, u64::try_from(node.stat.st_size).unwrap_or(0)));
    }
    match ioctl::device_size_bytes(fd.as_fd()) {
        Ok(0) => Err(Problem::refused("the target has size zero")
            .at(node.place())
            .next("insert the medium, attach the device, or choose another one")),
        Ok(size) => Ok(size),
        Err(errno) => Err(refusal("the target does not report its size", &node.path, errno)),
    }
}

/// The facts of a block device by what the kernel lists, without opening it.
pub(super) fn of_closed(path: &Path, block: &Block, system: &System) -> TargetFacts {
    let device = block.facts(system);
    let path = path_text::encode(path);
    TargetFacts {
        real_path: path.clone(),
        path,
        kind: TargetKind::BlockDevice,
        size_bytes: device.size_bytes.unwrap_or(0),
        identity: Identity { device: block.number, inode: 0 },
        logical_block_bytes: device.logical_block_bytes.unwrap_or(512),
        physical_block_bytes: device.physical_block_bytes,
        below: block.below().iter().map(|block| block.facts(system)).collect(),
        device: Some(device),
        ..TargetFacts::default()
    }
}
