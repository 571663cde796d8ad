//! Flags: evidence that a number needs care, each with its figures, shown beside the number.
//!
//! Every code is a test with a threshold, never a feeling. Must not change a number.

mod meaning;

pub use meaning::{Meaning, Next};

use crate::measure::Occupancy;
use crate::units::{NS_PER_S, to_f64};
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
    /// I/Os did not come back.
    Hung,
    /// Nothing came back for a time, or one I/O took far longer than all others.
    Stalled,
    /// A target or a limit on I/O is not what it was when the run began.
    Changed,
    /// Outstanding, rate and latency do not obey Little's law.
    Little,
    /// Fewer I/Os were in flight than planned.
    QueueNotFilled,
    /// Measured through the page cache, on request.
    Buffered,
    /// A target is memory of this host.
    Memory,
    /// Large buffers are scattered over physical memory.
    Buffers,
    /// A simulated device.
    Simulated,
    /// The interval is wider than was asked for.
    NotReached,
    /// So few points that a rare state of the device may have been missed by all visits.
    FewPoints,
    /// Visits are still settling where the measuring begins.
    Warmup,
    /// The rate went to another level during a long visit.
    LevelShift,
    /// The rate changed steadily.
    Drift,
    /// The rate is held down by a limit, or burst credit was used up.
    Throttled,
    /// Writes became slower when a cache or the spare blocks were full.
    WriteCliff,
    /// Noise that outlasts the rests between visits: intervals may be too narrow.
    SlowNoise,
    /// Rare visits far off the others.
    Contaminated,
    /// Two groups of visits or of latencies: a mean describes neither.
    Bimodal,
    /// Some I/Os were answered faster than the device can.
    Cache,
    /// Reads of blocks that hold no data: no medium may have been asked.
    Zeros,
    /// Durable writes take hardly longer than others.
    FlushFree,
    /// The tool or the host was the limit, not the storage.
    HostLimited,
    /// The engine was the limit: much of the CPU time went into handing its I/Os over.
    EngineLimited,
    /// Something else used the host or the device meanwhile.
    Foreign,
    /// The process was served before or after others.
    Priority,
    /// A target so small that a cache below can hold it.
    SmallTarget,
    /// More outstanding I/Os gave a lower rate.
    Retrograde,
    /// Load levels contradict what a closed loop can do.
    NotMonotone,
    /// The search ended before the device was saturated.
    NotSaturated,
    /// The run was interrupted, and went on later.
    Resumed,
    /// Operations began later than their time though they had a slot.
    PacingLate,
    /// More arrived than was served, so that the backlog grew.
    Overload,
    /// Look-ups in a database were not one read of the device each.
    Unverified,
    /// Blocks did not hold what was written to them.
    WrongData,
    /// Nodes did not begin together.
    Skew,
    /// A node lagged behind the others.
    Imbalance,
}

impl FlagCode {
    /// All of them.
    pub const ALL: [Self; 40] = [
        Self::NoData,
        Self::CutShort,
        Self::Errors,
        Self::Hung,
        Self::Stalled,
        Self::Changed,
        Self::Little,
        Self::QueueNotFilled,
        Self::Buffered,
        Self::Memory,
        Self::Buffers,
        Self::Simulated,
        Self::NotReached,
        Self::FewPoints,
        Self::Warmup,
        Self::LevelShift,
        Self::Drift,
        Self::Throttled,
        Self::WriteCliff,
        Self::SlowNoise,
        Self::Contaminated,
        Self::Bimodal,
        Self::Cache,
        Self::Zeros,
        Self::FlushFree,
        Self::HostLimited,
        Self::EngineLimited,
        Self::Foreign,
        Self::Priority,
        Self::SmallTarget,
        Self::Retrograde,
        Self::NotMonotone,
        Self::NotSaturated,
        Self::Resumed,
        Self::PacingLate,
        Self::Overload,
        Self::Unverified,
        Self::WrongData,
        Self::Skew,
        Self::Imbalance,
    ];

    /// The name in every output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoData => "NO_DATA",
            Self::CutShort => "CUT_SHORT",
            Self::Errors => "ERRORS",
            Self::Hung => "HUNG",
            Self::Stalled => "STALLED",
            Self::Changed => "CHANGED",
            Self::Little => "LITTLE",
            Self::QueueNotFilled => "QUEUE_NOT_FILLED",
            Self::Buffered => "BUFFERED",
            Self::Memory => "MEMORY",
            Self::Buffers => "BUFFERS",
            Self::Simulated => "SIMULATED",
            Self::NotReached => "NOT_REACHED",
            Self::FewPoints => "FEW_POINTS",
            Self::Warmup => "WARMUP",
            Self::LevelShift => "LEVEL_SHIFT",
            Self::Drift => "DRIFT",
            Self::Throttled => "THROTTLED",
            Self::WriteCliff => "WRITE_CLIFF",
            Self::SlowNoise => "SLOW_NOISE",
            Self::Contaminated => "CONTAMINATED",
            Self::Bimodal => "BIMODAL",
            Self::Cache => "CACHE",
            Self::Zeros => "ZEROS",
            Self::FlushFree => "FLUSH_FREE",
            Self::HostLimited => "HOST_LIMITED",
            Self::EngineLimited => "ENGINE_LIMITED",
            Self::Foreign => "FOREIGN",
            Self::Priority => "PRIORITY",
            Self::SmallTarget => "SMALL_TARGET",
            Self::Retrograde => "RETROGRADE",
            Self::NotMonotone => "NOT_MONOTONE",
            Self::NotSaturated => "NOT_SATURATED",
            Self::Resumed => "RESUMED",
            Self::PacingLate => "PACING_LATE",
            Self::Overload => "OVERLOAD",
            Self::Unverified => "UNVERIFIED",
            Self::WrongData => "WRONG_DATA",
            Self::Skew => "SKEW",
            Self::Imbalance => "IMBALANCE",
        }
    }
}

/// One flag of one point, or of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Flag {
    /// Which.
    pub code: FlagCode,
    /// The figures, as a sentence without a full stop.
    pub text: String,
    /// The numbers beside it must not be used: they are not about the storage.
    #[serde(default)]
    pub invalid: bool,
    /// Worth knowing, but too little to speak against the numbers beside it.
    #[serde(default)]
    pub note: bool,
}

impl Flag {
    /// A flag with its figures.
    pub fn new(code: FlagCode, text: impl Into<String>) -> Self {
        Self { code, text: text.into(), invalid: false, note: false }
    }

    /// The same flag, where it is worth knowing and speaks against nothing.
    #[must_use]
    pub fn noting(self) -> Self {
        Self { note: true, ..self }
    }

    /// Whether it speaks against the numbers beside it.
    pub const fn speaks_against(&self) -> bool {
        self.invalid || !self.note
    }

    /// The same flag, of numbers that must not be used.
    #[must_use]
    pub fn invalidating(self) -> Self {
        Self { invalid: true, ..self }
    }
}

/// Relative deviation that Little's law and the in-flight gauge may show.
const LITTLE_TOLERANCE: f64 = 0.01;

/// A larger deviation from Little's law means lost I/Os or wrong times.
const LITTLE_INVALID: f64 = 0.05;

/// Little's law, `N = X R`: in a closed loop the time that I/Os take inside windows of `seconds` altogether, over the length of the windows, is the
/// number outstanding. Returns the ratio `X R / N` when it is off by more than 1 % and what is not known of the ends of the windows.
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

/// Whether the mean in flight was short of the plan by more than 1 %.
pub(crate) fn queue_not_filled(mean_in_flight: f64, planned: u32) -> bool {
    mean_in_flight < f64::from(planned) * (1.0 - LITTLE_TOLERANCE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_what_json_says() {
        for code in FlagCode::ALL {
            assert_eq!(serde_json::to_string(&code).unwrap(), format!("\"{}\"", code.name()));
        }
    }

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
