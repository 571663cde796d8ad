//! What the user probably meant, where the parser only knows that it cannot be: a level or a command that is missing,
//! options of fio, a word that is nearly right.
//!
//! Every problem offers a command line to go on with. Must not look at a path: that it is one is told by its letters.

use super::clap_problem::place;
use super::names::{Front, Opt};
use super::sql::Wish;
use super::{fio, synonyms, words};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use rigel_core::error::Problem;
use rigel_core::load::matrix::RunLevel;
use rigel_core::nearest::nearest;
use rigel_core::path_text;
use std::ffi::OsString;

/// A problem in our own words; `None` where those of the parser do. `arguments` begin with the command.
pub fn problem(error: &clap::Error, cli: &clap::Command, arguments: &[OsString]) -> Option<Problem> {
    let command = arguments.first().and_then(|word| word.to_str());
    let command = command.filter(|word| cli.find_subcommand(word).is_some());
    let typed = |kind| typed(error, kind);
    let about_level = || place(error).is_some_and(|place| place == "LEVEL");
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let word = typed(ContextKind::InvalidSubcommand)?;
            Some(
                command.map_or_else(|| no_command(cli, &word), |command| no_own_command(cli, command, &word)),
            )
        }
        ErrorKind::UnknownArgument => {
            unknown_option(cli, command, &typed(ContextKind::InvalidArg)?, arguments)
        }
        ErrorKind::MissingRequiredArgument if about_level() => Some(Levels::of(command).missing()),
        ErrorKind::InvalidValue if about_level() => {
            Some(Levels::of(command).none_is(&typed(ContextKind::InvalidValue)?))
        }
        ErrorKind::InvalidValue if place(error)? == "--percentile" => {
            let value = typed(ContextKind::InvalidValue)?;
            let problem =
                Problem::usage(format!("--percentile {value} is neither mean nor p99")).at("--percentile");
            let of = if value == "median" { "p50" } else { &value };
            let next = synonyms::meant(command?, &format!("--{of}"));
            Some(
                problem
                    .next(next.unwrap_or_else(|| "write --percentile mean or --percentile p99".to_owned())),
            )
        }
        _ => None,
    }
}

/// The problem of a command line that ends before its command, or before that command's own.
pub fn no_word(cli: &clap::Command, arguments: &[OsString]) -> Problem {
    let command = arguments.first().and_then(|word| word.to_str());
    let problem = Problem::usage("a command is missing");
    match command.and_then(|command| Some((command, own_commands(cli, command)?))) {
        Some((command, own)) => {
            problem.at(command).next(format!("`rigel {command}` takes one of {}", own.join(", ")))
        }
        None => problem.next("try `rigel run simple`, or list the commands with `rigel --help`"),
    }
}

/// The names of the commands that a command has of its own.
fn own_commands<'a>(cli: &'a clap::Command, command: &str) -> Option<Vec<&'a str>> {
    let own =
        cli.find_subcommand(command)?.get_subcommands().map(clap::Command::get_name).collect::<Vec<_>>();
    (!own.is_empty()).then_some(own)
}

fn no_own_command(cli: &clap::Command, command: &str, word: &str) -> Problem {
    let own = own_commands(cli, command).unwrap_or_default();
    let problem = Problem::usage(format!("there is no command '{word}' of `rigel {command}`")).at(word);
    match nearest(word, own.iter().copied()) {
        Some(near) => problem.next(format!("perhaps `rigel {command} {near}` was meant")),
        None => problem.next(format!("name one of {}", own.join(", "))),
    }
}

/// What the parser quotes, printable.
pub fn typed(error: &clap::Error, kind: ContextKind) -> Option<String> {
    let text = match error.get(kind)? {
        ContextValue::String(text) => text,
        ContextValue::Strings(several) => several.first()?,
        _ => return None,
    };
    Some(path_text::printable(text).into_owned())
}

fn is_path(word: &str) -> bool {
    word.contains(['/', '.'])
}

fn no_command(cli: &clap::Command, word: &str) -> Problem {
    if is_path(word) {
        return Problem::usage(format!("a command is missing before '{word}'"))
            .at(word)
            .next(format!("`rigel run simple {word}` measures it, `rigel targets {word}` tells what it is"));
    }
    let problem = Problem::usage(format!("there is no command '{word}'")).at(word);
    let commands = cli.get_subcommands().map(clap::Command::get_name);
    match (words::find::<RunLevel>(word), nearest(word, commands)) {
        (Some(level), _) => problem.next(format!("perhaps `rigel run {}` was meant", level.name())),
        (None, Some(near)) => problem.next(format!("perhaps `rigel {near}` was meant")),
        (None, None) => problem.next("list the commands with `rigel --help`"),
    }
}

/// The levels of a command.
struct Levels {
    command: &'static str,
    list: String,
    names: Vec<&'static str>,
}

impl Levels {
    fn of(command: Option<&str>) -> Self {
        fn names<T: words::Words>() -> Vec<&'static str> {
            T::all().into_iter().map(|(name, _)| name).collect()
        }
        match command {
            Some("sql") => Self { command: "sql", list: words::list::<Wish>(), names: names::<Wish>() },
            _ => Self { command: "run", list: words::list::<RunLevel>(), names: names::<RunLevel>() },
        }
    }

    fn missing(&self) -> Problem {
        Problem::usage("a level is missing")
            .at("LEVEL")
            .next(format!("name one of {}, as in: rigel {} simple", self.list, self.command))
    }

    fn none_is(&self, word: &str) -> Problem {
        let command = self.command;
        let go_on = format!("`rigel {command} simple {word}` measures it");
        if is_path(word) {
            return Problem::usage(format!("a level is missing before '{word}'"))
                .at("LEVEL")
                .next(format!("{go_on}; the word after `rigel {command}` is {}", self.list));
        }
        let problem = Problem::usage(format!("'{word}' is no level ({})", self.list)).at("LEVEL");
        if command == "run"
            && let Some(told) = fio::level(word)
        {
            return problem.next(told);
        }
        match nearest(word, self.names.iter().copied()) {
            Some(near) => problem.next(format!("perhaps `rigel {command} {near}` was meant")),
            None => problem.next(format!("if it is the name of a target: {go_on}")),
        }
    }
}

/// An option that is not known here, or stands before the command. `None` when it is no option at all.
fn unknown_option(
    cli: &clap::Command,
    command: Option<&str>,
    option: &str,
    arguments: &[OsString],
) -> Option<Problem> {
    let name = option.split('=').next().filter(|name| name.starts_with('-'))?;
    let measures = matches!(command, None | Some("run" | "calibrate"));
    let words = without_own(cli, command, arguments);
    let foreign = || foreign_option(name, command == Some("calibrate"), &words);
    if let Some(problem) = measures.then(foreign).flatten() {
        return Some(problem);
    }
    let Some(command) = command else {
        return Some(
            Problem::usage(format!("a command is missing before {name}"))
                .at(name)
                .next("begin with the command, as in: rigel run simple; `rigel --help` lists them"),
        );
    };
    let own = arguments.get(1).and_then(|word| word.to_str());
    let own = own.and_then(|own| cli.find_subcommand(command)?.find_subcommand(own));
    Some(own.map_or_else(|| no_option(cli, command, name), |own| no_own_option(command, own, name)))
}

/// A slip in an option of a command that another one has.
fn no_own_option(command: &str, own: &clap::Command, name: &str) -> Problem {
    let full = format!("{command} {}", own.get_name());
    let problem = Problem::usage(format!("{name} is no option of `rigel {full}`")).at(name);
    if let Some(told) = synonyms::meant(&full, name) {
        return problem.next(told);
    }
    match nearest(name, own.get_arguments().filter_map(clap::Arg::get_long)) {
        Some(near) => problem.next(format!("perhaps --{near} was meant")),
        None => problem.next(format!("`rigel help {full}` lists the options")),
    }
}

/// A slip, or an option of another command.
fn no_option(cli: &clap::Command, command: &str, name: &str) -> Problem {
    if name.trim_start_matches('-').starts_with(|first: char| first.is_ascii_digit()) {
        return Problem::usage(format!("{name} is a negative number, and nothing here can be one"))
            .at(name)
            .next(format!("`rigel help {command}` lists the options with their values"));
    }
    let problem = Problem::usage(format!("{name} is no option of `rigel {command}`")).at(name);
    if let Some(told) = synonyms::meant(command, name) {
        return problem.next(told);
    }
    // What another command has by this name was more likely meant than a name that is only near.
    let has = |of: &clap::Command| of.get_arguments().any(|arg| arg.get_long() == name.strip_prefix("--"));
    if name.starts_with("--")
        && let Some(other) = cli.get_subcommands().find(|of| has(of))
    {
        return problem.next(format!("there is `rigel {} {name}`", other.get_name()));
    }
    let near = |of: &clap::Command| -> Option<String> {
        let known = of.get_arguments().filter_map(clap::Arg::get_long);
        nearest(name, known).filter(|_| name.starts_with("--")).map(str::to_owned)
    };
    let others = || {
        ["run", "calibrate"].into_iter().find_map(|other| Some((other, near(cli.find_subcommand(other)?)?)))
    };
    match (command, name, cli.find_subcommand(command).and_then(near)) {
        ("run", "--level", _) => {
            problem.next("name the level alone, as in: rigel run simple; --levels is orion or auto")
        }
        (.., Some(near)) => problem.next(format!("perhaps --{near} was meant")),
        _ => match others() {
            Some((other, near)) => problem.next(format!("there is `rigel {other} --{near}`")),
            None => problem.next(format!("`rigel help {command}` lists the options")),
        },
    }
}

/// The words that are no options of the command: one of its own may be called like one of fio's.
fn without_own(cli: &clap::Command, command: Option<&str>, arguments: &[OsString]) -> Vec<OsString> {
    let of_command = command.and_then(|command| cli.find_subcommand(command));
    let is_own = |word: &&OsString| {
        let long = word.to_str().and_then(|word| word.strip_prefix("--")?.split('=').next());
        let mut own = of_command.into_iter().flat_map(clap::Command::get_arguments);
        long.is_some() && own.any(|arg| arg.get_long() == long)
    };
    arguments.iter().filter(|word| !is_own(word)).cloned().collect()
}

/// An option of fio or of ORION. Whoever types one of fio's types several, and wants to know all.
fn foreign_option(name: &str, calibrates: bool, arguments: &[OsString]) -> Option<Problem> {
    if fio::hint(name, calibrates).is_some() {
        let hints = arguments.iter().filter_map(|word| fio::hint(&word.to_string_lossy(), calibrates));
        let hints: Vec<String> = hints.collect();
        let problem = Problem::usage(format!("{name} is an option of fio")).at(name);
        return Some(problem.next(hints.join("\n    ")));
    }
    // The parser takes `-duration` for `-d` and more.
    let mut all = Opt::ALL.into_iter();
    let opt = all.find(|opt| {
        let orion = opt.spelled(Front::Orion);
        !name.starts_with("--") && orion.starts_with(name) && arguments.iter().any(|word| word == orion)
    })?;
    let (orion, rigel) = (opt.spelled(Front::Orion), opt.spelled(Front::Rigel));
    Some(
        Problem::usage(format!("{orion} is an option of ORION")).at(orion).next(format!(
            "it is {rigel} of `rigel run`; ORION's own command line begins with `rigel orion`"
        )),
    )
}
