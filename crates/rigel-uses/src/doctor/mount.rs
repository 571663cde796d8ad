//! Rules about filesystems and how they are mounted.

use super::Part::{Database, Measurement};
use super::Severity::{Error, Note, Warning};
use super::{Judge, Rule, Status, System};
use rigel_core::facts::MountFacts;
use rigel_core::units::Bytes;

const MOUNT: &str = "https://man7.org/linux/man-pages/man8/mount.8.html";
const EXT4: &str = "https://man7.org/linux/man-pages/man5/ext4.5.html";
const XFS: &str = "https://man7.org/linux/man-pages/man5/xfs.5.html";

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "barriers",
        setting: "write barriers",
        part: Database,
        severity: Error,
        wrong: "a power failure can destroy files ({value})",
        why: "the filesystem does not flush the device's cache: a power failure can destroy files, and every commit looks cheaper than it is",
        show: "findmnt {mount}",
        change: "mount -o remount,{want} {mount}, and leave the option out of /etc/fstab",
        source: EXT4,
        judge: Judge::Mount(|mount, _| {
            // What is only read needs none.
            let off =
                ["nobarrier", "barrier=0"].into_iter().find(|option| mount.has(option) && !mount.has("ro"));
            let on = if mount.filesystem == "btrfs" { "barrier" } else { "barrier=1" };
            Status::when(off.is_some(), off.unwrap_or("on"), on)
        }),
    },
    Rule {
        name: "access-times",
        setting: "access times",
        part: Database,
        severity: Warning,
        wrong: "every read changes metadata ({value})",
        why: "every read changes the file's metadata, which must be written later",
        show: "findmnt {mount}",
        change: "mount -o remount,{want} {mount}, and the same in /etc/fstab",
        source: MOUNT,
        judge: Judge::Mount(|mount, _| {
            if mount.is_nfs() || mount.has("ro") {
                return Status::NotAsked;
            }
            match ["noatime", "relatime"].into_iter().find(|option| mount.has(option)) {
                Some(option) => Status::fine(option),
                None => Status::bent("strictatime", "noatime"),
            }
        }),
    },
    Rule {
        name: "online-discard",
        setting: "discard on every deletion",
        part: Database,
        severity: Warning,
        wrong: "I/O waits behind the discards of freed blocks",
        why: "the filesystem discards freed blocks at once, and I/O waits behind that when tables are dropped; a weekly trim does the same job",
        show: "findmnt {mount}",
        change: "mount -o remount,{want} {mount}; systemctl enable --now fstrim.timer",
        source: EXT4,
        judge: Judge::Mount(|mount, _| {
            // f2fs does it in the background, btrfs unless it says sync.
            if matches!(mount.filesystem.as_str(), "f2fs" | "btrfs") {
                return Status::NotAsked;
            }
            Status::when(mount.has("discard"), if mount.has("discard") { "on" } else { "off" }, "nodiscard")
        }),
    },
    Rule {
        name: "dax",
        setting: "DAX",
        part: Measurement,
        severity: Warning,
        wrong: "files are memory here, not disk blocks ({value})",
        why: "files are mapped memory of the device: there is no direct I/O and no queue, so memory is measured",
        show: "findmnt {mount}",
        change: "mount without dax (umount {mount}, then mount it again); a remount cannot change it",
        source: "https://docs.kernel.org/filesystems/dax.html",
        judge: Judge::Mount(|mount, _| {
            let found = mount.options.iter().find(|option| matches!(option.as_str(), "dax" | "dax=always"));
            found.map_or(Status::fine("off"), |option| Status::bent(option, ""))
        }),
    },
    Rule {
        name: "data-journal",
        setting: "journal of file contents",
        part: Measurement,
        severity: Warning,
        wrong: "writes go through the page cache, and twice",
        why: "every byte is written twice, and direct I/O is not possible: I/O goes through the page cache",
        show: "findmnt {mount}",
        change: "{want} instead of data=journal in /etc/fstab, then mount it again",
        source: EXT4,
        judge: Judge::Mount(|mount, _| {
            Status::if_any(mount.value("data"), |mode| Status::when(mode == "journal", mode, "data=ordered"))
        }),
    },
    Rule {
        name: "synchronous-mount",
        setting: "synchronous writes for everything",
        part: Measurement,
        severity: Warning,
        wrong: "every write waits for the device ({value})",
        why: "every write of every program waits for the device; a database requests that itself where it needs it",
        show: "findmnt {mount}",
        change: "mount -o remount,{want} {mount}",
        source: MOUNT,
        judge: Judge::Mount(|mount, _| {
            Status::if_any(mount.has("sync").then_some("sync"), |word| Status::bent(word, "async"))
        }),
    },
    Rule {
        name: "memory-filesystem",
        setting: "a filesystem in memory",
        part: Measurement,
        severity: Error,
        wrong: "files on {value} are in memory, not on storage",
        why: "its files are in this host's memory: a measurement says nothing about storage, and their contents are lost with the power",
        show: "findmnt {mount}",
        change: "put the files on a filesystem on a disk ({want})",
        source: "https://docs.kernel.org/filesystems/tmpfs.html",
        judge: Judge::Mount(|mount, _| {
            Status::if_any(mount.memory(), |filesystem| Status::bent(filesystem, "xfs or ext4"))
        }),
    },
    Rule {
        name: "filesystem",
        setting: "filesystem",
        part: Measurement,
        severity: Warning,
        wrong: "files on {value} are not blocks on a disk",
        why: "its files are not blocks of a device written in place: a container layer or a program is in \
              between, and may cache them in memory, invisible from here",
        show: "findmnt {mount}",
        change: "put the database files on their own volume ({want})",
        source: "https://docs.kernel.org/filesystems/index.html",
        judge: Judge::Mount(|mount, _| {
            let indirect = ["overlay", "aufs", "9p", "virtiofs"].contains(&mount.filesystem.as_str())
                || mount.filesystem.starts_with("fuse");
            Status::when(indirect, &mount.filesystem, "xfs or ext4")
        }),
    },
    Rule {
        name: "copy-on-write",
        setting: "copy on write",
        part: Database,
        severity: Note,
        wrong: "{value} never writes in place: files scatter",
        why: "pages are never overwritten in place: random writes scatter a file, so later scans are random \
              reads, and checksums and compression may distort what the device does",
        show: "findmnt {mount}",
        change: "use a directory without copy on write (btrfs: chattr +C), or a record size equal to the database page (ZFS: recordsize)",
        source: "https://docs.kernel.org/filesystems/btrfs.html",
        judge: Judge::Mount(|mount, _| {
            let cow = ["btrfs", "zfs", "bcachefs"].contains(&mount.filesystem.as_str());
            let scattered = (cow && !mount.has("nodatacow")).then_some(&mount.filesystem);
            Status::if_any(scattered, |filesystem| Status::bent(filesystem, ""))
        }),
    },
    Rule {
        name: "stripe-alignment",
        setting: "stripe known to the filesystem",
        part: Database,
        severity: Warning,
        wrong: "files ignore the stripes of the RAID below them",
        why: "the filesystem ignores the stripes below it: large writes touch two stripes, and parity is read first",
        show: "findmnt {mount}; grep . /sys/block/*/queue/optimal_io_size",
        change: "recreate it with the stripe ({want}), after moving its contents",
        source: XFS,
        judge: Judge::Mount(stripe),
    },
];

/// XFS shows `swidth` in sectors, ext4 `stripe` in blocks, for which 4 KiB is the only size in use; neither if it knows of none.
fn stripe(mount: &MountFacts, system: &System<'_>) -> Status {
    let known = match mount.filesystem.as_str() {
        "xfs" => mount.number("swidth").and_then(|sectors| sectors.checked_mul(512)),
        "ext4" => mount.number("stripe").and_then(|blocks| blocks.checked_mul(4096)),
        _ => return Status::NotAsked,
    };
    let device = mount.device.as_deref().and_then(|name| system.device(name));
    let Some(below) = device.and_then(|device| device.stripe()) else { return Status::NotAsked };
    let value = match known {
        Some(bytes) => format!("{}, the device has {}", Bytes(bytes), Bytes(below.bytes())),
        None => format!("none, the device has {}", Bytes(below.bytes())),
    };
    let (chunk_kib, disks) = (below.chunk_bytes / 1024, below.data_disks);
    let want = match mount.filesystem.as_str() {
        "xfs" => format!("mkfs.xfs -d su={chunk_kib}k,sw={disks}"),
        _ => format!(
            "mkfs.ext4 -E stride={},stripe_width={}",
            chunk_kib / 4,
            (chunk_kib / 4).saturating_mul(disks)
        ),
    };
    Status::when(known.is_none_or(|bytes| !bytes.is_multiple_of(below.bytes())), value, want)
}
