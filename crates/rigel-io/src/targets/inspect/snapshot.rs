//! Mounts, swap, loop devices and open files of the host, read once for all targets of a run.
//!
//! Each list is read when it is first needed, and never again. For fresh lists, take a new snapshot. Must not
//! judge.

use super::processes::{Openers, gather};
use crate::mounts::{self, Mount};
use crate::system::System;
use crate::targets::block::Block;
use crate::targets::ioctl;
use crate::targets::node::{NodeId, block_id, id_at, number};
use rigel_core::facts::{Identity, TargetKind};
use rustix::fs::{self, Mode, OFlags};
use std::cell::OnceCell;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

/// The lists of one moment.
#[derive(Debug, Default)]
pub struct Snapshot {
    system: System,
    mounts: OnceCell<Vec<NumberedMount>>,
    swaps: OnceCell<Vec<(PathBuf, NodeId)>>,
    loops: OnceCell<Vec<Loop>>,
    openers: OnceCell<Openers>,
}

/// A mount, and the number of its device if it has one.
pub(crate) type NumberedMount = (Mount, Option<(u32, u32)>);

/// An attached loop device.
#[derive(Debug)]
pub(crate) struct Loop {
    pub title: String,
    /// The file or device behind it, by the path in sysfs and as the device itself reports: the path may belong to another
    /// namespace or be gone.
    pub behind: Vec<NodeId>,
}

impl Snapshot {
    /// A snapshot of this host.
    pub fn take() -> Self {
        Self::default()
    }

    /// A snapshot of a host whose files are elsewhere.
    pub(crate) fn of(system: System) -> Self {
        Self { system, ..Self::default() }
    }

    pub(crate) const fn system(&self) -> &System {
        &self.system
    }

    pub(crate) fn mounts(&self) -> &[NumberedMount] {
        self.mounts.get_or_init(|| {
            // A filesystem without a device number of its own (btrfs) names one of its devices.
            let number = |mount: &Mount| match mount.device {
                (0, _) if self.system.is_this_host() => source_number(&mount.source),
                device => Some(device),
            };
            let mounts = mounts::mounts(&self.system.proc).into_iter();
            mounts.map(|mount| (number(&mount), mount)).map(|(number, mount)| (mount, number)).collect()
        })
    }

    /// The mount with a number. Without the number: the longest mount point above the path; if several share it, the last one.
    pub(super) fn mount_of(&self, id: Option<u64>, path: &Path) -> Option<&NumberedMount> {
        let mut all = self.mounts().iter();
        if let Some(id) = id {
            return all.find(|(mount, _)| mount.id == id);
        }
        let above = all.filter(|(mount, _)| path.starts_with(&mount.mount_point));
        above.max_by_key(|(mount, _)| mount.mount_point.as_os_str().len())
    }

    pub(crate) fn swaps(&self) -> &[(PathBuf, NodeId)] {
        self.swaps.get_or_init(|| {
            let swaps = mounts::swaps(&self.system.proc).into_iter();
            swaps.filter_map(|path| Some((id_at(&path)?, path))).map(|(id, path)| (path, id)).collect()
        })
    }

    pub(crate) fn loops(&self) -> &[Loop] {
        self.loops.get_or_init(|| {
            let attached = Block::all(&self.system.sys).into_iter().filter_map(|block| {
                let file = block.loop_file()?;
                let behind = id_at(&file).into_iter().chain(behind_loop(&block)).collect();
                Some(Loop { title: block.title(), behind })
            });
            attached.collect()
        })
    }

    pub(crate) fn openers(&self) -> &Openers {
        self.openers.get_or_init(|| gather(&self.system.proc))
    }
}

/// The number of the block device that a mount has as its source.
fn source_number(source: &Path) -> Option<(u32, u32)> {
    // Only below /dev: any other text could be a path on a server that does not answer.
    if !source.starts_with("/dev") {
        return None;
    }
    match id_at(source)? {
        (TargetKind::BlockDevice, identity) => Some(identity.device),
        _ => None,
    }
}

/// The file or device behind a loop device, as the device itself reports.
pub(super) fn behind_loop(block: &Block) -> Option<NodeId> {
    let path = Path::new("/dev").join(&block.name);
    let fd = fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok()?;
    let (device, inode, rdevice) = ioctl::loop_backing(fd.as_fd()).ok()?;
    Some(match rdevice {
        0 => (TargetKind::File, Identity { device: number(device), inode }),
        _ => block_id(number(rdevice)),
    })
}
