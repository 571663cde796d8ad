//! Standstills: time in which nothing came back though I/Os were in flight, and single I/Os far longer than all others.
//!
//! The series says that nothing came back, to the width of its buckets; the longest I/O says for how long, exactly. Must not look at a mean, which
//! the standstill itself moves.

use crate::histogram::Histogram;
use crate::sample::median;
use crate::units::{NS_PER_MS, to_f64};
use std::ops::Range;

/// What is shorter is no standstill. Databases begin to warn at half a second for one write.
pub const LEAST_NS: u64 = 250 * NS_PER_MS;
/// So many I/Os would have come back in the meantime: by chance none of them does once in 10^13 times.
const LEAST_MISSING: f64 = 30.0;
/// By how much the longest I/O exceeds those that no standstill can have held. Of times with the law of an exponential, the longest of a billion is
/// 4.5 times the 99th percentile.
const FAR: f64 = 10.0;
/// By how much the silence does: I/Os that begin together are over together, and nothing comes back in between.
const SILENT: f64 = 3.0;
/// The same against the median, which many standstills move less.
const SILENT_OF_MEDIAN: f64 = 30.0;

/// What I/Os take that no standstill held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsualTime {
    /// Hardly one takes longer.
    pub most_ns: u64,
    median_ns: u64,
}

impl UsualTime {
    /// Of all I/Os of a point. A standstill of each of `visits` holds at most `outstanding` of them, and those that wait for them. `None` without I/Os.
    pub fn of(all: &Histogram, outstanding: u32, visits: usize) -> Option<Self> {
        let held = 2.0 * f64::from(outstanding.max(1)) * to_f64(visits.max(1) as u64);
        let others = 1.0 - held / to_f64(all.count().max(1));
        let most = [others.max(0.5), 0.99].map(|share| all.quantile_ns(share));
        Some(Self { most_ns: most.into_iter().flatten().min()?, median_ns: all.quantile_ns(0.5)? })
    }

    /// What the device takes for those of an open loop, `service` being the times from the real start to the end. While a device stands still more
    /// and more arrive, so half of all may have waited.
    pub fn of_service(service: &Histogram) -> Option<Self> {
        let fast_ns = service.quantile_ns(0.25)?;
        Some(Self { most_ns: fast_ns, median_ns: fast_ns })
    }

    /// Whether an I/O took far longer than all that no standstill held.
    pub fn is_far(self, longest_ns: u64) -> bool {
        longest_ns >= LEAST_NS && to_f64(longest_ns) >= FAR * to_f64(self.most_ns)
    }

    fn is_silence(self, length_ns: u64) -> bool {
        let least = (SILENT * to_f64(self.most_ns)).min(SILENT_OF_MEDIAN * to_f64(self.median_ns));
        length_ns >= LEAST_NS && to_f64(length_ns) >= least
    }
}

/// Nothing came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standstill {
    /// From the start of the series.
    pub at_ns: u64,
    /// Its length.
    pub length_ns: u64,
}

/// The longest time of a series in which nothing came back though I/Os were in flight, where neither chance nor what I/Os usually take can have made it. `longest_ns` is the longest
/// I/O of the same visit, which gives the length where the standstill is the reason for it.
pub fn standstill(ops: &[u32], bucket_ns: u64, longest_ns: u64, usual: UsualTime) -> Option<Standstill> {
    let busy: Vec<f64> = ops.iter().filter(|&&ops| ops > 0).map(|&ops| f64::from(ops)).collect();
    let silent = longest_silence(ops);
    let span_ns = |buckets: usize| bucket_ns.saturating_mul(buckets as u64);
    let seen_ns = span_ns(silent.len());
    if busy.is_empty() || median(&busy) * to_f64(silent.len() as u64) < LEAST_MISSING {
        return None;
    }
    // It began within the bucket before, and ended within the one after. What touches an end of the series may go on there.
    let is_open_ended = silent.start == 0 || silent.end == ops.len();
    let most_ns = if is_open_ended { u64::MAX } else { seen_ns.saturating_add(span_ns(2)) };
    let length_ns = seen_ns.max(longest_ns.min(most_ns));
    usual.is_silence(length_ns).then_some(Standstill { at_ns: span_ns(silent.start), length_ns })
}

/// The first of the longest runs of buckets without a completion.
fn longest_silence(ops: &[u32]) -> Range<usize> {
    let mut longest = 0..0;
    let mut begin = 0;
    for (end, &ops) in (1..).zip(ops) {
        if ops > 0 {
            begin = end;
        } else if end - begin > longest.len() {
            longest = begin..end;
        }
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::NS_PER_S;

    const BUCKET_NS: u64 = 10 * NS_PER_MS;

    /// Two seconds with 20 completions in each bucket, but for those from `from` on.
    fn series(from: usize, silent: usize) -> Vec<u32> {
        (0..200).map(|bucket| if (from..from + silent).contains(&bucket) { 0 } else { 20 }).collect()
    }

    fn usual(ms: u64) -> UsualTime {
        UsualTime { most_ns: ms * NS_PER_MS, median_ns: ms * NS_PER_MS }
    }

    #[test]
    fn the_longest_io_gives_the_length_of_the_time_without_a_completion() {
        let found = |from, silent, longest_ms: u64| {
            let found = standstill(&series(from, silent), BUCKET_NS, longest_ms * NS_PER_MS, usual(1))?;
            Some((found.at_ns / NS_PER_MS, found.length_ns / NS_PER_MS))
        };
        assert_eq!(found(50, 49, 503), Some((500, 503)), "within the buckets on both sides");
        assert_eq!(found(50, 49, 9_000), Some((500, 510)), "an I/O that was long for another reason");
        assert_eq!(found(50, 49, 100), Some((500, 490)), "an I/O that began after it");
        assert_eq!(found(150, 50, 20_100), Some((1_500, 20_100)), "it outlasted the window");
        assert_eq!(found(0, 50, 7_000), Some((0, 7_000)), "it began before the window");
        assert_eq!(found(50, 24, 240), None, "shorter than a quarter of a second");
        assert_eq!(found(0, 0, 9_000), None, "something came back all the time");
    }

    #[test]
    fn what_chance_makes_of_a_slow_device_is_no_standstill() {
        let slow: Vec<u32> = (0..200).map(|bucket| u32::from(bucket % 20 == 0)).collect();
        assert_eq!(standstill(&slow, BUCKET_NS, NS_PER_S, usual(1)), None);
        assert_eq!(
            standstill(&[0; 200], BUCKET_NS, NS_PER_S, usual(1)),
            None,
            "nothing says how much was missing"
        );
        let few: Vec<u32> = (0..200).map(|bucket| u32::from(!(50..78).contains(&bucket))).collect();
        assert_eq!(standstill(&few, BUCKET_NS, 0, usual(1)), None, "28 are missing");
        let faster: Vec<u32> = (0..200).map(|bucket| u32::from(!(50..80).contains(&bucket))).collect();
        assert_eq!(standstill(&faster, BUCKET_NS, 0, usual(1)).unwrap().length_ns, 300 * NS_PER_MS);
    }

    /// 128 I/Os of 300 ms each, which begin together again and again.
    #[test]
    fn ios_that_are_over_together_leave_no_standstill_in_between() {
        let bursts: Vec<u32> = (0..200).map(|bucket| if bucket % 30 == 29 { 128 } else { 0 }).collect();
        assert_eq!(standstill(&bursts, BUCKET_NS, 300 * NS_PER_MS, usual(300)), None);
        let silent = standstill(&series(50, 60), BUCKET_NS, 900 * NS_PER_MS, usual(300));
        assert_eq!(silent, None, "twice of what an I/O usually takes");
        let many = UsualTime { most_ns: 500 * NS_PER_MS, median_ns: NS_PER_MS };
        assert!(standstill(&series(50, 50), BUCKET_NS, 500 * NS_PER_MS, many).is_some(), "one of many");
    }

    #[test]
    fn one_io_far_beyond_the_others_is_seen_however_many_wait_with_it() {
        let of = |held: u64, held_ms: u64| {
            let mut all = Histogram::new();
            (0..10_000).for_each(|_| all.record(NS_PER_MS));
            (0..held).for_each(|_| all.record(held_ms * NS_PER_MS));
            all
        };
        let far = |held, held_ms, outstanding| {
            let all = of(held, held_ms);
            UsualTime::of(&all, outstanding, 1).unwrap().is_far(all.max_ns().unwrap())
        };
        assert!(far(1, 500, 1) && far(128, 500, 128) && far(90, 500, 1));
        assert!(!far(1, 249, 1), "too short");
        assert!(!far(5_000, 500, 1), "a third of the I/Os take that long");
        assert!(far(4_000, 500, 4_000), "all that were outstanding did");
    }

    /// Sojourn times of a queue have the law of an exponential.
    #[test]
    fn a_queue_by_itself_has_none() {
        let mut all = Histogram::new();
        let count = 1_000_000_u32;
        (0..count).for_each(|n| {
            let share = (f64::from(n) + 0.5) / f64::from(count);
            let time = std::time::Duration::from_secs_f64(-0.1 * (1.0 - share).ln());
            all.record(u64::try_from(time.as_nanos()).unwrap());
        });
        let longest_ns = all.max_ns().unwrap();
        assert!(longest_ns > NS_PER_S);
        for outstanding in [1, 128, 10_000] {
            assert!(!UsualTime::of(&all, outstanding, 10).unwrap().is_far(longest_ns), "{outstanding}");
        }
    }
}
