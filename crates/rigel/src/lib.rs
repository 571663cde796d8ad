//! The program as a library, for its binary, `cargo xtask gen` and the fuzz targets.
//!
//! It exports little on purpose: to measure or to render, link the crates below. Must not hold anything but the entry
//! points.
#![forbid(unsafe_code)]

mod args;
mod capacity_store;
mod commands;
mod database;
mod failure;
mod history;
mod manual;
mod orion_args;
mod output;
mod privilege;
mod progress;
mod signals;
mod terminal;
mod tui;

pub use args::command;
pub use manual::{Page, completions, pages};

use rigel_core::error::Problem;
use std::ffi::OsString;
use std::process::ExitCode;

/// The whole program: reads the arguments of the process, does what they ask and returns the exit code. A panic becomes
/// the exit code of a bug.
pub fn run() -> ExitCode {
    failure::guarded(|| {
        let argv: Vec<_> = std::env::args_os().collect();
        let read = || args::read(&argv, &args::Environment::of_process());
        match privilege::check().and_then(|()| read()) {
            Ok(invocation) => commands::execute(invocation),
            Err(problem) => failure::report(&problem),
        }
    })
}

/// Reads a command line, the program's name first, and does nothing else. Arguments of a program called `orion` are read
/// as ORION's. No bytes make it panic. The list of targets has a reader of its own,
/// [`rigel_io::targets::lun_list::parse`].
///
/// # Errors
/// The usage problem that the user would see.
pub fn understand(argv: &[OsString]) -> Result<(), Problem> {
    args::read(argv, &args::Environment::default()).map(drop)
}
