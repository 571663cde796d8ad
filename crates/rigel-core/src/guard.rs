//! Rules that keep data from being lost: the verdict before a write, and the format of scratch files.
//!
//! Must not ask for consent; the program does.

pub mod safety;
pub mod scratch;
