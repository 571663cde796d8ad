//! The demands on a run that holds a rate while something fails: `standstill < 30s`, `errors = 0`, `p99 < 10ms during`.
//!
//! Must not judge; `rigel_uses::through` does.

use crate::load::slo::SloBound;
use crate::load::soak::Soak;
use crate::units::{NS_PER_S, Nanos, UnitError};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The default time: enough for a failover, not for a rebuild.
pub const USUAL_TIME: Nanos = Nanos::from_secs(600);
/// A shorter run has no level before the failure.
pub const SHORTEST: Nanos = Nanos::from_secs(10);
/// Figures are stored every second, as long as the record stays within this many.
const MOST_FIGURES: u64 = 7200;
/// A failover may take minutes, and an I/O that waits for it is no reason to end the run.
pub const USUAL_IO_TIMEOUT: Nanos = Nanos::from_secs(600);
/// Most characters of a mark.
pub const MOST_TEXT: usize = 200;

/// The syntax of a demand.
const FORM: &str = "write 'standstill < 30s', 'back < 60s', 'errors = 0', or a latency with the part of the run, such as 'p99 < 10ms during'";

/// A part of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Span {
    /// Up to the first sign of trouble.
    Before,
    /// From there until rate and p99 are back.
    During,
    /// After that.
    After,
}

crate::named!(Span { Before: "before", During: "during", After: "after" });

/// A limit on the effect of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Demand {
    /// No standstill this long.
    Standstill(Nanos),
    /// Rate and p99 recover within this time.
    Back(Nanos),
    /// At most this many failed I/Os.
    Errors(u64),
    /// A latency limit.
    Latency {
        /// The limit.
        bound: SloBound,
        /// The part of the run; `None` for all of it.
        span: Option<Span>,
    },
}

impl fmt::Display for Demand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Standstill(limit) => write!(f, "standstill < {limit}"),
            Self::Back(limit) => write!(f, "back < {limit}"),
            Self::Errors(0) => f.write_str("errors = 0"),
            Self::Errors(most) => write!(f, "errors <= {most}"),
            Self::Latency { bound, span: None } => bound.fmt(f),
            Self::Latency { bound, span: Some(span) } => write!(f, "{bound} {}", span.name()),
        }
    }
}

impl FromStr for Demand {
    type Err = String;

    /// Reads `p99 < 10ms during`; the latency is that of any limit ([`SloBound`]).
    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim().to_ascii_lowercase();
        if let Some(rest) = text.strip_prefix("errors") {
            return errors(rest.trim());
        }
        for (word, of) in [("standstill", Self::Standstill as fn(Nanos) -> Self), ("back", Self::Back)] {
            if let Some(rest) = text.strip_prefix(word) {
                return time(rest.trim()).map(of);
            }
        }
        let spans = [Span::Before, Span::During, Span::After];
        let span = spans.into_iter().find(|span| text.ends_with(&format!(" {}", span.name())));
        let bound = span.map_or(text.as_str(), |span| text[..text.len() - span.name().len()].trim_end());
        let is_bound = bound.contains('<') && (bound.starts_with('p') || bound.starts_with("mean"));
        if !is_bound {
            return Err(FORM.to_owned());
        }
        Ok(Self::Latency { bound: bound.parse()?, span })
    }
}

/// The text after `errors`.
fn errors(rest: &str) -> Result<Demand, String> {
    let (is_below, number) = match rest.strip_prefix("<=").or_else(|| rest.strip_prefix('=')) {
        Some(number) => (false, number),
        None => (true, rest.strip_prefix('<').ok_or_else(|| FORM.to_owned())?),
    };
    let number: u64 =
        number.trim().parse().map_err(|_| format!("'{}' is not a count of I/Os", number.trim()))?;
    match (is_below, number) {
        (true, 0) => Err("fewer than 0 errors are impossible: write 'errors = 0'".to_owned()),
        (true, number) => Ok(Demand::Errors(number - 1)),
        (false, number) => Ok(Demand::Errors(number)),
    }
}

/// The text after `standstill` and `back`.
fn time(rest: &str) -> Result<Nanos, String> {
    let time = rest.strip_prefix('<').ok_or_else(|| FORM.to_owned())?;
    match time.trim_start_matches('=').trim().parse::<Nanos>() {
        Ok(Nanos(0)) => Err("a time limit must be greater than 0".to_owned()),
        Ok(limit) => Ok(limit),
        Err(UnitError::NoUnit(number)) => {
            Err(format!("'{number}' has no unit: write {number}s or {number}ms"))
        }
        Err(error) => Err(error.to_string()),
    }
}

impl Demand {
    /// The latency limit, if it is one.
    pub const fn bound(&self) -> Option<SloBound> {
        if let Self::Latency { bound, .. } = self { Some(*bound) } else { None }
    }
}

/// The soak of such a run: one phase, with figures as often as a record can hold them.
pub const fn soak(time: Nanos) -> Soak {
    let every = time.0.div_ceil(MOST_FIGURES).next_multiple_of(NS_PER_S);
    Soak { time, every: Nanos(if every < NS_PER_S { NS_PER_S } else { every }), beside: None, through: true }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn demands_are_read_and_written() {
        for (text, written) in [
            ("standstill < 30s", "standstill < 30 s"),
            ("STANDSTILL<=500ms", "standstill < 500 ms"),
            ("back < 60s", "back < 60 s"),
            ("errors = 0", "errors = 0"),
            ("errors < 1", "errors = 0"),
            ("errors<=12", "errors <= 12"),
            ("p99 < 10ms during", "p99 < 10 ms during"),
            ("p99.9<1s  after", "p99.9 < 1 s after"),
            ("mean < 5ms", "mean < 5 ms"),
        ] {
            let demand: Demand = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(demand.to_string(), written, "{text}");
            assert_eq!(written.parse::<Demand>(), Ok(demand));
        }
    }

    #[test]
    fn what_is_no_demand_says_what_to_write() {
        for (text, part) in [
            ("standstill", "standstill < 30s"),
            ("standstill < 30", "write 30s"),
            ("standstill < 0s", "greater than 0"),
            ("errors", "errors = 0"),
            ("errors < 0", "write 'errors = 0'"),
            ("errors = many", "not a count"),
            ("errors > 5", "errors = 0"),
            ("p99 during", "p99 < 10ms during"),
            ("p99 < 10ms @ 5000", "is not a unit"),
            ("p100 < 1ms during", "is not a latency statistic"),
            ("iops > 5", "p99 < 10ms during"),
            ("", "standstill < 30s"),
        ] {
            let error = text.parse::<Demand>().unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn figures_come_every_second_unless_there_would_be_too_many() {
        for (seconds, every) in [(10, 1), (600, 1), (7200, 1), (7201, 2), (86_400, 12)] {
            let soak = soak(Nanos::from_secs(seconds));
            assert_eq!(soak.every, Nanos::from_secs(every), "{seconds} s");
            assert!(soak.through);
        }
    }
}
