//! A database as a test bench: a private server or one that is there, a table with a row in each block, sessions that look rows
//! up, and the counters that say whether a look-up was a read.
//!
//! What every product shares knows a [`Server`] and no product; each product has a room of its own behind that seam ([`server::door`]).
//! The server makes the I/O and this crate only asks, so no permit to write is needed for files: a private server's are its
//! own, and in a database of others nothing is made without consent. Must not judge what was counted, and must not print.
#![forbid(unsafe_code)]

pub mod bench;
mod counters;
mod evict;
mod failure;
mod mysql;
mod own;
mod patience;
pub mod postgresql;
pub mod private;
mod processes;
pub mod programs;
pub mod prove;
pub mod query;
mod series;
pub mod server;
mod session;
pub mod table;
mod waits;
mod walk;

pub use failure::LEDGER;
pub use patience::asked;
pub use server::{Reach, Server, ServerFacts, door};
