//! Whether a group could be made, determined without making one: a dry run leaves nothing behind. Must not write.

use super::{Group, LIMIT, OLD_COUNTS, OLD_LIMIT};
use crate::host::groups;
use crate::mounts::mounts;
use crate::system::System;
use rustix::fs::{Access, access};
use std::fs;
use std::path::Path;

/// The controllers that a group of version 2 hands on to those below it.
const HANDED_ON: &str = "cgroup.subtree_control";

impl Group {
    /// Whether a group from [`Group::make`] would limit memory, as far as permissions and controllers show.
    pub fn could_limit_memory() -> bool {
        could_limit_memory(&System::default())
    }
}

fn could_limit_memory(system: &System) -> bool {
    let table = fs::read_to_string(system.proc.join("self/cgroup")).unwrap_or_default();
    let mounts = mounts(&system.proc);
    let of = |controller: &str| groups(system, &mounts, &table, controller);
    let old = |controller: &str, file: &str| {
        of(controller).first().is_some_and(|dir| may_make_in(dir) && dir.join(file).exists())
    };
    if old("memory", OLD_LIMIT) {
        return true;
    }
    // A group of version 1 that only counts is taken before one of version 2.
    let hands_on = |dir: &Path| {
        let all = fs::read_to_string(dir.join(HANDED_ON)).unwrap_or_default();
        all.split_whitespace().any(|name| LIMIT.split_once('.').is_some_and(|(own, _)| own == name))
    };
    !old("blkio", OLD_COUNTS) && of("").iter().any(|dir| may_make_in(dir) && hands_on(dir))
}

fn may_make_in(dir: &Path) -> bool {
    access(dir, Access::WRITE_OK | Access::EXEC_OK).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::fixture::Fixture;

    const OLD: [(&str, &str); 2] = [
        ("proc/self/cgroup", "4:memory:/a\n3:blkio:/a\n"),
        (
            "proc/self/mountinfo",
            "30 20 0:26 / /sys/fs/cgroup/blkio rw - cgroup cgroup rw,blkio\n\
             31 20 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n",
        ),
    ];

    #[test]
    fn memory_is_limited_where_a_group_with_its_controller_may_be_made() {
        let with = |file: &str, text: &str| {
            could_limit_memory(&Fixture::of(&[OLD[0], OLD[1], (file, text)]).system())
        };
        assert!(with("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "1\n"));
        assert!(!with("sys/fs/cgroup/blkio/a/blkio.throttle.io_serviced", ""));
        assert!(!could_limit_memory(&Fixture::of(&OLD).system()));
    }

    #[test]
    fn a_group_of_version_2_has_to_hand_the_memory_on() {
        let with = |controllers: &str| {
            let fixture = Fixture::of(&[
                ("proc/self/cgroup", "0::/a/b\n"),
                ("proc/self/mountinfo", "30 20 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"),
                ("sys/fs/cgroup/a/b/cgroup.subtree_control", "\n"),
                ("sys/fs/cgroup/a/cgroup.subtree_control", controllers),
            ]);
            could_limit_memory(&fixture.system())
        };
        assert_eq!(["cpu memory pids\n", "cpu pids\n"].map(with), [true, false]);
    }
}
