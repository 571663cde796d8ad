//! Limits, cliffs, drifts and level shifts inside one long visit. Short visits cannot show them.
//!
//! A falling series has one finding: a drift if a line fits better than a step, else by the series after the step.
//! Must not judge anything shorter than [`shift::LEAST_PIECES`] pieces.

use super::shift::{self, LevelShift};
use super::{noise, roughness};
use crate::batch_means::batches;
use crate::interval::Interval;
use crate::sample::{count, line, mean, median, sum_of_squares};
use crate::settle::to_ns;
use crate::special::student_t_quantile;
use crate::units::NS_PER_S;

/// Least slope of a drift, in standard errors. Noise of 60 pieces exceeds it, up or down, in 0.4 % if neighbours
/// correlate by 0.5, in 0.9 % at 0.7, and in less than 0.1 % if they are independent.
const CRITICAL_T: f64 = 3.6;
/// A drift below this part of the mean does not matter.
const LEAST_DRIFT: f64 = 0.03;
/// A limit or a cliff lowers the rate at least so much.
const LEAST_DROP: f64 = 0.1;
/// Behind a limit the rate is less than half as noisy.
const CALMER: f64 = 0.5;
/// A long visit that is below the short visits by less does not matter.
const LEAST_BELOW: f64 = 0.03;
/// Length of the pieces, if that makes enough of them.
const PIECE_NS: u64 = NS_PER_S / 2;
const MOST_PIECES: usize = 240;

/// What a long visit shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LongVisitFinding {
    /// The rate changes steadily.
    Drift(Drift),
    /// A second level, higher or lower, without the marks of the others.
    LevelShift(LevelShift),
    /// Hardly anything completes any more, and so without noise: no limit and no full cache is so low.
    Standstill(LevelShift),
    /// Lower by 10 % or more, and less than half as noisy: a limit, or burst credit that is used up.
    Throttled(Fall),
    /// Writes become slower by 10 % or more and no calmer: a cache or the spare blocks are full.
    WriteCliff(Fall),
}

/// A steady change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drift {
    /// The slope in standard errors, for noise whose neighbours correlate as they do around the line (AR(1)).
    pub t: f64,
    /// Change over the whole series, relative to its mean.
    pub total: f64,
}

/// A step downwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fall {
    /// The two levels.
    pub shift: LevelShift,
    /// Median step from piece to piece before, relative to the mean.
    pub roughness_before: f64,
    /// The same after.
    pub roughness_after: f64,
}

/// Cuts the buckets of a long visit into pieces of half a second, but into 60 to 240 of them. Empty for fewer than 60
/// buckets.
pub fn pieces(rates: &[f64], bucket_ns: u64) -> Vec<f64> {
    let halves = usize::try_from(to_ns(rates.len(), bucket_ns) / PIECE_NS).unwrap_or(MOST_PIECES);
    batches(rates, halves.clamp(shift::LEAST_PIECES, MOST_PIECES))
}

/// Judges a long visit of writes, or of reads, from its [`pieces`]. `None` when it is steady, or too short to say.
pub fn judge(pieces: &[f64], is_write: bool) -> Option<LongVisitFinding> {
    let split = shift::best_split(pieces)?;
    if let Some(drift) = drift(pieces)
        && sum_of_squares(&line(pieces).1) < squares_around_split(pieces, split.split)
    {
        return Some(LongVisitFinding::Drift(drift));
    }
    let shift = shift::level_shift(pieces)?;
    let (before, after) = pieces.split_at(shift.split);
    let fall = Fall { shift, roughness_before: roughness(before), roughness_after: roughness(after) };
    Some(if median(after) <= 0.0 {
        LongVisitFinding::Standstill(shift)
    } else if shift.step() > -LEAST_DROP {
        LongVisitFinding::LevelShift(shift)
    } else if fall.roughness_after < CALMER * fall.roughness_before {
        LongVisitFinding::Throttled(fall)
    } else if is_write {
        LongVisitFinding::WriteCliff(fall)
    } else {
        LongVisitFinding::LevelShift(shift)
    })
}

/// A significant slope that sums up to more than 3 %.
pub fn drift(pieces: &[f64]) -> Option<Drift> {
    let (slope, left) = line(pieces);
    let n = count(pieces.len());
    let squares = n * (n * n - 1.0) / 12.0;
    let t = slope / (noise(&left) / squares).sqrt();
    let total = slope * (n - 1.0) / mean(pieces);
    (t.abs() > CRITICAL_T && total.abs() > LEAST_DRIFT).then_some(Drift { t, total })
}

fn squares_around_split(pieces: &[f64], split: usize) -> f64 {
    let (before, after) = pieces.split_at(split);
    sum_of_squares(before) + sum_of_squares(after)
}

/// A long visit that stays below the short visits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BelowVisits {
    /// Mean of the long visit.
    pub long: f64,
    /// What the short visits to the same point say.
    pub visits: Interval,
}

impl BelowVisits {
    /// The long visit relative to the visits: -0.3 when it is 30 % lower.
    pub fn difference(&self) -> f64 {
        self.long / self.visits.mean - 1.0
    }
}

/// Whether the long visit is below the short visits, which means that burst and sustained rate differ. It must be
/// below their mean by more than twice their half-width and by more than 3 %, and below 99 % of what one more visit
/// would give.
///
/// The last condition is needed because the long visit is a single visit and varies like one, however narrow the
/// interval of the short ones is.
pub fn below_visits(long: f64, visits: &Interval) -> Option<BelowVisits> {
    let found = BelowVisits { long, visits: *visits };
    let half = visits.relative_half_width;
    let number = count(visits.visits.max(1));
    let deviation = half / student_t_quantile(0.975, visits.df) * number.sqrt();
    let one_more = student_t_quantile(0.99, visits.df) * deviation * (1.0 + 1.0 / number).sqrt();
    (found.difference() < -one_more.max(2.0 * half).max(LEAST_BELOW)).then_some(found)
}
