//! The statistics: intervals from repeated short visits, when to stop, what to visit next, and tests that cast doubt on a number.
//!
//! The unit of replication is the visit (Kalibera, Jones 2013). The variation between visits is what a second run would
//! see; data from inside one visit cannot show it. Everything here is a pure function or a state machine over plain
//! numbers. Must not read a clock, draw from anything but [`crate::load::draw::Generator`], or write a text.
//!
//! Rates may have any unit, but one unit per quantity. A result is relative or has the unit of its input.

pub(crate) mod batch_means;
pub mod bound;
pub mod burst;
pub mod by_place;
pub mod crossing;
pub mod detect;
pub(crate) mod estimate;
pub mod forecast;
pub(crate) mod interval;
pub(crate) mod isotonic;
pub mod levels_auto;
pub(crate) mod look;
pub(crate) mod parameters;
pub mod quantile;
pub mod rates;
pub mod sample;
pub mod schedule;
pub mod sessions;
pub mod settle;
pub mod share;
pub mod special;
pub mod turns;
pub mod variance;
pub mod working_set;

pub use estimate::{Basis, Estimate, EstimateForm};
pub use interval::Interval;
pub use parameters::Parameters;
pub use variance::{Contamination, PointVisits, Spread};

#[cfg(test)]
pub(crate) mod tests;
