//! The course of the rate inside one visit: the levels that it has one after the other, each for seconds.
//!
//! A limit that falls and comes back within a visit leaves no trace in its mean, and [`super::shift`] looks for one step of
//! any size. Here only large steps count, because noise with a long memory has levels too, and there may be any number of
//! them. Must not judge a visit shorter than [`LEAST_SPAN_NS`].

use super::long_visit::{Drift, drift};
use super::noise;
use crate::batch_means::batches;
use crate::sample::{MEDIAN_TO_SIGMA, count, line, mean, median, sum_of_squares};
use crate::settle::to_ns;
use crate::units::{NS_PER_MS, NS_PER_S, to_f64};
use std::ops::Range;

/// Levels of a shorter visit would be too short to be told from noise.
pub const LEAST_SPAN_NS: u64 = 5 * NS_PER_S;
/// The rate is looked at in pieces of this length, longer ones where there are many or where few I/Os complete.
const PIECE_NS: u64 = 250 * NS_PER_MS;
const MOST_PIECES: u64 = 240;
/// I/Os of a piece, on average, so their number says something.
const PIECE_IOS: f64 = 10.0;
/// A level lasts at least so long, and this many pieces.
const LEAST_LEVEL_NS: u64 = 2 * NS_PER_S;
const LEAST_LEVEL: usize = 4;
/// The lower of two neighbouring levels is at most this part of the higher one.
pub const LEAST_STEP: f64 = 0.75;
/// A steady change in all, relative to the mean. Noise with a memory of seconds drifts by a quarter in a visit of ten.
const LEAST_DRIFT: f64 = 0.4;
/// Most pieces of a level lie on its side of the middle between it and its neighbour: a stall is not a level.
const HOLDS: f64 = 0.75;
/// The step must exceed this many standard errors. The split is the best of thousands, which exceeds four in steady noise now
/// and then.
const LEAST_T: f64 = 5.0;
/// What a further level must explain, in variances of the noise and logarithms of the number of pieces.
const PENALTY: f64 = 3.0;
/// The noise is taken for no less than this part of the rate.
const LEAST_NOISE: f64 = 0.05;

/// What the rate did in a visit.
#[derive(Clone, Debug, PartialEq)]
pub enum Course {
    /// It had these levels, two or more.
    Levels(Vec<Level>),
    /// It changed steadily.
    Drift(Drift),
}

/// A level that the rate had for some time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// When it began, from the start of the series.
    pub from_ns: u64,
    /// The median rate of its pieces.
    pub rate: f64,
}

/// The course of a series of rates; `None` when it is steady, or too short to say.
pub fn course(rates: &[f64], bucket_ns: u64) -> Option<Course> {
    let span_ns = to_ns(rates.len(), bucket_ns);
    let ios = rates.iter().sum::<f64>() * to_f64(bucket_ns) / to_f64(NS_PER_S);
    let by_ios = count_of(ios / PIECE_IOS);
    let wanted = usize::try_from((span_ns / PIECE_NS).min(MOST_PIECES).min(by_ios)).unwrap_or(0);
    if span_ns < LEAST_SPAN_NS || wanted < 2 * LEAST_LEVEL {
        return None;
    }
    // Whole buckets: the rest is less than a piece, and left out at the front.
    let length = rates.len().div_ceil(wanted);
    let count_of_pieces = rates.len() / length;
    let pieces = batches(rates, count_of_pieces);
    let at_ns = |piece: usize| to_ns(rates.len() - length * (count_of_pieces - piece), bucket_ns);
    let least =
        usize::try_from(LEAST_LEVEL_NS.div_ceil(to_ns(length, bucket_ns).max(1))).unwrap_or(usize::MAX);
    let levels = significant(&pieces, split(&pieces), least.max(LEAST_LEVEL));
    let squares: f64 = levels.iter().map(|level| sum_of_squares(&pieces[level.clone()])).sum();
    let drifts = |drift: &Drift| {
        let explains_more = levels.len() < 2 || sum_of_squares(&line(&pieces).1) < squares;
        explains_more && drift.total.abs() > LEAST_DRIFT
    };
    if let Some(drift) = drift(&pieces).filter(drifts) {
        return Some(Course::Drift(drift));
    }
    let told =
        |level: &Range<usize>| Level { from_ns: at_ns(level.start), rate: median(&pieces[level.clone()]) };
    (levels.len() > 1).then(|| Course::Levels(levels.iter().map(told).collect()))
}

/// A number of things that need not be whole.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
const fn count_of(number: f64) -> u64 {
    number as u64
}

/// The division into levels with the least sum of squares and penalties (optimal partitioning, Jackson and others 2005).
fn split(pieces: &[f64]) -> Vec<Range<usize>> {
    let mut sums = vec![(0.0, 0.0)];
    for piece in pieces {
        let (sum, squares) = sums[sums.len() - 1];
        sums.push((sum + piece, squares + piece * piece));
    }
    let cost = |from: usize, to: usize| {
        let sum: f64 = sums[to].0 - sums[from].0;
        sums[to].1 - sums[from].1 - sum * sum / count(to - from)
    };
    let penalty = PENALTY * variance_of_noise(pieces) * count(pieces.len()).ln();
    let mut best = vec![(0.0, 0)];
    for to in 1..=pieces.len() {
        let ending = (0..to).map(|from| (best[from].0 + cost(from, to) + penalty, from));
        best.push(ending.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f64::INFINITY, 0)));
    }
    let mut levels = Vec::new();
    let mut to = pieces.len();
    while to > 0 {
        levels.push(best[to].1..to);
        to = best[to].1;
    }
    levels.reverse();
    levels
}

/// From the steps between neighbours, so levels have no part in it.
fn variance_of_noise(pieces: &[f64]) -> f64 {
    let steps: Vec<f64> = pieces.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
    let sd = MEDIAN_TO_SIGMA * median(&steps) / std::f64::consts::SQRT_2;
    sd.max(LEAST_NOISE * mean(pieces)).powi(2)
}

/// Joins levels until all that are left last long enough and differ by enough. What is too short at either end is left
/// out: it may be the rest of a level, or a start.
fn significant(pieces: &[f64], mut levels: Vec<Range<usize>>, least: usize) -> Vec<Range<usize>> {
    while levels.len() > 1 {
        let last = levels.len() - 1;
        let near = |at: usize| ratio(pieces, &levels[at], &levels[at + 1]);
        let nearest = |pairs: Vec<usize>| pairs.into_iter().max_by(|&a, &b| near(a).total_cmp(&near(b)));
        let short = |level: usize| levels[level].len() < least;
        let between = (1..last).filter(|&level| short(level)).min_by_key(|&level| levels[level].len());
        let short_end = [0, last].into_iter().find(|&level| short(level));
        let joined = between.and_then(|level| nearest(vec![level - 1, level]));
        let joined = joined.or_else(|| nearest((0..last).filter(|&at| near(at) > LEAST_STEP).collect()));
        let doubtful = || nearest((0..last).filter(|&at| !is_step(pieces, &levels, at)).collect());
        match (joined, short_end) {
            (None, Some(end)) => {
                levels.remove(end);
            }
            (joined, _) => {
                let Some(at) = joined.or_else(doubtful) else { break };
                levels[at].end = levels[at + 1].end;
                levels.remove(at + 1);
            }
        }
    }
    levels
}

/// The lower level as a part of the higher one.
fn ratio(pieces: &[f64], one: &Range<usize>, other: &Range<usize>) -> f64 {
    let (a, b) = (median(&pieces[one.clone()]), median(&pieces[other.clone()]));
    if a.max(b) > 0.0 { a.min(b) / a.max(b) } else { 1.0 }
}

/// Whether a level and the next one are two, and not noise around one.
fn is_step(pieces: &[f64], levels: &[Range<usize>], at: usize) -> bool {
    let [before, after] = [&pieces[levels[at].clone()], &pieces[levels[at + 1].clone()]];
    let middle = f64::midpoint(median(before), median(after));
    let rises = median(after) > median(before);
    let holds = |level: &[f64], above: bool| {
        let own = level.iter().filter(|&&piece| (piece > middle) == above).count();
        count(own) >= HOLDS * count(level.len())
    };
    let left: Vec<f64> = levels.iter().flat_map(|level| residuals_of(&pieces[level.clone()])).collect();
    let lengths = 1.0 / count(before.len()) + 1.0 / count(after.len());
    let t = (mean(after) - mean(before)).abs() / (noise(&left) * lengths).sqrt();
    holds(before, !rises) && holds(after, rises) && t > LEAST_T
}

fn residuals_of(level: &[f64]) -> impl Iterator<Item = f64> {
    let centre = mean(level);
    level.iter().map(move |piece| piece - centre)
}
