//! What is asked for and how it is laid out: request, matrix, plan, offsets.
//!
//! Must not know what came of it.

pub mod arrivals;
pub mod class;
pub mod draw;
pub mod file;
pub(crate) mod levels;
pub mod log;
pub mod matrix;
pub mod pace;
pub mod phase;
pub mod placement;
pub mod plan;
pub mod request;
pub mod split;
pub mod volume;
pub mod workload;
