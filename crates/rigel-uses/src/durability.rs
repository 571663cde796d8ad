//! Which acknowledged writes a power cut loses: the lines that a run sends to a witness, and what must therefore be on the target.
//!
//! Each writer has one write outstanding, so its writes are in order without a clock: that a write began proves that all earlier ones were
//! acknowledged, whether the witness heard of them or not. A write that began and was not acknowledged may be there or not. Must not
//! write, read or wait.

mod acks;
mod found;
mod judge;
mod lines;
mod rings;
mod traces;

pub use acks::Acks;
pub use found::{DurabilityFindings, Kind, Loss, MOST_LISTED};
pub use judge::Judge;
pub use lines::{
    Ack, Device, EarlierContents, Head, Line, MOST_LINE_BYTES, SAMPLES, SCHEMA, ended, fingerprint, label_of,
    run_name,
};
pub use rings::{BLOCK_BYTES, LEAST_SLOTS, MOST_BLOCK_BYTES, MOST_WRITERS, Rings, Shape};
pub use traces::Traces;

#[cfg(test)]
mod tests;
