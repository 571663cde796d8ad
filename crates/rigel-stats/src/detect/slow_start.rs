//! A start-up that takes longer than a short visit, seen in a long one.
//!
//! If all visits end before the device has reached its level, they look steady. A long visit to the same point
//! shows the level that they do not reach. Must not judge a fall: limits and cliffs are [`super::long_visit`]'s.

use crate::batch_means::within;
use crate::interval::Interval;
use crate::sample::{count, mean};
use crate::settle::{after, to_ns};
use crate::special::student_t_quantile;
use crate::variance::{PointVisits, Spread};

/// A long visit that is above the short ones by less than this part of the target does not matter.
const PART_OF_TARGET: f64 = 2.0;
/// The long visit itself must rise by this part of its difference to the short ones. Otherwise it was on another
/// level from its beginning on, which is no start-up.
const PART_OF_RISE: f64 = 0.5;

/// A long visit, from the start of the load.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LongSeries {
    /// The rate per bucket.
    pub rates: Vec<f64>,
    /// Width of a bucket.
    pub bucket_ns: u64,
}

/// The short visits to a point.
#[derive(Clone, Copy, Debug)]
pub struct ShortVisits<'a> {
    /// Their means and what each says of its own error.
    pub visits: &'a PointVisits,
    /// How much they vary.
    pub spread: &'a Spread,
    /// Their interval.
    pub interval: Interval,
    /// Which part of their start counts for nothing.
    pub settle_ns: u64,
    /// Length of the shortest one, settling included.
    pub length_ns: u64,
}

/// A long visit whose later part is above the short visits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlowStart {
    /// Mean of the later part.
    pub later: f64,
    /// When that begins, in nanoseconds from the start of the load.
    pub from_ns: u64,
    /// Mean of the part that a short visit would have measured.
    pub early: f64,
    /// What the short visits say.
    pub visits: Interval,
}

impl SlowStart {
    /// The later part relative to the short visits: 0.08 when it is 8 % higher.
    pub fn difference(&self) -> f64 {
        self.later / self.visits.mean - 1.0
    }
}

/// Looks for a slow start. The second half of the long visit must be above the mean of the short visits to the same
/// point: by more than the half-width of their interval, by more than half the target, and significantly (1 %). The
/// long visit must also have risen to that level. `None` too when the long visit is not twice as long as the short
/// ones.
///
/// The long visit differs from the short ones by the variation between visits, and by its own error inside the
/// visit, which is smaller because it is longer.
pub fn slow_start(long: &LongSeries, short: &ShortVisits<'_>, target: f64) -> Option<SlowStart> {
    let begin = long.rates.len() / 2;
    let from_ns = to_ns(begin, long.bucket_ns);
    let end = usize::try_from(short.length_ns / long.bucket_ns.max(1)).ok()?;
    if end > begin {
        return None;
    }
    let later = &long.rates[begin..];
    let visits = short.interval;
    let early = mean(after(&long.rates[..end], long.bucket_ns, short.settle_ns));
    let found = SlowStart { later: mean(later), from_ns, early, visits };
    let inside = short.visits.relative_within().unwrap_or(0.0).powi(2);
    let own_inside = within(later).map_or(0.0, |own| (own.standard_error / visits.mean).powi(2));
    let between = (short.spread.relative_variance - inside).max(0.0);
    let variance = between + own_inside + short.spread.relative_variance / count(visits.visits.max(1));
    let chance = student_t_quantile(0.99, short.spread.degrees_of_freedom) * variance.sqrt();
    let least = chance.max(visits.relative_half_width).max(target / PART_OF_TARGET);
    let difference = found.difference();
    let rise = found.later - found.early;
    (difference > least && rise > PART_OF_RISE * difference * visits.mean).then_some(found)
}
