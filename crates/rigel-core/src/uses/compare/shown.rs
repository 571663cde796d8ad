//! Which rows tell something of their own.
//!
//! In a closed loop the mean latency of a point is its outstanding I/Os over its rate, and a best point is one of the points: two
//! rows may be one fact. Such a row stays in the comparison, for gates and for programs. Must not judge.

use super::{Comparison, Effect, Metric, Row};
use crate::load::class::Class;
use crate::stats::Estimate;

const US_PER_S: f64 = 1e6;
/// How exactly rate times latency has to give the outstanding I/Os.
const LITTLE: f64 = 0.01;

impl Comparison {
    /// The rows that people read and that are counted: no mean latency of a point, and no row that repeats another.
    pub fn shown(&self) -> impl Iterator<Item = &Row> {
        let follows = |row: &Row| row.metric.mirrors_a_rate() && !row.metric.is_of_a_run();
        self.rows.iter().filter(move |row| !follows(row) && self.repeated_by(row).is_none())
    }

    /// How many of them have this effect.
    pub fn count(&self, is: fn(Effect) -> bool) -> usize {
        self.shown().filter(|row| is(row.verdict)).count()
    }

    /// The row that tells what a quantity of the runs tells: the rate within a bound that never binds is the highest rate, and
    /// the lowest latency belongs to a rate.
    pub fn repeated_by(&self, row: &Row) -> Option<&Row> {
        match row.metric {
            Metric::MaxSmallIops => self.rows.iter().find(|one| {
                one.metric == Metric::MaxIops
                    && (one.base, one.new, one.change) == (row.base, row.new, row.change)
            }),
            Metric::MinSmallLatency => {
                self.rows.iter().find(|rate| rate.metric == Metric::SmallIops && is_latency_of(row, rate))
            }
            _ => None,
        }
    }
}

/// Whether a latency is that of the point of a rate, on both sides, with the same effect.
fn is_latency_of(latency: &Row, rate: &Row) -> bool {
    let Some(level) = rate.point.map(|point| f64::from(point.of(Class::SMALL))) else {
        return false;
    };
    let follows = |latency: &Estimate, rate: &Estimate| {
        (latency.value * rate.value / US_PER_S / level - 1.0).abs() < LITTLE
    };
    latency.verdict == rate.verdict && follows(&latency.base, &rate.base) && follows(&latency.new, &rate.new)
}
