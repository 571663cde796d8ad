//! The request of a calibration that only reads, for callers without a command line: a database that calibrates from within.
//!
//! Must not differ from what `rigel calibrate --no-commits` asks for; a test of the arguments compares the two.

use crate::load::class::Pattern;
use crate::load::commits::NoCommits;
use crate::load::matrix::RunLevel;
use crate::load::pace::Adaptive;
use crate::load::request::{CacheWarmUp, DEFAULT_STREAM_IOS, Request};
use crate::load::task::Task;
use crate::stats::bound::LatencyBound;
use crate::units::Nanos;

impl Request {
    /// A calibration within a latency limit of small I/O, whose visits all begin within `budget`. Its seed is 0 until one is drawn.
    pub fn calibration(bound: LatencyBound, budget: Nanos) -> Self {
        let pace = Adaptive { max_duration: Some(budget), fast: true, ..Adaptive::default() };
        let mut request = Self {
            name: "calibration".into(),
            cache: CacheWarmUp::Off,
            task: Task::Calibrate { bound, no_commits: Some(NoCommits::LeftOut), pace },
            ..Self::new(RunLevel::Simple)
        };
        request.set_large(Pattern::Streams { ios_per_stream: DEFAULT_STREAM_IOS });
        request
    }
}
