//! The bracket of the rate at which one bound is just reached, from the visits to a few rates around it.
//!
//! If the shares change little from one rate to the next, a line through them locates it; if they jump, only the visited rates do. Must not know
//! plans.

use crate::stats::crossing::{Curve, Law, RatioSeen, Shape, odds};
use crate::stats::isotonic::rising;
use crate::stats::rates::FAR;
use crate::stats::share::{BoundVerdict, Ratio};

/// The lower end may be too high with this probability.
const TAIL: f64 = 0.025;
/// Standard deviations by which a curve misses a point.
const MISSED: f64 = 3.0;

/// All visits to one rate.
#[derive(Clone, Debug)]
pub struct Level {
    rate: f64,
    visits: Vec<RatioSeen>,
    ratio: Ratio,
    /// Its backlog grew without end: only the beginning was observed.
    is_overload: bool,
}

impl Level {
    /// `None` when nothing was seen there.
    pub fn of(rate: f64, visits: Vec<RatioSeen>, counted: bool, is_overload: bool) -> Option<Self> {
        let ratio = Ratio::of(&visits, counted)?;
        Some(Self { rate, visits, ratio, is_overload })
    }

    /// Whether it may inform the curve at the crossing.
    fn is_near(&self, allowed: f64) -> bool {
        // A share that is no small one ends soon, so that its curve bends in more ways than are guessed.
        let far = FAR.powf(1.0 - allowed);
        let above = |ratio: f64, least: f64| odds(ratio, allowed) > least;
        let has_end = |hi95: f64| allowed * hi95 < 1.0;
        !self.is_overload
            && !above(self.ratio.lo95, far)
            && self.ratio.hi95.is_none_or(|hi95| !has_end(hi95) || above(hi95, 1.0 / far))
    }

    /// Whether the limit seems broken there.
    pub fn is_beyond(&self) -> bool {
        self.is_overload || self.ratio.value > 1.0
    }

    fn is_kept(&self) -> bool {
        !self.is_overload && self.ratio.kept() == BoundVerdict::Yes
    }

    /// Whether a curve passes it by more than the whole of its interval.
    fn is_missed_by(&self, curve: &Curve) -> bool {
        let Some(hi95) = self.ratio.hi95.filter(|_| self.ratio.value > 0.0) else { return false };
        let width = (hi95 / self.ratio.lo95).ln();
        let expected: f64 = self.visits.iter().map(|seen| seen.weight * seen.ratio).sum();
        (curve.ratio(self.rate) / self.ratio.value).ln().abs()
            > width.max(MISSED * curve.doubt(self.rate, expected))
    }
}

/// The rate at which a limit is just reached.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bracket {
    /// The limit is met here.
    pub lower: Option<f64>,
    /// The best single value; `None` if no rate breaks it, or all do.
    pub at: Option<f64>,
    /// The limit is not met here.
    pub upper: Option<f64>,
}

impl Bracket {
    /// The bracket from these rates, ascending; the upper end may be too low with the probability `tail`.
    pub fn of(levels: &[Level], law: Law, tail: f64) -> Self {
        let visited = Self::of_visited(levels);
        let near = near(levels, law.allowed);
        let seen: Vec<RatioSeen> = near.iter().flat_map(|level| level.visits.iter().copied()).collect();
        let spans = near.iter().any(|level| level.is_beyond()) && near.iter().any(|level| !level.is_beyond());
        let curve = Curve::through(&seen, law, Shape::Bent).filter(|_| spans);
        let misses = |curve: &Curve| law.allowed > 0.0 && near.iter().any(|level| level.is_missed_by(curve));
        let curve = curve.filter(|curve| !misses(curve));
        let range = levels.first().map_or(0.0, |level| level.rate);
        let range = (range, levels.last().map_or(range, |level| level.rate));
        match curve.and_then(|curve| Some((curve.crossing()?, curve.ends([TAIL, tail], range)))) {
            Some((at, [lower, upper])) => Self { lower, at: Some(at), upper: upper.or(visited.upper) },
            None => visited,
        }
    }

    /// The highest rate up to which all certainly meet it, and the lowest from which on none does.
    fn of_visited(levels: &[Level]) -> Self {
        let kept = levels.iter().take_while(|level| level.is_kept()).last();
        let broken = levels.iter().rev().take_while(|level| level.ratio.kept() == BoundVerdict::No).last();
        let at = crossing(levels).map(|(below, beyond)| (below * beyond).sqrt());
        Self { lower: kept.map(|level| level.rate), at, upper: broken.map(|level| level.rate) }
    }
}

/// The rates between which a limit seems to be reached. The used share of a limit does not fall when more arrives: where it seems to, rates are
/// pooled until it does not.
fn crossing(levels: &[Level]) -> Option<(f64, f64)> {
    let used = |level: &Level| {
        let weight: f64 = level.visits.iter().map(|seen| seen.weight).sum();
        // Where the backlog grows without end, so does what is used.
        let ratio = if level.is_overload { f64::INFINITY } else { level.ratio.value };
        (ratio, weight.max(f64::MIN_POSITIVE))
    };
    let curve = rising(&levels.iter().map(used).collect::<Vec<_>>());
    let beyond = curve.iter().position(|ratio| *ratio > 1.0)?;
    let below = beyond.checked_sub(1)?;
    Some((levels[below].rate, levels[beyond].rate))
}

/// The rates next to the crossing: contiguous ones that inform the curve there. A mean has no upper end as a share has, so
/// every rate near enough counts.
fn near(levels: &[Level], allowed: f64) -> Vec<&Level> {
    if allowed == 0.0 {
        return levels.iter().filter(|level| level.is_near(allowed)).collect();
    }
    let crossing = levels.iter().position(Level::is_beyond).unwrap_or(levels.len());
    let (below, beyond) = levels.split_at(crossing);
    let below = below.iter().rev().take_while(|level| level.is_near(allowed));
    below.chain(beyond.iter().take_while(|level| level.is_near(allowed))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::crossing::Guess;

    const RARE: Law = Law { allowed: 0.01, least_spread: 1.0, guess: Guess::NONE, queues: false };

    /// Eight visits to each rate, with some noise that has a mean of 1.
    fn levels(of: &[(f64, f64)]) -> Vec<Level> {
        let noise = [0.9, 1.1, 1.05, 0.95, 1.2, 0.8, 1.0, 1.0];
        let level = |&(rate, ratio): &(f64, f64)| {
            let visits =
                noise.iter().map(|noise| RatioSeen { rate, ratio: ratio * noise, weight: 50.0 }).collect();
            Level::of(rate, visits, true, false).unwrap()
        };
        of.iter().map(level).collect()
    }

    fn bracket(of: &[(f64, f64)]) -> Bracket {
        Bracket::of(&levels(of), RARE, 0.025)
    }

    #[test]
    fn a_smooth_curve_is_bracketed_narrowly() {
        let found = bracket(&[(900.0, 0.5), (950.0, 0.7), (1000.0, 1.0), (1050.0, 1.4), (1100.0, 2.0)]);
        let (lower, at, upper) = (found.lower.unwrap(), found.at.unwrap(), found.upper.unwrap());
        assert!((at - 1000.0).abs() < 10.0, "{at}");
        assert!(lower < at && at < upper && upper - lower < 100.0, "{lower} {upper}");
    }

    #[test]
    fn between_rates_where_it_jumps_nothing_is_known() {
        let found = bracket(&[(900.0, 0.01), (950.0, 0.01), (1000.0, 0.02), (1050.0, 60.0), (1100.0, 90.0)]);
        assert_eq!((found.lower, found.upper), (Some(1000.0), Some(1050.0)));
        // The line of the rates before the jump is not that of the jump.
        let found = bracket(&[(900.0, 0.2), (950.0, 0.3), (1000.0, 0.4), (1050.0, 60.0), (1100.0, 90.0)]);
        assert_eq!((found.lower, found.upper), (Some(1000.0), Some(1050.0)));
    }

    /// Of rates that seem to meet a bound above others that do not, none is known to be the one.
    #[test]
    fn rates_that_contradict_each_other_are_taken_together() {
        let at = |of: &[(f64, f64)]| crossing(&levels(of));
        assert_eq!(at(&[(10.0, 1.9), (11.0, 3.4), (12.0, 1.2), (13.0, 0.9), (14.0, 3.2)]), None);
        assert_eq!(at(&[(10.0, 0.5), (11.0, 1.1), (12.0, 0.7), (13.0, 1.6)]), Some((12.0, 13.0)));
        assert_eq!(at(&[(10.0, 0.5), (11.0, 1.6), (12.0, 0.9), (13.0, 1.7)]), Some((10.0, 11.0)));
        assert_eq!(at(&[(10.0, 0.5), (11.0, 0.6)]), None);
        let mut all = levels(&[(10.0, 0.2), (11.0, 0.3), (12.0, 0.1)]);
        all[1].is_overload = true;
        assert_eq!(crossing(&all), Some((10.0, 11.0)));
    }

    /// A visit that ends before the backlog reaches the bound does not show that it is kept.
    #[test]
    fn an_overload_is_never_kept() {
        let mut all = levels(&[(900.0, 0.1), (1000.0, 0.2), (1100.0, 0.3)]);
        all[1].is_overload = true;
        let found = Bracket::of(&all, RARE, 0.025);
        assert_eq!(found.lower, Some(900.0));
        assert!(found.at.is_none_or(|at| at < 1000.0), "{found:?}");
    }

    #[test]
    fn what_no_rate_shows_is_not_known() {
        let found = bracket(&[(900.0, 0.1), (1000.0, 0.2), (1100.0, 0.3)]);
        assert_eq!((found.lower, found.at, found.upper), (Some(1100.0), None, None));
        let found = bracket(&[(900.0, 3.0), (1000.0, 4.0), (1100.0, 5.0)]);
        assert_eq!((found.lower, found.at, found.upper), (None, None, Some(900.0)));
        assert_eq!(bracket(&[]), Bracket::default());
    }
}
