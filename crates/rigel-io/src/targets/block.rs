//! Block devices as sysfs shows them: the layers of devices, and the settings of their queues. Must not open a device.

mod facts;
mod legs;
mod mapper;

pub use legs::{Legs, legs_of_array, legs_of_volume};

use crate::system::{read, text, value};
use rigel_core::path_text;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A bound on layers of devices, well above any real stack.
const MOST_LAYERS: usize = 16;

/// A bound on the devices below one volume.
const MOST_BELOW: usize = 4096;

/// A block device, by its directory in sysfs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    dir: PathBuf,
    /// Printable kernel name: `sda`, `nvme0n1p1`.
    pub name: String,
    pub number: (u32, u32),
}

/// Distinguishes devices that had the same number one after another ([`Block::generation`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Generation {
    /// The kernel's sequence number of the disk, counted since the host was started.
    pub(crate) disk: u64,
    /// First byte of a partition on its disk.
    pub(crate) start_bytes: u64,
}

impl Block {
    pub(crate) fn by_number(sys: &Path, number: (u32, u32)) -> Option<Self> {
        Self::at(&sys.join(format!("dev/block/{}:{}", number.0, number.1)))
    }

    /// The device whose node in `/dev` has or would have this path.
    pub(crate) fn by_path(sys: &Path, path: &Path) -> Option<Self> {
        let name = path.strip_prefix("/dev").ok()?.to_str()?.replace('/', "!");
        Self::at(&sys.join("class/block").join(name))
    }

    /// The device of a directory, or of a link to one.
    pub(crate) fn at(dir: &Path) -> Option<Self> {
        let dir = dir.canonicalize().ok()?;
        let (major, minor) = parsed_pair(&read(&dir.join("dev"))?)?;
        // The kernel writes `!` for the `/` of names such as `cciss/c0d0`.
        let name = path_text::encode_os(dir.file_name()?).replace('!', "/");
        Some(Self { dir, name, number: (major, minor) })
    }

    /// The block device of an NVMe namespace, by the number of its generic character device.
    pub(crate) fn of_generic(sys: &Path, character: (u32, u32)) -> Option<Self> {
        let dir = sys.join(format!("dev/char/{}:{}", character.0, character.1));
        Self::at(&beside(&dir.canonicalize().ok()?, "ng", "nvme")?)
    }

    /// The generic character device of a whole NVMe namespace. It has a name and a number like a block device.
    pub(crate) fn generic(&self) -> Option<Self> {
        Self::at(&beside(&self.dir, "nvme", "ng")?)
    }

    /// Every device with a size, each disk before its partitions.
    pub(crate) fn all_with_partitions(sys: &Path) -> Vec<Self> {
        let with_partitions = |disk: Self| {
            let partitions = disk.partitions();
            std::iter::once(disk).chain(partitions)
        };
        Self::all(sys).into_iter().flat_map(with_partitions).filter(Self::has_size).collect()
    }

    /// The first path of a disk that has several, by the name that the device gives itself; `None` for that path, and without such a name.
    pub(crate) fn first_path(&self, sys: &Path) -> Option<Self> {
        let name = |block: &Self| {
            let named = ["wwid", "device/wwid"].into_iter().find_map(|file| block.text(file));
            named.filter(|name| !name.is_empty())
        };
        let own = name(self)?;
        let first = Self::all(sys).into_iter().find(|other| name(other).as_ref() == Some(&own))?;
        (first.number != self.number).then_some(first)
    }

    /// Every disk without its partitions, as `/sys/block` lists them.
    pub(crate) fn all(sys: &Path) -> Vec<Self> {
        Self::listed(&sys.join("block"))
    }

    /// The devices that the links in a directory lead to, in the order of their names.
    fn listed(dir: &Path) -> Vec<Self> {
        let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
        let mut found: Vec<Self> = entries.filter_map(|entry| Self::at(&entry.path())).collect();
        found.sort_by(|a, b| a.name.cmp(&b.name));
        found
    }

    /// The disk of a partition; `None` for a disk.
    pub(crate) fn disk(&self) -> Option<Self> {
        self.dir.join("partition").exists().then(|| Self::at(self.dir.parent()?)).flatten()
    }

    pub(crate) fn partitions(&self) -> Vec<Self> {
        Self::listed(&self.dir).into_iter().filter(|inner| inner.dir.join("partition").exists()).collect()
    }

    /// All devices below it, each once, from the top down. The disk of a partition is below it.
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

    /// Devices that this one is made of, one layer down.
    fn made_of(&self) -> Vec<Self> {
        Self::listed(&self.dir.join("slaves"))
    }

    /// The lowest device that moves every byte of this one exactly once: the disk of a partition, or the device below a
    /// volume (LVM, dm-crypt). The search ends at several devices, as in a RAID, and above a pool, which does not count the
    /// I/O of its volumes (thin), or stores less than they hold (VDO).
    pub(crate) fn lowest(&self) -> Self {
        let mut lowest = self.clone();
        for _ in 0..MOST_LAYERS {
            lowest = lowest.disk().unwrap_or(lowest);
            match <[Self; 1]>::try_from(lowest.made_of()) {
                Ok([below]) if lowest.passes_all_to(&below) => lowest = below,
                _ => break,
            }
        }
        lowest
    }

    /// Whether each I/O becomes one of the same size below. LVM and cryptsetup say by their identities what they made; nothing is known about others.
    fn passes_all_to(&self, below: &Self) -> bool {
        let is_plain = |uuid: &str| {
            let known = ["LVM-", "CRYPT-", "mpath-"].iter().any(|prefix| uuid.starts_with(prefix));
            known && !uuid.contains("-VDO") && !uuid.ends_with("pool")
        };
        let of_mapper = |device: &Self| {
            device.dir.join("dm").exists().then(|| device.text("dm/uuid").unwrap_or_default())
        };
        of_mapper(self).is_none_or(|uuid| is_plain(&uuid))
            && of_mapper(below).is_none_or(|uuid| is_plain(&uuid))
    }

    /// Whether the kernel counts its I/O: it has counted some since the boot, if only the search for partitions. It does not if
    /// `queue/iostats` is 0, nor before Linux 6.4 for the several paths of one NVMe namespace together.
    pub(crate) fn counts(&self) -> bool {
        let any = |text: String| text.split_ascii_whitespace().any(|count| count != "0");
        self.value::<u8>("queue/iostats") != Some(0) && self.text("stat").is_none_or(any)
    }

    /// Devices that are made of this one, one layer up.
    pub(crate) fn holders(&self) -> Vec<Self> {
        Self::listed(&self.dir.join("holders"))
    }

    /// Start of a partition on its disk, and its size, in bytes.
    pub(crate) fn region_bytes(&self) -> Option<(u64, u64)> {
        // Always in units of 512 bytes, whatever the device's own blocks are.
        let sectors = |file: &str| self.value::<u64>(file).and_then(|count| count.checked_mul(512));
        Some((sectors("start")?, sectors("size")?))
    }

    /// Distinguishes this device from an earlier or later one with the same number: another medium, another file behind a loop
    /// device, another partition. `None` before Linux 5.15.
    pub(crate) fn generation(&self) -> Option<Generation> {
        let disk = self.disk().as_ref().unwrap_or(self).value("diskseq")?;
        Some(Generation { disk, start_bytes: self.region_bytes().map_or(0, |(start, _)| start) })
    }

    pub(crate) fn physical_block_bytes(&self) -> Option<u32> {
        self.disk().as_ref().unwrap_or(self).value("queue/physical_block_size")
    }

    /// The kernel name; a device-mapper device adds its own name and its maker: `dm-0 (vg-data, LVM)`.
    pub(crate) fn title(&self) -> String {
        let Some(mapped) = self.text("dm/name") else { return self.name.clone() };
        match self.maker() {
            Some(maker) => format!("{} ({mapped}, {maker})", self.name),
            None => format!("{} ({mapped})", self.name),
        }
    }

    /// The maker of a device-mapper device, which is the first word of its UUID: `LVM`, `CRYPT`, `mpath`, `part1`.
    fn maker(&self) -> Option<String> {
        self.text("dm/uuid")?.split_once('-').map(|(maker, _)| maker.to_owned())
    }

    /// The path of the file or device behind a loop device; `None` for other devices, and if nothing is attached.
    pub(crate) fn loop_file(&self) -> Option<PathBuf> {
        read(&self.dir.join("loop/backing_file")).map(|bytes| PathBuf::from(OsStr::from_bytes(&bytes)))
    }

    /// Its directory in sysfs.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Whether there is a medium: empty loop devices and card readers have none.
    fn has_size(&self) -> bool {
        self.value::<u64>("size").is_some_and(|sectors| sectors > 0)
    }

    fn text(&self, file: &str) -> Option<String> {
        text(&self.dir.join(file))
    }

    fn value<T: FromStr>(&self, file: &str) -> Option<T> {
        value(&self.dir.join(file))
    }
}

/// The devices whose counters show the I/O to targets, each once: the lowest ones that move every byte of a target
/// exactly once, so other programs' I/O to the same disk is seen, too. `targets` are the devices of the targets, or of
/// the filesystems below them. `None` if one of them has no block device (NFS, btrfs, FUSE, tmpfs): then the bytes of
/// all targets cannot be compared with counters. Nor can they if one of the devices does not count.
pub fn counting_devices(root: &Path, targets: &[(u32, u32)]) -> Option<Vec<(u32, u32)>> {
    let sys = root.join("sys");
    let lowest = |&number: &(u32, u32)| {
        Some(Block::by_number(&sys, number)?.lowest()).filter(Block::counts).map(|device| device.number)
    };
    let mut devices = targets.iter().map(lowest).collect::<Option<Vec<_>>>()?;
    devices.sort_unstable();
    devices.dedup();
    Some(devices)
}

/// `nvme0n1` for `ng0n1`, or vice versa. Both are in the directory of their controller or subsystem.
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
