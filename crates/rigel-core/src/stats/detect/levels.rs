//! A device that becomes slower under more load, seen in the rates of several load levels.
//!
//! A constant rate is no evidence: every saturated device has one. [`super::waits`] and [`super::sizes`] tell a
//! limit from saturation.

use crate::stats::interval::Interval;

/// A fall by less does not matter.
const LEAST_FALL: f64 = 0.02;

/// A rate that falls under more load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Retrograde {
    /// At saturation.
    pub saturated: Interval,
    /// At twice as many outstanding I/Os, or more.
    pub doubled: Interval,
}

impl Retrograde {
    /// The fall, relative to the rate at saturation: -0.1 when a tenth is lost.
    pub fn difference(&self) -> f64 {
        self.doubled.mean / self.saturated.mean - 1.0
    }
}

/// Whether twice the load of saturation, or more, has a lower rate. The difference must be above 2 %, and the
/// intervals must not overlap.
pub fn retrograde(saturated: &Interval, doubled: &Interval) -> Option<Retrograde> {
    let found = Retrograde { saturated: *saturated, doubled: *doubled };
    (found.difference() < -LEAST_FALL && doubled.is_apart_from(saturated)).then_some(found)
}
