//! What a target lies on: the filesystem that a path leads through, and the devices below it, down through the files behind loop devices. Must not
//! judge.

use super::overlay::{self, Place};
use super::snapshot::{NumberedMount, Snapshot, behind_loop};
use super::{direct, extents};
use crate::mounts::Mount;
use crate::targets::block::Block;
use crate::targets::node::{Node, NodeId, id_at, number};
use rigel_core::facts::{DeviceFacts, LoopFile, TargetKind};
use rigel_core::path_text;
use std::path::Path;

/// The longest chain of loop devices that is followed; the kernel refuses a cycle.
const MOST_LOOPS: usize = 8;

/// The mount with a number. Without the number: the longest mount point above the path; of several at one place the last is on top.
pub(super) fn mount_of<'a>(
    id: Option<u64>,
    path: &Path,
    snapshot: &'a Snapshot,
) -> Option<&'a NumberedMount> {
    let mut all = snapshot.mounts().iter();
    if let Some(id) = id {
        return all.find(|(mount, _)| mount.id == id);
    }
    let above = all.filter(|(mount, _)| path.starts_with(&mount.mount_point));
    above.max_by_key(|(mount, _)| mount.mount_point.as_os_str().len())
}

/// The facts of a device, and of every device below it, each once, those on top first.
pub(in crate::targets) fn devices(block: &Block, snapshot: &Snapshot) -> (DeviceFacts, Vec<DeviceFacts>) {
    let below = block.below().iter().map(|block| device(block, snapshot, MOST_LOOPS)).collect();
    (device(block, snapshot, MOST_LOOPS), below)
}

fn device(block: &Block, snapshot: &Snapshot, loops: usize) -> DeviceFacts {
    let loop_file = (loops > 0).then(|| loop_file(block, snapshot, loops - 1)).flatten();
    DeviceFacts { loop_file, ..block.facts(snapshot.system()) }
}

/// The mount of a file or directory, and the number of the device that holds it.
pub(super) fn mounted<'a>(place: &Place, snapshot: &'a Snapshot) -> (Option<&'a Mount>, Option<(u32, u32)>) {
    match mount_of(place.mount, &place.path, snapshot) {
        // A filesystem without a device number of its own (btrfs, ZFS) may name one of its devices.
        Some((mount, number)) if mount.device.0 == 0 => (Some(mount), *number),
        found => (found.map(|(mount, _)| mount), Some(number(place.stat.st_dev))),
    }
}

/// The file of a loop device; `None` for any other device.
fn loop_file(block: &Block, snapshot: &Snapshot, loops: usize) -> Option<LoopFile> {
    let path = block.loop_file()?;
    let live = snapshot.system().is_this_host();
    // The device itself knows its file, whatever its path leads to by now; only root may ask it.
    let id = live.then(|| behind_loop(block).or_else(|| id_at(&path))).flatten();
    let file = id.and_then(|id| file_at(&path, id));
    let layer = file.as_ref().and_then(|file| overlay::below(&Place::of(file), snapshot));
    let named = |mount: &Mount| mount.filesystem.clone();
    let (filesystem, number) = match (id, device_named(&path, snapshot)) {
        (Some((TargetKind::BlockDevice, identity)), _) => (None, Some(identity.device)),
        (None, Some(device)) => (None, Some(device.number)),
        (id, _) => match layer {
            Some(layer) => {
                let (mount, number) = mounted(&layer, snapshot);
                (mount.map(named), number)
            }
            None => holder(&path, id, snapshot)
                .map_or((None, None), |(mount, number)| (Some(named(mount)), *number)),
        },
    };
    let on = number.and_then(|number| Block::by_number(&snapshot.system().sys, number));
    let all = on.into_iter().flat_map(|block| std::iter::once(block.clone()).chain(block.below()));
    let below = all.map(|block| device(&block, snapshot, loops)).collect();
    Some(LoopFile {
        path: path_text::encode(&path),
        filesystem,
        direct_io: file.as_ref().and_then(direct::is_had),
        compressed_percent: file.as_ref().and_then(extents::compressed_percent),
        below,
    })
}

/// The file at the path of a loop device, if it is still the one behind it.
fn file_at(path: &Path, id: NodeId) -> Option<Node> {
    let is_file = |node: &Node| node.kind == TargetKind::File && node.id() == id;
    Node::pin(path).ok().filter(is_file)
}

/// The disk that a path in /dev belongs to, by name, if only the path is known.
fn device_named(path: &Path, snapshot: &Snapshot) -> Option<Block> {
    let name = path_text::encode(path.strip_prefix("/dev").ok()?);
    Block::all(&snapshot.system().sys).into_iter().find(|block| block.name == name)
}

/// The mount of a file behind a loop device: by the number of its filesystem, which no other mount has, otherwise by its path.
fn holder<'a>(path: &Path, id: Option<NodeId>, snapshot: &'a Snapshot) -> Option<&'a NumberedMount> {
    let of_number =
        |(_, identity): NodeId| snapshot.mounts().iter().find(|(mount, _)| mount.device == identity.device);
    id.and_then(of_number).or_else(|| mount_of(None, path, snapshot))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::fixture::Fixture;
    use rigel_core::facts::TargetFacts;

    const DISK: &str = "pci0000:00/0000:00:04.0/nvme/nvme0/nvme0n1";

    /// A host with an NVMe drive, two mounts on it, /dev/shm, and whatever `make` adds.
    fn host(make: impl FnOnce(&Fixture)) -> Fixture {
        let fixture = Fixture::new();
        fixture.disk(DISK, (259, 0));
        fixture.mounts(&[
            ("259:0", "/", "ext4", "/dev/nvme0n1"),
            ("0:5", "/dev", "devtmpfs", "udev"),
            ("0:24", "/dev/shm", "tmpfs", "tmpfs"),
            ("253:0", "/data", "xfs", "/dev/dm-0"),
        ]);
        make(&fixture);
        fixture
    }

    fn virtual_disk(fixture: &Fixture, name: &str, number: (u32, u32)) -> String {
        let at = format!("virtual/block/{name}");
        fixture.disk(&at, number);
        at
    }

    fn loop_on(fixture: &Fixture, minor: u32, file: &str, direct: bool) -> String {
        let at = virtual_disk(fixture, &format!("loop{minor}"), (7, minor));
        fixture.write(&format!("sys/devices/{at}/loop/backing_file"), format!("{file}\n"));
        fixture.write(&format!("sys/devices/{at}/loop/dio"), format!("{}\n", u8::from(direct)));
        at
    }

    /// What the facts of the device with a number say of memory.
    fn memory(fixture: &Fixture, number: (u32, u32)) -> Option<String> {
        let snapshot = Snapshot::of(fixture.system());
        let block = Block::by_number(&fixture.system().sys, number).unwrap();
        let (device, below) = devices(&block, &snapshot);
        let facts = TargetFacts { device: Some(device), below, ..TargetFacts::default() };
        facts.memory().map(|memory| memory.to_string())
    }

    #[test]
    fn disks_of_memory_are_known_by_their_drivers() {
        let host = host(|fixture| {
            virtual_disk(fixture, "zram0", (252, 0));
            virtual_disk(fixture, "ram1", (1, 1));
            virtual_disk(fixture, "nullb0", (251, 0));
            // A name of the user's own.
            virtual_disk(fixture, "fast", (251, 1));
            virtual_disk(fixture, "other", (250, 1));
            let drivers =
                "Character devices:\n250 nullb\n\nBlock devices:\n  7 loop\n251 nullb\n259 blkext\n";
            fixture.write("proc/devices", drivers);
        });
        for (number, told) in [
            ((252, 0), Some("zram0 is memory (zram)")),
            ((1, 1), Some("ram1 is memory (ram)")),
            ((251, 0), Some("nullb0 stores nothing, or stores it in memory (null_blk)")),
            ((251, 1), Some("fast stores nothing, or stores it in memory (null_blk)")),
            ((250, 1), None),
            ((259, 0), None),
        ] {
            assert_eq!(memory(&host, number).as_deref(), told, "{number:?}");
        }
    }

    /// A volume over zram, and a partition of one that lies on a loop device.
    #[test]
    fn memory_below_volumes_and_partitions() {
        let host = host(|fixture| {
            let zram = virtual_disk(fixture, "zram0", (252, 0));
            let volume = virtual_disk(fixture, "dm-0", (253, 0));
            fixture.holds(&volume, &zram);
            let disk = loop_on(fixture, 0, "/dev/shm/image (deleted)", true);
            fixture.partition(&format!("{disk}/loop0p1"), (259, 7), 2048, 1_000_000);
            let encrypted = virtual_disk(fixture, "dm-1", (253, 1));
            fixture.holds(&encrypted, &format!("{disk}/loop0p1"));
        });
        assert_eq!(memory(&host, (253, 0)).as_deref(), Some("zram0 is memory (zram)"));
        let told = "loop0 is a file on tmpfs, which keeps its files in memory";
        assert_eq!(memory(&host, (253, 1)).as_deref(), Some(told));
    }

    #[test]
    fn loop_devices_are_followed_to_what_their_files_lie_on() {
        let host = host(|fixture| {
            let zram = virtual_disk(fixture, "zram0", (252, 0));
            let volume = virtual_disk(fixture, "dm-0", (253, 0));
            fixture.holds(&volume, &zram);
            loop_on(fixture, 0, "/var/image", true);
            loop_on(fixture, 1, "/var/image", false);
            loop_on(fixture, 2, "/dev/shm/image", true);
            // On a file of the filesystem on the volume; on a device; on a loop device that is not direct.
            loop_on(fixture, 3, "/data/image", true);
            loop_on(fixture, 4, "/dev/zram0", true);
            loop_on(fixture, 5, "/dev/loop1", true);
            loop_on(fixture, 6, "/dev/image", true);
            // In a circle, which no kernel makes.
            loop_on(fixture, 7, "/dev/loop7", true);
        });
        let cached = "loop1 reads and writes its file through the page cache of this host";
        for (minor, told) in [
            (0, None),
            (1, Some(cached)),
            (2, Some("loop2 is a file on tmpfs, which keeps its files in memory")),
            (3, Some("zram0 is memory (zram)")),
            (4, Some("zram0 is memory (zram)")),
            (5, Some(cached)),
            (6, Some("loop6 is a file on devtmpfs, which keeps its files in memory")),
            (7, None),
        ] {
            assert_eq!(memory(&host, (7, minor)).as_deref(), told, "loop{minor}");
        }
    }

    #[test]
    fn what_a_loop_device_stands_on_is_in_its_facts() {
        let host = host(|fixture| {
            loop_on(fixture, 0, "/var/a b", true);
        });
        let snapshot = Snapshot::of(host.system());
        let block = Block::by_number(&host.system().sys, (7, 0)).unwrap();
        let file = devices(&block, &snapshot).0.loop_file.unwrap();
        assert_eq!((file.path.as_str(), file.filesystem.as_deref()), ("/var/a b", Some("ext4")));
        assert_eq!(file.below.iter().map(|device| device.name.as_str()).collect::<Vec<_>>(), ["nvme0n1"]);
    }
}
