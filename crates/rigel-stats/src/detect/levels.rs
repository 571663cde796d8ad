//! Rates of several load levels that fall under more load, or contradict each other.
//!
//! A constant rate is no evidence: every saturated device has one. [`super::waits`] and [`super::sizes`] tell a
//! limit from saturation.

use crate::interval::Interval;

/// A fall by less does not matter.
const LEAST_FALL: f64 = 0.02;

/// A rate that falls under more load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RetrogradeRate {
    /// At saturation.
    pub saturated: Interval,
    /// At twice as many outstanding I/Os, or more.
    pub doubled: Interval,
}

impl RetrogradeRate {
    /// The fall, relative to the rate at saturation: -0.1 when a tenth is lost.
    pub fn difference(&self) -> f64 {
        self.doubled.mean / self.saturated.mean - 1.0
    }
}

/// Whether twice the load of saturation, or more, has a lower rate. The difference must be above 2 %, and the
/// intervals must not overlap.
pub fn retrograde(saturated: &Interval, doubled: &Interval) -> Option<RetrogradeRate> {
    let found = RetrogradeRate { saturated: *saturated, doubled: *doubled };
    (found.difference() < -LEAST_FALL && doubled.is_apart_from(saturated)).then_some(found)
}

/// The rate at more load is less than this part of the rate at less.
const FAR_BELOW: f64 = 0.6;
/// Or an I/O is faster by this factor. At one outstanding it may have to wait for an interrupt or for a CPU to wake up.
const FAR_FASTER: f64 = 2.0;

/// Two visits whose rates are not those of one device at two load levels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contradiction {
    /// At less load.
    pub less: Interval,
    /// At more load.
    pub more: Interval,
    /// The rate falls; otherwise it rises by more than the load.
    pub falls: bool,
}

/// Compares the rates of a class at two points of which the second one has more load: this many times as many I/Os of the
/// class itself, or, if that is `None`, as many of it and more of another class, which may well slow it down.
pub fn contradiction(less: &Interval, more: &Interval, grown: Option<f64>) -> Option<Contradiction> {
    let ratio = more.mean / less.mean;
    let falls = grown.is_some() && ratio < FAR_BELOW;
    // Beyond what the load explains, as a factor and by the intervals.
    let most = less.scaled(grown.unwrap_or(1.0));
    let rises = more.mean / most.mean > FAR_FASTER && more.is_apart_from(&most);
    let found = Contradiction { less: *less, more: *more, falls };
    (less.mean > 0.0 && (falls && more.is_apart_from(less) || rises)).then_some(found)
}
