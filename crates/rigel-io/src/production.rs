//! What the host's disks and filesystems have done and contain: the counters that `rigel capacity record` reads once a second.
//!
//! Disks are whole ones: partitions would be counted twice. What cannot be read is left out. Must not make rates.

use crate::mounts::mounts;
use crate::system::{System, read, text};
use rigel_core::path_text;
use std::collections::BTreeSet;
use std::path::Path;

/// The kernel's unit of counting, whatever the device's sector size.
const SECTOR_BYTES: u64 = 512;
/// Filesystems in memory, and disks in it.
const NO_DISKS: [&str; 5] = ["loop", "ram", "zram", "sr", "fd"];

/// Counters of a disk since the boot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiskCounts {
    /// Kernel name.
    pub name: String,
    /// WWN or serial number; empty if the kernel knows none.
    pub id: String,
    /// Completed reads and writes.
    pub reads: u64,
    /// Completed writes.
    pub writes: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub written_bytes: u64,
    /// Milliseconds that reads took, of all of them together.
    pub read_ms: u64,
    /// The same for writes.
    pub write_ms: u64,
    /// Milliseconds with I/O outstanding.
    pub busy_ms: u64,
}

/// A filesystem on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filesystem {
    /// Its mount point, printable.
    pub mount: String,
    /// Its bytes.
    pub size_bytes: u64,
    /// Bytes in use.
    pub used_bytes: u64,
}

/// Disks of the host by /proc/diskstats. `root` is `/`, or the root of a captured tree.
pub fn disks(root: &Path) -> Vec<DiskCounts> {
    let system = System::at(root);
    let bytes = read(&system.proc.join("diskstats")).unwrap_or_default();
    let lines = bytes.split(|&byte| byte == b'\n').filter_map(|line| counts(std::str::from_utf8(line).ok()?));
    let whole = lines.filter(|disk| {
        // A slash in a name is an exclamation mark in sysfs.
        let dir = system.sys.join("block").join(disk.name.replace('/', "!"));
        !NO_DISKS.iter().any(|prefix| is_numbered(&disk.name, prefix)) && dir.is_dir()
    });
    whole.map(|disk| DiskCounts { id: id(&system, &disk.name), ..disk }).collect()
}

fn is_numbered(name: &str, prefix: &str) -> bool {
    name.strip_prefix(prefix)
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Documentation/admin-guide/iostats.rst: major, minor, name, and eleven numbers or more.
fn counts(line: &str) -> Option<DiskCounts> {
    let mut words = line.split_ascii_whitespace().skip(2);
    let name = path_text::printable(words.next()?).into_owned();
    let numbers: Vec<u64> = words.map_while(|word| word.parse().ok()).collect();
    let &[reads, _, sectors_read, read_ms, writes, _, sectors_written, write_ms, _, busy_ms, ..] =
        numbers.as_slice()
    else {
        return None;
    };
    Some(DiskCounts {
        name,
        id: String::new(),
        reads,
        writes,
        read_bytes: sectors_read.checked_mul(SECTOR_BYTES)?,
        written_bytes: sectors_written.checked_mul(SECTOR_BYTES)?,
        read_ms,
        write_ms,
        busy_ms,
    })
}

fn id(system: &System, name: &str) -> String {
    let dir = system.sys.join("block").join(name.replace('/', "!"));
    let files = ["wwid", "device/wwid", "serial", "device/serial", "dm/uuid", "md/uuid"];
    files.iter().find_map(|file| text(&dir.join(file))).unwrap_or_default()
}

/// Microseconds in which some task, and all tasks, waited for I/O (PSI).
pub fn pressure(root: &Path) -> Option<(u64, u64)> {
    let bytes = read(&System::at(root).proc.join("pressure/io"))?;
    let text = std::str::from_utf8(&bytes).ok()?;
    let total = |kind: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(kind))?;
        line.split_ascii_whitespace().find_map(|word| word.strip_prefix("total="))?.parse().ok()
    };
    Some((total("some ")?, total("full ")?))
}

/// Filesystems of this host on a device, each once.
pub fn filesystems() -> Vec<Filesystem> {
    let mut seen = BTreeSet::new();
    let system = System::default();
    let real = mounts(&system.proc)
        .into_iter()
        .filter(|mount| mount.source.is_absolute() || mount.filesystem == "zfs");
    let once: Vec<_> = real.filter(|mount| seen.insert((mount.device, mount.source.clone()))).collect();
    let sizes = once.into_iter().filter_map(|mount| {
        let told = rustix::fs::statvfs(&mount.mount_point).ok()?;
        let bytes = |blocks: u64| blocks.checked_mul(told.f_frsize);
        Some(Filesystem {
            mount: path_text::encode(&mount.mount_point),
            size_bytes: bytes(told.f_blocks)?,
            used_bytes: bytes(told.f_blocks.checked_sub(told.f_bfree)?)?,
        })
    });
    sizes.filter(|found| found.size_bytes > 0).collect()
}

/// The name of this host.
pub fn host_name() -> String {
    let name = rustix::system::uname();
    path_text::printable(&name.nodename().to_string_lossy()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn whole_disks_of_a_tree_are_counted_in_bytes() {
        let root = tempfile::tempdir().unwrap();
        let block = root.path().join("sys/block/sda");
        fs::create_dir_all(block.join("device")).unwrap();
        fs::create_dir_all(root.path().join("sys/block/loop0")).unwrap();
        fs::create_dir_all(root.path().join("proc/pressure")).unwrap();
        fs::write(block.join("device/wwid"), "naa.5000\n").unwrap();
        let line = |name: &str| format!("   8       0 {name} 10 1 80 5 20 2 160 7 0 9 12 0 0 0 0 3 1\n");
        fs::write(
            root.path().join("proc/diskstats"),
            [line("sda"), line("sda1"), line("loop0")].concat() + "8 0 sdb x\n",
        )
        .unwrap();
        let psi = "some avg10=0.15 avg60=0.76 avg300=0.65 total=5192247\nfull avg10=0.00 avg60=0.03 avg300=0.11 total=2502644\n";
        fs::write(root.path().join("proc/pressure/io"), psi).unwrap();
        let expected = DiskCounts {
            name: "sda".to_owned(),
            id: "naa.5000".to_owned(),
            reads: 10,
            writes: 20,
            read_bytes: 80 * 512,
            written_bytes: 160 * 512,
            read_ms: 5,
            write_ms: 7,
            busy_ms: 9,
        };
        assert_eq!(disks(root.path()), [expected]);
        assert_eq!(pressure(root.path()), Some((5_192_247, 2_502_644)));
        assert!(disks(Path::new("/nowhere")).is_empty() && pressure(Path::new("/nowhere")).is_none());
    }

    #[test]
    fn this_host_has_a_filesystem_in_use() {
        assert!(
            filesystems().iter().any(|found| found.used_bytes > 0 && found.used_bytes <= found.size_bytes)
        );
        assert!(!host_name().is_empty());
    }
}
