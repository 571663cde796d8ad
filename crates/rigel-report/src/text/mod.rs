//! Text for the terminal: the plan of a run that was not started, and the results of one that was.
//!
//! 80 columns wide as far as names and flags permit. Must not print.

mod plan;
mod selftest;
mod table;

pub use plan::{Intent, ScratchIntent, intended, plan};
pub use selftest::{selftest, selftest_markdown};
pub use table::table;
