//! The service law: when a request that arrives now will be answered.
//!
//! Pure arithmetic in nanoseconds of virtual time, so the law is exact however late a timer wakes
//! up: a station starts its next request when the last one was *due*, not when it was answered. It must
//! not read a clock, sleep, or know what a request is beyond its length.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::num::NonZeroU64;
use std::ops::Range;
use std::time::Duration;

use crate::lru::Lru;

/// What one request costs, and how many are served at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Law {
    /// Stations that serve in parallel.
    pub(crate) servers: usize,
    /// Time at a station, before the transfer.
    pub(crate) service_us: u64,
    /// Transfer rate of one station in 10^6 bytes per second; `None` transfers in no time.
    pub(crate) mbps: Option<NonZeroU64>,
    /// Draw the time at the station from the exponential distribution with the same mean.
    pub(crate) exponential: bool,
    /// How much longer a write takes that has to be durable, and how long a flush takes when there is something to flush.
    pub(crate) flush_us: u64,
}

impl Default for Law {
    fn default() -> Self {
        Self { servers: 1, service_us: 0, mbps: None, exponential: false, flush_us: 0 }
    }
}

impl Law {
    /// The mean time a station needs for a request of this length.
    fn mean_service_ns(&self, length_bytes: u64) -> u64 {
        let transfer_ns = self.mbps.map_or(0, |mbps| length_bytes.saturating_mul(1000) / mbps.get());
        self.service_us.saturating_mul(1000).saturating_add(transfer_ns)
    }
}

/// What a request is to a station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// So many bytes, either way.
    Transfer(u64),
    /// The same, and durable before it is answered.
    DurableWrite(u64),
    /// Makes durable what was written.
    Flush,
}

/// A range of the device whose requests take longer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SlowRange {
    pub(crate) range_bytes: Range<u64>,
    pub(crate) more_us: u64,
}

/// Credit for requests: what is left of it passes at once, the rest as it comes. Flushes need none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bucket {
    /// What comes in a second.
    pub(crate) per_s: u64,
    /// The most that it holds.
    pub(crate) credits: u64,
    /// What it holds now.
    pub(crate) level: u64,
}

/// A bucket, kept as the time at which it will be full when nothing more is taken (the virtual scheduling form of ITU-T I.371).
#[derive(Debug)]
struct Gate {
    ns_per_credit: u64,
    full_ns: u64,
    full_at_ns: u64,
}

impl Gate {
    fn new(bucket: Bucket, now_ns: u64) -> Self {
        let ns_per_credit = 1_000_000_000 / bucket.per_s.max(1);
        let missing = bucket.credits.saturating_sub(bucket.level);
        Self {
            ns_per_credit,
            full_ns: bucket.credits.saturating_mul(ns_per_credit),
            full_at_ns: now_ns.saturating_add(missing.saturating_mul(ns_per_credit)),
        }
    }

    /// When a request may pass that arrives now.
    fn pass(&mut self, now_ns: u64) -> u64 {
        let may_be_missing_ns = self.full_ns.saturating_sub(self.ns_per_credit);
        let at_ns = now_ns.max(self.full_at_ns.saturating_sub(may_be_missing_ns));
        self.full_at_ns = self.full_at_ns.max(at_ns).saturating_add(self.ns_per_credit);
        at_ns
    }
}

/// The stations under a law: first come, first served, by the station that is free first.
#[derive(Debug)]
pub(crate) struct Stations {
    law: Law,
    slow: Vec<SlowRange>,
    gate: Option<Gate>,
    /// What it holds is answered in this many nanoseconds at a station.
    cache: Option<(Lru, u64)>,
    free_at_ns: BinaryHeap<Reverse<u64>>,
    random: SplitMix,
}

impl Stations {
    pub(crate) fn new(law: Law, seed: u64) -> Self {
        let random = SplitMix(seed);
        Self { law, slow: Vec::new(), gate: None, cache: None, free_at_ns: idle(law.servers), random }
    }

    pub(crate) fn law(&self) -> Law {
        self.law
    }

    /// Changes the law for requests that arrive from now on. A new number of stations starts idle: what
    /// the old ones still owe is not carried over.
    pub(crate) fn set_law(&mut self, law: Law) {
        if law.servers != self.law.servers {
            self.free_at_ns = idle(law.servers);
        }
        self.law = law;
    }

    pub(crate) fn set_seed(&mut self, seed: u64) {
        self.random = SplitMix(seed);
    }

    /// Limits what arrives from now on; a rate of 0 limits nothing.
    pub(crate) fn set_bucket(&mut self, bucket: Bucket, now_ns: u64) {
        self.gate = (bucket.per_s > 0).then(|| Gate::new(bucket, now_ns));
    }

    /// Puts an empty cache of this many bytes before the stations; none with 0.
    pub(crate) fn set_cache(&mut self, bytes: u64, hit_us: u64) {
        self.cache = (bytes > 0).then(|| (Lru::new(bytes), hit_us.saturating_mul(1000)));
    }

    pub(crate) fn add_slow(&mut self, slow: SlowRange) {
        self.slow.push(slow);
    }

    pub(crate) fn clear_slow(&mut self) {
        self.slow.clear();
    }

    /// How much longer a request takes that begins there.
    fn slow_ns(&self, offset_bytes: u64) -> u64 {
        let here = self.slow.iter().filter(|slow| slow.range_bytes.contains(&offset_bytes));
        here.map(|slow| slow.more_us.saturating_mul(1000)).fold(0, u64::saturating_add)
    }

    /// Takes a place at the station that is free first; returns the time at which the answer is due.
    pub(crate) fn admit(&mut self, now_ns: u64, work: Work, offset_bytes: u64) -> u64 {
        let flush_ns = self.law.flush_us.saturating_mul(1000);
        let slow_ns = self.slow_ns(offset_bytes);
        let service_ns = match work {
            Work::Transfer(length_bytes) => match self.hit_ns(offset_bytes, length_bytes) {
                Some(hit_ns) => hit_ns,
                None => self.service_ns(length_bytes).saturating_add(slow_ns),
            },
            Work::DurableWrite(length_bytes) => {
                self.service_ns(length_bytes).saturating_add(slow_ns).saturating_add(flush_ns)
            }
            Work::Flush => flush_ns,
        };
        let now_ns = match (&mut self.gate, work) {
            (Some(gate), Work::Transfer(_) | Work::DurableWrite(_)) => gate.pass(now_ns),
            _ => now_ns,
        };
        let free_ns = self.free_at_ns.pop().map_or(0, |Reverse(at_ns)| at_ns);
        let due_ns = free_ns.max(now_ns).saturating_add(service_ns);
        self.free_at_ns.push(Reverse(due_ns));
        due_ns
    }

    /// How long it takes where the cache holds all of it.
    fn hit_ns(&mut self, offset_bytes: u64, length_bytes: u64) -> Option<u64> {
        let (cache, hit_ns) = self.cache.as_mut()?;
        cache.holds(offset_bytes, length_bytes).then_some(*hit_ns)
    }

    fn service_ns(&mut self, length_bytes: u64) -> u64 {
        let mean_ns = self.law.mean_service_ns(length_bytes);
        if !self.law.exponential {
            return mean_ns;
        }
        let drawn = Duration::from_nanos(mean_ns).mul_f64(-self.random.open_unit().ln());
        u64::try_from(drawn.as_nanos()).unwrap_or(u64::MAX)
    }
}

fn idle(servers: usize) -> BinaryHeap<Reverse<u64>> {
    std::iter::repeat_n(Reverse(0), servers.max(1)).collect()
}

/// Sebastiano Vigna's splitmix64: small, seeded, and good enough for service times and filler bytes.
#[derive(Debug)]
pub(crate) struct SplitMix(pub(crate) u64);

impl SplitMix {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Uniform in (0, 1), both ends excluded, so its logarithm is finite and negative.
    fn open_unit(&mut self) -> f64 {
        ((self.next() >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn law(servers: usize, service_us: u64) -> Law {
        Law { servers, service_us, ..Law::default() }
    }

    /// Keeps `depth` requests in flight for `count` requests; returns the time of the last answer.
    fn run(law: Law, depth: usize, count: usize, length_bytes: u64) -> u64 {
        let mut stations = Stations::new(law, 1);
        let mut in_flight: BinaryHeap<Reverse<u64>> = BinaryHeap::new();
        let mut now_ns = 0;
        for _ in 0..count {
            if in_flight.len() == depth {
                now_ns = in_flight.pop().unwrap().0;
            }
            in_flight.push(Reverse(stations.admit(now_ns, Work::Transfer(length_bytes), 0)));
        }
        in_flight.into_iter().map(|Reverse(due_ns)| due_ns).max().unwrap()
    }

    #[test]
    fn rate_is_the_smaller_of_depth_and_stations_over_the_service_time() {
        for (depth, busy) in [(1, 1), (3, 3), (4, 4), (8, 4), (64, 4)] {
            assert_eq!(run(law(4, 1000), depth, 12_000, 8192), 12_000 / busy * 1_000_000, "depth {depth}");
        }
    }

    #[test]
    fn late_arrivals_past_saturation_lose_nothing() {
        // Answers are delivered 300 us late, yet with one request waiting the station never idles.
        let mut stations = Stations::new(law(1, 1000), 1);
        let half_kib = Work::Transfer(512);
        let mut due = [stations.admit(0, half_kib, 0), stations.admit(0, half_kib, 0)];
        for _ in 0..1000 {
            due = [due[1], stations.admit(due[0] + 300_000, half_kib, 0)];
        }
        assert_eq!(due[1], 1002 * 1_000_000);
    }

    #[test]
    fn transfer_time_adds_to_the_service_time() {
        let law = Law { mbps: NonZeroU64::new(100), ..law(2, 500) };
        // 500 us + 1,000,000 bytes at 100 MB/s = 10.5 ms each, two at a time.
        assert_eq!(run(law, 8, 100, 1_000_000), 50 * 10_500_000);
    }

    #[test]
    fn an_idle_station_starts_at_the_arrival() {
        let mut stations = Stations::new(law(2, 10), 1);
        assert_eq!(stations.admit(1_000_000, Work::Transfer(1), 0), 1_010_000);
        assert_eq!(stations.admit(1_000_000, Work::Transfer(1), 0), 1_010_000);
        assert_eq!(stations.admit(1_000_000, Work::Transfer(1), 0), 1_020_000);
    }

    #[test]
    fn what_is_durable_takes_the_flush_time_as_well() {
        let mut stations = Stations::new(Law { flush_us: 500, ..law(1, 1000) }, 1);
        assert_eq!(stations.admit(0, Work::Transfer(8192), 0), 1_000_000);
        assert_eq!(stations.admit(1_000_000, Work::DurableWrite(8192), 0), 2_500_000);
        assert_eq!(stations.admit(2_500_000, Work::Flush, 0), 3_000_000);
    }

    #[test]
    fn what_begins_in_a_slow_range_takes_longer() {
        let mut stations = Stations::new(law(1, 1000), 1);
        stations.add_slow(SlowRange { range_bytes: 4096..8192, more_us: 500 });
        let read = Work::Transfer(1);
        assert_eq!(stations.admit(0, read, 4095), 1_000_000);
        assert_eq!(stations.admit(1_000_000, read, 8191), 2_500_000);
        stations.clear_slow();
        assert_eq!(stations.admit(2_500_000, read, 8191), 3_500_000);
    }

    #[test]
    fn credit_passes_first_and_then_what_comes() {
        let mut stations = Stations::new(law(8, 0), 1);
        let bucket = Bucket { per_s: 1000, credits: 5, level: 3 };
        stations.set_bucket(bucket, 7_000_000);
        let mut due_ms = |now_ms: u64| stations.admit(now_ms * 1_000_000, Work::Transfer(1), 0) / 1_000_000;
        assert_eq!([due_ms(7), due_ms(7), due_ms(7), due_ms(7), due_ms(7)], [7, 7, 7, 8, 9]);
        // Full again after five milliseconds, and not fuller after a hundred.
        let later: Vec<u64> = (0..7).map(|_| due_ms(109)).collect();
        assert_eq!(later, [109, 109, 109, 109, 109, 110, 111]);
        stations.set_bucket(Bucket { per_s: 0, ..bucket }, 0);
        assert_eq!(stations.admit(120_000_000, Work::Transfer(1), 0), 120_000_000);
    }

    #[test]
    fn what_the_cache_holds_is_answered_as_fast_as_it_is() {
        let mut stations = Stations::new(law(1, 1000), 1);
        stations.set_cache(8192, 10);
        let read = Work::Transfer(4096);
        assert_eq!(stations.admit(0, read, 0), 1_000_000);
        assert_eq!(stations.admit(1_000_000, read, 0), 1_010_000);
        stations.set_cache(0, 10);
        assert_eq!(stations.admit(2_000_000, read, 0), 3_000_000);
    }

    #[test]
    fn exponential_service_is_seeded_and_has_the_mean_of_the_law() {
        let law = Law { exponential: true, ..law(1, 1000) };
        let first = run(law, 1, 100_000, 512);
        assert_eq!(first, run(law, 1, 100_000, 512));
        let mean_us = first as f64 / 100_000.0 / 1000.0;
        assert!((980.0..1020.0).contains(&mean_us), "mean {mean_us} us");
    }

    #[test]
    fn a_law_change_keeps_what_the_same_stations_still_owe() {
        let mut stations = Stations::new(law(1, 1000), 1);
        stations.admit(0, Work::Transfer(1), 0);
        stations.set_law(law(1, 10));
        assert_eq!(stations.admit(0, Work::Transfer(1), 0), 1_010_000);
        stations.set_law(law(2, 10));
        assert_eq!(stations.admit(0, Work::Transfer(1), 0), 10_000);
    }
}
