//! Where the copies lie on this host: the arguments of a scrub, with the facts of the disks. Must not read the copies.

use crate::commands::answer::{answering, facts_of};
use rigel_core::error::Problem;
use rigel_core::facts::{TargetFacts, TargetKind};
use rigel_core::path_text::{decode, encode};
use rigel_core::units::say::counted;
use rigel_core::units::{Bytes, Nanos};
use rigel_io::targets::inspect::Snapshot;
use rigel_io::targets::open::Access;
use rigel_io::targets::{OpenTargets, asm, legs_of_array, legs_of_volume};
use rigel_uses::scrub::extents::{self, ExtentEntry, List};
use rigel_uses::scrub::{BLOCK_BYTES, DiskIdentity, FileNumber, Map, Place, Source, Strip, letter};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

/// The largest list of extents that is read; that of a petabyte is smaller.
const MOST_LIST_BYTES: u64 = 4 << 30;

/// Filesystems that keep the number of a file with it. FAT, FUSE and overlays may assign another one at every mount.
const KEEP_NUMBERS: [&str; 12] =
    ["ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "jfs", "zfs", "nfs", "nfs4", "gfs2", "ocfs2"];
/// Prefixes of a WWID in sysfs (SCSI and NVMe).
const WWIDS: [&str; 5] = ["naa.", "eui.", "t10.", "uuid.", "nvme."];

/// The copies, found.
pub struct Copies {
    pub map: Map,
    disks: Vec<TargetFacts>,
    /// Unit of reads in bytes; 1 through the page cache.
    pub unit: u64,
    /// Where the copies begin in files with the same layout, and the segment number in the name of the first.
    pub in_file: Option<(u64, u32)>,
    /// What the user should know beforehand.
    pub notes: Vec<String>,
}

impl Copies {
    /// Finds them; relative paths begin in `base`, or in the current directory when that is empty.
    pub fn find(source: &Source, base: &Path, limit: Nanos) -> Result<Self, Problem> {
        let root = Path::new("/");
        let mut copies = match source {
            Source::One { path, offset, length } => {
                Self::one(&base.join(decode(path)), *offset, *length, limit)?
            }
            Source::Pair { paths, offsets, length } => {
                let paths = paths.each_ref().map(|path| base.join(decode(path)));
                Self::pair(&paths, *offsets, *length, limit)?
            }
            Source::Md(device) => {
                let legs = legs_of_array(root, &base.join(decode(device)))?;
                Self::of(inspect_all(&legs.disks, limit)?, Map::new(legs.strips))
            }
            Source::Lvm(volume) => {
                let legs = legs_of_volume(root, volume)?;
                Self::of(inspect_all(&legs.disks, limit)?, Map::new(legs.strips))
            }
            Source::Extents { file, unit_bytes } => Self::listed(&decode(file), base, *unit_bytes, limit)?,
        };
        if copies.map.total() == 0 {
            return Err(Problem::refused("there is nothing to read: it has no bytes")
                .because("the array or volume is not active, or its size is not known")
                .next("activate it, and check its state with `mdadm --detail` or `lvs`"));
        }
        copies.within()?;
        copies.choose_unit();
        let (names, them) = (copies.names().join(", "), if copies.lone().is_some() { "it" } else { "them" });
        copies.notes.push(format!("reads {names}; nothing is written to {them}"));
        Ok(copies)
    }

    const fn of(disks: Vec<TargetFacts>, map: Map) -> Self {
        Self { map, disks, unit: 1, in_file: None, notes: Vec::new() }
    }

    /// Printable names of the disks.
    pub fn names(&self) -> Vec<String> {
        self.disks.iter().map(|disk| disk.path.clone()).collect()
    }

    /// The identity of each disk, as far as it reports one.
    pub fn who(&self, limit: Nanos) -> Vec<DiskIdentity> {
        let one = |disk: &TargetFacts| match disk.kind {
            TargetKind::BlockDevice => DiskIdentity {
                identifier: disk.device.as_ref().and_then(|device| device.identifier.clone()),
                file: None,
            },
            TargetKind::File => DiskIdentity { identifier: None, file: file_number(disk, limit) },
            _ => DiskIdentity::default(),
        };
        self.disks.iter().map(one).collect()
    }

    /// Opens the disks for reading only.
    pub fn open(&self) -> Result<Arc<OpenTargets>, Problem> {
        OpenTargets::open(&self.disks, Access::ReadOnly, self.unit > 1).map(Arc::new)
    }

    fn one(path: &Path, offset: u64, length: Option<u64>, limit: Nanos) -> Result<Self, Problem> {
        check_holds_bytes(path, limit)?;
        let disk = facts_of(path, limit, &Snapshot::take())?;
        let Some(left) = disk.size_bytes.checked_sub(offset).filter(|&left| left > 0) else {
            return Err(beyond_end(&disk, 'a'));
        };
        if let Some(length) = length.filter(|&length| length > left) {
            return Err(Problem::usage(format!("{length} bytes is more than there are"))
                .at("--length")
                .next(format!("give at most {left}, or leave it out")));
        }
        let strip = Strip { len: length.unwrap_or(left), copies: vec![Place { disk: 0, offset }], of: None };
        Ok(Self::of(vec![disk], Map::new(vec![strip])))
    }

    /// The one file or device that is read alone.
    pub fn lone(&self) -> Option<&TargetFacts> {
        match self.disks.as_slice() {
            [disk] => Some(disk),
            _ => None,
        }
    }

    /// Where the first copy begins on its disk.
    pub fn first(&self) -> u64 {
        self.map.strips().first().and_then(|strip| strip.copies.first()).map_or(0, |place| place.offset)
    }

    fn pair(
        paths: &[PathBuf; 2],
        offsets: [u64; 2],
        length: Option<u64>,
        limit: Nanos,
    ) -> Result<Self, Problem> {
        paths.iter().try_for_each(|path| check_holds_bytes(path, limit))?;
        let disks = inspect_all(paths, limit)?;
        let left = |copy: usize| disks[copy].size_bytes.checked_sub(offsets[copy]).filter(|&left| left > 0);
        let (Some(a), Some(b)) = (left(0), left(1)) else {
            let copy = usize::from(left(0).is_some());
            return Err(beyond_end(&disks[copy], letter(copy).to_ascii_lowercase()));
        };
        if let Some(length) = length.filter(|&length| length > a.min(b)) {
            return Err(Problem::usage(format!("{length} bytes is more than both copies have"))
                .at("--length")
                .next(format!("give at most {}, or leave it out", a.min(b))));
        }
        let len = length.unwrap_or(a.min(b));
        if disks[0].is_same_as(&disks[1]) && offsets[0].abs_diff(offsets[1]) < len {
            return Err(Problem::usage("A and B are the same bytes of one file or device")
                .at(disks[1].path.as_str())
                .next(
                    "name two copies, or parts that do not overlap with --offset-a, --offset-b and --length",
                ));
        }
        let place = |disk: u16| Place { disk, offset: offsets[usize::from(disk)] };
        let map = Map::new(vec![Strip { len, copies: vec![place(0), place(1)], of: None }]);
        let files = disks.iter().all(|disk| disk.kind == TargetKind::File);
        let in_file = (files && offsets[0] == offsets[1]).then(|| (offsets[0], segment(&paths[0])));
        let mut notes = Vec::new();
        if !disks[0].is_same_as(&disks[1]) && is_one_disk(&disks[0], &disks[1]) {
            notes.push(
                "A and B have the same WWID: if they are two paths to one disk, it is compared with itself"
                    .to_owned(),
            );
        }
        if a != b && length.is_none() {
            let rest = if a > b { 'A' } else { 'B' };
            notes.push(format!(
                "the sizes differ: from there A has {a} bytes, B has {b}; the last {} of {rest} are not compared",
                Bytes(a.abs_diff(b))
            ));
        }
        Ok(Self { in_file, notes, ..Self::of(disks, map) })
    }

    fn listed(file: &Path, base: &Path, unit_bytes: u64, limit: Nanos) -> Result<Self, Problem> {
        let shown = encode(file);
        let in_list = |problem: Problem| {
            let line = problem.place.clone().unwrap_or_default();
            problem.at(format!("{shown}, {line}"))
        };
        let list = extents::read(&read_list(&base.join(file))?).map_err(in_list)?;
        let (disks, known, notes) = disks_of(&list, base, limit).map_err(in_list)?;
        let listed = list.listed(unit_bytes, &known).map_err(in_list)?;
        let mut copies = Self { notes, ..Self::of(disks, listed.map) };
        if listed.single > 0 {
            copies
                .notes
                .push(format!("{} with only one copy are left out", counted(listed.single, "extent")));
        }
        if copies.map.total() == 0 {
            return Err(Problem::usage("no extent in the list has two copies").at(shown).next(
                "use a disk group with normal or high redundancy, and keep the rows of all copies in the list",
            ));
        }
        Ok(copies)
    }

    /// Refuses places beyond the end of a disk.
    fn within(&self) -> Result<(), Problem> {
        for strip in self.map.strips() {
            for place in &strip.copies {
                let disk = &self.disks[usize::from(place.disk)];
                if place.offset.saturating_add(strip.len) > disk.size_bytes {
                    return Err(Problem::refused("a copy would lie beyond the end of its disk")
                        .at(disk.path.as_str())
                        .because(format!("{} bytes from {}, of {}", strip.len, place.offset, disk.size_bytes))
                        .next("check whether the array or volume still has the same disks"));
                }
            }
        }
        Ok(())
    }

    /// Direct reads if every disk supports them and every copy begins on its unit, otherwise through the page cache.
    fn choose_unit(&mut self) {
        let unit =
            self.disks.iter().map(|disk| u64::from(disk.logical_block_bytes)).max().unwrap_or(1).max(512);
        let refused = self.disks.iter().find(|disk| disk.direct_io != Some(true));
        let aligned = |place: &Place| place.offset.is_multiple_of(unit);
        let all_aligned = self.map.strips().iter().all(|strip| strip.copies.iter().all(aligned));
        self.unit =
            if refused.is_none() && all_aligned && BLOCK_BYTES.is_multiple_of(unit) { unit } else { 1 };
        if self.unit == 1 {
            let why = refused.map_or_else(
                || format!("a copy does not start at a multiple of {unit} bytes"),
                |disk| format!("{} does not support direct I/O", disk.path),
            );
            let times = if self.map.most_copies() == 1 { "; slow reads cannot be detected" } else { "" };
            self.notes.push(format!("reads through the page cache: {why}{times}"));
        }
    }
}

fn beyond_end(disk: &TargetFacts, option: char) -> Problem {
    Problem::usage("the copy would start beyond the end")
        .at(disk.path.as_str())
        .because(format!("it has {} bytes", disk.size_bytes))
        .next(format!("give a smaller --offset-{option}"))
}

fn read_list(file: &Path) -> Result<String, Problem> {
    let unread = |why: String| {
        Problem::usage(format!("the list of extents cannot be read: {why}"))
            .at(encode(file))
            .next("give the file made by the query in docs/guide/scrub.md")
    };
    let found = fs::metadata(file).map_err(|error| unread(error.to_string()))?;
    if !found.is_file() || found.len() > MOST_LIST_BYTES {
        return Err(unread("it is not a regular file, or is too large for a list".to_owned()));
    }
    fs::read_to_string(file).map_err(|error| unread(error.to_string()))
}

/// Every disk of a list once, which of them each name means, and a note for each name of a disk that has another one.
type Disks = (Vec<TargetFacts>, Vec<ExtentEntry>, Vec<String>);

fn disks_of(list: &List, base: &Path, limit: Nanos) -> Result<Disks, Problem> {
    let snapshot = Snapshot::take();
    let mut disks: Vec<TargetFacts> = Vec::new();
    let (mut known, mut notes) = (Vec::new(), Vec::new());
    for (name, line) in list.disks() {
        let looked = facts_of(&base.join(name), limit, &snapshot);
        let facts = looked.map_err(|problem| unknown(name, problem).at(format!("line {line}")))?;
        let size_bytes = facts.size_bytes;
        let same = disks.iter().position(|disk| is_one_disk(disk, &facts));
        if let Some(disk) = same.and_then(|same| disks.get(same)) {
            notes.push(format!("{} and {} are the same disk", disk.path, facts.path));
        }
        let number = same.unwrap_or_else(|| {
            disks.push(facts);
            disks.len() - 1
        });
        // The list has no more names than that.
        known.push(ExtentEntry { disk: u16::try_from(number).unwrap_or(u16::MAX), size_bytes });
    }
    Ok((disks, known, notes))
}

/// A disk of a list that does not exist. ASMLib has names of its own that are not paths.
fn unknown(name: &str, problem: Problem) -> Problem {
    let shown = encode(Path::new(name));
    let next = asm::step(&shown).unwrap_or_else(|| "give the paths of the disks on this host".to_owned());
    Problem::usage(format!("the disk {shown} is unknown here"))
        .because(problem.cause.unwrap_or(problem.what))
        .next(next)
}

/// Whether both are one disk, by two names or by two paths to it.
fn is_one_disk(a: &TargetFacts, b: &TargetFacts) -> bool {
    let start = |disk: &TargetFacts| disk.device.as_ref().and_then(|device| device.start_bytes);
    let is_one_part = || a.size_bytes == b.size_bytes && start(a) == start(b);
    a.is_same_as(b) || wwid(a).is_some_and(|name| wwid(b) == Some(name)) && is_one_part()
}

/// The name that a disk has on every path; for a multipath device that of its legs. A serial number is not one: two vendors may assign the same.
fn wwid(disk: &TargetFacts) -> Option<&str> {
    let device = disk.device.as_ref().filter(|_| disk.kind == TargetKind::BlockDevice)?;
    let name = device.identifier.as_deref()?;
    let name = match name.starts_with("mpath-") {
        true => disk.below.iter().find_map(|leg| leg.identifier.as_deref())?,
        false => name,
    };
    WWIDS.iter().any(|start| name.starts_with(start)).then_some(name)
}

/// The identity of a file, if its number never changes.
fn file_number(disk: &TargetFacts, limit: Nanos) -> Option<FileNumber> {
    disk.filesystem.as_deref().filter(|name| KEEP_NUMBERS.contains(name))?;
    let path = decode(&disk.real_path);
    let made = answering(&path, limit, || fs::metadata(&path).and_then(|file| file.created()));
    // Older kernels and NFS do not tell.
    let born = made.ok().and_then(|made| made.duration_since(UNIX_EPOCH).ok());
    let born_ns = born.and_then(|born| u64::try_from(born.as_nanos()).ok());
    Some(FileNumber { inode: disk.identity.inode, born_ns })
}

/// If the question is whether something can be read, it does not help to fill it or to measure something else, as other commands suggest here.
fn check_holds_bytes(path: &Path, limit: Nanos) -> Result<(), Problem> {
    let Ok(found) = answering(path, limit, || fs::metadata(path)) else { return Ok(()) };
    let refused = |is: &str, next: &str| Err(Problem::refused(is).at(encode(path)).next(next));
    match (found.is_dir(), found.is_file() && found.len() == 0) {
        (true, _) => refused("the target is a directory", "name a file in it, or the device below it"),
        (_, true) => {
            refused("the file is empty: there is nothing to read", "name a file that holds data, or a device")
        }
        _ => Ok(()),
    }
}

fn inspect_all(paths: &[PathBuf], limit: Nanos) -> Result<Vec<TargetFacts>, Problem> {
    let snapshot = Snapshot::take();
    paths.iter().map(|path| facts_of(path, limit, &snapshot)).collect()
}

/// The segment number of a file of PostgreSQL: the one after the point in `16384.2`, otherwise 0.
fn segment(path: &Path) -> u32 {
    path.extension().and_then(|number| number.to_str()?.parse().ok()).unwrap_or(0)
}
