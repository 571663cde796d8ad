//! An interval of time.
//!
//! Must not know what happened in it.

/// The permitted overlap of intervals: tools report times in whole seconds.
const MOST_OVERLAP_MS: i64 = 1_000;

/// An interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Milliseconds of the epoch.
    pub start_ms: i64,
    /// Its length in milliseconds; never 0.
    pub length_ms: u32,
}

impl Span {
    /// From one time to another; `None` if it has no length or more than 49 days.
    pub fn between(start_ms: i64, end_ms: i64) -> Option<Self> {
        let length_ms = u32::try_from(end_ms.checked_sub(start_ms)?).ok().filter(|&length| length > 0)?;
        Some(Self { start_ms, length_ms })
    }

    /// Its end, in milliseconds of the epoch.
    pub const fn end_ms(self) -> i64 {
        self.start_ms + self.length_ms as i64
    }

    /// Whether both cover the same time, apart from the rounding of a tool.
    pub fn overlaps(self, other: Self) -> bool {
        let common = self.end_ms().min(other.end_ms()) - self.start_ms.max(other.start_ms);
        let shorter = i64::from(self.length_ms.min(other.length_ms));
        common > MOST_OVERLAP_MS.min(shorter / 4)
    }
}
