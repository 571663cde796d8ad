//! The quantities that runs are compared by.
//!
//! Must not compare.

use super::change::Measured;
use crate::judge::findings::{Extreme, Findings, PointFindings};
use crate::load::class::Class;
use crate::stats::Estimate;

/// A quantity of each point, or of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Metric {
    /// Rate of small I/Os per second.
    SmallIops,
    /// Rate of large I/Os in megabytes (2^20) per second.
    LargeMbps,
    /// Mean latency of small I/Os.
    SmallLatency,
    /// Mean latency of large I/Os.
    LargeLatency,
    /// 99th percentile of the latency of small I/Os.
    SmallP99,
    /// The same of large ones.
    LargeP99,
    /// The highest rate of small I/Os within the bound of a calibration.
    MaxIops,
    /// The highest rate of small I/Os of all points.
    MaxSmallIops,
    /// The highest rate of large I/Os of all points.
    MaxLargeMbps,
    /// The lowest mean latency of small I/Os of all points.
    MinSmallLatency,
}

impl Metric {
    /// All of them, in the order of the outputs.
    pub const ALL: [Self; 10] = [
        Self::MaxIops,
        Self::MaxSmallIops,
        Self::MaxLargeMbps,
        Self::MinSmallLatency,
        Self::SmallIops,
        Self::LargeMbps,
        Self::SmallLatency,
        Self::LargeLatency,
        Self::SmallP99,
        Self::LargeP99,
    ];

    /// The name in outputs and gates.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SmallIops => "small_iops",
            Self::LargeMbps => "large_mbps",
            Self::SmallLatency => "small_latency",
            Self::LargeLatency => "large_latency",
            Self::SmallP99 => "small_p99",
            Self::LargeP99 => "large_p99",
            Self::MaxIops => "max_iops",
            Self::MaxSmallIops => "max_small_iops",
            Self::MaxLargeMbps => "max_large_mbps",
            Self::MinSmallLatency => "min_small_latency",
        }
    }

    /// The unit of its values.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::SmallIops | Self::MaxIops | Self::MaxSmallIops => "IOPS",
            Self::LargeMbps | Self::MaxLargeMbps => "MBPS",
            Self::SmallLatency
            | Self::LargeLatency
            | Self::SmallP99
            | Self::LargeP99
            | Self::MinSmallLatency => "us",
        }
    }

    /// Whether more of it is better.
    pub(crate) const fn more_is_better(self) -> bool {
        matches!(
            self,
            Self::SmallIops | Self::LargeMbps | Self::MaxIops | Self::MaxSmallIops | Self::MaxLargeMbps
        )
    }

    /// Whether a run has one value of it, and not one for each point.
    pub const fn is_of_a_run(self) -> bool {
        matches!(self, Self::MaxIops | Self::MaxSmallIops | Self::MaxLargeMbps | Self::MinSmallLatency)
    }

    /// Whether it follows from another metric: in a closed loop the mean latency is the outstanding I/Os over the rate.
    pub const fn mirrors_a_rate(self) -> bool {
        matches!(self, Self::SmallLatency | Self::LargeLatency | Self::MinSmallLatency)
    }

    /// Which I/Os it is about.
    pub const fn class(self) -> Class {
        match self {
            Self::SmallIops
            | Self::SmallLatency
            | Self::SmallP99
            | Self::MaxIops
            | Self::MaxSmallIops
            | Self::MinSmallLatency => Class::SMALL,
            Self::LargeMbps | Self::LargeLatency | Self::LargeP99 | Self::MaxLargeMbps => Class::LARGE,
        }
    }

    /// What a point has of it; `None` when the class was idle, or the quantity is one of a run.
    pub(super) fn at(self, found: &PointFindings) -> Option<Measured> {
        let io = found.io(self.class())?;
        // Nothing completed: no rate, and no latency.
        let estimate = io.latency_us.map_or(Estimate::bare(0.0), |us| match self {
            Self::SmallLatency | Self::LargeLatency => us.mean,
            Self::SmallP99 | Self::LargeP99 => us.p99,
            _ => io.rate(),
        });
        let geometric = matches!(self, Self::SmallP99 | Self::LargeP99);
        (!self.is_of_a_run()).then(|| Measured { estimate, geometric, invalid: found.invalid() })
    }

    /// What a run has of it; `None` when it is a quantity of points, or no point has the class.
    pub(super) fn of(self, findings: &Findings) -> Option<Measured> {
        let Some(best) = self.best(findings) else {
            // A calibration in which nothing keeps the bound has no such rate, which a comparison must not pass over.
            let nothing = Measured { estimate: Estimate::bare(0.0), geometric: false, invalid: false };
            return (self == Self::MaxIops && findings.answers.is_some()).then_some(nothing);
        };
        let found = findings.points.iter().find(|found| found.point == best.point)?;
        Some(Measured { estimate: best.estimate, geometric: false, invalid: found.invalid() })
    }

    /// The best point of a run, for a quantity of runs.
    pub(super) fn best(self, findings: &Findings) -> Option<Extreme> {
        match self {
            Self::MaxIops => findings.answers.as_ref()?.best_within(),
            Self::MaxSmallIops => findings.best.rate(Class::SMALL),
            Self::MaxLargeMbps => findings.best.rate(Class::LARGE),
            Self::MinSmallLatency => findings.best.latency_us(Class::SMALL),
            _ => None,
        }
    }
}
