//! A history of load through a token bucket: when its credits are used up, and what would have been enough.
//!
//! The load flows: I/O that is not served at once waits, and is served as soon as the bucket allows. Where the history has a gap, nothing is known,
//! and the bucket stays as it was. Must not know who measured the bucket, nor word the result.

use super::forecast::{DAY_S, Reading};
use rigel_core::units::to_f64;

const HOUR_S: f64 = 3600.0;
/// Hours of a day.
const HOURS: usize = 24;
/// Steps of a search: the interval is then a millionth of what it was.
const HALVINGS: usize = 20;
/// No load is checked that is more times as high, or as low.
const MOST_TIMES: f64 = 1e6;
/// A bucket that nothing empties, in which an I/O still counts.
const BOTTOMLESS: f64 = 1e15;
/// An interval shorter than a second counts as none.
const NO_TIME_S: f64 = 1e-6;

/// A token bucket. Rates are per second, of I/Os or of megabytes; the size is in the same unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bucket {
    /// The rate while there are credits.
    pub burst: f64,
    /// Credits that come back per second, which is the rate without any.
    pub refill: f64,
    /// Credits of a full bucket.
    pub size: f64,
}

/// A time in which a load waited for credits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EmptySpell {
    /// Its start, in seconds since 1970.
    pub from_s: f64,
    /// The time when nothing waited any more.
    pub until_s: f64,
}

impl EmptySpell {
    /// Its length in seconds.
    pub fn seconds(&self) -> f64 {
        self.until_s - self.from_s
    }
}

/// The least credit of a history.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ebb {
    /// When, in seconds since 1970.
    pub at_s: f64,
    /// The share of a full bucket that was left.
    pub share: f64,
}

/// The effect of a load on a bucket that was full at the start.
#[derive(Clone, Debug, PartialEq)]
pub struct CreditCourse {
    /// Seconds of load that are known.
    pub known_s: f64,
    /// The times without credits, in their order.
    pub spells: Vec<EmptySpell>,
    /// The least credit; `None` of no load at all.
    pub ebb: Option<Ebb>,
    /// Seconds without credits by hour of the local day.
    pub hours: [f64; HOURS],
    /// The least share of the credits of each local day, counted from 1970-01-01, at the ends of its readings; a day without a reading is left out.
    pub days: Vec<(i64, f64)>,
}

impl CreditCourse {
    /// Seconds without credits.
    pub fn empty_s(&self) -> f64 {
        self.spells.iter().map(EmptySpell::seconds).sum()
    }

    /// The longest time without credits, the first of several.
    pub fn longest(&self) -> Option<EmptySpell> {
        self.spells.iter().rev().copied().max_by(|one, other| one.seconds().total_cmp(&other.seconds()))
    }
}

impl Bucket {
    /// The effect of a load; local time is `offset_s` ahead of UTC. Readings are in time order.
    pub fn course(&self, load: &[Reading], offset_s: i64) -> CreditCourse {
        let mut walk = Walk::of(*self);
        let mut known_s = 0.0;
        let mut last_s = None;
        let mut days: Vec<(i64, f64)> = Vec::new();
        for reading in load {
            let from_s = to_seconds(reading.from_s);
            if last_s.is_some_and(|last: f64| from_s > last) {
                walk.close();
            }
            walk.pass(from_s, f64::from(reading.seconds), reading.value.max(0.0));
            known_s += f64::from(reading.seconds);
            last_s = Some(from_s + f64::from(reading.seconds));
            let (day, share) = ((reading.from_s + offset_s).div_euclid(DAY_S), walk.share());
            match days.last_mut().filter(|last| last.0 == day) {
                Some(last) => last.1 = last.1.min(share),
                None => days.push((day, share)),
            }
        }
        walk.close();
        let mut hours = [0.0; HOURS];
        walk.spells.iter().for_each(|spell| add_hours(&mut hours, *spell, to_seconds(offset_s)));
        CreditCourse { known_s, ebb: walk.ebb, spells: walk.spells, hours, days }
    }

    /// The size with which the load would never have waited for credits.
    pub fn least_size(&self, load: &[Reading]) -> f64 {
        let bottomless = Self { size: BOTTOMLESS, ..*self };
        bottomless.course(load, 0).ebb.map_or(0.0, |ebb| (1.0 - ebb.share) * BOTTOMLESS)
    }

    /// The refill with which the load would never have waited for credits, between its own and the rate of its bursts.
    pub fn least_refill(&self, load: &[Reading]) -> f64 {
        let empties = |refill: f64| Self { refill, ..*self }.empties(load, 1.0);
        let (mut low, mut high) = (self.refill, self.burst);
        if low >= high || !empties(low) {
            return low;
        }
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            if empties(middle) { low = middle } else { high = middle }
        }
        high
    }

    /// How many times as high the load may be before it waits for credits. `None` if no factor that is checked
    /// empties the bucket, because no load does.
    pub fn times(&self, load: &[Reading]) -> Option<f64> {
        let empties = |times: f64| self.empties(load, times);
        let mut high = 1.0;
        while !empties(high) {
            high *= 2.0;
            if high > MOST_TIMES {
                return None;
            }
        }
        let mut low = high / 2.0;
        while empties(low) {
            (high, low) = (low, low / 2.0);
            if low < 1.0 / MOST_TIMES {
                return Some(0.0);
            }
        }
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            if empties(middle) { high = middle } else { low = middle }
        }
        Some(low)
    }

    fn empties(&self, load: &[Reading], times: f64) -> bool {
        let mut walk = Walk::of(*self);
        load.iter().any(|reading| {
            walk.pass(to_seconds(reading.from_s), f64::from(reading.seconds), reading.value.max(0.0) * times);
            walk.began_s.is_some() || !walk.spells.is_empty()
        })
    }
}

/// The state of a bucket during a load.
struct Walk {
    bucket: Bucket,
    credits: f64,
    /// Requests not served yet.
    waiting: f64,
    /// Since when something waits for credits, and until when.
    began_s: Option<f64>,
    at_s: f64,
    spells: Vec<EmptySpell>,
    ebb: Option<Ebb>,
}

impl Walk {
    const fn of(bucket: Bucket) -> Self {
        let credits = bucket.size;
        Self { bucket, credits, waiting: 0.0, began_s: None, at_s: 0.0, spells: Vec::new(), ebb: None }
    }

    /// A period with a constant load. Advances from event to event: the bucket becomes empty, nothing waits any more.
    fn pass(&mut self, from_s: f64, seconds: f64, demand: f64) {
        let (mut left, Bucket { burst, refill, size }) = (seconds, self.bucket);
        self.at_s = from_s;
        while left > NO_TIME_S {
            let is_empty = self.credits <= 0.0;
            let most = if is_empty { refill.min(burst) } else { burst };
            let served = if self.waiting > 0.0 { most } else { demand.min(most) };
            let (gain, growth) = (refill - served, demand - served);
            let until_empty = if gain < 0.0 { self.credits / -gain } else { f64::INFINITY };
            let until_served = if growth < 0.0 { self.waiting / -growth } else { f64::INFINITY };
            let step = left.min(until_empty).min(until_served).max(NO_TIME_S);
            self.mark(is_empty && (self.waiting > 0.0 || demand > most));
            self.credits = if step >= until_empty { 0.0 } else { (self.credits + gain * step).min(size) };
            self.waiting = if step >= until_served { 0.0 } else { (self.waiting + growth * step).max(0.0) };
            self.at_s += step;
            left -= step;
            self.look();
        }
    }

    /// Begins or ends a spell at this moment.
    fn mark(&mut self, waits: bool) {
        if waits {
            self.began_s.get_or_insert(self.at_s);
        } else {
            self.close();
        }
    }

    fn close(&mut self) {
        let spell = self.began_s.take().map(|from_s| EmptySpell { from_s, until_s: self.at_s });
        self.spells.extend(spell.filter(|spell| spell.seconds() > NO_TIME_S));
    }

    /// As a share of a full bucket.
    fn share(&self) -> f64 {
        if self.bucket.size > 0.0 { self.credits / self.bucket.size } else { 0.0 }
    }

    fn look(&mut self) {
        let share = self.share();
        if self.ebb.is_none_or(|ebb| share < ebb.share) {
            self.ebb = Some(Ebb { at_s: self.at_s, share });
        }
    }
}

/// Adds a spell to its hours of the local day.
fn add_hours(hours: &mut [f64; HOURS], spell: EmptySpell, offset_s: f64) {
    let (mut at, end) = (spell.from_s + offset_s, spell.until_s + offset_s);
    while at < end {
        let hour = (at / HOUR_S).floor();
        let next = ((hour + 1.0) * HOUR_S).min(end);
        if let Some(place) = hours.get_mut(index(hour.rem_euclid(to_f64(HOURS as u64)))) {
            *place += next - at;
        }
        at = next;
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an hour of a day")]
const fn index(hour: f64) -> usize {
    hour as usize
}

#[expect(clippy::cast_precision_loss, reason = "seconds since 1970 are far below 2^53")]
const fn to_seconds(seconds: i64) -> f64 {
    seconds as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BUCKET: Bucket = Bucket { burst: 3000.0, refill: 300.0, size: 540_000.0 };

    /// Minutes of these rates, one after the other, from midnight on.
    fn minutes(rates: &[(u32, f64)]) -> Vec<Reading> {
        let all = rates.iter().flat_map(|&(count, rate)| (0..count).map(move |_| rate));
        (0..).zip(all).map(|(at, value)| Reading { from_s: at * 60, seconds: 60, value }).collect()
    }

    fn near(value: f64, right: f64) -> bool {
        (value - right).abs() <= 1e-4 * right.abs().max(1.0)
    }

    /// 900 a second use up 600 of credit: 540,000 last 15 minutes. Of an hour, 45 minutes are served at 300, so 27,000 x 60 wait, which are served
    /// at 300 a second while 100 arrive.
    #[test]
    fn a_peak_empties_it_after_its_credits_and_what_waits_is_served_later() {
        let load = minutes(&[(120, 100.0), (60, 900.0), (1000, 100.0)]);
        let course = BUCKET.course(&load, 3600);
        let [spell] = course.spells[..] else { panic!("{course:?}") };
        assert!(near(spell.from_s, 135.0 * 60.0), "{spell:?}");
        let waiting = 600.0 * 45.0 * 60.0;
        assert!(near(spell.until_s, 180.0 * 60.0 + waiting / 200.0), "{spell:?}");
        assert!(near(course.empty_s(), spell.seconds()) && near(course.known_s, 1180.0 * 60.0));
        assert!(course.ebb.is_some_and(|ebb| ebb.share == 0.0 && near(ebb.at_s, spell.from_s)));
        // From 3:15 on in local time.
        assert!(near(course.hours[3], 45.0 * 60.0) && near(course.hours[4], 3600.0), "{:?}", course.hours);
        assert!(near(course.hours.iter().sum(), course.empty_s()));
        let days: Vec<i64> = course.days.iter().map(|one| one.0).collect();
        assert_eq!(days, [0], "19 h 40 min from 1:00 on in local time");
        assert!(course.days.iter().all(|one| one.1 == 0.0), "{:?}", course.days);
    }

    #[test]
    fn what_would_have_been_enough_is_just_enough() {
        let load = minutes(&[(120, 100.0), (60, 900.0), (1000, 100.0)]);
        let size = BUCKET.least_size(&load);
        assert!(near(size, 600.0 * 3600.0), "{size}");
        let refill = BUCKET.least_refill(&load);
        // An hour at 900 uses (900 - refill) x 3,600 of 540,000.
        assert!((refill - 750.0).abs() < 0.1, "{refill}");
        let times = BUCKET.times(&load).unwrap();
        assert!((times - 450.0 / 900.0).abs() < 1e-4, "{times}");
        let enough = [Bucket { size: size * 1.001, ..BUCKET }, Bucket { refill: refill * 1.001, ..BUCKET }];
        let short = [Bucket { size: size * 0.999, ..BUCKET }, Bucket { refill: refill * 0.999, ..BUCKET }];
        assert!(enough.iter().all(|bucket| bucket.course(&load, 0).spells.is_empty()));
        assert!(short.iter().all(|bucket| !bucket.course(&load, 0).spells.is_empty()));
    }

    #[test]
    fn a_load_within_the_refill_never_touches_it_and_none_has_no_limit() {
        let quiet = minutes(&[(600, 299.0)]);
        let course = BUCKET.course(&quiet, 0);
        assert!(course.spells.is_empty() && course.ebb.is_some_and(|ebb| near(ebb.share, 1.0)));
        assert!(near(BUCKET.least_size(&quiet), 0.0) && near(BUCKET.least_refill(&quiet), 300.0));
        assert_eq!(BUCKET.times(&minutes(&[(600, 0.0)])), None);
        assert_eq!(BUCKET.course(&[], 0).ebb, None);
    }

    /// In a gap nothing is known: it neither fills the bucket nor continues a spell.
    #[test]
    fn a_gap_leaves_it_as_it_was() {
        let mut load = minutes(&[(10, 900.0), (100, 900.0)]);
        load.drain(10..60);
        let course = BUCKET.course(&load, 0);
        assert_eq!(course.spells.len(), 1);
        assert!(near(course.spells[0].from_s, 65.0 * 60.0), "{course:?}");
        let mut later = minutes(&[(20, 900.0), (40, 0.0), (5, 900.0)]);
        later.drain(20..60);
        let course = BUCKET.course(&later, 0);
        let ends: Vec<(f64, f64)> = course.spells.iter().map(|one| (one.from_s, one.until_s)).collect();
        assert_eq!(ends, [(900.0, 1200.0), (3600.0, 3900.0)]);
    }

    proptest! {
        /// A seconds-by-seconds account of the same load agrees.
        #[test]
        fn it_agrees_with_an_account_of_every_second(rates in proptest::collection::vec((1_u32..20, 0_u32..4000), 1..12)) {
            let rates: Vec<(u32, f64)> = rates.into_iter().map(|(count, rate)| (count, f64::from(rate))).collect();
            let load = minutes(&rates);
            let bucket = Bucket { burst: 3000.0, refill: 500.0, size: 400_000.0 };
            let (mut credits, mut waiting, mut empty_s) = (bucket.size, 0.0_f64, 0.0);
            for reading in &load {
                for _ in 0..reading.seconds {
                    let most = if credits <= 0.0 { bucket.refill } else { bucket.burst.min(credits + bucket.refill) };
                    let asked = reading.value + waiting;
                    let served = asked.min(most);
                    waiting = asked - served;
                    if credits <= 0.0 && waiting > 0.0 { empty_s += 1.0; }
                    credits = (credits + bucket.refill - served).clamp(0.0, bucket.size);
                }
            }
            let course = bucket.course(&load, 0);
            let spells = to_f64(course.spells.len() as u64);
            prop_assert!((course.empty_s() - empty_s).abs() <= 3.0 * spells + 3.0, "{} {empty_s}", course.empty_s());
        }
    }
}
