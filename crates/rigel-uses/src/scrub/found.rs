//! What a scrub found: ranges that differ, with digests, the first different bytes and which copy is right. Must not read anything.

use super::judge::{CopyJudgement, judge};
use super::map::{Chunk, hex};
use super::window::Window;
use rigel_core::facts::copies::Extent;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// Ranges that are listed; more are only counted.
pub const MOST_LISTED: usize = 10_000;
/// Bytes that are shown of each copy.
const SHOWN_BYTES: usize = 16;

/// One copy of a range that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RangeCopy {
    /// Place in the list of disks.
    pub disk: u16,
    /// First byte of the range on that disk.
    pub offset: u64,
    /// SHA-256 of the range; null if it could not be read.
    pub sha256: Option<String>,
    /// Why it could not be read: the error number of the system.
    pub errno: Option<i32>,
    /// 16 bytes, beginning with the first that differs; null if it could not be read.
    pub shows: Option<String>,
}

/// A range that differs, and still differed after several reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    /// First byte, counted over all compared bytes.
    pub at: u64,
    /// Bytes; a multiple of 4 KiB except at an end.
    pub len: u64,
    /// Its meaning for the program that manages the copies, if known.
    pub of: Option<Extent>,
    /// The first byte that differs, from `at`; null when a copy could not be read.
    pub first: Option<u64>,
    /// How many bytes differ from the first copy; 0 if none could be compared.
    pub differing_bytes: u64,
    /// Every copy: A, B and so on.
    pub copies: Vec<RangeCopy>,
    /// Which copy is right, by parts of the range.
    pub judged: Vec<CopyJudgement>,
}

impl Difference {
    /// From a range whose copies were read (or not: the error number). `around` contains the same bytes with their surroundings.
    pub fn new(range: &Chunk, of: Option<Extent>, read: &[Result<&[u8], i32>], around: &Window<'_>) -> Self {
        let whole: Vec<&[u8]> = read.iter().filter_map(|copy| copy.ok()).collect();
        let compared = whole.len() > 1 && whole.len() == read.len();
        let first = if compared { first_difference(&whole) } else { None };
        let from = first.unwrap_or(0);
        let found = |(place, copy): (&super::Place, &Result<&[u8], i32>)| RangeCopy {
            disk: place.disk,
            offset: place.offset,
            sha256: copy.ok().map(|bytes| hex(&Sha256::digest(bytes))),
            errno: copy.err(),
            shows: copy
                .ok()
                .and_then(|bytes| Some(hex(bytes.get(from..(from + SHOWN_BYTES).min(bytes.len()))?))),
        };
        Self {
            at: range.at,
            len: range.len,
            of,
            first: first.map(|first| first as u64),
            differing_bytes: if compared { differing_bytes(&whole) } else { 0 },
            copies: range.copies.iter().zip(read).map(found).collect(),
            judged: judge(around),
        }
    }

    /// From a range that has one copy, which cannot be read.
    pub fn unreadable(range: &Chunk, errno: i32) -> Self {
        let found = |place: &super::Place| RangeCopy {
            disk: place.disk,
            offset: place.offset,
            sha256: None,
            errno: Some(errno),
            shows: None,
        };
        Self {
            at: range.at,
            len: range.len,
            of: None,
            first: None,
            differing_bytes: 0,
            copies: range.copies.iter().map(found).collect(),
            judged: Vec::new(),
        }
    }

    /// The error number of a range of which there is one copy.
    fn lone_errno(&self) -> Option<i32> {
        match self.copies.as_slice() {
            [copy] => copy.errno,
            _ => None,
        }
    }

    /// Whether a copy could not be read.
    pub fn is_unreadable(&self) -> bool {
        self.copies.iter().any(|copy| copy.errno.is_some())
    }
}

fn first_difference(copies: &[&[u8]]) -> Option<usize> {
    let (first, others) = copies.split_first()?;
    let place = |other: &&[u8]| first.iter().zip(*other).position(|(a, b)| a != b);
    others.iter().filter_map(place).min()
}

fn differing_bytes(copies: &[&[u8]]) -> u64 {
    let Some((first, others)) = copies.split_first() else { return 0 };
    let differs = |&at: &usize| others.iter().any(|other| other.get(at) != first.get(at));
    (0..first.len()).filter(differs).count() as u64
}

/// A range, counted over all compared bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Stretch {
    /// First byte, counted over all compared bytes.
    pub at: u64,
    /// Bytes.
    pub len: u64,
}

/// A range that is much slower than its neighbours, in every reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SlowRange {
    /// First byte, counted from the start of reading.
    pub at: u64,
    /// Bytes.
    pub len: u64,
    /// The time of a read of a MiB of it, in microseconds: the median of all readings, of the slowest MiB.
    pub took_us: u64,
    /// The time of its neighbours at the same times, in microseconds: the median.
    pub neighbours_us: u64,
    /// How often each MiB of it was read.
    pub readings: u64,
}

/// The results for the durations of reads.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SlowFindings {
    /// How many ranges are slow, listed or not.
    pub ranges: u64,
    /// Bytes of these ranges.
    pub bytes: u64,
    /// The ranges, by their place; at most 10000 are listed.
    pub listed: Vec<SlowRange>,
    /// Reads that were slow once, but as fast as their neighbours when they were repeated.
    pub cleared: u64,
    /// Reads that were slow once and were not repeated, because there were too many.
    pub unjudged: u64,
}

impl SlowFindings {
    /// Adds a range. They may come in any order; those that touch are one.
    pub fn add(&mut self, range: SlowRange) {
        self.bytes += range.len;
        let place = self.listed.partition_point(|listed| listed.at < range.at);
        let mut range = range;
        let mut place = place;
        let touches = |a: &SlowRange, b: &SlowRange| a.at.checked_add(a.len) == Some(b.at);
        if let Some(next) = self.listed.get(place).filter(|next| touches(&range, next)) {
            range = joined(range, *next);
            self.listed.remove(place);
            self.ranges -= 1;
        }
        if let Some(last) =
            place.checked_sub(1).map(|last| self.listed[last]).filter(|last| touches(last, &range))
        {
            range = joined(last, range);
            place -= 1;
            self.listed.remove(place);
            self.ranges -= 1;
        }
        self.ranges += 1;
        if self.listed.len() < MOST_LISTED {
            self.listed.insert(place, range);
        }
    }

    /// Whether one of these ranges overlaps another.
    pub fn has(&self, range: Stretch) -> bool {
        let place = self.listed.partition_point(|listed| listed.at.saturating_add(listed.len) <= range.at);
        self.listed.get(place).is_some_and(|listed| listed.at < range.at.saturating_add(range.len))
    }
}

/// Merges two ranges that touch; `a` begins first. The times are those of the slower one.
fn joined(a: SlowRange, b: SlowRange) -> SlowRange {
    let slower = if a.took_us >= b.took_us { a } else { b };
    SlowRange { at: a.at, len: a.len + b.len, ..slower }
}

/// All findings so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScrubFindings {
    /// Ranges that differ or have an unreadable copy, by their place; at most 10000 are listed.
    pub differences: Vec<Difference>,
    /// How many of these there are, listed or not.
    pub ranges: u64,
    /// Bytes of these ranges.
    pub bytes: u64,
    /// The ranges with an unreadable copy.
    pub unreadable: u64,
    /// Blocks of 4 KiB that differed, but were equal when they were read again: writes in flight. For a single copy: reads that failed, and did
    /// not fail again.
    pub passed: u64,
    /// Ranges that were never equal and kept changing, so they cannot be judged; at most 10000 are listed.
    pub restless: Vec<Stretch>,
    /// How many of these there are, listed or not.
    #[serde(default)]
    pub restless_ranges: u64,
    /// Bytes of these ranges.
    #[serde(default)]
    pub restless_bytes: u64,
    /// Ranges that are much slower than their neighbours; null if they were not searched for: with several copies, or through the page cache.
    #[serde(default)]
    pub slow: Option<SlowFindings>,
}

impl ScrubFindings {
    /// Adds a difference. They may come in any order.
    pub fn add(&mut self, difference: Difference) {
        self.ranges += 1;
        self.bytes += difference.len;
        self.unreadable += u64::from(difference.is_unreadable());
        if self.differences.len() < MOST_LISTED {
            let place = self.differences.partition_point(|listed| listed.at < difference.at);
            self.differences.insert(place, difference);
        }
    }

    /// Adds a range that has one copy, which cannot be read. A range that touches the previous one and fails in the
    /// same way is merged with it; they arrive in order.
    pub fn add_unreadable(&mut self, range: &Chunk, errno: i32) {
        let last = self
            .differences
            .last_mut()
            .filter(|last| last.at.saturating_add(last.len) == range.at && last.lone_errno() == Some(errno));
        match last {
            Some(last) => {
                last.len += range.len;
                self.bytes += range.len;
            }
            None => self.add(Difference::unreadable(range, errno)),
        }
    }

    /// Whether a range of these bytes is listed.
    pub fn lists(&self, range: Stretch) -> bool {
        let place =
            self.differences.partition_point(|listed| listed.at.saturating_add(listed.len) <= range.at);
        self.differences.get(place).is_some_and(|listed| listed.at < range.at.saturating_add(range.len))
    }

    /// Whether another one would be listed.
    pub const fn has_room(&self) -> bool {
        self.differences.len() < MOST_LISTED
    }

    /// Counts a difference that is no longer listed.
    pub fn count(&mut self, bytes: u64, unreadable: bool) {
        self.ranges += 1;
        self.bytes += bytes;
        self.unreadable += u64::from(unreadable);
    }

    /// Adds a range that kept changing.
    pub fn add_restless(&mut self, restless: Stretch) {
        self.restless_ranges += 1;
        self.restless_bytes += restless.len;
        if self.restless.len() < MOST_LISTED {
            self.restless.push(restless);
        }
    }

    /// Whether no difference was found.
    pub const fn is_clean(&self) -> bool {
        self.ranges == 0
    }

    /// Whether the copies are alike; `None` if none differs, but not all of them could be judged.
    pub fn are_alike(&self) -> Option<bool> {
        match self.ranges {
            0 => (self.restless_ranges == 0).then_some(true),
            _ => Some(false),
        }
    }

    /// With the counts that older states lack: they list everything they know.
    pub(super) fn recounted(mut self) -> Self {
        self.restless_ranges = self.restless_ranges.max(self.restless.len() as u64);
        self.restless_bytes = self.restless_bytes.max(self.restless.iter().map(|range| range.len).sum());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_one_copy_that_touch_are_one() {
        let mut found = ScrubFindings::default();
        let chunk =
            |at, len| Chunk { at, len, copies: vec![crate::scrub::Place { disk: 0, offset: at + 512 }] };
        for (at, len, errno) in [(0, 4096, 5), (4096, 8192, 5), (12_288, 4096, 61), (20_480, 4096, 61)] {
            found.add_unreadable(&chunk(at, len), errno);
        }
        let listed: Vec<(u64, u64)> = found.differences.iter().map(|range| (range.at, range.len)).collect();
        assert_eq!(listed, [(0, 12_288), (12_288, 4096), (20_480, 4096)]);
        assert_eq!((found.ranges, found.bytes, found.unreadable), (3, 20_480, 3));
        let has = |at, len| found.lists(Stretch { at, len });
        assert!(has(0, 1) && has(16_000, 4096) && has(20_480, 9) && !has(16_384, 4096) && !has(24_576, 1));
    }

    #[test]
    fn slow_ranges_that_touch_are_one_in_any_order() {
        let mut slow = SlowFindings::default();
        let range = |at, took_us| SlowRange { at, len: 10, took_us, neighbours_us: 1, readings: 8 };
        for (at, took_us) in [(20, 7), (0, 5), (40, 6), (10, 9)] {
            slow.add(range(at, took_us));
        }
        assert_eq!(slow.listed, [SlowRange { len: 30, ..range(0, 9) }, range(40, 6)]);
        assert_eq!((slow.ranges, slow.bytes), (2, 40));
        let has = |at, len| slow.has(Stretch { at, len });
        assert!(has(29, 1) && has(35, 6) && !has(30, 10) && !has(50, 1));
    }

    #[test]
    fn what_kept_changing_is_counted_beyond_the_list() {
        let mut found = ScrubFindings::default();
        assert_eq!(found.are_alike(), Some(true));
        let count = MOST_LISTED as u64 + 5;
        (0..count).for_each(|number| found.add_restless(Stretch { at: number * 8192, len: 4096 }));
        assert_eq!((found.restless.len(), found.restless_ranges), (MOST_LISTED, count));
        assert_eq!((found.restless_bytes, found.are_alike()), (count * 4096, None));
        found.count(4096, false);
        assert_eq!(found.are_alike(), Some(false));
    }
}
