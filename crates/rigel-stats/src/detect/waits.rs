//! A rate limit in a closed loop: most I/Os are fast, and a few wait until the limiter lets them through.
//!
//! A flat rate alone proves no limit: a saturated device has one too. The variation tells them apart. On a device
//! the latencies of successive I/Os are independent, so the rate varies as much as the latencies make it. A limiter
//! compensates: after fast I/Os it delays the next ones, and the rate varies far less than the latencies. Must not
//! be fed with levels of different I/O sizes.

use crate::sample::{MEDIAN_TO_SIGMA, mean, median};

/// The mean latency is at least this many times the median: a few long waits take most of the time.
const LEAST_WAITING: f64 = 3.0;
/// Largest ratio of two standard deviations of the rate: the measured one, and the one that independent latencies
/// would cause.
const PAID_BACK: f64 = 0.4;
/// Doubling the load must raise the rate by less than this part.
const LEAST_GAIN: f64 = 0.03;
/// The rate must be flat over this many load levels, or over both if the run has only two.
const LEAST_LEVELS: usize = 3;
/// Fewer pieces, over all levels, do not show how much a rate varies.
const LEAST_PIECES: usize = 9;

/// A span of time at one load level, much longer than a limiter's slice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece {
    /// I/Os in it.
    pub ios: f64,
    /// I/Os per second.
    pub rate: f64,
}

/// What was seen at one load level.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedLevel {
    /// I/Os outstanding.
    pub outstanding: u32,
    /// Pieces of all visits.
    pub pieces: Vec<Piece>,
    /// Mean latency in nanoseconds.
    pub mean_ns: f64,
    /// Median latency in nanoseconds.
    pub median_ns: f64,
    /// Standard deviation of the latencies over their mean.
    pub variation: f64,
}

/// A rate that is held constant by a limiter.
#[derive(Clone, Debug, PartialEq)]
pub struct LimiterRate {
    /// The levels that show it, ascending.
    pub outstanding: Vec<u32>,
    /// I/Os per second: the median of all their pieces.
    pub rate: f64,
    /// Relative gain of the rate when the load doubles.
    pub gain: f64,
    /// Median latency at the first of them, in nanoseconds.
    pub median_ns: f64,
    /// I/Os per second at this level if every I/O took the median latency.
    pub allowed: f64,
    /// Standard deviation of the rate, relative to the one that independent latencies would cause.
    pub evenness: f64,
}

/// Looks for a limited rate. Three things must hold at three levels or more (at both, if the run has only two):
///
/// - the rate is flat: doubling the load gains less than 3 %;
/// - the median latency is at most a third of the mean;
/// - the rate varies less than 0.4 times as much as independent latencies would make it vary.
///
/// If the latencies of n I/Os are independent with the coefficient of variation c, their rate has the relative
/// standard deviation `c n^-1/2` at any load: a renewal process. Under a limiter I/Os are fast until its slice is
/// used up. Then c is large and the rate barely varies.
///
/// `planned` is the number of levels in the plan. A run with more levels that was cut short after two has no such
/// result.
pub fn paid_back(levels: &[LoadedLevel], planned: usize) -> Option<LimiterRate> {
    let waits = |level: &&LoadedLevel| level.mean_ns >= LEAST_WAITING * level.median_ns && rate(level) > 0.0;
    let mut waiting: Vec<&LoadedLevel> = levels.iter().filter(waits).collect();
    waiting.sort_by_key(|level| level.outstanding);
    // Below a limit the rate still grows.
    let starts = 0..=waiting.len().checked_sub(planned.clamp(2, LEAST_LEVELS))?;
    let flat = starts.map(|start| &waiting[start..]).find(|levels| gain(levels).abs() < LEAST_GAIN)?;
    let first = flat.first()?;
    let rate = median(&flat.iter().flat_map(|level| level.rates()).collect::<Vec<_>>());
    let found = LimiterRate {
        outstanding: flat.iter().map(|level| level.outstanding).collect(),
        rate,
        gain: gain(flat),
        median_ns: first.median_ns,
        allowed: f64::from(first.outstanding) / first.median_ns * 1e9,
        evenness: evenness(flat, rate),
    };
    let pieces: usize = flat.iter().map(|level| level.pieces.len()).sum();
    (pieces >= LEAST_PIECES && found.evenness < PAID_BACK).then_some(found)
}

impl LoadedLevel {
    fn rates(&self) -> impl Iterator<Item = f64> + '_ {
        self.pieces.iter().map(|piece| piece.rate)
    }
}

/// The rate of the middle piece: a disturbed visit does not move it.
fn rate(level: &LoadedLevel) -> f64 {
    median(&level.rates().collect::<Vec<_>>())
}

/// The gain of doubling the load, by a least-squares line through the logarithms of loads and rates.
fn gain(levels: &[&LoadedLevel]) -> f64 {
    let loads: Vec<f64> = levels.iter().map(|level| f64::from(level.outstanding).log2()).collect();
    let rates: Vec<f64> = levels.iter().map(|level| rate(level).ln()).collect();
    let (load, centre) = (mean(&loads), mean(&rates));
    let cross: f64 = loads.iter().zip(&rates).map(|(x, y)| (x - load) * (y - centre)).sum();
    let square: f64 = loads.iter().map(|x| (x - load).powi(2)).sum();
    (cross / square).exp_m1()
}

/// How much the pieces of all levels vary around their common rate, relative to the variation that independent
/// latencies would cause. It uses the median of the deviations, because a stall of the host disturbs only some
/// pieces.
fn evenness(levels: &[&LoadedLevel], rate: f64) -> f64 {
    let sizes = levels.iter().flat_map(|level| {
        let independent = |piece: &Piece| level.variation / piece.ios.max(1.0).sqrt();
        level.pieces.iter().map(move |piece| (piece.rate / rate - 1.0).abs() / independent(piece))
    });
    MEDIAN_TO_SIGMA * median(&sizes.collect::<Vec<_>>())
}
