//! The search for the highest rate of an open loop at which a bound is met: growing rates until one does not keep it, then
//! bisection.
//!
//! What is beyond a bound grows with the rate, so the visits to all rates together are taken as a rising curve (isotonic regression), and
//! one visit that chance made bad is corrected by those above and below it. Only what the points are chosen by comes out here; how certain the
//! rate is, their visits say. Must not interpolate beyond what was visited.

use super::crossing::{Curve, Guess, Law, RatioPoint, Shape};
use super::isotonic::rising;
use std::collections::BTreeMap;

/// From one rate to the next while they grow.
const GROWTH: f64 = 4.0;
/// Visits to a rate at which a bound is nearly reached, while the rates grow.
const VISITS_OF_DOUBT: usize = 3;
/// Bisection ends when the rates are as near to each other.
const NEAR: f64 = 0.05;
/// Visits to each of both ends before the search is over.
const VISITS_AT_ENDS: usize = 8;
/// A search is given up after this many visits; twenty to thirty are usual.
const MOST_VISITS: usize = 60;
/// Where fewer slow I/Os were to be expected, more visits cost little and tell more than doubt does.
const LEAST_DOUBT: f64 = 5.0;
/// A visit in which something stalled is no worse than that: those that put it right would be too many.
const MOST_OF_A_VISIT: f64 = 4.0;
/// Ratios beyond that, and below its inverse, say nothing of the curve where it crosses.
pub const FAR: f64 = 8.0;
/// The points lie between the rates at which the ratio is about this and its inverse.
const SPREAD: f64 = 1.45;
/// They lie so far from the crossing at least, and at most.
const NARROWEST: f64 = 0.01;
const WIDEST: f64 = 0.15;
/// And so far at least where no line says how steep the curve is.
const UNKNOWN: f64 = 0.02;

/// A line is all that is requested.
const RATIOS: Law = Law { allowed: 0.0, least_spread: 0.0, guess: Guess::NONE, queues: true };
/// Nearer to the bound there is nothing left above what is there without load.
pub const HIGHEST_FLOOR: f64 = 0.95;

/// One visit to one rate: what was seen of the bound that is nearest to be broken, over what it allows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateVisit {
    /// Arrivals per second.
    pub rate: u32,
    /// What was seen over what is allowed: above 1 the bound is not kept.
    pub ratio: f64,
    /// How many slow I/Os were to be expected where the ratio is 1.
    pub weight: f64,
    /// The share of slow I/Os that a ratio of 1 stands for; 0 where it is no share.
    pub allowed: f64,
}

impl RateVisit {
    /// Whichever of two loads at one rate is nearer to breaking its bound. Of what few I/Os say one standard error is taken off (a count of slow
    /// I/Os scatters by its root): else a load of a few I/Os would nearly always be the worse one by chance alone.
    #[must_use]
    pub fn worse(self, other: Self) -> Self {
        let sure = |visit: &Self| {
            let slow = (visit.ratio * visit.weight).max(0.0);
            (slow - slow.sqrt()).max(0.0) / visit.weight.max(f64::MIN_POSITIVE)
        };
        let order = sure(&other).total_cmp(&sure(&self)).then(other.ratio.total_cmp(&self.ratio));
        if order.is_gt() { other } else { self }
    }
}

/// The rates of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateRules {
    /// The lowest.
    pub lowest: u32,
    /// The first.
    pub first: u32,
    /// The highest.
    pub most: u32,
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Next {
    /// Visit this rate once, add the visit to the others and ask again.
    Visit(u32),
    /// The search is over.
    Done(RateOutcome),
}

/// What a search found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RateOutcome {
    /// The bound is met up to about a rate: the rates around which the points lie.
    About {
        /// Lower end of the points.
        low: f64,
        /// Where the bound is about reached.
        at: f64,
        /// Upper end.
        high: f64,
    },
    /// Not even at the lowest rate.
    Nowhere,
    /// At the highest rate as well.
    Everywhere,
}

/// All visits to one rate.
#[derive(Clone, Copy, Debug, Default)]
struct Level {
    visits: usize,
    weight: f64,
    /// Weight times ratio, as far as one visit may go.
    seen: f64,
    /// The same, however far.
    all: f64,
}

impl Level {
    fn ratio(&self) -> f64 {
        self.seen / self.weight
    }

    /// Whether chance alone barely makes it keep, or break, the bound.
    fn is_clear(&self) -> bool {
        let more = self.seen - self.weight;
        let chance = 2.0 * self.weight.sqrt();
        more > chance + 2.0 || -more > chance
    }

    /// Whether only visits to higher rates can tell.
    fn is_doubtful(&self) -> bool {
        self.weight > LEAST_DOUBT && !self.is_clear()
    }
}

/// Decides what comes after `visits`. The same visits always give the same answer, so a search can continue from a record.
pub fn next(visits: &[RateVisit], rules: &RateRules) -> Next {
    let levels = levels(visits);
    match growing(&levels, rules) {
        Some(step) if visits.len() < MOST_VISITS => step,
        Some(_) => Next::Done(so_far(visits, rules)),
        None => match bisecting(&levels, rules).filter(|_| visits.len() < MOST_VISITS) {
            Some(rate) => Next::Visit(rate),
            None => Next::Done(so_far(visits, rules)),
        },
    }
}

/// What the visits tell, of a search that has no time for more.
pub fn so_far(visits: &[RateVisit], rules: &RateRules) -> RateOutcome {
    let levels = levels(visits);
    match ends(&levels) {
        (None, _) => RateOutcome::Nowhere,
        (Some(low), None) if low >= rules.most => RateOutcome::Everywhere,
        // More would have been kept; the points say so.
        (Some(low), None) => around(f64::from(low), f64::from(low), visits),
        (Some(low), Some(high)) => around(f64::from(low), f64::from(high), visits),
    }
}

fn levels(visits: &[RateVisit]) -> BTreeMap<u32, Level> {
    let mut levels: BTreeMap<u32, Level> = BTreeMap::new();
    for visit in visits {
        let level = levels.entry(visit.rate).or_default();
        level.visits += 1;
        level.weight += visit.weight;
        level.seen += visit.weight * visit.ratio.min(MOST_OF_A_VISIT);
        level.all += visit.weight * visit.ratio;
    }
    levels
}

/// The next of the growing rates; falling ones, when not even the first is kept. `None` once one meets the bound and another does not.
fn growing(levels: &BTreeMap<u32, Level>, rules: &RateRules) -> Option<Next> {
    let mut rate = rules.first.clamp(rules.lowest, rules.most);
    let mut kept_below = false;
    let mut broken_above = false;
    loop {
        let Some(level) =
            levels.get(&rate).filter(|level| level.is_clear() || level.visits >= VISITS_OF_DOUBT)
        else {
            return Some(Next::Visit(rate));
        };
        // Higher rates tell more in the same time, and what they keep, lower ones keep as well: doubt is no reason to turn back.
        let is_doubtful = !broken_above && rate < rules.most && !level.is_clear();
        let is_kept = level.ratio() <= 1.0 || is_doubtful;
        kept_below |= is_kept;
        broken_above |= !is_kept;
        if kept_below && broken_above {
            return None;
        }
        if is_kept && rate == rules.most {
            return Some(Next::Done(RateOutcome::Everywhere));
        }
        if !is_kept && rate == rules.lowest {
            return Some(Next::Done(RateOutcome::Nowhere));
        }
        let wanted = if is_kept { f64::from(rate) * GROWTH } else { f64::from(rate) / GROWTH };
        rate = whole(wanted).clamp(rules.lowest, rules.most);
    }
}

/// The highest rate that meets the bound and the lowest that does not, of the rising curve through all of them. What stands on one step of
/// the curve counts together, and is kept in doubt: visits to higher rates tell more.
fn ends(levels: &BTreeMap<u32, Level>) -> (Option<u32>, Option<u32>) {
    let values: Vec<(f64, f64)> = levels.values().map(|level| (level.ratio(), level.weight)).collect();
    let curve = rising(&values);
    let step = |ratio: f64| {
        let on_it = curve.iter().zip(&values).filter(|(other, _)| **other == ratio);
        let weight: f64 = on_it.map(|(_, value)| value.1).sum();
        Level { visits: 1, weight, seen: ratio * weight, all: ratio * weight }
    };
    let is_kept = |&ratio: &f64| ratio <= 1.0 || step(ratio).is_doubtful();
    let kept = curve.iter().rposition(is_kept).map_or(0, |last| last + 1);
    let mut rates = levels.keys().copied().skip(kept.saturating_sub(1));
    if kept == 0 { (None, rates.next()) } else { (rates.next(), rates.next()) }
}

/// The next rate between both ends, or one of the ends that needs more visits.
fn bisecting(levels: &BTreeMap<u32, Level>, rules: &RateRules) -> Option<u32> {
    let (low, high) = match ends(levels) {
        (Some(low), Some(high)) => (low, high),
        // Together they contradict the single ones.
        (None, Some(high)) if high > rules.lowest => {
            return Some(whole(f64::from(high) / GROWTH).max(rules.lowest));
        }
        (Some(low), None) if low < rules.most => {
            return Some(whole(f64::from(low) * GROWTH).min(rules.most));
        }
        _ => return None,
    };
    let middle = whole((f64::from(low) * f64::from(high)).sqrt());
    if f64::from(high) > f64::from(low) * (1.0 + NEAR) && low < middle && middle < high {
        return Some(middle);
    }
    let visits = |rate: u32| levels.get(&rate).map_or(0, |level| level.visits);
    let fewer = if visits(high) < visits(low) { high } else { low };
    (visits(fewer) < VISITS_AT_ENDS).then_some(fewer)
}

/// Where the points lie: around the crossing of a line through the visits near it, as far as the line says that it pays; around the
/// ends where there is no line.
fn around(low: f64, high: f64, visits: &[RateVisit]) -> RateOutcome {
    let levels = levels(visits);
    let below: Vec<&Level> = levels.range(..=whole(low / 2.0)).map(|one| one.1).collect();
    let sum = |of: fn(&Level) -> f64| below.iter().map(|level| of(level)).sum::<f64>();
    let floor =
        (sum(|level| level.all) / sum(|level| level.weight).max(f64::MIN_POSITIVE)).min(HIGHEST_FLOOR);
    let seen = |visit: &RateVisit| {
        let seen = RatioPoint { rate: f64::from(visit.rate), ratio: visit.ratio, weight: visit.weight };
        seen.above(floor, visit.allowed)
    };
    let is_near = |visit: &&RateVisit| {
        let ratio = levels.get(&visit.rate).map_or(0.0, |level| level.all / level.weight);
        let ratio = (ratio - floor) / (1.0 - floor);
        (1.0 / FAR..FAR).contains(&ratio) && (low / 2.0..high * 2.0).contains(&f64::from(visit.rate))
    };
    let near: Vec<&RateVisit> = visits.iter().filter(is_near).collect();
    // The bound that is broken most may be another one at each rate.
    let worst = near.iter().max_by(|one, other| one.ratio.total_cmp(&other.ratio));
    let law = Law { allowed: worst.map_or(0.0, |visit| visit.allowed), ..RATIOS };
    let seen: Vec<RatioPoint> = near.into_iter().map(seen).collect();
    let line = Curve::through(&seen, law, Shape::Straight).and_then(|line| Some((line, line.crossing()?)));
    let about =
        |at: f64, part: f64| RateOutcome::About { low: at * (1.0 - part), at, high: at * (1.0 + part) };
    match line.filter(|(_, at)| (low / (1.0 + WIDEST)..=high * (1.0 + WIDEST)).contains(at)) {
        Some((line, at)) => {
            let range = (at * (1.0 - WIDEST), at * (1.0 + WIDEST));
            let unsure = line
                .ends([0.025; 2], range)
                .map(|end| end.map_or(WIDEST / 2.0, |end| (end / at - 1.0).abs()));
            let part = (SPREAD.ln() / line.slope()).max(unsure[0]).max(unsure[1]);
            about(at, part.clamp(NARROWEST, WIDEST))
        }
        None => about((low * high).sqrt(), (high / low - 1.0).clamp(UNKNOWN, WIDEST)),
    }
}

/// The nearest whole rate, at least 1.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "rates are far below, and it saturates"
)]
pub fn whole(rate: f64) -> u32 {
    rate.round().max(1.0) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::Noise;

    const RULES: RateRules = RateRules { lowest: 10, first: 100, most: 250_000 };

    #[test]
    fn a_load_of_few_ios_is_not_the_worse_one_by_chance() {
        let seen = |ratio, weight| RateVisit { rate: 100, ratio, weight, allowed: 0.01 };
        // One slow I/O where half of one is allowed, and 90 where 100 are.
        let (few, many) = (seen(2.0, 0.5), seen(0.9, 100.0));
        assert_eq!((few.worse(many), many.worse(few)), (many, many));
        // Of as many I/Os the higher ratio counts, and where nothing is sure, too.
        let (one, other) = (seen(1.2, 100.0), seen(0.8, 100.0));
        assert_eq!((one.worse(other), other.worse(one)), (one, one));
        assert_eq!(seen(0.0, 5.0).worse(seen(2.0, 0.5)), seen(2.0, 0.5));
        // Nothing came back, or nothing arrived.
        assert_eq!(many.worse(seen(1000.0, 1.0)), seen(1000.0, 1.0));
        assert_eq!(seen(0.0, 1e-6).worse(many), many);
    }

    /// Searches a device whose ratio is a function of the rate, times noise.
    fn search(ratio: impl Fn(f64) -> f64, noise: f64, seed: u64) -> (RateOutcome, Vec<RateVisit>) {
        let mut visits = Vec::new();
        let mut random = Noise::new(seed);
        loop {
            match next(&visits, &RULES) {
                Next::Done(found) => return (found, visits),
                Next::Visit(rate) => {
                    let factor = (noise * random.normal()).exp();
                    visits.push(RateVisit {
                        rate,
                        ratio: ratio(f64::from(rate)) * factor,
                        weight: 0.01 * f64::from(rate),
                        allowed: 0.01,
                    });
                }
            }
            assert!(visits.len() <= MOST_VISITS, "no end");
        }
    }

    fn about(found: RateOutcome) -> (f64, f64, f64) {
        let RateOutcome::About { low, at, high } = found else { panic!("{found:?}") };
        (low, at, high)
    }

    #[test]
    fn a_smooth_curve_and_a_cliff_are_found() {
        for crossing in [37.0, 100.0, 5394.0, 199_000.0] {
            let smooth = move |rate: f64| (5.4 * (rate / crossing - 1.0)).exp();
            let (low, at, high) = about(search(smooth, 0.0, 1).0);
            assert!((at / crossing - 1.0).abs() < 0.06, "{at} {crossing}");
            assert!(low < crossing && crossing < high, "{low} {crossing} {high}");
            let cliff = move |rate: f64| if rate < crossing { 0.001 } else { 90.0 };
            let (low, _, high) = about(search(cliff, 0.0, 1).0);
            assert!(low < crossing && crossing < high && high / low < 1.12, "{low} {crossing} {high}");
        }
    }

    #[test]
    fn a_bound_that_nothing_keeps_and_one_that_everything_keeps() {
        let (found, visits) = search(|_| 50.0, 0.0, 1);
        assert_eq!((found, visits.last().unwrap().rate), (RateOutcome::Nowhere, 10));
        let (found, visits) = search(|_| 0.0, 0.0, 1);
        assert_eq!((found, visits.last().unwrap().rate), (RateOutcome::Everywhere, 250_000));
        assert!(visits.len() < 14, "{}", visits.len());
    }

    #[test]
    fn noise_moves_it_a_little_and_ends_the_search_all_the_same() {
        for seed in 0..200 {
            let (found, visits) = search(|rate| (5.4 * (rate / 5394.0 - 1.0)).exp(), 0.5, seed);
            let (low, at, high) = about(found);
            assert!((at / 5394.0 - 1.0).abs() < 0.2, "{at} after {}", visits.len());
            assert!(low < 5394.0 * 1.05 && high > 5394.0 * 0.95, "{low} {high}");
        }
    }

    /// A count with the mean that is expected.
    fn counted(expected: f64, random: &mut Noise) -> f64 {
        if expected > 50.0 {
            return (expected + expected.sqrt() * random.normal()).max(0.0);
        }
        let (mut left, mut seen) = (expected - random.exponential(), 0.0);
        while left >= 0.0 {
            (left, seen) = (left - random.exponential(), seen + 1.0);
        }
        seen
    }

    /// Where an idle device has nearly as many slow I/Os as are allowed, low rates say nothing, and chance must not stop the search there.
    #[test]
    fn a_bound_just_above_the_idle_latency_is_found() {
        let ratio = |rate: f64| 0.86 + 0.14 * (rate / 13_118.0).powi(6);
        for seed in 0..200 {
            let (mut visits, mut random) = (Vec::new(), Noise::new(seed));
            // As many visits as there is time for in a search of two minutes.
            let found = loop {
                match next(&visits, &RULES) {
                    Next::Visit(rate) if visits.len() < 40 => {
                        let weight = 0.015 * f64::from(rate);
                        let seen = counted(weight * ratio(f64::from(rate)).min(99.0), &mut random);
                        visits.push(RateVisit { rate, ratio: seen / weight, weight, allowed: 0.01 });
                    }
                    Next::Visit(_) => break so_far(&visits, &RULES),
                    Next::Done(found) => break found,
                }
            };
            let (_, at, _) = about(found);
            assert!((at / 13_118.0 - 1.0).abs() < 0.15, "{at} with seed {seed}");
        }
    }

    /// One bad visit on the way up: the rates above it put it right.
    #[test]
    fn a_visit_that_chance_made_bad_is_corrected() {
        let mut visits = Vec::new();
        let found = loop {
            match next(&visits, &RULES) {
                Next::Done(found) => break found,
                Next::Visit(rate) => {
                    let is_bad = rate == 1600 && visits.iter().all(|visit: &RateVisit| visit.rate != rate);
                    let ratio = if is_bad { 30.0 } else { (5.4 * (f64::from(rate) / 20_000.0 - 1.0)).exp() };
                    visits.push(RateVisit { rate, ratio, weight: 0.01 * f64::from(rate), allowed: 0.01 });
                }
            }
        };
        let (_, at, _) = about(found);
        assert!((at / 20_000.0 - 1.0).abs() < 0.1, "{at}: {visits:?}");
    }

    #[test]
    fn a_search_without_time_for_more_has_what_there_is() {
        let visit = |rate: u32, ratio: f64| RateVisit { rate, ratio, weight: 10.0, allowed: 0.01 };
        assert_eq!(so_far(&[], &RULES), RateOutcome::Nowhere);
        let (_, at, _) = about(so_far(&[visit(100, 0.0), visit(400, 0.1)], &RULES));
        assert!((at - 400.0).abs() < 1.0, "{at}");
        let (low, at, high) = about(so_far(&[visit(100, 0.0), visit(400, 0.1), visit(1600, 20.0)], &RULES));
        assert!((at - 800.0).abs() < 1.0 && low < at && at < high);
    }
}
