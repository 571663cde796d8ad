//! The course of a rate: one level, a fall from one to another, a drift, or neither.
//!
//! The change point is where the cumulative sum of deviations from the mean is farthest from nothing, to either side, weighted as a likelihood ratio.
//! Must not know why a rate falls.

use super::LEAST_FALL;
use crate::Interval;
use crate::batch_means;
use crate::sample::{count, line, mean, sorted, sum_of_squares};

/// Fewer seconds show no course.
const LEAST_SECONDS: usize = 12;
/// Seconds that a level has to have: the higher one, which may be short, and the lower one.
const LEAST_HIGH: usize = 3;
const LEAST_LOW: usize = 10;
/// Seconds on each side of a change that are its edge.
const EDGE: usize = 5;
/// Part of a fall that its edge must show, from a low level of what is before it: a bucket is empty from one moment to the next, and steady then.
const SHARP: f64 = 0.8;
/// The same of a whole fall, however much its sides vary.
const LEAST_SHARP: f64 = 0.5;
/// Seconds of a piece, of which levels are made.
const PIECE: usize = 5;
/// Part of the pieces of a level that may be on the other side, as others use the storage, too.
const FOREIGN: f64 = 0.03;
/// Part of a fall by which a level may differ between its beginning and its end.
const FLAT: f64 = 0.25;
/// Pieces that differ by more of the mean are not levels.
const EVEN: f64 = 0.25;
/// A line that explains more of the variation is a drift.
const LINE: f64 = 0.6;
/// So many seconds at the end that are all lower are the beginning of a fall; more of them fell earlier.
const TAIL: std::ops::RangeInclusive<usize> = 3..=30;
/// Two levels that explain more of the variation are two, whatever is between them.
const TWO_LEVELS: f64 = 0.5;

/// Two levels of a rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fall {
    /// Seconds before it.
    pub at: usize,
    /// The level before it.
    pub high: Interval,
    /// The level after it.
    pub low: Interval,
}

/// The course of a rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Course {
    /// Too few seconds.
    Short,
    /// One level.
    Steady(Interval),
    /// It fell at once, and stayed.
    Fell(Fall),
    /// It was on one level, and fell in the last seconds.
    FellLate(Interval),
    /// It fell, but not at once, or not from one level to another.
    Blur(Fall),
    /// It changed steadily.
    Drifts {
        /// Level in the first third.
        from: f64,
        /// Level in the last third.
        to: f64,
    },
    /// It changed otherwise.
    Swings {
        /// A tenth of the time is below.
        low: f64,
        /// A tenth is above.
        high: f64,
    },
}

/// The course of counts of one second each.
pub fn course(counts: &[f64]) -> Course {
    if counts.len() < LEAST_SECONDS || mean(counts) <= 0.0 {
        return Course::Short;
    }
    let at = change(counts);
    let Some((high, low)) = levels(counts, at) else { return Course::Short };
    let differs = (high.mean - low.mean).abs() > LEAST_FALL * high.mean.max(low.mean);
    let is_apart = differs && high.is_apart_from(&low) && high.mean > low.mean;
    let fall = Fall { at, high, low };
    if is_apart && is_clean(counts, fall) {
        return Course::Fell(fall);
    }
    match one_level(counts) {
        Course::Steady(_) | Course::Swings { .. } if is_apart && is_most(counts, fall) => Course::Blur(fall),
        other => other,
    }
}

/// How many values lie before the change: where two levels explain the most.
fn change(counts: &[f64]) -> usize {
    let centre = mean(counts);
    let (mut sum, mut best) = (0.0, (0.0, LEAST_HIGH));
    for (index, value) in counts.iter().enumerate() {
        sum += value - centre;
        let (before, after) = (index + 1, counts.len() - index - 1);
        if before < LEAST_HIGH || after < LEAST_LOW {
            continue;
        }
        let explained = sum * sum / (count(before) * count(after));
        if explained > best.0 {
            best = (explained, before);
        }
    }
    best.1
}

/// The levels on both sides, without the seconds next to the change, nor that in which the queue fills.
fn levels(counts: &[f64], at: usize) -> Option<(Interval, Interval)> {
    let first = usize::from(at > LEAST_HIGH + 1);
    let before = counts.get(first..at.saturating_sub(1))?;
    let after = counts.get(at + 1..)?;
    Some((level(before)?, level(after)?))
}

/// A level, and how certain it is by its own pieces.
fn level(counts: &[f64]) -> Option<Interval> {
    let centre = mean(counts);
    match batch_means::within(counts) {
        Some(error) => Interval::symmetric(centre, error.half_width() / centre, 1, error.degrees_of_freedom),
        None => Interval::of_alike(counts),
    }
}

/// Whether two levels, each of some length, explain most of what varies.
fn is_most(counts: &[f64], fall: Fall) -> bool {
    let after = counts.len() - fall.at;
    let explained = count(fall.at) * count(after) / count(counts.len());
    let explained = explained * (fall.high.mean - fall.low.mean).powi(2);
    fall.at.min(after) >= LEAST_LOW && explained > TWO_LEVELS * sum_of_squares(counts)
}

/// Whether the edge is the fall, and both sides are levels.
fn is_clean(counts: &[f64], fall: Fall) -> bool {
    let Fall { at, high, low } = fall;
    let (high, low) = (high.mean, low.mean);
    let width = EDGE.min(at.saturating_sub(1)).max(1);
    let end = at.saturating_sub(1).max(width);
    let part = |range: std::ops::Range<usize>| counts.get(range).unwrap_or_default();
    let edge = mean(part(end - width..end)) - mean(part(at + 1..at + 1 + EDGE));
    let middle = f64::midpoint(high, low);
    let (before, after) = (part(0..end), part(at + 1..counts.len()));
    let foreign = |side: &[f64], is_foreign: &dyn Fn(f64) -> bool| {
        let all = pieces(side);
        count(all.iter().filter(|piece| is_foreign(**piece)).count()) <= FOREIGN * count(all.len())
    };
    let whole = high - low;
    let depth = span(before).0.min(high) - low;
    edge >= SHARP * depth
        && edge >= LEAST_SHARP * whole
        && foreign(before, &|piece| piece < middle)
        && foreign(after, &|piece| piece > middle)
        && [before, after].into_iter().all(|side| turn(side).abs() <= FLAT * whole)
}

/// Means of pieces, of what is long enough to have some.
fn pieces(counts: &[f64]) -> Vec<f64> {
    if counts.len() < PIECE {
        return vec![mean(counts)];
    }
    counts.chunks_exact(PIECE).map(mean).collect()
}

/// The last third less the first one; 0 of a few seconds.
pub(super) fn turn(counts: &[f64]) -> f64 {
    let third = counts.len() / 3;
    if third < LEAST_HIGH {
        return 0.0;
    }
    mean(&counts[counts.len() - third..]) - mean(&counts[..third])
}

/// What has no two levels: one, unless it changes steadily, or by much.
fn one_level(counts: &[f64]) -> Course {
    let Some(found) = level(counts) else { return Course::Short };
    if turn(counts).abs() > LEAST_FALL * found.mean && is_line(counts) {
        let third = counts.len() / 3;
        let (from, to) = (mean(&counts[..third]), mean(&counts[counts.len() - third..]));
        return Course::Drifts { from, to };
    }
    let (low, high) = span(counts);
    if high - low > EVEN * found.mean {
        return Course::Swings { low, high };
    }
    let is_low = |second: &&f64| **second < (1.0 - 2.0 * LEAST_FALL) * found.mean;
    let tail = counts.iter().rev().take_while(is_low).count();
    if TAIL.contains(&tail) { Course::FellLate(found) } else { Course::Steady(found) }
}

/// The levels that a tenth of the pieces is below, and above.
fn span(counts: &[f64]) -> (f64, f64) {
    let all = sorted(&pieces(counts));
    let tenth = all.len() / 10;
    (all.get(tenth).copied().unwrap_or(0.0), all.get(all.len() - 1 - tenth).copied().unwrap_or(0.0))
}

/// Whether a line explains most of what varies.
fn is_line(counts: &[f64]) -> bool {
    let (_, left) = line(counts);
    let square = sum_of_squares(counts);
    square > 0.0 && 1.0 - sum_of_squares(&left) / square > LINE
}
