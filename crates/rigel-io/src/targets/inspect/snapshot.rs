//! What the host says about mounts, swap, loop devices and open files, asked once for all targets of a run.
//!
//! Each list is read when it is first needed and is from then on as it was; whoever needs it fresh takes a new snapshot.
//! Must not judge.

use super::block::Block;
use super::in_use::{Who, behind_loop, source_number, who_is};
use super::mounts::{self, Mount};
use super::processes::Openers;
use crate::system::System;
use std::cell::OnceCell;
use std::path::PathBuf;

/// See the module.
#[derive(Debug, Default)]
pub struct Snapshot {
    system: System,
    mounts: OnceCell<Vec<Numbered>>,
    swaps: OnceCell<Vec<(PathBuf, Who)>>,
    loops: OnceCell<Vec<Loop>>,
    openers: OnceCell<Openers>,
}

/// A mount, and the number of its device where it has one.
pub(crate) type Numbered = (Mount, Option<(u32, u32)>);

/// An attached loop device, and what is behind it: by the path that sysfs shows, and by the device itself, because the
/// path may belong to another namespace or be gone.
#[derive(Debug)]
pub(crate) struct Loop {
    pub title: String,
    pub behind: Vec<Who>,
}

impl Snapshot {
    /// Of this host, from now on.
    #[must_use]
    pub fn take() -> Self {
        Self::default()
    }

    /// Of a host whose files lie elsewhere.
    pub(crate) fn of(system: System) -> Self {
        Self { system, ..Self::default() }
    }

    pub(crate) const fn system(&self) -> &System {
        &self.system
    }

    pub(crate) fn mounts(&self) -> &[Numbered] {
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

    pub(crate) fn swaps(&self) -> &[(PathBuf, Who)] {
        self.swaps.get_or_init(|| {
            let swaps = mounts::swaps(&self.system.proc).into_iter();
            swaps.filter_map(|path| Some((who_is(&path)?, path))).map(|(who, path)| (path, who)).collect()
        })
    }

    pub(crate) fn loops(&self) -> &[Loop] {
        self.loops.get_or_init(|| {
            let attached = Block::all(&self.system.sys).into_iter().filter_map(|block| {
                let file = block.loop_file()?;
                let behind = who_is(&file).into_iter().chain(behind_loop(&block)).collect();
                Some(Loop { title: block.title(), behind })
            });
            attached.collect()
        })
    }

    pub(crate) fn openers(&self) -> &Openers {
        self.openers.get_or_init(|| Openers::gather(&self.system.proc))
    }
}
