//! The one place with time and threads: workers that keep I/Os outstanding, the walk through a plan, the journal.
//!
//! [`execute::execute`] takes a plan and open targets and leaves a record. It reports events and never prints; rendering happens elsewhere, from
//! the record.
#![forbid(unsafe_code)]

pub mod bench;
#[cfg(feature = "uses")]
pub mod durability;
pub mod execute;
pub mod job;
pub mod journal;
#[cfg(feature = "harness")]
pub mod loop_cost;
pub mod marks;
#[cfg(feature = "uses")]
pub mod scrub;
pub mod trial;
pub mod wall;
pub mod witness;

mod load;
mod worker;
