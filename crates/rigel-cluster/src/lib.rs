//! Many nodes as one bench: an order goes out with an agreed start time; the result of each node comes back, is converted to the time of the run,
//! and is added up.
//!
//! [`mod@line`] is what a node knows of the others: messages to and from them, and who has gone silent. [`ClusterBench`] is the bench of the first
//! node, [`serve()`] what the others do with theirs. [`meet`] judges whether nodes can measure together. Must not know how
//! messages travel, and must not print.
#![forbid(unsafe_code)]

mod around;
mod bench;
mod clocks;
pub mod line;
pub mod meet;
pub mod message;
mod serve;

pub use around::Around;
pub use bench::ClusterBench;
pub use clocks::{ClockOffset, Clocks};
pub use line::{Cluster, Line, SoloLine};
pub use serve::serve;
