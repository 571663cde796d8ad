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
    /// Operations per second of each class since the last tick; empty at the first tick of a visit, and while resting.
    pub per_s: PerClass<f64>,
    /// Mean latency in microseconds, from the intended start, of the classes that arrive at a rate and completed something.
    /// That of a closed loop follows from its rate.
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
    /// Index of the step; for a visit of the search, its number in the search.
    pub step: usize,
    /// The point.
    pub point: Point,
    /// Why it is visited.
    pub purpose: Purpose,
}

/// The level that saturates a class, as far as its search shows: later visits may still move it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Saturation {
    /// The smallest level that has nearly the highest rate.
    pub level: u32,
    /// Whether larger levels gained nothing. If not, the rate may still rise.
    pub is_reached: bool,
}

/// Something happened.
#[derive(Clone, Debug)]
pub enum Event<'a> {
    /// The header is on disk.
    Begun {
        /// The header.
        header: &'a Header,
    },
    /// A visit begins.
    VisitStarted {
        /// The visit.
        at: VisitPosition,
    },
    /// A few times a second.
    Tick {
        /// The visit; while resting, the previous one.
        at: VisitPosition,
        /// What the run is doing.
        activity: Activity,
        /// Nanoseconds since the start of the run.
        elapsed_ns: u64,
        /// The remaining time.
        left: TimeRange,
        /// Rates since the last tick.
        live: LiveFigures,
    },
    /// A visit is over and its line is on disk.
    VisitFinished {
        /// What was measured.
        visit: &'a Visit,
    },
    /// An interval of a visit is over and its line is on disk.
    IntervalKept {
        /// What was measured in it.
        interval: &'a Interval,
    },
    /// The drives below the targets were queried, and the line is on disk.
    DrivesAsked {
        /// Their answers.
        look: &'a DriveLook,
    },
    /// A person or the host marked a moment, and the line is on disk.
    MarkKept {
        /// The mark.
        mark: &'a Mark,
    },
    /// The search found the level that saturates a class.
    LevelFound {
        /// The class.
        class: Class,
        /// The smallest level that saturates it; `None` if nothing completed.
        n_sat: Option<Saturation>,
    },
    /// The points are known, after the search for levels.
    Planned {
        /// The plan, now with its points.
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
    /// The forecast of the remaining time changed.
    Forecast {
        /// When the run will be over, on its own clock.
        ends: TimeRange,
    },
}
