//! A token bucket, seen from outside: counts per second under saturation, a pause, and a second burst.
//!
//! The first burst shows two levels and the I/Os above the lower one; the second one tests whether so many came back as the pause lets a bucket
//! expect. Must not know what was counted, nor word its results.

mod course;
mod lasting;

pub use course::{Course, Fall, course};
pub use lasting::{LastingFall, LoadVisit, lasting_fall};

use super::Interval;
use super::sample::{count, mean, median};

/// A rate that falls by less than this part is the same rate.
const LEAST_FALL: f64 = 0.1;
/// A second burst at a level above this multiple of the first one began with credit that the first one did not have.
const ABOVE: f64 = 1.2;
/// A second of the load before the first burst that is above this multiple of its rate had credit that was used up then.
const SPENT: f64 = 2.0;
/// What came back may differ by this part from what a bucket refills: other limits beside it have their share.
const NEAR: f64 = 0.1;
/// What came back is certainly no proof of a bucket where it seems to be off by more than this part, however wide its interval is.
const FARTHEST: f64 = 0.25;
/// A test of what came back that is less certain than this says nothing.
const WIDEST_TEST: f64 = 0.5;
/// What is to come back must be this many times as much as what is in flight.
const TIMES_IN_FLIGHT: f64 = 10.0;
/// How long a fall has to last, as a part of the time before it, and within which limits, in seconds.
const STAY_SHARE: f64 = 0.1;
const SHORTEST_STAY_S: f64 = 30.0;
const LONGEST_STAY_S: f64 = 120.0;
/// The second burst is to last so long at the higher level.
const SECOND_HIGH_S: f64 = 10.0;
/// What is seen of the lower level behind it.
const SECOND_LOW_S: f64 = 30.0;
/// A pause, in seconds.
const SHORTEST_REST_S: f64 = 5.0;
const LONGEST_REST_S: f64 = 900.0;
/// Part of a bucket that a pause may refill, so it is never full.
const REFILL_SHARE: f64 = 0.5;
/// Where nothing fell, pause and second burst take this part of the time each, within these limits.
const CHECK_SHARE: f64 = 0.05;
const SHORTEST_CHECK_S: f64 = 10.0;
const LONGEST_CHECK_S: f64 = 60.0;

/// What was counted in a second of a load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Second {
    /// When it began, in seconds of the run.
    pub began_s: f64,
    /// I/Os that were over in it.
    pub ops: f64,
}

/// What a run of two bursts counted.
#[derive(Clone, Copy, Debug)]
pub struct Bursts<'a> {
    /// A short load of half as many outstanding, before the first burst.
    pub probe: &'a [Second],
    /// The first burst.
    pub first: &'a [Second],
    /// The second one, after a pause.
    pub second: &'a [Second],
    /// Outstanding I/Os.
    pub in_flight: f64,
    /// The first burst lasted as long as was asked for, or until it was certain.
    pub is_whole: bool,
}

/// A pause and a burst behind it, in whole seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecondBurst {
    /// Without load.
    pub rest_s: u64,
    /// With load.
    pub load_s: u64,
}

/// What a fall used up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Credit {
    /// The levels, and where the rate fell.
    pub fall: Fall,
    /// Time before the fall, in seconds.
    pub lasted_s: f64,
    /// I/Os above the lower level until then.
    pub credit: Interval,
    /// How long the lower level takes to bring as many, in seconds.
    pub refill_s: Interval,
}

/// What came back in a pause.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recovery {
    /// Length of the pause, in seconds.
    pub rest_s: f64,
    /// I/Os above the lower level in the second burst.
    pub recovered: f64,
    /// How many a bucket would have had.
    pub expected: f64,
    /// What came back over what a bucket would have: the ends of its interval. What was counted lies in the middle.
    pub ratio: (f64, f64),
}

/// What two bursts say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BurstVerdict {
    /// A token bucket: as much came back as it refills.
    TokenBucket(Credit, Recovery),
    /// The rate fell and stayed, but something else came back.
    NotABucket(Credit, Recovery),
    /// The rate stayed for this many seconds.
    NoFall {
        /// The rate.
        rate: Interval,
        /// Time, in seconds.
        for_s: f64,
    },
    /// The counts allow no answer.
    Undecided(Doubt),
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Doubt {
    /// Too few seconds were counted.
    Short,
    /// The run ended before its time, while the rate had not fallen.
    Stopped(Interval),
    /// The rate fell, and no second burst tested why.
    Untested(Credit),
    /// The rate fell, but so little would come back in a pause that no test can tell.
    TooSmall(Credit, Recovery),
    /// The rate fell just before the end.
    FellLate(Interval),
    /// The rate fell, but not at once, or what was before or after it was no level.
    Blur {
        /// Its level before.
        high: f64,
        /// Its level after.
        low: f64,
    },
    /// The rate was low, and after the pause it was higher for a while: the credit had been used up before the run.
    EmptyAtStart {
        /// The rate of the first burst.
        rate: Interval,
        /// That with which the second one began, in its best second.
        high: f64,
        /// Length of the pause, in seconds.
        rest_s: f64,
    },
    /// The load before the first burst had used up the credit, so its size is not known.
    SpentAtOnce {
        /// The rate of the first burst.
        rate: Interval,
        /// The best second of the load before it.
        high: f64,
    },
    /// Half as many outstanding I/Os gave clearly less: more of them may give more.
    LoadTooSmall {
        /// The rate.
        rate: Interval,
        /// That of half as many.
        half: f64,
    },
    /// The rate changed steadily.
    Drift {
        /// Its level in the first part.
        from: f64,
        /// Its level in the last part.
        to: f64,
    },
    /// The rate went up and down.
    Swings {
        /// A low level, which a tenth of the time is below.
        low: f64,
        /// A high one.
        high: f64,
    },
}

/// Whether a fall has lasted long enough that the first burst can end.
pub fn is_sure(first: &[Second]) -> bool {
    let Course::Fell(fall) = course(&ops(first)) else { return false };
    let stay_s = (STAY_SHARE * count(fall.at)).clamp(SHORTEST_STAY_S, LONGEST_STAY_S);
    count(first.len().saturating_sub(fall.at)) >= stay_s
}

/// The pause and the second burst that the first one asks for; none where its course is not a level, or two.
pub fn second_burst(probe: &[Second], first: &[Second], in_flight: f64, time_s: f64) -> Option<SecondBurst> {
    match course(&ops(first)) {
        Course::Fell(fall) => {
            let credit = Credit::of(probe, first, fall, in_flight)?;
            let (high, low) = (fall.high.mean, fall.low.mean);
            let (above, refilled) = ((high - low).max(1.0), low.max(1.0));
            let wanted_s = SECOND_HIGH_S * above / refilled;
            let wanted_s = wanted_s.max(TIMES_IN_FLIGHT * in_flight / refilled).max(SHORTEST_REST_S);
            let rest_s = wanted_s.min(LONGEST_REST_S).min(REFILL_SHARE * credit.refill_s.mean).max(1.0);
            let high_s = rest_s * refilled / above;
            Some(SecondBurst { rest_s: whole(rest_s), load_s: whole(2.0 * high_s + SECOND_LOW_S) })
        }
        Course::Steady(_) => {
            let each_s = (CHECK_SHARE * time_s).clamp(SHORTEST_CHECK_S, LONGEST_CHECK_S);
            Some(SecondBurst { rest_s: whole(each_s), load_s: whole(each_s) })
        }
        Course::Short
        | Course::FellLate(_)
        | Course::Blur(_)
        | Course::Drifts { .. }
        | Course::Swings { .. } => None,
    }
}

impl Bursts<'_> {
    /// What they say.
    pub fn found(&self) -> BurstVerdict {
        let doubt = BurstVerdict::Undecided;
        match course(&ops(self.first)) {
            Course::Short => doubt(Doubt::Short),
            Course::FellLate(rate) => doubt(Doubt::FellLate(rate)),
            Course::Blur(fall) => doubt(Doubt::Blur { high: fall.high.mean, low: fall.low.mean }),
            Course::Drifts { from, to } => doubt(Doubt::Drift { from, to }),
            Course::Swings { low, high } => doubt(Doubt::Swings { low, high }),
            Course::Steady(rate) => self.steady(rate),
            Course::Fell(fall) => Credit::of(self.probe, self.first, fall, self.in_flight)
                .map_or(doubt(Doubt::Short), |credit| self.tested(credit)),
        }
    }

    fn steady(&self, rate: Interval) -> BurstVerdict {
        let high = ops(self.probe).into_iter().fold(0.0, f64::max);
        if high > SPENT * rate.hi95 {
            return BurstVerdict::Undecided(Doubt::SpentAtOnce { rate, high });
        }
        if let Some((high, rest_s)) = self.credit_behind_rest(rate) {
            return BurstVerdict::Undecided(Doubt::EmptyAtStart { rate, high, rest_s });
        }
        if !self.is_whole {
            return BurstVerdict::Undecided(Doubt::Stopped(rate));
        }
        // The first second is that in which the queue fills; one that stands still is no rate of half of the load.
        let half = median(&ops(self.probe.get(1..).unwrap_or_default()));
        if half > 0.0 && half < (1.0 - LEAST_FALL) * rate.lo95 {
            return BurstVerdict::Undecided(Doubt::LoadTooSmall { rate, half });
        }
        BurstVerdict::NoFall { rate, for_s: count(self.first.len()) }
    }

    /// The level with which the second burst began, where it is above the first one and as much came back as so low a level refills.
    fn credit_behind_rest(&self, rate: Interval) -> Option<(f64, f64)> {
        let rest_s = rest_s(self.first, self.second)?;
        let all = ops(self.second);
        let begin = mean(all.get(..3)?);
        let is_still_high = mean(all.get(all.len().saturating_sub(3)..)?) > ABOVE * rate.mean;
        let returned = above(self.second, rate.mean) / (rate.mean * rest_s);
        let is_refilled = is_still_high || (1.0 - WIDEST_TEST..1.0 + WIDEST_TEST).contains(&returned);
        // The second in which it falls is no rate.
        let high = all.iter().take(3).copied().fold(begin, f64::max);
        (begin > ABOVE * rate.mean && is_refilled).then_some((high, rest_s))
    }

    fn tested(&self, credit: Credit) -> BurstVerdict {
        let Some(recovery) = self.recovery(credit.fall) else {
            return BurstVerdict::Undecided(Doubt::Untested(credit));
        };
        let (lo, hi) = recovery.ratio;
        let is_narrow = hi - lo <= 2.0 * WIDEST_TEST;
        if !is_narrow {
            return BurstVerdict::Undecided(Doubt::TooSmall(credit, recovery));
        }
        let Fall { high, low, .. } = credit.fall;
        let all = ops(self.second);
        let end = mean(all.get(all.len() - all.len() / 3..).unwrap_or_default());
        let is_low_again = (end - low.mean).abs() <= 0.3 * (high.mean - low.mean);
        let is_far = (f64::midpoint(lo, hi) - 1.0).abs() > FARTHEST;
        if is_low_again && is_far && lo <= 1.0 && hi >= 1.0 - NEAR {
            return BurstVerdict::Undecided(Doubt::TooSmall(credit, recovery));
        }
        if is_low_again && lo <= 1.0 + NEAR && hi >= 1.0 - NEAR {
            BurstVerdict::TokenBucket(credit, recovery)
        } else {
            BurstVerdict::NotABucket(credit, recovery)
        }
    }

    /// What the second burst had above the lower level, and what a bucket would have given it; nothing without enough of it.
    fn recovery(&self, fall: Fall) -> Option<Recovery> {
        let rest_s = rest_s(self.first, self.second)?;
        if count(self.second.len()) < SHORTEST_CHECK_S {
            return None;
        }
        let low = fall.low;
        let (recovered, expected) = (above(self.second, low.mean), low.mean * rest_s);
        let doubt = low.mean * low.relative_half_width * elapsed_s(self.second) + self.in_flight;
        let (middle, half) = (recovered / expected, doubt / expected + low.relative_half_width);
        Some(Recovery { rest_s, recovered, expected, ratio: (middle - half, middle + half) })
    }
}

impl Credit {
    /// What the first burst had above the lower level until the rate fell, with the load before it, where that was above the level, too: a load below it
    /// gives nothing back to a bucket that is full.
    fn of(probe: &[Second], first: &[Second], fall: Fall, in_flight: f64) -> Option<Self> {
        // The second in which it fell may lie on either side.
        let until = first.get(..(fall.at + 2).min(first.len()))?;
        let low = fall.low;
        let with_probe: Vec<Second> = probe.iter().chain(until).copied().collect();
        let all =
            if above(&with_probe, low.mean) > above(until, low.mean) { with_probe } else { until.to_vec() };
        // What is in flight when a visit ends is served, but no second has it.
        let credit = above(&all, low.mean) + in_flight * gaps(&all);
        let doubt = low.mean * low.relative_half_width * elapsed_s(&all) + in_flight;
        let credit = Interval::symmetric(credit, doubt / credit, low.visits, low.df)?;
        let lasted_s = first.get(fall.at)?.began_s - all.first()?.began_s;
        let (mean, lo95) = (credit.mean / low.mean, credit.lo95 / low.hi95);
        let hi95 = credit.hi95 / low.lo95;
        let refill_s = Interval { mean, lo95, hi95, relative_half_width: hi95 / mean - 1.0, ..credit };
        Some(Self { fall, lasted_s, credit, refill_s })
    }
}

/// Rounded up.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "of a time, and it saturates")]
fn whole(seconds: f64) -> u64 {
    seconds.ceil() as u64
}

fn ops(seconds: &[Second]) -> Vec<f64> {
    seconds.iter().map(|second| second.ops).collect()
}

/// From the beginning of the first second to the end of the last one. Gaps between visits count: a bucket refills meanwhile.
fn elapsed_s(seconds: &[Second]) -> f64 {
    seconds.first().zip(seconds.last()).map_or(0.0, |(first, last)| last.began_s + 1.0 - first.began_s)
}

/// I/Os beyond those that a level brings.
fn above(seconds: &[Second], level: f64) -> f64 {
    seconds.iter().map(|second| second.ops).sum::<f64>() - level * elapsed_s(seconds)
}

/// A difference of two times that is none.
const ROUNDING_S: f64 = 1e-6;

/// How often nothing was counted between two seconds.
fn gaps(seconds: &[Second]) -> f64 {
    let is_gap = |pair: &&[Second]| pair[1].began_s - pair[0].began_s > 1.0 + ROUNDING_S;
    count(seconds.windows(2).filter(is_gap).count())
}

/// Time between two bursts.
fn rest_s(first: &[Second], second: &[Second]) -> Option<f64> {
    let rest_s = second.first()?.began_s - first.last()?.began_s - 1.0;
    (rest_s > 0.0).then_some(rest_s)
}

#[cfg(test)]
mod tests;
