//! A change of level in a series: the self-normalised CUSUM test of Shao and Zhang (2010).
//!
//! The statistic is normalised by the cumulative sums on both sides of the split. It therefore needs no estimate of
//! the noise and tolerates autocorrelation. It fires too often when the series is short: a few dozen correlation
//! times of its noise. So the step must also be significant by a t test that allows for autocorrelation. Must not
//! be used on fewer than [`LEAST_PIECES`] values.

use super::noise;
use crate::sample::{count, mean};

/// The statistic exceeds this in 1 % of steady series (5 %: 40.1).
pub const CRITICAL: f64 = 68.6;
/// Fewer values say too little.
pub const LEAST_PIECES: usize = 60;
/// A step below this part of the level does not matter.
const LEAST_STEP: f64 = 0.03;

/// The step must exceed this many standard errors. In steady series of 60 pieces whose neighbours correlate by 0.5,
/// the step at the most likely split exceeds this in 0.9 % of all cases. The statistic alone exceeds its own limit
/// in 3.6 %.
const LEAST_T: f64 = 4.0;

/// A split of a series into two levels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelShift {
    /// The statistic at the split; infinite when both sides are constant.
    pub statistic: f64,
    /// Index of the first value of the later part.
    pub split: usize,
    /// Mean of the earlier part.
    pub before: f64,
    /// Mean of the later part.
    pub after: f64,
}

impl LevelShift {
    /// The step relative to the earlier level: -0.3 for a drop by 30 %.
    pub fn step(&self) -> f64 {
        self.after / self.before - 1.0
    }

    /// The step in standard errors, for noise whose neighbours correlate as they do around both levels (AR(1)).
    fn t(&self, pieces: &[f64]) -> f64 {
        let (before, after) = pieces.split_at(self.split);
        let levels = before.iter().map(|piece| piece - self.before);
        let left: Vec<f64> = levels.chain(after.iter().map(|piece| piece - self.after)).collect();
        let lengths = 1.0 / count(before.len()) + 1.0 / count(after.len());
        (self.after - self.before).abs() / (noise(&left) * lengths).sqrt()
    }
}

/// The most likely split of a series of 60 to 240 equal pieces, when it is significant, the step larger than 3 %
/// and beyond 4 standard errors.
pub fn level_shift(pieces: &[f64]) -> Option<LevelShift> {
    let shift = best_split(pieces)?;
    let significant = shift.statistic > CRITICAL && shift.t(pieces) > LEAST_T;
    (significant && shift.step().abs() > LEAST_STEP).then_some(shift)
}

/// The split with the largest statistic, however small. The outer 5 % of the series are not split off. `None` for too
/// short a series, or one that has no level before the split.
pub fn best_split(pieces: &[f64]) -> Option<LevelShift> {
    if pieces.len() < LEAST_PIECES {
        return None;
    }
    let margin = pieces.len() / 20;
    let splits = (margin..pieces.len() - margin).map(|split| (split, statistic(pieces, split)));
    let (split, statistic) = splits.max_by(|a, b| a.1.total_cmp(&b.1))?;
    let (before, after) = (mean(&pieces[..split]), mean(&pieces[split..]));
    (before > 0.0).then_some(LevelShift { statistic, split, before, after })
}

fn statistic(pieces: &[f64], split: usize) -> f64 {
    let n = count(pieces.len());
    let (before, after) = pieces.split_at(split);
    let jump = (before.iter().sum::<f64>() - count(split) * mean(pieces)) / n.sqrt();
    let normaliser = (bridge(before) + bridge(after)) / (n * n);
    if normaliser > 0.0 {
        jump * jump / normaliser
    } else if jump.abs() > 0.0 {
        f64::INFINITY
    } else {
        0.0
    }
}

/// Sum of the squares of the cumulative sum of the deviations from the mean; the same from either end.
fn bridge(part: &[f64]) -> f64 {
    let centre = mean(part);
    let mut sum = 0.0;
    let squares = part.iter().map(|value| {
        sum += value - centre;
        sum * sum
    });
    squares.sum()
}
