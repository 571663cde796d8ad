//! Flags: evidence that a number needs care, each with its figures, shown beside the number.
//!
//! Every code is a test with a threshold, never a feeling. Must not change a number.

mod table;

pub use table::{FlagCode, Mark, Meaning, Next};

use crate::measure::Occupancy;
use crate::units::{NS_PER_S, to_f64};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One flag of one point, or of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Flag {
    /// The code.
    pub code: FlagCode,
    /// The figures, as a sentence without a full stop.
    pub text: String,
    /// The numbers next to it must not be used: they are not about the storage.
    #[serde(default)]
    pub invalid: bool,
    /// Worth knowing, but casts no doubt on the numbers next to it.
    #[serde(default)]
    pub note: bool,
}

impl Flag {
    /// A flag with its figures.
    pub fn new(code: FlagCode, text: impl Into<String>) -> Self {
        Self { code, text: text.into(), invalid: false, note: false }
    }

    /// The same flag as a note that casts no doubt.
    #[must_use]
    pub fn noting(self) -> Self {
        Self { note: true, ..self }
    }

    /// Whether it casts doubt on the numbers next to it.
    pub const fn speaks_against(&self) -> bool {
        self.invalid || !self.note
    }

    /// The same flag for numbers that must not be used.
    #[must_use]
    pub fn invalidating(self) -> Self {
        Self { invalid: true, ..self }
    }
}

/// Relative deviation that Little's law and the in-flight gauge may show.
const LITTLE_TOLERANCE: f64 = 0.01;

/// A larger deviation from Little's law means lost I/Os or wrong times.
const LITTLE_INVALID: f64 = 0.05;

/// Little's law, `N = X R`: in a closed loop the time that I/Os take inside windows of `seconds` in total, over the length of the
/// windows, is the number outstanding. Returns the ratio `X R / N` if it is off by more than 1 % and by more than what is
/// unknown about the ends of the windows.
pub fn little(taken: Occupancy, seconds: f64, outstanding: f64) -> Option<f64> {
    let all_ns = seconds * to_f64(NS_PER_S) * outstanding;
    if taken.time_ns == 0 || all_ns <= 0.0 {
        return None;
    }
    let ratio = to_f64(taken.time_ns) / all_ns;
    let doubt = to_f64(taken.doubt_ns) / all_ns;
    ((ratio - 1.0).abs() > LITTLE_TOLERANCE + doubt).then_some(ratio)
}

/// Whether a ratio of Little's law is so far off that the numbers must not be used.
pub(crate) fn little_is_invalid(ratio: f64) -> bool {
    (ratio - 1.0).abs() > LITTLE_INVALID
}

/// Whether the mean in flight fell short of the plan by more than 1 %.
pub(crate) fn queue_not_filled(mean_in_flight: f64, planned: u32) -> bool {
    mean_in_flight < f64::from(planned) * (1.0 - LITTLE_TOLERANCE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flag_is_described() {
        let page = include_str!("../../../../docs/reference/flags.md");
        let words = page.split_whitespace().collect::<Vec<_>>().join(" ");
        for code in FlagCode::ALL {
            let (name, Meaning { means, remedy, .. }) = (code.name(), code.meaning());
            assert!(page.contains(&format!("\n| `{name}`")), "{name} has no row in docs/reference/flags.md");
            for sentence in [means, remedy] {
                assert!(
                    words.contains(sentence),
                    "docs/reference/flags.md does not say of {name}: {sentence}"
                );
                assert!(sentence.ends_with('.'), "{name}: {sentence}");
            }
        }
    }

    #[test]
    fn little_forgives_what_is_not_known_of_the_ends_and_nothing_else() {
        // 5 outstanding for one second.
        let of = |time_ms: u64, doubt_ms: u64| {
            little(Occupancy { time_ns: time_ms * 1_000_000, doubt_ns: doubt_ms * 1_000_000 }, 1.0, 5.0)
        };
        assert_eq!((of(5000, 0), of(4951, 0), of(5049, 0)), (None, None, None));
        assert!((of(4800, 0).unwrap() - 0.96).abs() < 1e-12);
        assert!((of(5200, 0).unwrap() - 1.04).abs() < 1e-12);
        assert_eq!(of(4800, 200), None, "each of the five may be off by 40 ms");
        assert!(of(4800, 100).is_some());
        assert_eq!(of(0, 0), None, "nothing was over");
        assert!(little_is_invalid(0.94) && little_is_invalid(1.06) && !little_is_invalid(1.04));
    }

    #[test]
    fn a_queue_is_filled_within_one_per_cent() {
        assert!(!queue_not_filled(4.96, 5));
        assert!(queue_not_filled(4.9, 5));
    }
}
