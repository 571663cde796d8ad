//! By how much bursty arrivals spread: the squared coefficient of variation of the times between them.
//!
//! Must not know how they are drawn.

use crate::units::say::trimmed;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A squared coefficient of variation above 1, in hundredths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Spread(u32);

impl Spread {
    /// The least: 1 is Poisson.
    pub const LEAST: Self = Self(101);
    /// The highest: burstier arrivals are silent most of the time, and a visit has too few bursts to report.
    pub const MOST: Self = Self(100_000);

    /// The nearest one; `None` out of range, and if not a number.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within the ends")]
    pub fn new(value: f64) -> Option<Self> {
        let hundredths = (value * 100.0).round();
        let fits = (f64::from(Self::LEAST.0)..=f64::from(Self::MOST.0)).contains(&hundredths);
        fits.then_some(Self(hundredths as u32))
    }

    /// Its value.
    pub fn get(self) -> f64 {
        f64::from(self.0) / 100.0
    }
}

impl TryFrom<f64> for Spread {
    type Error = String;

    fn try_from(value: f64) -> Result<Self, String> {
        Self::new(value).ok_or_else(|| format!("{value} is out of range ({} to {})", Self::LEAST, Self::MOST))
    }
}

impl From<Spread> for f64 {
    fn from(spread: Spread) -> Self {
        spread.get()
    }
}

impl FromStr for Spread {
    type Err = String;

    /// Digits with a point, such as `4` or `6.25`.
    fn from_str(text: &str) -> Result<Self, String> {
        let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let value: f64 = text.parse().ok().filter(|_| is_plain).ok_or("is not a number")?;
        Self::try_from(value)
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&trimmed(self.get()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hundredths_come_back_and_what_is_not_bursty_is_refused() {
        for text in ["1.01", "4", "6.25", "1000"] {
            assert_eq!(text.parse::<Spread>().unwrap().to_string(), text);
        }
        for wrong in ["", "1", "0", "-4", "1e3", "1000.1", "nan", "inf", "4x"] {
            assert!(wrong.parse::<Spread>().is_err(), "{wrong}");
        }
        assert_eq!(serde_json::to_string(&Spread::new(4.5)).unwrap(), "4.5");
        assert!(serde_json::from_str::<Spread>("0.5").is_err() && Spread::new(f64::NAN).is_none());
    }
}
