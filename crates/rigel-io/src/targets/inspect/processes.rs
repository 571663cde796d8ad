//! Which other programs have a target open. Must not touch what they have open: a server that does not answer would
//! hang the question.

use super::in_use::Who;
use crate::targets::node::number;
use rigel_core::facts::{Identity, TargetKind};
use rigel_core::path_text;
use rigel_core::safety::Evidence;
use rustix::fs::{self, AtFlags, CWD, FileType, OFlags, StatxFlags};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// More than these are only counted.
const MOST_NAMES: usize = 5;

/// Whoever has it open only for a moment (udev after every write to a device, lsblk, a child that is just being
/// started) is gone after these.
const LOOKS_AGAIN: u32 = 3;
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// What the processes without this one had open when they were asked. Those of other users are seen by root only.
#[derive(Debug)]
pub(crate) struct Openers {
    by_identity: HashMap<Identity, Vec<(TargetKind, u32)>>,
}

impl Openers {
    /// Asks all of them, once for all targets of a run.
    pub(crate) fn gather(proc: &Path) -> Self {
        let mut by_identity: HashMap<Identity, Vec<(TargetKind, u32)>> = HashMap::new();
        for pid in pids_of_others(proc) {
            let descriptors = descriptors_of(&proc.join(pid.to_string()));
            for (kind, identity) in descriptors.filter_map(|descriptor| who_is_open(&descriptor)) {
                by_identity.entry(identity).or_default().push((kind, pid));
            }
        }
        Self { by_identity }
    }

    fn of(&self, who: &[Who]) -> Vec<u32> {
        let of_one = |(kind, identity): &Who| {
            let found = self.by_identity.get(identity).map_or(&[][..], Vec::as_slice);
            found.iter().filter(|(found, _)| found == kind).map(|&(_, pid)| pid).collect::<Vec<_>>()
        };
        let mut pids: Vec<u32> = who.iter().flat_map(of_one).collect();
        pids.sort_unstable();
        pids.dedup();
        pids
    }
}

/// The processes that had one of the files or devices open and still have.
pub(crate) fn open_elsewhere(proc: &Path, openers: &Openers, who: &[Who]) -> Option<Evidence> {
    let mut pids = openers.of(who);
    let holds = |pid: &u32| has_open(&proc.join(pid.to_string()), who);
    pids.retain(holds);
    for _ in 0..LOOKS_AGAIN {
        if pids.is_empty() {
            return None;
        }
        std::thread::sleep(BETWEEN_LOOKS);
        pids.retain(holds);
    }
    let more = pids.len().saturating_sub(MOST_NAMES);
    let mut processes: Vec<String> = pids.iter().take(MOST_NAMES).map(|pid| name_of(proc, *pid)).collect();
    if more > 0 {
        processes.push(format!("{more} more"));
    }
    (!processes.is_empty()).then_some(Evidence::OpenElsewhere { processes })
}

fn pids_of_others(proc: &Path) -> Vec<u32> {
    let own = std::process::id();
    let entries = std::fs::read_dir(proc).into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter(|&pid| pid != own).collect()
}

fn descriptors_of(process: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    std::fs::read_dir(process.join("fd")).into_iter().flatten().flatten().map(|entry| entry.path())
}

fn has_open(process: &Path, who: &[Who]) -> bool {
    descriptors_of(process).any(|descriptor| {
        who_is_open(&descriptor).is_some_and(|found| who.contains(&found))
            && !is_only_a_path(process, &descriptor)
    })
}

/// A descriptor with `O_PATH` can do nothing with what is in the file; an inspection holds one.
fn is_only_a_path(process: &Path, descriptor: &Path) -> bool {
    let Some(number) = descriptor.file_name() else { return false };
    let about = std::fs::read_to_string(process.join("fdinfo").join(number)).unwrap_or_default();
    let flags = about.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|octal| u32::from_str_radix(octal.trim(), 8).ok());
    flags.is_some_and(|flags| OFlags::from_bits_retain(flags).contains(OFlags::PATH))
}

/// What a descriptor leads to, from what the kernel already knows.
fn who_is_open(descriptor: &Path) -> Option<Who> {
    let asked = StatxFlags::TYPE | StatxFlags::INO;
    let stat = fs::statx(CWD, descriptor, AtFlags::STATX_DONT_SYNC, asked).ok()?;
    let device = number(fs::makedev(stat.stx_rdev_major, stat.stx_rdev_minor));
    match FileType::from_raw_mode(stat.stx_mode.into()) {
        FileType::RegularFile => {
            let device = (stat.stx_dev_major, stat.stx_dev_minor);
            Some((TargetKind::File, Identity { device, inode: stat.stx_ino }))
        }
        FileType::BlockDevice => Some((TargetKind::BlockDevice, Identity { device, inode: 0 })),
        FileType::CharacterDevice => Some((TargetKind::CharDevice, Identity { device, inode: 0 })),
        _ => None,
    }
}

/// `12 (postgres)`.
fn name_of(proc: &Path, pid: u32) -> String {
    let name = std::fs::read(proc.join(pid.to_string()).join("comm")).unwrap_or_default();
    format!("{pid} ({})", path_text::encode_os(OsStr::from_bytes(name.trim_ascii_end())))
}
