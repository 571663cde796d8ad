//! A figure together with how sure it is.
//!
//! Every output takes a figure and its interval from here, so that the two cannot be of different units or different
//! visits. Must not compute an interval.

use super::Interval;

/// Where a figure and its interval come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Basis {
    /// Visits that lie apart: the interval holds what another calibration under the same conditions would give.
    Visits,
    /// The pieces of a single visit: the interval holds only what varies inside that visit.
    OneVisit,
    /// All visits merged into one histogram: a percentile without an interval. A slow visit counts for less, as it has
    /// fewer I/Os.
    Merged,
    /// Several runs: the interval holds what differs from run to run.
    Runs,
    /// There is no interval.
    #[default]
    Nothing,
}

impl Basis {
    /// The name in every output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Visits => "visits",
            Self::OneVisit => "one_visit",
            Self::Merged => "merged",
            Self::Runs => "runs",
            Self::Nothing => "none",
        }
    }
}

/// Visits to a point, as an adaptive run makes at least (`Parameters::least_visits`): fewer may be alike by chance and miss rare states, however much they
/// borrow.
const FEWEST_VISITS: usize = 4;

/// A figure with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The value. The middle of the interval, if there is one.
    pub value: f64,
    /// The interval, in the unit of the value.
    pub interval: Option<Interval>,
    /// Where both come from.
    pub basis: Basis,
}

impl Estimate {
    /// A figure without an interval.
    pub const fn bare(value: f64) -> Self {
        Self { value, interval: None, basis: Basis::Nothing }
    }

    /// A percentile of the histogram of all visits.
    pub(crate) const fn merged(value: f64) -> Self {
        Self { basis: Basis::Merged, ..Self::bare(value) }
    }

    /// The middle of an interval that rests on `basis`.
    pub const fn of(interval: Interval, basis: Basis) -> Self {
        Self { value: interval.mean, interval: Some(interval), basis }
    }

    /// The same figure in another unit. One of the old unit is `factor` of the new one.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        let interval = self.interval.map(|interval| interval.scaled(factor));
        Self { value: self.value * factor, interval, ..self }
    }

    /// Lower and upper end of the interval.
    pub fn ends(&self) -> Option<(f64, f64)> {
        self.interval.map(|interval| (interval.lo95, interval.hi95))
    }

    /// Value, lower end and upper end, as tables want them.
    pub fn columns(&self) -> [Option<f64>; 3] {
        [Some(self.value), self.lo95(), self.hi95()]
    }

    /// Lower end of the interval.
    pub fn lo95(&self) -> Option<f64> {
        self.interval.map(|interval| interval.lo95)
    }

    /// Upper end of the interval.
    pub fn hi95(&self) -> Option<f64> {
        self.interval.map(|interval| interval.hi95)
    }

    /// Whether few visits, or none, say how sure it is.
    pub(crate) fn has_few_visits(&self) -> bool {
        self.interval.is_none_or(|interval| interval.visits < FEWEST_VISITS)
    }

    /// Half the width of the interval over the value.
    pub fn half_width(&self) -> Option<f64> {
        self.interval.map(|interval| interval.relative_half_width)
    }
}

/// Of visits that lie apart.
impl From<Interval> for Estimate {
    fn from(interval: Interval) -> Self {
        Self::of(interval, Basis::Visits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_unit_changes_the_value_and_both_ends() {
        let found = Estimate::from(Interval::symmetric(2.0, 0.25, 4, 3.0).unwrap()).scaled(1000.0);
        assert_eq!(found.columns(), [Some(2000.0), Some(1500.0), Some(2500.0)]);
        assert_eq!((found.half_width(), found.basis), (Some(0.25), Basis::Visits));
        assert_eq!(Estimate::merged(2.0).scaled(0.5), Estimate::merged(1.0));
    }
}
