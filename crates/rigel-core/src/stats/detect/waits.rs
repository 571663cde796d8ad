//! A rate limit, as a closed loop sees it: most I/Os are fast, and the others wait until the rate is right again.
//!
//! More outstanding I/Os bring nothing at a limit and nothing at a saturated device, so a flat rate alone says nothing.
//! What a device makes an I/O wait for does not know what the I/Os before it took, so its rate varies as its latencies
//! do; a limiter pays back, and the rate varies far less than its latencies. Must not be fed with levels of different
//! sizes.

use crate::stats::sample::{MEDIAN_TO_SIGMA, mean, median};

/// The mean latency is this many times the median, or more: most of the time goes to a few long waits.
const LEAST_WAITING: f64 = 3.0;
/// The rate varies less than this part of what independent waits with the same latencies would make it vary; standard
/// deviations.
const PAID_BACK: f64 = 0.4;
/// Twice the load brings less than this.
const LEAST_GAIN: f64 = 0.03;
/// Over at least so many levels; over all of them where there are only two.
const LEAST_LEVELS: usize = 3;
/// Fewer pieces, of all levels together, say little about how much a rate varies.
const LEAST_PIECES: usize = 9;

/// A span of time at one load level, long beside a limiter's slices.
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

/// A rate that long waits hold where it is.
#[derive(Clone, Debug, PartialEq)]
pub struct PaidBack {
    /// The levels that show it, ascending.
    pub outstanding: Vec<u32>,
    /// I/Os per second: the median of all their pieces.
    pub rate: f64,
    /// Gain of twice the load, relative.
    pub gain: f64,
    /// Median latency at the first of them, in nanoseconds.
    pub median_ns: f64,
    /// I/Os per second that this level would give if all I/Os took that long.
    pub allowed: f64,
    /// How much the rate varies, over what independent waits would make it vary; standard deviations.
    pub evenness: f64,
}

/// Whether the rate of three levels or more, or of the only two, is the same (twice the load gains less than 3 %) although most I/Os take a
/// third of the mean or less, and varies less than 0.4 times as much as independent waits of that size would make it vary.
///
/// In n I/Os whose latencies have the coefficient of variation c and know nothing of one another, the rate has the
/// relative standard deviation `c n^-1/2`, whatever is outstanding: a renewal process. Slices of a limiter, in which
/// I/Os are fast until the slice is used up, have a large c and hardly any variation of the rate.
///
/// `planned` is how many levels the run has: three have to be alike, two where there are no others. A run that was cut
/// short after two of many is not taken for such.
#[must_use]
pub fn paid_back(levels: &[LoadedLevel], planned: usize) -> Option<PaidBack> {
    let waits = |level: &&LoadedLevel| level.mean_ns >= LEAST_WAITING * level.median_ns && rate(level) > 0.0;
    let mut waiting: Vec<&LoadedLevel> = levels.iter().filter(waits).collect();
    waiting.sort_by_key(|level| level.outstanding);
    // Below a limit the rate still grows.
    let starts = 0..=waiting.len().checked_sub(planned.clamp(2, LEAST_LEVELS))?;
    let flat = starts.map(|start| &waiting[start..]).find(|levels| gain(levels).abs() < LEAST_GAIN)?;
    let first = flat.first()?;
    let rate = median(&flat.iter().flat_map(|level| level.rates()).collect::<Vec<_>>());
    let found = PaidBack {
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

/// What twice the load gains, by a least-squares line through the logarithms of loads and rates.
fn gain(levels: &[&LoadedLevel]) -> f64 {
    let loads: Vec<f64> = levels.iter().map(|level| f64::from(level.outstanding).log2()).collect();
    let rates: Vec<f64> = levels.iter().map(|level| rate(level).ln()).collect();
    let (load, centre) = (mean(&loads), mean(&rates));
    let cross: f64 = loads.iter().zip(&rates).map(|(x, y)| (x - load) * (y - centre)).sum();
    let square: f64 = loads.iter().map(|x| (x - load).powi(2)).sum();
    (cross / square).exp_m1()
}

/// How much the pieces of all levels vary around their common rate, over what their latencies would make them vary. By
/// the median size of their deviations: a host that stalls disturbs some pieces, not most.
fn evenness(levels: &[&LoadedLevel], rate: f64) -> f64 {
    let sizes = levels.iter().flat_map(|level| {
        let independent = |piece: &Piece| level.variation / piece.ios.max(1.0).sqrt();
        level.pieces.iter().map(move |piece| (piece.rate / rate - 1.0).abs() / independent(piece))
    });
    MEDIAN_TO_SIGMA * median(&sizes.collect::<Vec<_>>())
}
