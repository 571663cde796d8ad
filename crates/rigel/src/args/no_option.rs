//! Options that a command does not have: typing errors, options of other commands and of other tools, and their counterparts.
//!
//! A typing error never leads to an option that writes. Must not know the words of other tools; [`fio`] and [`synonyms`] do.

use super::names::{Front, Opt, is_called};
use super::words::Words as _;
use super::{fio, no_command, offer, synonyms};
use rigel_core::error::Problem;
use rigel_core::load::matrix::RunLevel;
use rigel_core::nearest::{is_slip, nearest};
use rigel_core::units::{Bytes, Nanos};
use std::ffi::OsString;

/// Destructive options: offered for a slip of one letter, and not for a name that is only similar.
const WRITES: [&str; 3] = ["write", "destroy-data", "force"];

/// A larger value is the size of a file.
const LARGEST_IO: u64 = 16 << 20;

/// An option that is unknown here, or precedes the command. `None` if it is not an option at all.
pub fn problem(
    cli: &clap::Command,
    command: Option<&str>,
    option: &str,
    arguments: &[OsString],
) -> Option<Problem> {
    let name = option.split('=').next().filter(|name| name.starts_with('-'))?;
    let typed = RefusedOption { cli, command, name, arguments };
    let measures = matches!(command, None | Some("run" | "calibrate"));
    if let Some(problem) = measures.then(|| typed.foreign()).flatten().or_else(|| typed.one_dash()) {
        return Some(problem);
    }
    let Some(command) = command else {
        return Some(
            Problem::usage(format!("a command is missing before {name}"))
                .at(name)
                .next("begin with the command, as in: rigel run simple; `rigel --help` lists them"),
        );
    };
    Some(typed.own().map_or_else(|| typed.of(command), |own| typed.of_own(command, own)))
}

/// A refused option, and the line that contains it.
struct RefusedOption<'a> {
    cli: &'a clap::Command,
    command: Option<&'a str>,
    name: &'a str,
    arguments: &'a [OsString],
}

impl<'a> RefusedOption<'a> {
    fn of_command(&self) -> Option<&'a clap::Command> {
        self.cli.find_subcommand(self.command?)
    }

    /// The command of a command, as in `capacity fit`.
    fn own(&self) -> Option<&'a clap::Command> {
        self.of_command()?.find_subcommand(self.arguments.get(1)?.to_str()?)
    }

    /// The level of `rigel run`, or what replaces it.
    fn level(&self) -> Option<&'a str> {
        self.arguments.get(1).filter(|_| self.command == Some("run"))?.to_str()
    }

    /// `--max-latency -2ms`, and `-2ms`, of which the parser takes `-2` for an option.
    fn negative_value(&self) -> Option<(String, &'a str)> {
        self.arguments.windows(2).find_map(|pair| {
            let (option, value) = (pair[0].to_str()?, pair[1].to_str()?);
            let is_it = option.starts_with('-') && value.starts_with(self.name);
            is_it.then(|| (format!("{option} {value}"), value))
        })
    }

    fn is_no_option(&self, of: &str) -> Problem {
        Problem::usage(format!("{} is not an option of `rigel {of}`", self.name)).at(self.name)
    }

    /// What a command has instead under another name, with the line if the value fits as well.
    fn synonym(&self, command: &str) -> Option<String> {
        Some(self.with_line(&self.told_for(command, self.name)?))
    }

    /// A sentence with the whole line, if it names an option that takes what was typed.
    fn with_line(&self, told: &str) -> String {
        // Of a bound on a percentile, the time that was typed.
        let time = offer::value(self.arguments, self.name).filter(|time| time.parse::<Nanos>().is_ok());
        let told = time.map_or_else(|| told.to_owned(), |time| told.replace("2ms", time));
        let option = synonyms::first_option(&told).filter(|option| !WRITES.contains(&&option[2..]));
        let line = option.and_then(|option| offer::with_option(self.arguments, self.name, option));
        line.map_or_else(|| told.clone(), |line| format!("{told}: {line}"))
    }

    /// The sentence for another name of an option.
    fn told_for(&self, command: &str, name: &str) -> Option<String> {
        let of_level = self.level().and_then(|level| synonyms::of_level(level, name)).map(str::to_owned);
        of_level.or_else(|| synonyms::meant(command, name))
    }

    /// The same for a slip in such a name.
    fn nearly_a_synonym(&self, command: &str) -> Option<String> {
        let mut near = synonyms::names().filter(|name| is_slip(self.name, name));
        near.find_map(|name| self.told_for(command, name)).map(|told| self.with_line(&told))
    }

    /// A slip in an option of a command of a command.
    fn of_own(&self, command: &str, own: &clap::Command) -> Problem {
        let full = format!("{command} {}", own.get_name());
        let problem = self.is_no_option(&full);
        match self
            .synonym(&full)
            .or_else(|| near(own, self.name).map(|near| format!("did you mean --{near}?")))
        {
            Some(told) => problem.next(told),
            None => problem.next(format!("`rigel help {full}` lists the options")),
        }
    }

    /// A slip, or an option of another command.
    fn of(&self, command: &str) -> Problem {
        let name = self.name;
        if name.trim_start_matches('-').starts_with(|first: char| first.is_ascii_digit()) {
            let (place, value) = self.negative_value().unwrap_or_else(|| (name.to_owned(), name));
            return Problem::usage(format!("{value} is negative, but no value here can be negative"))
                .at(place)
                .next(format!("`rigel help {command}` lists the options with their values"));
        }
        let problem = self.is_no_option(command);
        let own = self.of_command().and_then(|of| of.find_subcommand(name.trim_start_matches('-')));
        if let Some(own) = own {
            return problem.next(format!("`rigel {command} {}` is a command of its own", own.get_name()));
        }
        if let Some(told) = self.synonym(command).or_else(|| self.of_another()) {
            return problem.next(told);
        }
        // A slip in a name that is no option here is nearer than an option that has the word as a part.
        let is_nearest =
            |near: &str| is_slip(name, &format!("--{near}")) || self.nearly_a_synonym(command).is_none();
        match (command, name, self.of_command().and_then(|of| near(of, name))) {
            ("run", "--level", _) => {
                problem.next("name the level alone, as in: rigel run simple; --levels is orion or auto")
            }
            (.., Some(near)) if is_nearest(&near) => problem.next(format!("did you mean --{near}?")),
            _ => problem.next(self.further_away(command)),
        }
    }

    /// A slip in another name of an option, or in an option of a command that measures.
    fn further_away(&self, command: &str) -> String {
        let mut others = ["run", "calibrate"].into_iter();
        let in_others =
            others.find_map(|other| Some((other, near(self.cli.find_subcommand(other)?, self.name)?)));
        match (self.nearly_a_synonym(command), in_others) {
            (Some(told), _) => told,
            (None, Some((other, near))) => {
                let line = self.line_of(other, &format!("--{near}"));
                format!("there is {}", line.unwrap_or_else(|| format!("--{near} of `rigel {other}`")))
            }
            (None, None) => format!("`rigel help {command}` lists the options"),
        }
    }

    /// An option of another command with this name was more likely meant than one with a similar name.
    fn of_another(&self) -> Option<String> {
        let long = self.name.strip_prefix("--")?;
        let has = |of: &&clap::Command| of.get_arguments().any(|arg| arg.get_long() == Some(long));
        let other = self.cli.get_subcommands().find(has)?.get_name();
        let line = self.line_of(other, self.name);
        Some(format!("there is {}", line.unwrap_or_else(|| format!("{} of `rigel {other}`", self.name))))
    }

    /// The line of another command, at a level if it has some, with an option that takes what was typed.
    fn line_of(&self, other: &str, option: &str) -> Option<String> {
        let value = offer::value(self.arguments, self.name);
        let line = |level: Option<&'static str>| {
            let words = [Some(other), level, Some(option), value].into_iter().flatten();
            offer::line(&words.map(OsString::from).collect::<Vec<_>>())
        };
        let levels = RunLevel::all().into_iter().map(|(level, _)| level).filter(|_| other == "run");
        levels.map(Some).chain([None]).find_map(line)
    }

    /// `-max-latency 2ms`, which the parser takes for `-m` and more.
    fn one_dash(&self) -> Option<Problem> {
        let of = self.own().or_else(|| self.of_command())?;
        let is_long = |name: &str| of.get_arguments().any(|arg| is_called(arg, name));
        let words = self.arguments.iter().filter_map(|word| word.to_str()?.strip_prefix('-'));
        let mut names = words.map(|word| word.split('=').next().unwrap_or(word));
        let name = names.find(|name| name.len() > 1 && is_long(name) && !self.name.starts_with("--"))?;
        let line = offer::with_option(self.arguments, &format!("-{name}"), &format!("--{name}"));
        let line = line.map_or_else(String::new, |line| format!(": {line}"));
        let problem = Problem::usage(format!("-{name} has one dash where an option has two"));
        Some(problem.at(format!("-{name}")).next(format!("write --{name}{line}")))
    }

    /// An option of fio or of ORION. Users who type one of fio's type several, and want to know about all.
    fn foreign(&self) -> Option<Problem> {
        let words = self.without_own();
        let hints: Vec<(String, String)> =
            (0..words.len()).filter_map(|at| self.hint(&words[at..])).collect();
        // The parser takes `-rw=randread` for `-r` and more.
        let is_it = |option: &str| {
            option == self.name
                || (!option.starts_with("--")
                    && !self.name.starts_with("--")
                    && option.starts_with(self.name))
        };
        if let Some((option, _)) = hints.iter().find(|(option, _)| is_it(option)) {
            let problem = Problem::usage(format!("{option} is an option of fio")).at(option.clone());
            let hints: Vec<String> = hints.into_iter().map(|(_, hint)| hint).collect();
            return Some(problem.next(hints.join("\n    ")));
        }
        self.of_orion(&words)
    }

    /// The first word as an option of fio, and the sentence about it.
    fn hint(&self, words: &[OsString]) -> Option<(String, String)> {
        let word = words.first()?.to_string_lossy();
        let next = words.get(1).and_then(|next| next.to_str()).filter(|next| !next.starts_with('-'));
        let option = word.split('=').next()?.to_owned();
        // With one dash, of an option of the command's own that is to be told.
        let long = option.trim_start_matches('-');
        if !option.starts_with("--")
            && self.of_command()?.get_arguments().any(|arg| arg.get_long() == Some(long))
        {
            return None;
        }
        let told = fio::hint(&word, next, self.command == Some("calibrate"))?;
        // A file is that large, and no I/O.
        let value = word.split_once('=').map_or(next, |(_, value)| Some(value));
        let is_large = |value: &str| value.parse::<Bytes>().is_ok_and(|size| size.0 > LARGEST_IO);
        let is_file = option == "--size" && value.is_some_and(is_large);
        let of_level = self.level().filter(|_| !is_file).and_then(|level| synonyms::of_level(level, &option));
        Some(match of_level {
            Some(of_level) => {
                let own = synonyms::first_option(of_level);
                let line = own.and_then(|own| offer::with_option(self.arguments, &option, own));
                let line = line.map_or_else(String::new, |line| format!(": {line}"));
                (option.clone(), format!("fio's {option} has another name here, {of_level}{line}"))
            }
            None => (option, told),
        })
    }

    /// The parser takes `-duration` for `-d` and more.
    fn of_orion(&self, words: &[OsString]) -> Option<Problem> {
        let is_word = |orion: &str| {
            words.iter().filter_map(|word| word.to_str()).any(|word| word.split('=').next() == Some(orion))
        };
        let is_it = |opt: &Opt| {
            let orion = opt.spelled(Front::Orion);
            !self.name.starts_with("--") && orion.starts_with(self.name) && is_word(orion)
        };
        let opt = Opt::ALL.into_iter().find(is_it)?;
        let (orion, rigel) = (opt.spelled(Front::Orion), opt.spelled(Front::Rigel));
        let problem = Problem::usage(format!("{orion} is an option of ORION")).at(orion);
        let of_orion = self.arguments.get(usize::from(self.command.is_some())..).unwrap_or_default();
        if opt == Opt::LEVEL || self.command.is_none() {
            return Some(problem.next(no_command::as_orion(&parted(of_orion))));
        }
        let line = offer::with_option(self.arguments, orion, rigel);
        let line = line.map_or_else(String::new, |line| format!(": {line}"));
        Some(problem.next(format!(
            "it is {rigel} of `rigel run`{line}; ORION's own command line begins with `rigel orion`"
        )))
    }

    /// The words that are not options of the command: one of its own may have the name of one of fio's.
    fn without_own(&self) -> Vec<OsString> {
        let is_own = |word: &&OsString| {
            let long = word.to_str().and_then(|word| word.strip_prefix("--")?.split('=').next());
            let mut own = self.of_command().into_iter().flat_map(clap::Command::get_arguments);
            long.is_some() && own.any(|arg| arg.get_long() == long)
        };
        self.arguments.iter().filter(|word| !is_own(word)).cloned().collect()
    }
}

/// ORION parts an option and its value with a blank: `-run=simple` in two.
fn parted(words: &[OsString]) -> Vec<OsString> {
    let part = |word: &OsString| match word.to_str().and_then(|word| word.split_once('=')) {
        Some((option, value)) if option.starts_with('-') && !option.starts_with("--") => {
            vec![OsString::from(option), OsString::from(value)]
        }
        _ => vec![word.clone()],
    };
    words.iter().flat_map(part).collect()
}

/// The option of a command that is nearest.
fn near(of: &clap::Command, name: &str) -> Option<String> {
    let known = of.get_arguments().filter_map(clap::Arg::get_long);
    let may = known.filter(|known| !WRITES.contains(known) || is_slip(name, known));
    nearest(name, may).filter(|_| name.starts_with("--")).map(str::to_owned)
}
