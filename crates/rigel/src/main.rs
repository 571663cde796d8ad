//! The program: arguments in, exit code out.
#![forbid(unsafe_code)]

mod args;
mod commands;
mod failure;
mod history;
mod orion_args;
mod output;
mod progress;
mod signals;

use std::process::ExitCode;

fn main() -> ExitCode {
    failure::guarded(run)
}

fn run() -> ExitCode {
    let argv: Vec<_> = std::env::args_os().collect();
    match args::read(&argv, &args::Environment::of_process()) {
        Ok(invocation) => commands::execute(invocation),
        Err(problem) => failure::report(&problem),
    }
}
