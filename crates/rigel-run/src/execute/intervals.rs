//! The lines of intervals: what a record keeps of the parts of a visit, of which there may be thousands.
//!
//! Counts by target are the larger the more targets there are, so with many they stand in some lines only, for all intervals since the last
//! such line. Must not keep anything itself.

use crate::job::Part;
use rigel_core::load::class::PerClass;
use rigel_core::measure::{ByTarget, ClassTally};
use rigel_core::record::Interval;

/// Up to this many targets every line has their counts; with more, only every n-th line has them.
const TARGETS_OF_A_LINE: usize = 16;
/// A run through a failure shows when nothing completed: an interval is divided into this many parts.
const PARTS_OF_AN_INTERVAL: u64 = 50;
/// Any other one shows slow spells that are shorter than an interval.
const PARTS_OF_A_SOAK: u64 = 20;

/// What the lines of a visit leave for later ones.
#[derive(Debug)]
pub struct IntervalRemainder {
    /// One line in this many has counts by target.
    every: usize,
    lines: usize,
    waiting: PerClass<ByTarget>,
    /// Latencies as they are, and completions by finer parts of the interval.
    is_fine: bool,
    /// Time between two lines.
    every_ns: u64,
}

impl IntervalRemainder {
    /// For a visit to this many targets with a line that often. `is_fine`: its lines show exact latencies.
    pub fn of(targets: usize, is_fine: bool, every_ns: u64) -> Self {
        let every = targets.div_ceil(TARGETS_OF_A_LINE).max(1);
        Self { every, lines: 0, waiting: PerClass::new(), is_fine, every_ns }
    }

    /// The line of a part.
    pub fn interval(&mut self, visit: u64, part: Part) -> Interval {
        let Part { window, tallies, governed } = part;
        let measured_ns = window.span_ns();
        self.lines += 1;
        let is_due = self.lines.is_multiple_of(self.every);
        let (is_fine, part_ns) = (self.is_fine, self.every_ns / PARTS_OF_A_SOAK);
        let mut thin = |(class, tally): (_, ClassTally)| {
            let mut thin = if is_fine { fine(tally, measured_ns) } else { tally.summed(part_ns) };
            if let Some(counts) = thin.by_target.take() {
                self.waiting.entry(class).or_default().add(&counts);
            }
            thin.by_target = if is_due { self.waiting.remove(&class).map(Box::new) } else { None };
            (class, thin)
        };
        let tallies = tallies.into_iter().map(&mut thin).collect();
        Interval { visit, began_ns: window.start_ns, measured_ns, tallies, governed }
    }
}

/// A tally whose series has parts of its interval.
fn fine(mut tally: ClassTally, span_ns: u64) -> ClassTally {
    tally.series = tally.series.widened(span_ns / PARTS_OF_AN_INTERVAL);
    tally.reads.trim();
    tally.writes.trim();
    tally
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigel_core::load::class::Class;
    use rigel_core::measure::Window;

    /// The counts by target of lines of parts in each of which every target does one I/O.
    fn told(targets: usize, parts: u64) -> Vec<Option<u64>> {
        let mut kept = IntervalRemainder::of(targets, false, 1000);
        let line = |number: u64| {
            let mut counts = ByTarget::new(targets);
            (0..targets).for_each(|target| counts.completed(u16::try_from(target).unwrap(), 7));
            let tally = ClassTally { by_target: Some(Box::new(counts)), ..ClassTally::new(8192, 1, 1000) };
            let window = Window { start_ns: number * 1000, end_ns: number * 1000 + 1000 };
            let tallies = PerClass::from([(Class::SMALL, tally)]);
            let line = kept.interval(3, Part { window, tallies, governed: None });
            assert_eq!((line.visit, line.began_ns, line.measured_ns), (3, number * 1000, 1000));
            line.tallies[&Class::SMALL].by_target.as_ref().map(|counts| counts.ops[targets - 1])
        };
        (0..parts).map(line).collect()
    }

    #[test]
    fn few_targets_stand_in_every_line_and_many_in_some_with_all_that_was_left_out() {
        assert_eq!(told(2, 3), [Some(1); 3]);
        assert_eq!(told(16, 2), [Some(1); 2]);
        assert_eq!(told(40, 7), [None, None, Some(3), None, None, Some(3), None]);
        assert_eq!(told(400, 25).iter().flatten().collect::<Vec<_>>(), [&25]);
    }
}
