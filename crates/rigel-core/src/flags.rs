//! Flags: evidence that a number needs care, each with its figures, shown beside the number.
//!
//! Every code is a test with a threshold, never a feeling. Must not change a number.

use crate::units::to_f64;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a flag is about. The names are part of the outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum FlagCode {
    /// Nothing completed: there is no number.
    NoData,
    /// The measured window ended before its time.
    CutShort,
    /// I/Os failed.
    Errors,
    /// Outstanding, rate and latency do not obey Little's law.
    Little,
    /// Fewer I/Os were in flight than planned.
    QueueNotFilled,
    /// Measured through the page cache, on request.
    Buffered,
    /// Large buffers are scattered over physical memory.
    Buffers,
    /// A simulated device.
    Simulated,
}

impl FlagCode {
    /// The name in every output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoData => "NO_DATA",
            Self::CutShort => "CUT_SHORT",
            Self::Errors => "ERRORS",
            Self::Little => "LITTLE",
            Self::QueueNotFilled => "QUEUE_NOT_FILLED",
            Self::Buffered => "BUFFERED",
            Self::Buffers => "BUFFERS",
            Self::Simulated => "SIMULATED",
        }
    }
}

/// One flag of one point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Flag {
    /// Which.
    pub code: FlagCode,
    /// The figures, as a sentence without a full stop.
    pub text: String,
}

impl Flag {
    /// A flag with its figures.
    #[must_use]
    pub fn new(code: FlagCode, text: impl Into<String>) -> Self {
        Self { code, text: text.into() }
    }
}

/// Relative deviation that Little's law and the in-flight gauge may show, beside the edges of the window.
const LITTLE_TOLERANCE: f64 = 0.01;

/// Little's law, `N = X R`: in a closed loop the rate times the mean latency is the number outstanding. Completions at
/// the edges of the window blur it by at most N I/Os, that is `N / (X T)`.
///
/// Returns the ratio `X R / N` when it is off by more than 1 % and the edges.
#[must_use]
pub fn little(completed: u64, latency_sum_ns: u64, span_ns: u64, planned: u32) -> Option<f64> {
    if completed == 0 || span_ns == 0 || planned == 0 {
        return None;
    }
    let ratio = to_f64(latency_sum_ns) / (to_f64(span_ns) * f64::from(planned));
    let edges = f64::from(planned) / to_f64(completed);
    ((ratio - 1.0).abs() > LITTLE_TOLERANCE + edges).then_some(ratio)
}

/// Whether the mean in flight was short of the plan by more than 1 %.
#[must_use]
pub fn queue_not_filled(mean_in_flight: f64, planned: u32) -> bool {
    mean_in_flight < f64::from(planned) * (1.0 - LITTLE_TOLERANCE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_what_json_says() {
        for code in [FlagCode::NoData, FlagCode::QueueNotFilled, FlagCode::Buffered, FlagCode::CutShort] {
            assert_eq!(serde_json::to_string(&code).unwrap(), format!("\"{}\"", code.name()));
        }
    }

    #[test]
    fn little_forgives_the_edges_and_nothing_else() {
        // 5 outstanding, 10 ms each, one second: 500 completions.
        assert_eq!(little(500, 500 * 10_000_000, 1_000_000_000, 5), None);
        // Edges: 5 of 500 are 1 %, so nearly 2 % in all are forgiven.
        assert_eq!(little(500, 491 * 10_000_000, 1_000_000_000, 5), None);
        let ratio = little(500, 480 * 10_000_000, 1_000_000_000, 5).unwrap();
        assert!((ratio - 0.96).abs() < 1e-12);
        assert_eq!(little(0, 0, 1_000_000_000, 5), None);
    }

    #[test]
    fn a_queue_is_filled_within_one_per_cent() {
        assert!(!queue_not_filled(4.96, 5));
        assert!(queue_not_filled(4.9, 5));
    }
}
