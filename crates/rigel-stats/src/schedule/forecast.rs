//! When an adaptive run will end: its schedule is simulated, once for the best case and once for a bad one.
//!
//! Rests, long visits, phases and time limits are thereby those of the schedule itself. Must not change the schedule.

use super::{Next, Schedule};
use crate::forecast::{TimeRange, VisitsNeeded};
use std::collections::BTreeMap;

/// What the visits of the phase so far report on those that it still needs. The default knows nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outlook {
    /// For each point of the phase.
    pub needed: BTreeMap<usize, VisitsNeeded>,
    /// Whether the visits are long enough, as far as they show; otherwise longer ones follow, further apart.
    pub is_steady: bool,
}

/// Visits take a little longer than planned: I/Os in flight have to come back.
const DRAINING: u64 = 50;

impl Schedule {
    /// When the run ends if it continues from `now_ns`, as a range.
    ///
    /// Few visits look alike by luck, and a device may be steady for a while only. So the upper end keeps a part of the
    /// worst that may come, which shrinks with every round.
    pub fn forecast(&self, now_ns: u64, outlook: &Outlook) -> TimeRange {
        let least_ns = self.clone().best_end_ns(now_ns, outlook);
        let seems_ns = self.clone().worst_end_ns(now_ns, outlook).max(least_ns);
        let worst_ns = self.clone().worst_end_ns(now_ns, &Outlook::default());
        let doubt_ns = worst_ns.saturating_sub(seems_ns).saturating_mul(2) / (2 + u64::from(self.rounds));
        let most_ns = seems_ns.saturating_add(doubt_ns);
        TimeRange { least_ns, most_ns: most_ns.saturating_add(most_ns.saturating_sub(now_ns) / DRAINING) }
    }

    /// Every point is done as soon as it can be.
    fn best_end_ns(mut self, mut now_ns: u64, outlook: &Outlook) -> u64 {
        let phase = self.phase;
        while self.goes_on(&mut now_ns) {
            let made = self.visits.clone();
            let is_known = self.phase == phase;
            self.looked(|point| {
                let needed = outlook.needed.get(&point).filter(|_| is_known);
                needed.is_none_or(|needed| made.get(&point).copied().unwrap_or(0) >= needed.least)
            });
        }
        now_ns
    }

    /// Every point needs all that it may need. Unless the phase is steady, visits are too short again and again, and the
    /// rests as well; no phase that has not begun is steady.
    fn worst_end_ns(mut self, mut now_ns: u64, outlook: &Outlook) -> u64 {
        let phase = self.phase;
        let mut lengthened_at = 0;
        while self.goes_on(&mut now_ns) {
            let made = self.visits.clone();
            let is_known = self.phase == phase;
            self.looked(|point| {
                let needed = outlook.needed.get(&point).filter(|_| is_known);
                needed.is_some_and(|needed| made.get(&point).copied().unwrap_or(0) >= needed.most)
            });
            if is_known && outlook.is_steady {
                continue;
            }
            self.double_gap();
            if self.rounds >= lengthened_at + self.parameters().first_look(self.size())
                || self.rounds < lengthened_at
            {
                lengthened_at = self.rounds;
                self.lengthen(self.parameters().settle_ns.saturating_add(self.measure_ns));
            }
        }
        now_ns
    }

    /// Carries out visits and rests up to the next look; false when the run is over.
    fn goes_on(&mut self, now_ns: &mut u64) -> bool {
        loop {
            match self.next(*now_ns) {
                Next::Visit(order) => {
                    let visit_ns = self.parameters().settle_ns.saturating_add(order.measure_ns);
                    *now_ns = now_ns.saturating_add(visit_ns);
                    // A point that was never visited is as fast as it need be.
                    let rate = self.slowest_rates.get(&order.point).copied().unwrap_or(f64::INFINITY);
                    self.finished(*now_ns, rate);
                }
                Next::Wait(ns) => *now_ns = now_ns.saturating_add(ns),
                Next::Look => return true,
                Next::Done(_) => return false,
            }
        }
    }
}
