//! Sessions of the past, by the quantities that a calibration answers.
//!
//! Must not read a history.

use super::Metric;
use crate::stats::sessions::Sessions;

/// How much sessions of one storage differed; nothing where that is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Past {
    /// The highest rate of small I/O.
    pub small_rate: Option<Sessions>,
    /// The highest rate of large I/O.
    pub large_rate: Option<Sessions>,
    /// The latency of a small I/O that is alone.
    pub small_latency: Option<Sessions>,
    /// The latency of a commit of one writer.
    pub commit_latency: Option<Sessions>,
}

impl Past {
    /// Those of the quantity that is nearest to a metric; `None` for one that no calibration answers.
    pub const fn of(&self, metric: Metric) -> Option<Sessions> {
        match metric {
            Metric::SmallIops | Metric::MaxIops | Metric::MaxSmallIops => self.small_rate,
            Metric::LargeMbps | Metric::MaxLargeMbps => self.large_rate,
            Metric::SmallLatency | Metric::MinSmallLatency => self.small_latency,
            Metric::CommitLatency | Metric::CommitFdatasync | Metric::MaxCommits => self.commit_latency,
            Metric::LargeLatency
            | Metric::SmallP99
            | Metric::LargeP99
            | Metric::Rate(_)
            | Metric::Mbps(_)
            | Metric::Latency(_)
            | Metric::P99(_) => None,
        }
    }
}
