//! Which writes a place may hold. Must not know how that was determined.

/// The generations that a block may have: those from the oldest to the newest.
///
/// One, when the last write to it is over and everything before is; two, while one more is in flight, or was when the run was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GenerationRange {
    /// The last write that is certainly there; 0: none is, and what was there before may be.
    pub oldest: u64,
    /// The last write that may be there.
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

    /// Whether a write is not over: sectors of both are no fault then, because no device promises more than whole sectors.
    pub const fn is_open(self) -> bool {
        self.oldest < self.newest
    }

    /// What a read may see that began when `self` held and ended when `later` does.
    #[must_use]
    pub const fn until(self, later: Self) -> Self {
        Self {
            oldest: self.oldest,
            newest: if later.newest > self.newest { later.newest } else { self.newest },
        }
    }
}
