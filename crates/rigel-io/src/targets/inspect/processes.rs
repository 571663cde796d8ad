//! The other programs that have a target open. Must not touch the files that they have open: a server that does not
//! answer would make the search hang. Kernels that cannot tell a file without asking its server (before 4.11) are the exception.

use crate::system::numbered;
use crate::targets::node::{NodeId, block_id, number};
use rigel_core::facts::{Identity, TargetKind};
use rigel_core::guard::safety::Evidence;
use rigel_core::path_text;
use rustix::fs::{self, AtFlags, CWD, FileType, OFlags, StatxFlags};
use rustix::io::Errno;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Processes that are named; further ones are only counted.
const MOST_NAMES: usize = 5;

/// Checks after the first. Programs that open the target only for a moment have closed it by then: udev after a write to a
/// device, lsblk, a child process that is being started.
const MORE_CHECKS: u32 = 3;
const BETWEEN_CHECKS: Duration = Duration::from_millis(50);

/// The files that other processes had open at one moment, each with its processes. Only root sees those of other users.
pub(crate) type Openers = HashMap<NodeId, Vec<u32>>;

/// Searches all processes, once for all targets of a run.
pub(crate) fn gather(proc: &Path) -> Openers {
    let mut found = Openers::new();
    let own = std::process::id();
    for (pid, process) in numbered(proc, "").into_iter().filter(|&(pid, _)| pid != own) {
        let descriptors = descriptors_of(&process).filter_map(|descriptor| id_of_open(&descriptor));
        for id in descriptors.chain(mapped_by(&process)) {
            found.entry(id).or_default().push(pid);
        }
    }
    found
}

/// The processes that had one of the files or devices open, and still have it open some checks later.
pub(crate) fn open_elsewhere(proc: &Path, openers: &Openers, ids: &[NodeId]) -> Option<Evidence> {
    let mut pids: Vec<u32> = ids.iter().filter_map(|id| openers.get(id)).flatten().copied().collect();
    pids.sort_unstable();
    pids.dedup();
    let holds = |pid: &u32| has_open(&proc.join(pid.to_string()), ids);
    pids.retain(holds);
    for _ in 0..MORE_CHECKS {
        if pids.is_empty() {
            return None;
        }
        std::thread::sleep(BETWEEN_CHECKS);
        pids.retain(holds);
    }
    let more = pids.len().saturating_sub(MOST_NAMES);
    let mut processes: Vec<String> = pids.iter().take(MOST_NAMES).map(|pid| name_of(proc, *pid)).collect();
    if more > 0 {
        processes.push(format!("{more} more"));
    }
    (!processes.is_empty()).then_some(Evidence::OpenElsewhere { processes })
}

fn descriptors_of(process: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    std::fs::read_dir(process.join("fd")).into_iter().flatten().flatten().map(|entry| entry.path())
}

fn has_open(process: &Path, ids: &[NodeId]) -> bool {
    descriptors_of(process).any(|descriptor| {
        id_of_open(&descriptor).is_some_and(|found| ids.contains(&found))
            && !is_only_a_path(process, &descriptor)
    }) || mapped_by(process).any(|found| ids.contains(&found))
}

/// The files that a process has mapped, each once. A mapping stays when its descriptor is closed, and can still write.
fn mapped_by(process: &Path) -> impl Iterator<Item = NodeId> + use<> {
    let maps = std::fs::read(process.join("maps")).unwrap_or_default();
    let mut seen = HashMap::new();
    for line in maps.split(|&byte| byte == b'\n') {
        if let Some(mapping) = Mapping::parse(line) {
            seen.entry(mapping.identity).or_insert(mapping);
        }
    }
    let links = process.join("map_files");
    seen.into_values().map(move |mapping| mapping.id(&links))
}

/// A line of `maps`: `7f0c4000-7f0c5000 rw-s 00000000 08:02 135522 /path`.
#[derive(Debug, PartialEq, Eq)]
struct Mapping {
    /// The name of its link in `map_files`.
    name: String,
    /// Not always the identity of `stat`: some filesystems (btrfs) show another device number here.
    identity: Identity,
}

impl Mapping {
    /// `None` for memory without a file.
    fn parse(line: &[u8]) -> Option<Self> {
        let mut fields = line.split(|&byte| byte == b' ').filter(|field| !field.is_empty());
        let mut text = || std::str::from_utf8(fields.next()?).ok();
        let (from, to) = text()?.split_once('-')?;
        let [_permissions, _offset, device] = [text()?, text()?, text()?];
        let (major, minor) = device.split_once(':')?;
        let inode: u64 = text()?.parse().ok()?;
        let hex = |text: &str| u64::from_str_radix(text, 16).ok();
        let device = (u32::try_from(hex(major)?).ok()?, u32::try_from(hex(minor)?).ok()?);
        (inode != 0).then_some(())?;
        Some(Self { name: format!("{:x}-{:x}", hex(from)?, hex(to)?), identity: Identity { device, inode } })
    }

    /// The file, by its link, which only root may follow; otherwise by the numbers of the line.
    fn id(self, links: &Path) -> NodeId {
        id_of_open(&links.join(&self.name)).unwrap_or((TargetKind::File, self.identity))
    }
}

/// Whether a descriptor has `O_PATH`: it cannot read or write the file. An inspection by another Rigel holds one.
fn is_only_a_path(process: &Path, descriptor: &Path) -> bool {
    let Some(number) = descriptor.file_name() else { return false };
    let about = std::fs::read_to_string(process.join("fdinfo").join(number)).unwrap_or_default();
    let flags = about.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|octal| u32::from_str_radix(octal.trim(), 8).ok());
    flags.is_some_and(|flags| OFlags::from_bits_retain(flags).contains(OFlags::PATH))
}

/// The file or device of a descriptor, without asking a file server where the kernel can do so.
fn id_of_open(descriptor: &Path) -> Option<NodeId> {
    let asked = StatxFlags::TYPE | StatxFlags::INO;
    match fs::statx(CWD, descriptor, AtFlags::STATX_DONT_SYNC, asked) {
        Ok(stat) => {
            let inside = Identity { device: (stat.stx_dev_major, stat.stx_dev_minor), inode: stat.stx_ino };
            let device = number(fs::makedev(stat.stx_rdev_major, stat.stx_rdev_minor));
            id_of(FileType::from_raw_mode(stat.stx_mode.into()), inside, device)
        }
        // Linux before 4.11, and seccomp profiles that do not know the call. Who holds a target must be seen all the same.
        Err(Errno::NOSYS | Errno::PERM) => {
            let stat = fs::stat(descriptor).ok()?;
            let inside = Identity { device: number(stat.st_dev), inode: stat.st_ino };
            id_of(FileType::from_raw_mode(stat.st_mode), inside, number(stat.st_rdev))
        }
        Err(_) => None,
    }
}

/// `inside` is the filesystem of the node itself, `device` the one that it represents.
fn id_of(kind: FileType, inside: Identity, device: (u32, u32)) -> Option<NodeId> {
    match kind {
        FileType::RegularFile => Some((TargetKind::File, inside)),
        FileType::BlockDevice => Some(block_id(device)),
        FileType::CharacterDevice => Some((TargetKind::CharDevice, Identity { device, inode: 0 })),
        _ => None,
    }
}

/// `12 (postgres)`.
fn name_of(proc: &Path, pid: u32) -> String {
    let name = std::fs::read(proc.join(pid.to_string()).join("comm")).unwrap_or_default();
    format!("{pid} ({})", path_text::encode_os(OsStr::from_bytes(name.trim_ascii_end())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_mappings() {
        let line = b"0040b000-7f0c5000 rw-s 00000000 08:1a 135522                   /a b (deleted)";
        let identity = Identity { device: (8, 26), inode: 135_522 };
        assert_eq!(Mapping::parse(line), Some(Mapping { name: "40b000-7f0c5000".into(), identity }));
        for other in [&b""[..], b"1-2 rw-p 0 00:00 0", b"1-2 rw-p 0 00:00 0 [heap]", b"x-2 rw-p 0 8:1 5 /a"] {
            assert_eq!(Mapping::parse(other), None, "{other:?}");
        }
    }
}
