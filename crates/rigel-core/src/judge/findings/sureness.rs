//! What the precision of the figures of a class is based on.
//!
//! Must not compute; [`super::estimate`] does.

use crate::stats::Interval;
use crate::stats::estimate::Basis;

/// What is known about the precision of one class of one point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sureness {
    /// Visits behind the figures.
    pub visits: usize,
    /// A visit's own estimate of the error of its mean rate: the standard error, relative, root mean square over the
    /// visits.
    pub within: Option<f64>,
    /// How much the visits differ: the standard deviation of their mean rates, relative.
    pub between: Option<f64>,
    /// The share of the measured time in which almost nothing completed.
    pub stalled: Option<f64>,
    /// Whether the rate is as precise as requested: its interval is narrow enough, it is based on as many visits as
    /// come before the first check, and the visits of the phase are over their start-up. Never if nothing was requested.
    pub reached: bool,
    /// Whether its interval is narrow enough and only visits are missing: a few may agree by luck.
    pub too_few: bool,
}

/// The intervals from the visits of one class to one point.
#[derive(Clone, Copy, Debug, Default)]
pub struct Intervals {
    /// The basis of the intervals of the rate and of the mean latency.
    pub basis: Basis,
    /// Of the rate in I/Os per second.
    pub iops: Option<Interval>,
    /// Of the mean latency in microseconds.
    pub mean_us: Option<Interval>,
    /// Of the median latency in microseconds, from separate visits.
    pub p50_us: Option<Interval>,
    /// Of the 99th percentile of latency in microseconds, from separate visits.
    pub p99_us: Option<Interval>,
}
