//! What keeps data from being lost: the verdict before a write, and the marks in a scratch file's blocks.
//!
//! Must not ask anybody for consent; the program does.

pub mod safety;
pub mod scratch;
