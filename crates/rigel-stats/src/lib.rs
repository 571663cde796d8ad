//! The numbers of Rigel: units and how they are written, histograms, random numbers from a seed, the statistics, and the laws of simulated
//! devices.
//!
//! The statistics are intervals from repeated short visits, when to stop, what to visit next, and tests that cast doubt on a number.
//! The unit of replication is the visit (Kalibera, Jones 2013). The variation between visits is what a second run would
//! see; data from inside one visit cannot show it. Everything here is a pure function or a state machine over plain
//! numbers. Must not know what a run, a target or a record is, or read a clock.
//!
//! Rates may have any unit, but one unit per quantity. A result is relative or has the unit of its input.
#![forbid(unsafe_code)]

pub mod batch_means;
pub mod bound;
pub mod burst;
pub mod by_place;
pub mod crossing;
pub mod detect;
pub mod estimate;
pub mod forecast;
pub mod generator;
pub mod histogram;
pub mod interval;
pub mod isotonic;
pub mod levels_auto;
pub mod look;
mod named;
#[cfg(any(test, feature = "harness"))]
pub mod noise;
pub mod parameters;
pub mod quantile;
pub mod rates;
pub mod sample;
pub mod schedule;
pub mod sessions;
pub mod settle;
pub mod share;
pub mod sim;
pub mod special;
pub mod turns;
pub mod units;
pub mod variance;
pub mod working_set;

pub use estimate::{Basis, Estimate, EstimateForm};
pub use interval::Interval;
pub use parameters::Parameters;
pub use variance::{Contamination, PointVisits, Spread};

#[cfg(test)]
mod tests;
