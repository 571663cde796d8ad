//! Facts of a mounted filesystem. Must not gather anything.

use serde::{Deserialize, Serialize};

/// One mount, from /proc/self/mountinfo. All text is printable ([`crate::path_text`]).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MountFacts {
    /// Where it is mounted.
    pub mount_point: String,
    /// Type of the filesystem.
    pub filesystem: String,
    /// What is mounted: a device, an export of a server.
    pub source: String,
    /// Options of the mount and of the filesystem, each as written: `relatime`, `rsize=1048576`.
    pub options: Vec<String>,
    /// Kernel name of the block device below it.
    pub device: Option<String>,
    /// For an overlay: the filesystem of the layer that has or will get the file; `None` if that is not visible from here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lies_on: Option<String>,
}

impl MountFacts {
    /// Whether an option without a value is set.
    pub fn has(&self, option: &str) -> bool {
        self.options.iter().any(|found| found == option)
    }

    /// The value of an option `name=value`; the last one counts.
    pub fn value(&self, name: &str) -> Option<&str> {
        let of = |option: &'_ String| option.split_once('=').is_some_and(|(found, _)| found == name);
        let option = self.options.iter().rev().find(|option| of(option))?;
        option.split_once('=').map(|(_, value)| value)
    }

    /// The same as a number.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.value(name)?.parse().ok()
    }

    /// Whether it is NFS, of any version.
    pub fn is_nfs(&self) -> bool {
        matches!(self.filesystem.as_str(), "nfs" | "nfs4")
    }
}
