//! How many outstanding I/Os a latency limit allows, by bisection between the last level within the bound
//! and the first one beyond it.
//!
//! In a closed loop the latency does not fall when the load grows, so all levels up to some level are within the
//! bound. Noise may contradict that; then the smallest level beyond the bound decides. Must not interpolate: every
//! level that comes out was visited.

use super::sample::{count, mean, variance};
use super::special::student_t_quantile;
use crate::units::{Nanos, to_f64, us_from_ns};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// Levels within this part of each other need not be told apart: below saturation the rate differs as little.
const NEAR: f64 = 0.05;

/// A level that is open is worth a point of its own if it is this many times the one that was found.
const FAR: f64 = 1.25;

/// Which latency of a point a limit applies to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LatencyOf {
    /// The arithmetic mean, as CALIBRATE_IO has it.
    #[default]
    Mean,
    /// The 99th percentile.
    P99,
}

crate::named!(LatencyOf { Mean: "mean", P99: "p99" });

/// A latency limit of small I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LatencyBound {
    /// The latency may not be longer.
    pub limit: Nanos,
    /// Which latency.
    pub of: LatencyOf,
}

impl LatencyBound {
    /// How a rate stands to it whose latency is known: `within a mean latency of 10 ms`, or `at about a ..` where the latency
    /// is above it, though its interval holds the bound.
    pub fn beside(&self, latency_us: f64) -> String {
        let is_above = latency_us > us_from_ns(to_f64(self.limit.0));
        format!("{} a {self}", relation(is_above))
    }
}

/// What a rate is of a bound, where the latency is above it though its interval holds the bound, and where it is not.
pub const fn relation(is_above: bool) -> &'static str {
    if is_above { "at about" } else { "within" }
}

/// `mean latency of 10 ms`.
impl fmt::Display for LatencyBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} latency of {}", self.of.name(), self.limit)
    }
}

/// One visit to one load level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundVisit {
    /// I/Os outstanding.
    pub outstanding: u32,
    /// The latency that the bound is about, in nanoseconds.
    pub latency_ns: f64,
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextBound {
    /// Visit this level once, add the visit to the others and ask again.
    Visit(u32),
    /// The largest level within the bound, as far as the visits show; `None` when not even 1 is.
    Done(Option<u32>),
}

/// Decides what comes after `visits`. `least` visits are made to every level that decides; no level above `most` is
/// visited.
pub fn next(visits: &[BoundVisit], limit: Nanos, least: usize, most: u32) -> NextBound {
    let levels = levels(visits, least);
    // A level with too few visits decides nothing yet.
    if !levels.contains_key(&1) {
        return NextBound::Visit(1);
    }
    let (within, first_beyond) = bracket(&levels, limit);
    let Some(within) = within else {
        return NextBound::Done(None);
    };
    let wanted = match first_beyond {
        None if within >= most => return NextBound::Done(Some(most)),
        None => within.saturating_mul(2).min(most),
        Some(beyond) => {
            let apart = beyond - within;
            if apart <= 1 || f64::from(apart) <= NEAR * f64::from(within) {
                return NextBound::Done(Some(within));
            }
            within + apart / 2
        }
    };
    NextBound::Visit(wanted)
}

/// The largest level within the bound as far as `visits` tell, of a search that has no time for more.
pub fn so_far(visits: &[BoundVisit], limit: Nanos) -> Option<u32> {
    bracket(&levels(visits, 1), limit).0
}

/// The largest level whose visits leave open whether it meets the bound, if it is far above `within`. The search takes the smallest
/// level that seems to be beyond: where the latency barely grows with the load, one slow moment ends it far too low. A level that is
/// beyond for sure ends what is open.
pub fn perhaps(visits: &[BoundVisit], limit: Nanos, within: Option<u32>) -> Option<u32> {
    let mut levels: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    visits.iter().for_each(|visit| levels.entry(visit.outstanding).or_default().push(visit.latency_ns));
    levels.retain(|_, seen| seen.len() > 1);
    // Few visits to each level: what they differ by, relative, is taken from all.
    let df: f64 = levels.values().map(|seen| count(seen.len()) - 1.0).sum();
    let squares = levels.values().map(|seen| variance(seen) / mean(seen).powi(2) * (count(seen.len()) - 1.0));
    let spread = (squares.sum::<f64>() / df).sqrt();
    let least =
        |seen: &[f64]| mean(seen) * (1.0 - student_t_quantile(0.975, df) * spread / count(seen.len()).sqrt());
    let limit_ns = to_f64(limit.0);
    let open = levels.iter().take_while(|(_, seen)| least(seen) <= limit_ns).map(|(&level, _)| level).last();
    open.filter(|&level| f64::from(level) > FAR * f64::from(within.unwrap_or(1)))
}

/// The mean latency of every level that had this many visits.
fn levels(visits: &[BoundVisit], least: usize) -> BTreeMap<u32, f64> {
    let mut levels: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    visits.iter().for_each(|visit| levels.entry(visit.outstanding).or_default().push(visit.latency_ns));
    levels.retain(|_, seen| seen.len() >= least);
    levels.into_iter().map(|(level, seen)| (level, mean(&seen))).collect()
}

/// The smallest level beyond the bound, and the one before it.
fn bracket(levels: &BTreeMap<u32, f64>, limit: Nanos) -> (Option<u32>, Option<u32>) {
    let beyond = |latency_ns: f64| latency_ns > to_f64(limit.0);
    let first_beyond = levels.iter().find(|(_, latency_ns)| beyond(**latency_ns)).map(|(&level, _)| level);
    let within = levels.keys().copied().take_while(|&level| Some(level) != first_beyond).last();
    (within, first_beyond)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::Noise;

    /// Searches a device with `stations` that serve an I/O in 1 ms; gives the level and the number of visits.
    fn search(stations: u32, limit_us: u64, most: u32, noise: f64) -> (Option<u32>, usize) {
        let mut visits = Vec::new();
        let mut random = Noise::new(7);
        loop {
            match next(&visits, Nanos(limit_us * 1000), 3, most) {
                NextBound::Done(level) => return (level, visits.len()),
                NextBound::Visit(outstanding) => {
                    let waits = f64::from(outstanding.max(stations)) / f64::from(stations);
                    let latency_ns = 1e6 * waits * (1.0 + noise * random.normal());
                    visits.push(BoundVisit { outstanding, latency_ns });
                }
            }
            assert!(visits.len() < 200, "no end");
        }
    }

    #[test]
    fn the_level_at_the_bound_is_found() {
        // Eight stations: 2 ms at 16, 10 ms at 80.
        assert_eq!(search(8, 2000, 512, 0.0).0, Some(16));
        assert_eq!(search(8, 10_000, 512, 0.0).0.map(|level| (77..=80).contains(&level)), Some(true));
        assert_eq!(search(8, 1000, 512, 0.0).0, Some(8), "no wait, no more latency");
        assert_eq!(search(1, 1500, 512, 0.0).0, Some(1));
    }

    #[test]
    fn a_bound_that_nothing_keeps_and_one_that_everything_keeps() {
        assert_eq!(search(8, 900, 512, 0.0), (None, 3));
        assert_eq!(search(600, 2000, 512, 0.0).0, Some(512));
        assert_eq!(search(600, 2000, 100, 0.0).0, Some(100), "the largest level need not be a power of two");
    }

    #[test]
    fn noise_moves_the_level_a_little_and_ends_the_search_all_the_same() {
        let (level, visits) = search(8, 10_000, 512, 0.05);
        assert!(level.is_some_and(|level| (70..=90).contains(&level)), "{level:?}");
        assert!(visits <= 45, "{visits}");
    }

    #[test]
    fn visits_that_are_there_already_are_used() {
        let all: Vec<BoundVisit> = [1, 2, 4, 8, 16, 32]
            .into_iter()
            .flat_map(|outstanding| {
                std::iter::repeat_n(
                    BoundVisit { outstanding, latency_ns: 1e6 * f64::from(outstanding.max(8)) / 8.0 },
                    3,
                )
            })
            .collect();
        assert_eq!(next(&all, Nanos::from_millis(3), 3, 512), NextBound::Visit(24));
        assert_eq!(next(&all[..2], Nanos::from_millis(3), 3, 512), NextBound::Visit(1));
    }

    /// A disk whose latency barely grew up to 64 outstanding, while others used it for a moment: means at 32 and 64 are just beyond
    /// 2 ms. Later visits had 0.8 ms at 27.
    #[test]
    fn a_level_that_may_keep_the_bound_is_told() {
        let seen: [(u32, [f64; 3]); 5] = [
            (16, [1.610, 2.458, 1.612]),
            (27, [1.522, 1.699, 1.967]),
            (32, [2.082, 2.237, 1.786]),
            (64, [2.634, 2.015, 2.214]),
            (128, [3.334, 2.852, 3.351]),
        ];
        let visit = |outstanding, ms: f64| BoundVisit { outstanding, latency_ns: 1e6 * ms };
        let visits: Vec<BoundVisit> =
            seen.into_iter().flat_map(|(level, all)| all.map(|ms| visit(level, ms))).collect();
        let limit = Nanos::from_millis(2);
        let within = so_far(&visits, limit);
        assert_eq!((within, perhaps(&visits, limit, within)), (Some(27), Some(64)));
        assert_eq!(perhaps(&visits, limit, Some(60)), None, "too near");
        assert_eq!(perhaps(&visits, Nanos::from_millis(1), None), None, "all are beyond");
        // Without noise nothing is open.
        let quiet: Vec<BoundVisit> =
            [1, 2, 4, 4, 8, 8].into_iter().map(|level| visit(level, f64::from(level))).collect();
        assert_eq!(perhaps(&quiet, Nanos::from_millis(5), Some(4)), None);
    }

    #[test]
    fn a_search_without_time_for_more_has_the_largest_level_within() {
        let visit = |outstanding: u32| BoundVisit { outstanding, latency_ns: 1e6 * f64::from(outstanding) };
        let found = |levels: &[u32]| {
            so_far(&levels.iter().copied().map(visit).collect::<Vec<_>>(), Nanos::from_millis(5))
        };
        assert_eq!([found(&[]), found(&[8, 16]), found(&[1, 2, 4, 8])], [None, None, Some(4)]);
        assert_eq!(found(&[1, 2, 4, 8, 6, 5]), Some(5), "one visit is better than none");
    }
}
