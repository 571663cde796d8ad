//! Two alternating sides in one run: which load classes, targets and way of I/O belong to which.
//!
//! A class carries its side in its name, `small_a` and `small_b`, so points, visits and figures of the sides are distinguished like those of
//! classes. Must not know how the sides are visited or compared.

use crate::error::Problem;
use crate::load::engine::EngineRequest;
use serde::{Deserialize, Serialize};

/// One of two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// The reference.
    A,
    /// The one compared with it.
    B,
}

/// The settings of side B. The remaining request applies to both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sides {
    /// The number of A's targets, which come first.
    pub targets_of_a: u16,
    /// Its engine.
    pub engine: EngineRequest,
    /// Whether it goes through the page cache.
    pub buffered: bool,
}

impl Side {
    /// Both sides, A first.
    pub const BOTH: [Self; 2] = [Self::A, Self::B];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
        }
    }

    /// The ending of its class names.
    pub(super) const fn ending(self) -> &'static str {
        match self {
            Self::A => "_a",
            Self::B => "_b",
        }
    }
}

/// Phases run in sequence, each once.
pub fn no_phases() -> Problem {
    Problem::usage("a load with phases cannot run on two sides")
        .because("a phase is measured once, but two sides alternate for many rounds")
        .next("replace the phases with points, which can alternate")
}
