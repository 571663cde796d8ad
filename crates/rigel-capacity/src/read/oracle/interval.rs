//! The interval of a mean, whose begin and end are local times: in the hour that comes twice each of them may be one of two.
//!
//! Rows of one statistic follow those of another, in any order of time, so that each is judged by its own. Must not read a row.

use super::WrittenTime;
use crate::Span;
use crate::when::moments;
use jiff::tz::TimeZone;

/// The intervals of one statistic until now.
#[derive(Debug, Default)]
pub struct Intervals {
    last: Option<Span>,
    /// Whether the newest rows come first.
    is_backward: bool,
}

impl Intervals {
    /// The interval from one time to another: among the possible ones the one that is as long as the previous
    /// interval, and adjacent to it. `None` if none of them is positive.
    pub fn next(&mut self, begin: WrittenTime, end: WrittenTime, zone: Option<&TimeZone>) -> Option<Span> {
        let of = |told: WrittenTime| match (told, zone) {
            (WrittenTime::At(at_ms), _) => vec![at_ms],
            (WrittenTime::Local(local), Some(zone)) => moments(zone, local),
            (WrittenTime::Local(_), None) => Vec::new(),
        };
        let (begins, ends) = (of(begin), of(end));
        let pairs = begins.iter().flat_map(|begin| ends.iter().map(move |end| (*begin, *end)));
        let possible = pairs.filter_map(|(begin, end)| Span::between(begin, end));
        let usual = self.last.map_or(0, |last| last.length_ms);
        // How far a span is from being the next one.
        let off = |span: &Span| match self.last {
            Some(last) if last.end_ms() == span.start_ms => u8::from(self.is_backward),
            Some(last) if span.end_ms() == last.start_ms => u8::from(!self.is_backward),
            _ => 2,
        };
        let found = possible.min_by_key(|span| (span.length_ms.abs_diff(usual), off(span), span.start_ms))?;
        self.is_backward = self.last.is_some_and(|last| found.start_ms < last.start_ms);
        Some(*self.last.insert(found))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::when::local;

    /// Hours and half hours of the night in which the clock of Berlin goes from 3 back to 2, forward and backward.
    #[test]
    fn the_hour_that_comes_twice_is_two_hours_in_either_order() {
        let zone = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
        let hours = ["01:00:00", "02:00:00", "02:00:00", "03:00:00", "04:00:00"];
        let halves =
            ["01:00:00", "01:30:00", "02:00:00", "02:30:00", "02:00:00", "02:30:00", "03:00:00", "03:30:00"];
        for (times, minutes) in [(&hours[..], 60), (&halves[..], 30)] {
            let told = |at: usize| WrittenTime::Local(local("2026-10-25", times[at]).unwrap());
            let starts = |order: &mut dyn Iterator<Item = usize>| {
                let mut intervals = Intervals::default();
                let mut found: Vec<i64> = order
                    .map(|at| intervals.next(told(at), told(at + 1), Some(&zone)).unwrap())
                    .inspect(|span| assert_eq!(span.length_ms, minutes * 60_000))
                    .map(|span| span.start_ms)
                    .collect();
                found.sort_unstable();
                found
            };
            let last = times.len() - 1;
            let forward = starts(&mut (0..last));
            assert!(forward.windows(2).all(|two| two[1] - two[0] == i64::from(minutes) * 60_000));
            assert_eq!(starts(&mut (0..last).rev()), forward);
        }
    }
}
