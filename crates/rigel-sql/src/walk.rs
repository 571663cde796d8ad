//! Where the reports of a session go: range after range through its own part of the table, cyclically.
//!
//! A session continues where it ended, whatever it asks next, so the kernel's read-ahead for it is used. Must not know what a
//! report does with its range.

use std::ops::Range;

/// Which session of a load it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub number: u32,
    pub of: u32,
}

/// The way of one session.
#[derive(Clone, Debug)]
pub struct Walk {
    part: Range<u32>,
    /// Blocks of a report.
    blocks: u32,
    read: u64,
    /// Where the last range ended.
    end: Option<u32>,
    jumps: u64,
}

impl Walk {
    /// Through these blocks of the table, this many with each report.
    pub const fn new(part: Range<u32>, blocks: u32) -> Self {
        Self { part, blocks, read: 0, end: None, jumps: 0 }
    }

    /// The same walk after this many reports.
    pub fn behind(self, reports: u64) -> Self {
        Self { read: reports, ..self }
    }

    /// The same walk with this many blocks for each report.
    pub fn by(self, blocks: u32) -> Self {
        Self { blocks, ..self }
    }

    /// Forgets what was read ahead, as before every load.
    pub const fn set_off(&mut self) {
        (self.end, self.jumps) = (None, 0);
    }

    /// The part of the session.
    pub fn own(&self, place: Place) -> Range<u32> {
        let each = (self.part.end - self.part.start) / place.of.max(1);
        let from = self.part.start + place.number * each;
        from..from + each
    }

    /// The next range.
    pub fn next(&mut self, place: Place) -> Range<u32> {
        let own = self.own(place);
        let reports = ((own.end - own.start) / self.blocks).max(1);
        let turn = self.read % u64::from(reports);
        self.read += 1;
        // Less than the reports of a table, of which there are less than 2^32.
        let from = own.start + u32::try_from(turn).unwrap_or(0) * self.blocks;
        self.jumps += u64::from(self.end != Some(from));
        let end = (from + self.blocks).min(self.part.end);
        self.end = Some(end);
        from..end
    }

    /// How often a range did not continue where the last one ended, including the first. After each such place, or
    /// where a session ends, something was read ahead that is not used.
    pub const fn jumps(&self) -> u64 {
        self.jumps
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sessions_share_the_part_and_read_whole_ranges(of in 1u32..9, blocks in 2u32..50, more in 0u32..300) {
            let part = 100..100 + of * blocks + more;
            let mut read = Vec::new();
            for number in 0..of {
                let mut walk = Walk::new(part.clone(), blocks);
                let rounds = part.len() / of as usize / blocks as usize;
                let own: Vec<_> = (0..2 * rounds).map(|_| walk.next(Place { number, of })).collect();
                prop_assert_eq!(&own[..rounds], &own[rounds..], "round and round");
                prop_assert!(own[..rounds].windows(2).all(|pair| pair[0].end == pair[1].start));
                read.extend(own.into_iter().take(rounds));
            }
            prop_assert!(read.iter().all(|range| range.len() == blocks as usize && range.end <= part.end));
            read.sort_by_key(|range| range.start);
            prop_assert!(read.windows(2).all(|pair| pair[0].end <= pair[1].start), "no block is read by two");
        }
    }

    #[test]
    fn a_session_goes_on_where_it_ended() {
        let mut walk = Walk::new(0..1000, 10);
        let alone = Place { number: 0, of: 1 };
        assert_eq!((walk.next(alone), walk.next(alone), walk.jumps()), (0..10, 10..20, 1));
        assert_eq!((walk.next(Place { number: 1, of: 4 }), walk.jumps()), (270..280, 2));
        walk.set_off();
        assert_eq!((walk.next(Place { number: 1, of: 4 }), walk.jumps()), (280..290, 1));
    }

    #[test]
    fn a_run_that_goes_on_asks_for_nothing_twice() {
        let alone = Place { number: 0, of: 1 };
        let mut walk = Walk::new(0..1000, 10).behind(99);
        assert_eq!((walk.next(alone), walk.next(alone), walk.jumps()), (990..1000, 0..10, 2));
    }
}
