//! The commands, one file each.
//!
//! A command does its work through the other crates, writes to the given streams, and reports how it ended.

mod advise;
mod answer;
mod calibrations;
mod capacity;
mod compare;
mod doctor;
mod durability;
mod fill;
pub mod load;
mod manual;
mod mark;
mod past;
mod rank;
mod records_in;
mod remark;
mod report;
mod run;
mod scrub;
mod selftest;
mod targets;
mod transfer;
mod versus;
mod whole;

use crate::args::{Front, Invocation, RunOptions};
pub use mark::mark_own;
pub use run::{Crew, follow, own_name};

use crate::streams::Streams;
use crate::{failure, orion_args};
use rigel_core::error::{ExitKind, Problem};

/// Does what was requested; the exit code.
pub fn execute(invocation: Invocation, crew: Option<&Crew>, streams: &Streams) -> u8 {
    let done = match invocation {
        Invocation::SqlProve(_) if crew.is_some() => Err(for_one()),
        Invocation::Show(text) => streams.results(text.as_bytes()),
        Invocation::Report(options) => report::report(&options, streams),
        Invocation::Compare(options) => compare::compare(&options, streams),
        Invocation::Rank(options) => rank::rank(&options, streams),
        Invocation::VersusRecord(options) => versus::again(&options, streams),
        Invocation::Advise(options) => advise::advise(&options, streams),
        Invocation::History(options) => calibrations::show(&options, streams),
        Invocation::Run(options) => measure(&options, crew, streams),
        Invocation::Sql(options) => run::sql(&options, crew, streams),
        Invocation::SqlProve(options) => run::prove(&options, streams),
        Invocation::SqlInstall(options) => run::install(&options, streams),
        Invocation::SqlDrop(dsn) => run::drop_schema(&dsn, streams),
        Invocation::Resume(options) => run::resume(&options, crew, streams),
        Invocation::Targets(options) => targets::targets(&options, streams),
        Invocation::Doctor(options) => doctor::doctor(&options, streams),
        Invocation::Capacity(options) => capacity::capacity(&options, streams),
        Invocation::Durability(options) => durability::durability(&options, streams),
        Invocation::Scrub(options) => scrub::scrub(&options, streams),
        Invocation::Fill(options) => fill::fill(&options, streams),
        Invocation::LoadFromFio(options) => load::from_fio(&options, streams),
        Invocation::Mark(options) => mark::mark(&options, streams),
        Invocation::Selftest(options) => selftest::selftest(&options, streams),
        Invocation::Completions(shell) => manual::completions(shell, streams),
        Invocation::Man(options) => manual::man(&options, streams),
    };
    match done {
        Ok(()) => 0,
        Err(problem) => failure::report(&problem, streams),
    }
}

/// What is not supported on several nodes.
fn for_one() -> Problem {
    Problem::usage("settings are tested from a single node")
        .because("each value is set on a server, whose queries then come from one place")
        .next("start it with `rigel sql prove`")
}

/// A run. Usage problems of ORION's command line end with ORION's own line.
fn measure(options: &RunOptions, crew: Option<&Crew>, streams: &Streams) -> Result<(), Problem> {
    run::run(options, crew, streams).map_err(|problem| match (options.front, problem.kind) {
        (Front::Orion, ExitKind::Usage) => orion_args::with_orion_line(problem),
        _ => problem,
    })
}
