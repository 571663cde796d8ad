//! Which files have certain bytes of a block device: the file systems that are mounted from it, or from its partitions, are walked, and each file
//! is asked for its extents (FIEMAP).
//!
//! Only for file systems whose extents are places on their single device. The walk is bounded, and reports if it ended early. Must not read a
//! file.

use super::ioctl::{Extent, ExtentPage, extent_flags as flags};
use crate::mounts::{Mount, mounts};
use rigel_core::facts::{FilePart, OwnerFacts};
use rigel_core::path_text;
use rigel_core::units::Nanos;
use rustix::fs::{Mode, OFlags};
use std::collections::HashSet;
use std::fs::{self, File};
use std::os::fd::AsFd as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

/// File systems whose extents are bytes of the device that they are mounted from. Those of btrfs are not.
const KNOWN: [&str; 4] = ["ext2", "ext3", "ext4", "xfs"];
/// Parts of files that are reported.
const MOST_PARTS: usize = 10_000;
/// Directories that wait to be walked, and files of several names that are remembered.
const MOST_WAITING: usize = 1_000_000;
const SECTOR_BYTES: u64 = 512;

/// The files that have some of these bytes (`at`, `len`) of the device with this number. The search ends after `limit`, but not within a call
/// that does not return.
pub fn owners(device: (u32, u32), ranges: &[(u64, u64)], limit: Duration) -> OwnerFacts {
    search(Path::new("/"), device, ranges, limit)
}

fn search(root: &Path, device: (u32, u32), ranges: &[(u64, u64)], limit: Duration) -> OwnerFacts {
    let mut ranges = ranges.to_vec();
    ranges.sort_unstable();
    let mounted = mounts(&root.join("proc"));
    let mut facts = OwnerFacts::default();
    let mut doubts: Vec<String> = Vec::new();
    let until = Instant::now() + limit;
    for place in places(root, device) {
        let on_it: Vec<(u64, u64)> = ranges.iter().filter_map(|&range| place.part(range)).collect();
        if on_it.is_empty() {
            continue;
        }
        match place.mount(&mounted) {
            Ok(mount) => {
                facts.mounts.push(path_text::encode(&mount.mount_point));
                let mut walk = Walk {
                    place: &place,
                    ranges: &on_it,
                    until,
                    limit,
                    facts: &mut facts,
                    seen: HashSet::new(),
                };
                doubts.extend(walk.walk(&mount.mount_point).err());
            }
            Err(doubt) => doubts.push(doubt),
        }
    }
    facts.files.sort_by(|a, b| (a.at, &a.path).cmp(&(b.at, &b.path)));
    doubts.dedup();
    facts.doubt = (!doubts.is_empty()).then(|| doubts.join("; "));
    facts
}

/// A device whose bytes are bytes of the one that was requested.
struct DevicePart {
    name: String,
    number: (u32, u32),
    /// Its start on that device.
    start: u64,
    /// `None` for the device itself.
    len: Option<u64>,
    /// Devices built on it.
    holders: Vec<String>,
}

impl DevicePart {
    /// The part of a range that is on it, from its own start.
    fn part(&self, (at, len): (u64, u64)) -> Option<(u64, u64)> {
        let end = at.saturating_add(len).min(self.len.map_or(u64::MAX, |len| self.start.saturating_add(len)));
        let first = at.max(self.start);
        (first < end).then(|| (first - self.start, end - first))
    }

    /// The mount to search, or why there is none.
    fn mount<'a>(&self, mounted: &'a [Mount]) -> Result<&'a Mount, String> {
        let own = || mounted.iter().filter(|mount| mount.device == self.number);
        // A directory of it that is mounted elsewhere does not show all.
        let Some(mount) = own().find(|mount| mount.root == Path::new("/")).or_else(|| own().next()) else {
            let name = &self.name;
            return Err(match self.holders.is_empty() {
                true => format!("no file system of {name} is mounted"),
                false => format!("{} lies on {name}", self.holders.join(", ")),
            });
        };
        let tells = KNOWN.contains(&mount.filesystem.as_str())
            && !mount.options.iter().any(|option| option.starts_with("rtdev="));
        match tells {
            true if mount.root == Path::new("/") => Ok(mount),
            true => Err(format!("only a part of the file system of {} is mounted", self.name)),
            false => {
                Err(format!("{} of {} does not report where its files lie", mount.filesystem, self.name))
            }
        }
    }
}

/// Its partitions, or the device itself if it has none.
fn places(root: &Path, device: (u32, u32)) -> Vec<DevicePart> {
    let directory = root.join(format!("sys/dev/block/{}:{}", device.0, device.1));
    let real = fs::canonicalize(&directory).unwrap_or_else(|_| directory.clone());
    let name = real.file_name().map(|name| path_text::encode(Path::new(name))).unwrap_or_default();
    let entries = fs::read_dir(&directory).into_iter().flatten().flatten();
    let mut places: Vec<DevicePart> = entries.filter_map(|entry| partition(&entry.path())).collect();
    if places.is_empty() {
        let holders = holders(&directory);
        places.push(DevicePart { name, number: device, start: 0, len: None, holders });
    }
    places
}

fn partition(directory: &Path) -> Option<DevicePart> {
    let text = |name: &str| fs::read_to_string(directory.join(name)).ok();
    let bytes = |name: &str| Some(text(name)?.trim().parse::<u64>().ok()?.saturating_mul(SECTOR_BYTES));
    text("partition")?;
    let number = text("dev")?;
    let (major, minor) = number.trim().split_once(':')?;
    Some(DevicePart {
        name: path_text::encode(Path::new(directory.file_name()?)),
        number: (major.parse().ok()?, minor.parse().ok()?),
        start: bytes("start")?,
        len: Some(bytes("size")?),
        holders: holders(directory),
    })
}

fn holders(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory.join("holders")).into_iter().flatten().flatten();
    entries.map(|entry| path_text::encode(Path::new(&entry.file_name()))).collect()
}

struct Walk<'a> {
    place: &'a DevicePart,
    /// By position, from the start of the file system.
    ranges: &'a [(u64, u64)],
    until: Instant,
    limit: Duration,
    facts: &'a mut OwnerFacts,
    /// Files of more than one name.
    seen: HashSet<u64>,
}

impl Walk<'_> {
    /// Searches everything below, without other file systems that are mounted there. An error is why it is not all.
    fn walk(&mut self, top: &Path) -> Result<(), String> {
        let shown = path_text::encode(top);
        let device = fs::symlink_metadata(top).map_err(|error| format!("{shown}: {error}"))?.dev();
        let mut waiting = vec![top.to_path_buf()];
        let (mut page, mut closed) = (ExtentPage::boxed(), 0_u64);
        while let Some(directory) = waiting.pop() {
            let Ok(entries) = fs::read_dir(&directory) else {
                closed += 1;
                continue;
            };
            for entry in entries {
                if Instant::now() > self.until {
                    return Err(format!("the search of {shown} ended after {}", nanos(self.limit)));
                }
                let Ok(entry) = entry else {
                    closed += 1;
                    continue;
                };
                let path = entry.path();
                match fs::symlink_metadata(&path) {
                    Ok(node) if node.dev() != device => {}
                    Ok(node) if node.is_dir() && waiting.len() < MOST_WAITING => waiting.push(path),
                    Ok(node) if node.is_dir() => closed += 1,
                    Ok(node) if node.is_file() && self.is_new(&node) => {
                        closed += u64::from(self.file(&path, &mut page).is_none());
                    }
                    Ok(_) => {}
                    Err(_) => closed += 1,
                }
            }
        }
        match closed {
            0 if self.facts.files.len() < MOST_PARTS => Ok(()),
            0 => Err(format!("more than {MOST_PARTS} parts of files lie there")),
            _ => Err(format!("{closed} files or directories of {shown} could not be opened")),
        }
    }

    /// Whether this is the first of its names.
    fn is_new(&mut self, node: &fs::Metadata) -> bool {
        node.blocks() > 0
            && (node.nlink() < 2 || self.seen.len() >= MOST_WAITING || self.seen.insert(node.ino()))
    }

    /// Adds a file's share of the ranges; `None` if it does not report it.
    fn file(&mut self, path: &Path, page: &mut ExtentPage) -> Option<()> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let open = |more| rustix::fs::open(path, flags | more, Mode::empty());
        // Only its owner and root may leave its time of access as it is.
        let file = File::from(open(OFlags::NOATIME).or_else(|_| open(OFlags::empty())).ok()?);
        let mut from = 0;
        loop {
            let extents = page.ask(file.as_fd(), from, u64::MAX - from, 0).ok()?;
            let mut next = from;
            for extent in extents {
                add(self.facts, self.place, self.ranges, path, extent);
                next = next.max(extent.logical.saturating_add(extent.length));
            }
            let last =
                extents.len() < ExtentPage::ROOM || extents.iter().any(|extent| extent.has(flags::LAST));
            if last || next == from || Instant::now() > self.until {
                return Some(());
            }
            from = next;
        }
    }
}

/// Adds the parts of the ranges that an extent contains.
fn add(facts: &mut OwnerFacts, place: &DevicePart, ranges: &[(u64, u64)], path: &Path, extent: &Extent) {
    // Those that lie in the file system's own structures, or are still in memory, have no place of their own.
    if extent.has(flags::UNKNOWN | flags::DELALLOC | flags::INLINE | flags::TAIL) {
        return;
    }
    let end = extent.physical.saturating_add(extent.length);
    let first = ranges.partition_point(|&(at, len)| at.saturating_add(len) <= extent.physical);
    for &(at, len) in ranges.iter().skip(first).take_while(|&&(at, _)| at < end) {
        let (from, to) = (at.max(extent.physical), at.saturating_add(len).min(end));
        if from < to && facts.files.len() < MOST_PARTS {
            facts.files.push(FilePart {
                at: place.start + from,
                len: to - from,
                path: path_text::encode(path),
                offset: extent.logical + (from - extent.physical),
            });
        }
    }
}

fn nanos(time: Duration) -> Nanos {
    Nanos(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(root: &Path, file: &str, text: &str) {
        let file = root.join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    /// A disk with two partitions of a MiB.
    fn host(mounts: &str) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        let disk = "sys/dev/block/8:16";
        for (name, number, start) in [("sdb1", "8:17", "2048"), ("sdb2", "8:18", "4096")] {
            put(root.path(), &format!("{disk}/{name}/partition"), "1\n");
            put(root.path(), &format!("{disk}/{name}/dev"), &format!("{number}\n"));
            put(root.path(), &format!("{disk}/{name}/start"), &format!("{start}\n"));
            put(root.path(), &format!("{disk}/{name}/size"), "2048\n");
        }
        put(root.path(), &format!("{disk}/sdb2/holders/dm-0/dev"), "253:0\n");
        put(root.path(), &format!("{disk}/queue/rotational"), "1\n");
        put(root.path(), "proc/self/mountinfo", mounts);
        root
    }

    fn doubt(mounts: &str, at: u64) -> Option<String> {
        search(host(mounts).path(), (8, 16), &[(at, 4096)], Duration::from_secs(1)).doubt
    }

    #[test]
    fn what_nobody_tells_is_said_to_be_unknown() {
        const MIB: u64 = 1 << 20;
        assert_eq!(doubt("", MIB).unwrap(), "no file system of sdb1 is mounted");
        assert_eq!(doubt("", 2 * MIB).unwrap(), "dm-0 lies on sdb2");
        assert_eq!(doubt("", 5 * MIB), None, "behind the partitions there are no files");
        let line = |root: &str, kind: &str, more: &str| {
            format!("36 35 8:17 {root} /nowhere rw - {kind} /dev/sdb1 rw{more}\n")
        };
        let told = doubt(&line("/", "btrfs", ""), MIB).unwrap();
        assert_eq!(told, "btrfs of sdb1 does not report where its files lie");
        let told = doubt(&line("/", "xfs", ",rtdev=/dev/sdc"), MIB).unwrap();
        assert_eq!(told, "xfs of sdb1 does not report where its files lie");
        let told = doubt(&line("/etc", "xfs", ""), MIB).unwrap();
        assert_eq!(told, "only a part of the file system of sdb1 is mounted");
        let told = doubt(&line("/", "xfs", ""), MIB).unwrap();
        assert!(told.starts_with("/nowhere: "), "{told}");
    }

    #[test]
    fn extents_and_ranges_meet_where_they_overlap() {
        let place = DevicePart {
            name: "sdb1".into(),
            number: (8, 17),
            start: 1000,
            len: Some(500),
            holders: Vec::new(),
        };
        assert_eq!((place.part((0, 1000)), place.part((0, 1001))), (None, Some((0, 1))));
        assert_eq!((place.part((1499, 9)), place.part((1500, 9))), (Some((499, 1)), None));
        let ranges = [(0, 10), (20, 10), (100, 1)];
        let parts = |logical, physical, length, flags| {
            let mut facts = OwnerFacts::default();
            let mut extent = Extent::new(logical, length, flags);
            extent.physical = physical;
            add(&mut facts, &place, &ranges, Path::new("f"), &extent);
            facts.files.iter().map(|part| (part.at, part.len, part.offset)).collect::<Vec<_>>()
        };
        assert_eq!(parts(7, 5, 20, 0), [(1005, 5, 7), (1020, 5, 22)]);
        assert_eq!(parts(0, 30, 70, 0), []);
        assert_eq!(parts(0, 30, 71, 0), [(1100, 1, 70)]);
        assert_eq!(parts(0, 0, 100, flags::INLINE), []);
    }
}
