//! A least-recently-used cache.
//!
//! Knows only line numbers. Must not know a time.

use std::collections::HashMap;

/// No line.
const NONE: u32 = u32::MAX;

/// The lines that it holds, in the order of their last use.
#[derive(Debug)]
pub(super) struct Lru {
    most: usize,
    places: HashMap<u64, u32>,
    lines: Vec<Line>,
    newest: u32,
    oldest: u32,
}

#[derive(Clone, Copy, Debug)]
struct Line {
    key: u64,
    newer: u32,
    older: u32,
}

impl Lru {
    /// An empty one for this many lines, at least one.
    pub(super) fn new(most: u64) -> Self {
        let most = usize::try_from(most).unwrap_or(usize::MAX).clamp(1, NONE as usize - 1);
        Self { most, places: HashMap::new(), lines: Vec::new(), newest: NONE, oldest: NONE }
    }

    /// Uses a line and stores it; returns whether it was present.
    pub(super) fn touch(&mut self, key: u64) -> bool {
        if let Some(&place) = self.places.get(&key) {
            self.unlink(place);
            self.link(place);
            return true;
        }
        let place = if self.lines.len() < self.most {
            self.lines.push(Line { key, newer: NONE, older: NONE });
            u32::try_from(self.lines.len() - 1).unwrap_or(NONE)
        } else {
            let oldest = self.oldest;
            self.unlink(oldest);
            let line = &mut self.lines[oldest as usize];
            self.places.remove(&line.key);
            line.key = key;
            oldest
        };
        self.places.insert(key, place);
        self.link(place);
        false
    }

    fn unlink(&mut self, place: u32) {
        let Line { newer, older, .. } = self.lines[place as usize];
        match self.lines.get_mut(newer as usize) {
            Some(line) => line.older = older,
            None => self.newest = older,
        }
        match self.lines.get_mut(older as usize) {
            Some(line) => line.newer = newer,
            None => self.oldest = newer,
        }
    }

    fn link(&mut self, place: u32) {
        let before = self.newest;
        let line = &mut self.lines[place as usize];
        (line.newer, line.older) = (NONE, before);
        match self.lines.get_mut(before as usize) {
            Some(line) => line.newer = place,
            None => self.oldest = place,
        }
        self.newest = place;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_used_for_the_longest_time_goes_first() {
        let mut lru = Lru::new(3);
        assert_eq!([1, 2, 3].map(|key| lru.touch(key)), [false; 3]);
        assert!(lru.touch(1));
        // 2 is the oldest now.
        assert!(!lru.touch(4));
        assert_eq!([1, 3, 4].map(|key| lru.touch(key)), [true; 3]);
        assert!(!lru.touch(2) && !lru.touch(1));
        let mut one = Lru::new(0);
        assert_eq!([5, 5, 6, 5].map(|key| one.touch(key)), [false, true, false, false]);
    }

    /// The law of uniform reads.
    #[test]
    fn a_full_cache_holds_its_part_of_uniform_reads() {
        use rigel_core::load::draw::Generator;
        for (held, lines) in [(100_u32, 1000_u32), (500, 1000), (1000, 1000)] {
            let (mut lru, mut generator) = (Lru::new(held.into()), Generator::new(7, &[1]));
            let mut hits = 0;
            for turn in 0..60_000 {
                let key = (generator.unit() * f64::from(lines)).floor().to_bits();
                hits += i32::from(lru.touch(key) && turn >= 20_000);
            }
            let share = f64::from(hits) / 40_000.0;
            assert!((share - f64::from(held) / f64::from(lines)).abs() < 0.01, "{held}: {share}");
        }
    }
}
