//! What speaks against numbers: a case for each kind of evidence that no other room has.
//!
//! Devices that change are simulated; what hosts, caches and other programs do is written into the record.

mod circumstances;
mod counts;
mod devices;

use super::Case;

pub use circumstances::few;

/// The cases.
pub fn all() -> Vec<Case> {
    [devices::all(), circumstances::all(), counts::all()].into_iter().flatten().collect()
}
