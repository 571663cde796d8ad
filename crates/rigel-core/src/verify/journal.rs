//! What has to be known of a region after a crash: up to where writes may have begun, and up to where they are durable.
//!
//! Two numbers, whatever the size of the region. They are written ahead, so that a line is due seldom and no write waits for its own. Must not
//! write them.

use serde::{Deserialize, Serialize};

/// A line of the journal, of one region.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Positions {
    /// No write with this number or a higher one has begun.
    pub reserved: u64,
    /// Every write below this number was durable.
    pub settled: u64,
}

/// The rule by which lines are due.
#[derive(Clone, Copy, Debug)]
pub struct Journal {
    written: Positions,
    slots: u64,
    ahead: u64,
}

impl Journal {
    /// Of a region of so many slots, whose journal ends with `written` and reserves `ahead` writes at a time, at least two.
    pub const fn new(slots: u64, written: Positions, ahead: u64) -> Self {
        Self { written, slots, ahead: if ahead < 2 { 2 } else { ahead } }
    }

    /// Whether a write may begin.
    #[inline]
    pub const fn admits(&self, number: u64) -> bool {
        number < self.written.reserved
    }

    /// The line to write next, when one is due: half of what was reserved is used up. `begun`: the number of the next write;
    /// `settled`: every write below is durable, by a flush that began after they ended. No slot is reserved for a second write while the
    /// first is not durable, so a slot never has more than two possible generations.
    pub fn due(&self, begun: u64, settled: u64) -> Option<Positions> {
        let most = settled.saturating_add(self.slots);
        let reserved = begun.saturating_add(self.ahead).min(most);
        let used_up = begun.saturating_add(self.ahead / 2) >= self.written.reserved;
        (used_up && reserved > self.written.reserved).then_some(Positions { reserved, settled })
    }

    /// A line is durable.
    pub const fn wrote(&mut self, line: Positions) {
        self.written = line;
    }

    /// What a crash would leave.
    pub const fn written(&self) -> Positions {
        self.written
    }
}
