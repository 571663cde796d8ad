//! The requested engine.
//!
//! Must not know which ones a host has.

use crate::facts::engine::EngineKind;
use crate::sim::SimLaw;
use serde::{Deserialize, Serialize};

/// Which engine to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "there is one per run, and a box could not be copied")]
pub enum EngineRequest {
    /// The best one that works here.
    #[default]
    Auto,
    /// This one only.
    Only(EngineKind),
    /// A simulated device in virtual time.
    Sim(SimLaw),
}

impl EngineRequest {
    /// Whether no real target is touched.
    pub const fn is_simulated(self) -> bool {
        match self {
            Self::Auto => false,
            Self::Only(kind) => kind.is_simulated(),
            Self::Sim(_) => true,
        }
    }
}
