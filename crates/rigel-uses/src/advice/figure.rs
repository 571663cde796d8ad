//! A measured figure, and what settings take from it.
//!
//! Must not judge whether it is good enough; `usable` does.

use super::Value;
use super::again::RepeatCommands;
use rigel_core::judge::flags::Flag;
use rigel_core::stats::EstimateForm;
use rigel_core::units::say::number;

/// A measured figure.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredFigure {
    /// What it is, as a phrase.
    pub what: String,
    /// Unit of the figure: `IOPS`, `MBPS` (2^20 bytes), `us`, `outstanding`.
    pub unit: &'static str,
    /// The value with its interval, or with a bracket of levels.
    pub figure: EstimateForm,
    /// The run that measured it.
    pub run_id: String,
    /// The flags of the point or search that it comes from, and those of the run that make it invalid.
    pub flags: Vec<Flag>,
    /// A rate that still rose at the most I/Os that a search tried (`NOT_SATURATED`), or the level there: the device may do more, and
    /// the setting needs to know how much.
    pub is_lower_bound: bool,
    /// The setting depends on how large it is, not only on its being large enough.
    pub(super) width_matters: bool,
    /// The command that measures it better.
    pub(super) again: RepeatCommands,
}

/// The unit of a number of outstanding I/Os.
pub(super) const LEVEL: &str = "outstanding";

impl MeasuredFigure {
    /// Whether it is a load level, a whole number.
    pub(super) fn is_level(&self) -> bool {
        self.unit == LEVEL
    }

    /// The same for a setting that does not need the end of the rise.
    pub(super) fn even_rising(self) -> Self {
        Self { is_lower_bound: false, ..self }
    }

    /// The same for a setting that only needs a lower bound.
    pub(super) fn at_least(self) -> Self {
        Self { width_matters: false, ..self.even_rising() }
    }

    /// `2,027 MBPS (1,934 to 2,120)`.
    pub fn told(&self) -> String {
        let mean = number(self.figure.value);
        match self.figure.ends() {
            Some((lo, hi)) => format!("{mean} {} ({} to {})", self.unit, number(lo), number(hi)),
            None => format!("{mean} {} (no interval)", self.unit),
        }
    }

    /// The lower end of the interval, for values that do harm if too high; the mean if there is no interval.
    pub(super) fn low(&self) -> f64 {
        self.figure.lo95.unwrap_or(self.figure.value)
    }
}

impl Value {
    /// A value that is a function of figures, at their means and at both ends of their intervals.
    pub(super) fn of(figure: impl Into<EstimateForm>, text: impl Fn(f64) -> String) -> Self {
        let figure = figure.into();
        Self { text: text(figure.value), ends: figure.ends().map(|(lo, hi)| (text(lo), text(hi))) }
    }

    /// The same, at the lower end.
    pub(super) fn at_low_end(measured: &MeasuredFigure, text: impl Fn(f64) -> String) -> Self {
        Self { text: text(measured.low()), ..Self::of(measured.figure, text) }
    }

    pub(super) fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), ends: None }
    }
}
