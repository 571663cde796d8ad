//! A read cache with a law: it answers fast what it holds, and evicts what was least recently used.
//!
//! It holds no bytes, only the numbers of lines. It must not know a time.

use std::collections::{BTreeMap, HashMap};

/// What it keeps and evicts as one.
pub(crate) const LINE_BYTES: u64 = 4096;

/// The lines that it holds, by when they were last used.
#[derive(Debug)]
pub(crate) struct Lru {
    most_lines: usize,
    used_at: HashMap<u64, u64>,
    lines: BTreeMap<u64, u64>,
    now: u64,
}

impl Lru {
    /// An empty one of this many bytes.
    pub(crate) fn new(bytes: u64) -> Self {
        let most_lines = usize::try_from(bytes / LINE_BYTES).unwrap_or(usize::MAX);
        Self { most_lines, used_at: HashMap::new(), lines: BTreeMap::new(), now: 0 }
    }

    /// Uses a range, and holds it from now on; whether all of it was there.
    pub(crate) fn holds(&mut self, offset_bytes: u64, length_bytes: u64) -> bool {
        let end = offset_bytes.saturating_add(length_bytes).div_ceil(LINE_BYTES);
        let missing = (offset_bytes / LINE_BYTES..end).filter(|line| !self.touch(*line)).count();
        missing == 0
    }

    fn touch(&mut self, line: u64) -> bool {
        self.now += 1;
        let before = self.used_at.insert(line, self.now);
        if let Some(at) = before {
            self.lines.remove(&at);
        }
        self.lines.insert(self.now, line);
        while self.lines.len() > self.most_lines {
            if let Some((_, oldest)) = self.lines.pop_first() {
                self.used_at.remove(&oldest);
            }
        }
        before.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_used_for_the_longest_time_goes_first() {
        let mut lru = Lru::new(2 * LINE_BYTES);
        let mut holds = |line: u64| lru.holds(line * LINE_BYTES, LINE_BYTES);
        assert_eq!([0, 1, 0, 2].map(&mut holds), [false, false, true, false]);
        // 1 went, and 0 stayed.
        assert_eq!([0, 1].map(&mut holds), [true, false]);
    }

    #[test]
    fn a_range_is_held_when_all_of_it_is() {
        let mut lru = Lru::new(16 * LINE_BYTES);
        assert!(!lru.holds(0, 2 * LINE_BYTES));
        assert!(lru.holds(LINE_BYTES - 1, 2));
        assert!(!lru.holds(LINE_BYTES, LINE_BYTES + 1));
        assert!(lru.holds(LINE_BYTES, LINE_BYTES + 1));
        let mut none = Lru::new(0);
        assert!(!none.holds(0, 1) && !none.holds(0, 1));
    }
}
