//! The input of a schedule, phases, and its output, the next step.
//!
//! Must not decide.

use crate::parameters::Parameters;
use serde::{Deserialize, Serialize};

/// Points that are measured together. A phase that only reads comes before one that writes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Phase {
    /// The points, by whatever number the caller gives them.
    pub points: Vec<usize>,
    /// Long visits before the first round.
    pub long_visits: Vec<LongVisit>,
    /// Pairs of points that are compared: in each round one comes right after the other, either of them first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<[usize; 2]>,
    /// The numbers that steer it, where they are not those of the run. It then has what is left of the time, and a point that
    /// gets no visit is not a failure of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<Parameters>,
}

impl Phase {
    /// The numbers that steer it, in a run with these.
    pub fn parameters<'a>(&'a self, usual: &'a Parameters) -> &'a Parameters {
        self.own.as_ref().unwrap_or(usual)
    }
}

/// A long visit to one point, normally the one with the most outstanding I/Os of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LongVisit {
    /// The point.
    pub point: usize,
    /// Its measured part.
    pub measure_ns: u64,
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Make a visit, then call [`super::Schedule::finished`].
    Visit(VisitOrder),
    /// Wait for this many nanoseconds, then ask again.
    Wait(u64),
    /// Judge the points that are not done and call [`super::Schedule::looked`].
    Look,
    /// There is nothing left to do.
    Done(Reason),
}

/// One visit to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisitOrder {
    /// Where.
    pub point: usize,
    /// Length of the measured part; settling comes on top.
    pub measure_ns: u64,
    /// Why.
    pub purpose: Purpose,
}

/// Why a visit is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A long visit that starts a phase.
    Long,
    /// The visit of a round, counted from 0 in each phase.
    Round(u32),
    /// The point is done, but another one needs its rest; the visit counts anyway.
    FillsGap,
}

/// Why nothing is left to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Every point was done at some look.
    Reached,
    /// Some points had all visits that one may have.
    MostVisits,
    /// The time was up.
    OutOfTime,
}
