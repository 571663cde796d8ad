//! Records and noise whose law is known, for tests of this crate and of those that build on it. Must not be a part of a program.

mod records;

pub use records::{header, visit, visit_to};
pub use rigel_stats::noise::Noise;
