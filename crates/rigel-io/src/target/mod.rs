//! Targets: finding out what they are, opening them, and the guard that decides about writing.
//!
//! Must not decide what to measure.

pub mod open;

pub use open::{OpenTarget, OpenTargets};
