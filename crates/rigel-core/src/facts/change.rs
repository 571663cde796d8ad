//! Changes of the targets and of the I/O limits during a run, as plain data.
//!
//! They are checked after every visit, limits also during it. Only differences are kept. Must not gather
//! anything, and must not judge the effect of a change on a number.

use super::{Identity, TargetFacts};
use crate::path_text;
use serde::{Deserialize, Serialize};

/// What is not as it was when the run began.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changes {
    /// Targets, in the order of the plan; one with several changes is there several times.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<ChangedTarget>,
    /// The I/O limits of the control groups now, as in [`super::CgroupFacts::io_max`]; `None` when they are the
    /// same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub io_max: Option<Vec<String>>,
    /// When these limits changed while the load continued, even if they were put back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub io_max_changes: Vec<LimitsChange>,
}

/// Other I/O limits than a moment before, each as in [`super::CgroupFacts::io_max`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LimitsChange {
    /// When it was seen, on the run's clock; it happened since the look before.
    pub at_ns: u64,
    /// At the look before.
    pub before: Vec<String>,
    /// From then on.
    pub now: Vec<String>,
}

impl Changes {
    /// Whether all is as it was.
    pub const fn is_none(&self) -> bool {
        self.targets.is_empty() && self.io_max.is_none() && self.io_max_changes.is_empty()
    }
}

impl LimitsChange {
    /// So many of a visit are kept, the first ones.
    pub const MOST: usize = 64;
}

/// One change of one target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedTarget {
    /// Index of the target.
    pub target: u16,
    /// What is different.
    pub change: TargetChange,
}

/// What can happen to a target that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TargetChange {
    /// It has another size.
    Size {
        /// Now.
        bytes: u64,
    },
    /// It does not tell its size any more.
    NoSize {
        /// Why.
        errno: i32,
    },
    /// Less of a file is allocated than before, and less than its size: a part of it was cut off or made a hole.
    Allocated {
        /// Now.
        bytes: u64,
    },
    /// The file that is open has no name any more.
    NoName,
    /// Its path leads to something else; `None`: to nothing.
    OtherAtPath {
        /// Who is there now.
        now: Option<Identity>,
    },
    /// Its filesystem, or the device, refuses writes now.
    ReadOnly,
    /// Another run of Rigel loads it as well.
    LoadedToo {
        /// Its process, where it can be seen from here.
        process: Option<u32>,
    },
}

impl TargetChange {
    /// A number for each kind of change, in the order in which they are reported.
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

    /// Whether I/Os may have hit a place that no longer has data. Their numbers are then not about the target.
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
