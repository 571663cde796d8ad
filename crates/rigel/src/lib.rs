//! The program, as a library: what its binary, `cargo xtask gen` and tests from outside need of it.
//!
//! The face is small on purpose. Whoever wants to measure or render links the crates below. Must not hold anything but the
//! way in.
#![forbid(unsafe_code)]

mod args;
mod commands;
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

/// The whole program: reads the arguments of the process, does what they ask, says how it ended. A panic becomes the exit code of
/// a bug.
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

/// Reads a command line, the program's name first, and does nothing. A program called `orion` is read as ORION's command line;
/// whatever the bytes are, this ends in one of the two ways. The list of targets has a reader of its own,
/// [`rigel_io::targets::lun_list::parse`].
///
/// # Errors
/// The usage problem that the user would be told.
pub fn understand(argv: &[OsString]) -> Result<(), Problem> {
    args::read(argv, &args::Environment::default()).map(drop)
}
