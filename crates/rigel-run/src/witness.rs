//! Who watches the host during visits: a sampler on the bench's clock.
//!
//! Must not judge the samples, and must not fail a run: counters that cannot be read are not in the record.

use rigel_core::facts::TargetFacts;
use rigel_core::facts::engine::EngineKind;
use rigel_io::clock::MonotonicClock;
use rigel_io::witness::{Sampler, WatchedDevices, bottom, counting_devices};
use std::path::Path;

/// A witness for workers on `clock` that use `targets`. `None` when the host has no thread left for it.
pub fn watch(clock: MonotonicClock, engine: EngineKind, targets: &[TargetFacts]) -> Option<Sampler> {
    // The kernel does not count NVMe commands among the I/O of the block device.
    let counted = engine != EngineKind::Nvme;
    let devices = if counted { devices(Path::new("/"), targets) } else { WatchedDevices::default() };
    Sampler::start(Path::new("/"), &devices, clock).ok()
}

/// The devices to count the I/O of all targets on. Empty unless every target has one: the bytes of a visit are
/// known for all of them together.
fn devices(root: &Path, targets: &[TargetFacts]) -> WatchedDevices {
    let on_top = devices_on_top(root, targets);
    let carriers: Vec<_> = targets.iter().map(TargetFacts::carriers).collect();
    let at_bottom = bottom(root, &carriers).filter(|found| !found.nfs.is_empty() || found.devices != on_top);
    WatchedDevices { on_top, at_bottom: at_bottom.unwrap_or_default() }
}

fn devices_on_top(root: &Path, targets: &[TargetFacts]) -> Vec<(u32, u32)> {
    let number = |target: &TargetFacts| {
        let device = Some(target.identity.device).filter(|_| target.kind.is_counted());
        // A major number of 0 is a filesystem's without a device: btrfs, NFS, FUSE, tmpfs.
        device.filter(|&(major, _)| major != 0)
    };
    let numbers: Option<Vec<_>> = targets.iter().map(number).collect();
    numbers.and_then(|numbers| counting_devices(root, &numbers)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigel_core::facts::{Identity, TargetKind};
    use std::os::unix::fs::symlink;

    /// A root with two disks, the first of which has two partitions.
    fn root() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        let make = |dir: &str, number: &str, is_partition: bool| {
            let at = root.path().join("sys/devices").join(dir);
            std::fs::create_dir_all(&at).unwrap();
            std::fs::write(at.join("dev"), format!("{number}\n")).unwrap();
            if is_partition {
                std::fs::write(at.join("partition"), "1\n").unwrap();
            }
            let links = root.path().join("sys/dev/block");
            std::fs::create_dir_all(&links).unwrap();
            symlink(at, links.join(number)).unwrap();
        };
        make("sda", "8:0", false);
        make("sda/sda1", "8:1", true);
        make("sda/sda2", "8:2", true);
        make("sdb", "8:16", false);
        root
    }

    fn target(kind: TargetKind, device: (u32, u32)) -> TargetFacts {
        let identity = Identity { device, inode: 5 };
        TargetFacts { kind, identity, ..TargetFacts::simulated(1 << 20) }
    }

    #[test]
    fn targets_are_counted_on_their_disks_once() {
        let root = root();
        let devices = |targets: &[TargetFacts]| devices_on_top(root.path(), targets);
        let file = target(TargetKind::File, (8, 1));
        let partition = target(TargetKind::BlockDevice, (8, 2));
        let disk = target(TargetKind::BlockDevice, (8, 16));
        assert_eq!(devices(std::slice::from_ref(&file)), [(8, 0)]);
        assert_eq!(devices(&[disk, file.clone(), partition]), [(8, 0), (8, 16)]);
        for uncounted in [
            target(TargetKind::File, (0, 41)),
            target(TargetKind::CharDevice, (8, 16)),
            target(TargetKind::BlockDevice, (7, 7)),
            TargetFacts::simulated(1 << 20),
        ] {
            assert_eq!(devices(&[file.clone(), uncounted]), [], "the sum of both would be compared");
        }
        assert_eq!(devices(&[]), []);
    }
}
