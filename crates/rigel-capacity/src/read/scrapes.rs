//! Readings that were asked for more often than they were taken.
//!
//! Prometheus repeats the last scrape until there is another. With a step of 10 s and a scrape each minute a counter stands still for five
//! steps and grows by a minute's worth in the sixth: a steady load would look like bursts. Whether that is so, all counters of a host tell
//! together, as a disk may be idle. Must not know what a counter is of.

use rigel_core::units::to_f64;
use std::collections::BTreeMap;

/// With fewer changes nothing is known of how they lie.
const LEAST_CHANGES: usize = 8;
/// Nobody asks so many times for one scrape.
const MOST_STEPS: i64 = 10_000;
/// Of the distances between changes this part has to be the interval of the scrapes, or a multiple of it.
const REGULAR: f64 = 0.9;

/// When readings were really taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Scrapes {
    /// Between two of them, in milliseconds.
    pub interval_ms: i64,
    /// A reading at a multiple of the interval and this lies as far from scrapes as can be, so that one that was late belongs to it all the same.
    phase_ms: i64,
    /// Whether they were asked for as often as they were taken.
    pub is_every: bool,
}

impl Scrapes {
    /// How a counter was scraped whose readings these are, in order; `None` when it changed too seldom to tell.
    pub fn of(readings: &[(i64, f64)]) -> Option<Self> {
        let step_ms =
            readings.windows(2).map(|pair| pair[1].0.saturating_sub(pair[0].0)).filter(|ms| *ms > 0).min()?;
        let is_change = |pair: &&[(i64, f64)]| pair[0].1.to_bits() != pair[1].1.to_bits();
        let changes: Vec<i64> =
            readings.windows(2).filter(is_change).map(|pair| pair[1].0 / step_ms).collect();
        let mut distances: Vec<i64> =
            changes.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).collect();
        if distances.len() < LEAST_CHANGES {
            return None;
        }
        distances.sort_unstable();
        // A scrape that came late or early makes a shorter distance now and then.
        let steps = distances[distances.len() / 10].max(1);
        let slack = if steps < 4 { 0 } else { 1 };
        let is_regular = |distance: &&i64| {
            let beyond = *distance % steps;
            beyond.min(steps - beyond) <= slack
        };
        let regular = distances.iter().filter(is_regular).count();
        if steps == 1
            || steps > MOST_STEPS
            || to_f64(regular as u64) < REGULAR * to_f64(distances.len() as u64)
        {
            return Some(Self { interval_ms: step_ms, phase_ms: 0, is_every: true });
        }
        let mut counts: BTreeMap<i64, usize> = BTreeMap::new();
        changes.iter().for_each(|change| *counts.entry(change.rem_euclid(steps)).or_default() += 1);
        let (usual, _) = counts.into_iter().max_by_key(|(_, count)| *count)?;
        let phase_ms = (usual + steps / 2) % steps * step_ms;
        Some(Self { interval_ms: steps * step_ms, phase_ms, is_every: false })
    }

    /// One reading for each scrape.
    pub fn thinned(self, readings: &[(i64, f64)]) -> Vec<(i64, f64)> {
        let is_kept = |(at_ms, _): &&(i64, f64)| at_ms.rem_euclid(self.interval_ms) == self.phase_ms;
        readings.iter().filter(is_kept).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A counter of 100 per second, asked each `step` seconds and scraped each `scrape`, at second 3 of it, some of them late.
    fn asked(step: i64, scrape: i64, count: i64, late: impl Fn(i64) -> i64) -> Vec<(i64, f64)> {
        let last = |at: i64| {
            let times = (0..=at / scrape + 1).map(|number| number * scrape + 3 + late(number));
            times.filter(|time| *time <= at).max().unwrap_or(0)
        };
        (1..count).map(|number| (number * step * 1000, (100 * last(number * step)) as f64)).collect()
    }

    #[test]
    fn a_step_below_the_scrape_is_seen_also_when_scrapes_are_late() {
        for (step, scrape) in [(10, 60), (15, 60), (30, 60), (5, 15), (1, 10)] {
            for late in [|_| 0, |number: i64| i64::from(number % 20 == 7)] {
                let readings = asked(step, scrape, 900, late);
                let found = Scrapes::of(&readings).unwrap();
                assert_eq!(found.interval_ms, scrape * 1000, "{step} {scrape}");
                assert!(!found.is_every);
                let kept = found.thinned(&readings);
                let rates = kept
                    .windows(2)
                    .map(|pair| (pair[1].1 - pair[0].1) / (pair[1].0 - pair[0].0) as f64 * 1000.0);
                // A scrape that is a second late makes its own interval longer, and the next shorter.
                assert!(rates.skip(1).all(|rate| (rate / 100.0 - 1.0).abs() < 0.11), "{step} {scrape}");
            }
        }
    }

    #[test]
    fn readings_of_their_own_stay_and_few_changes_say_nothing() {
        let own = asked(60, 60, 100, |_| 0);
        assert!(Scrapes::of(&own).unwrap().is_every);
        // Busy now and then: no rule.
        let value = |number: i64| (number / 7 + number / 11 + number / 13) as f64;
        let busy: Vec<(i64, f64)> = (0..2000).map(|number| (number * 1000, value(number))).collect();
        assert!(Scrapes::of(&busy).unwrap().is_every);
        assert_eq!(Scrapes::of(&[(0, 1.0), (10, 1.0), (20, 2.0), (30, 2.0)]), None);
        assert_eq!(Scrapes::of(&[]), None);
    }
}
