//! What a user does with findings: compare runs or two sides of one, advise settings, examine a host, test Rigel itself; and what is not our own
//! measurement: compare copies of data, look for writes that a power cut lost, and the load that other tools saw.
//!
//! Must not compute a figure that the findings hold already, do I/O or read a clock.
#![forbid(unsafe_code)]

pub mod advice;
pub mod baseline;
pub mod beside;
pub mod compare;
pub mod doctor;
pub mod durability;
pub mod proof;
pub mod rank;
pub mod scrub;
pub mod selftest;
pub mod soak;
pub mod through;
pub mod transfer;
pub mod versus;
