//! What a two-sided run, or one through a failure, must show: gates that can fail a pipeline.
//!
//! They are part of the request, so a resumed run and regenerated outputs are judged by them as well. Must not judge;
//! `rigel_uses::compare::gate` reads and judges them.

use crate::load::slo::Requirement;
use crate::load::through::Demand;
use serde::{Deserialize, Serialize};

/// The gates of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Demands {
    /// Limits that B must not break (`--fail-if`), as typed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fail_if: Vec<String>,
    /// Limits that B must meet at a rate (`--require`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub required: Vec<Requirement>,
    /// Limits of a run through a failure (`--require`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub through: Vec<Demand>,
    /// A gate that is undecided fails, too.
    #[serde(default)]
    pub undecided_fails: bool,
}

impl Demands {
    /// Whether there are no gates.
    pub const fn is_empty(&self) -> bool {
        self.fail_if.is_empty() && self.required.is_empty() && self.through.is_empty()
    }
}
