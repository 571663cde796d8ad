//! Changes of the targets and of the I/O limits during a run, as plain data.
//!
//! They are checked after every visit, limits also during it. Only differences are kept. Must not gather
//! anything, and must not judge the effect of a change on a number.

use super::{Identity, TargetFacts};
use crate::path_text;
use serde::{Deserialize, Serialize};

/// What changed since the run began.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changes {
    /// Targets, in the order of the plan; one with several changes appears several times.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<ChangedTarget>,
    /// The I/O limits of the control groups now, as in [`super::CgroupFacts::io_max`]; `None` if they have not changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub io_max: Option<Vec<String>>,
    /// When these limits changed during the load, even if they were restored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub io_max_changes: Vec<LimitsChange>,
}

/// A change of I/O limits, each as in [`super::CgroupFacts::io_max`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LimitsChange {
    /// When it was noticed, on the run's clock; it happened after the previous check.
    pub at_ns: u64,
    /// At the previous check.
    pub before: Vec<String>,
    /// Since then.
    pub now: Vec<String>,
}

impl Changes {
    /// Whether nothing changed.
    pub const fn is_none(&self) -> bool {
        self.targets.is_empty() && self.io_max.is_none() && self.io_max_changes.is_empty()
    }
}

impl LimitsChange {
    /// Most changes stored per visit; later ones are dropped.
    pub const MOST: usize = 64;
}

/// One change to one target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedTarget {
    /// Index of the target.
    pub target: u16,
    /// What changed.
    pub change: TargetChange,
}

/// What can happen to an open target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TargetChange {
    /// It has another size.
    Size {
        /// The new size.
        bytes: u64,
    },
    /// It no longer reports its size.
    NoSize {
        /// The reason.
        errno: i32,
    },
    /// Fewer bytes of a file are allocated than before, and fewer than its size: part of it was truncated or punched out.
    Allocated {
        /// Bytes allocated now.
        bytes: u64,
    },
    /// The open file was deleted.
    NoName,
    /// Its path leads to something else; `None`: to nothing.
    OtherAtPath {
        /// What the path leads to now.
        now: Option<Identity>,
    },
    /// Its filesystem, or the device, refuses writes now.
    ReadOnly,
    /// Another run of Rigel loads it as well.
    LoadedToo {
        /// The other run's process, if visible from here.
        process: Option<u32>,
    },
}

impl TargetChange {
    /// The rank of each kind of change in reports.
    pub const fn kind(self) -> u8 {
        match self {
            Self::Size { .. } => 0,
            Self::NoSize { .. } => 1,
            Self::Allocated { .. } => 2,
            Self::NoName => 3,
            Self::OtherAtPath { .. } => 4,
            Self::ReadOnly => 5,
            Self::LoadedToo { .. } => 6,
        }
    }
}

impl ChangedTarget {
    /// What happened, as a sentence without a full stop; `targets` are those of the run.
    pub fn sentence(&self, targets: &[TargetFacts]) -> String {
        let facts = targets.get(usize::from(self.target));
        let path = facts.map_or("?", |target| target.path.as_str());
        let path = path_text::printable(path);
        match self.change {
            TargetChange::Size { bytes } => {
                let before = facts.map_or_else(String::new, |facts| format!(", not {}", facts.size_bytes));
                format!("{path} has {bytes} bytes{before}")
            }
            TargetChange::NoSize { errno } => {
                format!("{path} no longer reports its size: {}", crate::errno::text(errno))
            }
            TargetChange::Allocated { bytes } => {
                format!(
                    "only {bytes} bytes of {path} are still allocated: part of it was truncated or punched out"
                )
            }
            TargetChange::NoName => {
                format!("{path} was deleted; the file that was open was measured to the end")
            }
            TargetChange::OtherAtPath { now: Some(_) } => {
                format!(
                    "{path} is a different file or device now; the one that was open was measured to the end"
                )
            }
            TargetChange::OtherAtPath { now: None } => {
                format!("{path} no longer exists; the file or device that was open was measured to the end")
            }
            TargetChange::ReadOnly => format!("{path} became read-only"),
            TargetChange::LoadedToo { process } => {
                format!("another run of Rigel loaded {path} at the same time{}", by(process))
            }
        }
    }

    /// Whether I/Os may have hit a range that no longer has data. Their numbers then say nothing about the target.
    pub fn takes_data(&self, targets: &[TargetFacts]) -> bool {
        match self.change {
            TargetChange::Size { bytes } => {
                targets.get(usize::from(self.target)).is_none_or(|facts| bytes < facts.size_bytes)
            }
            TargetChange::NoSize { .. } | TargetChange::Allocated { .. } => true,
            TargetChange::NoName
            | TargetChange::OtherAtPath { .. }
            | TargetChange::ReadOnly
            | TargetChange::LoadedToo { .. } => false,
        }
    }
}

/// ` (process 1234)`.
pub fn by(process: Option<u32>) -> String {
    process.map_or_else(String::new, |number| format!(" (process {number})"))
}
