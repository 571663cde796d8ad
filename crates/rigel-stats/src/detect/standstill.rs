//! Standstills: time in which nothing came back though I/Os were in flight, and single I/Os far longer than all others.
//!
//! The series says that nothing came back, to the width of its buckets; the longest I/O says for how long, exactly, where I/Os were in flight when it
//! began. Where they arrive seldom the two are the ends of what it can have been. Must not look at a mean, which the standstill itself moves.

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
/// The same against what a quarter of the I/Os take at most, where nothing else came in the meantime. Of times with the law of an exponential one in a
/// million is that long.
const SILENT_OF_FAST: f64 = 50.0;
/// The mean time between arrivals at random, so many times, is exceeded once in twenty.
const GAPS: u64 = 3;
/// Ends that are farther from the middle are told.
const ROUGH: f64 = 0.05;

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

    /// No more than at another level of the same closed loop, where so many I/Os were outstanding: fewer wait no longer, more wait longer at most
    /// by as much as there are more. A standstill can be all that a short visit saw.
    #[must_use]
    pub fn bounded_by(self, outstanding: u32, (other, other_outstanding): (Self, u32)) -> Self {
        let more = (f64::from(outstanding) / f64::from(other_outstanding.max(1))).max(1.0);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a latency, or the most that there is"
        )]
        let times = |ns: u64| (to_f64(ns) * more) as u64;
        Self {
            most_ns: self.most_ns.min(times(other.most_ns)),
            median_ns: self.median_ns.min(times(other.median_ns)),
        }
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
    /// Its length is at least this.
    pub least_ns: u64,
    /// And at most this.
    pub most_ns: u64,
}

impl Standstill {
    /// The middle of what it can have been.
    pub const fn length_ns(&self) -> u64 {
        u64::midpoint(self.least_ns, self.most_ns)
    }

    /// Whether the ends of what it can have been are so far apart that the middle alone would mislead.
    pub fn is_rough(&self) -> bool {
        to_f64(self.most_ns.saturating_sub(self.least_ns)) > 2.0 * ROUGH * to_f64(self.length_ns())
    }
}

/// The completions of an open loop over time, and the load around them.
#[derive(Clone, Copy, Debug)]
pub struct ArrivalSeries<'a> {
    /// Completions in each bucket.
    pub ops: &'a [u32],
    /// Their latencies, from the times at which they should have begun.
    pub latency_sum_ns: &'a [u64],
    /// Width of a bucket.
    pub bucket_ns: u64,
    /// Load before the first bucket.
    pub before_ns: u64,
    /// From the start of the first bucket until the last I/O of the load had come back.
    pub over_ns: u64,
    /// Mean time between two arrivals.
    pub gap_ns: u64,
}

/// The time in which nothing came back while the longest I/O waited, where I/Os arrive too seldom to say that others are missing. It began between the
/// last completion before and the arrival of that I/O. `usual`: of the service times.
pub fn standstill_of_arrivals(
    series: &ArrivalSeries<'_>,
    longest_ns: u64,
    usual: UsualTime,
) -> Option<Standstill> {
    let &ArrivalSeries { ops, latency_sum_ns, bucket_ns, before_ns, over_ns, gap_ns } = series;
    if longest_ns < LEAST_NS || to_f64(longest_ns) < SILENT_OF_FAST * to_f64(usual.median_ns) {
        return None;
    }
    let span_ns = |buckets: usize| bucket_ns.saturating_mul(buckets as u64);
    let most_ns = |silent: &Range<usize>| {
        let before_ns = if silent.start == 0 { before_ns } else { bucket_ns };
        let is_open = silent.end == ops.len();
        let after_ns = if is_open { over_ns.saturating_sub(span_ns(ops.len())) } else { bucket_ns };
        span_ns(silent.len()).saturating_add(before_ns).saturating_add(after_ns)
    };
    // It came back in the bucket behind, or after the window.
    let ends_with_it =
        |silent: &Range<usize>| latency_sum_ns.get(silent.end).is_none_or(|&sum_ns| sum_ns >= longest_ns);
    let can_hold = |silent: &Range<usize>| most_ns(silent) >= longest_ns && ends_with_it(silent);
    let silent = silences(ops).filter(can_hold).min_by_key(|silent| most_ns(silent))?;
    let least_ns = longest_ns.saturating_sub(usual.median_ns);
    let mut most_ns = most_ns(&silent).max(least_ns);
    if silent.start == 0 || silent.end == ops.len() {
        // What came back outside the series is not known; in 95 of 100 cases nothing arrives for that long at most.
        most_ns = most_ns.min(least_ns.saturating_add(GAPS.saturating_mul(gap_ns)));
    }
    Some(Standstill { at_ns: span_ns(silent.start), least_ns, most_ns })
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
    let found = Standstill { at_ns: span_ns(silent.start), least_ns: length_ns, most_ns: length_ns };
    usual.is_silence(length_ns).then_some(found)
}

/// The runs of buckets without a completion.
fn silences(ops: &[u32]) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + ops.get(at..)?.iter().position(|&ops| ops == 0)?;
        let length = ops.get(start..)?.iter().take_while(|&&ops| ops == 0).count();
        at = start + length;
        Some(start..at)
    })
}

/// The first of the longest of them.
fn longest_silence(ops: &[u32]) -> Range<usize> {
    silences(ops).fold(0..0, |longest, one| if one.len() > longest.len() { one } else { longest })
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
            Some((found.at_ns / NS_PER_MS, found.length_ns() / NS_PER_MS))
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
        assert_eq!(standstill(&faster, BUCKET_NS, 0, usual(1)).unwrap().length_ns(), 300 * NS_PER_MS);
    }

    /// Two seconds with an I/O in every tenth bucket, but for those from 50 to 100, and the one that was held longest behind them.
    fn seldom(held_ms: u64) -> (Vec<u32>, Vec<u64>) {
        let ops: Vec<u32> = (0..200)
            .map(|bucket| match bucket {
                50..100 => 0,
                100 => 4,
                _ => u32::from(bucket % 10 == 0),
            })
            .collect();
        let sums = ops.iter().enumerate().map(|(bucket, &ops)| {
            if bucket == 100 { held_ms * NS_PER_MS } else { u64::from(ops) * NS_PER_MS }
        });
        let sums = sums.collect();
        (ops, sums)
    }

    #[test]
    fn where_ios_arrive_seldom_the_ends_of_a_standstill_are_told() {
        let found = |held_ms: u64, usual_ms: u64| {
            let (ops, sums) = seldom(held_ms);
            let series = ArrivalSeries {
                ops: &ops,
                latency_sum_ns: &sums,
                bucket_ns: BUCKET_NS,
                before_ns: 0,
                over_ns: 2 * NS_PER_S,
                gap_ns: 100 * NS_PER_MS,
            };
            let found = standstill_of_arrivals(&series, held_ms * NS_PER_MS, usual(usual_ms))?;
            Some((found.at_ns / NS_PER_MS, found.least_ns / NS_PER_MS, found.most_ns / NS_PER_MS))
        };
        // The last one before came at 400 ms or up to 10 ms later.
        assert_eq!(found(520, 1), Some((410, 519, 610)));
        assert_eq!(found(609, 1), Some((410, 608, 610)));
        assert_eq!(found(700, 1), None, "something came back while it waited");
        assert_eq!(found(240, 1), None, "shorter than a quarter of a second");
        assert_eq!(found(520, 20), None, "so long take some by chance");
        let rough = Standstill { at_ns: 0, least_ns: 519, most_ns: 610 };
        assert!(rough.is_rough() && rough.length_ns() == 564);
        assert!(!Standstill { least_ns: 560, ..rough }.is_rough());
    }

    #[test]
    fn a_standstill_at_an_end_of_the_window_has_the_load_around_it() {
        let found = |ops: &[u32], sums: &[u64], longest_ms: u64| {
            let series = ArrivalSeries {
                ops,
                latency_sum_ns: sums,
                bucket_ns: BUCKET_NS,
                before_ns: 100 * NS_PER_MS,
                over_ns: NS_PER_S,
                gap_ns: 10 * NS_PER_MS,
            };
            let found = standstill_of_arrivals(&series, longest_ms * NS_PER_MS, usual(1)).unwrap();
            (found.least_ns / NS_PER_MS, found.most_ns / NS_PER_MS)
        };
        let at_the_start: Vec<u32> = (0..50).map(|bucket| u32::from(bucket >= 40)).collect();
        let sums: Vec<u64> = (0..50).map(|bucket| if bucket == 40 { 480 * NS_PER_MS } else { 0 }).collect();
        assert_eq!(found(&at_the_start, &sums, 480), (479, 509), "it began before the series");
        let at_the_end: Vec<u32> = (0..50).map(|bucket| u32::from(bucket < 10)).collect();
        assert_eq!(found(&at_the_end, &[0; 50], 850), (849, 879), "it ended after the series");
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
