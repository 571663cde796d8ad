//! Two alternating sides: the ratio of B to A from the visits of each round.
//!
//! A round is a block (Fisher 1935): whatever makes the device fast or slow for a whole round affects the rates of both sides, but not their
//! ratio. The ratios of the rounds are the sample. Their variance is moderated over the pairs of points and
//! widened by rare outliers, as that of rates is. Must not know what a side is, nor narrow the interval of a rate.

use super::interval::{Interval, half_width};
use super::sample::{count, mean};
use super::special::student_t_quantile;
use super::variance::{PointVisits, Spread, spread};
use std::collections::BTreeMap;

/// Fewer rounds that two points have in common show too little about how much their ratio varies: with two, the interval that allows for it is
/// nine times as wide as what was seen, and rare states of the device were missed by all of them.
pub const FEWEST_ROUNDS: usize = 4;

/// A round in which both points of a pair were visited.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    /// Its number.
    pub round: u32,
    /// Logarithm of the ratio of B to A.
    pub log_ratio: f64,
    /// Its standard error as far as the two visits can see it; `None` when they are too short.
    pub within: Option<f64>,
}

/// How much B differs from A.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// The variance of the logarithm in one round.
    pub spread: Spread,
    /// B over A with its 95 % interval; `None` when the rounds allow none.
    pub interval: Option<Interval>,
}

/// The visit of a round to a point: number of the round, mean, and the standard error of that mean as far as the visit can
/// see it.
pub type RoundVisit = (u32, f64, Option<f64>);

/// The rounds in which both points of a pair were visited. One of which nothing came back has no ratio.
pub fn turns(a: &[RoundVisit], b: &[RoundVisit]) -> Vec<Turn> {
    let of_a: BTreeMap<u32, &RoundVisit> = a.iter().map(|visit| (visit.0, visit)).collect();
    let turn = |&(round, of_b, se_b): &RoundVisit| {
        let &&(_, of_a, se_a) = of_a.get(&round)?;
        let relative = |se: Option<f64>, mean: f64| se.map(|se| se / mean);
        let within = relative(se_a, of_a).zip(relative(se_b, of_b)).map(|(a, b)| a.hypot(b));
        (of_a > 0.0 && of_b > 0.0).then(|| Turn { round, log_ratio: (of_b / of_a).ln(), within })
    };
    b.iter().filter_map(turn).collect()
}

/// The ratio of every pair. `target` is the relative half-width that is aimed at.
pub fn ratios(pairs: &[Vec<Turn>], target: f64) -> Vec<Ratio> {
    let spreads = spread(&pairs.iter().map(|turns| around_1(turns)).collect::<Vec<_>>(), target);
    let ratio = |(turns, spread): (&Vec<Turn>, Spread)| {
        let half = half_width(turns.len(), spread.relative_variance, spread.degrees_of_freedom);
        let interval = half
            .map(|half| Interval::geometric(log_mean(turns), half, turns.len(), spread.degrees_of_freedom));
        Ratio { spread, interval }
    };
    pairs.iter().zip(spreads).map(ratio).collect()
}

/// The ratio on average over all pairs (the geometric mean of theirs) with an interval of that confidence. What moves the ratios of a
/// round together is in it: a round is one observation, not one for each pair (cluster-robust variance, Liang, Zeger 1986).
/// With one pair it is the ratio of that pair, whose spread is `alone`.
pub fn overall(pairs: &[Vec<Turn>], alone: Option<&Spread>, confidence: f64) -> Option<Interval> {
    let known: Vec<&Vec<Turn>> = pairs.iter().filter(|turns| turns.len() > 1).collect();
    let pairs_known = count(known.len());
    let log = mean(&known.iter().map(|turns| log_mean(turns)).collect::<Vec<_>>());
    // Of each round, its weight and its weighted deviation.
    let mut rounds: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
    // What the visits see of their own errors: rounds that all count alike are not known better than that.
    let mut seen = 0.0;
    for turns in &known {
        let (centre, weight) = (log_mean(turns), 1.0 / pairs_known / count(turns.len()));
        for turn in *turns {
            seen += (weight * turn.within.unwrap_or(0.0)).powi(2);
            let round = rounds.entry(turn.round).or_default();
            round.0 += weight;
            round.1 += weight * (turn.log_ratio - centre);
        }
    }
    let power = |of: fn(&(f64, f64)) -> f64| rounds.values().map(of).sum::<f64>();
    let squares = power(|round| round.0.powi(2));
    let effective = squares.powi(2) / power(|round| round.0.powi(4));
    let df = effective - 1.0;
    if known.is_empty() || df.is_nan() || df <= 0.0 {
        return None;
    }
    let variance = power(|round| round.1.powi(2)) * effective / df;
    let (variance, df) = match (known.as_slice(), alone) {
        ([turns], Some(spread)) => (spread.relative_variance / count(turns.len()), spread.degrees_of_freedom),
        _ => (variance.max(seen).max(super::variance::SMALLEST_VARIANCE), df),
    };
    let half = student_t_quantile(f64::midpoint(1.0, confidence), df) * variance.sqrt();
    Some(Interval::geometric(log, half, rounds.len(), df))
}

fn log_mean(turns: &[Turn]) -> f64 {
    mean(&turns.iter().map(|turn| turn.log_ratio).collect::<Vec<_>>())
}

/// The logarithms moved to a mean of 1, where a relative variance is that of the logarithms.
fn around_1(turns: &[Turn]) -> PointVisits {
    let centre = log_mean(turns);
    PointVisits {
        means: turns.iter().map(|turn| 1.0 + turn.log_ratio - centre).collect(),
        within_se: turns.iter().filter_map(|turn| turn.within).collect(),
    }
}

#[cfg(test)]
mod tests;
