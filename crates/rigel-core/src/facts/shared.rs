//! Targets that lie on the same device, as far as this host can see: files of one disk, partitions, volumes of one group.
//!
//! What an array does with a disk is not visible. Must not look at a device.

use super::TargetFacts;
use std::collections::BTreeMap;

/// A device below several targets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedDevice {
    /// Its kernel name.
    pub name: String,
    /// The numbers of the targets, ascending.
    pub targets: Vec<usize>,
}

/// The devices below several targets; of those below the same targets, the lowest.
pub fn shared_devices(targets: &[TargetFacts]) -> Vec<SharedDevice> {
    let mut users: BTreeMap<&str, (usize, Vec<usize>)> = BTreeMap::new();
    for (number, target) in targets.iter().enumerate() {
        for (depth, name) in names(target).into_iter().enumerate() {
            let (deepest, users) = users.entry(name).or_default();
            *deepest = depth.max(*deepest);
            if users.last() != Some(&number) {
                users.push(number);
            }
        }
    }
    let mut lowest: BTreeMap<Vec<usize>, (usize, &str)> = BTreeMap::new();
    for (name, (depth, targets)) in users.into_iter().filter(|(_, (_, targets))| targets.len() > 1) {
        let known = lowest.entry(targets).or_insert((depth, name));
        if depth > known.0 {
            *known = (depth, name);
        }
    }
    lowest.into_iter().map(|(targets, (_, name))| SharedDevice { name: name.to_owned(), targets }).collect()
}

/// The devices of a target, the topmost first.
fn names(target: &TargetFacts) -> Vec<&str> {
    let own = target.device.iter().chain(&target.below);
    let mut all: Vec<&str> = Vec::new();
    for device in own {
        all.push(&device.name);
        all.extend(device.loop_file.iter().flat_map(|file| &file.below).map(|below| below.name.as_str()));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::DeviceFacts;

    fn on(path: &str, device: &str, below: &[&str]) -> TargetFacts {
        let named = |name: &&str| DeviceFacts { name: (*name).to_owned(), ..DeviceFacts::default() };
        TargetFacts {
            path: path.to_owned(),
            device: Some(named(&device)),
            below: below.iter().map(named).collect(),
            ..TargetFacts::default()
        }
    }

    #[test]
    fn partitions_and_files_of_one_disk_are_told_and_others_are_not() {
        let found = |targets: &[TargetFacts]| -> Vec<(String, Vec<usize>)> {
            shared_devices(targets).into_iter().map(|one| (one.name, one.targets)).collect()
        };
        let partitions = [on("a", "sda1", &["sda"]), on("b", "sdb", &[]), on("c", "sda2", &["sda"])];
        assert_eq!(found(&partitions), [("sda".to_owned(), vec![0, 2])]);
        // Both files are on dm-0, which is on sda: the disk is named.
        let files = [on("a", "dm-0", &["sda"]), on("b", "dm-0", &["sda"])];
        assert_eq!(found(&files), [("sda".to_owned(), vec![0, 1])]);
        assert_eq!(found(&[on("a", "sda", &[]), on("b", "sdb", &[])]), []);
        let simulated = [TargetFacts::simulated(1 << 20), TargetFacts::simulated(1 << 20)];
        assert_eq!(found(&simulated), []);
    }
}
