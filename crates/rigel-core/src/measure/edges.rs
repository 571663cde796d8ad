//! What crosses the ends of a window, and the time that I/Os took inside it.
//!
//! Must not know when a window is.

use serde::{Deserialize, Serialize};

/// I/Os that began on one side of an end of the window and ended on the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edges {
    /// Successful I/Os that began before the window and ended in it: in the rate, but in no histogram.
    pub carried: u64,
    /// Successful I/Os that began in the window and ended after it: in the histograms, but not in the rate.
    pub beyond: u64,
    /// The longest successful I/O that is in no histogram because it began before the window.
    pub longest_before_ns: u64,
    /// Time inside the window of the successful I/Os that began before it, in I/O-nanoseconds; not in records of earlier versions.
    #[serde(default)]
    pub carried_ns: u64,
    /// Time after the window of the successful I/Os that began in it, in I/O-nanoseconds; not in records of earlier versions.
    #[serde(default)]
    pub beyond_ns: u64,
}

/// Time that successful I/Os took inside a window, in I/O-nanoseconds: the quantity in Little's law.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Occupancy {
    /// The known part.
    pub time_ns: u64,
    /// The largest error, because I/Os crossed the ends of the window; usually 0.
    pub doubt_ns: u64,
}

impl Occupancy {
    /// Adds another window.
    pub fn add(&mut self, other: Self) {
        self.time_ns = self.time_ns.saturating_add(other.time_ns);
        self.doubt_ns = self.doubt_ns.saturating_add(other.doubt_ns);
    }
}

impl Edges {
    /// Adds another part of the window, or another worker.
    pub(super) fn add(&mut self, other: Self) {
        self.carried = self.carried.saturating_add(other.carried);
        self.beyond = self.beyond.saturating_add(other.beyond);
        self.longest_before_ns = self.longest_before_ns.max(other.longest_before_ns);
        self.carried_ns = self.carried_ns.saturating_add(other.carried_ns);
        self.beyond_ns = self.beyond_ns.saturating_add(other.beyond_ns);
    }

    /// Whether it knows how long the I/Os that crossed an end of the window lay on either side of it.
    pub(super) const fn has_times(self) -> bool {
        self.carried_ns > 0 || self.beyond_ns > 0
    }
}
