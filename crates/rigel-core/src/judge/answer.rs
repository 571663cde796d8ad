//! What a record answers: this is the only place that decides, from the task of its run.
//!
//! Must not judge or word an answer; the findings and the outputs do.

use crate::judge::findings::{
    Answers, BurstFindings, Findings, ScalingFindings, SloFindings, WorkingSetFindings,
};
use crate::load::request::Request;
use crate::load::sides::Sides;
use crate::load::soak::Soak;
use crate::load::task::Task;

/// The answer of a record.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one per document, and it is looked at once")]
pub enum Answer<'a> {
    /// What the storage does at each point of a load.
    Points,
    /// How two alternating sides differ.
    Ratio(Sides),
    /// The answers of a calibration.
    Calibration(&'a Answers),
    /// The highest rate at which bounds are met.
    Rate(&'a SloFindings),
    /// Problems over a long time.
    Soak(Soak),
    /// The effect of a failure on a constant load.
    Through,
    /// How the rate grows with the targets.
    Scaling(&'a ScalingFindings),
    /// How long a rate lasts, and how it recovers.
    Burst(&'a BurstFindings),
    /// What a cache is worth.
    WorkingSet(&'a WorkingSetFindings),
}

impl<'a> Answer<'a> {
    /// The answer of a run with this task and these findings.
    pub fn of(request: &Request, found: &'a Findings) -> Self {
        match (&request.task, request.sides) {
            (Task::Calibrate { .. }, _) => found.answers.as_ref().map_or(Self::Points, Self::Calibration),
            (Task::Rate { .. }, _) => found.slo.as_ref().map_or(Self::Points, Self::Rate),
            (Task::Soak { soak, .. }, _) if soak.through => Self::Through,
            (Task::Soak { soak, .. }, _) => Self::Soak(*soak),
            (Task::Load { .. }, Some(sides)) => Self::Ratio(sides),
            (Task::Load { .. }, None) => found.scaling.as_ref().map_or(Self::Points, Self::Scaling),
            (Task::Burst { .. }, _) => found.burst.as_ref().map_or(Self::Points, Self::Burst),
            (Task::WorkingSet(_), _) => found.working_set.as_ref().map_or(Self::Points, Self::WorkingSet),
            (Task::Matrix { .. } | Task::Phases(_), _) => Self::Points,
        }
    }

    /// The question, in words.
    pub const fn question(&self) -> &'static str {
        match self {
            Self::Points => "what the storage does at each load level",
            Self::Ratio(_) => "by how much one side of a run differs from the other",
            Self::Calibration(_) => {
                "what a calibration asks: the highest rates, and the rate within a latency limit"
            }
            Self::Rate(_) => "the highest rate that meets latency limits",
            Self::Soak(_) => "what went wrong over a long time",
            Self::Through => "what a failure did to a steady load",
            Self::Scaling(_) => "how the rate grows with the targets",
            Self::Burst(_) => "how long a rate lasts, and what brings it back",
            Self::WorkingSet(_) => "what a cache is worth",
        }
    }
}
