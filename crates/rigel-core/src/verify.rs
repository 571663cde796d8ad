//! Verified blocks: what is written so that every fault of a storage shows when it is read, and which fault it is.
//!
//! A block says what it is ([`block`]). What it should be is known without it: by the order in which the slots of a region are
//! written ([`Passes`]) and by how much of that is over ([`Progress`] while a load runs, [`EarlierParts`] after it was cut). Comparing the two
//! names the fault ([`check`]). Pure rules over bytes; must not know engines, files or time.

pub mod block;
mod diagnosis;
mod earlier;
mod expected;
mod finding;
mod passes;
mod progress;

pub use diagnosis::{Diagnosis, EXCERPT_BYTES, Fault, check, unreadable};
pub use earlier::{EarlierParts, MOST_PARTS, parted};
pub use expected::GenerationRange;
pub use finding::{DurableMark, Excerpt, FaultCounts, Finding, MOST_FINDINGS, VerifyCounts};
pub use passes::Passes;
pub use progress::Progress;

#[cfg(test)]
mod tests;
