//! Writers that report each acknowledgement before they continue, and the reads of a check: [`rigel_uses::durability`] says what is written where
//! and what it means.
//!
//! Must not print, and must not judge what was read.

mod read;
mod write;

pub use read::{Reading, Sink, read};
pub use write::{Job, Listener, WriterEnd, write};
