//! How much a soak may take of shared storage: a bounded share of the time, and less while other users are under pressure.
//!
//! The share is the time in which an I/O of ours is in flight. It bounds the harm: in a queue with exponential service (M/M/1 with one closed
//! customer, whose network has a product form) the others find one more in front of them for a share `s` of the time, so the tail of their latency is
//! `exp(-x) (1 + s x)` instead of `exp(-x)`: the mean grows by `s`, the 99th percentile by 4.7 % at 5 %, however busy the device is, because what
//! waits in its queue counts for the share, too. Within the bound the governor gives way as background transports do (LEDBAT, RFC 6817): it knows
//! what its own reads usually take and how much the host usually waits for I/O, and halves its share when either is far above that. Pure:
//! observations in, a share out. Must not read a clock or a counter.

use crate::units::{NS_PER_S, to_f64};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// A share in parts per million.
pub type Ppm = u32;
/// All of the time.
pub const WHOLE: Ppm = 1_000_000;
/// The lowest share of a governed load: its reads probe whether there is room again.
const LEAST_PART: Ppm = 16;
/// A step up; a step down halves the share.
const STEP_PART: Ppm = 8;
/// Reads after which a check ends; their 99th percentile is then known to some 15 %.
const ENOUGH: u64 = 500;
/// A check ends after this time even with fewer reads, as on a slow device.
const LONG_NS: u64 = 30 * NS_PER_S;
const FEW: u64 = 20;
/// The shortest check.
const SHORT_NS: u64 = NS_PER_S;
/// Checks that define what is usual: at the lowest share an hour or more of them.
const MEMORY: usize = 120;
/// With fewer, what is usual is unknown, and the share stays at its lowest.
const LEAST_LOOKS: usize = 3;
/// Above this multiple of the usual p99 of its own reads it backs off.
const SLOWER: f64 = 1.5;
/// It backs off if tasks wait for I/O for this much more of the time than usual (PSI `some`).
const PRESSED: f64 = 0.15;

/// Latency buckets: eight for each doubling.
pub const BUCKETS: usize = 8 * 40;

/// The bucket of a latency.
#[inline]
pub const fn bucket(ns: u64) -> usize {
    let ns = if ns < 8 { 8 } else { ns };
    let octave = ns.ilog2();
    let bucket = ((octave - 3) as usize) * 8 + ((ns >> (octave - 3)) & 7) as usize;
    if bucket < BUCKETS { bucket } else { BUCKETS - 1 }
}

/// The middle of a bucket.
fn middle_ns(bucket: usize) -> u64 {
    let (octave, eighth) = (bucket / 8, (bucket % 8) as u64);
    (17 + 2 * eighth) << octave >> 1
}

/// What was observed since the last reading.
#[derive(Clone, Debug)]
pub struct GovernorReading {
    /// The length of that time.
    pub ns: u64,
    /// Its own reads, counted by latency bucket.
    pub reads: Vec<u64>,
    /// The time in which tasks on the host waited for I/O; `None` if the kernel does not say.
    pub pressed_us: Option<u64>,
}

/// Why a share was halved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backoff {
    /// Own reads took far longer than usual.
    Slow,
    /// The host waited for I/O far more than usual.
    Pressed,
}

/// The result of a check.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// The 99th percentile of its own reads.
    pub p99_ns: u64,
    /// Share of the time in which tasks waited for I/O.
    pub pressed: Option<f64>,
    /// Whether the share was halved because of it.
    pub gave_way: Option<Backoff>,
}

/// What a governor did during an interval of a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GovernorInterval {
    /// The allowed share, the mean over the time, in parts per million.
    pub allowed_ppm: Ppm,
    /// The lowest share.
    pub least_ppm: Ppm,
    /// The longest 99th percentile of own reads in a check; 0 if no check ended.
    pub p99_ns: u64,
    /// Largest share of the time of a check in which tasks on the host waited for I/O, in parts per million; `None` if the kernel does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pressed_ppm: Option<Ppm>,
    /// Checks that ended.
    pub looks: u32,
    /// Checks that halved the share because own reads were slow.
    pub slow: u32,
    /// Checks that halved it because the host waited.
    pub pressed: u32,
}

impl GovernorInterval {
    /// Records a finished check.
    pub fn look(&mut self, look: &Look) {
        let Look { p99_ns, pressed, gave_way } = *look;
        self.looks = self.looks.saturating_add(1);
        self.p99_ns = self.p99_ns.max(p99_ns);
        self.pressed_ppm = self.pressed_ppm.max(pressed.map(ppm));
        match gave_way {
            Some(Backoff::Slow) => self.slow = self.slow.saturating_add(1),
            Some(Backoff::Pressed) => self.pressed = self.pressed.saturating_add(1),
            None => {}
        }
    }
}

fn ppm(share: f64) -> Ppm {
    // Between 0 and a million.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped just before")]
    let ppm = (share.clamp(0.0, 1.0) * f64::from(WHOLE)).round() as Ppm;
    ppm
}

/// Decides how much a load may take.
#[derive(Clone, Debug)]
pub struct Governor {
    most: Ppm,
    share: Ppm,
    /// Time since the last check.
    ns: u64,
    reads: Vec<u64>,
    pressed_us: Option<u64>,
    usual_p99: VecDeque<u64>,
    usual_pressed: VecDeque<f64>,
}

impl Governor {
    /// A load that may take at most this share. It begins with the lowest.
    pub fn new(most: Ppm) -> Self {
        let share = (most / LEAST_PART).max(1);
        Self {
            most,
            share,
            ns: 0,
            reads: vec![0; BUCKETS],
            pressed_us: Some(0),
            usual_p99: VecDeque::with_capacity(MEMORY),
            usual_pressed: VecDeque::with_capacity(MEMORY),
        }
    }

    /// The share that the load may take now.
    pub const fn share(&self) -> Ppm {
        self.share
    }

    /// Takes a reading; returns a check that it completes.
    pub fn see(&mut self, seen: &GovernorReading) -> Option<Look> {
        self.ns = self.ns.saturating_add(seen.ns);
        self.reads.iter_mut().zip(&seen.reads).for_each(|(all, more)| *all = all.saturating_add(*more));
        self.pressed_us = self.pressed_us.zip(seen.pressed_us).map(|(all, more)| all.saturating_add(more));
        let count: u64 = self.reads.iter().sum();
        let is_over = count >= ENOUGH || (self.ns >= LONG_NS && count >= FEW);
        if self.ns < SHORT_NS || !is_over {
            return None;
        }
        let p99_ns = p99(&self.reads, count);
        let pressed = self.pressed_us.map(|us| (to_f64(us) * 1000.0 / to_f64(self.ns)).min(1.0));
        let gave_way = self.judge(p99_ns, pressed);
        let is_known = self.usual_p99.len() >= LEAST_LOOKS;
        self.share = match gave_way {
            Some(_) => (self.share / 2).max(self.most / LEAST_PART),
            None if is_known => self.share.saturating_add(self.most / STEP_PART).min(self.most),
            None => self.share,
        }
        .max(1);
        keep(&mut self.usual_p99, p99_ns);
        pressed.into_iter().for_each(|share| keep(&mut self.usual_pressed, share));
        self.ns = 0;
        self.reads.fill(0);
        self.pressed_us = Some(0);
        Some(Look { p99_ns, pressed, gave_way })
    }

    fn judge(&self, p99_ns: u64, pressed: Option<f64>) -> Option<Backoff> {
        let slow = usual(&self.usual_p99).is_some_and(|usual| to_f64(p99_ns) > SLOWER * to_f64(usual));
        let more = |now: f64| usual(&self.usual_pressed).is_some_and(|usual| now > usual + PRESSED);
        match (slow, pressed.is_some_and(more)) {
            (true, _) => Some(Backoff::Slow),
            (_, true) => Some(Backoff::Pressed),
            _ => None,
        }
    }
}

fn keep<T>(looks: &mut VecDeque<T>, one: T) {
    if looks.len() == MEMORY {
        looks.pop_front();
    }
    looks.push_back(one);
}

/// The lower quartile: the state while other programs have little to do, which single lucky checks do not move.
fn usual<T: Copy + PartialOrd>(looks: &VecDeque<T>) -> Option<T> {
    if looks.len() < LEAST_LOOKS {
        return None;
    }
    let mut sorted: Vec<T> = looks.iter().copied().collect();
    sorted.sort_by(|one, other| one.partial_cmp(other).unwrap_or(std::cmp::Ordering::Equal));
    sorted.get(sorted.len() / 4).copied()
}

fn p99(reads: &[u64], count: u64) -> u64 {
    let beyond = count / 100;
    let mut seen = 0;
    let bucket = reads.iter().enumerate().rev().find(|(_, reads)| {
        seen += **reads;
        seen > beyond
    });
    bucket.map_or(0, |(bucket, _)| middle_ns(bucket))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::draw::Generator;

    const MOST: Ppm = 50_000;

    /// A whole number of what is small and not negative.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "times of a test, far below the limits"
    )]
    const fn whole(value: f64) -> u64 {
        value as u64
    }

    /// A second in which this many reads took about `us`, exponentially, and somebody waited for that part of it.
    fn second(draw: &mut Generator, reads: u64, us: f64, pressed: f64) -> GovernorReading {
        let mut counts = vec![0; BUCKETS];
        for _ in 0..reads {
            let uniform = (to_f64(draw.below(1 << 30)) + 0.5) / to_f64(1 << 30);
            counts[bucket(whole(-uniform.ln() * us * 1000.0))] += 1;
        }
        GovernorReading { ns: NS_PER_S, reads: counts, pressed_us: Some(whole(pressed * 1e6)) }
    }

    fn seconds(
        governor: &mut Governor,
        draw: &mut Generator,
        count: usize,
        us: f64,
        pressed: f64,
    ) -> Vec<Look> {
        (0..count).filter_map(|_| governor.see(&second(draw, 600, us, pressed))).collect()
    }

    #[test]
    fn latencies_have_a_bucket_that_is_near_them() {
        for ns in [8_u64, 9, 100, 1000, 123_456, 5_000_000, 60_000_000_000] {
            let middle = to_f64(middle_ns(bucket(ns)));
            assert!((middle / to_f64(ns) - 1.0).abs() < 0.07, "{ns}: {middle}");
        }
        assert_eq!((bucket(0), bucket(u64::MAX)), (0, BUCKETS - 1));
        let edges: Vec<usize> = (8..5000).map(bucket).collect();
        assert!(edges.windows(2).all(|pair| pair[0] <= pair[1] && pair[1] <= pair[0] + 1));
    }

    #[test]
    fn it_begins_with_little_and_takes_what_it_may_while_all_is_as_usual() {
        let (mut governor, mut draw) = (Governor::new(MOST), Generator::new(1, &[]));
        assert_eq!(governor.share(), MOST / 16);
        seconds(&mut governor, &mut draw, 3, 200.0, 0.3);
        assert_eq!(governor.share(), MOST / 16, "nobody knows yet what is usual");
        seconds(&mut governor, &mut draw, 12, 200.0, 0.3);
        assert_eq!(governor.share(), MOST);
    }

    #[test]
    fn it_gives_way_at_once_and_comes_back() {
        for (us, pressed, why) in [(800.0, 0.3, Backoff::Slow), (200.0, 0.9, Backoff::Pressed)] {
            let (mut governor, mut draw) = (Governor::new(MOST), Generator::new(2, &[]));
            seconds(&mut governor, &mut draw, 40, 200.0, 0.3);
            let looks = seconds(&mut governor, &mut draw, 6, us, pressed);
            assert!(looks.iter().all(|look| look.gave_way == Some(why)), "{looks:?}");
            assert_eq!(governor.share(), MOST / 16, "never less: its reads tell when there is room");
            seconds(&mut governor, &mut draw, 12, 200.0, 0.3);
            assert_eq!(governor.share(), MOST);
        }
    }

    #[test]
    fn what_lasts_becomes_usual() {
        let (mut governor, mut draw) = (Governor::new(MOST), Generator::new(3, &[]));
        seconds(&mut governor, &mut draw, 40, 200.0, 0.0);
        let gave_way = |looks: &[Look]| looks.iter().filter(|look| look.gave_way.is_some()).count();
        assert!(gave_way(&seconds(&mut governor, &mut draw, 20, 900.0, 0.0)) == 20);
        seconds(&mut governor, &mut draw, 120, 900.0, 0.0);
        assert_eq!(gave_way(&seconds(&mut governor, &mut draw, 20, 900.0, 0.0)), 0);
    }

    #[test]
    fn chance_alone_seldom_moves_it() {
        let (mut governor, mut draw) = (Governor::new(MOST), Generator::new(4, &[]));
        let looks = seconds(&mut governor, &mut draw, 2000, 300.0, 0.5);
        let gave_way = looks.iter().filter(|look| look.gave_way.is_some()).count();
        assert!(looks.len() == 2000 && gave_way < 40, "{gave_way} of 2000");
    }

    #[test]
    fn a_slow_device_is_looked_at_with_few_reads_and_without_pressure() {
        let (mut governor, mut draw) = (Governor::new(MOST), Generator::new(5, &[]));
        let one = |draw: &mut Generator| GovernorReading { pressed_us: None, ..second(draw, 1, 8000.0, 0.0) };
        let looks: Vec<Look> = (0..400).filter_map(|_| governor.see(&one(&mut draw))).collect();
        assert!((10..=20).contains(&looks.len()), "{}", looks.len());
        assert!(looks.iter().all(|look| look.pressed.is_none()));
        let mut governed = GovernorInterval::default();
        looks.iter().for_each(|look| governed.look(look));
        assert_eq!((governed.looks as usize, governed.pressed_ppm), (looks.len(), None));
        assert!(governed.p99_ns > 8_000_000);
    }
}
