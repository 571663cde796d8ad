//! What the rates over several load levels show: a device that becomes slower under more load.
//!
//! A rate that stays the same is what every saturated device shows; what tells a limit from it is for [`super::waits`]
//! and [`super::sizes`].

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
    #[must_use]
    pub fn difference(&self) -> f64 {
        self.doubled.mean / self.saturated.mean - 1.0
    }
}

/// Whether at least twice the load of saturation brings less, by more than 2 % and beyond doubt: the intervals are
/// apart.
#[must_use]
pub fn retrograde(saturated: &Interval, doubled: &Interval) -> Option<Retrograde> {
    let found = Retrograde { saturated: *saturated, doubled: *doubled };
    (found.difference() < -LEAST_FALL && doubled.is_apart_from(saturated)).then_some(found)
}
