//! The witness of a run: a sampler of the host's counters on the crew's clock, or none when the clock is virtual.
//!
//! Must not judge the samples, and must not fail a run: counters that cannot be read are not in the record.

use rigel_core::facts::engine::EngineKind;
use rigel_core::facts::{TargetFacts, TargetKind};
use rigel_core::witness::Witness;
use rigel_io::clock::MonotonicClock;
use rigel_io::witness::{Sampler, counting_devices};
use std::path::Path;

/// Sees what happens on the host.
pub trait Witnesses {
    /// To be called right before a visit, so that what came before is not counted to it.
    fn begin(&mut self);

    /// What happened from `start_ns` to `end_ns` of the crew's clock; to be called right after a visit. Visits are
    /// asked for in order of time; what was before `start_ns` is forgotten. `None` when nothing was seen.
    fn between(&mut self, start_ns: u64, end_ns: u64) -> Option<Witness>;
}

/// Sees nothing: a simulated run has no host.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nobody;

/// Samples the counters of this host.
#[derive(Debug)]
struct Host(Sampler);

impl Witnesses for Nobody {
    fn begin(&mut self) {}

    fn between(&mut self, _start_ns: u64, _end_ns: u64) -> Option<Witness> {
        None
    }
}

impl Witnesses for Host {
    fn begin(&mut self) {
        self.0.mark();
    }

    fn between(&mut self, start_ns: u64, end_ns: u64) -> Option<Witness> {
        self.0.between(start_ns, end_ns)
    }
}

/// A witness for workers on `clock` ([`crate::crew::Crew::clock`]) that use `targets`; [`Nobody`] without a clock,
/// or when the host has no thread left for it.
#[must_use]
pub fn watch(
    clock: Option<MonotonicClock>,
    engine: EngineKind,
    targets: &[TargetFacts],
) -> Box<dyn Witnesses> {
    // The kernel does not count NVMe commands among the I/O of the block device.
    let counted = engine != EngineKind::Nvme;
    let devices = if counted { devices(Path::new("/"), targets) } else { Vec::new() };
    match clock.map(|clock| Sampler::start(Path::new("/"), &devices, clock)) {
        Some(Ok(sampler)) => Box::new(Host(sampler)),
        Some(Err(_)) | None => Box::new(Nobody),
    }
}

/// The devices to count the I/O of all targets on. Empty unless every target has one: the bytes of a visit are
/// known for all of them together.
fn devices(root: &Path, targets: &[TargetFacts]) -> Vec<(u32, u32)> {
    let number = |target: &TargetFacts| match target.kind {
        // A character device has numbers of another kind; the kernel counts nothing for it.
        TargetKind::CharDevice | TargetKind::Simulated => None,
        // A major number of 0 is a filesystem's without a device: btrfs, NFS, FUSE, tmpfs.
        TargetKind::BlockDevice | TargetKind::File => {
            Some(target.identity.device).filter(|&(major, _)| major != 0)
        }
    };
    let numbers: Option<Vec<_>> = targets.iter().map(number).collect();
    numbers.and_then(|numbers| counting_devices(root, &numbers)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigel_core::facts::Identity;
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
        let devices = |targets: &[TargetFacts]| devices(root.path(), targets);
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

    #[test]
    fn nobody_sees_nothing() {
        let mut nobody = watch(None, EngineKind::Sim, &[]);
        nobody.begin();
        assert_eq!(nobody.between(0, 1_000_000_000), None);
    }
}
