//! A control group of our own for a program that we start: a limit on its memory, page cache included, and what it moves.
//!
//! Version 1 has a hierarchy for each controller, version 2 one for all. Groups are made below that of this process, so the limits of the parent
//! still apply, or beside it if version 2 allows nothing else. Must not move any process except the program.

mod possible;

use crate::host::groups;
use crate::mounts::mounts;
use crate::system::System;
use rigel_core::measure::DeviceReads;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// The prefix of the names of Rigel's groups.
const PREFIX: &str = "rigel-";
/// A lower limit makes the kernel give memory back, which it may refuse while data is being written.
const TRIES: usize = 50;
const BETWEEN_TRIES: Duration = Duration::from_millis(100);

/// A group for one program; removed by [`remove`] once the program has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// With the file that limits the memory.
    memory: Option<(PathBuf, &'static str)>,
    io: Option<(PathBuf, Version)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    One,
    Two,
}

/// What a group has moved on a device since it was created.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupTransfer {
    /// Its reads.
    pub reads: DeviceReads,
    /// Bytes written.
    pub written_bytes: u64,
}

impl Group {
    /// Makes a group; parts that this host does not support are missing. `note` records each directory before it is created.
    pub fn make(name: &str, note: &mut dyn FnMut(&Path) -> io::Result<()>) -> Self {
        Self::make_in(&System::default(), name, note)
    }

    fn make_in(system: &System, name: &str, note: &mut dyn FnMut(&Path) -> io::Result<()>) -> Self {
        let table = fs::read_to_string(system.proc.join("self/cgroup")).unwrap_or_default();
        let mounts = mounts(&system.proc);
        let of = |controller: &str| groups(system, &mounts, &table, controller);
        let name = format!("{PREFIX}{name}");
        let mut first = |dirs: Vec<PathBuf>, file: &str| {
            dirs.iter().map(|dir| dir.join(&name)).find_map(|dir| {
                note(&dir).ok()?;
                create_with(&dir, file)
            })
        };
        let memory = of("memory").into_iter().take(1).collect();
        let io = of("blkio").into_iter().take(1).collect();
        let old = Self {
            memory: first(memory, OLD_LIMIT).map(|dir| (dir, OLD_LIMIT)),
            io: first(io, OLD_COUNTS).map(|dir| (dir, Version::One)),
        };
        if old.memory.is_some() || old.io.is_some() {
            return old;
        }
        // A group with processes, such as our own, hands no controller on to groups below it; one further up does.
        let Some(dir) = first(of(""), LIMIT) else { return old };
        let io = dir.join(COUNTS).exists().then(|| (dir.clone(), Version::Two));
        Self { memory: Some((dir, LIMIT)), io }
    }

    /// Whether the memory can be limited.
    pub const fn limits_memory(&self) -> bool {
        self.memory.is_some()
    }

    /// Puts a process with all of its threads into the group; what it starts from then on is in it, too.
    ///
    /// # Errors
    /// The kernel's error.
    pub fn enter(&self, process: u32) -> io::Result<()> {
        let dirs = self.dirs();
        dirs.iter().try_for_each(|dir| fs::write(dir.join("cgroup.procs"), process.to_string()))
    }

    /// The lists of its processes, open for a program that is started in it.
    ///
    /// # Errors
    /// What the kernel says.
    pub fn lists(&self) -> io::Result<Vec<File>> {
        let dirs = self.dirs();
        dirs.iter().map(|dir| OpenOptions::new().write(true).open(dir.join("cgroup.procs"))).collect()
    }

    /// Limits the memory of the program, including its page cache.
    ///
    /// # Errors
    /// The kernel's error, also if it could not reclaim that much memory.
    pub fn limit_memory(&self, bytes: u64) -> io::Result<()> {
        let Some((dir, file)) = &self.memory else { return Err(io::ErrorKind::Unsupported.into()) };
        let mut last = Ok(());
        for _ in 0..TRIES {
            last = fs::write(dir.join(file), bytes.to_string());
            if last.is_ok() {
                return last;
            }
            thread::sleep(BETWEEN_TRIES);
        }
        last
    }

    /// Enables counting of the I/O on these devices. Since version 6.10 of the kernel nothing is counted in version 1 without a limit,
    /// so an unreachable one is set.
    pub fn count(&self, devices: &[(u32, u32)]) {
        let Some((dir, Version::One)) = &self.io else { return };
        for (major, minor) in devices {
            // Where it cannot be, nobody counts.
            let _ = fs::write(dir.join(OLD_RATE), format!("{major}:{minor} {HIGHEST_RATE}"));
        }
    }

    /// What the program has moved on these devices since the group was created; `None` if nothing counted.
    pub fn moved(&self, devices: &[(u32, u32)]) -> Option<GroupTransfer> {
        let (dir, version) = self.io.as_ref()?;
        let read = |file: &str| fs::read_to_string(dir.join(file)).ok();
        match version {
            Version::One => {
                let (counts, bytes) = (read(OLD_COUNTS)?, read(OLD_BYTES)?);
                counts_all(&counts, devices).then(|| old_counts(&counts, &bytes, devices))
            }
            Version::Two => Some(counts(&read(COUNTS)?, devices)).filter(|_| !devices.is_empty()),
        }
    }

    /// Its directories, each once.
    pub fn dirs(&self) -> Vec<PathBuf> {
        let memory = self.memory.iter().map(|part| part.0.clone());
        let mut dirs: Vec<PathBuf> = memory.chain(self.io.iter().map(|part| part.0.clone())).collect();
        dirs.dedup();
        dirs
    }
}

/// Reads per second that no device makes.
const HIGHEST_RATE: u32 = 4_000_000_000;
const OLD_RATE: &str = "blkio.throttle.read_iops_device";
const OLD_LIMIT: &str = "memory.limit_in_bytes";
const OLD_COUNTS: &str = "blkio.throttle.io_serviced";
const OLD_BYTES: &str = "blkio.throttle.io_service_bytes";
const LIMIT: &str = "memory.max";
const COUNTS: &str = "io.stat";

/// A new group that has this file, or none.
fn create_with(dir: &Path, file: &str) -> Option<PathBuf> {
    // One that a killed run of the same number left; one with processes stays.
    let _ = fs::remove_dir(dir);
    fs::create_dir(dir).ok()?;
    if dir.join(file).exists() {
        return Some(dir.to_owned());
    }
    let _ = fs::remove_dir(dir);
    None
}

/// Removes the directory of a group whose processes have ended. It touches only names like ours, within a hierarchy
/// of control groups; an error is not a failure, because an empty group does nothing.
pub fn remove(dir: &Path) {
    let ours = dir.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(PREFIX));
    let in_hierarchy =
        dir.starts_with("/sys/fs/cgroup") && !dir.components().any(|part| part.as_os_str() == "..");
    if !ours || !in_hierarchy {
        return;
    }
    // A group is busy until the kernel has reaped its last process.
    for _ in 0..TRIES {
        match fs::remove_dir(dir) {
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy => thread::sleep(BETWEEN_TRIES),
            _ => return,
        }
    }
}

/// Whether there is a line for each of the devices.
fn counts_all(text: &str, devices: &[(u32, u32)]) -> bool {
    let has_line = |(major, minor): &(u32, u32)| {
        let begin = format!("{major}:{minor} ");
        text.lines().any(|line| line.starts_with(&begin))
    };
    !devices.is_empty() && devices.iter().all(has_line)
}

/// Lines such as `8:0 Read 123`.
fn old_counts(counts: &str, bytes: &str, devices: &[(u32, u32)]) -> GroupTransfer {
    let of = |text: &str, what: &str| -> u64 {
        let number = |(major, minor): &(u32, u32)| {
            let begin = format!("{major}:{minor} {what} ");
            text.lines().find_map(|line| line.strip_prefix(begin.as_str())?.trim().parse::<u64>().ok())
        };
        devices.iter().filter_map(number).fold(0, u64::saturating_add)
    };
    let reads = DeviceReads { reads: of(counts, "Read"), bytes: of(bytes, "Read"), of_server: true };
    GroupTransfer { reads, written_bytes: of(bytes, "Write") }
}

/// Lines such as `8:0 rbytes=8192 wbytes=0 rios=1 wios=0 dbytes=0 dios=0`.
fn counts(text: &str, devices: &[(u32, u32)]) -> GroupTransfer {
    let of = |key: &str| -> u64 {
        let number = |(major, minor): &(u32, u32)| {
            let begin = format!("{major}:{minor} ");
            let rest = text.lines().find_map(|line| line.strip_prefix(begin.as_str()))?;
            rest.split_whitespace()
                .find_map(|word| word.strip_prefix(key)?.strip_prefix('=')?.parse::<u64>().ok())
        };
        devices.iter().filter_map(number).fold(0, u64::saturating_add)
    };
    let reads = DeviceReads { reads: of("rios"), bytes: of("rbytes"), of_server: true };
    GroupTransfer { reads, written_bytes: of("wbytes") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::fixture::Fixture;

    #[test]
    fn both_versions_count_the_same() {
        let devices = [(8, 0), (8, 16)];
        let old = old_counts(
            "8:0 Read 10\n8:0 Write 3\n8:16 Read 5\n8:1 Read 99\nTotal 117\n",
            "8:0 Read 81920\n8:0 Write 4096\n8:16 Read 40960\nTotal 126976\n",
            &devices,
        );
        let new = counts(
            "8:0 rbytes=81920 wbytes=4096 rios=10 wios=3 dbytes=0 dios=0\n8:16 rbytes=40960 wbytes=0 rios=5 wios=0\n8:1 rios=9\n",
            &devices,
        );
        assert_eq!(old, new);
        let reads = DeviceReads { reads: 15, bytes: 122_880, of_server: true };
        assert_eq!(old, GroupTransfer { reads, written_bytes: 4096 });
        assert!(counts_all("8:0 Read 1\n8:16 Read 0\n", &devices));
        assert!(!counts_all("8:0 Read 1\nTotal 0\n", &devices) && !counts_all("8:0 Read 1\n", &[]));
        assert_eq!(counts("", &devices).reads, DeviceReads { of_server: true, ..DeviceReads::default() });
    }

    #[test]
    fn a_group_that_limits_nothing_is_not_kept() {
        let fixture = Fixture::of(&[
            ("proc/self/cgroup", "7:blkio:/a\n4:memory:/a\n"),
            (
                "proc/self/mountinfo",
                "30 20 0:26 / /sys/fs/cgroup/blkio rw - cgroup cgroup rw,blkio\n\
                 31 20 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n",
            ),
            ("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "1\n"),
        ]);
        let system = fixture.system();
        let mut noted = Vec::new();
        let group = Group::make_in(&system, "test", &mut |dir| {
            assert!(!dir.exists(), "it is noted before it is there");
            noted.push(dir.to_owned());
            Ok(())
        });
        assert!(noted.contains(&system.sys.join("fs/cgroup/memory/a/rigel-test")), "{noted:?}");
        assert_eq!((group.limits_memory(), group.dirs().len(), group.moved(&[(8, 0)])), (false, 0, None));
        assert!(group.limit_memory(1).is_err());
        assert!(
            !system.sys.join("fs/cgroup/memory/a/rigel-test").exists(),
            "the kernel makes no files in it"
        );
    }

    #[test]
    fn what_is_not_ours_is_not_removed() {
        let dir = tempfile::tempdir().unwrap();
        let like_ours = dir.path().join("rigel-x");
        fs::create_dir(&like_ours).unwrap();
        remove(&like_ours);
        assert!(like_ours.exists(), "it is no control group");
    }
}
