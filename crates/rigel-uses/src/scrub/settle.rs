//! When a difference counts. The legs of a mirror that is in use differ while a write is on its way, so what differs is read again, with growing
//! pauses, until it is alike or every copy stayed the same over several reads. Must not wait on its own.

use super::map::BLOCK_BYTES;
use rigel_core::units::NS_PER_MS;
use std::hash::{DefaultHasher, Hasher as _};
use std::ops::Range;

/// Reads over which every copy has to stay the same.
const STABLE_LOOKS: u32 = 4;
/// Reads after which a range that still changes is given up.
pub const MOST_LOOKS: u32 = 10;
/// The first pause; each is twice as long as the previous one, up to [`LONGEST_PAUSE_NS`].
const FIRST_PAUSE_NS: u64 = 100 * NS_PER_MS;
const LONGEST_PAUSE_NS: u64 = 1_000 * NS_PER_MS;

/// Nanoseconds to wait before this look; the first is 0.
pub fn pause_ns(look: u32) -> u64 {
    FIRST_PAUSE_NS.checked_shl(look).map_or(LONGEST_PAUSE_NS, |ns| ns.min(LONGEST_PAUSE_NS))
}

/// One copy of a block, as a read saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyReading {
    /// A digest of its bytes, for this process only.
    Digest(u64),
    /// It could not be read: the error number.
    Failed(i32),
}

impl CopyReading {
    /// From the bytes of a block.
    pub fn of(bytes: &[u8]) -> Self {
        let mut hasher = DefaultHasher::new();
        hasher.write(bytes);
        Self::Digest(hasher.finish())
    }
}

/// The outcome for a block that differed at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettleOutcome {
    /// All copies are alike now: a write was in flight.
    Alike,
    /// They differ, or one cannot be read, and nothing changed over several reads.
    Differs,
    /// It kept changing, and was never alike.
    Restless,
}

/// A block that is being checked again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SettleCheck {
    last: Vec<CopyReading>,
    same: u32,
    looks: u32,
    settled: Option<SettleOutcome>,
}

impl SettleCheck {
    /// Adds what a read saw of every copy. What is settled stays settled.
    pub fn look(&mut self, seen: &[CopyReading]) {
        if self.settled.is_some() {
            return;
        }
        self.looks += 1;
        self.same = if self.last == seen { self.same + 1 } else { 1 };
        self.last = seen.to_vec();
        let first = seen.first();
        let alike =
            matches!(first, Some(CopyReading::Digest(_))) && seen.iter().all(|copy| Some(copy) == first);
        self.settled = match () {
            () if alike => Some(SettleOutcome::Alike),
            () if self.same >= STABLE_LOOKS => Some(SettleOutcome::Differs),
            () if self.looks >= MOST_LOOKS => Some(SettleOutcome::Restless),
            () => None,
        };
    }

    /// Its outcome; `None` while it has to be checked again.
    pub const fn settled(&self) -> Option<SettleOutcome> {
        self.settled
    }
}

/// The blocks in which copies of equal length differ, neighbours together, in bytes from the start of the copies.
pub fn differing(copies: &[&[u8]]) -> Vec<Range<u64>> {
    let Some((first, others)) = copies.split_first() else { return Vec::new() };
    let mut found: Vec<Range<u64>> = Vec::new();
    let step = usize::try_from(BLOCK_BYTES).unwrap_or(usize::MAX);
    for (index, block) in (0_u64..).zip(first.chunks(step)) {
        let start = usize::try_from(index * BLOCK_BYTES).unwrap_or(usize::MAX);
        if others.iter().all(|other| other.get(start..start + block.len()) == Some(block)) {
            continue;
        }
        let range = index * BLOCK_BYTES..index * BLOCK_BYTES + block.len() as u64;
        match found.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => found.push(range),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(looks: &[[u64; 2]]) -> Option<SettleOutcome> {
        let mut block = SettleCheck::default();
        looks.iter().for_each(|[a, b]| block.look(&[CopyReading::Digest(*a), CopyReading::Digest(*b)]));
        block.settled()
    }

    #[test]
    fn a_write_in_flight_goes_away_and_a_difference_stays() {
        assert_eq!(after(&[[1, 2], [2, 2]]), Some(SettleOutcome::Alike));
        assert_eq!(after(&[[1, 2]; 3]), None);
        assert_eq!(after(&[[1, 2]; 4]), Some(SettleOutcome::Differs));
        assert_eq!(after(&[[1, 2], [1, 2], [1, 2], [3, 2], [3, 2], [3, 2]]), None, "counted anew");
        let restless: Vec<[u64; 2]> = (0..10).map(|look| [look, look + 1]).collect();
        assert_eq!(after(&restless), Some(SettleOutcome::Restless));
        assert_eq!(after(&restless[..9]), None);
    }

    #[test]
    fn what_cannot_be_read_is_never_alike() {
        let mut block = SettleCheck::default();
        (0..STABLE_LOOKS).for_each(|_| block.look(&[CopyReading::Failed(5), CopyReading::Failed(5)]));
        assert_eq!(block.settled(), Some(SettleOutcome::Differs));
    }

    #[test]
    fn pauses_grow_to_a_second() {
        let pauses: Vec<u64> = (0..6).map(|look| pause_ns(look) / NS_PER_MS).collect();
        assert_eq!(pauses, [100, 200, 400, 800, 1000, 1000]);
        assert_eq!(pause_ns(200), LONGEST_PAUSE_NS);
    }

    #[test]
    fn blocks_that_differ_are_found_with_the_short_one_at_the_end() {
        let a = vec![0; 5 * 4096 + 10];
        let mut b = a.clone();
        assert!(differing(&[&a, &b]).is_empty());
        b[4096] = 1;
        b[3 * 4096 - 1] = 1;
        b[5 * 4096 + 9] = 1;
        assert_eq!(differing(&[&a, &b]), [4096..3 * 4096, 5 * 4096..5 * 4096 + 10]);
        assert_eq!(differing(&[&a, &a, &b]).len(), 2, "any copy counts");
    }
}
