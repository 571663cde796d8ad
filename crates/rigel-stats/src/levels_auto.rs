//! The search for the number of outstanding I/Os that saturates the device.
//!
//! In a closed loop with N outstanding I/Os the rate X(N) rises to a plateau. The search doubles N up to the
//! plateau, measures the plateau with new visits, and bisects for the knee. Each decision is made once it is
//! significant; if it never is, the result says so. Must not interpolate: every figure is of a level that was
//! visited.

mod search;

use super::interval::Interval;
use schemars::JsonSchema;
use search::Search;
use serde::Serialize;
use std::collections::{BTreeMap, VecDeque};

/// One visit to one load level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelVisit {
    /// I/Os outstanding.
    pub outstanding: u32,
    /// I/Os per second.
    pub rate: f64,
    /// Mean latency in seconds.
    pub latency_s: f64,
    /// Length of the measured window in seconds.
    pub window_s: f64,
}

/// Saturation is this part of the maximum.
pub const SATURATION: f64 = 0.95;

/// The bounds of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelRules {
    /// The largest level.
    pub most_outstanding: u32,
    /// Visits to every level.
    pub visits: usize,
}

impl Default for LevelRules {
    fn default() -> Self {
        Self { most_outstanding: 512, visits: 3 }
    }
}

/// What to do next.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// Visit this level once, add the visit to the others and ask again.
    Visit(u32),
    /// The curve is known.
    Done(Box<Curve>),
    /// No level has a rate: there is no curve.
    Nothing,
}

/// So many times the level that saturates was tried: that is a plateau, however its levels differ by chance.
pub const PLATEAU: u32 = 4;

/// What the search found.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Rates of all levels visited, ascending.
    pub levels: Vec<(u32, Interval)>,
    /// The maximum, from visits after the levels of the plateau were chosen. The largest of many noisy means would
    /// be biased upwards.
    pub x_max: Interval,
    /// Whether the climb ended on a plateau. If not, `x_max` and `n_sat` are lower bounds.
    pub saturated: bool,
    /// The smallest level that reaches 95 % of the maximum.
    pub n_sat: Bracket,
    /// `N* = X_max R(1)`, where the two asymptotic bounds of the curve cross.
    pub crossing: f64,
    /// The level with the most rate per latency, `X / R = X^2 / N` (Kleinrock's power).
    pub power_knee: u32,
    /// Levels that contradict what a closed loop can do, even after three more visits.
    pub violations: Vec<Violation>,
}

/// The level that saturates the device, within the noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Bracket {
    /// Every level below was left out, or is below saturation at 95 % confidence.
    pub lo: u32,
    /// The smallest level whose mean reaches saturation.
    pub found: u32,
    /// This level reaches saturation at 95 % confidence, or is the largest that was visited.
    pub hi: u32,
}

/// A level whose figures are impossible in a closed loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Violation {
    /// Which.
    pub outstanding: u32,
    /// Its rate.
    pub rate: f64,
    /// How.
    pub kind: ViolationKind,
}

/// How a level contradicts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ViolationKind {
    /// More than `min(N / R(1), X_max)`, which is given.
    AboveBound(f64),
    /// Below saturation, yet slower than the next smaller level, whose rate is given.
    Falls(f64),
}

/// Decides what comes after `visits`, in whatever order they were made. The same visits always give the same answer,
/// so a search can continue from a record; visits that were not requested are set aside until they are.
pub fn next(visits: &[LevelVisit], rules: &LevelRules) -> Next {
    match search(visits, rules).run() {
        Ok(Some(curve)) => Next::Done(Box::new(curve)),
        Ok(None) => Next::Nothing,
        Err(wanted) => Next::Visit(wanted.0),
    }
}

/// The smallest level that saturates as far as `visits` tell, of a search that has no time for more, with its curve where
/// there are enough visits for one. None as long as no level has a rate.
pub fn so_far(visits: &[LevelVisit], rules: &LevelRules) -> Option<(u32, Option<Curve>)> {
    let mut search = search(visits, rules);
    match search.run() {
        Ok(curve) => curve.map(|curve| (curve.n_sat.found, Some(curve))),
        Err(_) => search.so_far(),
    }
}

fn search(visits: &[LevelVisit], rules: &LevelRules) -> Search {
    let mut made: BTreeMap<u32, VecDeque<LevelVisit>> = BTreeMap::new();
    visits.iter().for_each(|visit| made.entry(visit.outstanding).or_default().push_back(*visit));
    Search::new(made, *rules)
}

/// The levels of an axis of a matrix around saturation: `0, 1, N/4, N/2, N, 2N`.
pub fn axis(n_sat: u32) -> Vec<u32> {
    let mut levels = vec![0, 1, n_sat / 4, n_sat / 2, n_sat, n_sat.saturating_mul(2)];
    levels.sort_unstable();
    levels.dedup();
    levels
}

#[cfg(test)]
mod tests;
