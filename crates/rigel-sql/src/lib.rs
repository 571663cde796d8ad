//! PostgreSQL as a test bench: a private server or one that is there, a table with a row in each block, sessions that look rows
//! up, and the counters that say whether a look-up was a read.
//!
//! The server makes the I/O and this crate only asks, so that no permit to write is needed for files: a private server's are its
//! own, and in a database of others nothing is made without consent. Must not judge what was counted, and must not print.
#![forbid(unsafe_code)]

pub mod address;
pub mod bench;
mod counters;
mod database;
mod evict;
mod failure;
mod index;
pub mod install;
pub mod ledger;
mod own;
mod patience;
pub mod plan;
pub mod private;
mod processes;
pub mod programs;
pub mod prove;
mod schema;
mod series;
mod session;
pub mod table;
mod waits;
mod walk;
pub mod watch;

pub use address::Address;
pub use database::{Database, ServerFacts, who_sees_files};
pub use failure::{LEDGER, SCHEMA};
