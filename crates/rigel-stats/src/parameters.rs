//! The numbers that steer an adaptive run by short visits, with their defaults.
//!
//! Each default has its reason beside it. Must not decide anything.

use crate::units::{NS_PER_MS, NS_PER_S};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Phases with fewer points have nothing to borrow and little to fill gaps with.
pub const FEW_POINTS: usize = super::variance::FEWEST_TO_BORROW;

/// Most lengths of visits. A record may claim a length of 0, whose double is 0 again.
const MOST_LENGTHS: usize = 8;

/// What an adaptive run aims at, and the shape of its visits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameters {
    /// Relative half-width of the 95 % interval at which a point is done: 0.05 is ±5 %.
    pub target: f64,
    /// Load before the measured part of a visit. The rate after it is judged again when all visits are known.
    pub settle_ns: u64,
    /// Measured part of a visit; between visits the noise is so much larger than inside that longer ones gain little.
    pub measure_ns: u64,
    /// A visit with fewer I/Os of a class is lengthened, so its mean is nearly normal.
    pub least_ios: u32,
    /// Longest measured part of such a visit.
    pub longest_measure_ns: u64,
    /// Rounds before the first look: fewer miss rare states.
    pub least_visits: u32,
    /// Visits after which a point that has not reached the target is given up; those that fill gaps count.
    pub most_visits: u32,
    /// The same as `least_visits`, for phases of fewer than `FEW_POINTS` points.
    pub least_visits_few: u32,
    /// Least time from the end of a visit to the next visit to the same point. Noise with a correlation time of
    /// some seconds is independent by then.
    pub gap_ns: u64,
    /// The same for phases of fewer than `FEW_POINTS` points.
    pub gap_few_ns: u64,
    /// Length of the long visit of a class that reads: limits and cliffs are invisible to short visits.
    pub long_read_ns: u64,
    /// Length of the long visit of a class that writes.
    pub long_write_ns: u64,
    /// Rest between phases.
    pub pause_ns: u64,
    /// Time after which no visit begins.
    pub time_limit_ns: Option<u64>,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            target: 0.05,
            settle_ns: 500 * NS_PER_MS,
            measure_ns: 2 * NS_PER_S,
            least_ios: 200,
            longest_measure_ns: 8 * NS_PER_S,
            least_visits: 4,
            most_visits: 12,
            least_visits_few: 6,
            gap_ns: 20 * NS_PER_S,
            gap_few_ns: 10 * NS_PER_S,
            long_read_ns: 20 * NS_PER_S,
            long_write_ns: 60 * NS_PER_S,
            pause_ns: 10 * NS_PER_S,
            time_limit_ns: None,
        }
    }
}

impl Parameters {
    /// The defaults with another target; `fast` measures 1 s a visit instead of 2, which leaves less room to settle.
    pub fn new(target: f64, fast: bool) -> Self {
        let usual = Self::default();
        Self { target, measure_ns: if fast { NS_PER_S } else { usual.measure_ns }, ..usual }
    }

    /// The same for two alternating sides. What is wanted of it is how certain a difference is and not a rate, which takes more
    /// rounds: a mean of all loads has no other visits to borrow its spread from.
    #[must_use]
    pub const fn in_turns(self) -> Self {
        Self { least_visits: self.least_visits_few, most_visits: 2 * self.most_visits, ..self }
    }

    /// Rounds before the first look of a phase with `points` points.
    pub fn first_look(&self, points: usize) -> u32 {
        let wanted = if points < FEW_POINTS { self.least_visits_few } else { self.least_visits };
        wanted.min(self.most_visits)
    }

    /// The lengths of visits, ascending, with the load before the measured part: the usual one, then with the
    /// measured part doubled again and again up to the longest.
    pub fn visit_lengths(&self) -> Vec<u64> {
        let doubled =
            |measure_ns: &u64| measure_ns.checked_mul(2).filter(|&twice| twice <= self.longest_measure_ns);
        let measured = std::iter::successors(Some(self.measure_ns), doubled).take(MOST_LENGTHS);
        measured.map(|measure_ns| self.settle_ns.saturating_add(measure_ns)).collect()
    }

    /// Index of the longest of [`Self::visit_lengths`] that a visit of `length_ns` reaches.
    pub fn length_place(&self, length_ns: u64) -> usize {
        self.visit_lengths().iter().skip(1).take_while(|&&longer| longer <= length_ns).count()
    }

    /// Least time between two visits to a point of a phase with `points` points.
    pub fn gap_for(&self, points: usize) -> u64 {
        if points < FEW_POINTS { self.gap_few_ns } else { self.gap_ns }
    }

    /// Length of the measured part of a visit: `usual_ns`, longer when the slowest class does fewer than `least_ios`
    /// in that time at `rate` I/Os per second.
    pub fn measure_for(&self, usual_ns: u64, rate: f64) -> u64 {
        let needed = f64::from(self.least_ios) / rate;
        let needed = Duration::try_from_secs_f64(needed)
            .map_or(u64::MAX, |span| u64::try_from(span.as_nanos()).unwrap_or(u64::MAX));
        needed.min(self.longest_measure_ns).max(usual_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_devices_get_longer_visits() {
        let parameters = Parameters::default();
        for (rate, seconds) in [(1e6, 2), (100.0, 2), (50.0, 4), (25.0, 8), (1.0, 8), (0.0, 8), (f64::NAN, 8)]
        {
            let found = parameters.measure_for(parameters.measure_ns, rate);
            assert_eq!(found, seconds * NS_PER_S, "{rate}");
        }
        assert_eq!(parameters.measure_for(10 * NS_PER_S, 25.0), 10 * NS_PER_S, "never shorter than usual");
    }

    #[test]
    fn visits_double_their_measured_part() {
        let ms = |parameters: Parameters| -> Vec<u64> {
            parameters.visit_lengths().iter().map(|length| length / NS_PER_MS).collect()
        };
        assert_eq!(ms(Parameters::default()), [2500, 4500, 8500]);
        assert_eq!(ms(Parameters::new(0.05, true)), [1500, 2500, 4500, 8500]);
        assert_eq!(ms(Parameters { measure_ns: 9 * NS_PER_S, ..Parameters::default() }), [9500]);
        let place = |length_ms: u64| Parameters::default().length_place(length_ms * NS_PER_MS);
        assert_eq!([0, 2500, 4499, 4500, 8499, 8500, 20_500].map(place), [0, 0, 0, 1, 1, 2, 2]);
        assert_eq!(ms(Parameters { measure_ns: 0, ..Parameters::default() }), [500; MOST_LENGTHS]);
    }

    #[test]
    fn few_points_get_more_visits_and_a_shorter_gap() {
        let fast = Parameters::new(0.02, true);
        assert_eq!((fast.target, fast.measure_ns), (0.02, NS_PER_S));
        assert_eq!((fast.first_look(3), fast.gap_for(3)), (6, 10 * NS_PER_S));
        assert_eq!((fast.first_look(4), fast.gap_for(4)), (4, 20 * NS_PER_S));
    }
}
