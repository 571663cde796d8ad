//! The order in which rows are looked up: every block once before any is repeated, over all sessions together.
//!
//! It jumps as random I/O does (`load::permutation`), so no cache smaller than the table can help. Must not know sessions.

use rigel_core::load::permutation::Permutation;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// A series that several sessions take from, each where the last one stopped.
#[derive(Debug)]
pub struct Series {
    order: Permutation,
    /// The places of the order that are taken, cyclically; of several nodes, each has its own.
    part: Range<u64>,
    next: AtomicU64,
}

/// What a session is working on, for others to see.
#[derive(Debug, Default)]
pub struct SessionWork(AtomicU64);

impl SessionWork {
    /// The length has this many bits, the start the others.
    const BITS: u32 = 20;

    /// Now these; less than 2^20, from less than 2^44 on.
    pub fn set(&self, range: &Range<u64>) {
        self.0.store(range.start << Self::BITS | (range.end - range.start), Ordering::Relaxed);
    }

    /// The current values.
    pub fn get(&self) -> Range<u64> {
        let both = self.0.load(Ordering::Relaxed);
        let from = both >> Self::BITS;
        from..from + both % (1 << Self::BITS)
    }
}

impl Series {
    /// Over this many blocks, at least one.
    pub fn new(blocks: u32, seed: u64) -> Self {
        let order = Permutation::new(u64::from(blocks), seed);
        Self { part: 0..order.count(), order, next: AtomicU64::new(0) }
    }

    /// Only this part of the same order. Whoever takes another part gets none of its blocks.
    pub fn within(self, part: Range<u64>) -> Self {
        Self { part, ..self }
    }

    /// The same series after this many blocks.
    pub fn behind(self, taken: u64) -> Self {
        Self { next: AtomicU64::new(taken), ..self }
    }

    /// The places of the next blocks in it.
    pub fn take(&self, count: u32) -> Range<u64> {
        let from = self.next.fetch_add(u64::from(count), Ordering::Relaxed);
        from..from.saturating_add(u64::from(count))
    }

    /// The blocks in these places.
    pub fn blocks(&self, places: Range<u64>) -> impl Iterator<Item = u32> + '_ {
        let (first, count) = (self.part.start, (self.part.end - self.part.start).max(1));
        // There are at most 2^32 - 2 blocks.
        places.map(move |place| u32::try_from(self.order.at(first + place % count)).unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn taken(series: &Series, count: u32) -> Vec<u32> {
        series.blocks(series.take(count)).collect()
    }

    proptest! {
        #[test]
        fn every_block_comes_once_in_each_round(blocks in 1u32..5000, seed: u64, part in 1u32..700) {
            let series = Series::new(blocks, seed);
            let mut all = Vec::new();
            while all.len() < 2 * blocks as usize {
                all.extend(taken(&series, part));
            }
            for round in all.chunks_exact(blocks as usize).take(2) {
                let mut sorted = round.to_vec();
                sorted.sort_unstable();
                prop_assert!(sorted.iter().copied().eq(0..blocks));
            }
        }
    }

    #[test]
    fn nodes_take_each_block_once_together() {
        let of = |part: Range<u64>, twice: u32| taken(&Series::new(1000, 7).within(part), twice);
        let all = [of(0..400, 800), of(400..1000, 1200)];
        let mut once: Vec<u32> = Vec::new();
        for blocks in &all {
            let (first, second) = blocks.split_at(blocks.len() / 2);
            assert_eq!(first, second, "round and round");
            once.extend(first);
        }
        once.sort_unstable();
        assert!(once.into_iter().eq(0..1000), "no block is that of two nodes");
    }

    #[test]
    fn a_series_goes_on_where_an_earlier_one_ended() {
        let (whole, first) = (taken(&Series::new(1000, 7), 30), taken(&Series::new(1000, 7), 12));
        let rest = taken(&Series::new(1000, 7).behind(12), 18);
        assert_eq!([first, rest].concat(), whole);
    }

    #[test]
    fn others_see_what_somebody_works_on() {
        let (series, in_work) = (Series::new(1000, 7).behind(1 << 43), SessionWork::default());
        assert!(in_work.get().is_empty());
        let places = series.take(1000);
        in_work.set(&places);
        assert_eq!(in_work.get(), places);
        in_work.set(&(0..0));
        assert!(in_work.get().is_empty());
    }

    #[test]
    fn neighbours_in_the_series_lie_anywhere_in_the_table() {
        let blocks = 1 << 20;
        let taken = |seed| taken(&Series::new(blocks, seed), 10_000);
        let all = taken(7);
        let jump: f64 =
            all.windows(2).map(|pair| f64::from(pair[0].abs_diff(pair[1]))).sum::<f64>() / 9_999.0;
        // A third of the table, as between two places drawn at random.
        assert!((jump / f64::from(blocks) - 1.0 / 3.0).abs() < 0.02, "{jump}");
        assert_ne!(all, taken(8));
        assert_eq!(Series::new(u32::MAX - 1, 7).blocks(0..100).count(), 100);
    }
}
