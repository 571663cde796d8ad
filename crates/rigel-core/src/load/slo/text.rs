//! Bounds as people write them: `p99.9 < 5ms`, and `p99 < 2ms @ 12000` at a rate.
//!
//! Must not know the remaining request.

use super::{LatencyCriterion, MILLION, Requirement, SloBound};
use crate::units::say::trimmed;
use crate::units::{Nanos, UnitError, count_meant, count_of};
use std::fmt;
use std::str::FromStr;

/// The syntax of a limit.
const BOUND: &str = "write a statistic, <, and a time with a unit, such as 'p99.9 < 5ms' or 'mean < 1ms'";

/// `p99`, `p99.9`, `mean`.
impl fmt::Display for LatencyCriterion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mean => f.write_str("mean"),
            Self::Beyond(of_million) => {
                // Parts of a million have four digits behind the point of a per cent.
                let within = MILLION.saturating_sub(*of_million);
                let text = format!("{}.{:04}", within / 10_000, within % 10_000);
                write!(f, "p{}", text.trim_end_matches('0').trim_end_matches('.'))
            }
        }
    }
}

impl fmt::Display for SloBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} < {}", self.judged, self.limit)
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} @ {}", self.bound, self.rate)
    }
}

impl FromStr for LatencyCriterion {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!("'{text}' is not a latency statistic: write mean, or a percentile such as p99 or p99.9")
        };
        let lower = text.to_ascii_lowercase();
        if lower == "mean" {
            return Ok(Self::Mean);
        }
        let number = lower.strip_prefix('p').ok_or_else(wrong)?;
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || whole.len() > 2 || fraction.len() > 4 || !digits(whole) || !digits(fraction) {
            return Err(wrong());
        }
        let parts = |text: &str| text.parse::<u32>().map_err(|_| wrong());
        let within = parts(whole)? * 10_000 + parts(&format!("{fraction:0<4}"))?;
        if within == 0 { Err(wrong()) } else { Ok(Self::Beyond(MILLION - within)) }
    }
}

/// Reads a time with its unit.
fn limit(text: &str) -> Result<Nanos, String> {
    match text.parse::<Nanos>() {
        Ok(Nanos(0)) => Err("a latency limit must be greater than 0".to_owned()),
        Ok(limit) => Ok(limit),
        Err(UnitError::NoUnit(number)) => {
            Err(format!("'{number}' has no unit: write {number}ms or {number}us"))
        }
        Err(error) => Err(error.to_string()),
    }
}

impl FromStr for SloBound {
    type Err = String;

    /// Reads `p99.9 < 5ms`; spaces may be omitted, and `<=`, `=<` and `\u{2264}` mean the same.
    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.replace(['\u{2264}', '\u{2a7d}'], "<").replace("=<", "<");
        let (judged, time) = text.split_once('<').ok_or_else(|| format!("'<' is missing; {BOUND}"))?;
        let time = time.strip_prefix('=').unwrap_or(time);
        if time.trim().is_empty() || judged.trim().is_empty() {
            return Err(BOUND.to_owned());
        }
        Ok(Self { judged: judged.trim().parse()?, limit: limit(time.trim())? })
    }
}

impl FromStr for Requirement {
    type Err = String;

    /// Reads `p99 < 2ms @ 12000`.
    fn from_str(text: &str) -> Result<Self, String> {
        let whole = "write the limit and the rate, such as 'p99 < 2ms @ 12000'";
        let (bound, rate) = text.split_once('@').ok_or_else(|| format!("the rate is missing; {whole}"))?;
        let digits = rate.trim();
        let digits = digits.strip_suffix("/s").unwrap_or(digits).trim_end();
        let rate =
            count_of(digits).and_then(|rate| u32::try_from(rate).ok()).ok_or_else(|| {
                match count_meant(digits) {
                    Some(meant) => format!("'{}' is not a single number: write {meant}", rate.trim()),
                    None => format!("'{}' is not a whole number of I/Os per second; {whole}", rate.trim()),
                }
            })?;
        if rate == 0 {
            return Err(format!("the rate must not be 0; {whole}"));
        }
        Ok(Self { bound: bound.trim().parse()?, rate })
    }
}

impl SloBound {
    /// What it says about a share, as part of a sentence: `at most 1 % of the I/Os take longer than 1 ms`.
    pub fn meaning(&self) -> String {
        match self.judged.allowed() {
            None => format!("the mean latency is at most {}", self.limit),
            Some(share) => {
                format!("at most {} % of the I/Os take longer than {}", per_cent(share), self.limit)
            }
        }
    }
}

/// A share in per cent with the necessary digits: 0.001 is `0.1`.
fn per_cent(share: f64) -> String {
    let per_cent = 100.0 * share;
    if per_cent < 0.01 { format!("{per_cent:.4}") } else { trimmed(per_cent) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_read_and_written() {
        for (text, of_million, limit_ns, written) in [
            ("p99 < 1ms", 10_000, 1_000_000, "p99 < 1 ms"),
            ("p99.9<5ms", 1000, 5_000_000, "p99.9 < 5 ms"),
            ("P50 <= 250us", 500_000, 250_000, "p50 < 250 us"),
            ("p99 =< 2ms", 10_000, 2_000_000, "p99 < 2 ms"),
            ("p99 \u{2264} 2ms", 10_000, 2_000_000, "p99 < 2 ms"),
            ("p99.9999 < 1s", 1, 1_000_000_000, "p99.9999 < 1 s"),
            ("p5 < 1.5ms", 950_000, 1_500_000, "p5 < 1.5 ms"),
        ] {
            let bound: SloBound = text.parse().unwrap();
            assert_eq!(
                bound,
                SloBound { judged: LatencyCriterion::Beyond(of_million), limit: Nanos(limit_ns) },
                "{text}"
            );
            assert_eq!(bound.to_string(), written);
            assert_eq!(written.parse::<SloBound>(), Ok(bound));
        }
        assert_eq!("mean < 2ms".parse::<SloBound>().unwrap().judged, LatencyCriterion::Mean);
        let at: Requirement = "p99 < 2ms @ 12000/s".parse().unwrap();
        assert_eq!((at.rate, at.to_string().as_str()), (12_000, "p99 < 2 ms @ 12000"));
    }

    #[test]
    fn what_is_no_bound_says_what_to_write() {
        for (text, part) in [
            ("p99 < 1", "write 1ms or 1us"),
            ("p99 1ms", "'<' is missing"),
            ("p100 < 1ms", "is not a latency statistic"),
            ("p0 < 1ms", "is not a latency statistic"),
            ("p99.99999 < 1ms", "is not a latency statistic"),
            ("q99 < 1ms", "such as p99"),
            ("p99 <", "'p99.9 < 5ms'"),
            ("p99 < 0ms", "must be greater than 0"),
            ("p99 < 1ms < 2ms", "is not a unit"),
        ] {
            let error = text.parse::<SloBound>().unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
        for (text, part) in [
            ("p99 < 2ms", "the rate is missing"),
            ("p99 < 2ms @ 0", "the rate must not be 0"),
            ("p99 < 2ms @ fast", "not a whole number"),
            ("p99 < 2ms @ -5", "not a whole number"),
            ("p99 < 2 @ 5000", "has no unit"),
        ] {
            let error = text.parse::<Requirement>().unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn a_bound_says_what_it_means() {
        let meaning = |text: &str| text.parse::<SloBound>().unwrap().meaning();
        assert_eq!(meaning("p99.9 < 5ms"), "at most 0.1 % of the I/Os take longer than 5 ms");
        assert_eq!(meaning("mean < 5ms"), "the mean latency is at most 5 ms");
    }
}
