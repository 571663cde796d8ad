//! The test device against the real kernel: what a caller sees, counted and not timed.
//!
//! No test here may fail because the machine is slow: rates have hard upper bounds, which the law gives,
//! and lower bounds only a machine at a standstill would miss.

#![forbid(unsafe_code)]
#![expect(clippy::unwrap_used, reason = "clippy knows test functions, but not the helpers they share")]

mod block_devices;
mod data;
mod faults;
mod law;
mod lifecycle;
mod support;
