//! The part of each target that a class uses.
//!
//! Must not know targets.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// The part of each target that a class uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Span {
    /// All of it.
    #[default]
    Whole,
    /// From one per cent of its size to another.
    Percent(u8, u8),
}

impl Span {
    /// Its range on a target of this many bytes.
    pub fn of(self, size_bytes: u64) -> Range<u64> {
        let at = |percent: u8| {
            u64::try_from(u128::from(size_bytes) * u128::from(percent) / 100).unwrap_or(size_bytes)
        };
        match self {
            Self::Whole => 0..size_bytes,
            Self::Percent(from, to) => at(from)..at(to),
        }
    }

    /// In per cent of a target: from, to.
    pub const fn percent(self) -> (u8, u8) {
        match self {
            Self::Whole => (0, 100),
            Self::Percent(from, to) => (from, to),
        }
    }
}

impl fmt::Display for Span {
    /// `0-25%`, in the form that is read.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (from, to) = self.percent();
        write!(f, "{from}-{to}%")
    }
}

impl FromStr for Span {
    type Err = String;

    /// Reads `0-25%` or `0%-25%`; all of a target is [`Span::Whole`].
    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| -> Option<u8> {
            let digits = text.trim().trim_end_matches('%').trim_end();
            digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
        };
        let ends = text.split_once('-').and_then(|(from, to)| Some((number(from)?, number(to)?)));
        match ends {
            Some((0, 100)) => Ok(Self::Whole),
            Some((from, to)) if from < to && to <= 100 => Ok(Self::Percent(from, to)),
            _ => Err("must be a part of a target in per cent, such as 0-25%".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_read_and_lies_where_it_says() {
        for (text, span) in [
            ("0-25%", Span::Percent(0, 25)),
            ("0%-25%", Span::Percent(0, 25)),
            ("75-100", Span::Percent(75, 100)),
            (" 0 - 100 %", Span::Whole),
        ] {
            assert_eq!(text.parse(), Ok(span), "{text}");
            assert_eq!(span.to_string().parse(), Ok(span));
        }
        for text in ["", "25%", "25-25%", "50-25%", "0-101%", "-1-25%", "a-b%", "0-25-30%", "1.5-2%"] {
            assert!(text.parse::<Span>().is_err(), "{text}");
        }
        assert_eq!(Span::Percent(25, 50).of(1000), 250..500);
        assert_eq!(Span::Percent(99, 100).of(u64::MAX).end, u64::MAX);
        assert_eq!(Span::Whole.of(7), 0..7);
    }
}
