//! Everything of a host that has to do with storage: its disks, what is made of them, what is mounted. Of this host, or of a tree that was
//! captured on another one. Must not open a device.

use super::Snapshot;
use super::block::Block;
use crate::host::{host_facts, host_facts_at};
use crate::system::System;
use rigel_core::facts::{DeviceFacts, HostFacts, MountFacts};
use std::path::Path;

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// The host.
    pub host: HostFacts,
    /// Every device with a medium, partitions behind their disks.
    pub devices: Vec<DeviceFacts>,
    /// Filesystems that lie on a device, and those of the network.
    pub mounts: Vec<MountFacts>,
}

/// Filesystems that have no block device and hold data.
const OF_THE_NETWORK: [&str; 5] = ["nfs", "nfs4", "cifs", "ceph", "glusterfs"];

/// Looks at the host whose files lie under `root`: `/`, or where a tree like it is.
#[must_use]
pub fn survey(root: &Path) -> Survey {
    let host = if root == Path::new("/") { host_facts() } else { host_facts_at(root) };
    let system = System::at(root);
    let devices = super::all_blocks(&system.sys).iter().map(|block| block.facts(&system)).collect();
    let snapshot = Snapshot::of(system);
    let sys = &snapshot.system().sys;
    let facts = |(mount, number): &(_, Option<(u32, u32)>)| {
        let mount: &super::mounts::Mount = mount;
        let block = number.and_then(|number| Block::by_number(sys, number));
        let holds_data = block.is_some() || OF_THE_NETWORK.contains(&mount.filesystem.as_str());
        holds_data.then(|| mount.facts(block.as_ref()))
    };
    let mut mounts: Vec<MountFacts> = Vec::new();
    for mount in snapshot.mounts().iter().filter_map(facts) {
        // What is mounted over another hides it; the same filesystem elsewhere (bind mounts) has the same settings.
        let same = |other: &MountFacts| other.source == mount.source && other.options == mount.options;
        mounts.retain(|other| other.mount_point != mount.mount_point);
        if !mounts.iter().any(same) {
            mounts.push(mount);
        }
    }
    Survey { host, devices, mounts }
}
