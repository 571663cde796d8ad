//! How the kernel ranks this process among others. Must not gather anything.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The I/O level of a process with nice value 0.
const USUAL_LEVEL: u8 = 4;
/// The default weight of a control group.
pub const USUAL_WEIGHT: u64 = 100;
/// The default CPU weight in version 1 of the hierarchy.
pub const USUAL_SHARES: u64 = 1024;
/// From this nice value on a process gets a tenth of the CPU time of one with 0, if both want all of it.
const FAR_BEHIND: i32 = 10;

/// Priorities of this process; `None` if the kernel does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessPriority {
    /// From -20, which is first, to 19.
    pub nice: Option<i32>,
    /// Class and level of its I/O.
    pub io: Option<IoPriority>,
    /// The rule by which it gets CPU time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<SchedulingPolicy>,
}

/// A scheduling policy, as `chrt` sets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SchedulingPolicy {
    /// SCHED_OTHER: the usual one.
    Other,
    /// SCHED_BATCH: slightly disadvantaged when it wakes.
    Batch,
    /// SCHED_IDLE: only when almost nothing else wants the CPU.
    Idle,
    /// SCHED_FIFO: before all of the above.
    Fifo,
    /// SCHED_RR: the same, in turn.
    RoundRobin,
    /// SCHED_DEADLINE: before even those.
    Deadline,
}

/// Class and level, as `ionice` shows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IoPriority {
    /// Its class.
    pub class: IoClass,
    /// From 0, which is first, to 7; without a meaning in the classes `none` and `idle`.
    pub level: u8,
}

/// The class of a process' I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IoClass {
    /// Not set: best effort, at a level that follows from the nice value.
    None,
    /// Before all other classes.
    Realtime,
    /// The usual class.
    BestEffort,
    /// Only while nothing else uses the device.
    Idle,
}

/// The rank of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// Like others.
    Usual,
    /// Slightly before or after them.
    Shifted,
    /// So far behind them that others are served first.
    Behind,
}

impl IoPriority {
    /// From the value of `ioprio_get`; `None` for an unknown class.
    pub fn from_kernel(value: u32) -> Option<Self> {
        let class = match value >> 13 & 7 {
            0 => IoClass::None,
            1 => IoClass::Realtime,
            2 => IoClass::BestEffort,
            3 => IoClass::Idle,
            _ => return None,
        };
        Some(Self { class, level: u8::try_from(value & 7).ok()? })
    }

    /// Some kernels report the level that follows from the nice value if none was set.
    fn rank(self, nice: i32) -> Rank {
        let of_nice = u8::try_from((nice + 20) / 5).ok();
        match self.class {
            IoClass::None => Rank::Usual,
            IoClass::Idle => Rank::Behind,
            IoClass::BestEffort if self.level == USUAL_LEVEL || Some(self.level) == of_nice => Rank::Usual,
            IoClass::BestEffort if self.level > USUAL_LEVEL => Rank::Behind,
            IoClass::BestEffort | IoClass::Realtime => Rank::Shifted,
        }
    }
}

impl SchedulingPolicy {
    /// From the value of `sched_getscheduler`, with or without the bit for children; `None` for an unknown policy.
    pub const fn from_kernel(value: u32) -> Option<Self> {
        const RESET_ON_FORK: u32 = 0x4000_0000;
        Some(match value & !RESET_ON_FORK {
            0 => Self::Other,
            1 => Self::Fifo,
            2 => Self::RoundRobin,
            3 => Self::Batch,
            5 => Self::Idle,
            6 => Self::Deadline,
            _ => return None,
        })
    }

    /// Its name in the manuals.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Other => "SCHED_OTHER",
            Self::Batch => "SCHED_BATCH",
            Self::Idle => "SCHED_IDLE",
            Self::Fifo => "SCHED_FIFO",
            Self::RoundRobin => "SCHED_RR",
            Self::Deadline => "SCHED_DEADLINE",
        }
    }

    const fn rank(self) -> Rank {
        match self {
            Self::Other => Rank::Usual,
            Self::Idle => Rank::Behind,
            Self::Batch | Self::Fifo | Self::RoundRobin | Self::Deadline => Rank::Shifted,
        }
    }
}

impl ProcessPriority {
    /// The rank of the process, as far as it is known.
    pub fn rank(&self) -> Rank {
        let nice = self.nice.unwrap_or(0);
        let of_nice = match nice {
            0 => Rank::Usual,
            FAR_BEHIND.. => Rank::Behind,
            _ => Rank::Shifted,
        };
        let of_policy = self.policy.map_or(Rank::Usual, SchedulingPolicy::rank);
        self.io.map_or(Rank::Usual, |io| io.rank(nice)).max(of_nice).max(of_policy)
    }

    /// What is known: `nice 19, I/O class idle`; of policies only an unusual one.
    pub fn told(&self) -> Option<String> {
        let nice = self.nice.map(|nice| format!("nice {nice}"));
        let policy = self.policy.filter(|policy| *policy != SchedulingPolicy::Other);
        let policy = policy.map(|policy| format!("policy {}", policy.name()));
        let parts: Vec<String> =
            nice.into_iter().chain(self.io.map(|io| io.to_string())).chain(policy).collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

impl fmt::Display for IoPriority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.class {
            IoClass::None => f.write_str("usual I/O class"),
            IoClass::Idle => f.write_str("I/O class idle"),
            IoClass::Realtime => write!(f, "I/O class realtime {}", self.level),
            IoClass::BestEffort => write!(f, "I/O class best-effort {}", self.level),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank(nice: i32, io: u32) -> Rank {
        ProcessPriority { nice: Some(nice), io: IoPriority::from_kernel(io), policy: None }.rank()
    }

    #[test]
    fn who_is_behind_others() {
        const BEST_EFFORT: u32 = 2 << 13;
        assert_eq!([rank(0, 0), rank(0, 4), rank(0, BEST_EFFORT | 4)], [Rank::Usual; 3]);
        assert_eq!(rank(5, BEST_EFFORT | 5), Rank::Shifted, "the level follows from nice");
        assert_eq!([rank(-5, 0), rank(9, 0), rank(0, 1 << 13)], [Rank::Shifted; 3]);
        assert_eq!(rank(0, BEST_EFFORT | 3), Rank::Shifted);
        assert_eq!([rank(10, 0), rank(19, 0)], [Rank::Behind; 2]);
        assert_eq!([rank(0, 3 << 13), rank(0, BEST_EFFORT | 7)], [Rank::Behind; 2]);
        assert_eq!(ProcessPriority::default().rank(), Rank::Usual);
        assert_eq!(IoPriority::from_kernel(5 << 13), None);
    }

    #[test]
    fn a_policy_of_its_own_is_told_and_ranked() {
        let of = |value| {
            let policy = SchedulingPolicy::from_kernel(value);
            let priority = ProcessPriority { nice: Some(0), io: None, policy };
            (priority.rank(), priority.told().unwrap())
        };
        assert_eq!(of(0), (Rank::Usual, "nice 0".to_owned()));
        assert_eq!(of(5), (Rank::Behind, "nice 0, policy SCHED_IDLE".to_owned()));
        assert_eq!(of(3), (Rank::Shifted, "nice 0, policy SCHED_BATCH".to_owned()));
        assert_eq!(of(1 | 0x4000_0000), (Rank::Shifted, "nice 0, policy SCHED_FIFO".to_owned()));
        assert_eq!(SchedulingPolicy::from_kernel(7), None);
    }

    #[test]
    fn words_are_those_of_the_tools() {
        let told = |nice, io| ProcessPriority { nice, io: IoPriority::from_kernel(io), policy: None }.told();
        assert_eq!(told(Some(19), 3 << 13 | 7).as_deref(), Some("nice 19, I/O class idle"));
        assert_eq!(told(None, 2 << 13 | 6).as_deref(), Some("I/O class best-effort 6"));
        assert_eq!(told(Some(0), 0).as_deref(), Some("nice 0, usual I/O class"));
        assert_eq!(told(None, 5 << 13), None);
    }
}
