//! The command line as a whole: its commands, and which module reads the rest.
//!
//! Must not hold options of its own.

use super::advise::AdviseArgs;
use super::calibrate::CalibrateArgs;
use super::capacity::CapacityArgs;
use super::clap_problem::outcome;
use super::compare::CompareArgs;
use super::copied;
use super::doctor::DoctorArgs;
use super::durability::DurabilityArgs;
use super::fill::FillArgs;
use super::manual::{CompletionsArgs, ManArgs};
use super::report::ReportArgs;
use super::run::{BESIDE_RESUME, FILES, RunArgs};
use super::scrub::ScrubArgs;
use super::selftest::SelftestArgs;
use super::slo::SloArgs;
use super::soak::SoakArgs;
use super::sql::SqlArgs;
use super::targets::TargetsArgs;
use super::versus::{BESIDE_RECORD, VersusArgs};
use super::{Environment, Invocation, typed};
use crate::orion_args;
use clap::{Arg, ArgAction, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use rigel_core::error::Problem;
use rigel_core::load::matrix::RunLevel;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

const MORE: &str = "`rigel help COMMAND` tells everything about a command, with examples.";

const EXAMPLES: &str = "\
Examples:
  rigel run simple
      measure the storage under this directory: fill a scratch file, measure it, remove it
  rigel run oltp /dev/nvme1n1 --precision 2%
      small I/O on a device, until every number is known to 2 %; nothing is written
  rigel run normal --engine sim --dry-run
      the plan of a run; --engine sim alone shows all outputs without any storage
  rigel report rigel_20260101_1200_record.jsonl --html
      the page with charts again, from the record of a run
  rigel help run
      everything about a command

Exit codes:
  0  fine
  1  measured, but a check failed
  2  the command line, a list or a record cannot be understood
  3  a target or the host refused, or Rigel refuses to touch a target
  4  the run was cut short; its record is whole up to there
  5  a bug in Rigel";

/// Measures what storage can do for a database, and how sure that is
#[derive(Debug, Parser)]
#[command(name = "rigel", version, help_expected = true, max_term_width = 110, disable_help_flag = true)]
#[command(after_help = MORE, after_long_help = EXAMPLES)]
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
    /// How much load storage can take within a bound on the latency: the highest rate, with its bracket
    Slo(Box<SloArgs>),
    /// Queries and commits through PostgreSQL: how much of the storage reaches SQL, and what limits it
    Sql(Box<SqlArgs>),
    /// ORION's own command line and files: rigel orion -run simple
    Orion(OrionArgs),
    /// Make the outputs again from the record of a run
    Report(ReportArgs),
    /// Compare runs: what got better or worse, judged by intervals
    Compare(CompareArgs),
    /// Two storages in turns in one run: by how much B is faster than A, and how sure that is
    Versus(Box<VersusArgs>),
    /// Settings for databases and cgroups out of what was measured, each with how it came about
    Advise(AdviseArgs),
    /// Block devices and files: what they are, what is on them, what Rigel may do with them
    Targets(TargetsArgs),
    /// Write random data over targets, so that reads measure the storage and not what was never written
    Fill(Box<FillArgs>),
    /// Settings that bend a result or a database: what is set, why it matters, how to change it
    Doctor(DoctorArgs),
    /// Load disks for hours to weeks, and tell wrong data, failures and slow disks: are they fit for production?
    Soak(Box<SoakArgs>),
    /// Which acknowledged writes does a power cut lose? A run, a witness on another host, and a check afterwards
    Durability(DurabilityArgs),
    /// Are both legs of a mirror alike? Compare copies of data, read-only, and tell which one is right
    Scrub(Box<ScrubArgs>),
    /// What production does to its storage: import what other tools kept, or record it
    Capacity(CapacityArgs),
    /// Show on simulated devices with a known answer that the intervals hold it
    Selftest(SelftestArgs),
    /// Print the script by which a shell completes the command line
    Completions(CompletionsArgs),
    /// Print a man page, or write all of them
    Man(ManArgs),
}

/// Here for the help only: [`orion_args`] reads what follows.
#[derive(Debug, clap::Args)]
#[command(override_usage = "rigel orion -run LEVEL [-option value ...]", after_long_help = orion_args::after_usage())]
struct OrionArgs {
    /// ORION's arguments; `rigel orion -help` lists them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true, value_name = "ORION_ARGUMENT")]
    arguments: Vec<OsString>,
}

/// The command line. `-h` and `--help` are a summary of one screen, `rigel help COMMAND` tells everything.
pub fn command() -> clap::Command {
    let help =
        |text: String| Arg::new("help").short('h').long("help").action(ArgAction::HelpShort).help(text);
    Cli::command()
        .mut_subcommands(|command| {
            let name = command.get_name().to_owned();
            // What follows `orion` never reaches clap.
            if name == "orion" {
                return command;
            }
            let text = format!("Print a summary; `rigel help {name}` tells more");
            // A heading of its own would cost the longest summaries three lines.
            let heading =
                ["run", "calibrate", "slo", "versus", "sql"].contains(&name.as_str()).then_some(FILES);
            let command = match name.as_str() {
                "run" => alone(command, &["resume"], &BESIDE_RESUME),
                "sql" => alone(command, &["resume"], &super::sql::BESIDE_RESUME),
                "soak" => alone(command, &["resume"], &super::soak::BESIDE_RESUME),
                "versus" => alone(command, &["resume", "record"], &BESIDE_RECORD),
                _ => command,
            };
            // A command with commands of its own: each of them has a summary as well.
            let command = command.mut_subcommands(|own| {
                let text = format!("Print a summary; `rigel help {name} {}` tells more", own.get_name());
                flowing(own.arg(help(text)))
            });
            flowing(command.arg(help(text).help_heading(heading)))
        })
        .arg(help("Print this summary".to_owned()))
}

/// With the text behind the options in lines as long as the terminal has room for.
fn flowing(command: clap::Command) -> clap::Command {
    let Some(text) = command.get_after_long_help().map(ToString::to_string) else { return command };
    command.after_long_help(joined(&text))
}

/// Each paragraph in one line. Lines go on where the next has the same indent; each of those with commands stands for itself.
pub(super) fn joined(text: &str) -> String {
    const OF_COMMANDS: usize = 2;
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        match lines.last_mut() {
            Some(last) if !last.is_empty() && indent(last) == indent(line) && indent(line) != OF_COMMANDS => {
                *last = format!("{last} {}", line.trim_start());
            }
            _ => lines.push(line.to_owned()),
        }
    }
    lines.join("\n")
}

/// Refuses most options beside --resume and the like: the record has them already.
fn alone(command: clap::Command, of_record: &[&str], beside: &[&str]) -> clap::Command {
    let ids = command.get_arguments().map(|arg| arg.get_id().clone());
    let others: Vec<clap::Id> = ids.filter(|id| !beside.contains(&id.as_str())).collect();
    command.mut_args(|arg| {
        if of_record.contains(&arg.get_id().as_str()) { arg.conflicts_with_all(&others) } else { arg }
    })
}

/// With --load there is no level to name, and the first word is a target: the level of load files comes before it.
fn with_load_level(argv: &[OsString]) -> Vec<OsString> {
    let mut argv = argv.to_vec();
    let is_run = argv.get(1).is_some_and(|word| word == "run");
    let is_load = |word: &&OsString| *word == "--load" || word.as_bytes().starts_with(b"--load=");
    let options = argv.iter().skip(2).take_while(|word| *word != "--");
    let named = argv.get(2).is_some_and(|word| word == RunLevel::Load.name());
    if is_run && !named && options.into_iter().any(|word| is_load(&word)) {
        argv.insert(2, RunLevel::Load.name().into());
    }
    argv
}

/// Whether the parser takes the arguments; ORION's never reach it.
pub fn is_understood(argv: &[OsString]) -> bool {
    argv.get(1).is_some_and(|word| word == "orion")
        || command().try_get_matches_from(with_load_level(argv)).is_ok()
}

/// Reads the arguments of the program, its own name first.
pub fn read(argv: &[OsString], environment: &Environment) -> Result<Invocation, Problem> {
    // By a link or a copy.
    let is_orion = |program| Path::new(program).file_name().is_some_and(|name| name == "orion");
    let called_orion = argv.first().is_some_and(is_orion);
    let is_orion = called_orion || argv.get(1).is_some_and(|word| word == "orion");
    copied::check(argv.get(1..).unwrap_or_default(), is_orion)?;
    if called_orion {
        return orion_args::read(argv.get(1..).unwrap_or_default(), environment);
    }
    // The command is always argv[1]: the program itself takes no option that could come before it. ORION's arguments
    // never reach clap, to which `-help` would be five short options.
    let arguments = argv.get(2..).unwrap_or_default();
    let word = |at: usize| argv.get(at).and_then(|word| word.to_str());
    match (word(1), word(2)) {
        (Some("orion"), _) => return orion_args::read(arguments, environment),
        (Some("help"), Some("orion")) => return Ok(Invocation::Show(orion_args::long_help())),
        _ => {}
    }
    let argv = &with_load_level(argv);
    let read = command().try_get_matches_from(argv).and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match read {
        Ok(cli) => cli,
        Err(error) => return outcome(&error, argv.get(1..).unwrap_or_default()),
    };
    match cli.command {
        Command::Run(run) => run.invocation(typed(arguments), environment),
        Command::Calibrate(calibrate) => calibrate.invocation(typed(arguments), environment),
        Command::Slo(slo) => slo.invocation(typed(arguments), environment),
        Command::Soak(soak) => soak.invocation(typed(arguments), environment),
        Command::Sql(sql) => sql.invocation(arguments, environment),
        Command::Orion(_) => orion_args::read(arguments, environment),
        Command::Report(report) => report.options(environment).map(Invocation::Report),
        Command::Versus(versus) => versus.invocation(typed(arguments), environment),
        Command::Compare(compare) => compare.checked().map(Invocation::Compare),
        Command::Advise(advise) => advise.options().map(Invocation::Advise),
        Command::Targets(targets) => Ok(Invocation::Targets(targets)),
        Command::Doctor(doctor) => Ok(Invocation::Doctor(doctor)),
        Command::Capacity(capacity) => capacity.invocation(arguments, environment),
        Command::Durability(durability) => durability.invocation(),
        Command::Scrub(scrub) => scrub.checked().map(|scrub| Invocation::Scrub(Box::new(scrub))),
        Command::Fill(fill) => fill.checked().map(|fill| Invocation::Fill(Box::new(fill))),
        Command::Selftest(selftest) => Ok(Invocation::Selftest(selftest)),
        Command::Completions(completions) => Ok(Invocation::Completions(completions.shell)),
        Command::Man(man) => man.options().map(Invocation::Man),
    }
}
