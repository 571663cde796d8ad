//! How sure a number is, and where that is known from.
//!
//! Must not compute; [`super::estimate`] does.

use crate::stats::interval::Interval;
use crate::stats::quantile::Quantile;

/// What an interval rests on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Basis {
    /// Visits that lie apart: what another run under the same conditions would give.
    Visits,
    /// The pieces of a single visit: only what varies inside it. What a repetition would add is not known.
    OneVisit,
    /// There is no interval.
    #[default]
    Nothing,
}

/// How sure the figures of one class of one point are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sureness {
    /// What the intervals rest on.
    pub basis: Basis,
    /// Visits behind the figures.
    pub visits: usize,
    /// Interval of the rate in I/Os per second.
    pub iops: Option<Interval>,
    /// Interval of the mean latency in microseconds.
    pub latency_us: Option<Interval>,
    /// The median latency in nanoseconds.
    pub p50_ns: Quantile,
    /// The 99th percentile of latency in nanoseconds.
    pub p99_ns: Quantile,
    /// What a visit can see of the error of its own mean rate: the standard error, relative, root mean square over the
    /// visits.
    pub within: Option<f64>,
    /// How much the visits differ: the standard deviation of their mean rates, relative.
    pub between: Option<f64>,
    /// The share of the measured time in which almost nothing completed.
    pub stalled: Option<f64>,
    /// Whether the rate is known as well as was asked for: its interval is narrow enough, it rests on as many visits as
    /// come before the first look, and the visits of the phase are over their start-up. Never where nothing was asked for.
    pub reached: bool,
}

impl Default for Sureness {
    fn default() -> Self {
        Self {
            basis: Basis::Nothing,
            visits: 0,
            iops: None,
            latency_us: None,
            p50_ns: Quantile::Nothing,
            p99_ns: Quantile::Nothing,
            within: None,
            between: None,
            stalled: None,
            reached: false,
        }
    }
}

impl Basis {
    /// The name in every output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Visits => "visits",
            Self::OneVisit => "one_visit",
            Self::Nothing => "none",
        }
    }
}

impl Sureness {
    /// Interval of the median latency in microseconds.
    #[must_use]
    pub fn p50_us(&self) -> Option<Interval> {
        in_us(self.p50_ns)
    }

    /// Interval of the 99th percentile of latency in microseconds.
    #[must_use]
    pub fn p99_us(&self) -> Option<Interval> {
        in_us(self.p99_ns)
    }

    /// Interval of the rate in megabytes (2^20) per second.
    #[must_use]
    pub fn mbps(&self, io_bytes: u64) -> Option<Interval> {
        let factor = crate::units::to_f64(io_bytes) / crate::units::to_f64(crate::units::MIB);
        self.iops.map(|interval| interval.scaled(factor))
    }
}

fn in_us(quantile: Quantile) -> Option<Interval> {
    match quantile {
        Quantile::Sure(interval) => Some(interval.scaled(crate::units::us_from_ns(1.0))),
        Quantile::Indicative(_) | Quantile::Nothing => None,
    }
}
