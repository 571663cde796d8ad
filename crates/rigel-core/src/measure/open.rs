//! What is known about an open loop besides its latencies: what arrived, what the device took, how late the tool was.
//!
//! The latencies of the class count from the time at which an operation should have begun. Must not judge.

use super::Histogram;
use crate::stats::detect::overload::Growth;
use crate::units::to_f64;
use serde::{Deserialize, Serialize};

/// Operations that had arrived and were not complete at a moment of the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Backlog {
    /// From the start of the window.
    pub at_ns: u64,
    /// Operations in flight, and those that wait for a slot.
    pub count: u64,
}

/// One class of an open loop in a window.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OpenTally {
    /// The squared coefficient of variation of the times between arrivals: 0 even, 1 Poisson.
    pub spread: f64,
    /// Operations that were due in the window.
    pub arrived: u64,
    /// Of those that began in the window, those that had to wait for a slot.
    pub waited: u64,
    /// Arrivals without a slot when the window ended.
    pub left: u64,
    /// What was open at the start, in the middle and at the end of the window, or of each part of it.
    pub backlog: Vec<Backlog>,
    /// Time from the real start to the end, for the successful operations that were due in the window: the time of the device.
    pub service: Histogram,
    /// How late each of them began although it had a slot: the lag of the tool itself.
    pub lag: Histogram,
}

impl OpenTally {
    /// Adds another worker's tally of the same window.
    pub(super) fn add(&mut self, other: &Self) {
        self.add_counts(other);
        self.left = self.left.saturating_add(other.left);
        // Workers look at the same moments; one that was idle looked at none.
        for theirs in &other.backlog {
            match self.backlog.iter_mut().find(|mine| mine.at_ns == theirs.at_ns) {
                Some(mine) => mine.count = mine.count.saturating_add(theirs.count),
                None => self.backlog.push(*theirs),
            }
        }
        self.backlog.sort_by_key(|backlog| backlog.at_ns);
    }

    /// Adds a part of its own window that begins `offset_ns` after the start, in order.
    pub(super) fn place(&mut self, part: &Self, offset_ns: u64) {
        self.add_counts(part);
        self.left = part.left;
        let moved = |one: &Backlog| Backlog { at_ns: one.at_ns.saturating_add(offset_ns), ..*one };
        self.backlog.extend(part.backlog.iter().map(moved));
    }

    fn add_counts(&mut self, other: &Self) {
        self.spread = self.spread.max(other.spread);
        self.arrived = self.arrived.saturating_add(other.arrived);
        self.waited = self.waited.saturating_add(other.waited);
        self.service.add(&other.service);
        self.lag.add(&other.lag);
    }

    /// The same with latencies to 13 %.
    pub(super) fn coarse(&self) -> Self {
        Self { service: self.service.coarse(), lag: self.lag.coarse(), ..self.clone() }
    }

    pub(super) fn trim(&mut self) {
        self.service.trim();
        self.lag.trim();
    }

    /// Adds the growth of the backlog.
    pub fn add_growth(&self, to: &mut Growth) {
        if let Some([start, _, end]) = self.course() {
            to.add(to_f64(self.arrived), to_f64(end.count) - to_f64(start.count), self.spread);
        }
    }

    /// What was open at the start, nearest to the middle, and at the end.
    pub fn course(&self) -> Option<[Backlog; 3]> {
        let (first, last) = (*self.backlog.first()?, *self.backlog.last()?);
        let middle_ns = u64::midpoint(first.at_ns, last.at_ns);
        let middle = self.backlog.iter().min_by_key(|one| one.at_ns.abs_diff(middle_ns))?;
        Some([first, *middle, last])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(backlog: [(u64, u64); 3], left: u64) -> OpenTally {
        let backlog = backlog.map(|(at_ns, count)| Backlog { at_ns, count }).to_vec();
        OpenTally { arrived: 10, waited: 1, left, backlog, ..OpenTally::default() }
    }

    #[test]
    fn workers_add_up_and_parts_follow() {
        let mut both = tally([(0, 1), (50, 2), (100, 3)], 4);
        both.add(&tally([(0, 10), (50, 20), (100, 30)], 5));
        assert_eq!((both.arrived, both.waited, both.left), (20, 2, 9));
        assert_eq!(both.course().unwrap().map(|one| one.count), [11, 22, 33]);
        let mut whole = OpenTally::default();
        whole.place(&tally([(0, 1), (50, 2), (100, 3)], 4), 0);
        whole.place(&tally([(0, 3), (50, 8), (100, 9)], 7), 100);
        assert_eq!((whole.arrived, whole.left), (20, 7));
        assert_eq!(whole.course().unwrap().map(|one| one.count), [1, 3, 9]);
        assert_eq!(OpenTally::default().course(), None);
    }

    #[test]
    fn a_backlog_that_grows_is_growth_and_one_that_shrinks_is_none() {
        let growth = |backlog| {
            let mut growth = Growth::default();
            tally(backlog, 0).add_growth(&mut growth);
            (growth.arrived, growth.grown)
        };
        assert_eq!(growth([(0, 2), (50, 5), (100, 9)]), (10.0, 7.0));
        assert_eq!(growth([(0, 9), (50, 5), (100, 2)]), (10.0, -7.0));
    }
}
