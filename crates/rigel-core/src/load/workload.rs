//! Attributes of a load, in the words that ORION's users know.
//!
//! Must not know targets, points or time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Direction of the transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// From the target.
    Read,
    /// To the target; needs a write permit.
    Write,
}

crate::named!(Direction { Read: "read", Write: "write" });

/// How the targets form one virtual volume for streams (`-simulate`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layout {
    /// One target after the other.
    Concat,
    /// Striped over all targets.
    Raid0 {
        /// Bytes on one target before the next one's turn.
        stripe_bytes: u64,
    },
}

/// Share of writes in per cent, 0 to 100. Random I/O: a coin per I/O. Streams: the share of write-only streams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub struct WritePercent(u8);

impl WritePercent {
    /// Reads only.
    pub const NONE: Self = Self(0);
    /// Writes only.
    pub const ALL: Self = Self(100);

    /// `None` above 100.
    pub const fn new(percent: u8) -> Option<Self> {
        if percent <= 100 { Some(Self(percent)) } else { None }
    }

    /// 0 to 100.
    pub const fn get(self) -> u8 {
        self.0
    }

    /// Whether some I/O of the run writes.
    pub const fn writes(self) -> bool {
        self.0 > 0
    }

    /// Whether stream `index` of a point writes: of n streams, floor(n x share) do, so the share of write-only streams is as
    /// close below the requested one as whole streams allow.
    pub fn stream_writes(self, index: u32) -> bool {
        let share = u64::from(self.0);
        let upto = |n: u64| n * share / 100;
        upto(u64::from(index) + 1) > upto(u64::from(index))
    }
}

impl TryFrom<u8> for WritePercent {
    type Error = String;

    fn try_from(percent: u8) -> Result<Self, String> {
        Self::new(percent).ok_or_else(|| format!("a write share of {percent} per cent is above 100"))
    }
}

impl From<WritePercent> for u8 {
    fn from(share: WritePercent) -> Self {
        share.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn write_streams_follow_the_share() {
        for (percent, streams, writers) in
            [(0, 10, 0), (100, 10, 10), (50, 4, 2), (20, 10, 2), (33, 3, 0), (34, 3, 1)]
        {
            let share = WritePercent::new(percent).unwrap();
            let found = (0..streams).filter(|&i| share.stream_writes(i)).count();
            assert_eq!(found, writers, "{percent} % of {streams} streams");
        }
        assert_eq!(WritePercent::new(101), None);
    }
}
