//! Many nodes as one bench: an order goes out with an agreed time of start, what came of it on each node comes back, is reported in the time of
//! the run and added up.
//!
//! [`mod@line`] is what a node knows of the others: messages to and from them, and who has gone silent. [`ClusterBench`] is the bench of the first
//! node, [`serve()`] what the others do with theirs. [`meet`] judges whether nodes can measure together. Must not know how
//! messages travel, and must not print.
#![forbid(unsafe_code)]

mod bench;
mod clocks;
pub mod line;
pub mod meet;
pub mod message;
mod serve;

pub use bench::ClusterBench;
pub use clocks::{ClockOffset, Clocks};
pub use line::{Cluster, Line, SoloLine};
pub use serve::serve;
