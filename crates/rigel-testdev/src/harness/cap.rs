//! [`BlkioCap`]: a block-cgroup that limits what a child may take from a device.
//!
//! The rate under it is exact, but comes in bursts of about 100 ms and in full at depth 1: it checks rates
//! and accounting, never latency or a knee. Only `O_DIRECT` is limited reliably: buffered writes happen in
//! kernel threads. It must not move any process but a child of the test into the group.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::control_group::ControlGroup;
use super::needs::MissingNeed;

/// The limits of a cap; what is `None` is free.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CapLimits {
    /// Reads per second.
    pub read_iops: Option<u64>,
    /// Writes per second.
    pub write_iops: Option<u64>,
    /// Bytes read per second.
    pub read_bytes_per_s: Option<u64>,
    /// Bytes written per second.
    pub write_bytes_per_s: Option<u64>,
}

/// A block-cgroup of our own; removed when dropped, once its processes have ended.
#[derive(Debug)]
pub struct BlkioCap {
    group: ControlGroup,
    hierarchy: Hierarchy,
    /// Major and minor number of the device.
    device: String,
}

impl BlkioCap {
    /// Makes a group that limits the use of this whole block device (not a partition).
    ///
    /// # Errors
    ///
    /// Without root, or a writable hierarchy of the blkio (version 1) or io (version 2) controller.
    pub fn create(device: impl AsRef<Path>, limits: CapLimits) -> Result<Self, MissingNeed> {
        let device = number(device.as_ref())?;
        let mounts = fs::read_to_string("/proc/self/mounts").map_err(MissingNeed::new)?;
        let hierarchy =
            Hierarchy::find(&mounts).ok_or_else(|| MissingNeed::new("no block-cgroup mounted"))?;
        let root = hierarchy.root();
        hierarchy.enable().map_err(|error| unavailable(root, &error))?;
        let group = ControlGroup::below(root).map_err(|error| unavailable(root, &error))?;
        let cap = Self { group, hierarchy, device };
        cap.change(limits).map_err(|error| unavailable(cap.group.path(), &error))?;
        Ok(cap)
    }

    /// Sets other limits, at once; what is `None` stays as it is.
    ///
    /// # Errors
    ///
    /// What the kernel says.
    pub fn change(&self, limits: CapLimits) -> io::Result<()> {
        self.set(&self.device, limits)
    }

    /// Limits the use of another device as well.
    ///
    /// # Errors
    ///
    /// As those of [`Self::create`].
    pub fn also(&self, device: impl AsRef<Path>, limits: CapLimits) -> Result<(), MissingNeed> {
        let device = number(device.as_ref())?;
        self.set(&device, limits).map_err(|error| unavailable(self.group.path(), &error))
    }

    fn set(&self, device: &str, limits: CapLimits) -> io::Result<()> {
        let settings = self.hierarchy.settings(device, limits);
        settings.into_iter().try_for_each(|(file, line)| fs::write(self.group.path().join(file), line))
    }

    /// Puts a process with all of its threads into the group.
    ///
    /// # Errors
    ///
    /// What the kernel says.
    pub fn enter(&self, process: u32) -> io::Result<()> {
        fs::write(self.group.path().join("cgroup.procs"), process.to_string())
    }

    /// A command that enters the group, then becomes `program`; add arguments as to any command.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        self.group.command(program)
    }
}

/// Major and minor number of a device.
fn number(device: &Path) -> Result<String, MissingNeed> {
    let number = fs::metadata(device).map_err(|error| unavailable(device, &error))?.rdev();
    Ok(format!("{}:{}", rustix::fs::major(number), rustix::fs::minor(number)))
}

fn unavailable(path: &Path, error: &io::Error) -> MissingNeed {
    MissingNeed::new(format!("block-cgroup: {}: {error}", path.display()))
}

/// Where groups for block devices are made, and in which of the two languages.
#[derive(Debug, PartialEq, Eq)]
enum Hierarchy {
    V1(PathBuf),
    V2(PathBuf),
}

impl Hierarchy {
    /// Version 1 wherever it has the controller: then version 2 cannot have it.
    fn find(mounts: &str) -> Option<Self> {
        let fields = || mounts.lines().map(|line| line.split(' ').collect::<Vec<_>>());
        let v1 = fields().find(|mount| {
            matches!(mount[..], [_, _, "cgroup", options, ..] if options.split(',').any(|option| option == "blkio"))
        });
        let v2 = || fields().find(|mount| matches!(mount[..], [_, _, "cgroup2", ..]));
        match v1 {
            Some(mount) => Some(Self::V1(PathBuf::from(mount[1]))),
            None => Some(Self::V2(PathBuf::from(v2()?[1]))),
        }
    }

    fn root(&self) -> &Path {
        match self {
            Self::V1(root) | Self::V2(root) => root,
        }
    }

    fn enable(&self) -> io::Result<()> {
        match self {
            Self::V1(_) => Ok(()),
            Self::V2(root) => fs::write(root.join("cgroup.subtree_control"), "+io"),
        }
    }

    /// File names in the group and what to write to them.
    fn settings(&self, device: &str, limits: CapLimits) -> Vec<(&'static str, String)> {
        let known = [
            (limits.read_iops, "blkio.throttle.read_iops_device", "riops"),
            (limits.write_iops, "blkio.throttle.write_iops_device", "wiops"),
            (limits.read_bytes_per_s, "blkio.throttle.read_bps_device", "rbps"),
            (limits.write_bytes_per_s, "blkio.throttle.write_bps_device", "wbps"),
        ];
        let set = known.into_iter().filter_map(|(value, v1_file, v2_key)| Some((value?, v1_file, v2_key)));
        set.map(|(value, v1_file, v2_key)| match self {
            Self::V1(_) => (v1_file, format!("{device} {value}")),
            Self::V2(_) => ("io.max", format!("{device} {v2_key}={value}")),
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const V2: &str = "cgroup2 /sys/fs/cgroup/unified cgroup2 rw,relatime 0 0\n";

    #[test]
    fn version_1_is_taken_where_it_has_the_controller() {
        let mounts = format!(
            "tmpfs /tmp tmpfs rw 0 0\n{V2}\
             cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\n\
             cgroup /sys/fs/cgroup/blkio cgroup rw,relatime,blkio 0 0\n"
        );
        assert_eq!(Hierarchy::find(&mounts), Some(Hierarchy::V1("/sys/fs/cgroup/blkio".into())));
        assert_eq!(Hierarchy::find(V2), Some(Hierarchy::V2("/sys/fs/cgroup/unified".into())));
        assert_eq!(Hierarchy::find("tmpfs /tmp tmpfs rw 0 0\n"), None);
    }

    #[test]
    fn limits_are_written_in_the_language_of_the_hierarchy() {
        let limits = CapLimits { read_iops: Some(1000), write_bytes_per_s: Some(5), ..CapLimits::default() };
        let line = |file, line: &str| (file, line.to_owned());
        assert_eq!(
            Hierarchy::V1("/v1".into()).settings("252:1", limits),
            [
                line("blkio.throttle.read_iops_device", "252:1 1000"),
                line("blkio.throttle.write_bps_device", "252:1 5")
            ]
        );
        assert_eq!(
            Hierarchy::V2("/v2".into()).settings("252:1", limits),
            [line("io.max", "252:1 riops=1000"), line("io.max", "252:1 wbps=5")]
        );
    }
}
