//! A database as a test bench: a private or an existing server, a table with a row in each block, sessions that look rows up, and the counters
//! that show whether a look-up was a read.
//!
//! The shared code knows a [`Server`] but no product; each product has its own module behind that interface ([`server::door`]). The server does
//! the I/O and this crate only asks, so it needs no write permit for files: a private server's files are its own, and in a user's database nothing
//! is created without consent. Must not judge what was counted, and must not print.
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

pub use failure::{LEDGER, check_free_beside};
pub use patience::asked;
pub use server::{Reach, Server, ServerFacts, door};
