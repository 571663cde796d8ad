//! The real program under mpirun: on ranks of this host, and on hosts made of namespaces.
#![expect(clippy::unwrap_used, reason = "helpers of tests are tests too")]

mod figures;
mod hosts;
mod lost;
mod namespaces;
mod ranks;
mod sql;
mod support;
