//! What the rates over several load levels show: a limit, or a device that becomes slower under more load.

use crate::stats::interval::Interval;
use crate::stats::sample::sorted;

/// Rates behind a limit differ by no more.
const EQUAL: f64 = 0.02;
/// Over at least so many levels.
const LEAST_LEVELS: usize = 3;

/// One load level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// Outstanding I/Os.
    pub outstanding: u32,
    /// Rate, or bandwidth when levels have different sizes.
    pub rate: f64,
    /// Mean latency.
    pub latency: f64,
}

/// Levels at which more outstanding I/Os bring nothing but latency.
#[derive(Clone, Debug, PartialEq)]
pub struct FlatRate {
    /// Those levels.
    pub outstanding: Vec<u32>,
    /// Smallest rate among them.
    pub lowest: f64,
    /// Largest rate among them.
    pub highest: f64,
    /// Latency at the last over latency at the first.
    pub latency_growth: f64,
}

/// The longest run of three or more levels with rates within 2 % while the latency grows at every step. Every
/// saturated device has such a run; equal rates at different sizes or classes are what tells a limit from it.
#[must_use]
pub fn flat_rate(levels: &[Level]) -> Option<FlatRate> {
    let mut levels = levels.to_vec();
    levels.sort_by_key(|level| level.outstanding);
    let starts = 0..levels.len();
    let run = starts.map(|start| flat_run(&levels[start..])).max_by_key(|run| run.len())?;
    if run.len() < LEAST_LEVELS {
        return None;
    }
    let rates = sorted(&run.iter().map(|level| level.rate).collect::<Vec<_>>());
    Some(FlatRate {
        outstanding: run.iter().map(|level| level.outstanding).collect(),
        lowest: *rates.first()?,
        highest: *rates.last()?,
        latency_growth: run.last()?.latency / run.first()?.latency,
    })
}

/// The flat levels at the front.
fn flat_run(levels: &[Level]) -> &[Level] {
    let (mut lowest, mut highest, mut latency) = (f64::INFINITY, 0.0f64, 0.0f64);
    let flat = levels.iter().take_while(|level| {
        lowest = lowest.min(level.rate);
        highest = highest.max(level.rate);
        let goes_on = highest <= lowest * (1.0 + EQUAL) && level.latency > latency;
        latency = level.latency;
        goes_on
    });
    &levels[..flat.count()]
}

/// A rate that falls under more load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Retrograde {
    /// At saturation.
    pub saturated: Interval,
    /// At twice as many outstanding I/Os.
    pub doubled: Interval,
}

/// Whether twice the load of saturation brings less, beyond doubt: the intervals are apart.
#[must_use]
pub fn retrograde(saturated: &Interval, doubled: &Interval) -> Option<Retrograde> {
    let falls = doubled.mean < saturated.mean && doubled.is_apart_from(saturated);
    falls.then_some(Retrograde { saturated: *saturated, doubled: *doubled })
}
