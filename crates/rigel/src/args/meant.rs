//! What the user probably meant when the parser only knows that it is invalid: a missing level or command, fio options, a word that is nearly right.
//!
//! Every problem offers a command line to continue with. Must not look at a path: it is recognised by its spelling.

use super::clap_problem::place;
use super::{fio, no_command, no_option, offer, synonyms, words};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use rigel_core::error::Problem;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::sql::SqlLevel;
use rigel_core::nearest::nearest;
use rigel_core::no_target::no_target;
use rigel_core::path_text;
use std::ffi::OsString;

/// A problem in our own words; `None` if the parser's are used. `arguments` begin with the command.
pub fn problem(error: &clap::Error, cli: &clap::Command, arguments: &[OsString]) -> Option<Problem> {
    let command = arguments.first().and_then(|word| word.to_str());
    let command = command.filter(|word| cli.find_subcommand(word).is_some());
    let typed = |kind| typed(error, kind);
    let about_level = || place(error).is_some_and(|place| place == "LEVEL");
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let word = typed(ContextKind::InvalidSubcommand)?;
            let none = || {
                no_help(cli, &word, arguments).unwrap_or_else(|| no_command::problem(cli, &word, arguments))
            };
            Some(command.map_or_else(none, |command| no_own_command(cli, command, &word)))
        }
        ErrorKind::UnknownArgument => {
            no_option::problem(cli, command, &typed(ContextKind::InvalidArg)?, arguments)
        }
        ErrorKind::MissingRequiredArgument if about_level() => {
            Some(Levels::of(cli, command).missing(arguments))
        }
        ErrorKind::InvalidValue if about_level() => {
            Some(Levels::of(cli, command).none_is(&typed(ContextKind::InvalidValue)?, arguments))
        }
        ErrorKind::InvalidValue if place(error)? == "--percentile" => {
            Some(percentile(command?, &typed(ContextKind::InvalidValue)?))
        }
        ErrorKind::InvalidValue => other_word(error, arguments),
        ErrorKind::TooManyValues => switch(error, arguments),
        _ => None,
    }
}

/// The mean and p99 are all that a calibration bounds.
fn percentile(command: &str, value: &str) -> Problem {
    let problem = Problem::usage(format!("--percentile {value} is neither mean nor p99")).at("--percentile");
    let of = if value == "median" { "p50" } else { value };
    let next = synonyms::meant(command, &format!("--{of}"));
    problem.next(next.unwrap_or_else(|| "write --percentile mean or --percentile p99".to_owned()))
}

/// A value by another name of it, where the option takes the one that is known.
fn other_word(error: &clap::Error, arguments: &[OsString]) -> Option<Problem> {
    let (option, value) = (place(error)?, typed(error, ContextKind::InvalidValue)?);
    let (option, value) = (option.as_str(), value.as_str());
    let ContextValue::Strings(known) = error.get(ContextKind::ValidValue)? else { return None };
    let word = synonyms::value(option, value).filter(|word| known.iter().any(|known| known == word))?;
    // Another name of the option stands before its value.
    let is_name = |at: usize| arguments.get(at + 1).is_some_and(|next| next == value);
    let renamed = arguments.iter().enumerate().map(|(at, argument)| match argument.to_str() {
        Some(typed) if typed == value => word.into(),
        Some(typed) if typed.starts_with("--") && is_name(at) => option.into(),
        Some(typed) if typed == format!("{option}={value}") => format!("{option}={word}").into(),
        _ => argument.clone(),
    });
    let renamed: Vec<OsString> = renamed.collect();
    let line = offer::line(&renamed).or_else(|| at_another_level(command_of(arguments)?, &renamed));
    let line = line.map_or_else(String::new, |line| format!(": {line}"));
    let problem = Problem::usage(format!("`{option} {value}` is called {word} here")).at(option);
    Some(problem.next(format!("write {option} {word}{line}")))
}

fn command_of(arguments: &[OsString]) -> Option<&str> {
    arguments.first()?.to_str()
}

/// The line with the first other level of `rigel run` that takes it: another one may have the option.
fn at_another_level(command: &str, arguments: &[OsString]) -> Option<String> {
    let levels = words::Words::all().into_iter().map(|(name, _): (&'static str, RunLevel)| name);
    let line = |level: &'static str| {
        let mut line = arguments.to_vec();
        *line.get_mut(1)? = level.into();
        offer::line(&line)
    };
    levels.filter(|_| command == "run").find_map(line)
}

/// A switch with a value: `--buffered=0`. Off is what it is without the option.
fn switch(error: &clap::Error, arguments: &[OsString]) -> Option<Problem> {
    let (option, value) = (place(error)?, typed(error, ContextKind::InvalidValue)?);
    let is_it = |word: &OsString| word.to_str() == Some(&format!("{option}={value}"));
    let is_off = ["0", "false", "no", "off", "n"].contains(&value.to_ascii_lowercase().as_str());
    let of = |argument: &OsString| match is_it(argument) {
        true if is_off => None,
        true => Some(OsString::from(&option)),
        false => Some(argument.clone()),
    };
    arguments.iter().any(is_it).then(|| {
        let line = offer::line(&arguments.iter().filter_map(of).collect::<Vec<_>>());
        let line = line.map_or_else(String::new, |line| format!(": {line}"));
        let next = if is_off { format!("leave out {option}") } else { format!("write {option} alone") };
        Problem::usage(format!("{option} is a switch and takes no value"))
            .at(option.as_str())
            .because("without the option it is off")
            .next(format!("{next}{line}"))
    })
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

/// The names of a command's own commands.
fn own_commands<'a>(cli: &'a clap::Command, command: &str) -> Option<Vec<&'a str>> {
    let own =
        cli.find_subcommand(command)?.get_subcommands().map(clap::Command::get_name).collect::<Vec<_>>();
    (!own.is_empty()).then_some(own)
}

fn no_own_command(cli: &clap::Command, command: &str, word: &str) -> Problem {
    let own = own_commands(cli, command).unwrap_or_default();
    let problem = Problem::usage(format!("there is no command '{word}' of `rigel {command}`")).at(word);
    if command == "capacity" && ["export", "dump", "save", "csv"].contains(&word) {
        return problem.next(
            "the store is one SQLite file, which any program can read; `rigel capacity show` prints what it holds of each disk, `rigel capacity list` the metrics",
        );
    }
    let only = || own.first().copied().filter(|_| own.len() == 1);
    match nearest(word, own.iter().copied()).or_else(only) {
        Some(near) => problem.next(format!("did you mean `rigel {command} {near}`?")),
        None => problem.next(format!("`rigel {command}` takes one of {}", own.join(", "))),
    }
}

/// Of `rigel help COMMAND WORD`, where the command has no page of that name.
fn no_help(cli: &clap::Command, word: &str, arguments: &[OsString]) -> Option<Problem> {
    let [help, command, _, ..] = arguments else { return None };
    let command =
        command.to_str().filter(|command| help == "help" && cli.find_subcommand(command).is_some())?;
    let problem = Problem::usage(format!("there is no help on '{word}' of `rigel {command}`")).at(word);
    let own = own_commands(cli, command).unwrap_or_default();
    Some(match nearest(word, own) {
        Some(near) => problem.next(format!("did you mean `rigel help {command} {near}`?")),
        None => problem.next(format!("`rigel help {command}` shows everything about that command")),
    })
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

/// The levels of a command.
struct Levels<'a> {
    command: &'static str,
    /// Includes the commands that can replace a level.
    names: Vec<&'a str>,
}

impl<'a> Levels<'a> {
    fn of(cli: &'a clap::Command, command: Option<&str>) -> Self {
        fn names<T: words::Words>() -> impl Iterator<Item = &'static str> {
            T::all().into_iter().map(|(name, _)| name)
        }
        match command {
            Some("sql") => {
                let own = own_commands(cli, "sql").unwrap_or_default();
                Self {
                    command: "sql",
                    names: names::<SqlLevel>().map(|name| -> &'a str { name }).chain(own).collect(),
                }
            }
            _ => Self { command: "run", names: names::<RunLevel>().collect() },
        }
    }

    fn list(&self) -> String {
        words::either(&self.names)
    }

    fn missing(&self, arguments: &[OsString]) -> Problem {
        let problem = Problem::usage("a level is missing").at("LEVEL");
        match self.of_options(arguments) {
            Some(line) => problem.next(format!("the options go with {line}")),
            None => {
                problem.next(format!("name one of {}, as in: rigel {} simple", self.list(), self.command))
            }
        }
    }

    /// The lines with the levels that accept its options, if there are at most two.
    fn of_options(&self, arguments: &[OsString]) -> Option<String> {
        let with = |level: &&str| {
            let level = OsString::from(level);
            let rest = arguments.iter().skip(1).cloned();
            offer::line(&[OsString::from(self.command), level].into_iter().chain(rest).collect::<Vec<_>>())
        };
        let lines: Vec<String> = self.names.iter().filter_map(with).take(3).collect();
        (arguments.len() > 1 && (1..=2).contains(&lines.len())).then(|| lines.join(" or "))
    }

    fn none_is(&self, word: &str, arguments: &[OsString]) -> Problem {
        let command = self.command;
        if let Some(told) = no_target(word) {
            let problem = Problem::usage(format!("'{word}' is not a level ({})", self.list())).at("LEVEL");
            return problem.because(told.is).next(told.next);
        }
        let path = path_text::shell_word(word);
        let go_on = format!("`rigel {command} simple {path}` measures it");
        if is_path(word) {
            let next = match self.of_options(arguments) {
                Some(line) => format!("the options go with {line}"),
                None => format!("{go_on}; the word after `rigel {command}` is {}", self.list()),
            };
            return Problem::usage(format!("a level is missing before '{word}'")).at("LEVEL").next(next);
        }
        let problem = Problem::usage(format!("'{word}' is not a level ({})", self.list())).at("LEVEL");
        if command == "run"
            && let Some(told) = fio::level(word)
        {
            return problem.next(told);
        }
        if let Some(told) = no_command::program(word, arguments.get(2..).unwrap_or_default()) {
            return problem.because(format!("{word} is another program")).next(told);
        }
        match nearest(word, self.names.iter().copied()) {
            Some(near) => problem.next(format!("did you mean `rigel {command} {near}`?")),
            None => problem.next(format!("if it is the name of a target: {go_on}")),
        }
    }
}
