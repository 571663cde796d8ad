//! The search itself, written as if every visit were already there. When one is missing, the search ends and names
//! it. After that visit the search starts again and takes the same path. It keeps no state, and a few dozen visits
//! make it cheap.
//!
//! Must not use anything but the visits and the rules.

use super::{Bracket, Curve, LevelRules, LevelVisit, PLATEAU, SATURATION, Violation, ViolationKind};
use crate::interval::Interval;
use crate::sample::{count, mean, variance};
use crate::variance::{FEWEST_TO_BORROW, Spread, moderate};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Two doublings in a row that gain less end the climb.
const LEAST_GAIN: f64 = 0.03;
/// Visits to the levels of the plateau, for the maximum alone.
const FRESH_VISITS: usize = 2;
/// Most visits to a level whose saturation is undecided.
const MOST_VISITS: usize = 12;
/// Bisecting stops when the bracket is this part of its lower end.
const RESOLUTION: u32 = 8;
/// Means may differ by this part even without noise.
const EDGES: f64 = 0.005;
/// More visits to a level that contradicts another one, and to that one.
const VISITS_OF_DOUBT: usize = 4;
/// Student's t that as many ratios exceed by chance in one of 200 cases.
const CERTAIN: f64 = 5.84;

/// A level that must be visited before the search can continue.
pub struct NextLevel(pub u32);

/// What a level contradicts.
#[derive(Clone, Copy)]
enum Reference {
    /// The rate that the latency of one I/O alone allows.
    Alone,
    /// The maximum.
    Maximum,
    /// The rate of this smaller level.
    Below(u32),
}

/// A result, or the visit that it still needs.
type StepResult<T> = Result<T, NextLevel>;

pub struct Search {
    made: BTreeMap<u32, VecDeque<LevelVisit>>,
    /// Rates of the visits that the search has asked for so far.
    rates: BTreeMap<u32, Vec<f64>>,
    latencies: Vec<f64>,
    /// The shortest window of all visits.
    window_s: f64,
    rules: LevelRules,
    /// The maximum and whether the climb ended on a plateau, once both are known.
    top: Option<(Interval, bool)>,
    /// The levels that the maximum is the mean of.
    best: Vec<u32>,
}

impl Search {
    pub fn new(made: BTreeMap<u32, VecDeque<LevelVisit>>, rules: LevelRules) -> Self {
        let windows = made.values().flatten().map(|visit| visit.window_s);
        let window_s = windows.fold(f64::INFINITY, f64::min);
        Self {
            made,
            rates: BTreeMap::new(),
            latencies: Vec::new(),
            window_s,
            rules,
            top: None,
            best: Vec::new(),
        }
    }

    /// The curve; none if no level has a rate.
    pub fn run(&mut self) -> StepResult<Option<Curve>> {
        let (climbed, saturated) = self.climb()?;
        let Some(maximum) = self.maximum()? else {
            return Ok(None);
        };
        self.top = Some((maximum, saturated));
        let found = self.bisect(&climbed, maximum)?;
        let violations = self.check(found, maximum)?;
        let curve = self.curve(found, maximum);
        // A noisy climb may end at the most outstanding with a last gain by chance, on a plateau that began far below.
        let most = self.rates.keys().next_back().copied().unwrap_or(1);
        let saturated = saturated || found.saturating_mul(PLATEAU) <= most;
        Ok(Some(Curve { saturated, violations, ..curve }))
    }

    /// The level and the curve of the visits so far, of a search that must end here. Without the visits to the plateau the
    /// maximum is that of the best level, and nothing says that a larger one gains no more. None as long as no level has
    /// a rate; no curve as long as no interval is known.
    pub fn so_far(&self) -> Option<(u32, Option<Curve>)> {
        let levels = || self.rates.keys().copied().filter(|&level| self.mean(level) > 0.0);
        let best = levels().max_by(|&a, &b| self.mean(a).total_cmp(&self.mean(b)))?;
        let most = self.top.map_or_else(|| self.mean(best), |(maximum, _)| maximum.mean.min(self.mean(best)));
        let found = levels().find(|&level| self.mean(level) >= SATURATION * most)?;
        let top = self.top.or_else(|| Some((self.interval(best)?, false)));
        let curve = top.map(|(maximum, saturated)| Curve { saturated, ..self.curve(found, maximum) });
        Some((found, curve))
    }

    /// A curve without contradictions, of which nobody knows that it is saturated.
    fn curve(&self, found: u32, maximum: Interval) -> Curve {
        let all: Vec<u32> = self.rates.keys().copied().collect();
        let power = |&n: &u32| self.mean(n).powi(2) / f64::from(n);
        let knee = all.iter().copied().max_by(|a, b| power(a).total_cmp(&power(b)));
        Curve {
            levels: all.iter().filter_map(|&n| Some((n, self.interval(n)?))).collect(),
            x_max: maximum,
            saturated: false,
            n_sat: self.bracket(found, maximum),
            crossing: maximum.mean * mean(&self.latencies),
            power_knee: knee.unwrap_or(1),
            violations: Vec::new(),
        }
    }

    /// Takes the next visit to a level that is not used yet.
    fn visit(&mut self, outstanding: u32) -> StepResult<()> {
        let visit = self.made.get_mut(&outstanding).and_then(VecDeque::pop_front);
        let visit = visit.ok_or(NextLevel(outstanding))?;
        self.rates.entry(outstanding).or_default().push(visit.rate);
        if outstanding == 1 {
            self.latencies.push(visit.latency_s);
        }
        Ok(())
    }

    fn visit_often(&mut self, outstanding: u32, visits: usize) -> StepResult<()> {
        (0..visits).try_for_each(|_| self.visit(outstanding))
    }

    /// Doubles until two doublings in a row gain too little: up once, then down and up again over the same levels, so
    /// the visits to a level lie apart. Whether that made a plateau.
    fn climb(&mut self) -> StepResult<(Vec<u32>, bool)> {
        let mut levels = vec![1];
        self.visit(1)?;
        while let Some(next) = self.above(&levels) {
            self.visit(next)?;
            levels.push(next);
        }
        for pass in 1..self.rules.visits {
            let mut order = levels.clone();
            if pass % 2 == 1 {
                order.reverse();
            }
            order.into_iter().try_for_each(|level| self.visit(level))?;
        }
        while let Some(next) = self.above(&levels) {
            self.visit_often(next, self.rules.visits)?;
            levels.push(next);
        }
        let saturated = self.is_flat(&levels);
        Ok((levels, saturated))
    }

    /// The next level of the climb, unless it is over.
    fn above(&self, levels: &[u32]) -> Option<u32> {
        let last = levels.last()?;
        let next = last.saturating_mul(2).min(self.rules.most_outstanding);
        (next > *last && !self.is_flat(levels)).then_some(next)
    }

    fn is_flat(&self, levels: &[u32]) -> bool {
        let gains = |pair: &[u32]| self.mean(pair[1]) >= self.mean(pair[0]) * (1.0 + LEAST_GAIN);
        levels.len() > 2 && !levels[levels.len() - 3..].windows(2).any(gains)
    }

    /// Visits the plateau afresh and takes the mean of those visits; none without a rate.
    fn maximum(&mut self) -> StepResult<Option<Interval>> {
        let plateau = self.plateau();
        for _ in 0..FRESH_VISITS {
            plateau.iter().try_for_each(|&level| self.visit(level))?;
        }
        let newest = |level| self.rates[level].iter().rev().take(FRESH_VISITS);
        let fresh: Vec<f64> = plateau.iter().flat_map(newest).copied().collect();
        let spreads: Vec<Spread> = plateau.iter().map(|&level| self.spread(level)).collect();
        let usual = mean(&spreads.iter().map(|spread| spread.relative_variance).collect::<Vec<_>>());
        let degrees = spreads.iter().map(|spread| spread.degrees_of_freedom);
        let spread = Spread {
            // Levels that differ, although none of them stood out, widen the interval too.
            relative_variance: usual.max(variance(&fresh) / mean(&fresh).powi(2)),
            degrees_of_freedom: degrees.fold(f64::INFINITY, f64::min),
            contamination: None,
        };
        self.best = plateau;
        Ok(Interval::of_mean(&fresh, &spread))
    }

    /// All levels whose difference to the best one is within its 95 % interval.
    fn plateau(&self) -> Vec<u32> {
        let intervals: Vec<(u32, Interval)> =
            self.rates.keys().filter_map(|&level| Some((level, self.interval(level)?))).collect();
        let best = intervals.iter().max_by(|a, b| a.1.mean.total_cmp(&b.1.mean)).map(|(_, best)| *best);
        let half = |interval: &Interval| interval.hi95 - interval.mean;
        let is_like_best = |interval: &Interval| {
            best.is_some_and(|best| best.mean - interval.mean <= half(interval).hypot(half(&best)))
        };
        intervals.iter().filter(|(_, interval)| is_like_best(interval)).map(|(level, _)| *level).collect()
    }

    /// The smallest level that reaches saturation, by its mean.
    fn bisect(&mut self, climbed: &[u32], maximum: Interval) -> StepResult<u32> {
        let Some((mut below, mut reaching)) = self.first_to_reach(climbed, maximum)? else {
            return Ok(1);
        };
        while reaching - below > (below / RESOLUTION).max(1) {
            let middle = geometric_middle(below, reaching);
            if !self.rates.contains_key(&middle) {
                self.visit_often(middle, self.rules.visits)?;
            }
            if self.reaches(middle, maximum)? {
                reaching = middle;
            } else {
                below = middle;
            }
        }
        Ok(reaching)
    }

    /// The first level of the climb that reaches saturation, or else the best of them, and the one before it (0 before
    /// the first).
    fn first_to_reach(&mut self, climbed: &[u32], maximum: Interval) -> StepResult<Option<(u32, u32)>> {
        let before = std::iter::once(0).chain(climbed.iter().copied());
        let steps: Vec<(u32, u32)> = before.zip(climbed.iter().copied()).collect();
        for &(before, level) in &steps {
            if self.reaches(level, maximum)? {
                return Ok(Some((before, level)));
            }
        }
        Ok(steps.into_iter().max_by(|a, b| self.mean(a.1).total_cmp(&self.mean(b.1))))
    }

    /// Visits a level until it is certain on which side of saturation it is, or had all visits that one may have.
    fn reaches(&mut self, level: u32, maximum: Interval) -> StepResult<bool> {
        while self.verdict(level, maximum).is_none() && self.rates[&level].len() < MOST_VISITS {
            self.visit(level)?;
        }
        Ok(self.mean(level) >= SATURATION * maximum.mean)
    }

    /// Whether a level reaches saturation, when the interval of `X(N) / X_max` leaves no doubt.
    fn verdict(&self, level: u32, maximum: Interval) -> Option<bool> {
        let ratio = self.mean(level) / maximum.mean;
        let half = ratio * self.half_width(level).hypot(maximum.relative_half_width);
        let distance = ratio - SATURATION;
        (distance.abs() > half).then_some(distance > 0.0)
    }

    fn bracket(&self, found: u32, maximum: Interval) -> Bracket {
        let sure = |wanted| move |level: &&u32| self.verdict(**level, maximum) == Some(wanted);
        let below = self.rates.keys().rev().filter(|&&level| level < found).find(sure(false));
        let reaching = self.rates.keys().filter(|&&level| level >= found).find(sure(true));
        let largest = self.rates.keys().next_back().copied();
        Bracket {
            lo: below.map_or(1, |below| below + 1),
            found,
            hi: reaching.copied().or(largest).unwrap_or(found),
        }
    }

    /// Levels that contradict others in new visits, too. The visits that made them suspect were the worst of many by chance and do not count any more. Each new
    /// one has its own to what it contradicts, in the same round: the noise that both have in common is in neither, and one level that is off
    /// accuses no other.
    fn check(&mut self, found: u32, maximum: Interval) -> StepResult<Vec<Violation>> {
        let suspects: Vec<(u32, Reference)> = self.suspects(found, maximum).collect();
        let mut levels: BTreeSet<u32> = suspects.iter().map(|suspect| suspect.0).collect();
        for (_, reference) in &suspects {
            match reference {
                Reference::Alone => levels.extend([1]),
                Reference::Maximum => levels.extend(&self.best),
                Reference::Below(smaller) => levels.extend([*smaller]),
            }
        }
        for _ in 0..VISITS_OF_DOUBT {
            levels.iter().try_for_each(|&level| self.visit(level))?;
        }
        Ok(suspects.into_iter().filter_map(|(level, reference)| self.violation(level, reference)).collect())
    }

    fn suspects(&self, found: u32, maximum: Interval) -> impl Iterator<Item = (u32, Reference)> + '_ {
        let levels: Vec<u32> = self.rates.keys().copied().collect();
        let smaller = std::iter::once(None).chain(levels.clone().into_iter().map(Some));
        levels.into_iter().zip(smaller).filter_map(move |(level, smaller)| {
            let rate = self.mean(level);
            let (bound, doubt, reference) = self.bound(level, maximum);
            if rate > bound * (1.0 + doubt + self.half_width(level) + self.edges()) {
                return Some((level, reference));
            }
            let smaller = smaller.filter(|_| level <= found)?;
            let doubt = self.half_width(smaller) + self.half_width(level) + self.edges();
            let falls = rate < self.mean(smaller) * (1.0 - doubt);
            falls.then_some((level, Reference::Below(smaller)))
        })
    }

    /// Whether the newest visits to a level contradict those to its reference: the logarithm of their ratio, round by round.
    fn violation(&self, level: u32, reference: Reference) -> Option<Violation> {
        let rates = newest(self.rates.get(&level)?);
        let limits: Vec<f64> = match reference {
            Reference::Alone => {
                newest(&self.latencies).iter().map(|alone_s| f64::from(level) / alone_s).collect()
            }
            Reference::Below(smaller) => newest(self.rates.get(&smaller)?).to_vec(),
            Reference::Maximum => {
                let best: Vec<&[f64]> =
                    self.best.iter().filter_map(|one| Some(newest(self.rates.get(one)?))).collect();
                let of_round = |round| best.iter().map(|rates| rates[round]).collect::<Vec<f64>>();
                (0..rates.len()).map(|round| mean(&of_round(round))).collect()
            }
        };
        let log = |rate: f64| rate.max(f64::MIN_POSITIVE).ln();
        let is_fall = matches!(reference, Reference::Below(_));
        let beyond = |(rate, limit): (&f64, &f64)| {
            let above = log(*rate) - log(*limit);
            if is_fall { -above } else { above }
        };
        let beyond: Vec<f64> = rates.iter().zip(&limits).map(beyond).collect();
        let doubt = CERTAIN * (variance(&beyond) / count(beyond.len())).sqrt();
        let limit = mean(&limits);
        let kind = if is_fall { ViolationKind::Falls(limit) } else { ViolationKind::AboveBound(limit) };
        let is_certain = mean(&beyond) - doubt > self.edges();
        is_certain.then(|| Violation { outstanding: level, rate: mean(rates), kind })
    }

    /// By what part rates differ because a window cuts I/Os at its edges: of each slot of the device one more may fall into it,
    /// again in every visit when all I/Os take the same time.
    fn edges(&self) -> f64 {
        let cut = mean(&self.latencies) / self.window_s;
        if cut.is_finite() { cut.max(EDGES) } else { EDGES }
    }

    /// `min(N / R(1), X_max)`, its relative half-width and which of the two it is (Denning, Buzen 1978).
    fn bound(&self, level: u32, maximum: Interval) -> (f64, f64, Reference) {
        let linear = f64::from(level) / mean(&self.latencies);
        if linear < maximum.mean {
            (linear, self.half_width(1), Reference::Alone)
        } else {
            (maximum.mean, maximum.relative_half_width, Reference::Maximum)
        }
    }

    fn mean(&self, level: u32) -> f64 {
        self.rates.get(&level).map_or(0.0, |rates| mean(rates))
    }

    fn interval(&self, level: u32) -> Option<Interval> {
        Interval::of_mean(self.rates.get(&level)?, &self.spread(level))
    }

    fn half_width(&self, level: u32) -> f64 {
        self.interval(level).map_or(f64::INFINITY, |interval| interval.relative_half_width)
    }

    /// The spread of a level: moderated over all levels, or the pooled one as long as there are few.
    fn spread(&self, level: u32) -> Spread {
        let sample = |rates: &Vec<f64>| (variance(rates) / mean(rates).powi(2), count(rates.len()) - 1.0);
        let samples: BTreeMap<u32, (f64, f64)> =
            self.rates.iter().map(|(&level, rates)| (level, sample(rates))).collect();
        let (relative_variance, degrees_of_freedom) = if samples.len() < FEWEST_TO_BORROW {
            let df: f64 = samples.values().map(|(_, df)| df).sum();
            (samples.values().map(|(s2, df)| s2 * df).sum::<f64>() / df, df)
        } else {
            let place = samples.keys().position(|&other| other == level).unwrap_or(0);
            moderate(&samples.into_values().collect::<Vec<_>>())[place]
        };
        Spread { relative_variance, degrees_of_freedom, contamination: None }
    }
}

/// The visits of doubt: the last ones.
fn newest(visits: &[f64]) -> &[f64] {
    &visits[visits.len().saturating_sub(VISITS_OF_DOUBT)..]
}

/// The nearest whole number to the geometric mean, strictly between.
fn geometric_middle(below: u32, reaching: u32) -> u32 {
    let product = u64::from(below) * u64::from(reaching);
    let root = product.isqrt();
    let rounded = root + u64::from(product - root * root > root);
    u32::try_from(rounded).unwrap_or(reaching).clamp(below + 1, reaching - 1)
}
