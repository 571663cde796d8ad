//! How much of a class is in flight over a window.
//!
//! Must not know latencies.

/// How many I/Os of a class are in flight, and for how long. Kept small, because the loop visits every gauge for every batch.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Gauge {
    pub(super) in_flight: u64,
    /// Integral over the window, in I/O-nanoseconds.
    pub(super) in_flight_ns: u64,
}

impl Gauge {
    #[inline]
    pub(super) const fn pass(&mut self, span_ns: u64) {
        self.in_flight_ns += self.in_flight * span_ns;
    }
}
