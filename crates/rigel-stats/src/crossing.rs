//! Where something that grows with the rate exceeds what is allowed: a curve through the visits near that rate, and the interval
//! of its crossing.
//!
//! What is given of each visit is a ratio to what is allowed, such as the share of slow I/Os over 1 %, and how many were to be expected
//! where it is 1. The logarithm of the odds that belong to the ratio is taken as a curve over the rate: a share ends at 1, and its
//! odds do not; of a rare share, and of a mean, they are the ratio itself. It is fitted by quasi-likelihood with the variance of counts times a factor that the visits themselves show (Wedderburn 1974; McCullagh, Nelder 1989): whatever makes visits differ,
//! the memory of a queue near saturation too, is in that factor, which grows with the curve (`spread`). How the curve bends is a guess
//! beforehand from what queues do ([`Guess`]), and the doubt about it a part of the interval. The interval holds the rates at which the curve may be 1 (as Fieller's, 1954). Must not choose rates.

mod law;
mod spread;

use super::sample::count;
use super::special::student_t_quantile;
pub use law::{Guess, Law};
use spread::Spread;

/// One visit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatioPoint {
    /// Arrivals per second.
    pub rate: f64,
    /// What was seen over what is allowed.
    pub ratio: f64,
    /// How many were to be expected where the ratio is 1; what makes visits of different lengths comparable.
    pub weight: f64,
}

impl RatioPoint {
    /// The same over what there is without any load to mention, in ratios: only the rest grows with the rate. `allowed`: of the share that a
    /// ratio of 1 stands for; 0 where it is no share.
    #[must_use]
    pub fn above(self, floor: f64, allowed: f64) -> Self {
        let left = if allowed == 0.0 { 1.0 } else { (1.0 - floor) / (1.0 - allowed * floor) };
        let ratio = ((self.ratio - floor) / (1.0 - floor)).max(0.0);
        Self { ratio, weight: self.weight * left, ..self }
    }
}

/// How a curve through visits may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A line.
    Straight,
    /// A line that bends as the law guesses.
    Bent,
}

/// A curve through visits: the logarithm of the odds over the rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curve {
    centre: f64,
    /// Of the place relative to the centre: height, slope, bend and turn.
    terms: Four,
    /// What the terms are guessed to be.
    guessed: Four,
    /// What the guesses add to the information.
    stiffness: Four,
    /// By what factor counts vary more than chance makes them.
    spread: Spread,
    law: Law,
    covariance: [Four; 4],
    /// The rates of the visits, lowest and highest.
    range: (f64, f64),
    degrees_of_freedom: f64,
}

type Four = [f64; 4];

/// Fewer visits show no spread.
const LEAST_VISITS: usize = 6;
/// Newton's method needs a few steps; more are for what has no answer.
const MOST_STEPS: usize = 60;
/// No step is longer, in height.
const LONGEST_STEP: f64 = 2.0;
/// The guesses are about the slope at the crossing, which they move a little.
const ROUNDS: usize = 3;
/// Rates at which the interval is checked, on either side of the crossing.
const LOOKS: u32 = 500;
/// As information: a term that is none.
const FIXED: f64 = 1e18;

impl Curve {
    /// The curve through the visits. `None` when there are too few, or they show no rise.
    pub fn through(visits: &[RatioPoint], law: Law, shape: Shape) -> Option<Self> {
        let straight = Self::begun(visits, law)?.fitted(visits)?.spread_out(visits, 2.0)?;
        if straight.terms[1] <= 0.0 {
            return None;
        }
        match shape {
            Shape::Straight => straight.remembering().fitted(visits)?.spread_out(visits, 2.0),
            Shape::Bent => (0..ROUNDS).try_fold(straight, |curve, _| curve.bent(visits)),
        }
    }

    /// A level line at their mean.
    fn begun(visits: &[RatioPoint], law: Law) -> Option<Self> {
        let all: f64 = visits.iter().map(|seen| seen.weight).sum();
        let mean_of = |what: fn(&RatioPoint) -> f64| {
            visits.iter().map(|seen| seen.weight * what(seen)).sum::<f64>() / all
        };
        let (centre, mean) = (mean_of(|seen| seen.rate), mean_of(|seen| seen.ratio));
        let rates = || visits.iter().map(|seen| seen.rate);
        let range = (rates().fold(f64::INFINITY, f64::min), rates().fold(0.0, f64::max));
        (visits.len() >= LEAST_VISITS && mean > 0.0 && law.allowed * mean < 1.0 && centre > 0.0).then(|| {
            Self {
                centre,
                terms: [odds(mean, law.allowed).ln(), 0.0, 0.0, 0.0],
                guessed: [0.0; 4],
                stiffness: [0.0, 0.0, FIXED, FIXED],
                spread: Spread::ONE,
                law,
                covariance: [[0.0; 4]; 4],
                range,
                degrees_of_freedom: 0.0,
            }
        })
    }

    /// The same with the spread that the memory of a queue makes.
    fn remembering(self) -> Self {
        let at = self.crossing().unwrap_or(self.centre);
        let memory = self.law.memory(self.slope_at(at) * at);
        Self { spread: self.spread.with_memory(at, memory), ..self }
    }

    /// The same with the bends that are guessed for its slope where it crosses, and the spread that the visits show along it.
    fn bent(self, visits: &[RatioPoint]) -> Option<Self> {
        let at = self.crossing().unwrap_or(self.centre).clamp(self.range.0, self.range.1);
        let (height, slope) = (self.height(at), self.slope_at(at) * at);
        if slope <= 0.0 || !slope.is_finite() {
            return None;
        }
        let Guess { bend, turn } = self.law.guess;
        // A term is the derivative over 2 and over 6.
        let [bend, turn] = [(bend, slope.powi(2) / 2.0), (turn, slope.powi(3) / 6.0)]
            .map(|([mean, deviation], scale)| (mean * scale, (deviation * scale).powi(-2)));
        let begun = Self {
            centre: at,
            terms: [height, slope, bend.0, turn.0],
            guessed: [0.0, 0.0, bend.0, turn.0],
            stiffness: [0.0, 0.0, bend.1, turn.1],
            spread: Spread::of(visits, self.law, at, slope),
            ..self
        };
        begun.remembering().fitted(visits)?.spread_out(visits, 3.0)
    }

    fn powers(&self, rate: f64) -> Four {
        let place = rate / self.centre - 1.0;
        [1.0, place, place.powi(2), place.powi(3)]
    }

    /// The logarithm of the odds at a rate, over those of what is allowed.
    fn height(&self, rate: f64) -> f64 {
        dot(self.powers(rate), self.terms).clamp(-50.0, 50.0)
    }

    /// How much it rises from one arrival per second to the next.
    fn slope_at(&self, rate: f64) -> f64 {
        let place = rate / self.centre - 1.0;
        dot([0.0, 1.0, 2.0 * place, 3.0 * place * place], self.terms) / self.centre
    }

    /// The ratio at a rate.
    pub fn ratio(&self, rate: f64) -> f64 {
        let odds = self.height(rate).exp();
        odds / (1.0 - self.law.allowed + self.law.allowed * odds)
    }

    fn expected(&self, seen: &RatioPoint) -> f64 {
        seen.weight * self.ratio(seen.rate)
    }

    /// The variance that chance gives to the count of a visit: less than the count itself where the share is no small one.
    fn variance(&self, seen: &RatioPoint) -> f64 {
        chance(seen.weight, self.ratio(seen.rate), self.law)
    }

    fn fitted(mut self, visits: &[RatioPoint]) -> Option<Self> {
        for _ in 0..MOST_STEPS {
            let mut score: Four =
                std::array::from_fn(|term| self.stiffness[term] * (self.guessed[term] - self.terms[term]));
            for seen in visits {
                let more = (seen.weight * seen.ratio - self.expected(seen)) / self.spread.at(seen.rate);
                score.iter_mut().zip(self.powers(seen.rate)).for_each(|(sum, power)| *sum += more * power);
            }
            let inverse = self.inverse_information(visits)?;
            let step = inverse.map(|row| dot(row, score));
            let widest =
                visits.iter().map(|seen| dot(self.powers(seen.rate), step).abs()).fold(0.0, f64::max);
            let part = if widest > LONGEST_STEP { LONGEST_STEP / widest } else { 1.0 };
            self.terms.iter_mut().zip(step).for_each(|(term, step)| *term += part * step);
            if widest < 1e-9 {
                return Some(self);
            }
        }
        None
    }

    fn inverse_information(&self, visits: &[RatioPoint]) -> Option<[Four; 4]> {
        let mut information = [[0.0; 4]; 4];
        for seen in visits {
            let powers = self.powers(seen.rate);
            let weight = self.variance(seen) / self.spread.at(seen.rate);
            for (row, one) in information.iter_mut().zip(powers) {
                row.iter_mut().zip(powers).for_each(|(cell, other)| *cell += weight * one * other);
            }
        }
        (0..4).for_each(|term| information[term][term] += self.stiffness[term]);
        inverse(information)
    }

    /// Makes the interval as wide as the visits differ from the curve.
    fn spread_out(self, visits: &[RatioPoint], parameters: f64) -> Option<Self> {
        let of = |seen: &RatioPoint| {
            let more = seen.weight * seen.ratio - self.expected(seen);
            more.powi(2) / (self.variance(seen) * self.spread.at(seen.rate))
        };
        let degrees_of_freedom = count(visits.len()) - parameters;
        let found = visits.iter().map(of).sum::<f64>() / degrees_of_freedom;
        let spread = self.spread.scaled(found, self.law.least_spread);
        let curve = Self { spread, degrees_of_freedom, ..self };
        let covariance = curve.inverse_information(visits)?;
        found.is_finite().then_some(Self { covariance, ..curve })
    }

    /// The rate at which the ratio is 1; a straight line is drawn on beyond the visits. `None` when there is none.
    pub fn crossing(&self) -> Option<f64> {
        let [height, slope, bend, turn] = self.terms;
        if bend.abs() < 1e-12 && turn.abs() < 1e-12 {
            let place = -height / slope;
            return (place > -1.0).then_some(self.centre * (1.0 + place));
        }
        let (mut low, mut high) = self.range;
        if self.height(low) > 0.0 || self.height(high) < 0.0 {
            return None;
        }
        for _ in 0..60 {
            let middle = f64::midpoint(low, high);
            if self.height(middle) < 0.0 { low = middle } else { high = middle }
        }
        Some(low)
    }

    /// How much the logarithm of the odds rises from the centre to twice its rate, as a line.
    pub const fn slope(&self) -> f64 {
        self.terms[1]
    }

    /// The ends of the interval of the crossing: below the first it is with the probability `below`, above the other one with `above`.
    /// An end that is not within the `range` of rates is `None`.
    pub fn ends(&self, [below, above]: [f64; 2], range: (f64, f64)) -> [Option<f64>; 2] {
        let Some(at) = self.crossing() else { return [None, None] };
        [(below, 1.0, range.0), (above, -1.0, range.1)].map(|(tail, side, end)| {
            let quantile = student_t_quantile(1.0 - tail, self.degrees_of_freedom);
            let step = (end - at) / f64::from(LOOKS);
            let is_sure = |rate: &f64| side * self.height(*rate) + quantile * self.deviation(*rate) < 0.0;
            let mut rates = (0..=LOOKS).map(|look| at + step * f64::from(look));
            rates.find(is_sure).filter(|_| side * step < 0.0)
        })
    }

    /// How unsure the logarithm of a ratio is that was seen at a rate, by the variance of the curve; of this many as were expected in all.
    pub fn doubt(&self, rate: f64, expected: f64) -> f64 {
        (self.spread.at(rate) / expected).sqrt()
    }

    /// The standard error of the height at a rate.
    fn deviation(&self, rate: f64) -> f64 {
        let powers = self.powers(rate);
        dot(powers, self.covariance.map(|row| dot(row, powers))).max(0.0).sqrt()
    }
}

/// The odds of a share over those of the allowed one, from their ratio.
pub fn odds(ratio: f64, allowed: f64) -> f64 {
    let left = 1.0 - allowed * ratio;
    if left > 0.0 { ratio * (1.0 - allowed) / left } else { f64::INFINITY }
}

/// The variance that chance gives to a count.
fn chance(weight: f64, ratio: f64, law: Law) -> f64 {
    weight * ratio * (1.0 - law.allowed * ratio)
}

fn dot(one: Four, other: Four) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

/// The inverse of a symmetric matrix by the sweep operator; `None` when it has none.
fn inverse(matrix: [Four; 4]) -> Option<[Four; 4]> {
    // As correlations: the terms differ by orders of magnitude.
    let scale: Four = std::array::from_fn(|at| matrix[at][at].sqrt());
    let mut all: [Four; 4] =
        std::array::from_fn(|row| std::array::from_fn(|at| matrix[row][at] / scale[row] / scale[at]));
    for at in 0..4 {
        let pivot = all[at][at];
        if !pivot.is_finite() || pivot < 1e-12 {
            return None;
        }
        all[at][at] = 1.0;
        all[at].iter_mut().for_each(|cell| *cell /= pivot);
        let swept = all[at];
        for row in (0..4).filter(|row| *row != at) {
            let part = all[row][at];
            all[row][at] = 0.0;
            all[row].iter_mut().zip(swept).for_each(|(cell, other)| *cell -= part * other);
        }
    }
    Some(std::array::from_fn(|row| std::array::from_fn(|at| all[row][at] / scale[row] / scale[at])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generator::Generator;
    use crate::tests::Noise;

    const RARE: Law = Law { allowed: 0.0, least_spread: 0.0, guess: Guess::NONE, queues: false };

    /// Half of the I/Os are allowed: no ratio is above 2, so the curve is not one of ratios.
    #[test]
    fn a_share_that_ends_at_1_crosses_where_it_does() {
        let share = |rate: f64| 1.0 / (1.0 + (-(rate / 20.0 - 49.0)).exp());
        let visits: Vec<RatioPoint> =
            (0..9).map(|at| 940.0 + 15.0 * f64::from(at)).map(|rate| seen(rate, share(rate) / 0.5)).collect();
        let curve = Curve::through(&visits, Law { allowed: 0.5, ..RARE }, Shape::Bent).unwrap();
        assert!((curve.crossing().unwrap() - 980.0).abs() < 1e-3);
        assert!((curve.ratio(1020.0) - 2.0 * share(1020.0)).abs() < 1e-6);
    }

    fn seen(rate: f64, ratio: f64) -> RatioPoint {
        RatioPoint { rate, ratio, weight: 20.0 }
    }

    #[test]
    fn a_line_without_noise_is_found() {
        let visits: Vec<RatioPoint> = (0..8)
            .map(|at| 950.0 + 10.0 * f64::from(at))
            .map(|rate| seen(rate, (rate / 100.0 - 9.8).exp()))
            .collect();
        for shape in [Shape::Straight, Shape::Bent] {
            let curve = Curve::through(&visits, RARE, shape).unwrap();
            assert!((curve.crossing().unwrap() - 980.0).abs() < 1e-4);
            let [low, high] = curve.ends([0.025; 2], (950.0, 1020.0)).map(Option::unwrap);
            assert!((low - 980.0).abs() < 0.2 && (high - 980.0).abs() < 0.2, "{low} {high}");
        }
        let straight = Curve::through(&visits, RARE, Shape::Straight).unwrap();
        assert!((straight.slope() / straight.centre - 0.01).abs() < 1e-9);
    }

    /// What is there without load is not a matter of the rate, and the crossing stays where it is.
    #[test]
    fn what_is_above_a_floor_is_1_where_it_was() {
        let above = |ratio: f64| seen(900.0, ratio).above(0.5, 0.01);
        assert_eq!([0.25, 0.5, 0.75, 1.0].map(|ratio| above(ratio).ratio), [0.0, 0.0, 0.5, 1.0]);
        assert!((above(1.0).weight - 20.0 * 0.5 / 0.995).abs() < 1e-9);
        assert_eq!(seen(900.0, 1.0).above(0.5, 0.0).weight, 20.0, "a mean has no count");
    }

    /// The periods in which a queue is slow are rare: visits without one look alike.
    #[test]
    fn visits_that_look_alike_are_no_surer_than_a_queue_can_be() {
        let visits: Vec<RatioPoint> = (0..28)
            .map(|at| 970.0 + 10.0 * f64::from(at % 7))
            .map(|rate| RatioPoint { weight: 400.0, ..seen(rate, (0.05 * (rate - 1000.0)).exp()) })
            .collect();
        let guess = Guess { bend: [0.1, 0.1], turn: [0.05, 0.1] };
        let width = |queues: bool| {
            let law = Law { allowed: 0.01, least_spread: 1.0, guess, queues };
            let curve = Curve::through(&visits, law, Shape::Bent).unwrap();
            assert!((curve.crossing().unwrap() - 1000.0).abs() < 2.0);
            let [low, high] = curve.ends([0.025; 2], (900.0, 1100.0)).map(Option::unwrap);
            high - low
        };
        // The slope is 50 from a rate to its double: the counts vary (2 * 50 / ln 100)^2 times as much.
        assert!(width(true) > 8.0 * width(false), "{} {}", width(true), width(false));
    }

    #[test]
    fn what_shows_no_line_has_no_crossing() {
        let flat: Vec<RatioPoint> =
            (0..8).map(|at| seen(900.0 + f64::from(at), 0.5 + f64::from(at % 2))).collect();
        let law = Law { least_spread: 1.0, ..RARE };
        let through = |visits: &[RatioPoint]| Curve::through(visits, law, Shape::Bent);
        assert!(through(&flat).is_none_or(|curve| curve.ends([0.025; 2], (900.0, 907.0)) == [None, None]));
        assert_eq!(through(&flat[..5]), None, "too few");
        let nothing: Vec<RatioPoint> = (0..8).map(|at| seen(900.0 + f64::from(at), 0.0)).collect();
        assert_eq!(through(&nothing), None);
        let falling: Vec<RatioPoint> =
            (0..8).map(|at| seen(900.0 + f64::from(at), 2.0 - 0.2 * f64::from(at))).collect();
        assert_eq!(through(&falling), None);
        let one_rate = vec![seen(900.0, 1.0); 8];
        assert_eq!(through(&one_rate), None);
    }

    /// Counts that spread three times as much as chance alone makes them, at five rates.
    #[test]
    fn the_interval_holds_the_crossing_as_often_as_it_says() {
        let mut noise = Noise::new(3);
        let mut generator = Generator::new(3, &[1]);
        let (mut below, mut above, trials) = (0, 0, 2000);
        for _ in 0..trials {
            let visits: Vec<RatioPoint> = (0..40)
                .map(|at| 1000.0 * (1.0 + 0.04 * (f64::from(at % 5) - 2.0)))
                .map(|rate| {
                    let place = rate / 1000.0 - 1.0;
                    // It bends, nearly as far as the guess goes.
                    let ratio = (5.0 * place + 12.5 * place * place).exp();
                    // A gamma-like factor, then nearly a Poisson count.
                    let factor = (0.3 * noise.normal() - 0.045).exp();
                    let mean = 20.0 * ratio * factor;
                    let mut counted = 0.0;
                    let mut left = mean - generator.exponential();
                    while left > 0.0 {
                        counted += 1.0;
                        left -= generator.exponential();
                    }
                    seen(rate, counted / 20.0)
                })
                .collect();
            let guess = Guess { bend: [0.5, 0.7], ..Guess::NONE };
            let curve =
                Curve::through(&visits, Law { least_spread: 1.0, guess, ..RARE }, Shape::Bent).unwrap();
            let [low, high] = curve.ends([0.025; 2], (920.0, 1080.0));
            below += u32::from(high.is_some_and(|high| high < 1000.0));
            above += u32::from(low.is_some_and(|low| low > 1000.0));
        }
        assert!(below + above <= 130 && below.max(above) <= 75, "{below} below, {above} above of {trials}");
        assert!(below + above >= 60, "wider than it says: {below} + {above}");
    }
}
