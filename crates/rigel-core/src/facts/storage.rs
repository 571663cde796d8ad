//! What something was measured on, stored with the results: it shows whether another target lies on the same storage.
//!
//! Must not look at a target; its facts are given.

use super::TargetFacts;
use serde::{Deserialize, Serialize};

/// One target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Storage {
    /// Its path with links resolved, printable.
    path: String,
    /// Major and minor number of the device that it is, or that holds it.
    device: (u32, u32),
    /// What is mounted there: device numbers change at each boot.
    source: Option<String>,
    /// A scratch file: its path within the filesystem does not matter.
    scratch: bool,
}

impl Storage {
    /// The storage of a target.
    pub fn of(target: &TargetFacts) -> Self {
        Self {
            path: target.real_path.clone(),
            device: target.identity.device,
            source: target.mount.as_ref().map(|mount| mount.source.clone()),
            scratch: target.is_own_scratch(),
        }
    }

    /// Whether what was found here applies to `asked` as well: the same target; for a scratch file anything on the same
    /// filesystem.
    pub fn tells_of(&self, asked: &Self) -> bool {
        let is_same_device = self.device == asked.device && self.source == asked.source;
        is_same_device && (self.path == asked.path || self.scratch)
    }

    /// All targets as text to store.
    pub fn to_text(targets: &[TargetFacts]) -> String {
        let all: Vec<Self> = targets.iter().map(Self::of).collect();
        serde_json::to_string(&all).unwrap_or_default()
    }

    /// Reads that text; empty if another version of Rigel wrote it differently.
    pub fn read(text: &str) -> Vec<Self> {
        serde_json::from_str(text).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{Identity, MountFacts, ScratchFacts};

    fn target(path: &str, minor: u32, source: &str, own: bool) -> TargetFacts {
        TargetFacts {
            path: path.into(),
            real_path: path.into(),
            identity: Identity { device: (8, minor), inode: 7 },
            mount: Some(MountFacts { source: source.into(), ..MountFacts::default() }),
            scratch: Some(ScratchFacts { seed: 1, used_before: false, own, kept: false }),
            ..TargetFacts::default()
        }
    }

    #[test]
    fn a_scratch_file_tells_of_its_filesystem_and_of_no_other() {
        let kept = Storage::to_text(&[target("/data/rigel-scratch.dat", 1, "/dev/sda1", true)]);
        let [scratch] = Storage::read(&kept).try_into().unwrap();
        let tells = |asked: &TargetFacts| Storage::tells_of(&scratch, &Storage::of(asked));
        assert!(
            tells(&target("/data", 1, "/dev/sda1", false))
                && tells(&target("/data/pg", 1, "/dev/sda1", false))
        );
        assert!(!tells(&target("/data", 2, "/dev/sda1", false)), "another device");
        assert!(!tells(&target("/data", 1, "/dev/sdb1", false)), "the number was given to another one");
        let named = Storage::of(&target("/data/lun1", 1, "/dev/sda1", false));
        assert!(named.tells_of(&named.clone()), "the same file");
        assert!(!named.tells_of(&Storage::of(&target("/data", 1, "/dev/sda1", false))), "only of itself");
        assert!(Storage::read("").is_empty() && Storage::read("{}").is_empty());
    }
}
