//! The program as a library, for its binary, `cargo xtask gen` and the fuzz targets.
//!
//! It exports little on purpose: to measure or to render, link the crates below. Must not contain anything but the entry points.
#![forbid(unsafe_code)]

mod args;
mod capacity_store;
mod commands;
mod database;
mod failure;
mod history;
mod manual;
mod near;
mod orion_args;
mod output;
mod privilege;
mod progress;
mod signals;
mod streams;
mod terminal;
mod tui;

pub use args::command;
pub use args::rules::page as option_rules;
pub use failure::tell_panics;
pub use manual::{Page, completions, pages};
pub use streams::Streams;

use args::Invocation;
use commands::Crew;
pub use rigel_cluster::meet::Rules;
use rigel_cluster::message::Message;
use rigel_cluster::{Cluster, Line};
use rigel_core::error::Problem;
use std::ffi::OsString;
use std::process::ExitCode;

/// The whole program: reads the arguments of the process, does what they ask and returns the exit code. A panic becomes
/// the exit code of a bug.
pub fn run() -> ExitCode {
    rigel_io::limits::prepare_process();
    signals::fail_writes_beyond_the_limit();
    failure::guarded(|| {
        let argv: Vec<_> = std::env::args_os().collect();
        let read = privilege::check().and_then(|()| args::read(&argv, &args::Environment::of_process()));
        ExitCode::from(done(read, None, &Streams::of_process()))
    })
}

/// Runs a command line, starting with the program's name, within this process, and writes to these streams; returns
/// the exit code. It behaves like the program, except for what belongs to a process: its environment is empty, and a
/// panic stays a panic.
pub fn perform(argv: &[OsString], streams: &Streams) -> u8 {
    done(args::read(argv, &args::Environment::default()), None, streams)
}

fn done(read: Result<Invocation, Problem>, crew: Option<&Crew>, streams: &Streams) -> u8 {
    match read {
        Ok(invocation) => commands::execute(invocation, crew, streams),
        Err(problem) => failure::report(&problem, streams),
    }
}

/// How a program ended that is one of several.
#[derive(Clone, Debug)]
pub struct ProgramEnd {
    /// The exit code as a number, for whoever ends the other nodes from outside.
    pub code: u8,
    /// Another node was lost: whoever started the nodes has to end them from outside.
    pub lost: bool,
    /// The name of each node in messages, by its number.
    pub names: Vec<String>,
}

/// Runs the program as one of several nodes, with the same arguments on all of them, starting with the program's
/// name. The first node leads and prints; the others follow it, and succeed if they could report their problems to
/// it. [`tell_panics`] has to be called before, if a panic must not block the others.
pub fn run_on(cluster: Box<dyn Cluster>, rules: Rules, argv: &[OsString], streams: &Streams) -> ProgramEnd {
    let line = Line::new(cluster, commands::own_name(), env!("CARGO_PKG_VERSION"));
    let read = privilege::check().and_then(|()| args::read(argv, &args::Environment::of_process()));
    if line.rank() > 0 {
        let code = match commands::follow(read, &line, streams) {
            Ok(()) => 0,
            Err(problem) => failure::report(&problem, streams),
        };
        return ProgramEnd::of(code, &line);
    }
    let crew = Crew { line: line.clone(), rules };
    let code = done(read, Some(&crew), streams);
    if !line.is_lost() {
        // Whoever has heard it already has gone.
        let _ = line.tell_all(|_| Message::End);
    }
    ProgramEnd::of(code, &line)
}

impl ProgramEnd {
    fn of(code: u8, line: &Line) -> Self {
        Self { code, lost: line.is_lost(), names: (0..line.size()).map(|rank| line.name(rank)).collect() }
    }
}

/// Parses a command line, starting with the program's name, and does nothing else. Arguments of a program called
/// `orion` are read as ORION's. No bytes make it panic. The list of targets has its own parser,
/// [`rigel_io::targets::lun_list::parse`].
///
/// # Errors
/// The usage problem that the user would see.
pub fn understand(argv: &[OsString]) -> Result<(), Problem> {
    args::read(argv, &args::Environment::default()).map(drop)
}
