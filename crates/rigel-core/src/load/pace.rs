//! How long a run measures: ORION's fixed time per point, or visits until the intervals are narrow enough.
//!
//! Plain values of a request. Must not know the numbers that steer an adaptive run; [`crate::stats::Parameters`] does.

use crate::units::Nanos;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// How long, and how often, a point is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pace {
    /// ORION's way: one visit of that length to each point, in order.
    Fixed(Nanos),
    /// Several short visits to each point in random order, until its interval is narrow enough.
    Adaptive(Adaptive),
}

impl Pace {
    /// ORION's pace.
    pub const ORION: Self = Self::Fixed(Nanos::from_secs(60));

    /// No visit begins after this time, if set.
    pub const fn max_duration(self) -> Option<Nanos> {
        match self {
            Self::Adaptive(adaptive) => adaptive.max_duration,
            Self::Fixed(_) => None,
        }
    }
}

/// The aim of an adaptive run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Adaptive {
    /// The interval that a point needs.
    pub precision: Precision,
    /// No visit begins after this time; `None`: a point is given up only after its last visit.
    pub max_duration: Option<Nanos>,
    /// Visits that measure 1 s instead of 2 s.
    pub fast: bool,
}

/// Half the width of a 95 % interval relative to its mean, in tenths of a per cent: 50 is ±5 %.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Precision(pub u16);

impl Default for Precision {
    fn default() -> Self {
        Self(50)
    }
}

impl Precision {
    /// The default precision of a ratio of two sides: narrower than that of a rate, because common disturbances cancel out.
    pub const OF_RATIOS: Self = Self(20);
    /// A narrower interval would measure the noise of the tool itself.
    const NARROWEST: Self = Self(5);
    /// A wider interval says nothing.
    pub const WIDEST: Self = Self(200);

    /// As a fraction of the mean: 0.05 is ±5 %.
    pub fn fraction(self) -> f64 {
        f64::from(self.0) / 1000.0
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "±{} %", f64::from(self.0) / 10.0)
    }
}

impl FromStr for Precision {
    type Err = String;

    /// Reads `5%`, `2 %`, `0.5%` or the bare number.
    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.strip_suffix('%').unwrap_or(text).trim_end();
        let (whole, tenths) = number.split_once('.').unwrap_or((number, "0"));
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let wrong = || "must be a percentage, such as 5%, 2% or 0.5%".to_owned();
        if !digits(whole) || !digits(tenths) || tenths.len() != 1 {
            return Err(wrong());
        }
        let whole: u16 = whole.parse().map_err(|_| wrong())?;
        let tenths: u16 = tenths.parse().map_err(|_| wrong())?;
        let precision = Self(whole.saturating_mul(10).saturating_add(tenths));
        if (Self::NARROWEST..=Self::WIDEST).contains(&precision) {
            return Ok(precision);
        }
        Err("must be 0.5% to 20%".to_owned())
    }
}

/// Where the load levels of ORION's matrix come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LevelChoice {
    /// ORION's, from the number of disks.
    #[default]
    Orion,
    /// The lowest and the highest of ORION's, for each class.
    Ends,
    /// Around the saturation of the device, which is searched for first.
    Auto,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn precision_reads_per_cents() {
        for (text, tenths) in [("5%", 50), ("2 %", 20), ("1", 10), ("0.5%", 5), ("12.5%", 125), ("20%", 200)]
        {
            assert_eq!(text.parse(), Ok(Precision(tenths)), "{text}");
        }
        for text in ["", "%", "x%", "5%%", "0.4%", "20.1%", "-5%", "5.25%", "99999%", "1e1", "+5"] {
            assert!(text.parse::<Precision>().is_err(), "{text}");
        }
        assert_eq!(Precision(50).to_string(), "±5 %");
        assert_eq!(Precision(5).to_string(), "±0.5 %");
        assert!((Precision(20).fraction() - 0.02).abs() < 1e-12);
    }
}
