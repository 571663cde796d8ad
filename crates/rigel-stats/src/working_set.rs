//! Caches seen from outside: random reads of growing parts of a target, and how many of them are answered fast.
//!
//! Whatever it replaces, a cache of C that is filled on demand holds, of uniform reads of S, the share `min(1, C / S)`. So the share of reads below
//! a latency between that of a hit and
//! that of a miss is `a min(1, C / S) + b (1 - min(1, C / S))`, with a near 1 and b near 0 where the latencies are apart. C is fitted by least
//! squares with weights; its interval is that of
//! the profile of chi squared (Venzon, Moolgavkar 1988). What does not follow this law is not a cache. Must not know visits.

mod fit;
pub mod warm;

use crate::Interval;
use crate::histogram::Histogram;
use crate::units::{to_f64, us_from_ns};
use fit::{Fit, Sample};
pub use warm::Warmth;

/// Most caches, one behind the other.
const MOST_CACHES: usize = 2;
/// The latencies of two levels are at least so far apart, else a cache is worth nothing.
const LEAST_APART: f64 = 1.5;
/// Two caches differ by this factor.
const LEAST_LARGER: f64 = 1.5;
/// So much of the reads of some size lie between the latencies of two caches.
const LEAST_BETWEEN: f64 = 0.15;
/// The smallest working set may have changed by this factor when it is read again at the end.
const LEAST_DRIFT: f64 = 1.25;
/// The share of its fast reads may have changed by so much.
const MOST_CHANGED: f64 = 0.15;
/// From this factor of the mean latency on, more is slower.
const SLOWER: f64 = 1.3;
/// A rate that rose by this factor while the same blocks were read again was that of a cold cache.
const COLD: f64 = 1.3;
/// So many reads of a size may be slow that a cache holds as a whole.
const MOST_STRAY: f64 = 0.01;
/// So many of the reads of a size that is a little larger are.
const MISSES: std::ops::Range<f64> = 0.03..0.2;
/// Fewer sizes show no law.
const LEAST_SIZES: usize = 2;

/// Reads of a working set, one at a time.
#[derive(Clone, Copy, Debug)]
pub struct SizeReads<'a> {
    /// Bytes of it.
    pub bytes: f64,
    /// Latencies of one read at a time.
    pub latencies: &'a Histogram,
    /// Whether it was warm.
    pub warmth: Warmth,
    /// Reads per second, many at a time.
    pub rate: f64,
    /// By which factor its rate rose while it was warmed up.
    pub growth: f64,
}

/// A cache.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cache {
    /// Its size in bytes; of one behind another that of both, as far as they do not hold the same.
    pub bytes: Interval,
    /// Reads below are answered by it, or by one before it.
    pub limit_ns: u64,
}

/// What answers: a cache, or what is behind them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// Median of its latencies, in microseconds.
    pub median_us: f64,
    /// Mean of its latencies, in microseconds.
    pub mean_us: f64,
}

/// What the sizes say.
#[derive(Clone, Debug, PartialEq)]
pub enum CacheVerdict {
    /// Caches, the fastest first, and the levels: one for each, and what is behind them.
    Caches(Vec<Cache>, Vec<Level>),
    /// All sizes that were warm are answered alike.
    NoCache {
        /// Bytes of the largest.
        upto: f64,
    },
    /// All of them were answered by a cache, which is larger.
    AtLeast {
        /// Bytes of the largest that was warm.
        bytes: f64,
        /// Whether that is the largest that was requested, and not the last one for which there was time.
        is_all: bool,
    },
    /// Nothing can be said.
    Undecided(SetDoubt),
}

/// Why nothing can be said.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SetDoubt {
    /// Fewer than two sizes were warm.
    TooFew {
        /// How many were.
        warm: usize,
    },
    /// The smallest size was answered otherwise at the end than at the beginning.
    Drift {
        /// Mean at first, in microseconds.
        first_us: f64,
        /// Mean at the end.
        again_us: f64,
    },
    /// Larger sizes are slower, but not as with one or two caches.
    NotACache {
        /// Mean of the smallest size, in microseconds.
        small_us: f64,
        /// That of the largest one.
        large_us: f64,
    },
    /// Only the largest size is slower, by a few slow reads: a cache that holds nearly all of it does so, and others who use the storage do.
    OnlyLargest {
        /// Bytes of the largest one.
        bytes: f64,
        /// The share of its slow reads.
        slow: f64,
    },
    /// Latencies go up and down from size to size.
    Uneven {
        /// The lowest mean, in microseconds.
        low_us: f64,
        /// The highest one.
        high_us: f64,
    },
}

/// What sizes say, ascending; `again`: the latencies of the smallest one at the end of the run.
pub fn verdict(sizes: &[SizeReads<'_>], again: Option<&Histogram>) -> CacheVerdict {
    let warm: Vec<SizeReads<'_>> = sizes.iter().copied().filter(is_usable).collect();
    if warm.len() < LEAST_SIZES {
        return CacheVerdict::Undecided(SetDoubt::TooFew { warm: warm.len() });
    }
    let (first, last) = (warm[0], warm[warm.len() - 1]);
    let [small_us, large_us] = [first.latencies, last.latencies].map(mean_us);
    // A few late reads change a mean, and a share of hits near one half changes a median: time changes both.
    let has_changed = |again: &&Histogram| {
        [mean_us, median_us].into_iter().all(|of| is_far(of(first.latencies), of(again)))
    };
    if let Some(again) = again.filter(|again| again.count() > 0).filter(has_changed) {
        let (first_us, again_us) = (small_us, mean_us(again));
        return CacheVerdict::Undecided(SetDoubt::Drift { first_us, again_us });
    }
    let caches = caches(&warm, again);
    if !caches.is_empty() {
        let levels = levels(&warm, &caches);
        return CacheVerdict::Caches(caches, levels);
    }
    if let Some(slow) = only_largest(&warm) {
        return CacheVerdict::Undecided(SetDoubt::OnlyLargest { bytes: last.bytes, slow });
    }
    let (low_us, high_us) = ends(warm.iter().map(|size| mean_us(size.latencies)));
    if large_us > SLOWER * small_us {
        return CacheVerdict::Undecided(SetDoubt::NotACache { small_us, large_us });
    }
    if high_us > SLOWER * low_us {
        return CacheVerdict::Undecided(SetDoubt::Uneven { low_us, high_us });
    }
    if were_cold(&warm) {
        return CacheVerdict::AtLeast { bytes: last.bytes, is_all: warm.len() == sizes.len() };
    }
    CacheVerdict::NoCache { upto: last.bytes }
}

/// The share of slow reads of the largest size, where they are apart from all others and no other size has any.
fn only_largest(warm: &[SizeReads<'_>]) -> Option<f64> {
    let (last, others) = warm.split_last()?;
    let is_border = |&limit_ns: &u64| fit::is_clear(warm.iter().map(|size| size.latencies), limit_ns);
    let is_slower = |limit_ns: u64| {
        let level = |from_ns, to_ns| level(warm, from_ns, to_ns).median_us;
        level(limit_ns, u64::MAX) >= LEAST_APART * level(0, limit_ns)
    };
    let slow = |size: &SizeReads<'_>, limit_ns| 1.0 - share_below(size.latencies, limit_ns);
    let is_fast = |limit_ns: u64| others.iter().all(|size| slow(size, limit_ns) <= MOST_STRAY);
    let limits = fit::limits(warm.iter().map(|size| size.latencies)).into_iter().filter(is_border);
    let found = limits.filter(|&limit_ns| is_fast(limit_ns) && is_slower(limit_ns));
    found.map(|limit_ns| slow(last, limit_ns)).find(|slow| MISSES.contains(slow))
}

/// Whether a cache answers all sizes alike, and did not before they were read: what only goes up and down is none.
fn were_cold(warm: &[SizeReads<'_>]) -> bool {
    let (slowest, fastest) = ends(warm.iter().map(|size| size.rate));
    let rose = warm.iter().filter(|size| size.growth > COLD).count();
    let fell = warm.iter().any(|size| size.growth < 1.0 / COLD);
    2 * rose >= warm.len() && !fell && fastest <= SLOWER * slowest
}

/// The least and the most.
fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, 0.0), |(low, high), value| (f64::min(low, value), f64::max(high, value)))
}

/// Whether its latencies are those of a warm set.
fn is_usable(size: &SizeReads<'_>) -> bool {
    size.warmth == Warmth::Steady && size.latencies.count() > 0
}

fn is_far(first: f64, again: f64) -> bool {
    first.max(again) > LEAST_DRIFT * first.min(again)
}

fn mean_us(latencies: &Histogram) -> f64 {
    us_from_ns(latencies.mean_ns().unwrap_or(0.0))
}

fn median_us(latencies: &Histogram) -> f64 {
    us_from_ns(to_f64(latencies.quantile_ns(0.5).unwrap_or(0)))
}

/// The share of reads below a latency.
pub fn share_below(latencies: &Histogram, limit_ns: u64) -> f64 {
    to_f64(latencies.count_below(limit_ns)) / to_f64(latencies.count().max(1))
}

/// The caches, the fastest first: the latencies that divide the reads best as the law has it.
fn caches(sizes: &[SizeReads<'_>], again: Option<&Histogram>) -> Vec<Cache> {
    let is_kept = |limit_ns: u64| {
        let share = |latencies| share_below(latencies, limit_ns);
        again.is_none_or(|again| (share(again) - share(sizes[0].latencies)).abs() <= MOST_CHANGED)
    };
    let (mut fits, mut is_refuted) = (Vec::new(), false);
    let limits = fit::limits(sizes.iter().map(|size| size.latencies));
    for limit_ns in limits.into_iter().filter(|&limit_ns| is_kept(limit_ns)) {
        let sample = |size: &SizeReads<'_>| Sample {
            bytes: size.bytes,
            share: share_below(size.latencies, limit_ns),
            reads: to_f64(size.latencies.count()),
        };
        let samples: Vec<Sample> = sizes.iter().map(sample).collect();
        let is_clear = fit::is_clear(sizes.iter().map(|size| size.latencies), limit_ns);
        let fit: Option<Fit> = fit::of(limit_ns, &samples, is_clear);
        is_refuted |= is_clear && fit.is_none() && fit::varies(&samples);
        fits.extend(fit);
    }
    // Where latencies that are apart do not follow the law, a border within one of them follows it by chance.
    fits.retain(|fit| fit.is_clear || !is_refuted);
    fits.sort_by(|one, other| other.score().total_cmp(&one.score()));
    let mut chosen: Vec<Cache> = Vec::new();
    for fit in fits.iter().filter(|fit| fit.is_told_by(&fits)) {
        let cache = Cache { bytes: fit.bytes, limit_ns: fit.limit_ns };
        if chosen.len() < MOST_CACHES && chosen.iter().all(|other| are_two(sizes, other, &cache)) {
            let mut more = chosen.clone();
            more.push(cache);
            more.sort_by_key(|cache| cache.limit_ns);
            // A level that is hardly slower than the one before it is none.
            let levels = levels(sizes, &more);
            if levels.windows(2).all(|pair| pair[1].median_us >= LEAST_APART * pair[0].median_us) {
                chosen = more;
            }
        }
    }
    chosen
}

/// Whether two caches are two: the slower one is larger by far, and answers something.
fn are_two(sizes: &[SizeReads<'_>], one: &Cache, other: &Cache) -> bool {
    let (fast, slow) = if one.limit_ns < other.limit_ns { (one, other) } else { (other, one) };
    let between = |size: &SizeReads<'_>| {
        share_below(size.latencies, slow.limit_ns) - share_below(size.latencies, fast.limit_ns)
    };
    slow.bytes.mean >= LEAST_LARGER * fast.bytes.mean
        && fast.bytes.is_apart_from(&slow.bytes)
        && sizes.iter().any(|size| between(size) >= LEAST_BETWEEN)
}

/// Median and mean of what is answered by each cache, and behind them: there the largest size has the most, and of smaller ones a cache that nobody
/// sees may have a part.
fn levels(sizes: &[SizeReads<'_>], caches: &[Cache]) -> Vec<Level> {
    let limits = caches.iter().map(|cache| cache.limit_ns);
    let from = std::iter::once(0).chain(limits.clone());
    let last_ns = caches.last().map_or(0, |cache| cache.limit_ns);
    let largest = &sizes[sizes.len().saturating_sub(1)..];
    let of_caches = from.zip(limits).map(|(from_ns, to_ns)| level(sizes, from_ns, to_ns));
    of_caches.chain([level(largest, last_ns, u64::MAX)]).collect()
}

/// Of all reads of all sizes with latencies from one to another.
fn level(sizes: &[SizeReads<'_>], from_ns: u64, to_ns: u64) -> Level {
    let buckets = sizes.iter().flat_map(|size| size.latencies.buckets());
    let middle = |(low, high, count): (u64, u64, u64)| (low.midpoint(high), count);
    let mut own: Vec<(u64, u64)> =
        buckets.map(middle).filter(|(ns, _)| (from_ns..to_ns).contains(ns)).collect();
    own.sort_unstable();
    let all: f64 = own.iter().map(|(_, count)| to_f64(*count)).sum();
    let sum: f64 = own.iter().map(|(ns, count)| to_f64(*ns) * to_f64(*count)).sum();
    let mut seen = 0.0;
    let median = own.iter().find(|(_, count)| {
        seen += to_f64(*count);
        2.0 * seen >= all
    });
    Level {
        median_us: median.map_or(0.0, |(ns, _)| us_from_ns(to_f64(*ns))),
        mean_us: us_from_ns(sum / all.max(1.0)),
    }
}

/// A value at a size between two that were measured, of values that change with one over the size: hits, mean latencies, times per I/O. `None` beyond them.
pub fn at_size(bytes: f64, measured: &[(f64, f64)]) -> Option<f64> {
    let pair = measured.windows(2).find(|pair| (pair[0].0..=pair[1].0).contains(&bytes))?;
    let [(from, low), (to, high)] = [pair[0], pair[1]];
    let share = (1.0 / from - 1.0 / bytes) / (1.0 / from - 1.0 / to);
    Some(low + share * (high - low))
}

#[cfg(test)]
mod tests;
