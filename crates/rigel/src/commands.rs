//! The commands, one file each, and what they all print with.
//!
//! A command does its work through the other crates and says how it ended. Results go to standard output, everything
//! else to standard error.

mod advise;
mod answer;
mod calibrations;
mod capacity;
mod compare;
mod doctor;
mod durability;
mod manual;
mod past;
mod report;
mod run;
mod scrub;
mod selftest;
mod targets;
mod versus;
mod whole;

use crate::args::{Front, Invocation, RunOptions};
pub use run::{Crew, follow, own_name};

use crate::{failure, orion_args};
use rigel_core::error::{ExitKind, Problem};
use rigel_core::path_text;
use std::io::{self, ErrorKind, Write as _};
use std::path::PathBuf;

/// Does what was asked for; the exit code.
pub fn execute(invocation: Invocation, crew: Option<&Crew>) -> u8 {
    let done = match invocation {
        Invocation::Sql(_) | Invocation::SqlProve(_) if crew.is_some() => Err(for_one()),
        Invocation::Show(text) => to_stdout(text.as_bytes()),
        Invocation::Report(options) => report::report(&options),
        Invocation::Compare(options) => compare::compare(&options),
        Invocation::VersusRecord(options) => versus::again(&options),
        Invocation::Advise(options) => advise::advise(&options),
        Invocation::History(options) => calibrations::show(&options),
        Invocation::Run(options) => measure(&options, crew),
        Invocation::Sql(options) => run::sql(&options),
        Invocation::SqlProve(options) => run::prove(&options),
        Invocation::SqlInstall(options) => run::install(&options),
        Invocation::SqlDrop(dsn) => run::drop_schema(&dsn),
        Invocation::Resume(options) => run::resume(&options, crew),
        Invocation::Targets(options) => targets::targets(&options),
        Invocation::Doctor(options) => doctor::doctor(&options),
        Invocation::Capacity(options) => capacity::capacity(&options),
        Invocation::Durability(options) => durability::durability(&options),
        Invocation::Scrub(options) => scrub::scrub(&options),
        Invocation::Selftest(options) => selftest::selftest(&options),
        Invocation::Completions(shell) => manual::completions(shell),
        Invocation::Man(options) => manual::man(&options),
    };
    match done {
        Ok(()) => 0,
        Err(problem) => failure::report(&problem),
    }
}

/// What several nodes do not do.
fn for_one() -> Problem {
    Problem::usage("a load through a database is put on it by one node")
        .next("start it with `rigel sql`; rigel-mpi runs run, orion, calibrate, slo, versus and soak")
}

/// A run. Usage problems of ORION's command line end with ORION's own line.
fn measure(options: &RunOptions, crew: Option<&Crew>) -> Result<(), Problem> {
    run::run(options, crew).map_err(|problem| match (options.front, problem.kind) {
        (Front::Orion, ExitKind::Usage) => orion_args::with_orion_line(problem),
        _ => problem,
    })
}

/// Writes results. A reader that went away (`rigel --help | head`) is no failure.
fn to_stdout(bytes: &[u8]) -> Result<(), Problem> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Problem::refused("the results cannot be written")
            .at("standard output")
            .because(format!("the system says: {error}"))
            .next("see what standard output is redirected to")),
    }
}

/// Prints where files were written, a line each.
fn list(paths: &[PathBuf]) -> Result<(), Problem> {
    paths.iter().try_for_each(|path| to_stdout(format!("{}\n", path_text::encode(path)).as_bytes()))
}

/// Prints a remark beside the results; a closed standard error is no failure.
fn remark(text: &str) {
    let _ = writeln!(io::stderr().lock(), "note: {}", path_text::printable(text));
}
