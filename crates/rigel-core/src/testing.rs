//! Records and noise whose law is known, for tests of this crate and of those that build on it. Must not be a part of a program.

mod noise;
mod records;

pub use noise::Noise;
pub use records::{header, visit, visit_to};
