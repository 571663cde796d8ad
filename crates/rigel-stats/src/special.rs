//! The special functions that intervals need: quantiles of Student's t, digamma, trigamma and its inverse.
//!
//! Accurate to about 12 digits over the range that occurs (degrees of freedom 0.1 to 10^9, tails down to 10^-6 and
//! beyond). Must not know what is being measured.

mod normal;
mod polygamma;
mod student;

pub use normal::normal_quantile;
pub use polygamma::{digamma, inverse_trigamma, trigamma};
pub use student::student_t_quantile;
pub use student::student_t_tail;

#[cfg(test)]
mod tests;
