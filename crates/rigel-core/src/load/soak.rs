//! A soak: the phases of a load, repeated for hours to months, with figures at regular times during the load.
//!
//! Must not know how it is measured, nor the results.

use crate::error::Problem;
use crate::load::class::{Class, LoadClass};
use crate::load::governor::{Ppm, WHOLE};
use crate::load::matrix::Point;
use crate::load::phase::Phase;
use crate::load::workload::WritePercent;
use crate::units::{NS_PER_S, Nanos};
use serde::{Deserialize, Serialize};

/// Shortest soak, and shortest interval between figures.
const SHORTEST: Nanos = Nanos::from_secs(1);
/// Longest soak. A record holds times of up to ten years, and a soak may be interrupted often.
const LONGEST: Nanos = Nanos::from_secs(2 * 365 * 24 * 3600);
/// Longest interval between figures.
const LONGEST_EVERY: Nanos = Nanos::from_secs(3600);
/// Most figures, and most phases: each is a line of the record.
const MOST_LINES: u64 = 200_000;
/// The usual interval between figures, unless there would be too many.
const USUAL_EVERY: Nanos = Nanos::from_secs(60);
/// One round (high, low, spike) of a soak that is long enough.
const USUAL_ROUND: Nanos = Nanos::from_secs(3600);
/// A short soak has this many rounds.
const ROUNDS: u64 = 3;

/// Size of the small I/O.
const SMALL_BYTES: u64 = 8 << 10;
/// Size of the large I/O.
const LARGE_BYTES: u64 = 1 << 20;
/// Outstanding I/Os for each target in the phases high, low and spike: small, then large.
const LEVELS: [(u32, u32); 3] = [(16, 2), (1, 0), (64, 4)];
/// How the phases share a round, in sixtieths.
const SHARES: [u64; 3] = [40, 15, 5];
/// Next to production: small I/O alone, one for each target, and no phases.
const BESIDE_LEVELS: [(u32, u32); 1] = [(1, 0)];
const BESIDE_SHARES: [u64; 1] = [60];
/// Permitted shares of the time next to production.
const BESIDE: std::ops::RangeInclusive<Ppm> = 1..=WHOLE / 2;
/// Most outstanding I/Os of a class; more targets share them.
const MOST_SMALL: u32 = 16_384;
const MOST_LARGE: u32 = 512;

/// The duration, and how often figures are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Soak {
    /// How long the load lasts, without pauses after interruptions.
    #[serde(rename = "for")]
    pub time: Nanos,
    /// Interval between figures.
    pub every: Nanos,
    /// On storage with other users: the largest share of the time of each target that it may take, in parts per million.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<Ppm>,
    /// A rate is held while something fails (`rigel run through`): one phase, whose figures show when nothing completed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub through: bool,
}

impl Soak {
    /// A soak of this length with the usual interval between figures.
    pub fn new(time: Nanos) -> Self {
        let fits = Nanos(time.0.div_ceil(MOST_LINES / 2).next_multiple_of(USUAL_EVERY.0));
        let every = fits.clamp(USUAL_EVERY, LONGEST_EVERY);
        // A short one has a few figures, too.
        let short = Nanos((time.0 / 10).next_multiple_of(NS_PER_S)).max(SHORTEST);
        Self { time, every: every.min(short), beside: None, through: false }
    }

    /// A load without phases: each of its points for a while, in turn.
    pub fn as_phases(&self, points: &[Point]) -> Vec<Phase> {
        let share = USUAL_ROUND.0.min(self.time.0) / (points.len() as u64).max(1);
        let time = Nanos(share / NS_PER_S * NS_PER_S).max(SHORTEST);
        points.iter().map(|&point| Phase { time, point, shape: None }).collect()
    }

    /// Refuses what cannot be measured, or stored.
    ///
    /// # Errors
    /// With the option and what would be right.
    pub fn check(&self, phases: &[Phase]) -> Result<(), Problem> {
        if !(SHORTEST..=LONGEST).contains(&self.time) {
            return Err(Problem::usage(format!("a soak cannot last {}", self.time))
                .at("--for")
                .because("it can take one second to two years")
                .next("give a time such as 2h, 7d or 2w"));
        }
        if !(SHORTEST..=LONGEST_EVERY).contains(&self.every) {
            return Err(Problem::usage(format!("figures cannot be kept every {}", self.every))
                .at("--every")
                .next(format!("give {SHORTEST} to {LONGEST_EVERY}")));
        }
        if self.beside.is_some_and(|share| !BESIDE.contains(&share)) {
            return Err(Problem::usage("this share of the time is out of range")
                .at("--beside-production")
                .because("more than half would crowd out the other load")
                .next("give 1 to 50 per cent; 5 is usual"));
        }
        let round_ns = phases.iter().map(|phase| phase.time.0).fold(0, u64::saturating_add).max(1);
        let visits = (self.time.0 / round_ns).saturating_add(1).saturating_mul(phases.len() as u64);
        let lines = (self.time.0 / self.every.0).saturating_add(visits);
        if lines > MOST_LINES {
            let (at, next) = if visits > MOST_LINES / 2 {
                ("--load", "give longer phases")
            } else {
                ("--every", "record figures less often")
            };
            return Err(Problem::usage(format!("the record of the soak would have {lines} lines"))
                .at(at)
                .because(format!("more than {MOST_LINES} make reports slow"))
                .next(next));
        }
        Ok(())
    }
}

/// Names of the phases of the usual load.
pub(super) const NAMES: [&str; 3] = ["high", "low", "spike"];

/// The load of a soak unless another one is requested: small I/O, verified if it writes, together with large reads,
/// in phases high, low and spike. Next to production it is small I/O alone, one for each target: a large read would
/// delay what waits behind it.
pub fn usual_load(targets: usize, write: WritePercent, soak: &Soak) -> (Vec<LoadClass>, Vec<Phase>) {
    let is_beside = soak.beside.is_some();
    let targets = u32::try_from(targets).unwrap_or(u32::MAX).max(1);
    let classes = LoadClass::pair(SMALL_BYTES, LARGE_BYTES).into_iter().map(|class| match class.name {
        Class::SMALL => LoadClass { write_percent: write, verify: write.writes(), ..class },
        _ => class,
    });
    let classes = classes.filter(|class| !is_beside || class.name == Class::SMALL);
    let round = USUAL_ROUND.0.min(soak.time.0 / ROUNDS);
    let part = |share: u64| Nanos((round * share / 60).next_multiple_of(NS_PER_S).max(NS_PER_S));
    let (levels, shares) =
        if is_beside { (&BESIDE_LEVELS[..], &BESIDE_SHARES[..]) } else { (&LEVELS[..], &SHARES[..]) };
    let phases = levels.iter().zip(shares).map(|(&(small, large), &share)| {
        let small = small.saturating_mul(targets).min(MOST_SMALL);
        let large = large.saturating_mul(targets).min(MOST_LARGE);
        Phase { time: part(share), point: Point::pair(small, large), shape: None }
    });
    (classes.collect(), phases.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::phase;

    const HOUR: u64 = 3600;

    #[test]
    fn a_soak_of_any_length_has_a_load_and_figures_that_can_be_kept() {
        for seconds in [2, 9, 60, HOUR, 24 * HOUR, 14 * 24 * HOUR, 700 * 24 * HOUR] {
            let time = Nanos::from_secs(seconds);
            for targets in [1, 7, 400, 65_535] {
                let soak = Soak::new(time);
                let (classes, phases) = usual_load(targets, WritePercent::new(30).unwrap(), &soak);
                assert_eq!(phase::check(&phases), Ok(()), "{seconds} s");
                assert!(classes.iter().any(|class| class.verify));
                assert_eq!(Soak::new(time).check(&phases), Ok(()), "{seconds} s");
            }
        }
        let (classes, phases) =
            usual_load(2, WritePercent::default(), &Soak::new(Nanos::from_secs(HOUR * 48)));
        assert!(classes.iter().all(|class| !class.verify && !class.write_percent.writes()));
        let whole: u64 = phases.iter().map(|phase| phase.time.0 / NS_PER_S).sum();
        assert_eq!((whole, phases[0].point), (HOUR, Point::pair(32, 4)));
        let beside = Soak { beside: Some(WHOLE / 20), ..Soak::new(Nanos::from_secs(HOUR * 48)) };
        let (classes, phases) = usual_load(3, WritePercent::default(), &beside);
        assert_eq!((classes.len(), phases.len(), phases[0].point), (1, 1, Point::alone(Class::SMALL, 3)));
        assert_eq!(beside.check(&phases), Ok(()));
    }

    #[test]
    fn what_cannot_be_kept_is_refused_with_the_option() {
        let phases = [Phase { time: Nanos::from_secs(60), point: Point::pair(1, 0), shape: None }];
        let told = |time, every, phases: &[Phase]| {
            let soak = Soak {
                time: Nanos::from_secs(time),
                every: Nanos::from_secs(every),
                ..Soak::new(Nanos::from_secs(1))
            };
            soak.check(phases).unwrap_err().to_string()
        };
        assert!(told(0, 60, &phases).contains("--for"));
        assert!(told(800 * 24 * HOUR, 60, &phases).contains("two years"));
        assert!(told(HOUR, 0, &phases).contains("--every"));
        assert!(told(HOUR, 2 * HOUR, &phases).contains("--every"));
        assert!(told(30 * 24 * HOUR, 1, &phases).contains("--every"));
        let short = [Phase { time: Nanos::from_secs(1), point: Point::pair(1, 0), shape: None }];
        assert!(told(30 * 24 * HOUR, 3600, &short).contains("longer phases"));
        for share in [0, WHOLE / 2 + 1, u32::MAX] {
            let soak = Soak { beside: Some(share), ..Soak::new(Nanos::from_secs(HOUR)) };
            assert!(soak.check(&phases).unwrap_err().to_string().contains("--beside-production"));
        }
    }
}
