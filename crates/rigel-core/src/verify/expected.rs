//! Which writes a place may hold. Must not know how that was determined.

/// The generations that a block may have: those from the oldest to the newest.
///
/// One, if the last write to it and all earlier ones are over; two, while one more is in flight, or was when the run was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GenerationRange {
    /// The last write that is certainly present; 0: none, and earlier contents may be.
    pub oldest: u64,
    /// The last write that may be present.
    pub newest: u64,
}

impl GenerationRange {
    /// Exactly that one.
    pub const fn only(generation: u64) -> Self {
        Self { oldest: generation, newest: generation }
    }

    /// Whether a block may have it.
    #[inline]
    pub const fn admits(self, generation: u64) -> bool {
        self.oldest <= generation && generation <= self.newest
    }

    /// Whether a write is not over: sectors of both are then no fault, because no device guarantees more than whole sectors.
    pub const fn is_open(self) -> bool {
        self.oldest < self.newest
    }

    /// What a read may see that began when `self` held and ends when `later` does.
    #[must_use]
    pub const fn until(self, later: Self) -> Self {
        Self {
            oldest: self.oldest,
            newest: if later.newest > self.newest { later.newest } else { self.newest },
        }
    }
}
