//! The figures that only an open loop has.
//!
//! Must not judge them; [`super::flagging`] does.

use super::LatencyUs;
use crate::measure::{Histogram, OpenTally};
use crate::units;

/// What arrived at a point, summed over its visits, and what became of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OpenFindings {
    /// Length of the windows.
    pub window_ns: u64,
    /// Operations whose time came in a window.
    pub arrived: u64,
    /// Of those that began in a window, those that had to wait for a slot.
    pub waited: u64,
    /// Arrivals that had no slot at the end of a window.
    pub left: u64,
    /// What had arrived and was not over at the start, in the middle and at the end of the windows.
    pub backlog: [u64; 3],
    /// From the real start to the end: what the device took.
    pub service: Histogram,
    /// From the moment at which an operation should have begun, and had a slot, to the moment at which it did.
    pub lag: Histogram,
}

impl OpenFindings {
    pub(super) fn add(&mut self, tally: &OpenTally, window_ns: u64) {
        self.window_ns = self.window_ns.saturating_add(window_ns);
        self.arrived = self.arrived.saturating_add(tally.arrived);
        self.waited = self.waited.saturating_add(tally.waited);
        self.left = self.left.saturating_add(tally.left);
        let course = tally.course().map_or([0; 3], |course| course.map(|one| one.count));
        for (sum, more) in self.backlog.iter_mut().zip(course) {
            *sum = sum.saturating_add(more);
        }
        self.service.add(&tally.service);
        self.lag.add(&tally.lag);
    }

    /// What arrived per second.
    pub fn arrived_per_s(&self) -> f64 {
        units::iops(self.arrived, self.window_ns)
    }

    /// Service times in microseconds; `None` when nothing completed.
    pub fn service_us(&self) -> Option<LatencyUs> {
        LatencyUs::of(&self.service)
    }

    /// Lags in microseconds.
    pub fn lag_us(&self) -> Option<LatencyUs> {
        LatencyUs::of(&self.lag)
    }
}
