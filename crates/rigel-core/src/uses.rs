//! What a user does with findings: compare runs or two sides of one, advise settings, examine a host, test the tool itself.
//!
//! Must not compute a figure that the findings hold already.

pub mod advice;
pub mod beside;
pub mod compare;
pub mod doctor;
pub mod proof;
pub mod selftest;
pub mod versus;
