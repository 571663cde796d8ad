//! A case: a simulated device, how it is measured, and what has to come out.
//!
//! Must not know a device.

use super::promise::{FigurePromise, Promise, Silence};
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::pace::{Adaptive, LevelChoice, Precision};
use rigel_core::stats::bound::LatencyBound;

/// One simulated device, how it is measured, and the expected result.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// What the device is like.
    pub name: &'static str,
    /// The device, as after `--engine sim:`.
    pub law: String,
    /// The other device, where two take turns.
    pub and: Option<String>,
    /// Run level.
    pub level: RunLevel,
    /// The precision and time to aim for.
    pub pace: Adaptive,
    /// The levels to measure.
    pub levels: LevelChoice,
    /// Share of writes in per cent.
    pub write_percent: u8,
    /// The latency limit of small I/O, for a calibration.
    pub bound: Option<LatencyBound>,
    /// The latency limit of an open loop, as written, if a rate is searched for.
    pub slo: Option<&'static str>,
    /// The expected result.
    pub promise: Promise,
    /// Flags that must not be raised.
    pub silent: &'static [Silence],
}

impl Case {
    /// The figures of a level are those of a formula.
    pub(super) fn known(
        level: RunLevel,
        name: &'static str,
        law: impl Into<String>,
        promised: &'static [FigurePromise],
    ) -> Self {
        let promise = Promise::Figures(promised);
        Self { level, promise, ..Self::adaptive(name, law, 0.93) }
    }

    /// The intervals of an adaptive run contain the true value in this share.
    pub(super) fn adaptive(name: &'static str, law: impl Into<String>, least: f64) -> Self {
        Self {
            name,
            law: law.into(),
            and: None,
            level: RunLevel::Normal,
            pace: Adaptive { precision: Precision(50), max_duration: None, fast: false },
            levels: LevelChoice::Orion,
            write_percent: 0,
            bound: None,
            slo: None,
            promise: Promise::Coverage {
                least,
                most_bias: 0.05 / 8.0,
                least_reached: None,
                most_minutes: None,
            },
            silent: &[],
        }
    }
}
