//! The limits that the control groups of this process set, in both versions of the hierarchy. Must not judge.
//!
//! A limit of a group also holds for the groups in it. So limits are read from the process's own group up to the root.

use crate::mounts::{Mount, mounts};
use crate::system::{System, text, value};
use rigel_core::facts::{CgroupFacts, USUAL_SHARES, USUAL_WEIGHT};
use rigel_core::path_text;
use std::path::{Path, PathBuf};

/// Version 1 writes its "unlimited" as the largest number of whole pages.
const UNLIMITED: u64 = 1 << 60;

pub(super) fn of_process(system: &System) -> CgroupFacts {
    let table = std::fs::read_to_string(system.proc.join("self/cgroup")).unwrap_or_default();
    let mounts = mounts(&system.proc);
    let groups = |controller: &str| groups(system, &mounts, &table, controller);
    let unified = groups("");
    // The number in a file; `None` for `max`.
    let number = |dir: &PathBuf, file: &str| value::<u64>(&dir.join(file));
    let quota = |dir| millis(number(dir, "cpu.cfs_quota_us")?, number(dir, "cpu.cfs_period_us")?);
    let least = |file: &str| unified.iter().filter_map(|dir| number(dir, file)).min();
    let old = |controller: &str, file: &str| {
        groups(controller).iter().filter_map(|dir| number(dir, file)).min().filter(|&n| n < UNLIMITED)
    };
    let path =
        table.lines().filter_map(|line| parse(line)).map(|(_, path)| path).max_by_key(|path| path.len());
    CgroupFacts {
        path: path.map(|path| path_text::encode(Path::new(path))),
        io_max: io_max(system, &mounts, &table),
        cpu_max_millis: unified
            .iter()
            .filter_map(|dir| cpu_max(&text(&dir.join("cpu.max"))?))
            .chain(groups("cpu").iter().filter_map(quota))
            .min(),
        memory_max_bytes: least("memory.max").or_else(|| old("memory", "memory.limit_in_bytes")),
        memory_room_bytes: unified
            .iter()
            .filter_map(|dir| memory_room(dir, ["memory.max", "memory.current"], ""))
            .chain(groups("memory").iter().filter_map(|dir| {
                memory_room(dir, ["memory.limit_in_bytes", "memory.usage_in_bytes"], "total_")
            }))
            .min(),
        processes_max: least("pids.max").or_else(|| old("pids", "pids.max")),
        io_weight: unified.first().into_iter().chain(groups("blkio").first()).find_map(|dir| weight(dir)),
        cpu_weight: cpu_weight(&unified, "cpu.weight", USUAL_WEIGHT),
        cpu_shares: cpu_weight(&groups("cpu"), "cpu.shares", USUAL_SHARES),
    }
}

/// The I/O limits alone, read repeatedly: the mounts of the hierarchies are looked up once.
#[derive(Debug)]
pub(crate) struct IoLimits {
    system: System,
    mounts: Vec<Mount>,
}

impl IoLimits {
    pub(crate) fn of(system: System) -> Self {
        let mounts = mounts(&system.proc).into_iter().filter(|mount| mount.filesystem.starts_with("cgroup"));
        Self { mounts: mounts.collect(), system }
    }

    /// The current limits; the process may have been moved to another group.
    pub(crate) fn read(&self) -> Vec<String> {
        let table = std::fs::read_to_string(self.system.proc.join("self/cgroup")).unwrap_or_default();
        io_max(&self.system, &self.mounts, &table)
    }
}

fn io_max(system: &System, mounts: &[Mount], table: &str) -> Vec<String> {
    let unified = groups(system, mounts, table, "");
    let throttled = groups(system, mounts, table, "blkio");
    let limits = unified.iter().flat_map(|dir| lines(&dir.join("io.max")));
    limits.chain(throttled.iter().flat_map(|dir| throttles(dir))).collect()
}

/// Controllers and path of a line such as `7:blkio,cpu:/user.slice`. Version 2 names no controllers.
fn parse(line: &str) -> Option<(&str, &str)> {
    let mut parts = line.splitn(3, ':').skip(1);
    Some((parts.next()?, parts.next()?))
}

/// The directories of a controller's groups: the process's own, then each one above.
pub(crate) fn groups(system: &System, mounts: &[Mount], table: &str, controller: &str) -> Vec<PathBuf> {
    let is = |list: &str| list.split(',').any(|name| name == controller);
    let path = table.lines().filter_map(parse).find(|(list, _)| is(list)).map(|(_, path)| path);
    let wanted = |mount: &&Mount| match controller {
        "" => mount.filesystem == "cgroup2",
        _ => mount.filesystem == "cgroup" && mount.options.iter().any(|option| option == controller),
    };
    let (Some(path), Some(mount)) = (path, mounts.iter().find(wanted)) else { return Vec::new() };
    // A container sees its own group as the root of the hierarchy, or has it mounted as one.
    let below = Path::new(path).strip_prefix(&mount.root).or_else(|_| Path::new(path).strip_prefix("/"));
    let Some(top) = system.of_sys(&mount.mount_point) else { return Vec::new() };
    let own = top.join(below.unwrap_or(Path::new("")));
    own.ancestors().take_while(|dir| dir.starts_with(&top)).map(Path::to_path_buf).collect()
}

fn lines(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.lines().map(|line| path_text::printable(line.trim()).into_owned()).collect()
}

/// The throttles of version 1, in the syntax of version 2.
fn throttles(dir: &Path) -> Vec<String> {
    let kinds =
        [("read_bps", "rbps"), ("write_bps", "wbps"), ("read_iops", "riops"), ("write_iops", "wiops")];
    let of = |(file, word): (&str, &str)| {
        let lines = lines(&dir.join(format!("blkio.throttle.{file}_device")));
        let worded = lines.iter().filter_map(|line| line.split_once(' '));
        worded.map(|(device, value)| format!("{device} {word}={value}")).collect::<Vec<_>>()
    };
    kinds.into_iter().flat_map(of).collect()
}

/// The weight of a group: of all schedulers, of BFQ, or of version 1; `None` for the usual one.
fn weight(dir: &Path) -> Option<u64> {
    let of = |file: &str| {
        let lines = std::fs::read_to_string(dir.join(file)).ok()?;
        lines.lines().next()?.trim_start_matches("default ").trim().parse::<u64>().ok()
    };
    let files = ["io.weight", "io.bfq.weight", "blkio.bfq.weight"];
    files.into_iter().filter_map(of).find(|weight| *weight != USUAL_WEIGHT)
}

/// The lowest CPU weight of the groups from its own upwards, as a low weight applies to everything in a group; without one below the
/// usual weight that of its own group. `None` for the usual one.
fn cpu_weight(dirs: &[PathBuf], file: &str, usual: u64) -> Option<u64> {
    let of = |dir: &PathBuf| value::<u64>(&dir.join(file));
    let least = dirs.iter().filter_map(of).min().filter(|weight| *weight < usual);
    least.or_else(|| dirs.first().and_then(of)).filter(|weight| *weight != usual)
}

/// `50000 100000` is half a CPU; `max 100000` is unlimited.
fn cpu_max(line: &str) -> Option<u64> {
    let (quota, period) = line.split_once(' ')?;
    millis(quota.parse().ok()?, period.parse().ok()?)
}

/// What the limit of a group leaves besides its use. Pages of files are reclaimed if others need the memory. `prefix`: version 1
/// counts the groups below separately.
fn memory_room(dir: &Path, [limit, usage]: [&str; 2], prefix: &str) -> Option<u64> {
    let limit = value::<u64>(&dir.join(limit)).filter(|&limit| limit < UNLIMITED)?;
    let usage: u64 = value(&dir.join(usage)).unwrap_or(0);
    let stat = std::fs::read_to_string(dir.join("memory.stat")).unwrap_or_default();
    let of_files = |name: &str| {
        let own = |line: &str| {
            line.strip_prefix(prefix)?.strip_prefix(name)?.strip_prefix(' ')?.trim().parse().ok()
        };
        stat.lines().find_map(own).unwrap_or(0_u64)
    };
    let free = of_files("active_file").saturating_add(of_files("inactive_file"));
    Some(limit.saturating_sub(usage.saturating_sub(free)))
}

fn millis(quota_us: u64, period_us: u64) -> Option<u64> {
    quota_us.checked_mul(1000)?.checked_div(period_us)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::fixture::Fixture;

    #[test]
    fn limits_of_every_group_above() {
        let fixture = Fixture::of(&[
            ("proc/self/cgroup", "0::/db.slice/pg.service\n"),
            ("proc/self/mountinfo", "30 20 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"),
            ("sys/fs/cgroup/db.slice/pg.service/io.max", "8:0 rbps=max wbps=max riops=500 wiops=max\n"),
            ("sys/fs/cgroup/db.slice/pg.service/memory.max", "max\n"),
            ("sys/fs/cgroup/db.slice/pg.service/io.weight", "default 20\n8:0 500\n"),
            ("sys/fs/cgroup/db.slice/io.weight", "default 300\n"),
            ("sys/fs/cgroup/db.slice/memory.max", "1073741824\n"),
            ("sys/fs/cgroup/db.slice/memory.current", "805306368\n"),
            (
                "sys/fs/cgroup/db.slice/memory.stat",
                "anon 1\nfile 536870912\nshmem 0\ninactive_file 402653184\nactive_file 134217728\n",
            ),
            ("sys/fs/cgroup/db.slice/cpu.max", "150000 100000\n"),
            ("sys/fs/cgroup/db.slice/pg.service/cpu.max", "max 100000\n"),
            ("sys/fs/cgroup/db.slice/io.max", "8:16 rbps=1048576 wbps=max riops=max wiops=max\n"),
        ]);
        let system = fixture.system();
        let found = of_process(&system);
        assert_eq!(found.path.as_deref(), Some("/db.slice/pg.service"));
        assert_eq!(found.io_max.len(), 2);
        assert!(found.io_max[0].contains("riops=500") && found.io_max[1].starts_with("8:16"));
        assert_eq!((found.cpu_max_millis, found.memory_max_bytes), (Some(1500), Some(1 << 30)));
        assert_eq!(
            (found.processes_max, found.io_weight),
            (None, Some(20)),
            "neighbours are those of its own group"
        );
        // 768 MiB of 1 GiB are in use, 512 MiB of them by files.
        assert_eq!(found.memory_room_bytes, Some(768 << 20));
    }

    #[test]
    fn a_share_of_the_cpus_is_that_of_the_least_group_above() {
        let of = |own: &str, above: &str| {
            let fixture = Fixture::of(&[
                ("proc/self/cgroup", "0::/pods/a\n"),
                ("proc/self/mountinfo", "30 20 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"),
                ("sys/fs/cgroup/pods/a/cpu.weight", own),
                ("sys/fs/cgroup/pods/cpu.weight", above),
            ]);
            of_process(&fixture.system()).cpu_weight
        };
        assert_eq!(of("100\n", "100\n"), None);
        assert_eq!(of("100\n", "1\n"), Some(1));
        assert_eq!(of("300\n", "100\n"), Some(300));
        assert_eq!(of("100\n", "300\n"), None, "among its neighbours it has what they have");
        let old = Fixture::of(&[
            ("proc/self/cgroup", "1:cpu:/pods\n"),
            ("proc/self/mountinfo", "32 20 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"),
            ("sys/fs/cgroup/cpu/pods/cpu.shares", "2\n"),
            ("sys/fs/cgroup/cpu/cpu.shares", "1024\n"),
        ]);
        let found = of_process(&old.system());
        assert_eq!((found.cpu_shares, found.cpu_weight), (Some(2), None));
    }

    #[test]
    fn the_usual_weight_is_no_fact() {
        let fixture = Fixture::of(&[
            ("proc/self/cgroup", "0::/a\n"),
            ("proc/self/mountinfo", "30 20 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"),
            ("sys/fs/cgroup/a/io.weight", "default 100\n"),
            ("sys/fs/cgroup/a/io.bfq.weight", "100\n"),
        ]);
        assert_eq!(of_process(&fixture.system()).io_weight, None);
    }

    #[test]
    fn the_older_hierarchy() {
        let fixture = Fixture::of(&[
            ("proc/self/cgroup", "7:blkio:/docker/abc\n4:memory:/docker/abc\n1:cpu:/docker/abc\n0::/\n"),
            (
                "proc/self/mountinfo",
                "30 20 0:26 /docker/abc /sys/fs/cgroup/blkio rw - cgroup cgroup rw,blkio\n\
                 31 20 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n\
                 32 20 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n",
            ),
            ("sys/fs/cgroup/blkio/blkio.throttle.read_iops_device", "8:0 500\n"),
            ("sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "9223372036854771712\n"),
            ("sys/fs/cgroup/memory/docker/memory.limit_in_bytes", "268435456\n"),
            ("sys/fs/cgroup/memory/docker/memory.usage_in_bytes", "67108864\n"),
            (
                "sys/fs/cgroup/memory/docker/memory.stat",
                "inactive_file 1\ntotal_inactive_file 4194304\ntotal_active_file 12582912\n",
            ),
            ("sys/fs/cgroup/cpu/docker/abc/cpu.cfs_quota_us", "-1\n"),
            ("sys/fs/cgroup/cpu/docker/cpu.cfs_quota_us", "50000\n"),
            ("sys/fs/cgroup/cpu/docker/cpu.cfs_period_us", "100000\n"),
        ]);
        let system = fixture.system();
        let found = of_process(&system);
        assert_eq!(found.io_max, ["8:0 riops=500"]);
        assert_eq!((found.cpu_max_millis, found.memory_max_bytes), (Some(500), Some(256 << 20)));
        assert_eq!(found.memory_room_bytes, Some(208 << 20));
    }

    #[test]
    fn nonsense_limits_nothing() {
        let fixture = Fixture::of(&[
            ("proc/self/cgroup", "garbage\n0:\n0::../../..\n"),
            ("proc/self/mountinfo", "30 20 0:26 / /elsewhere rw - cgroup2 cgroup2 rw\n"),
        ]);
        let system = fixture.system();
        let found = of_process(&system);
        assert_eq!((found.io_max.len(), found.cpu_max_millis), (0, None));
        assert_eq!(cpu_max("5 0"), None);
        assert_eq!(cpu_max("18446744073709551615 1"), None);
    }
}
