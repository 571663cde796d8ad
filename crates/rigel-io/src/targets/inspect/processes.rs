//! Which other programs have a target open. Must not touch what they have open: a server that does not answer would
//! hang the question.

use super::in_use::Who;
use crate::targets::node::number;
use rigel_core::facts::{Identity, TargetKind};
use rigel_core::path_text;
use rigel_core::safety::Evidence;
use rustix::fs::{self, AtFlags, CWD, FileType, OFlags, StatxFlags};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

/// More than these are only counted.
const MOST_NAMES: usize = 5;

/// Whoever has it open only for a moment (udev after every write to a device, lsblk, a child that is just being started) is gone after these.
const LOOKS_AGAIN: u32 = 3;
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// The processes, without this one, that have one of the files or devices open. Those of other users are seen by root
/// only.
pub(crate) fn open_elsewhere(proc: &Path, who: &[Who]) -> Option<Evidence> {
    let mut pids = pids_of_others(proc);
    let holds = |pid: &u32| has_open(&proc.join(pid.to_string()), who);
    pids.retain(holds);
    for _ in 0..LOOKS_AGAIN {
        if pids.is_empty() {
            return None;
        }
        std::thread::sleep(BETWEEN_LOOKS);
        pids.retain(holds);
    }
    pids.sort_unstable();
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

fn has_open(process: &Path, who: &[Who]) -> bool {
    let descriptors = std::fs::read_dir(process.join("fd")).into_iter().flatten().flatten();
    descriptors.map(|entry| entry.path()).any(|descriptor| {
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
