//! What a run is asked to find, and what only such a run has.
//!
//! Each kind of run is a variant, so invalid combinations cannot be requested. Must not know how a run reaches the storage; that is the
//! rest of a [`crate::load::request::Request`], which has the checks.

use crate::load::burst::Burst;
use crate::load::commits::NoCommits;
use crate::load::matrix::{MatrixShape, Point, RunLevel};
use crate::load::pace::{Adaptive, LevelChoice, Pace};
use crate::load::phase::Phase;
use crate::load::slo::Slo;
use crate::load::soak::Soak;
use crate::load::sql::SqlRequest;
use crate::load::working_set::WorkingSet;
use crate::stats::bound::LatencyBound;
use serde::{Deserialize, Serialize};

/// The question of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "there is one per run")]
pub enum Task {
    /// The figures of a matrix of ORION's small and large I/O.
    Matrix {
        /// The run level.
        level: RunLevel,
        /// Its shape; only for `advanced`.
        shape: MatrixShape,
        /// The source of its levels.
        levels: LevelChoice,
        /// How long and how often a point is measured.
        pace: Pace,
    },
    /// The figures of points that the load defines.
    Load {
        /// The word for the load.
        level: RunLevel,
        /// The points; empty: each class alone at its levels.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        points: Vec<Point>,
        /// How long and how often a point is measured.
        pace: Pace,
    },
    /// The answers of a calibration: the levels at a latency of small I/O and at saturation are searched for, then measured.
    Calibrate {
        /// The latency.
        bound: LatencyBound,
        /// Why it has no commits; `None` if it has some.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        no_commits: Option<NoCommits>,
        /// How long and how often a point is measured.
        pace: Adaptive,
    },
    /// The highest rate of an open loop at which limits are met.
    Rate {
        /// The word for the load.
        level: RunLevel,
        /// The limits.
        slo: Slo,
        /// The load that is scaled; `None`: one of each class.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base: Option<Point>,
        /// The loads that are scaled together, if [`Slo::scaled`] is set.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        phases: Vec<Phase>,
        /// How long and how often a point is measured.
        pace: Adaptive,
    },
    /// The result of each phase of a load, one visit to each, in order.
    Phases(Vec<Phase>),
    /// What went wrong while the phases of a load repeated.
    Soak {
        /// For how long, and how often figures are stored.
        soak: Soak,
        /// The phases; empty until the file with them is read.
        phases: Vec<Phase>,
        /// The directories for lines that do not fit into the record, the best first.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        rest_dirs: Vec<String>,
    },
    /// How long a rate lasts, and how it recovers.
    Burst {
        /// The longest time.
        burst: Burst,
        /// The probe and both bursts, as planned; empty until the targets are known.
        phases: Vec<Phase>,
    },
    /// Random reads of a growing part of a target: its caches.
    WorkingSet(WorkingSet),
}

/// What carries the load.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Through {
    /// The kernel.
    #[default]
    Kernel,
    /// A database.
    Sql(SqlRequest),
}

impl Through {
    /// Whether it is the kernel.
    pub const fn is_kernel(&self) -> bool {
        matches!(self, Self::Kernel)
    }
}

impl Task {
    /// The plain task of a level: ORION's matrix, or the points of the classes.
    pub const fn of_level(level: RunLevel) -> Self {
        let pace = Pace::ORION;
        if level.is_own() {
            return Self::named(level, Vec::new(), pace);
        }
        Self::Matrix { level, shape: MatrixShape::Basic, levels: LevelChoice::Orion, pace }
    }

    /// Points that a load defines.
    pub const fn named(level: RunLevel, points: Vec<Point>, pace: Pace) -> Self {
        Self::Load { level, points, pace }
    }

    /// The matrix of `advanced`, each point once.
    pub const fn advanced(shape: MatrixShape) -> Self {
        Self::Matrix { level: RunLevel::Advanced, shape, levels: LevelChoice::Orion, pace: Pace::ORION }
    }

    /// ORION's matrix around the saturation of the device.
    pub const fn searched(level: RunLevel, pace: Pace) -> Self {
        Self::Matrix { level, shape: MatrixShape::Basic, levels: LevelChoice::Auto, pace }
    }

    /// A search for a rate with its own arrivals.
    pub const fn rate(level: RunLevel, slo: Slo, pace: Adaptive) -> Self {
        Self::Rate { level, slo, base: None, phases: Vec::new(), pace }
    }

    /// A soak.
    pub const fn soak(soak: Soak, phases: Vec<Phase>) -> Self {
        Self::Soak { soak, phases, rest_dirs: Vec::new() }
    }
}
