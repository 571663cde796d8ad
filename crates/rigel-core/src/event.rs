//! What a run tells while it goes on: plain data for a progress bar, a log or a live view.
//!
//! Listeners may drop events; no event may slow a worker. Must not format anything.

use crate::matrix::Point;
use crate::record::Visit;

/// Live figures of the point being measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Live {
    /// Small I/Os per second since the last tick.
    pub small_iops: f64,
    /// Large megabytes per second since the last tick.
    pub large_mbps: f64,
}

/// What the run does at this moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Unmeasured random large I/O.
    WarmUp,
    /// Settling or measuring.
    Measure,
}

/// Something happened.
#[derive(Clone, Debug)]
pub enum Event<'a> {
    /// A step begins.
    StepStarted {
        /// Index of the step.
        step: usize,
        /// Its point.
        point: Point,
    },
    /// A few times a second.
    Tick {
        /// Index of the step.
        step: usize,
        /// What it does.
        phase: Phase,
        /// Nanoseconds since the start of the run.
        elapsed_ns: u64,
        /// Nanoseconds that the rest is planned to take.
        remaining_ns: u64,
        /// Rates.
        live: Live,
    },
    /// A step is measured and its line is on disk.
    StepFinished {
        /// What was measured.
        visit: &'a Visit,
    },
}
