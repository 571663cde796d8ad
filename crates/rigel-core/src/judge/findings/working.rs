//! The load at which storage works well: a high rate at low latency.
//!
//! Beyond saturation, more outstanding I/O adds waiting but barely any rate. The power of a load, its rate over its latency, is
//! highest where the two are balanced (Kleinrock 1979, "Power and deterministic rules of thumb for probabilistic problems in
//! computer communications"). Of the loads that give half of the highest rate or more, the one with the highest power is reported,
//! be it a point or a level that was searched.
//! Must not choose the headline numbers; [`super::extremes`] does.

use super::extremes::{Candidate, candidates, highest};
use super::{CurveFindings, PointFindings};
use crate::load::class::{Class, Figure};
use crate::stats::Estimate;
use crate::units::{NS_PER_S, NS_PER_US, to_f64};

/// A load below that of the highest rate is reported if the latter has at least this many times its latency.
const WORTH_TELLING: f64 = 2.0;

/// A load that gives less than this share of the highest rate leaves too much of it unused.
const MUCH_OF_THE_RATE: f64 = 0.5;

/// The rates of a search and the highest rate are noisy; a level above this multiple was measured while the storage was in another state.
const BY_CHANCE: f64 = 1.1;

/// The balanced load of a class, and what the highest rate costs in comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorkingPoint {
    /// The load.
    pub at: LoadResult,
    /// The load of the highest rate.
    pub highest: LoadResult,
}

/// A load and its results.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoadResult {
    /// Outstanding I/Os of the class.
    pub outstanding: u32,
    /// The rate, in the unit of the class.
    pub rate: Estimate,
    /// The mean latency in microseconds.
    pub latency_us: f64,
}

impl LoadResult {
    fn of_point(one: &Candidate<'_>, class: Class) -> Option<Self> {
        let latency_us = one.io.latency_us.map(|us| us.mean.value).filter(|us| *us > 0.0)?;
        Some(Self { outstanding: one.point.of(class), rate: one.io.rate(), latency_us })
    }

    /// The result of a searched level, by Little's law: in a closed loop the latency is the number outstanding over the rate. A rate a little above
    /// `highest`, which comes from separate visits, has the excess from chance. One far above it is from before the storage slowed down: it is left
    /// out, as it is no longer available.
    fn searched(found: &CurveFindings, highest: f64) -> Vec<Self> {
        let us = |level: u32, iops: f64| f64::from(level) / iops * to_f64(NS_PER_S / NS_PER_US);
        let levels = found.curve.levels.iter().filter(|(_, iops)| iops.mean > 0.0);
        let loaded = levels.filter_map(|&(level, iops)| {
            let measured = found.rate(iops);
            let rate = at_most(measured, highest)?;
            // Both say the same of one load.
            let iops = iops.mean * rate.value / measured.value;
            let latency_us = us(found.load.pattern.outstanding(level), iops);
            Some(Self { outstanding: level, rate, latency_us })
        });
        loaded.collect()
    }

    fn power(&self) -> f64 {
        self.rate.value / self.latency_us
    }
}

/// The rate, reduced to the highest; `None` if the excess is more than chance.
fn at_most(rate: Estimate, highest: f64) -> Option<Estimate> {
    match rate.value {
        value if value <= highest => Some(rate),
        value => (value <= BY_CHANCE * highest).then(|| rate.scaled(highest / value)),
    }
}

impl WorkingPoint {
    /// From the points and the searched levels of a class; `None` if the highest rate does not cost latency, the class
    /// is judged by its bandwidth, or its load level is not a number of outstanding I/Os.
    pub(super) fn of(points: &[PointFindings], curve: Option<&CurveFindings>, class: Class) -> Option<Self> {
        let all = candidates(points, class);
        let most = highest(&all)?;
        if most.io.load.figure == Figure::Mbps || !most.io.load.level_is_load() {
            return None;
        }
        let highest = LoadResult::of_point(&most, class)?;
        let measured: Vec<LoadResult> =
            all.iter().filter_map(|one| LoadResult::of_point(one, class)).collect();
        let mut searched =
            curve.map_or_else(Vec::new, |curve| LoadResult::searched(curve, highest.rate.value));
        // A point has visits of its own, which no search chose; and none is told to be quicker than the quickest.
        let least = measured.iter().map(|point| point.latency_us).fold(f64::INFINITY, f64::min);
        searched.retain(|one| {
            one.latency_us >= least && measured.iter().all(|point| point.outstanding != one.outstanding)
        });
        let enough = |one: &LoadResult| one.rate.value >= MUCH_OF_THE_RATE * highest.rate.value;
        let at = measured
            .into_iter()
            .chain(searched)
            .filter(enough)
            .max_by(|a, b| a.power().total_cmp(&b.power()))?;
        let tells =
            at.outstanding < highest.outstanding && highest.latency_us >= WORTH_TELLING * at.latency_us;
        tells.then_some(Self { at, highest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A level that was searched has visits of its own, whose noise is not part of the highest rate.
    #[test]
    fn no_level_that_was_searched_is_told_with_more_than_the_highest_rate() {
        let rate = |value| at_most(Estimate::bare(value), 1000.0).map(|rate| rate.value);
        assert_eq!([900.0, 1000.0, 1010.0].map(rate), [Some(900.0), Some(1000.0), Some(1000.0)]);
        assert_eq!(rate(7000.0), None, "from before a fall");
    }
}
