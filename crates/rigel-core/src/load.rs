//! What is requested and how it is laid out: request, matrix, plan, offsets.
//!
//! Must not know the results.

pub mod arrivals;
pub mod burst;
pub mod calibration;
pub mod class;
pub mod command_line;
pub mod commits;
pub mod demands;
pub mod draw;
pub mod engine;
pub mod file;
pub mod fio;
pub mod governor;
pub mod levels;
pub mod log;
pub mod matrix;
pub mod pace;
pub mod permutation;
pub mod phase;
pub mod placement;
pub mod plan;
pub mod request;
pub mod sides;
pub mod slo;
pub mod soak;
pub mod split;
pub mod sql;
pub mod task;
pub mod team;
pub mod through;
pub mod volume;
pub mod working_set;
pub mod workload;
