//! The figures that only an open loop has.
//!
//! Must not judge them; [`super::flagging`] does.

use super::latency::LatencyUs;
use crate::measure::{Histogram, OpenTally};
use crate::units::{self, to_f64};

/// What arrived at a point, summed over its visits, and how it was served.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OpenFindings {
    /// Length of the windows.
    pub window_ns: u64,
    /// Operations that were due in a window.
    pub arrived: u64,
    /// Of those that began in a window, those that had to wait for a slot.
    pub waited: u64,
    /// Arrivals that had no slot at the end of a window.
    pub left: u64,
    /// What had arrived and was not over at the start, in the middle and at the end of the windows.
    pub backlog: [u64; 3],
    /// From the real start to the end: the time of the device.
    pub service: Histogram,
    /// From the moment at which an operation was due and had a slot to its real start.
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

    /// The share of the arrivals that had to wait for a slot, or still did at the end. If the backlog grows, what began is no measure:
    /// the longer the queue, the fewer of the waiting get a slot.
    pub fn waited_share(&self) -> f64 {
        let waited = self.waited.saturating_add(self.left);
        (to_f64(waited) / to_f64(self.arrived.max(1))).min(1.0)
    }

    /// Arrivals per second.
    pub fn arrived_per_s(&self) -> f64 {
        units::iops(self.arrived, self.window_ns)
    }

    /// Service times in microseconds; `None` if nothing completed.
    pub fn service_us(&self) -> Option<LatencyUs> {
        LatencyUs::of(&self.service)
    }

    /// Lags in microseconds.
    pub fn lag_us(&self) -> Option<LatencyUs> {
        LatencyUs::of(&self.lag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_still_waits_has_waited_as_well() {
        let found = |waited, left| OpenFindings { arrived: 1000, waited, left, ..OpenFindings::default() };
        assert!((found(30, 0).waited_share() - 0.03).abs() < 1e-9);
        assert!((found(30, 900).waited_share() - 0.93).abs() < 1e-9, "few of a long queue get a slot");
        assert!((found(990, 900).waited_share() - 1.0).abs() < 1e-9, "some arrived before the window");
        assert!(OpenFindings::default().waited_share().abs() < 1e-9);
    }
}
