//! A figure together with its precision.
//!
//! Every output takes a figure and its interval from here, so the two cannot be of different units or different
//! visits. Must not compute an interval.

use super::Interval;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where a figure and its interval come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// Separate visits: the interval covers the result of another calibration under the same conditions.
    Visits,
    /// The pieces of a single visit: the interval covers only the variation inside that visit.
    OneVisit,
    /// All visits merged into one histogram: a percentile without an interval. A slow visit counts for less, as it has
    /// fewer I/Os.
    Merged,
    /// Several runs: the interval covers the differences from run to run.
    Runs,
    /// Rounds in which both sides of a ratio were visited.
    Rounds,
    /// A search over load levels: the interval contains every level that its visits do not exclude.
    Levels,
    /// There is no interval.
    #[default]
    #[serde(rename = "none")]
    Nothing,
}

crate::named!(Basis {
    Visits: "visits",
    OneVisit: "one_visit",
    Merged: "merged",
    Runs: "runs",
    Rounds: "rounds",
    Levels: "levels",
    Nothing: "none"
});

/// Visits to a point, as an adaptive run makes at least (`Parameters::least_visits`): fewer may be alike by chance and miss rare states, however much they
/// borrow.
const FEWEST_VISITS: usize = 4;

/// A figure with its 95 % interval. In every JSON document it is an [`EstimateForm`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(into = "EstimateForm")]
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
    pub const fn merged(value: f64) -> Self {
        Self { basis: Basis::Merged, ..Self::bare(value) }
    }

    /// The middle of an interval that is based on `basis`.
    pub const fn of(interval: Interval, basis: Basis) -> Self {
        Self { value: interval.mean, interval: Some(interval), basis }
    }

    /// A ratio, from the rounds in which both of its sides were visited.
    pub const fn of_rounds(ratio: Interval) -> Self {
        Self::of(ratio, Basis::Rounds)
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

    /// Whether few visits, or none, say how certain it is.
    pub fn has_few_visits(&self) -> bool {
        self.interval.is_none_or(|interval| interval.visits < FEWEST_VISITS)
    }

    /// Half the width of the interval over the value.
    pub fn half_width(&self) -> Option<f64> {
        self.interval.map(|interval| interval.relative_half_width)
    }
}

/// The form of an estimate in all documents, also for reading them back.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Estimate")]
pub struct EstimateForm {
    /// The value, in the unit that the key names.
    pub value: f64,
    /// Lower end of its 95 % interval; null when there is none.
    pub lo95: Option<f64>,
    /// Upper end.
    pub hi95: Option<f64>,
    /// Visits behind the interval, or runs or rounds if `basis` says so; null when there is none.
    pub visits: Option<usize>,
    /// What the interval is based on.
    pub basis: Basis,
}

impl From<Estimate> for EstimateForm {
    fn from(estimate: Estimate) -> Self {
        Self {
            value: estimate.value,
            lo95: estimate.lo95(),
            hi95: estimate.hi95(),
            visits: estimate.interval.map(|interval| interval.visits),
            basis: estimate.basis,
        }
    }
}

impl EstimateForm {
    /// A figure without an interval.
    pub const fn bare(value: f64) -> Self {
        Self { value, lo95: None, hi95: None, visits: None, basis: Basis::Nothing }
    }

    /// Lower and upper end of the interval, where it has both.
    pub fn ends(&self) -> Option<(f64, f64)> {
        self.lo95.zip(self.hi95)
    }

    /// The same figure in another unit. One of the old unit is `factor` of the new one.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        let in_unit = |value: f64| value * factor;
        Self {
            value: in_unit(self.value),
            lo95: self.lo95.map(in_unit),
            hi95: self.hi95.map(in_unit),
            ..self
        }
    }

    /// The longer side of the interval over the value.
    pub fn width(&self) -> Option<f64> {
        self.hi95.filter(|_| self.value > 0.0).map(|hi| hi / self.value - 1.0)
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

    #[test]
    fn documents_hold_value_interval_visits_and_basis() {
        let known = Estimate::from(Interval::symmetric(2.0, 0.25, 4, 3.0).unwrap());
        let json = serde_json::to_string(&[known, Estimate::merged(2.0)]).unwrap();
        assert_eq!(
            json,
            r#"[{"value":2.0,"lo95":1.5,"hi95":2.5,"visits":4,"basis":"visits"},{"value":2.0,"lo95":null,"hi95":null,"visits":null,"basis":"merged"}]"#
        );
        let read: Vec<EstimateForm> = serde_json::from_str(&json).unwrap();
        assert_eq!((read[0], read[0].width()), (known.into(), Some(0.25)));
    }
}
