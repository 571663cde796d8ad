//! Counters that only grow, and which of their readings make a rate.
//!
//! A counter that fell was set to 0 in between (a reboot, a reset of statistics): how much was counted in that interval is unknown, so it is left
//! out. So is an interval that is much longer than usual, because nothing was sampled. Must not know formats.

use super::span::Span;

/// An interval longer than this many usual ones is a gap.
const GAP: i64 = 3;

/// The result of a reading.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// The first reading, or one of the same moment.
    Begin,
    /// Growth per second over an interval.
    Rate(Span, f64),
    /// The counter fell.
    Reset,
    /// No reading for a long time.
    Gap,
    /// Time went backwards: the readings are out of order.
    Backwards,
}

/// A counter between two readings.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counter {
    last: Option<(i64, f64)>,
    usual_ms: Option<i64>,
    is_exact: bool,
}

impl Counter {
    /// A counter with intervals of any length, for when another source reports what happened in between.
    pub fn exact() -> Self {
        Self { is_exact: true, ..Self::default() }
    }

    /// Takes a reading.
    pub fn read(&mut self, at_ms: i64, value: f64) -> Step {
        let Some((before_ms, before)) = self.last else {
            self.last = Some((at_ms, value));
            return Step::Begin;
        };
        if at_ms < before_ms {
            return Step::Backwards;
        }
        let Some(span) = Span::between(before_ms, at_ms) else {
            self.last = Some((at_ms, value));
            return if at_ms == before_ms { Step::Begin } else { Step::Gap };
        };
        let length = i64::from(span.length_ms);
        let usual = self.usual_ms.map_or(length, |usual| usual.min(length));
        self.last = Some((at_ms, value));
        self.usual_ms = Some(usual);
        if value < before {
            return Step::Reset;
        }
        if length > usual * GAP && !self.is_exact {
            return Step::Gap;
        }
        Step::Rate(span, (value - before) / (f64::from(span.length_ms) / 1_000.0))
    }

    /// Forgets the last reading: the next begins again, as after a reboot that another source reported.
    pub const fn forget(&mut self) {
        self.last = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_a_rate_and_a_fall_or_a_gap_is_none() {
        let mut counter = Counter::default();
        assert_eq!(counter.read(0, 100.0), Step::Begin);
        let span = Span { start_ms: 0, length_ms: 5_000 };
        assert_eq!(counter.read(5_000, 150.0), Step::Rate(span, 10.0));
        assert_eq!(counter.read(10_000, 3.0), Step::Reset, "a reboot");
        assert!(matches!(counter.read(15_000, 8.0), Step::Rate(_, rate) if (rate - 1.0).abs() < 1e-9));
        assert_eq!(counter.read(35_000, 9.0), Step::Gap);
        assert_eq!(counter.read(34_000, 9.0), Step::Backwards);
        assert!(matches!(counter.read(40_000, 9.0), Step::Rate(_, rate) if rate == 0.0));
    }
}
