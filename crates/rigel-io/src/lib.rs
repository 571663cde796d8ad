//! Everything of Rigel that touches the kernel: engines, buffers, clocks, targets, the write guard, host facts.
//!
//! The only crate with unsafe code. It carries out requests and reports facts; it never decides what to measure.

pub mod aio;
pub mod backend;
mod buffers;
pub mod child;
pub mod clock;
pub mod cpus;
pub mod drives;
pub mod durable;
pub mod engine;
pub mod group;
pub mod host;
pub mod io_wq;
pub mod limits;
mod mounts;
pub mod null;
pub mod peer;
pub mod production;
pub mod shared_memory;
pub mod sim;
mod slots;
pub mod standard;
pub mod states;
pub mod stuck;
pub mod survey;
pub mod sync;
mod system;
mod tag;
pub mod targets;
#[cfg(test)]
mod tests;
pub mod threads;
pub mod uring;
pub mod witness;
