//! Which rows have their own information.
//!
//! In a closed loop the mean latency of a point is its outstanding I/Os over its rate, and a best point is one of the points: two
//! rows may be one fact. Such a row stays in the comparison, for gates and for programs. Must not judge.

use super::{Comparison, Effect, Row};
use rigel_core::judge::quantity::{Scope, What};
use rigel_core::stats::Estimate;

const US_PER_S: f64 = 1e6;
/// How closely rate times latency has to match the outstanding I/Os.
const LITTLE: f64 = 0.01;

impl Comparison {
    /// The rows that people read and that are counted: none that follows from another of its point, and none that repeats another.
    pub fn shown(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| !row.follows && self.repeated_by(row).is_none())
    }

    /// How many of them have this effect.
    pub fn count(&self, is: fn(Effect) -> bool) -> usize {
        self.shown().filter(|row| is(row.verdict)).count()
    }

    /// The row that says the same: a rate within a bound that never limits is the highest rate, the lowest latency
    /// belongs to a rate, and a single point is the whole. The cost of a commit is its latency, which goes before the
    /// rate of one writer.
    pub fn repeated_by(&self, row: &Row) -> Option<&Row> {
        let of_commits = row.quantity.class.is_of_commits();
        let same = || self.rows.iter().filter(|one| one.quantity.class == row.quantity.class);
        let rate_at_point = |one: &&Row| one.quantity.of == Scope::Point && one.quantity.what.is_rate();
        match (row.quantity.of, row.quantity.what) {
            (Scope::Best, What::Rate) => same().find(|one| {
                one.quantity.of == Scope::WithinBound
                    && (one.base, one.new, one.change) == (row.base, row.new, row.change)
            }),
            (Scope::Best | Scope::Alone, What::Mean | What::Bounded) if !of_commits => {
                same().filter(rate_at_point).find(|rate| is_latency_of(row, rate))
            }
            (Scope::Alone, What::Rate | What::Mbps) => same()
                .filter(rate_at_point)
                .find(|one| (one.base, one.new, one.verdict) == (row.base, row.new, row.verdict)),
            (Scope::Point, What::Rate) if of_commits => same().find(|one| {
                one.quantity.of == Scope::Alone && one.quantity.what == What::Mean && is_latency_of(one, row)
            }),
            _ => None,
        }
    }
}

/// Whether a latency belongs to the point of a rate, on both sides, with the same effect.
fn is_latency_of(latency: &Row, rate: &Row) -> bool {
    let Some(level) = rate.point.map(|point| f64::from(point.of(rate.quantity.class))) else {
        return false;
    };
    let follows = |latency: &Estimate, rate: &Estimate| {
        (latency.value * rate.value / US_PER_S / level - 1.0).abs() < LITTLE
    };
    latency.verdict == rate.verdict && follows(&latency.base, &rate.base) && follows(&latency.new, &rate.new)
}
