//! All storage of a host: disks, the devices made of them, mounts. The host is this one, or a tree captured on another one. Must not open a device.

use crate::host::{host_facts, host_facts_at};
use crate::mounts::Mount;
use crate::system::System;
use crate::targets::block::Block;
use crate::targets::inspect::Snapshot;
use rigel_core::facts::{DeviceFacts, HostFacts, MountFacts};
use std::path::Path;

/// The storage of a host.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// The host.
    pub host: HostFacts,
    /// Every device with a medium, partitions after their disks.
    pub devices: Vec<DeviceFacts>,
    /// Filesystems on a device, and network filesystems.
    pub mounts: Vec<MountFacts>,
}

/// Network filesystems: they hold data and have no block device.
const NETWORK: [&str; 5] = ["nfs", "nfs4", "cifs", "ceph", "glusterfs"];

/// Surveys the host whose files lie under `root`: `/`, or the root of a captured tree.
pub fn survey(root: &Path) -> Survey {
    let host = if root == Path::new("/") { host_facts() } else { host_facts_at(root) };
    let system = System::at(root);
    let devices = Block::all_with_partitions(&system.sys).iter().map(|block| block.facts(&system)).collect();
    let snapshot = Snapshot::of(system);
    let sys = &snapshot.system().sys;
    let facts = |(mount, number): &(Mount, Option<(u32, u32)>)| {
        let block = number.and_then(|number| Block::by_number(sys, number));
        let holds_data = block.is_some() || NETWORK.contains(&mount.filesystem.as_str());
        holds_data.then(|| mount.facts(block.map(|block| block.name)))
    };
    let mut mounts: Vec<MountFacts> = Vec::new();
    for mount in snapshot.mounts().iter().filter_map(facts) {
        // A mount hides an earlier one at the same place. Bind mounts of one filesystem have the same settings.
        let same = |other: &MountFacts| other.source == mount.source && other.options == mount.options;
        mounts.retain(|other| other.mount_point != mount.mount_point);
        if !mounts.iter().any(same) {
            mounts.push(mount);
        }
    }
    Survey { host, devices, mounts }
}
