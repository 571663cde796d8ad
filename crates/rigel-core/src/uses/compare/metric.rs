//! The quantities that runs are compared by.
//!
//! Must not compare.

use super::change::Measured;
use crate::judge::findings::{Extreme, Findings, IoFindings, PointFindings};
use crate::load::class::{Class, Figure, LoadClass};
use crate::stats::Estimate;
use std::borrow::Cow;

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
    /// The mean latency of a commit of one writer, durable by itself.
    CommitLatency,
    /// The same, durable by a flush behind it.
    CommitFdatasync,
    /// The highest rate of commits of all numbers of writers.
    MaxCommits,
    /// Operations per second of another class.
    Rate(Class),
    /// Megabytes (2^20) per second of another class.
    Mbps(Class),
    /// Mean latency of another class.
    Latency(Class),
    /// 99th percentile of the latency of another class.
    P99(Class),
}

impl Metric {
    /// Those of ORION's pair of classes and of calibrations, in the order of the outputs.
    pub const ALL: [Self; 13] = [
        Self::MaxIops,
        Self::MaxSmallIops,
        Self::MaxLargeMbps,
        Self::MinSmallLatency,
        Self::CommitLatency,
        Self::CommitFdatasync,
        Self::MaxCommits,
        Self::SmallIops,
        Self::LargeMbps,
        Self::SmallLatency,
        Self::LargeLatency,
        Self::SmallP99,
        Self::LargeP99,
    ];

    /// The name in outputs and gates.
    pub fn name(self) -> Cow<'static, str> {
        let plain = match self {
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
            Self::CommitLatency => "commit_latency",
            Self::CommitFdatasync => "commit_fdatasync",
            Self::MaxCommits => "max_commits",
            Self::Rate(class) => return format!("{class}_per_s").into(),
            Self::Mbps(class) => return format!("{class}_mbps").into(),
            Self::Latency(class) => return format!("{class}_latency").into(),
            Self::P99(class) => return format!("{class}_p99").into(),
        };
        plain.into()
    }

    /// The one of that name.
    pub(super) fn named(name: &str) -> Option<Self> {
        let of_class = |ending: &str| Class::named(name.strip_suffix(ending)?);
        let others = || {
            let rate = of_class("_per_s").map(Self::Rate).or_else(|| of_class("_mbps").map(Self::Mbps));
            rate.or_else(|| of_class("_latency").map(Self::Latency))
                .or_else(|| of_class("_p99").map(Self::P99))
        };
        let of_pair = Self::ALL.into_iter().find(|metric| metric.name() == name);
        // The pair has names of its own.
        let is_other = |metric: &Self| ![Class::SMALL, Class::LARGE].contains(&metric.class());
        of_pair.or_else(|| others().filter(is_other))
    }

    /// The quantities of the points of a class: its rate, its mean latency, its 99th percentile.
    pub fn of_class(load: &LoadClass, class: Class) -> [Self; 3] {
        match (class, &load.figure) {
            (Class::SMALL, _) => [Self::SmallIops, Self::SmallLatency, Self::SmallP99],
            (Class::LARGE, _) => [Self::LargeMbps, Self::LargeLatency, Self::LargeP99],
            (_, Figure::Mbps) => [Self::Mbps(class), Self::Latency(class), Self::P99(class)],
            (_, Figure::Rate(_)) => [Self::Rate(class), Self::Latency(class), Self::P99(class)],
        }
    }

    /// The unit of its values.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::SmallIops | Self::MaxIops | Self::MaxSmallIops => "IOPS",
            Self::LargeMbps | Self::MaxLargeMbps | Self::Mbps(_) => "MBPS",
            Self::Rate(_) => "per s",
            Self::SmallLatency
            | Self::LargeLatency
            | Self::SmallP99
            | Self::LargeP99
            | Self::MinSmallLatency
            | Self::CommitLatency
            | Self::CommitFdatasync
            | Self::Latency(_)
            | Self::P99(_) => "us",
            Self::MaxCommits => "commits/s",
        }
    }

    /// Whether more of it is better.
    pub(crate) const fn more_is_better(self) -> bool {
        self.is_rate()
            || matches!(self, Self::MaxIops | Self::MaxSmallIops | Self::MaxLargeMbps | Self::MaxCommits)
    }

    /// Whether it is a rate of points.
    pub const fn is_rate(self) -> bool {
        matches!(self, Self::SmallIops | Self::LargeMbps | Self::Rate(_) | Self::Mbps(_))
    }

    /// Whether it is a 99th percentile.
    pub const fn is_p99(self) -> bool {
        matches!(self, Self::SmallP99 | Self::LargeP99 | Self::P99(_))
    }

    /// Whether a run has one value of it, and not one for each point.
    pub const fn is_of_a_run(self) -> bool {
        !matches!(
            self,
            Self::SmallIops
                | Self::LargeMbps
                | Self::SmallLatency
                | Self::LargeLatency
                | Self::SmallP99
                | Self::LargeP99
        )
    }

    /// Whether the value of a run is the best of its points, and not that of a certain one.
    pub(super) const fn is_chosen(self) -> bool {
        self.is_of_a_run() && !matches!(self, Self::CommitLatency | Self::CommitFdatasync)
    }

    /// Whether it follows from another metric: in a closed loop the mean latency is the outstanding I/Os over the rate.
    pub const fn mirrors_a_rate(self) -> bool {
        matches!(self, Self::SmallLatency | Self::LargeLatency | Self::MinSmallLatency | Self::Latency(_))
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
            Self::CommitLatency | Self::MaxCommits => Class::DSYNC,
            Self::CommitFdatasync => Class::FDATASYNC,
            Self::Rate(class) | Self::Mbps(class) | Self::Latency(class) | Self::P99(class) => class,
        }
    }

    /// What a point has of it; `None` when the class was idle, or the quantity is one of a run.
    pub(super) fn at(self, found: &PointFindings) -> Option<Measured> {
        let estimate = self.of_io(found.io(self.class())?);
        (!self.is_of_a_run()).then(|| Measured {
            estimate,
            geometric: self.is_p99(),
            invalid: found.invalid(),
        })
    }

    /// What a class at a point has of it. Nothing completed: no rate, and no latency.
    pub(crate) fn of_io(self, io: &IoFindings) -> Estimate {
        io.latency_us.map_or(Estimate::bare(0.0), |us| match self {
            _ if self.is_p99() => us.p99,
            _ if self.mirrors_a_rate() => us.mean,
            _ => io.rate(),
        })
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
        let commits = || findings.commits().ok();
        match self {
            Self::MaxIops => findings.answers.as_ref()?.best_within(),
            Self::MaxSmallIops => findings.best.rate(Class::SMALL),
            Self::MaxLargeMbps => findings.best.rate(Class::LARGE),
            Self::MinSmallLatency => findings.best.latency_us(Class::SMALL),
            Self::CommitLatency | Self::CommitFdatasync => {
                commits()?.latencies().find(|(class, _)| *class == self.class()).map(|found| found.1)
            }
            Self::MaxCommits => commits()?.most,
            _ => None,
        }
    }
}
