//! The law of a cache, fitted to the shares of fast reads.
//!
//! Must not know what a latency stands for.

use crate::Interval;
use crate::histogram::Histogram;
use crate::sample::count;
use crate::units::to_f64;
use std::collections::BTreeSet;

/// Most latencies that are tried as the border between fast and slow.
const MOST_LIMITS: usize = 160;
/// Few reads lie within this factor of a border between latencies that are apart.
const CLEAR_FACTOR: f64 = 1.15;
/// Few are this many.
const CLEAR_SHARE: f64 = 0.01;
/// How far shares may be from the law, beside chance: sets and ways, prefetching, what is cached of others.
const FLOOR: f64 = 0.01;
/// A smaller change of the share is none.
const LEAST_CHANGE: f64 = 0.15;
/// Hits have to be fast, and misses slow, by so much of all reads.
const LEAST_CONTRAST: f64 = 0.4;
/// What is further from the law somewhere does not follow it.
const MOST_LEFT: f64 = 0.08;
/// Where latencies are apart, all hits are fast, and no miss is, to so much.
const CLEAR_SPREAD: f64 = 0.02;
/// Else that is not known.
const OPEN_SPREAD: f64 = 0.5;
/// From one size that is tried to the next one.
const STEP: f64 = 1.03;
/// The same once the best is known.
const FINE_STEP: f64 = 1.003;
/// The smallest size that is tried, as a part of the smallest working set.
const SMALLEST: f64 = 1.0 / 16.0;
/// The 95 % quantile of chi squared with one degree of freedom.
const CHI_SQUARED: f64 = 3.84;
/// An interval that is wider is not a size.
const WIDEST: f64 = 3.0;
/// No size is known better.
const NARROWEST: f64 = 0.01;

/// One working set: the share of its reads that were fast.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub bytes: f64,
    pub share: f64,
    /// How many reads it is from.
    pub reads: f64,
}

/// The law of a border between fast and slow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fit {
    pub limit_ns: u64,
    pub bytes: Interval,
    /// The share of hits that are fast, less that of misses.
    contrast: f64,
    /// How far shares are from the law.
    left: f64,
    /// Whether it lies between latencies that are apart.
    pub is_clear: bool,
}

impl Fit {
    /// Whether other borders say the same where it does not lie between latencies that are apart: of a mixture of hits and misses every border gives one size, of latencies
    /// that only grow with the working set each another.
    pub(super) fn is_told_by(&self, all: &[Self]) -> bool {
        let is_other = |one: &Self| !one.is_clear && one.bytes.is_apart_from(&self.bytes);
        self.is_clear || !all.iter().any(is_other)
    }

    /// How well the border divides.
    pub(super) fn score(&self) -> f64 {
        self.contrast - 2.0 * self.left + if self.is_clear { 0.2 } else { 0.0 }
    }
}

/// Latencies that may be borders: the edges of what was seen, and the middles of gaps.
pub(super) fn limits<'a>(all: impl Iterator<Item = &'a Histogram>) -> Vec<u64> {
    let edges: BTreeSet<(u64, u64)> =
        all.flat_map(Histogram::buckets).map(|(low, high, _)| (low, high)).collect();
    let edges: Vec<(u64, u64)> = edges.into_iter().collect();
    let between = |pair: &[(u64, u64)]| {
        let (end, next) = (pair[0].1, pair[1].0);
        if end >= next { next } else { middle(end, next) }
    };
    let limits: Vec<u64> = edges.windows(2).map(between).collect();
    let each = limits.len().div_ceil(MOST_LIMITS).max(1);
    // Gaps are few, and the best borders.
    let is_gap = |at: usize| edges[at].1 < edges[at + 1].0;
    limits
        .iter()
        .enumerate()
        .filter(|(at, _)| at % each == 0 || is_gap(*at))
        .map(|(_, limit)| *limit)
        .collect()
}

/// The geometric middle.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between two of its type")]
fn middle(low: u64, high: u64) -> u64 {
    (to_f64(low) * to_f64(high)).sqrt() as u64
}

/// Whether barely any read is near a border.
pub(super) fn is_clear<'a>(all: impl Iterator<Item = &'a Histogram>, limit_ns: u64) -> bool {
    let near = to_f64(limit_ns) / CLEAR_FACTOR..=to_f64(limit_ns) * CLEAR_FACTOR;
    let (mut beside, mut reads) = (0.0, 0.0);
    for histogram in all {
        let own = histogram.buckets().filter(|(low, high, _)| near.contains(&to_f64(low.midpoint(*high))));
        beside += own.map(|(_, _, count)| to_f64(count)).sum::<f64>() / to_f64(histogram.count().max(1));
        reads += 1.0;
    }
    beside < CLEAR_SHARE * reads
}

/// Whether the share is another one at some size, in whatever order.
pub(super) fn varies(samples: &[Sample]) -> bool {
    let shares = || samples.iter().map(|sample| sample.share);
    shares().fold(0.0, f64::max) - shares().fold(1.0, f64::min) >= LEAST_CHANGE
}

/// The size that fits best, and its interval; `None` if the shares do not follow the law.
pub(super) fn of(limit_ns: u64, samples: &[Sample], is_clear: bool) -> Option<Fit> {
    let (first, last) = (samples.first()?, samples.last()?);
    if first.share - last.share < LEAST_CHANGE {
        return None;
    }
    let all = |from: f64, to: f64, step: f64| {
        std::iter::successors(Some(from), move |bytes| Some(bytes * step))
            .take_while(move |bytes| *bytes <= to)
    };
    let at = |bytes: f64| Trial::of(bytes, samples, is_clear);
    let least = first.bytes * SMALLEST;
    let coarse = all(least, last.bytes, STEP).map(at).min_by(|one, other| one.chi.total_cmp(&other.chi))?;
    let near = all(coarse.bytes / STEP, (coarse.bytes * STEP).min(last.bytes), FINE_STEP).map(at);
    let best = near.min_by(|one, other| one.chi.total_cmp(&other.chi))?;
    let degrees = count(samples.len().saturating_sub(3)).max(1.0);
    // Where the shares are further from the law than chance, that is the measure of chance.
    let limit = best.chi + CHI_SQUARED * (best.chi / degrees).max(1.0);
    let inside = |bytes: &f64| at(*bytes).chi <= limit;
    let down = std::iter::successors(Some(best.bytes), |bytes| Some(bytes / FINE_STEP));
    let up = std::iter::successors(Some(best.bytes), |bytes| Some(bytes * FINE_STEP));
    let lo = down.take_while(|bytes| *bytes >= least && inside(bytes)).last()?;
    let hi = up.take_while(|bytes| *bytes <= last.bytes * FINE_STEP && inside(bytes)).last()?;
    let (lo95, hi95) = (lo.min(best.bytes * (1.0 - NARROWEST)), hi.max(best.bytes * (1.0 + NARROWEST)));
    let contrast = best.fast - best.slow;
    let is_law = contrast >= LEAST_CONTRAST && best.left <= MOST_LEFT && hi95 / lo95 <= WIDEST;
    let half = (hi95 / best.bytes - 1.0).max(1.0 - lo95 / best.bytes);
    let bytes = Interval {
        mean: best.bytes,
        lo95,
        hi95,
        relative_half_width: half,
        visits: samples.len(),
        df: degrees,
    };
    is_law.then_some(Fit { limit_ns, bytes, contrast, left: best.left, is_clear })
}

/// The law with a cache of some size.
#[derive(Clone, Copy, Debug)]
struct Trial {
    bytes: f64,
    /// The share of hits that are fast.
    fast: f64,
    /// The share of misses that are.
    slow: f64,
    /// Sum of squares of what is left, each over its variance.
    chi: f64,
    /// The most that is left anywhere.
    left: f64,
}

impl Trial {
    fn of(bytes: f64, samples: &[Sample], is_clear: bool) -> Self {
        let spread = if is_clear { CLEAR_SPREAD } else { OPEN_SPREAD };
        let known = 1.0 / (spread * spread);
        let hits = |sample: &Sample| (bytes / sample.bytes).min(1.0);
        let (mut of_hits, mut of_both, mut of_misses) = (known, 0.0, known);
        let (mut by_hits, mut by_misses) = (known, 0.0);
        for sample in samples {
            let (hit, weight) = (hits(sample), sample.weight());
            let miss = 1.0 - hit;
            of_hits += weight * hit * hit;
            of_both += weight * hit * miss;
            of_misses += weight * miss * miss;
            by_hits += weight * hit * sample.share;
            by_misses += weight * miss * sample.share;
        }
        let determinant = of_hits * of_misses - of_both * of_both;
        let mut fast = (by_hits * of_misses - by_misses * of_both) / determinant;
        let mut slow = (of_hits * by_misses - of_both * by_hits) / determinant;
        if slow < 0.0 {
            (fast, slow) = (by_hits / of_hits, 0.0);
        }
        if fast > 1.0 {
            (fast, slow) = (1.0, ((by_misses - of_both) / of_misses).clamp(0.0, 1.0));
        }
        let left = |sample: &Sample| sample.share - fast * hits(sample) - slow * (1.0 - hits(sample));
        let squares: f64 = samples.iter().map(|sample| sample.weight() * left(sample).powi(2)).sum();
        let chi = squares + known * ((fast - 1.0).powi(2) + slow.powi(2));
        let most = samples.iter().map(|sample| left(sample).abs()).fold(0.0, f64::max);
        Self { bytes, fast, slow, chi, left: most }
    }
}

impl Sample {
    /// One over the variance of its share.
    fn weight(&self) -> f64 {
        let chance = self.share * (1.0 - self.share) / self.reads.max(1.0);
        1.0 / (chance + FLOOR * FLOOR)
    }
}
