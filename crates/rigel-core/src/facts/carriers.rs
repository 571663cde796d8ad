//! What is at the bottom of a target and carries every byte that storage answers: the devices below partitions, volumes, RAIDs and loop
//! devices, or the client of a file server.
//!
//! What a layer in between answers from memory never gets there. Must not look at a device.

use super::{DeviceFacts, TargetFacts};

/// Device mapper targets below which fewer bytes may move although storage answers: they store blocks in fewer bytes, or store none.
const FEWER_BYTES: [&str; 4] = ["vdo", "zero", "error", "user"];

/// All devices between a target and the lowest ones, and the lowest ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Carriers {
    /// Kernel names of all devices.
    pub names: Vec<String>,
    /// Major and minor numbers of the lowest devices, each once.
    pub bottom: Vec<(u32, u32)>,
    /// The NFS that holds the target: its client counts what it exchanges with the server.
    pub nfs: Option<NfsCarrier>,
}

/// An NFS filesystem. However often it is mounted, it has one set of counters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NfsCarrier {
    /// The device number that the kernel assigned.
    pub device: (u32, u32),
    /// Where it is mounted, printable.
    pub mount_point: String,
}

impl TargetFacts {
    /// The carriers of a target; `None` if nothing below it is counted, or one device cannot be inspected.
    pub fn carriers(&self) -> Option<Carriers> {
        if let Some(mount) = self.mount.as_ref().filter(|mount| mount.is_nfs()) {
            let nfs = NfsCarrier { device: self.identity.device, mount_point: mount.mount_point.clone() };
            return Some(Carriers { nfs: Some(nfs), ..Carriers::default() });
        }
        let mut found = Carriers::default();
        let device = self.device.as_ref().filter(|_| self.kind.is_counted())?;
        found.add(std::iter::once(device).chain(&self.below))?;
        found.bottom.sort_unstable();
        found.bottom.dedup();
        (!found.bottom.is_empty()).then_some(found)
    }
}

impl Carriers {
    /// Adds devices; `None` if one of them cannot be inspected.
    pub fn add<'a>(&mut self, devices: impl Iterator<Item = &'a DeviceFacts>) -> Option<()> {
        for device in devices {
            self.names.push(device.name.clone());
            if !moves_as_much(device) {
                return None;
            }
            let is_loop = device.loop_direct.is_some() || device.loop_file.is_some();
            if is_loop {
                let file = device.loop_file.as_ref().filter(|file| !file.below.is_empty())?;
                self.add(file.below.iter())?;
            } else if device.made_of.is_empty() && device.partition_of.is_none() {
                self.bottom.push(device.number?);
            }
        }
        Some(())
    }
}

/// Whether the devices below move at least the bytes requested. Unknown for a volume whose table cannot be read.
fn moves_as_much(device: &DeviceFacts) -> bool {
    let Some(mapped) = &device.mapped else { return true };
    // `START LENGTH TARGET ..`
    let target = |line: &String| line.split_whitespace().nth(2).map(str::to_owned);
    let knows_all = |line: &String| target(line).is_some_and(|name| !FEWER_BYTES.contains(&name.as_str()));
    !mapped.table.is_empty() && mapped.table.iter().all(knows_all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{LoopFile, MappedFacts, MountFacts, TargetKind};

    fn device(name: &str, number: u32) -> DeviceFacts {
        DeviceFacts { name: name.to_owned(), number: Some((8, number)), ..DeviceFacts::default() }
    }

    fn volume(table: &[&str]) -> DeviceFacts {
        let table = table.iter().map(|line| (*line).to_owned()).collect();
        let mapped = Some(MappedFacts { table, ..MappedFacts::default() });
        DeviceFacts { mapped, made_of: vec!["sda1".into()], ..device("dm-0", 90) }
    }

    fn partition() -> DeviceFacts {
        DeviceFacts { partition_of: Some("sda".into()), ..device("sda1", 1) }
    }

    fn target(device: DeviceFacts, below: Vec<DeviceFacts>) -> TargetFacts {
        TargetFacts { kind: TargetKind::File, device: Some(device), below, ..TargetFacts::default() }
    }

    fn bottom(target: &TargetFacts) -> Option<Vec<u32>> {
        Some(target.carriers()?.bottom.into_iter().map(|(_, minor)| minor).collect())
    }

    #[test]
    fn the_bottom_is_below_partitions_volumes_and_arrays() {
        assert_eq!(bottom(&target(device("sda", 0), Vec::new())), Some(vec![0]));
        assert_eq!(bottom(&target(partition(), vec![device("sda", 0)])), Some(vec![0]));
        let on = |table: &[&str]| bottom(&target(volume(table), vec![partition(), device("sda", 0)]));
        assert_eq!(on(&["0 2048 linear 8:1 0", "2048 8 striped 2 128 8:1 0 8:2 0"]), Some(vec![0]));
        for little in [&["0 2048 vdo V4 /dev/sda1"][..], &["0 8 linear 8:1 0", "8 8 zero"], &["0 8"], &[]] {
            assert_eq!(on(little), None, "{little:?}");
        }
        let array = DeviceFacts { made_of: vec!["sdb".into(), "sdc".into()], ..device("md0", 91) };
        let found = target(array, vec![device("sdc", 32), device("sdb", 16)]).carriers().unwrap();
        assert_eq!(found.names, ["md0", "sdc", "sdb"]);
        assert_eq!(found.bottom, [(8, 16), (8, 32)]);
    }

    #[test]
    fn a_file_of_a_server_is_carried_by_the_client() {
        let on = |filesystem: &str| {
            let mount = MountFacts {
                mount_point: "/backup".into(),
                filesystem: filesystem.into(),
                ..MountFacts::default()
            };
            let file = TargetFacts { kind: TargetKind::File, mount: Some(mount), ..TargetFacts::default() };
            Some(file.carriers()?.nfs?.mount_point)
        };
        assert_eq!((on("nfs"), on("nfs4")), (Some("/backup".into()), Some("/backup".into())));
        assert_eq!((on("fuse.sshfs"), on("cifs")), (None, None), "they count nothing for a mount");
    }

    #[test]
    fn the_bottom_of_a_loop_device_is_that_of_its_file() {
        let on = |below: Vec<DeviceFacts>| DeviceFacts {
            loop_direct: Some(true),
            loop_file: Some(LoopFile { below, ..LoopFile::default() }),
            ..device("loop0", 70)
        };
        let inner = on(vec![partition(), device("sda", 0)]);
        assert_eq!(bottom(&target(inner.clone(), Vec::new())), Some(vec![0]));
        assert_eq!(bottom(&target(on(vec![inner]), Vec::new())), Some(vec![0]));
        // On tmpfs, NFS, and one whose file is not known.
        assert_eq!(bottom(&target(on(Vec::new()), Vec::new())), None);
        let unknown = DeviceFacts { loop_direct: Some(true), ..device("loop0", 70) };
        assert_eq!(bottom(&target(unknown, Vec::new())), None);
        assert_eq!(bottom(&TargetFacts { kind: TargetKind::File, ..TargetFacts::default() }), None);
        let generic = TargetFacts { kind: TargetKind::CharDevice, ..target(device("sda", 0), Vec::new()) };
        assert_eq!(bottom(&generic), None);
    }
}
