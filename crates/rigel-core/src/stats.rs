//! How sure are we? Intervals from repeated short visits, when to stop, where to look next, and what speaks against it.
//!
//! The unit of replication is the visit (Kalibera, Jones 2013): what varies between visits is what a second run would
//! see, and no amount of data from inside one visit can show it. Everything here is a pure function or a state machine
//! over plain numbers. Must not read a clock, draw from anything but [`crate::load::draw::Generator`], or write a text.
//!
//! Rates may have any unit as long as it is one unit per quantity: every result is relative or has the unit that came
//! in.

pub(crate) mod batch_means;
pub mod bound;
pub mod detect;
pub(crate) mod estimate;
pub(crate) mod interval;
pub mod levels_auto;
pub(crate) mod look;
pub(crate) mod parameters;
pub(crate) mod quantile;
pub(crate) mod sample;
pub mod schedule;
pub mod settle;
pub mod special;
pub mod variance;

pub use estimate::{Basis, Estimate};
pub use interval::Interval;
pub use parameters::Parameters;
pub use variance::{Contamination, PointVisits, Spread};

#[cfg(test)]
pub(crate) mod tests;
