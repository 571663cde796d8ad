//! The vocabulary and the rules of Rigel: what a run is, how it is planned, recorded and judged.
//!
//! Nothing in here does I/O, reads a clock or draws from the operating system. Every function gives the same answer
//! for the same arguments, so a plan can be printed before anything is touched and a record judged again years
//! later. The numbers and the statistics are below, in `rigel-stats`, and are reached through this crate. `rigel-uses` and `rigel-capacity` build on it in the same way; `rigel-io` touches the kernel, `rigel-run` owns time and threads,
//! `rigel-report` renders.
#![forbid(unsafe_code)]

pub mod documents;
pub mod errno;
pub mod error;
pub mod event;
pub mod facts;
pub mod guard;
pub mod judge;
pub mod load;
pub mod measure;
pub mod nearest;
pub mod no_target;
pub mod path_text;
pub mod record;
pub mod record_name;
#[cfg(any(test, feature = "harness"))]
pub mod testing;
pub mod verify;
pub mod witness;

pub use rigel_stats as stats;
pub use rigel_stats::{named, sim, units};
