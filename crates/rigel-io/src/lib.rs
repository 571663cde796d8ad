//! Everything of Rigel that touches the kernel: engines, buffers, clocks, targets, the write guard, host facts.
//!
//! The only crate with unsafe code. It does what it is told and reports what it sees; it never decides what to measure.

pub mod backend;
pub mod target;
