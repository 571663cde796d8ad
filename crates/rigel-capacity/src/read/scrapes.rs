//! Readings requested more often than they were taken.
//!
//! Prometheus repeats the last scrape until there is another. With a step of 10 s and a scrape each minute a counter stands still for five
//! steps and grows by a minute's worth in the sixth: a steady load would look like bursts. All counters of a host together show whether that
//! happened, because a single disk may be idle. Must not know what a counter is about.

use rigel_core::units::to_f64;
use std::collections::BTreeMap;

/// With fewer changes nothing is known about their distribution.
const LEAST_CHANGES: usize = 8;
/// Nobody asks this many times for one scrape.
const MOST_STEPS: i64 = 10_000;
/// This part of the distances between changes has to be the scrape interval, or a multiple of it.
const REGULAR: f64 = 0.9;

/// Each of two neighbouring distances must have at least this part before an interval between them is tried.
const LEAST_OF_EITHER: f64 = 0.1;
/// Changes that such an interval needs. All of them, except late ones, lie within a step of its scrapes; at most this
/// part of those that chance, such as bursts of a disk, would put elsewhere.
const LEAST_BETWEEN: usize = 20;
const MOST_ELSEWHERE: f64 = 0.25;
/// Scrapes are this many milliseconds apart, or a multiple.
const GRAIN_MS: i64 = 1_000;
/// Intervals that are tried.
const MOST_TRIED: usize = 100;

/// When readings were really taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Scrapes {
    /// Between two of them, in milliseconds.
    pub interval_ms: i64,
    /// A scrape was at a multiple of the interval and this, up to half of what is left of a step.
    phase_ms: i64,
    /// Between two readings.
    step_ms: i64,
    /// Whether they were requested as often as they were taken.
    pub is_every: bool,
}

impl Scrapes {
    /// How a counter with these ordered readings was scraped; `None` if it changed too rarely to tell.
    pub fn of(readings: &[(i64, f64)]) -> Option<Self> {
        let step_ms =
            readings.windows(2).map(|pair| pair[1].0.saturating_sub(pair[0].0)).filter(|ms| *ms > 0).min()?;
        let begin_ms = readings.first()?.0;
        let is_change = |pair: &&[(i64, f64)]| pair[0].1.to_bits() != pair[1].1.to_bits();
        // Steps since the first reading, which need not be at a multiple of the step.
        let changes: Vec<i64> = readings
            .windows(2)
            .filter(is_change)
            .map(|pair| pair[1].0.saturating_sub(begin_ms) / step_ms)
            .collect();
        let mut distances: Vec<i64> =
            changes.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).collect();
        if distances.len() < LEAST_CHANGES {
            return None;
        }
        distances.sort_unstable();
        let is_every = Self { interval_ms: step_ms, phase_ms: 0, step_ms, is_every: true };
        let Some(interval_ms) =
            between(&changes, &distances, step_ms).or_else(|| multiple(&distances, step_ms))
        else {
            return Some(is_every);
        };
        let residues: Vec<i64> =
            changes.iter().map(|change| (begin_ms + change * step_ms).rem_euclid(interval_ms)).collect();
        let Window { first, last, .. } = window(&residues, interval_ms, step_ms)?;
        // A scrape is before the first reading that shows it, by less than a step.
        let phase_ms = (first + last - step_ms).div_euclid(2).rem_euclid(interval_ms);
        Some(Self { interval_ms, phase_ms, step_ms, is_every: false })
    }

    /// One reading per scrape: the last before the next one, so that a late scrape belongs to its own. Its time is
    /// one step after the scrape, which is the same for all and within the time of the readings.
    pub fn thinned(self, readings: &[(i64, f64)]) -> Vec<(i64, f64)> {
        let (Some(first), Some(last)) = (readings.first(), readings.last()) else { return Vec::new() };
        let number = |at_ms: i64| (at_ms - self.phase_ms).div_euclid(self.interval_ms);
        readings
            .chunk_by(|one, next| number(one.0) == number(next.0))
            .filter_map(|of_scrape| of_scrape.last())
            .map(|(at_ms, value)| (number(*at_ms) * self.interval_ms + self.phase_ms + self.step_ms, *value))
            .filter(|(at_ms, _)| (first.0..=last.0).contains(at_ms))
            .collect()
    }
}

/// An interval that is a multiple of the step, out of the sorted distances between changes.
fn multiple(distances: &[i64], step_ms: i64) -> Option<i64> {
    // A scrape that came late or early makes a shorter distance now and then.
    let steps = distances[distances.len() / 10].max(1);
    let slack = if steps < 4 { 0 } else { 1 };
    let is_regular = |distance: &&i64| {
        let beyond = *distance % steps;
        beyond.min(steps - beyond) <= slack
    };
    let regular = distances.iter().filter(is_regular).count();
    let is_none =
        steps == 1 || steps > MOST_STEPS || to_f64(regular as u64) < REGULAR * to_f64(distances.len() as u64);
    (!is_none).then(|| steps * step_ms)
}

/// An interval that is not a multiple of the step: 60 s asked each 25 s change after two steps or three, in turn.
fn between(changes: &[i64], distances: &[i64], step_ms: i64) -> Option<i64> {
    let steps = distances[distances.len() / 10].max(1);
    let count = |of: i64| distances.iter().filter(|distance| **distance == of).count();
    let (short, long) = (count(steps), count(steps + 1));
    let least = LEAST_OF_EITHER * to_f64((short + long) as u64);
    if steps > MOST_STEPS || short + long < LEAST_BETWEEN || to_f64(short.min(long) as u64) < least {
        return None;
    }
    let count = i64::try_from(short + long).ok()?;
    let sum_ms = (i64::try_from(short).ok()? * steps + i64::try_from(long).ok()? * (steps + 1)) * step_ms;
    // The first and the last of the changes are up to a step from their scrapes.
    let (mean_ms, off_ms) = (sum_ms / count, step_ms / count + GRAIN_MS / 2);
    let within = |interval_ms: i64| {
        let residues: Vec<i64> =
            changes.iter().map(|change| (change * step_ms).rem_euclid(interval_ms)).collect();
        window(&residues, interval_ms, step_ms).map_or(0, |found| found.count)
    };
    let grains =
        (mean_ms - off_ms + GRAIN_MS - 1).div_euclid(GRAIN_MS)..=(mean_ms + off_ms).div_euclid(GRAIN_MS);
    let all = grains.take(MOST_TRIED).map(|grain| grain * GRAIN_MS).filter(|ms| *ms > step_ms);
    let (within, interval_ms) = all.map(|interval_ms| (within(interval_ms), interval_ms)).max()?;
    let elsewhere = to_f64((changes.len() - within) as u64) / to_f64(changes.len() as u64);
    let by_chance = 1.0 - to_f64(step_ms.unsigned_abs()) / to_f64(interval_ms.unsigned_abs());
    (elsewhere <= MOST_ELSEWHERE * by_chance).then_some(interval_ms)
}

/// Moments within less than a step of each other, in the circle of an interval: the first and last of them, and how many there are.
struct Window {
    first: i64,
    last: i64,
    count: usize,
}

/// Where most residues lie together.
fn window(residues: &[i64], interval_ms: i64, step_ms: i64) -> Option<Window> {
    let mut counts: BTreeMap<i64, usize> = BTreeMap::new();
    residues.iter().for_each(|residue| *counts.entry(*residue).or_default() += 1);
    // Once more around, for those that lie across the end.
    let around: Vec<(i64, usize)> = counts
        .iter()
        .map(|(residue, count)| (*residue, *count))
        .chain(counts.iter().map(|(residue, count)| (residue + interval_ms, *count)))
        .collect();
    let (mut to, mut sum) = (0, 0);
    let mut best: Option<Window> = None;
    for (from, (first, count)) in around.iter().enumerate().take(counts.len()) {
        while to < around.len() && around[to].0 - first < step_ms.min(interval_ms) {
            sum += around[to].1;
            to += 1;
        }
        if best.as_ref().is_none_or(|best| sum > best.count) {
            best = Some(Window { first: *first, last: around[from.max(to - 1)].0, count: sum });
        }
        sum -= count;
    }
    best
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
    fn a_start_and_a_step_that_do_not_fit_the_scrape_are_seen() {
        for (step, scrape) in [
            (30, 60),
            (15, 60),
            (25, 60),
            (10, 15),
            (20, 30),
            (40, 60),
            (45, 60),
            (30, 45),
            (13, 60),
            (7, 15),
        ] {
            for start in [0, 7, 11] {
                let readings: Vec<(i64, f64)> = asked(step, scrape, 300, |_| 0)
                    .into_iter()
                    .map(|(at, value)| (at + start * 1_000, value))
                    .collect();
                let found = Scrapes::of(&readings).unwrap();
                assert_eq!(found.interval_ms, scrape * 1000, "{step} {scrape} {start}");
                let kept = found.thinned(&readings);
                let expected = 299 * step / scrape;
                assert!(
                    (i64::try_from(kept.len()).unwrap() - expected).abs() <= 2,
                    "{step} {scrape} {start}: {}",
                    kept.len()
                );
                for pair in kept.windows(2).skip(1) {
                    assert_eq!(
                        (pair[1].0 - pair[0].0, pair[1].1 - pair[0].1),
                        (scrape * 1000, (scrape * 100) as f64)
                    );
                }
            }
        }
        // Bursts of a disk that was scraped at each step lie anywhere.
        let mut state = 1_u64;
        let mut value = 0.0;
        let bursts: Vec<(i64, f64)> = (0..500)
            .map(|number| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                value += f64::from(u8::from(state >> 63 == 1));
                (number * 60_000, value)
            })
            .collect();
        assert!(Scrapes::of(&bursts).unwrap().is_every);
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
