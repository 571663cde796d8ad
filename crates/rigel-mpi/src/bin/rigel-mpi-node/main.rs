//! Rigel on many nodes: one process on each, started by mpirun, srun or an MPIJob, with the same arguments as `rigel`. `rigel-mpi` executes it.
//!
//! MPI starts the processes and carries their messages; what they say to each other is `rigel-cluster`'s. Must not know what a run is.
#![forbid(unsafe_code)]

mod options;

use options::NodeCommand;
use rigel::Streams;
use rigel_mpi::{World, end_lost};
use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

fn main() -> ExitCode {
    let argv: Vec<OsString> = std::env::args_os().collect();
    let (rules, argv) = match options::read(&argv) {
        Ok(NodeCommand::Run(rules, argv)) => (rules, argv),
        Ok(NodeCommand::Help) => return say(&mut io::stdout(), options::HELP, 0),
        Err(text) => return say(&mut io::stderr(), &text, 2),
    };
    let world = match World::begin() {
        Ok(world) => world,
        Err(text) => return say(&mut io::stderr(), &text, 3),
    };
    let rank = world.rank();
    rigel::tell_panics(World::abort_for_panic);
    let ended = rigel::run_on(Box::new(world.link()), rules, &argv, &Streams::of_process());
    if ended.lost {
        end_lost(rank, ended.code);
    }
    // Here all wait for each other, and the first node has written its outputs.
    world.end(ended.code, &ended.names);
    ExitCode::from(ended.code)
}

/// A closed output is not a reason to fail.
fn say(to: &mut dyn io::Write, text: &str, code: u8) -> ExitCode {
    let _ = to.write_all(text.as_bytes());
    ExitCode::from(code)
}
