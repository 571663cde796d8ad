//! The arrival times of an open loop: an endless sequence, from the seed alone.
//!
//! Every worker generates the whole sequence of a class and takes its share of it, so the split never changes what arrives.
//! Each arrival has a number, and a generator of its own for what it does. Must not know workers or clocks.

use crate::load::class::Shape;
use crate::load::draw::Generator;
use crate::units::{NS_PER_S, to_f64};

/// Keeps these sequences apart from those of slots.
const TIMES: u64 = 0x0061_7272_6976_616c;
const DEEDS: u64 = 0x6465_6564;

/// The times of arrivals, in nanoseconds from the start of the load; they never decrease.
#[derive(Clone, Debug)]
pub struct Arrivals {
    generator: Generator,
    gap: Gap,
    at_ns: f64,
}

/// How the next interval is drawn.
#[derive(Clone, Copy, Debug)]
enum Gap {
    /// Always this many nanoseconds.
    Even(f64),
    /// Exponential with this mean.
    Exponential(f64),
    /// Exponential with one of two means; the first with this probability.
    TwoPhases { first: f64, means_ns: [f64; 2] },
}

impl Gap {
    fn new(shape: Shape, mean_ns: f64) -> Self {
        match shape {
            Shape::Even => Self::Even(mean_ns),
            Shape::Poisson => Self::Exponential(mean_ns),
            // Balanced means: both phases have half of the time (Allen 1990, section 3.2.9).
            Shape::Bursty(spread) => {
                let spread = spread.get();
                let first = f64::midpoint(1.0, ((spread - 1.0) / (spread + 1.0)).sqrt());
                Self::TwoPhases { first, means_ns: [first, 1.0 - first].map(|share| mean_ns / (2.0 * share)) }
            }
        }
    }

    #[inline]
    fn draw(&self, generator: &mut Generator) -> f64 {
        match *self {
            Self::Even(ns) => ns,
            Self::Exponential(mean_ns) => mean_ns * generator.exponential(),
            Self::TwoPhases { first, means_ns: [often_ns, rarely_ns] } => {
                let mean_ns = if generator.unit() <= first { often_ns } else { rarely_ns };
                mean_ns * generator.exponential()
            }
        }
    }

    /// The time before the first one, drawn so that the load begins in a steady state: the first second gets as many arrivals as
    /// any other, and even arrivals of two classes do not coincide.
    fn before_first(&self, generator: &mut Generator) -> f64 {
        match *self {
            Self::Even(ns) => -ns * generator.unit(),
            // What is left of such a gap is like a whole one.
            Self::Exponential(_) => 0.0,
            // A moment lies in a gap of either phase with the same probability, as both have half of the time.
            Self::TwoPhases { means_ns: [often_ns, rarely_ns], .. } => {
                let mean_ns = if generator.unit() <= 0.5 { often_ns } else { rarely_ns };
                let left_ns = mean_ns * generator.exponential();
                left_ns - self.draw(&mut generator.clone())
            }
        }
    }
}

impl Arrivals {
    /// The arrivals of a class, given its index in the load, in one visit: `per_s` per second.
    pub fn new(seed: u64, visit: u64, class: usize, per_s: u32, shape: Shape) -> Self {
        let mut generator = Generator::new(seed, &[TIMES, visit, class as u64]);
        let mean_ns = to_f64(NS_PER_S) / f64::from(per_s.max(1));
        let gap = Gap::new(shape, mean_ns);
        let at_ns = gap.before_first(&mut generator);
        Self { generator, gap, at_ns }
    }

    /// The time of the next one.
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "not negative, and saturates"
    )]
    pub fn next_ns(&mut self) -> u64 {
        self.at_ns += self.gap.draw(&mut self.generator);
        self.at_ns as u64
    }
}

/// The target and direction of an arrival, whichever slot takes it.
pub fn deed(seed: u64, visit: u64, class: usize, number: u64) -> Generator {
    Generator::new(seed, &[DEEDS, visit, class as u64, number])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::class::Spread;
    use crate::stats::sample::{mean, variance};

    fn gaps(shape: Shape, count: usize) -> Vec<f64> {
        let mut arrivals = Arrivals::new(7, 3, 0, 1000, shape);
        let times: Vec<u64> = (0..=count).map(|_| arrivals.next_ns()).collect();
        assert!(times.is_sorted());
        times.windows(2).map(|pair| to_f64(pair[1] - pair[0])).collect()
    }

    fn bursty(spread: f64) -> Shape {
        Shape::Bursty(Spread::new(spread).unwrap())
    }

    /// Without that, (spread - 1) / 2 too many arrive at the beginning: 200 here.
    #[test]
    fn as_many_bursty_arrivals_come_at_the_beginning_as_later() {
        let second = |visit| {
            let mut arrivals = Arrivals::new(7, visit, 0, 1000, bursty(401.0));
            std::iter::from_fn(|| Some(arrivals.next_ns())).take_while(|&ns| ns < NS_PER_S).count()
        };
        let counts: Vec<f64> = (0..4000).map(|visit| to_f64(second(visit) as u64)).collect();
        // 4 standard deviations of the mean of counts with a variance of about 200 times their mean.
        assert!(
            (mean(&counts) - 1000.0).abs() < 4.0 * (variance(&counts) / 4000.0).sqrt(),
            "{}",
            mean(&counts)
        );
        assert!((mean(&counts) - 1000.0).abs() < 40.0);
    }

    #[test]
    fn each_shape_has_its_mean_and_its_spread() {
        for (shape, spread, tolerance) in [
            (Shape::Even, 0.0, 1e-6),
            (Shape::Poisson, 1.0, 0.02),
            (bursty(4.0), 4.0, 0.15),
            (bursty(20.0), 20.0, 1.0),
        ] {
            let gaps = gaps(shape, 400_000);
            let found = variance(&gaps) / mean(&gaps).powi(2);
            assert!((found - spread).abs() <= tolerance, "{shape:?}: {found}");
            assert!((mean(&gaps) / 1e6 - 1.0).abs() < 0.02, "{shape:?}: {}", mean(&gaps));
        }
    }

    #[test]
    fn visits_and_classes_have_times_of_their_own() {
        let first = |visit, class| Arrivals::new(7, visit, class, 1000, Shape::Poisson).next_ns();
        assert_eq!(first(3, 0), first(3, 0));
        assert!(first(3, 0) != first(4, 0) && first(3, 0) != first(3, 1));
        assert_ne!(deed(7, 3, 0, 1).bits(), deed(7, 3, 0, 2).bits());
    }

    #[test]
    fn even_arrivals_keep_their_rate_for_a_day() {
        let mut arrivals = Arrivals::new(1, 0, 0, 3, Shape::Even);
        let first = arrivals.next_ns();
        let last = (0..3 * 86_400).map(|_| arrivals.next_ns()).last().unwrap();
        assert!((last - first).abs_diff(86_400 * NS_PER_S) <= 1000, "{}", last - first);
    }
}
