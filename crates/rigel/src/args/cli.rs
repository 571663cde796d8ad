//! The command line as a whole: its commands, and which module reads the rest.
//!
//! Must not hold options of its own.

use super::advise::AdviseArgs;
use super::calibrate::CalibrateArgs;
use super::capacity::CapacityArgs;
use super::clap_problem::outcome;
use super::compare::CompareArgs;
use super::copied;
use super::depth;
use super::doctor::DoctorArgs;
use super::durability::DurabilityArgs;
use super::fill::FillArgs;
use super::load_command::LoadCommandArgs;
use super::manual::{CompletionsArgs, ManArgs};
use super::mark::MarkArgs;
use super::names::Front;
use super::overview;
use super::rank::RankArgs;
use super::report::ReportArgs;
use super::rules::{self, Line};
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
use rigel_core::facts::engine::EngineKind;
use rigel_core::load::matrix::RunLevel;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::LazyLock;

/// The examples on the man page.
const EXAMPLES: &str = "\
Examples:
  rigel calibrate
      benchmark the storage under this directory: fill a scratch file, measure it, remove it
  rigel run oltp /dev/nvme1n1 --precision 2%
      small I/O on a device until every number is known to 2 %; nothing is written
  rigel versus /mnt/old --and /mnt/new
      compare two storages, each with a scratch file in that directory
  rigel run normal --engine sim --dry-run
      the plan of a run; --engine sim alone shows all outputs without any storage
  rigel report rigel_20260101_1200_record.jsonl --html
      write the page with charts again, from the record of a run
  rigel help run
      examples and all options of a command

Exit codes:
  0  success
  1  measured, but a check failed
  2  the command line, a list of targets or a record is invalid
  3  a target or the host refused, or Rigel refuses to touch a target
  4  the run was cut short; its record is complete up to that point
  5  a bug in Rigel";

/// Examples come before the options.
const EXAMPLES_FIRST: &str = "{about-with-newline}\n{usage-heading} {usage}{after-help}\n\n{all-args}";

/// What `--version` says below the version, which people compare between hosts: the platforms of this binary, and how it can do I/O.
fn long_version() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let engines: Vec<&str> = EngineKind::ALL.iter().map(|kind| kind.name()).collect();
        let (version, architecture) = (env!("CARGO_PKG_VERSION"), std::env::consts::ARCH);
        format!("{version}\narchitecture: {architecture}\nengines: {}", engines.join(", "))
    });
    &TEXT
}

/// Benchmarks storage for databases, and says how far to trust each number.
#[derive(Debug, Parser)]
#[command(name = "rigel", version, long_version = long_version(), help_expected = true, max_term_width = 110, disable_help_flag = true)]
#[command(after_long_help = EXAMPLES)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// I/O at rising load, commits, or a load of your own
    Run(Box<RunArgs>),
    /// One-minute benchmark: IOPS, MB/s, latency, commit cost
    Calibrate(Box<CalibrateArgs>),
    /// Highest I/O rate that meets a latency limit
    Slo(Box<SloArgs>),
    /// Queries and commits in a database, and what limits them
    Sql(Box<SqlArgs>),
    /// Turn a fio job into a load file
    Load(LoadCommandArgs),
    /// Command line and output files of Oracle's ORION
    Orion(OrionArgs),
    /// Make page, CSV, JSON and more from the record of a run
    Report(ReportArgs),
    /// Compare finished runs: what got better or worse
    Compare(CompareArgs),
    /// Rank several storages: which is best, and for what price
    Rank(RankArgs),
    /// Compare two storages side by side: how much faster is B?
    Versus(Box<VersusArgs>),
    /// Settings for databases and cgroups, from measured storage
    Advise(AdviseArgs),
    /// List block devices, what they hold, and who uses them
    Targets(TargetsArgs),
    /// Mark the moment in a run that holds a rate through failures
    Mark(MarkArgs),
    /// Write random data, so that reads measure real storage
    Fill(Box<FillArgs>),
    /// Find settings that distort results or slow a database
    Doctor(DoctorArgs),
    /// Burn-in test: report corruption, errors and slow disks
    Soak(Box<SoakArgs>),
    /// Find acknowledged writes that a power cut lost
    Durability(DurabilityArgs),
    /// Read every block of a device, or compare copies of data
    Scrub(Box<ScrubArgs>),
    /// Will storage be full or slow? Record, forecast, replay
    Capacity(CapacityArgs),
    /// Check on simulated devices that the intervals are right
    Selftest(SelftestArgs),
    /// Print the completion script for a shell
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

/// The command line. `-h` is a summary of one screen, `--help` shows everything, as does `rigel help COMMAND`.
pub fn command() -> clap::Command {
    let help = || {
        let text = "Print a summary (-h) or everything (--help)";
        Arg::new("help").short('h').long("help").action(ArgAction::Help).help(text).long_help(text)
    };
    let cli = Cli::command()
        .mut_subcommands(|command| {
            let name = command.get_name().to_owned();
            // What follows `orion` never reaches clap.
            if name == "orion" {
                return command;
            }
            // A heading of its own would cost the longest summaries three lines.
            let heading =
                ["run", "calibrate", "slo", "versus", "sql"].contains(&name.as_str()).then_some(FILES);
            let command = match name.as_str() {
                "run" => alone(command, &["resume"], &BESIDE_RESUME),
                "soak" => alone(command, &["resume"], &super::soak::BESIDE_RESUME),
                "versus" => alone(command, &["resume", "record"], &BESIDE_RECORD),
                _ => command,
            };
            // A command with commands of its own: each of them has a summary as well.
            let command = command.mut_subcommands(|own| {
                let path = format!("{name} {}", own.get_name());
                flowing(without_unused(&path, own).arg(help())).help_template(EXAMPLES_FIRST)
            });
            let shown = flowing(without_unused(&name, command).arg(help().help_heading(heading)));
            // The parts of such a command are what is looked for.
            if shown.is_subcommand_required_set() { shown } else { shown.help_template(EXAMPLES_FIRST) }
        })
        .arg(help());
    let text = overview::text(&cli);
    cli.override_help(text)
}

/// Hides the options that the rules do not allow for this command.
fn without_unused(path: &str, command: clap::Command) -> clap::Command {
    command.mut_args(|arg| {
        let is_unused = arg.get_long().is_some_and(|long| rules::is_unused(path, &format!("--{long}")));
        if is_unused { arg.hide(true) } else { arg }
    })
}

/// With the text after the options in lines as wide as the terminal.
fn flowing(command: clap::Command) -> clap::Command {
    let Some(text) = command.get_after_long_help().map(ToString::to_string) else { return command };
    command.after_long_help(joined(&text))
}

/// Each paragraph in one line. Lines with the same indent are joined; each line with commands stays separate.
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

/// Refuses most options next to --resume and the like: the record contains them already.
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

/// The words in the parser's form.
fn prepared(cli: &clap::Command, argv: &[OsString]) -> Vec<OsString> {
    let argv = overview::usual(cli, argv);
    match (argv.as_slice(), cli.find_subcommand("sql")) {
        ([program, command, words @ ..], Some(sql)) if command == "sql" => {
            [vec![program.clone(), command.clone()], super::sql::with_command(sql, words)].concat()
        }
        _ => depth::spelled(with_load_level(&argv)),
    }
}

/// Whether the parser takes the arguments; ORION's never reach it.
pub fn is_understood(argv: &[OsString]) -> bool {
    let cli = command();
    let argv = prepared(&cli, argv);
    argv.get(1).is_some_and(|word| word == "orion") || cli.try_get_matches_from(argv).is_ok()
}

/// Reads the arguments of the program, its own name first.
pub fn read(argv: &[OsString], environment: &Environment) -> Result<Invocation, Problem> {
    // By a link or a copy.
    let is_orion =
        |program| Path::new(program).file_name().is_some_and(|name| name.as_bytes().starts_with(b"orion"));
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
        (Some("orion"), Some("help")) | (Some("help"), Some("orion")) => {
            return Ok(Invocation::Show(orion_args::long_help()));
        }
        (Some("orion"), _) => return orion_args::read(arguments, environment),
        _ => {}
    }
    let mut definition = command();
    let argv = &prepared(&definition, argv);
    let read = definition.try_get_matches_from_mut(argv).and_then(|matches| {
        let line = Line::typed(&definition, &matches);
        Cli::from_arg_matches(&matches).map(|cli| (cli, line))
    });
    let (cli, line) = match read {
        Ok(read) => read,
        Err(error) => return outcome(&error, argv.get(1..).unwrap_or_default()),
    };
    // Of `versus`, whose level is found among the targets, once more when it is known.
    line.check(Front::Rigel)?;
    match cli.command {
        Command::Run(run) => run.invocation(typed(arguments), environment),
        Command::Calibrate(calibrate) => calibrate.invocation(typed(arguments), environment),
        Command::Slo(slo) => slo.invocation(typed(arguments), environment),
        Command::Soak(soak) => soak.invocation(typed(arguments), environment),
        Command::Sql(sql) => sql.invocation(arguments, environment),
        Command::Orion(_) => orion_args::read(arguments, environment),
        Command::Report(report) => report.options(environment).map(Invocation::Report),
        Command::Versus(versus) => versus.invocation(line, typed(arguments), environment),
        Command::Compare(compare) => compare.invocation(),
        Command::Rank(rank) => rank.checked().map(Invocation::Rank),
        Command::Advise(advise) => Ok(Invocation::Advise(advise.options())),
        Command::Targets(targets) => Ok(Invocation::Targets(targets)),
        Command::Doctor(doctor) => Ok(Invocation::Doctor(doctor)),
        Command::Capacity(capacity) => capacity.invocation(arguments, environment),
        Command::Durability(durability) => durability.invocation(),
        Command::Scrub(scrub) => scrub.checked().map(|scrub| Invocation::Scrub(Box::new(scrub))),
        Command::Fill(fill) => fill.checked().map(|fill| Invocation::Fill(Box::new(fill))),
        Command::Load(load) => Ok(load.invocation()),
        Command::Mark(mark) => mark.checked().map(Invocation::Mark),
        Command::Selftest(selftest) => Ok(Invocation::Selftest(selftest)),
        Command::Completions(completions) => Ok(Invocation::Completions(completions.shell)),
        Command::Man(man) => man.options().map(Invocation::Man),
    }
}
