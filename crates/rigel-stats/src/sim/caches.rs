//! Caches in a simulated device: which blocks they hold follows from what was read (least recently used), and how long a hit takes is constant.
//!
//! A full cache of C bytes answers, of uniform reads of S bytes, `min(1, C / S)`. Must not simulate.

use serde::{Deserialize, Serialize};

/// What a cache keeps and evicts as one: a read hits that finds all of its lines.
pub const LINE_BYTES: u64 = 8192;

/// A cache of a simulated device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheLevel {
    /// Bytes that it holds.
    pub bytes: u64,
    /// The service time of a hit, transfer included.
    pub service_ns: u64,
}

/// One cache, or two of which the second is asked when the first does not hold a block. Each keeps what it was asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SimCaches {
    /// The faster one.
    pub first: Option<CacheLevel>,
    /// The one behind it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub second: Option<CacheLevel>,
}

impl SimCaches {
    /// Whether there is none.
    pub(super) fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// # Errors
    /// The limit that a value breaks, as a sentence.
    pub(super) fn check(&self) -> Result<(), String> {
        const MOST_BYTES: u64 = 1 << 40;
        let mut all = [self.first, self.second].into_iter().flatten();
        if !all.all(|cache| (LINE_BYTES..=MOST_BYTES).contains(&cache.bytes) && cache.service_ns > 0) {
            return Err("a cache must hold 8 KiB to 1 TiB, and a hit must take some time".into());
        }
        Ok(())
    }
}
