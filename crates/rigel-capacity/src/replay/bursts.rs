//! How bursty arrivals are, measured by how much their number varies from one second to the next, and the arrival shape with the same variation.
//!
//! The measure is the index of dispersion: the variance of the number that arrives in an interval over its mean, 1 for independent arrivals. It is
//! computed within minutes, so a load that rises and falls is not a burst. Must not know where the numbers come from.

use super::super::Span;
use rigel_core::load::class::{Shape, Spread};
use rigel_core::units::to_f64;

/// Fewer intervals of a minute say too little.
const LEAST_INTERVALS: usize = 6;
/// Fewer minutes say too little.
const LEAST_MINUTES: usize = 2;
/// Below that, arrivals are more even than chance: as far from 0 as from 1.
const EVEN: f64 = 0.5;
/// Steps of the search for a spread, each larger than the previous one by a constant factor.
const STEPS: i32 = 400;
const HALVINGS: u32 = 40;

/// A minute of short intervals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Minute {
    /// When its first interval begins, in milliseconds of the epoch.
    pub start_ms: i64,
    /// Intervals.
    pub intervals: usize,
    /// The length of one, in seconds.
    pub interval_s: f64,
    /// The mean number of arrivals in an interval.
    pub mean: f64,
    /// The variance of that number.
    pub variance: f64,
}

impl Minute {
    /// From intervals with their arrivals per second; `None` if there are too few, or they are not alike.
    pub fn of(intervals: &[(Span, f64)]) -> Option<Self> {
        let first = intervals.first()?.0;
        let count = intervals.len();
        let is_alike = |one: &(Span, f64)| one.0.length_ms.abs_diff(first.length_ms) * 5 <= first.length_ms;
        // Half of the minute is not known.
        let is_short = to_f64(count as u64) * f64::from(first.length_ms) < 30_000.0;
        if count < LEAST_INTERVALS || is_short || !intervals.iter().all(is_alike) {
            return None;
        }
        let rates: Vec<f64> = intervals.iter().map(|one| one.1).collect();
        let length_ms: f64 = intervals.iter().map(|one| f64::from(one.0.length_ms)).sum();
        let interval_s = length_ms / to_f64(count as u64) / 1000.0;
        let (mean, variance) =
            (rigel_core::stats::sample::mean(&rates), rigel_core::stats::sample::variance(&rates));
        Some(Self {
            start_ms: first.start_ms,
            intervals: count,
            interval_s,
            mean: mean * interval_s,
            variance: variance * interval_s * interval_s,
        })
    }
}

/// What minutes say about bursts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bursts {
    /// The index of dispersion.
    pub dispersion: f64,
    /// The length of an interval, in seconds.
    pub interval_s: f64,
    /// Intervals of a minute.
    pub intervals: usize,
    /// Minutes with this information.
    pub minutes: usize,
}

impl Bursts {
    /// From several minutes; `None` if they say too little. Minutes with another interval than the first do not count.
    pub fn of(minutes: &[Minute]) -> Option<Self> {
        let first = minutes.first()?;
        let alike = || minutes.iter().filter(|one| (one.interval_s / first.interval_s - 1.0).abs() < 0.2);
        let (mean, variance) = alike().fold((0.0, 0.0), |sum, one| (sum.0 + one.mean, sum.1 + one.variance));
        let minutes = alike().count();
        let Minute { intervals, interval_s, .. } = *first;
        (minutes >= LEAST_MINUTES && mean > 0.0).then(|| Self {
            dispersion: variance / mean,
            interval_s,
            intervals,
            minutes,
        })
    }

    /// The shape whose arrivals vary as much when they come at these rates, independently of each other, and the dispersion that it is
    /// expected to have: less where no shape varies as much.
    pub fn shape(&self, rates: &[u32]) -> (Shape, f64) {
        let wanted = self.dispersion;
        if wanted < EVEN {
            return (Shape::Even, 0.0);
        }
        let expected = |spread: f64| self.expected(spread, rates);
        let least = Spread::LEAST.get();
        if wanted <= expected(least) {
            return (Shape::Poisson, 1.0);
        }
        let ratio = Spread::MOST.get() / least;
        let spread = |step: i32| least * ratio.powf(f64::from(step) / f64::from(STEPS));
        let mut best = (least, expected(least));
        for step in 1..=STEPS {
            let (low, high) = (spread(step - 1), spread(step));
            if expected(high) >= wanted {
                let found = Spread::new(halved(low, high, |at| expected(at) >= wanted));
                return found
                    .map_or((Shape::Poisson, 1.0), |found| (Shape::Bursty(found), expected(found.get())));
            }
            if expected(high) > best.1 {
                best = (high, expected(high));
            }
        }
        Spread::new(best.0).map_or((Shape::Poisson, 1.0), |found| (Shape::Bursty(found), best.1))
    }

    /// The expected dispersion of several classes at these rates, each with that spread, when it is measured in this way.
    fn expected(&self, spread: f64, rates: &[u32]) -> f64 {
        let intervals = to_f64(self.intervals.max(2) as u64);
        let minute_s = self.interval_s * intervals;
        let of_class = |&rate: &u32| {
            let rate = f64::from(rate);
            let within = variance(spread, rate, self.interval_s) * intervals;
            // What varies from minute to minute is not seen.
            (within - variance(spread, rate, minute_s) / intervals) / (intervals - 1.0)
        };
        let arrive: f64 = rates.iter().map(|&rate| f64::from(rate) * self.interval_s).sum();
        if arrive > 0.0 {
            rates.iter().filter(|rate| **rate > 0).map(of_class).sum::<f64>() / arrive
        } else {
            1.0
        }
    }
}

/// The variance of the number that arrives in a time, of hyper-exponential arrivals with balanced means that continue forever: the equilibrium
/// renewal process, whose renewal density decays with the rate 2 x rate / (spread + 1).
fn variance(spread: f64, rate: f64, time_s: f64) -> f64 {
    let decays = 2.0 * rate / (spread + 1.0) * time_s;
    let grown = 1.0 - (1.0 - (-decays).exp()) / decays.max(f64::MIN_POSITIVE);
    rate * time_s * (1.0 + (spread - 1.0) * grown)
}

/// Where an answer changes from no to yes.
fn halved(mut low: f64, mut high: f64, is_beyond: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if is_beyond(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigel_core::load::arrivals::Arrivals;
    use rigel_core::units::NS_PER_S;

    /// What arrives in each second, of classes at these rates.
    fn seconds(shape: Shape, rates: &[u32], count: usize) -> Vec<f64> {
        let mut counts = vec![0.0; count];
        for (class, &rate) in rates.iter().enumerate() {
            let mut arrivals = Arrivals::new(11, 0, class, rate, shape);
            loop {
                let second = usize::try_from(arrivals.next_ns() / NS_PER_S).unwrap();
                let Some(place) = counts.get_mut(second) else { break };
                *place += 1.0;
            }
        }
        counts
    }

    fn minutes(counts: &[f64]) -> Vec<Minute> {
        let second = |(at, &count): (usize, &f64)| {
            (Span { start_ms: i64::try_from(at).unwrap() * 1000, length_ms: 1000 }, count)
        };
        let spans: Vec<(Span, f64)> = counts.iter().enumerate().map(second).collect();
        spans.chunks(60).filter_map(Minute::of).collect()
    }

    /// The formula against arrivals that are drawn, at rates where a second is long, and where it is short beside a burst.
    #[test]
    fn the_shape_that_is_found_varies_as_much() {
        for (wanted, rates) in
            [(1.0, &[500][..]), (3.0, &[200]), (12.5, &[1000, 100]), (40.0, &[400, 800, 50]), (90.0, &[700])]
        {
            let bursts = Bursts { dispersion: wanted, interval_s: 1.0, intervals: 60, minutes: 99 };
            let (shape, expected) = bursts.shape(rates);
            assert!((expected / wanted - 1.0).abs() < 0.01, "{wanted}: {shape:?} {expected}");
            let counts = seconds(shape, rates, 60_000);
            let found = Bursts::of(&minutes(&counts)).unwrap();
            assert_eq!((found.minutes, found.intervals), (1000, 60));
            // 4 standard errors of the dispersion of 60,000 seconds, and what bursts that outlast one add to them.
            let tolerance = 4.0 * (2.0_f64 / 60_000.0).sqrt() * 1.7;
            assert!(
                (found.dispersion / wanted - 1.0).abs() < tolerance,
                "{wanted}: {shape:?} {}",
                found.dispersion
            );
        }
    }

    #[test]
    fn what_no_shape_can_do_is_told_and_what_is_even_is_even() {
        let bursts = |dispersion| Bursts { dispersion, interval_s: 1.0, intervals: 60, minutes: 99 };
        let (shape, expected) = bursts(900.0).shape(&[10]);
        assert!(
            matches!(shape, Shape::Bursty(_)) && expected < 20.0,
            "10 per second cannot: {shape:?} {expected}"
        );
        assert_eq!(bursts(0.1).shape(&[100]), (Shape::Even, 0.0));
        assert_eq!(bursts(0.9).shape(&[100]), (Shape::Poisson, 1.0));
        let calm: Vec<(Span, f64)> =
            (0..60).map(|at| (Span { start_ms: at * 1000, length_ms: 1000 }, 7.0)).collect();
        assert_eq!(Minute::of(&calm).map(|one| (one.mean, one.variance)), Some((7.0, 0.0)));
        assert_eq!(Minute::of(&calm[..5]), None);
        assert_eq!(Bursts::of(&[Minute::of(&calm).unwrap()]), None, "one minute is no evidence");
    }
}
