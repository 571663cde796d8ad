//! Which writes to a region have completed, while a load runs: they begin in order and end in any order.
//!
//! Memory is taken once. Must not know time, nor what the writes carry.

use super::expected::GenerationRange;
use super::passes::Passes;

/// Most failed writes whose slots were not written again, each remembered separately.
const MOST_DOUBTS: usize = 64;

/// Which writes have begun, and which are over.
#[derive(Clone, Debug)]
pub struct Progress {
    /// The number of the next write.
    begun: u64,
    /// All writes below are over.
    over_below: u64,
    /// A bit for each write from there on, in a ring.
    over: Vec<u64>,
    /// Writes that may begin while the one at `over_below` is not over.
    window: u64,
    /// Failed writes: their slots may or may not hold them.
    doubts: Vec<u64>,
    /// The same applies to all below, because there were too many.
    doubt_below: u64,
}

impl Progress {
    /// Nothing has begun; this many writes may lie between the oldest that is not over and the newest, at most
    /// the number of slots.
    pub fn new(window: u64, slots: u64) -> Self {
        let window = window.min(slots).max(1);
        let words = usize::try_from(window.div_ceil(64)).unwrap_or(1).next_power_of_two();
        let doubts = Vec::with_capacity(MOST_DOUBTS);
        Self { begun: 0, over_below: 0, over: vec![0; words], window, doubts, doubt_below: 0 }
    }

    /// The number of the next write.
    pub const fn begun(&self) -> u64 {
        self.begun
    }

    /// Every write below is over, successful or not.
    pub const fn over_below(&self) -> u64 {
        self.over_below
    }

    /// The number of a write that begins now; `None` while one lags too far behind.
    #[inline]
    pub const fn begin(&mut self) -> Option<u64> {
        if self.begun - self.over_below >= self.window {
            return None;
        }
        self.begun += 1;
        Some(self.begun - 1)
    }

    /// A write has completed.
    #[inline]
    pub fn end(&mut self, number: u64) {
        let (word, bit) = self.bit(number);
        self.over[word] |= bit;
        loop {
            let (word, bit) = self.bit(self.over_below);
            if self.over_below >= self.begun || self.over[word] & bit == 0 {
                return;
            }
            self.over[word] &= !bit;
            self.over_below += 1;
        }
    }

    /// A write has failed, or was given up.
    pub fn fail(&mut self, number: u64, passes: &Passes) {
        self.end(number);
        if self.doubts.len() == MOST_DOUBTS {
            // What was written since is no longer in doubt.
            let superseded = |&old: &u64| {
                let next = old + passes.slots();
                next < self.over_below && next != number && !self.doubts.contains(&next)
            };
            if let Some(settled) = self.doubts.iter().position(superseded) {
                self.doubts.swap_remove(settled);
            }
        }
        if self.doubts.len() < MOST_DOUBTS {
            self.doubts.push(number);
        } else {
            self.doubt_below = self.doubt_below.max(number + 1);
        }
    }

    /// Every write below is complete, and its slot certainly contains it or a later one. Only a flush shows which of these are durable.
    pub fn sure_below(&self, passes: &Passes) -> u64 {
        // A slot that was written again since is in doubt no longer.
        let in_doubt = |&&number: &&u64| {
            let next = number + passes.slots();
            next >= self.over_below || self.doubts.contains(&next)
        };
        let first = self.doubts.iter().filter(in_doubt).copied().min().unwrap_or(u64::MAX);
        let many =
            if self.over_below >= self.doubt_below.saturating_add(passes.slots()) { u64::MAX } else { 0 };
        let none = self.doubt_below == 0;
        self.over_below.min(first).min(if none { u64::MAX } else { many })
    }

    /// What the slot at a position may hold now.
    #[inline]
    pub fn expected(&self, position: u64, passes: &Passes) -> GenerationRange {
        let newest = passes.after(position, self.begun);
        let mut oldest = newest;
        while oldest > 0 {
            let number = passes.number(position, oldest);
            if number < self.doubt_below {
                oldest = 0;
            } else if self.is_sure(number) {
                break;
            } else {
                oldest -= 1;
            }
        }
        GenerationRange { oldest, newest }
    }

    /// Whether a write is over and succeeded.
    #[inline]
    fn is_sure(&self, number: u64) -> bool {
        let (word, bit) = self.bit(number);
        let is_over = number < self.over_below || self.over[word] & bit != 0;
        is_over && !self.doubts.contains(&number)
    }

    /// The position of a write's bit.
    #[inline]
    fn bit(&self, number: u64) -> (usize, u64) {
        let word = usize::try_from(number / 64).unwrap_or(0) & (self.over.len() - 1);
        (word, 1 << (number % 64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_writes_are_on_their_way_than_the_window_is_wide() {
        for (window, slots, most) in [(4, 100, 4), (100, 3, 3), (0, 9, 1)] {
            let mut progress = Progress::new(window, slots);
            let mut begun = 0;
            while progress.begin().is_some() {
                begun += 1;
                assert!(begun <= most, "{window} {slots}");
            }
            assert_eq!(begun, most, "{window} {slots}");
            // A later one that is over makes no room, the oldest does.
            if most > 1 {
                progress.end(1);
                assert_eq!(progress.begin(), None);
            }
            progress.end(0);
            assert_eq!(progress.begin(), Some(most));
        }
    }
}
