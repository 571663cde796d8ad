//! Two bursts of a load with a pause between them: the request of a search for a token bucket.
//!
//! Must not know how it is measured, nor the results.

use crate::error::Problem;
use crate::load::class::{Class, LoadClass};
use crate::load::matrix::Point;
use crate::load::phase::Phase;
use crate::units::say::typed_time;
use crate::units::{NS_PER_S, Nanos};
use serde::{Deserialize, Serialize};

/// The shortest first burst: time for a fall, and enough after it.
const SHORTEST: Nanos = Nanos::from_secs(60);
/// The longest one.
const LONGEST: Nanos = Nanos::from_secs(2 * 24 * 3600);
/// A usual one.
const USUAL: Nanos = Nanos::from_secs(3600);
/// The longest part of a burst that makes one visit.
const LONGEST_STRETCH: Nanos = Nanos::from_secs(60);
/// The first burst has about this many parts.
const STRETCHES: u64 = 60;
/// How long half of the load runs before the first burst.
pub const PROBE: Nanos = Nanos::from_secs(5);
/// The second burst in the plan; its real length follows from the first one.
const USUAL_SECOND: Nanos = Nanos::from_secs(60);
/// Outstanding small I/Os on each target.
const SMALL_EACH: u32 = 32;
/// Outstanding large ones.
const LARGE_EACH: u32 = 8;

/// The probe's number among the phases.
pub const PROBE_PHASE: u32 = 0;
/// The first burst.
pub const FIRST_PHASE: u32 = 1;
/// The one after the pause.
pub const SECOND_PHASE: u32 = 2;
/// The number of phases.
const PHASES: usize = 3;

/// The parameters of a burst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Burst {
    /// The longest time of the first burst. It ends once the rate has certainly fallen.
    #[serde(rename = "for")]
    pub time: Nanos,
    /// Outstanding I/Os on each target.
    pub each: u32,
}

impl Burst {
    /// The usual burst of a class: long enough for most buckets.
    pub fn usual(class: Class) -> Self {
        let each = if class == Class::LARGE { LARGE_EACH } else { SMALL_EACH };
        Self { time: USUAL, each }
    }

    /// Outstanding I/Os on this many targets.
    pub fn outstanding(self, targets: usize) -> u32 {
        self.each.saturating_mul(u32::try_from(targets).unwrap_or(u32::MAX)).max(1)
    }

    /// The length of a visit of the first burst, in whole seconds: the burst may end after each.
    pub fn stretch(self) -> Nanos {
        let share = Nanos(self.time.0 / STRETCHES / NS_PER_S * NS_PER_S);
        share.clamp(Nanos(NS_PER_S), LONGEST_STRETCH)
    }

    /// The phases in the plan: half of these outstanding I/Os, then all of them in two bursts.
    pub fn phases(self, class: Class, all: u32) -> Vec<Phase> {
        let phase = |level, time| Phase { time, point: Point::alone(class, level), shape: None };
        vec![phase((all / 2).max(1), PROBE), phase(all, self.time), phase(all, USUAL_SECOND)]
    }

    /// Refuses a burst in which no bucket could be found.
    pub(super) fn check(self, classes: &[LoadClass], phases: &[Phase]) -> Result<(), Problem> {
        if !(SHORTEST..=LONGEST).contains(&self.time) || !self.time.0.is_multiple_of(NS_PER_S) {
            let [own, shortest, longest, usual] = [self.time, SHORTEST, LONGEST, USUAL].map(typed_time);
            return Err(Problem::usage(format!("a burst of at most {own} cannot show a bucket"))
                .at("--for")
                .because("a rate has to fall and to stay, and buckets last minutes to hours")
                .next(format!("give {shortest} to {longest}, in whole seconds; the default is {usual}")));
        }
        let [class] = classes else {
            return Err(Problem::usage("a burst has only one kind of I/O")
                .because("a bucket of I/Os and a bucket of bytes can only be found one at a time")
                .next("run `rigel run burst`, then `rigel run burst --large`"));
        };
        if phases.len() == PHASES && class.name.is_of_pair() && !class.is_open() {
            return Ok(());
        }
        Err(Problem::usage("this load is not a burst").next("run `rigel run burst` with its own load"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretch_is_short_beside_the_burst() {
        for (time_s, stretch_s) in [(60, 1), (600, 10), (3600, 60), (48 * 3600, 60)] {
            let burst = Burst { time: Nanos::from_secs(time_s), each: 1 };
            assert_eq!(burst.stretch(), Nanos::from_secs(stretch_s), "{time_s} s");
        }
    }

    #[test]
    fn half_and_all_of_the_load_of_every_target() {
        assert_eq!(Burst::usual(Class::SMALL).outstanding(1), 32);
        assert_eq!(Burst::usual(Class::LARGE).outstanding(2), 16);
        assert_eq!(Burst { each: 5, ..Burst::usual(Class::SMALL) }.outstanding(3), 15);
        let of = |all| {
            Burst::usual(Class::SMALL).phases(Class::SMALL, all).into_iter().map(|phase| phase.point.sum())
        };
        assert_eq!(of(15).collect::<Vec<_>>(), [7, 15, 15]);
        assert_eq!(of(1).collect::<Vec<_>>(), [1; 3]);
    }

    #[test]
    fn what_shows_no_bucket_is_refused_with_the_option() {
        let small = LoadClass::random(Class::SMALL, 8192);
        let told = |time_s, classes: &[LoadClass]| {
            let burst = Burst { time: Nanos::from_secs(time_s), each: 32 };
            let phases = burst.phases(Class::SMALL, 32);
            burst.check(classes, &phases).map_err(|problem| problem.to_string())
        };
        assert_eq!(told(3600, std::slice::from_ref(&small)), Ok(()));
        for time_s in [0, 59, 3 * 24 * 3600] {
            let told = told(time_s, std::slice::from_ref(&small)).unwrap_err();
            assert!(told.contains("--for") && told.contains("default is 1h"), "{told}");
        }
        assert!(told(3600, &[small.clone(), small.clone()]).unwrap_err().contains("--large"));
        assert!(told(3600, &[LoadClass::random(Class::TARGETS, 8192)]).is_err());
        assert!(Burst::usual(Class::SMALL).check(&[small], &[]).is_err());
    }
}
