//! Block devices as sysfs shows them: what is made of what, and what their queues are set to. Must not open a device.

mod facts;
mod mapper;

use crate::system::{read, text, value};
use rigel_core::path_text;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// More devices on top of each other than anybody stacks.
const MOST_LAYERS: usize = 16;

/// More disks than one volume has.
const MOST_BELOW: usize = 4096;

/// A directory of sysfs that stands for a block device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    dir: PathBuf,
    /// Printable kernel name: `sda`, `nvme0n1p1`.
    pub name: String,
    pub number: (u32, u32),
}

/// One of the devices that have had a number, as [`Block::generation`] tells them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Generation {
    /// Counts disks since the host was started.
    pub(crate) disk: u64,
    /// Of a partition: its first byte on the disk.
    pub(crate) start_bytes: u64,
}

impl Block {
    /// The device with a number.
    pub(crate) fn by_number(sys: &Path, number: (u32, u32)) -> Option<Self> {
        Self::at(&sys.join(format!("dev/block/{}:{}", number.0, number.1)))
    }

    /// The device that a directory or a link to one stands for.
    fn at(dir: &Path) -> Option<Self> {
        let dir = dir.canonicalize().ok()?;
        let (major, minor) = parsed_pair(&read(&dir.join("dev"))?)?;
        // The kernel writes `!` for the `/` of names such as `cciss/c0d0`.
        let name = path_text::encode_os(dir.file_name()?).replace('!', "/");
        Some(Self { dir, name, number: (major, minor) })
    }

    /// The block device of the NVMe namespace that a generic character device with this number stands for.
    pub(crate) fn of_generic(sys: &Path, character: (u32, u32)) -> Option<Self> {
        let dir = sys.join(format!("dev/char/{}:{}", character.0, character.1));
        Self::at(&beside(&dir.canonicalize().ok()?, "ng", "nvme")?)
    }

    /// The generic character device of a whole NVMe namespace: like a block device it has a name and a number.
    pub(crate) fn generic(&self) -> Option<Self> {
        Self::at(&beside(&self.dir, "nvme", "ng")?)
    }

    /// Every disk (no partitions), as `/sys/block` lists them.
    pub(crate) fn all(sys: &Path) -> Vec<Self> {
        Self::listed(&sys.join("block"))
    }

    /// The devices that the links in a directory lead to, by name.
    fn listed(dir: &Path) -> Vec<Self> {
        let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
        let mut found: Vec<Self> = entries.filter_map(|entry| Self::at(&entry.path())).collect();
        found.sort_by(|a, b| a.name.cmp(&b.name));
        found
    }

    /// The disk that this partition is on; `None` for a disk.
    pub(crate) fn disk(&self) -> Option<Self> {
        self.dir.join("partition").exists().then(|| Self::at(self.dir.parent()?)).flatten()
    }

    pub(crate) fn partitions(&self) -> Vec<Self> {
        Self::listed(&self.dir).into_iter().filter(|inner| inner.dir.join("partition").exists()).collect()
    }

    /// What it is made of, the disk of a partition included, down to the lowest: each once, those on top first.
    pub(crate) fn below(&self) -> Vec<Self> {
        let mut found = vec![self.clone()];
        let mut next = 0;
        while let Some(block) = found.get(next).cloned() {
            next += 1;
            for below in block.disk().into_iter().chain(block.made_of()) {
                if found.len() < MOST_BELOW && !found.contains(&below) {
                    found.push(below);
                }
            }
        }
        found.split_off(1)
    }

    /// Devices that this one is made of.
    fn made_of(&self) -> Vec<Self> {
        Self::listed(&self.dir.join("slaves"))
    }

    /// The lowest device that moves every byte of this one exactly once: the disk of a partition, what is under a
    /// volume that lies on one device (LVM, dm-crypt). Where there are several below, as in a RAID, it ends.
    pub(crate) fn lowest(&self) -> Self {
        let mut lowest = self.clone();
        for _ in 0..MOST_LAYERS {
            lowest = lowest.disk().unwrap_or(lowest);
            match <[Self; 1]>::try_from(lowest.made_of()) {
                Ok([below]) => lowest = below,
                Err(_) => break,
            }
        }
        lowest
    }

    /// Devices that are made of this one.
    pub(crate) fn holders(&self) -> Vec<Self> {
        Self::listed(&self.dir.join("holders"))
    }

    /// Where a partition begins on its disk, and its size, in bytes.
    pub(crate) fn region_bytes(&self) -> Option<(u64, u64)> {
        // Always in units of 512 bytes, whatever the device's own blocks are.
        let sectors = |file: &str| self.value::<u64>(file).and_then(|count| count.checked_mul(512));
        Some((sectors("start")?, sectors("size")?))
    }

    /// What tells one device behind this number from the next: which of the disks that the kernel has seen it is (another
    /// medium, another file behind a loop device), and where on it this begins. `None` before Linux 5.15.
    pub(crate) fn generation(&self) -> Option<Generation> {
        let disk = self.disk().as_ref().unwrap_or(self).value("diskseq")?;
        Some(Generation { disk, start_bytes: self.region_bytes().map_or(0, |(start, _)| start) })
    }

    pub(crate) fn physical_block_bytes(&self) -> Option<u32> {
        self.disk().as_ref().unwrap_or(self).value("queue/physical_block_size")
    }

    /// The name, and for a device-mapper device what it is called and who made it: `dm-0 (vg-data, LVM)`.
    pub(crate) fn title(&self) -> String {
        let Some(mapped) = self.text("dm/name") else { return self.name.clone() };
        match self.maker() {
            Some(maker) => format!("{} ({mapped}, {maker})", self.name),
            None => format!("{} ({mapped})", self.name),
        }
    }

    /// Who made a device-mapper device: the word before the first dash of its UUID, `LVM`, `CRYPT`, `mpath`, `part1`.
    fn maker(&self) -> Option<String> {
        self.text("dm/uuid")?.split_once('-').map(|(maker, _)| maker.to_owned())
    }

    /// The path of the file or device behind a loop device; `None` when it is none, or not attached.
    pub(crate) fn loop_file(&self) -> Option<PathBuf> {
        read(&self.dir.join("loop/backing_file")).map(|bytes| PathBuf::from(OsStr::from_bytes(&bytes)))
    }

    /// Whether there is a medium: empty loop devices and card readers have none.
    pub(crate) fn has_size(&self) -> bool {
        self.value::<u64>("size").is_some_and(|sectors| sectors > 0)
    }

    fn text(&self, file: &str) -> Option<String> {
        text(&self.dir.join(file))
    }

    fn value<T: FromStr>(&self, file: &str) -> Option<T> {
        value(&self.dir.join(file))
    }
}

/// The word in brackets of `none [mq-deadline]`; the only word where the kernel sets none.
pub(crate) fn chosen_word(list: &str) -> String {
    let bracketed = list.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    bracketed.map_or(list, |(word, _)| word).to_owned()
}

/// `nvme0n1` beside `ng0n1`, or the other way round: both are children of their controller, or of their subsystem.
fn beside(dir: &Path, from: &str, to: &str) -> Option<PathBuf> {
    let rest = dir.file_name()?.to_str()?.strip_prefix(from)?;
    Some(dir.parent()?.join(format!("{to}{rest}")))
}

fn parsed_pair(bytes: &[u8]) -> Option<(u32, u32)> {
    let (major, minor) = std::str::from_utf8(bytes).ok()?.split_once(':')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

#[cfg(test)]
mod tests;
