//! Events of a run under way: plain data for a progress bar, a log or a live view.
//!
//! Listeners may drop events; no event may slow a worker. Must not format anything.

use crate::facts::DriveLook;
use crate::load::class::{Class, PerClass};
use crate::load::matrix::Point;
use crate::load::plan::Plan;
use crate::record::{Header, Interval, Mark, Purpose, Visit};
use crate::stats::forecast::TimeRange;

/// Live figures of the point being measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LiveFigures {
    /// Operations per second of each class since the last tick; empty at the first tick of a visit, and in a rest.
    pub per_s: PerClass<f64>,
    /// Mean latency of those of them that arrive at a rate, in microseconds, from the time at which each should have begun; no
    /// entry where none completed. That of a closed loop follows from its rate.
    pub latency_us: PerClass<f64>,
}

/// What the run is doing now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// Unmeasured random large I/O.
    WarmUp,
    /// Settling or measuring.
    Measure,
    /// Waiting: the next point needs its rest.
    Rest,
}

/// Which visit is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisitPosition {
    /// Index of the step; of a visit of the search, its number there.
    pub step: usize,
    /// The point.
    pub point: Point,
    /// Why it is visited.
    pub purpose: Purpose,
}

/// The level that saturates a class, as far as its search shows: what comes after it may still move it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Saturation {
    /// The smallest level that has nearly the highest rate.
    pub level: u32,
    /// Whether larger levels were seen to gain nothing. Otherwise the rate may still rise.
    pub is_reached: bool,
}

/// Something happened.
#[derive(Clone, Debug)]
pub enum Event<'a> {
    /// The first line is on disk.
    Begun {
        /// That line.
        header: &'a Header,
    },
    /// A visit begins.
    VisitStarted {
        /// Which.
        at: VisitPosition,
    },
    /// A few times a second.
    Tick {
        /// Which visit; while resting, the one before.
        at: VisitPosition,
        /// What the run does.
        activity: Activity,
        /// Nanoseconds since the start of the run.
        elapsed_ns: u64,
        /// What is left.
        left: TimeRange,
        /// Rates.
        live: LiveFigures,
    },
    /// A visit was made and its line is on disk.
    VisitFinished {
        /// What was measured.
        visit: &'a Visit,
    },
    /// An interval of a visit is over and its line is on disk.
    IntervalKept {
        /// What was measured.
        interval: &'a Interval,
    },
    /// The drives below the targets were asked what they say about themselves, and the line is on disk.
    DrivesAsked {
        /// What they said.
        look: &'a DriveLook,
    },
    /// A person or the host said something, and the line is on disk.
    MarkKept {
        /// What.
        mark: &'a Mark,
    },
    /// The search found what saturates a class.
    LevelFound {
        /// Which class.
        class: Class,
        /// The smallest level that does; `None` when nothing completed.
        n_sat: Option<Saturation>,
    },
    /// The points are known, after the search for levels.
    Planned {
        /// The plan with them.
        plan: &'a Plan,
    },
    /// All visits of a phase so far were examined.
    Looked {
        /// Points whose intervals are narrow enough.
        done: usize,
        /// Points of the phase.
        points: usize,
        /// Half the width of the widest interval relative to its mean; infinite when one has none.
        widest: f64,
    },
    /// The visits so far tell more of how long the run takes.
    Forecast {
        /// When it will be over, on the clock of the run.
        ends: TimeRange,
    },
}
