//! The command line as a whole: the commands, and which front end reads the rest.
//!
//! Must not hold options of its own.

use super::calibrate::CalibrateArgs;
use super::clap_problem::outcome;
use super::compare::CompareArgs;
use super::report::ReportArgs;
use super::run::RunArgs;
use super::selftest::SelftestArgs;
use super::{Environment, Invocation, echo};
use crate::orion_args;
use clap::{Parser, Subcommand};
use rigel_core::error::Problem;
use std::ffi::OsString;
use std::path::Path;

/// Measures what storage can do for a database, and how sure that is
#[derive(Debug, Parser)]
#[command(name = "rigel", version, help_expected = true, max_term_width = 110)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Measure a load matrix: small and large I/O at rising load
    Run(Box<RunArgs>),
    /// What CALIBRATE_IO gave, and how sure: most IOPS within a latency, MBPS, latency, in about a minute
    Calibrate(Box<CalibrateArgs>),
    /// ORION's own command line and files: rigel orion -run simple
    Orion(OrionArgs),
    /// Make the outputs again from the record of a run
    Report(ReportArgs),
    /// Compare runs: what got better or worse, judged by intervals
    Compare(CompareArgs),
    /// Show on simulated devices with a known answer that the intervals hold it
    Selftest(SelftestArgs),
}

/// All that follows belongs to [`orion_args`]; this is here for the help.
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true, override_usage = "rigel orion -run LEVEL [-option value ...]")]
struct OrionArgs {
    /// ORION's arguments; `rigel orion -help` lists them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ORION_ARGUMENT")]
    arguments: Vec<OsString>,
}

/// Reads the arguments of the program, its own name first.
///
/// # Errors
/// A usage problem that names the option.
pub fn read(argv: &[OsString], environment: &Environment) -> Result<Invocation, Problem> {
    if argv.first().is_some_and(is_orion) {
        return orion_args::read(argv.get(1..).unwrap_or_default(), environment);
    }
    // The command is always argv[1]: the program itself takes no option that could come before it. ORION's arguments
    // never reach clap, to which `-help` would be five short options.
    let arguments = argv.get(2..).unwrap_or_default();
    if argv.get(1).is_some_and(|command| command == "orion") {
        return orion_args::read(arguments, environment);
    }
    let cli = match Cli::try_parse_from(argv) {
        Ok(cli) => cli,
        Err(error) => return outcome(&error),
    };
    match cli.command {
        Command::Run(run) => {
            let options = run.options(echo(arguments), environment)?;
            Ok(Invocation::Run(Box::new(options)))
        }
        Command::Calibrate(calibrate) => calibrate.invocation(echo(arguments), environment),
        Command::Orion(_) => orion_args::read(arguments, environment),
        Command::Report(report) => report.options(environment).map(Invocation::Report),
        Command::Compare(compare) => compare.options().map(Invocation::Compare),
        Command::Selftest(selftest) => Ok(Invocation::Selftest(selftest.options())),
    }
}

/// Whether the program was started under ORION's name, by a link or a copy.
fn is_orion(program: &OsString) -> bool {
    Path::new(program).file_name().is_some_and(|name| name == "orion")
}
