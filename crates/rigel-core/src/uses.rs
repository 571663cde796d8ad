//! What a user does with findings: compare runs, advise settings, examine a host, test the tool itself.
//!
//! Must not compute a figure that the findings hold already.

pub mod advice;
pub mod compare;
pub mod doctor;
pub mod selftest;
