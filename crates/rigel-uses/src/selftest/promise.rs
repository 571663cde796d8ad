//! What cases promise.
//!
//! Must not judge whether it is kept.

use rigel_core::judge::flags::FlagCode;

/// What a case has to show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Promise {
    /// Intervals and estimates of all points are right.
    Coverage {
        /// At least.
        least: f64,
        /// Largest relative error of the mean of the estimates.
        most_bias: f64,
        /// Least share of the points that reach the aim; `None` if many do not.
        least_reached: Option<f64>,
        /// Longest average time of an adaptive run, in minutes.
        most_minutes: Option<f64>,
    },
    /// The search finds the level that saturates the device, and its rate.
    Levels {
        /// The bracket contains the true value in at least that share of the trials.
        least: f64,
    },
    /// The figures of a calibration are true.
    Answers {
        /// Least share of the 95 % intervals of each figure that contain the true value.
        least: f64,
        /// Largest relative error of the mean of each figure.
        most_bias: f64,
    },
    /// The bracket of a rate within a bound contains the true value.
    Rate {
        /// In that share of the trials.
        least: f64,
        /// Largest average width relative to the rate.
        most_width: f64,
    },
    /// The figures that a formula gives are right: those of arrivals, of commits, of places, and those of a whole run.
    Figures(&'static [FigurePromise]),
    /// The 95 % intervals of all points contain the true value, or belong to a trial in which the flag was raised.
    HeldOrRaises(FlagCode, CoverageDemand),
    /// A flag is raised in at least that share of the trials.
    Raises(FlagCode, f64),
    /// Two sides that are alike: in at least that share of the trials no difference is found.
    NoDifference(f64),
    /// Two sides in turn: their ratio is known as well in at most that share of the time of two runs that are compared.
    Sooner(f64),
}

/// What one figure of a formula has to show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FigurePromise {
    /// Which, as a phrase.
    pub what: &'static str,
    /// Least share of its 95 % intervals that contain the true value.
    pub least: f64,
    /// Largest relative error of its mean.
    pub most_bias: f64,
}

impl FigurePromise {
    /// A mean of visits, as the rates of whole runs are: two points are left for what moderation over few points costs. A bias of an
    /// eighth of the aim of 5 % is a quarter of a standard error, and costs an interval that just reaches it one point.
    pub(super) const fn mean(what: &'static str) -> Self {
        Self { what, least: 0.93, most_bias: 0.05 / 8.0 }
    }
}

/// How often intervals contain the true value or a flag is raised, and how close the estimates are in both cases.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoverageDemand {
    /// Share of the intervals, at least.
    pub least: f64,
    /// Largest relative error of the mean of the estimates, flagged or not; `None` if nothing can be done about it.
    pub most_bias: Option<f64>,
}

/// Flags that a device does not justify: they may be raised in no more than that share of the trials.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Silence {
    /// The subject of the flags.
    pub about: &'static str,
    /// The flags; one of them is enough.
    pub flags: &'static [FlagCode],
    /// At most.
    pub most: f64,
}
