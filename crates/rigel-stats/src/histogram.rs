//! A latency histogram: log-linear, 64 buckets per power of two, every value from 0 to 2^64 - 1 ns.
//!
//! 64 per octave makes a bucket at most 1.6 % wide, and puts a bucket edge on every `1000 x 2^k` ns
//! (1000 = 512 + 61 x 8), so ORION's histogram rows (powers of two in microseconds) can be counted exactly.
//! Must not be shared between threads: every worker has its own and they are added afterwards.

mod packed;

use crate::units::to_f64;
use packed::{Unpack, merge, pack};
use serde::{Deserialize, Serialize};

/// log2 of the buckets per octave.
const SUB_BITS: u32 = 6;
/// Buckets per octave.
const SUB: u64 = 1 << SUB_BITS;
/// Values below `2 * SUB` have a bucket each; every octave above has `SUB`.
const BUCKETS: usize = ((64 - SUB_BITS) as usize + 1) << SUB_BITS;
/// Filled buckets up to which a list of them takes less memory than all.
const MOST_IN_LIST: usize = 128;

/// Counts of latencies in nanoseconds with exact count, sum, minimum, maximum and sum of squares.
#[derive(Clone)]
pub struct Histogram {
    /// By bucket, all of them, for recording; empty once the histogram is packed.
    counts: Vec<u64>,
    /// The filled buckets of a histogram that is not recorded into.
    packed: Box<[u8]>,
    /// Those of a histogram of few latencies, ascending, with their counts: while there are few of them, and nothing elsewhere.
    list: Option<Vec<(u16, u64)>>,
    count: u64,
    min_ns: u64,
    max_ns: u64,
    sum_ns: u64,
    /// Sum of squared latencies. 128 bits: a second squared is 10^18 ns^2.
    sum_squares: u128,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { counts: vec![0; BUCKETS], ..Self::empty() }
    }
}

impl PartialEq for Histogram {
    fn eq(&self, other: &Self) -> bool {
        let sums = |h: &Self| (h.count, h.min_ns, h.max_ns, h.sum_ns, h.sum_squares);
        sums(self) == sums(other) && self.filled().eq(other.filled())
    }
}

impl std::fmt::Debug for Histogram {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Histogram({} I/Os, {} to {} ns)", self.count, self.min_ns, self.max_ns)
    }
}

/// The bucket of a value.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "a bucket number is below 3,776")]
const fn bucket_of(ns: u64) -> usize {
    let octave = 63 - (ns | SUB).leading_zeros();
    let shift = octave - SUB_BITS;
    ((shift as usize) << SUB_BITS) + (ns >> shift) as usize
}

/// The smallest value of a bucket.
const fn lower_edge(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    if bucket < SUB * 2 {
        return bucket;
    }
    let shift = (bucket >> SUB_BITS) - 1;
    ((bucket & (SUB - 1)) + SUB) << shift
}

impl Histogram {
    /// An empty histogram; the only allocation it ever makes while recording.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty histogram without memory, to which others can be added.
    pub fn empty() -> Self {
        Self {
            counts: Vec::new(),
            packed: Box::default(),
            list: None,
            count: 0,
            min_ns: u64::MAX,
            max_ns: 0,
            sum_ns: 0,
            sum_squares: 0,
        }
    }

    /// An empty histogram for few latencies: it takes memory as they come, and far less than [`Histogram::new`] while few buckets are filled.
    pub fn of_few() -> Self {
        Self { list: Some(Vec::new()), ..Self::empty() }
    }

    /// Frees the memory that only recording needs. A few bytes for each filled bucket remain.
    pub fn trim(&mut self) {
        if !self.counts.is_empty() || self.list.is_some() {
            self.packed = pack(self.filled());
            self.counts = Vec::new();
            self.list = None;
        }
    }

    /// The same in an eighth of the buckets, so a quantile is known to 13 %: each latency is counted in the middle of the
    /// eight that it is one of. Count, sums, minimum and maximum stay exact.
    #[must_use]
    pub fn coarse(&self) -> Self {
        const EACH: usize = 8;
        let mut groups: Vec<(usize, u64)> = Vec::new();
        for (bucket, n) in self.filled() {
            let middle = bucket / EACH * EACH + EACH / 2;
            match groups.last_mut() {
                Some((last, sum)) if *last == middle => *sum = sum.saturating_add(n),
                _ => groups.push((middle, n)),
            }
        }
        Self { packed: pack(groups.into_iter()), counts: Vec::new(), list: None, ..*self }
    }

    /// The buckets that hold something, by number, ascending.
    fn filled(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        let flat = self.counts.iter().copied().enumerate().filter(|&(_, n)| n > 0);
        let list = self.list.iter().flatten().map(|&(bucket, n)| (usize::from(bucket), n));
        Unpack::new(&self.packed).chain(list).chain(flat)
    }

    /// Counts one in a histogram that has not all buckets; a packed one, and one of no longer few, gets them.
    #[cold]
    fn count_in_list(&mut self, bucket: usize) {
        if let Some(list) = &mut self.list
            && self.packed.is_empty()
            && let Ok(number) = u16::try_from(bucket)
        {
            match list.binary_search_by_key(&number, |entry| entry.0) {
                Ok(place) => {
                    list[place].1 += 1;
                    return;
                }
                Err(place) if list.len() < MOST_IN_LIST => {
                    list.insert(place, (number, 1));
                    return;
                }
                Err(_) => {}
            }
        }
        let mut counts = vec![0; BUCKETS];
        self.filled().for_each(|(bucket, n)| counts[bucket] = n);
        counts[bucket] += 1;
        self.packed = Box::default();
        self.list = None;
        self.counts = counts;
    }

    /// Counts one latency.
    #[inline]
    pub fn record(&mut self, latency_ns: u64) {
        let bucket = bucket_of(latency_ns);
        match self.counts.get_mut(bucket) {
            Some(count) => *count += 1,
            None => self.count_in_list(bucket),
        }
        self.count += 1;
        self.sum_ns = self.sum_ns.wrapping_add(latency_ns);
        self.sum_squares += u128::from(latency_ns) * u128::from(latency_ns);
        self.min_ns = self.min_ns.min(latency_ns);
        self.max_ns = self.max_ns.max(latency_ns);
    }

    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self) {
        let mut counts = std::mem::take(&mut self.counts);
        counts.fill(0);
        let list = self.list.take().map(|_| Vec::new());
        *self = Self { counts, list, ..Self::empty() };
    }

    /// Adds the counts of another worker.
    pub fn add(&mut self, other: &Self) {
        if other.count == 0 {
            return;
        }
        if self.counts.is_empty() {
            self.packed = pack(merge(self.filled(), other.filled()));
            self.list = None;
        } else {
            for (bucket, theirs) in other.filled() {
                self.counts[bucket] = self.counts[bucket].saturating_add(theirs);
            }
        }
        self.count = self.count.saturating_add(other.count);
        self.sum_ns = self.sum_ns.saturating_add(other.sum_ns);
        self.sum_squares = self.sum_squares.saturating_add(other.sum_squares);
        self.min_ns = self.min_ns.min(other.min_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
    }

    /// How many latencies were counted.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Sum of all latencies, exact up to 584 years.
    pub const fn sum_ns(&self) -> u64 {
        self.sum_ns
    }

    /// Smallest latency, exact; `None` when empty.
    pub fn min_ns(&self) -> Option<u64> {
        (self.count > 0).then_some(self.min_ns)
    }

    /// Largest latency, exact; `None` when empty.
    pub fn max_ns(&self) -> Option<u64> {
        (self.count > 0).then_some(self.max_ns)
    }

    /// Arithmetic mean in nanoseconds, exact; `None` when empty.
    pub fn mean_ns(&self) -> Option<f64> {
        (self.count > 0).then(|| to_f64(self.sum_ns) / to_f64(self.count))
    }

    /// Standard deviation (of the population) in nanoseconds; `None` when empty.
    #[expect(
        clippy::cast_precision_loss,
        reason = "the variance is formed in integers before it becomes a float"
    )]
    pub fn stddev_ns(&self) -> Option<f64> {
        let mean = self.mean_ns()?;
        let count = u128::from(self.count);
        let sum = u128::from(self.sum_ns);
        // n * sum of squares - (sum)^2 without cancellation, when it fits; else by floats.
        let variance = match (count.checked_mul(self.sum_squares), sum.checked_mul(sum)) {
            (Some(a), Some(b)) => a.saturating_sub(b) as f64 / to_f64(self.count) / to_f64(self.count),
            _ => self.sum_squares as f64 / to_f64(self.count) - mean * mean,
        };
        Some(variance.max(0.0).sqrt())
    }

    /// The latency that a share `quantile` (0 to 1) of all I/Os did not exceed: the middle of its bucket, kept within
    /// the exact minimum and maximum. `None` when empty.
    pub fn quantile_ns(&self, quantile: f64) -> Option<u64> {
        if self.count == 0 {
            return None;
        }
        // Nearest rank: the smallest value with at least quantile * n values at or below it.
        let wanted = (quantile.clamp(0.0, 1.0) * to_f64(self.count)).ceil().max(1.0);
        let mut seen = 0_u64;
        for (bucket, n) in self.filled() {
            seen = seen.saturating_add(n);
            if to_f64(seen) >= wanted {
                let middle = lower_edge(bucket) + (upper_edge(bucket) - lower_edge(bucket)) / 2;
                // Not `clamp`: a record from elsewhere may contradict itself.
                return Some(middle.max(self.min_ns).min(self.max_ns));
            }
        }
        Some(self.max_ns)
    }

    /// How many latencies were below `edge_ns`. Exact when `edge_ns` is a bucket edge, as `1000 x 2^k` ns always is;
    /// else the whole bucket that holds it is left out.
    pub fn count_below(&self, edge_ns: u64) -> u64 {
        let end = bucket_of(edge_ns);
        let below = self.filled().take_while(|&(bucket, _)| bucket < end);
        below.fold(0, |sum, (_, n)| sum.saturating_add(n))
    }

    /// How many latencies were longer than `limit_ns`: of the bucket that holds it the part above, as if its latencies
    /// were spread evenly.
    pub fn count_above(&self, limit_ns: u64) -> f64 {
        if limit_ns >= self.max_ns {
            return 0.0;
        }
        let part = |(low, high, count): (u64, u64, u64)| {
            let above = to_f64(high.saturating_sub(limit_ns.max(low))) / to_f64(high - low);
            to_f64(count) * above
        };
        self.buckets().filter(|(_, high, _)| *high > limit_ns).map(part).sum()
    }

    /// The buckets that hold something: (lower edge, upper edge (exclusive, saturating), count).
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64, u64)> + '_ {
        self.filled().map(|(bucket, n)| (lower_edge(bucket), upper_edge(bucket), n))
    }
}

const fn upper_edge(bucket: usize) -> u64 {
    if bucket + 1 == BUCKETS { u64::MAX } else { lower_edge(bucket + 1) }
}

/// The form in the record: sums and the filled buckets as `[number, count]`.
#[derive(Serialize, Deserialize)]
struct HistogramForm {
    count: u64,
    min_ns: u64,
    max_ns: u64,
    sum_ns: u64,
    /// High and low 64 bits.
    sum_squares: [u64; 2],
    buckets: Vec<(usize, u64)>,
}

impl HistogramForm {
    fn check(&self) -> Result<(), String> {
        if let Some((bucket, _)) = self.buckets.iter().find(|&&(bucket, _)| bucket >= BUCKETS) {
            return Err(format!("bucket {bucket} of a histogram that has {BUCKETS}"));
        }
        if !self.buckets.is_sorted_by(|(before, _), (after, _)| before < after) {
            return Err("the buckets of a histogram are not in order".to_owned());
        }
        let total = self.buckets.iter().try_fold(0_u64, |sum, &(_, n)| sum.checked_add(n));
        if total != Some(self.count) {
            return Err("the buckets of a histogram do not add up to its count".to_owned());
        }
        Ok(())
    }
}

impl Serialize for Histogram {
    #[expect(clippy::cast_possible_truncation, reason = "two halves of 128 bits")]
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        HistogramForm {
            count: self.count,
            min_ns: if self.count == 0 { 0 } else { self.min_ns },
            max_ns: self.max_ns,
            sum_ns: self.sum_ns,
            sum_squares: [(self.sum_squares >> 64) as u64, self.sum_squares as u64],
            buckets: self.filled().collect(),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Histogram {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error;
        let stored = HistogramForm::deserialize(deserializer)?;
        let [high, low] = stored.sum_squares;
        stored.check().map_err(D::Error::custom)?;
        Ok(Self {
            counts: Vec::new(),
            packed: pack(stored.buckets.into_iter().filter(|&(_, n)| n > 0)),
            list: None,
            count: stored.count,
            min_ns: if stored.count == 0 { u64::MAX } else { stored.min_ns },
            max_ns: stored.max_ns,
            sum_ns: stored.sum_ns,
            sum_squares: u128::from(high) << 64 | u128::from(low),
        })
    }
}

#[cfg(test)]
mod tests;
