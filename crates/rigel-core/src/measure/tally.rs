//! The tally of one visit to a point: per class and direction what completed, how long it took, how full the queue was.
//!
//! A visit has a window. Completions inside it count; before it the queue fills and settles, after it the queue drains.
//! Must not decide when the window is.

use super::{Histogram, Series};
use crate::units::to_f64;
use crate::workload::{Class, Direction};
use serde::{Deserialize, Serialize};

/// The measured part of a visit, on the run's monotonic clock: `start_ns <= t < end_ns`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// First nanosecond that counts.
    pub start_ns: u64,
    /// First nanosecond that counts no more.
    pub end_ns: u64,
}

impl Window {
    /// Its length.
    #[must_use]
    pub const fn span_ns(self) -> u64 {
        self.end_ns.saturating_sub(self.start_ns)
    }

    #[inline]
    const fn holds(self, now_ns: u64) -> bool {
        self.start_ns <= now_ns && now_ns < self.end_ns
    }

    #[inline]
    fn clip(self, now_ns: u64) -> u64 {
        now_ns.clamp(self.start_ns, self.end_ns)
    }
}

/// The first failed I/O of a class in a visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstError {
    /// The kernel's error number; 0 for a transfer that was shorter than asked.
    pub errno: i32,
    /// Index of the target.
    pub target: u16,
    /// Byte offset of the I/O in the target.
    pub offset: u64,
    /// Read or write.
    pub direction: Direction,
}

/// One class of one visit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassTally {
    /// Bytes of one I/O.
    pub io_bytes: u64,
    /// Outstanding I/Os planned.
    pub planned: u32,
    /// Latencies of successful reads.
    pub reads: Histogram,
    /// Latencies of successful writes.
    pub writes: Histogram,
    /// Completions over time, reads and writes.
    pub series: Series,
    /// Integral of the number in flight over the window, in I/O-nanoseconds; over the window's length it gives the
    /// mean outstanding.
    pub in_flight_ns: u64,
    /// Failed I/Os of the whole visit, settling and draining included; short transfers too.
    pub errors: u64,
    /// The first of them.
    pub first_error: Option<FirstError>,
}

impl ClassTally {
    /// An empty tally.
    #[must_use]
    pub fn new(io_bytes: u64, planned: u32, window_ns: u64) -> Self {
        Self {
            io_bytes,
            planned,
            reads: Histogram::new(),
            writes: Histogram::new(),
            series: Series::new(window_ns),
            in_flight_ns: 0,
            errors: 0,
            first_error: None,
        }
    }

    /// Adds another worker's tally of the same visit and class.
    pub fn add(&mut self, other: &Self) {
        self.planned += other.planned;
        self.reads.add(&other.reads);
        self.writes.add(&other.writes);
        self.series.add(&other.series);
        self.in_flight_ns = self.in_flight_ns.saturating_add(other.in_flight_ns);
        self.errors += other.errors;
        self.first_error = self.first_error.or(other.first_error);
    }

    /// Successful I/Os, reads and writes.
    #[must_use]
    pub const fn completed(&self) -> u64 {
        self.reads.count() + self.writes.count()
    }

    /// Mean number in flight over a window of `span_ns`.
    #[must_use]
    pub fn mean_in_flight(&self, span_ns: u64) -> f64 {
        if span_ns == 0 { 0.0 } else { to_f64(self.in_flight_ns) / to_f64(span_ns) }
    }
}

/// Both classes of one visit as one worker sees them, with the gauge of what is in flight.
#[derive(Clone, Debug)]
pub struct Tally {
    window: Window,
    classes: [Option<ClassTally>; 2],
    in_flight: [u64; 2],
    looked_ns: u64,
}

impl Tally {
    /// A tally for a window; a class that is idle in the point has no tally. Nothing is in flight at `now_ns`.
    #[must_use]
    pub const fn new(
        window: Window,
        small: Option<ClassTally>,
        large: Option<ClassTally>,
        now_ns: u64,
    ) -> Self {
        Self { window, classes: [small, large], in_flight: [0; 2], looked_ns: now_ns }
    }

    /// The window that counts.
    #[must_use]
    pub const fn window(&self) -> Window {
        self.window
    }

    /// Ends the window early, never later.
    pub fn shorten(&mut self, end_ns: u64) {
        self.window.end_ns = self.window.end_ns.min(end_ns.max(self.window.start_ns));
    }

    /// `count` I/Os of a class were submitted at the last [`Tally::look`].
    #[inline]
    pub const fn submitted(&mut self, class: Class, count: u64) {
        self.in_flight[class.index()] += count;
    }

    /// Accounts for the time since the last look, during which the number in flight did not change.
    #[inline]
    pub fn look(&mut self, now_ns: u64) {
        let span = self.window.clip(now_ns) - self.window.clip(self.looked_ns);
        self.looked_ns = now_ns;
        if span > 0 {
            for (tally, in_flight) in self.classes.iter_mut().zip(self.in_flight) {
                if let Some(tally) = tally {
                    tally.in_flight_ns += in_flight * span;
                }
            }
        }
    }

    /// One I/O succeeded; `now_ns` is the time of the last look.
    #[inline]
    pub fn completed(&mut self, class: Class, direction: Direction, latency_ns: u64, now_ns: u64) {
        self.in_flight[class.index()] -= 1;
        if !self.window.holds(now_ns) {
            return;
        }
        if let Some(tally) = &mut self.classes[class.index()] {
            match direction {
                Direction::Read => tally.reads.record(latency_ns),
                Direction::Write => tally.writes.record(latency_ns),
            }
            tally.series.record(now_ns - self.window.start_ns, latency_ns);
        }
    }

    /// One I/O failed. It counts wherever in the visit it happened: a number beside which something failed needs care.
    #[cold]
    pub fn failed(&mut self, class: Class, error: FirstError) {
        self.in_flight[class.index()] -= 1;
        if let Some(tally) = &mut self.classes[class.index()] {
            tally.errors += 1;
            tally.first_error.get_or_insert(error);
        }
    }

    /// I/Os in flight now, both classes.
    #[must_use]
    pub const fn in_flight(&self) -> u64 {
        self.in_flight[0] + self.in_flight[1]
    }

    /// The finished tallies, small and large.
    #[must_use]
    pub fn finish(self) -> [Option<ClassTally>; 2] {
        let span = self.window.span_ns();
        let mut classes = self.classes;
        classes.iter_mut().flatten().for_each(|tally| tally.series.truncate(span));
        classes
    }
}

/// Adds up the tallies of all workers of one visit.
#[must_use]
pub fn merge(workers: Vec<[Option<ClassTally>; 2]>) -> [Option<ClassTally>; 2] {
    workers.into_iter().fold([None, None], |sum, worker| {
        let [small, large] = sum;
        let [more_small, more_large] = worker;
        [merge_class(small, more_small), merge_class(large, more_large)]
    })
}

fn merge_class(sum: Option<ClassTally>, more: Option<ClassTally>) -> Option<ClassTally> {
    match (sum, more) {
        (Some(mut sum), Some(more)) => {
            sum.add(&more);
            Some(sum)
        }
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: Window = Window { start_ns: 1000, end_ns: 2000 };

    fn tally() -> Tally {
        Tally::new(WINDOW, Some(ClassTally::new(8192, 2, WINDOW.span_ns())), None, 0)
    }

    #[test]
    fn only_the_window_counts() {
        let mut tally = tally();
        tally.submitted(Class::Small, 2);
        tally.look(900);
        tally.completed(Class::Small, Direction::Read, 900, 900);
        tally.submitted(Class::Small, 1);
        tally.look(1500);
        tally.completed(Class::Small, Direction::Read, 600, 1500);
        tally.look(2500);
        tally.completed(Class::Small, Direction::Write, 1000, 2500);
        let [small, large] = tally.finish();
        let small = small.unwrap();
        assert!(large.is_none());
        assert_eq!((small.reads.count(), small.writes.count()), (1, 0));
        // Two in flight from 1000 to 1500, then one to 2000.
        assert_eq!(small.in_flight_ns, 2 * 500 + 500);
        assert!((small.mean_in_flight(1000) - 1.5).abs() < 1e-12);
    }

    #[test]
    fn a_failure_outside_the_window_counts() {
        let mut tally = tally();
        let error = FirstError { errno: 5, target: 0, offset: 8192, direction: Direction::Read };
        tally.submitted(Class::Small, 2);
        tally.look(500);
        tally.failed(Class::Small, error);
        tally.look(1500);
        tally.failed(Class::Small, FirstError { errno: 6, ..error });
        assert_eq!(tally.in_flight(), 0);
        let small = tally.finish()[0].take().unwrap();
        assert_eq!((small.errors, small.first_error), (2, Some(error)));
    }

    #[test]
    fn a_shortened_window_never_ends_before_it_began() {
        let mut tally = tally();
        tally.shorten(500);
        assert_eq!(tally.window(), Window { start_ns: 1000, end_ns: 1000 });
    }
}
