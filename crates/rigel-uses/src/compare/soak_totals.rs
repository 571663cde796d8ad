//! What each side of two soaks endured: failed I/Os, wrong blocks and the longest I/O, which are counted and have no interval.
//!
//! Must not judge: that nothing failed in one soak does not mean that nothing would fail in the next.

use super::Run;
use crate::soak::{PhaseIo, SoakFindings};
use rigel_core::units::Nanos;
use schemars::JsonSchema;
use serde::Serialize;

/// The soaks of a side together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Endured")]
pub struct SoakTotals {
    /// I/Os that succeeded.
    pub ios: u64,
    /// I/Os that failed.
    pub errors: u64,
    /// Verified blocks that were wrong.
    pub wrong_blocks: u64,
    /// The longest I/O.
    #[serde(rename = "longest_s", serialize_with = "rigel_core::documents::seconds")]
    #[schemars(with = "f64")]
    pub longest: Nanos,
    /// Length of the load.
    #[serde(rename = "lasted_s", serialize_with = "rigel_core::documents::seconds")]
    #[schemars(with = "f64")]
    pub lasted: Nanos,
}

/// What both sides endured; `None` unless every run is a soak.
pub(super) fn of(base: &[Run<'_>], new: &[Run<'_>]) -> Option<[SoakTotals; 2]> {
    Some([side(base)?, side(new)?])
}

fn side(runs: &[Run<'_>]) -> Option<SoakTotals> {
    let found: Option<Vec<SoakFindings>> = runs.iter().map(|run| SoakFindings::of(run.record)).collect();
    Some(found?.iter().map(one).fold(SoakTotals::default(), SoakTotals::with))
}

fn one(found: &SoakFindings) -> SoakTotals {
    let all = || found.phases.iter().flat_map(|phase| phase.classes.values());
    let sum = |of: fn(&PhaseIo) -> u64| all().map(of).fold(0, u64::saturating_add);
    SoakTotals {
        ios: found.ios,
        errors: found.errors,
        wrong_blocks: sum(|io| io.wrong),
        longest: Nanos(all().map(|io| io.longest_ns).max().unwrap_or(0)),
        lasted: found.lasted,
    }
}

impl SoakTotals {
    fn with(self, other: Self) -> Self {
        Self {
            ios: self.ios.saturating_add(other.ios),
            errors: self.errors.saturating_add(other.errors),
            wrong_blocks: self.wrong_blocks.saturating_add(other.wrong_blocks),
            longest: self.longest.max(other.longest),
            lasted: Nanos(self.lasted.0.saturating_add(other.lasted.0)),
        }
    }
}
