//! `cargo xtask`: what people and CI run on this repository. It must never be part of what is shipped.
//!
//! Commands that read records or use the program as a library are in `program`, a feature: without it this builds in seconds, so that
//! `cargo xtask test` comes to the tests at once.

#![forbid(unsafe_code)]
#![expect(clippy::print_stdout, reason = "a developer's command talks on the terminal")]

mod cargo;
mod ci;
mod deny;
mod dist;
mod extension;
mod fuzz;
mod instructions;
mod long;
mod mpi;
mod msrv;
mod mutants;
mod outcome;
#[cfg(feature = "program")]
mod program;
#[cfg(not(feature = "program"))]
#[path = "without_program.rs"]
mod program;
mod sanitize;
mod stats;
mod tidy;

use anyhow::Context as _;
use clap::Parser;
use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Commands for working on Rigel
#[derive(Parser)]
#[command(name = "xtask", bin_name = "cargo xtask")]
enum Command {
    /// Install the Debian packages that the tests need, then run every test
    Test {
        /// Install nothing; tests that lack a package say so and are counted
        #[arg(long)]
        no_setup: bool,
    },
    /// Run everything that must pass before a change goes in, the tests among it
    Ci {
        /// First install the Debian packages and cargo-deny
        #[arg(long)]
        setup: bool,
    },
    /// Check the house rules of the sources
    Tidy,
    /// Try the statistics at full size and write docs/method/coverage.md; takes an hour or so
    Stats {
        /// Trials of each case
        #[arg(long, default_value_t = 1000)]
        trials: u32,
        /// Seed of the first trial; the others follow
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// What takes too long for every change: 250 kills and a full disk at every byte of a record; takes a quarter of an hour
    Long,
    /// Give hostile input to every reader of foreign data
    Fuzz(fuzz::Options),
    /// Break what judges, one place after the other, and see that a test fails each time
    Mutants(mutants::Options),
    /// Judge what Rigel is built of: licences, sources, known weaknesses
    Deny {
        /// First install cargo-deny
        #[arg(long)]
        setup: bool,
    },
    /// Make what people install: archive, deb, rpm, wheel, and what goes with them, from one binary for every Linux since 2014
    Dist(dist::Options),
    /// Count the instructions that one I/O takes, and fail if they grew by more than 3 %
    Instructions {
        /// Keep the figures as the ones to compare with
        #[arg(long)]
        accept: bool,
    },
    /// Run the unit tests of rigel-io under AddressSanitizer; needs a nightly compiler
    Sanitize,
    /// Run at full rate for an hour, and see that no I/O is lost and memory stays as it is
    #[command(disable_help_flag = program::ELSEWHERE)]
    Stress(program::Stress),
    /// Compare Rigel with fio, in turns on the same devices; takes a quarter of an hour
    #[command(disable_help_flag = program::ELSEWHERE)]
    Bench(program::Bench),
    /// Run Rigel in an emulated machine, on devices that this host need not have; takes a few minutes
    #[command(disable_help_flag = program::ELSEWHERE)]
    Vm(program::Vm),
    /// Count how often forecasts of production hold and write the tables of docs/method/forecast.md; takes a few minutes
    #[command(disable_help_flag = program::ELSEWHERE)]
    Forecasts(program::Forecasts),
    /// Write the generated files
    #[command(disable_help_flag = program::ELSEWHERE)]
    Gen(program::Gen),
}

fn main() -> ExitCode {
    match run(&Command::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            println!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Returns whether all is well; an error means that this could not be found out.
fn run(command: &Command) -> anyhow::Result<bool> {
    let root = workspace_root()?;
    match command {
        Command::Test { no_setup } => ci::test(&root, !no_setup),
        Command::Ci { setup } => ci::run(&root, *setup),
        Command::Tidy => tidy::run(&root),
        Command::Stats { trials, seed } => stats::run(&root, *trials, *seed),
        Command::Long => long::run(&root),
        Command::Fuzz(options) => fuzz::run(&root, options)?.alone("fuzz"),
        Command::Mutants(options) => mutants::run(&root, options),
        Command::Deny { setup } => {
            if *setup {
                ci::tool::DENY.set_up(&root);
            }
            let dependencies = deny::dependencies(&root)?.alone("deny");
            let advisories = deny::advisories(&root)?.alone("advisories");
            Ok(dependencies? && advisories?)
        }
        Command::Dist(options) => dist::run(&root, options),
        Command::Instructions { accept } => instructions::run(&root, *accept)?.alone("instructions"),
        Command::Sanitize => sanitize::run(&root),
        Command::Stress(options) => program::stress(&root, options),
        Command::Bench(options) => program::bench(&root, options),
        Command::Vm(options) => program::vm(&root, options),
        Command::Forecasts(options) => program::forecasts(&root, options),
        Command::Gen(options) => program::generate(&root, options),
    }
}

/// Cargo says where this package is; the value from the build is only for a program that is started by hand.
fn workspace_root() -> anyhow::Result<PathBuf> {
    let package = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let root = Path::new(&package).parent();
    root.map(Path::to_owned).context("xtask lies in no workspace: start it as `cargo xtask`")
}

/// Where cargo puts what it builds.
fn target_dir(root: &Path) -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |target| root.join(target))
}
