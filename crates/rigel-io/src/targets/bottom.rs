//! What is at the bottom of targets and counts every byte that gets there: block devices, all those of a filesystem on several, and the clients
//! of file servers. Must not read a counter.

use super::block::Block;
use super::inspect::{Snapshot, devices_of};
use crate::system::System;
use rigel_core::facts::Carriers;
use rigel_core::path_text;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bottom {
    /// Block devices, by major and minor number.
    pub devices: Vec<(u32, u32)>,
    /// The mount point of NFS.
    pub nfs: Vec<PathBuf>,
}

/// The lowest devices of targets with these carriers; `None` if one target has none that is known, or the kernel does not count the I/O of one of
/// the devices. `root` is `/`, or that of a tree like it.
pub fn bottom(root: &Path, carriers: &[Option<Carriers>]) -> Option<Bottom> {
    let snapshot = Snapshot::of(System::at(root));
    let sys = &snapshot.system().sys;
    let is_counted = |number: &(u32, u32)| Block::by_number(sys, *number).filter(Block::counts).is_some();
    let mut found = Bottom::default();
    let mut nfs = BTreeMap::new();
    for carriers in carriers {
        let all = with_companions(carriers.clone()?, &snapshot)?;
        found.devices.extend(all.bottom);
        nfs.extend(all.nfs.map(|one| (one.device, path_text::decode(&one.mount_point))));
    }
    found.devices.sort_unstable();
    found.devices.dedup();
    found.nfs = nfs.into_values().collect();
    found.devices.iter().all(is_counted).then_some(found)
}

/// Carriers with all devices of each btrfs that has one of them: a mount names one device only, and the bytes of a file may be on any.
fn with_companions(mut carriers: Carriers, snapshot: &Snapshot) -> Option<Carriers> {
    let sys = &snapshot.system().sys;
    while let Some(companion) = companion(sys, &carriers.names) {
        let (device, below) = devices_of(&Block::at(&companion)?, snapshot);
        carriers.add(std::iter::once(&device).chain(&below))?;
    }
    Some(carriers)
}

/// A device that holds a btrfs together with one of those named, and is not named itself: a link of the kernel's in
/// `/sys/fs/btrfs/UUID/devices`.
fn companion(sys: &Path, names: &[String]) -> Option<PathBuf> {
    let is_named = |device: &PathBuf| {
        names.iter().any(|name| device.file_name() == Some(OsStr::new(&name.replace('/', "!"))))
    };
    let filesystems = std::fs::read_dir(sys.join("fs/btrfs")).into_iter().flatten().flatten();
    let devices = |dir: PathBuf| -> Vec<PathBuf> {
        std::fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
    };
    let with_one =
        filesystems.map(|entry| devices(entry.path().join("devices"))).filter(|all| all.iter().any(is_named));
    with_one.flatten().find(|device| !is_named(device))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::fixture::Fixture;
    use rigel_core::facts::NfsCarrier;

    fn on(names: &[&str], minors: &[u32]) -> Option<Carriers> {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        let bottom = minors.iter().map(|&minor| (8, minor)).collect();
        Some(Carriers { names, bottom, nfs: None })
    }

    fn disks(all: &[(&str, u32)]) -> Fixture {
        let fixture = Fixture::new();
        for (name, minor) in all {
            fixture.disk(&format!("pci0/{name}"), (8, *minor));
        }
        fixture
    }

    /// Minor numbers of the devices.
    fn minors(fixture: &Fixture, all: &[Option<Carriers>]) -> Option<Vec<u32>> {
        let sys = fixture.system().sys;
        let found = bottom(sys.parent().unwrap(), all)?;
        Some(found.devices.into_iter().map(|(_, minor)| minor).collect())
    }

    #[test]
    fn the_bottom_is_watched_where_all_of_it_is_known_and_counts() {
        let fixture = disks(&[("sda", 0), ("sdb", 16), ("sdc", 32)]);
        let (a, b) = (on(&["sda"], &[0]), on(&["md0", "sdb", "sdc"], &[16, 32]));
        assert_eq!(minors(&fixture, &[b.clone(), a.clone(), a.clone()]), Some(vec![0, 16, 32]));
        assert_eq!(minors(&fixture, &[a, None]), None, "the sum would be compared");
        assert_eq!(minors(&fixture, &[on(&["sdx"], &[99])]), None);
        fixture.write("sys/devices/pci0/sdc/queue/iostats", "0\n");
        assert_eq!(minors(&fixture, &[b]), None);
    }

    #[test]
    fn a_btrfs_is_counted_on_all_of_its_devices() {
        let fixture = disks(&[("sda", 0), ("sdb", 16), ("sdc", 32)]);
        fixture.partition("pci0/sdb/sdb1", (8, 17), 63, 1000);
        let file = on(&["sda"], &[0]);
        fixture.holds_btrfs("1111", "pci0/sda");
        assert_eq!(minors(&fixture, std::slice::from_ref(&file)), Some(vec![0]), "on one");
        fixture.holds_btrfs("1111", "pci0/sdb/sdb1");
        fixture.holds_btrfs("2222", "pci0/sdc");
        assert_eq!(
            minors(&fixture, std::slice::from_ref(&file)),
            Some(vec![0, 16]),
            "of the partition, its disk"
        );
        fixture.holds_btrfs("1111", "pci0/sdz");
        assert_eq!(minors(&fixture, std::slice::from_ref(&file)), None, "one of its devices is not known");
        fixture.disk("pci0/sdz", (8, 64));
        assert_eq!(minors(&fixture, std::slice::from_ref(&file)), Some(vec![0, 16, 64]));
        fixture.write("sys/devices/pci0/sdb/queue/iostats", "0\n");
        assert_eq!(minors(&fixture, &[file]), None, "one of its devices does not count");
    }

    #[test]
    fn mounts_of_nfs_are_counted_beside_disks() {
        let fixture = disks(&[("sda", 0)]);
        let on_server = |minor: u32, at: &str| {
            let nfs = Some(NfsCarrier { device: (0, minor), mount_point: at.to_owned() });
            Some(Carriers { nfs, ..Carriers::default() })
        };
        let sys = fixture.system().sys;
        // The same filesystem is mounted twice.
        let all = [on_server(42, "/b"), on(&["sda"], &[0]), on_server(41, "/a\\x09"), on_server(42, "/c")];
        let found = bottom(sys.parent().unwrap(), &all).unwrap();
        let at = |at: &str| path_text::decode(at);
        assert_eq!((found.devices, found.nfs), (vec![(8, 0)], vec![at("/a\\x09"), at("/c")]));
    }
}
