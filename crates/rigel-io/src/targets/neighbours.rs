//! Device files that lead to the storage of a target under another name: the disk of a partition, the parts of a volume, another path of a disk.
//!
//! Locks belong to a device file, so a run on a partition and one on its disk would not see each other by the files of their targets alone. Must not
//! open anything for writing.

use super::block::Block;
use super::lock::presence::{self, OtherProcess};
use rustix::fs::{self, FileType, Mode, OFlags};
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

/// More of them would take too many open files.
const MOST: usize = 8;

/// The device files, open as long as the target is.
#[derive(Debug, Default)]
pub(super) struct Neighbours {
    /// Lock on the same bytes.
    same: Vec<File>,
    /// Locks on the devices below.
    below: Vec<File>,
}

impl Neighbours {
    /// For an open target; empty for a file.
    pub(super) fn of(target: BorrowedFd<'_>) -> Self {
        let sys = Path::new("/sys");
        let block = fs::fstat(target)
            .ok()
            .filter(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::BlockDevice);
        let block =
            block.and_then(|stat| Block::by_number(sys, (fs::major(stat.st_rdev), fs::minor(stat.st_rdev))));
        let Some(block) = block else { return Self::default() };
        let all_of = |block: &Block| -> Vec<File> {
            [Some(block.clone()), block.first_path(sys)]
                .into_iter()
                .flatten()
                .filter_map(|one| open(&one))
                .collect()
        };
        let below = block.below().into_iter().take(MOST);
        Self { same: all_of(&block), below: below.flat_map(|block| all_of(&block)).collect() }
    }

    /// Announces that this process loads the target. `beside`: even if another run of Rigel reads what this one reads.
    pub(super) fn announce(
        &self,
        target: &impl AsFd,
        writes: bool,
        beside: bool,
    ) -> Result<(), OtherProcess> {
        let beside = beside && !writes;
        for file in &self.same {
            if beside { presence::announce_beside(file) } else { presence::announce(file, writes) }?;
        }
        for file in &self.below {
            presence::announce_above(file, writes, beside)?;
        }
        self.above(target).map_or(Ok(()), |other| allowed(other, beside))
    }

    /// Another process that loads the same storage under another name; does not announce anything.
    pub(super) fn other(&self, target: &impl AsFd, writes: bool, beside: bool) -> Option<OtherProcess> {
        let beside = beside && !writes;
        let files = self.same.iter().chain(&self.below);
        let others = files.filter_map(|file| presence::other(file, writes)).chain(self.above(target));
        others.into_iter().find(|other| allowed(*other, beside).is_err())
    }

    fn above(&self, target: &impl AsFd) -> Option<OtherProcess> {
        presence::other_above(target).or_else(|| self.same.iter().find_map(presence::other_above))
    }
}

/// Readers may run next to readers if that was requested.
const fn allowed(other: OtherProcess, beside: bool) -> Result<(), OtherProcess> {
    if beside && !other.writes { Ok(()) } else { Err(other) }
}

/// The file of a device by its kernel name, if it exists and leads to it.
fn open(block: &Block) -> Option<File> {
    let path = Path::new("/dev").join(&block.name);
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = File::from(fs::open(path, flags, Mode::empty()).ok()?);
    let number = fs::fstat(&file).ok()?.st_rdev;
    ((fs::major(number), fs::minor(number)) == block.number).then_some(file)
}
