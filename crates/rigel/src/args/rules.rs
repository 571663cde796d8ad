//! Valid combinations on the command line: one table of rules, and one check of the typed options. The reference prints
//! the table (docs/reference/option-rules.md).
//!
//! Must not judge a single value, nor anything that depends on the targets, a file or the host.

mod table;

use super::names::Front;
use super::words::either;
use clap::ArgMatches;
use clap::parser::ValueSource;
use rigel_core::error::Problem;
use rigel_core::path_text;
use std::fmt::Write as _;
use table::RULES;

/// A word of the command line: `--levels`, `--levels auto` for that value alone, `--rate *m` for values with that
/// suffix, `TARGET` for a word that is not an option, or a level.
type Word = &'static str;
type Words = &'static [Word];
/// As in `run` or `sql prove`.
type Commands = &'static [&'static str];

/// Options that cannot be combined with other words, or only with them.
#[derive(Debug)]
struct Rule {
    commands: Commands,
    /// Each of them separately.
    options: Words,
    goes: Goes,
    because: &'static str,
    /// What to do instead. `{option}` stands for the option, `{typed}` for the option with its value.
    next: &'static str,
}

#[derive(Clone, Copy, Debug)]
enum Goes {
    /// Not together with any of these.
    NotWith(Words),
    /// Only together with one of these.
    OnlyWith(Words),
    /// Never: all measuring commands have the option, and this one does not use it.
    Never,
}

/// The options of a command line and their values.
#[derive(Clone, Debug)]
pub struct Line {
    command: String,
    level: Option<String>,
    options: Vec<(String, Vec<String>)>,
}

impl Line {
    /// No option is given yet.
    pub const fn new(command: String, level: Option<String>) -> Self {
        Self { command, level, options: Vec::new() }
    }

    /// What was typed after a command, or after one of its own.
    pub fn typed(mut definition: &clap::Command, mut matches: &ArgMatches) -> Self {
        let mut path: Vec<&str> = Vec::new();
        while let Some((name, own)) = matches.subcommand() {
            let Some(of) = definition.find_subcommand(name) else { break };
            (definition, matches) = (of, own);
            path.push(name);
        }
        let mut line = Self::new(path.join(" "), None);
        line.add_all(definition, matches);
        line
    }

    /// With all options that were typed.
    pub fn add_all(&mut self, definition: &clap::Command, matches: &ArgMatches) {
        for arg in definition.get_arguments() {
            let id = arg.get_id().as_str();
            if matches.value_source(id) != Some(ValueSource::CommandLine) {
                continue;
            }
            let values = matches.get_raw(id).into_iter().flatten();
            let values: Vec<String> = values.map(path_text::encode_os).collect();
            let word = arg.get_value_names().and_then(|names| names.first());
            match (arg.get_long(), word) {
                (Some(long), _) => self.add(format!("--{long}"), values),
                (None, Some(word)) if word == "LEVEL" => self.level = values.into_iter().next(),
                (None, Some(word)) => self.add(word.to_string(), values),
                (None, None) => {}
            }
        }
    }

    /// With another option.
    pub fn add(&mut self, option: String, values: Vec<String>) {
        self.options.push((option, values));
    }

    /// With that level.
    pub fn at_level(self, level: &str) -> Self {
        Self { level: Some(level.to_owned()), ..self }
    }

    /// Refuses what breaks a rule, in the spelling of that command line.
    ///
    /// # Errors
    /// For the first rule that is broken.
    pub fn check(&self, front: Front) -> Result<(), Problem> {
        let rules = RULES.iter().filter(|rule| rule.commands.contains(&self.command.as_str()));
        let Some(broken) = rules.into_iter().find_map(|rule| rule.broken(self)) else { return Ok(()) };
        let spelled = |text: Option<String>| text.map(|text| front.respelled(&text));
        Err(Problem {
            what: front.respelled(&broken.what),
            place: spelled(broken.place),
            cause: spelled(broken.cause),
            next: spelled(broken.next),
            ..broken
        })
    }

    fn values(&self, option: &str) -> Option<&[String]> {
        self.options.iter().find(|(name, _)| name == option).map(|(_, values)| values.as_slice())
    }

    fn has(&self, word: Word) -> bool {
        match word.split_once(' ') {
            Some((option, value)) => {
                self.values(option).is_some_and(|values| values.iter().any(|typed| is_value(typed, value)))
            }
            None if is_level(word) => {
                self.level.as_ref().is_some_and(|level| level.eq_ignore_ascii_case(word))
            }
            None => self.values(word).is_some(),
        }
    }
}

/// Whether a value matches that of a word; after a star, its suffix.
fn is_value(typed: &str, word: &str) -> bool {
    match word.strip_prefix('*') {
        Some(end) => typed.to_ascii_lowercase().ends_with(end),
        None => typed.eq_ignore_ascii_case(word),
    }
}

fn is_level(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_lowercase())
}

impl Rule {
    fn broken(&self, line: &Line) -> Option<Problem> {
        let option = self.options.iter().find(|option| line.has(option))?;
        let (name, value) = option.split_once(' ').unwrap_or((option, ""));
        let option = if value.starts_with('*') { &name } else { option };
        let what = match self.goes {
            Goes::NotWith(others) => {
                let other = others.iter().find(|other| line.has(other))?;
                match *other {
                    "TARGET" => format!("{option} cannot be combined with targets"),
                    level if is_level(level) => {
                        format!("{option} cannot be combined with the level '{level}'")
                    }
                    other => format!("{option} cannot be combined with {other}"),
                }
            }
            Goes::OnlyWith(others) if others.iter().any(|other| line.has(other)) => return None,
            Goes::OnlyWith(others) if others.iter().all(|other| is_level(other)) => {
                format!(
                    "{option} cannot be combined with the level '{}'",
                    line.level.as_ref()?.to_ascii_lowercase()
                )
            }
            Goes::OnlyWith(others) => format!("{option} needs {}", either(others)),
            Goes::Never => format!("{option} cannot be combined with `rigel {}`", line.command),
        };
        let values = line.values(name).unwrap_or_default().join(",");
        let next = self.next.replace("{option}", option).replace("{typed}", &format!("{name} {values}"));
        Some(Problem::usage(what).at(name).because(self.because).next(next))
    }
}

/// Whether a command has no use for an option that all others have; its help does not show it then.
pub fn is_unused(command: &str, option: &str) -> bool {
    let rules =
        RULES.iter().filter(|rule| matches!(rule.goes, Goes::Never) && rule.commands.contains(&command));
    rules.into_iter().any(|rule| rule.options.contains(&option))
}

const PAGE: &str = "\
# Which options can be combined

Every command takes the options that its help lists (`rigel help COMMAND`). Some options exclude each other, and some need another one.
Rigel refuses such a command line before it opens anything, with exit code 2, the reason, and what to type instead. The table lists these rules.
In addition, `--resume` takes everything from its record, so it takes no option that describes a load.

| commands | options | go | because | instead |
| --- | --- | --- | --- | --- |
";

/// The page of the reference with all rules, a row for each.
pub fn page() -> String {
    let mut page = PAGE.to_owned();
    for Rule { commands, options, goes, because, next } in RULES {
        let goes = match goes {
            Goes::NotWith(others) => format!("not with {}", quoted(others, " or ")),
            Goes::OnlyWith(others) => format!("only with {}", quoted(others, " or ")),
            Goes::Never => "not with this command".to_owned(),
        };
        let next = without_values(next);
        // Writing to a String cannot fail.
        let _ = writeln!(
            page,
            "| {} | {} | {goes} | {because} | {next} |",
            quoted(commands, ", "),
            quoted(options, ", ")
        );
    }
    page
}

/// What to do instead, if no value was typed: a level replaces a command with one.
fn without_values(next: &str) -> String {
    let next = next.replace("{option}", "the option");
    let level = |(before, rest): (&str, &str)| {
        let (command, after) = rest.split_once("{typed}`")?;
        Some(format!("{before}the level `{}`{after}", command.split(' ').next().unwrap_or_default()))
    };
    next.split_once("`rigel run ").and_then(level).unwrap_or(next)
}

/// Words in the form of the page.
fn quoted(words: &[&str], last: &str) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match quoted.split_last() {
        Some((end, rest)) if !rest.is_empty() => format!("{}{last}{end}", rest.join(", ")),
        _ => quoted.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::command;
    use super::super::words::Words as _;
    use super::*;
    use rigel_core::load::matrix::RunLevel;
    use rigel_core::load::sql::SqlLevel;

    /// A rule about a word that is not there would never hold.
    #[test]
    fn every_command_option_and_level_of_a_rule_is_there() {
        let mut cli = command();
        cli.build();
        let levels: Vec<&str> = RunLevel::all().into_iter().map(|(name, _)| name).collect();
        let of_sql = SqlLevel::ALL.map(SqlLevel::name);
        for rule in RULES {
            let others = match rule.goes {
                Goes::NotWith(others) | Goes::OnlyWith(others) => others,
                Goes::Never => &[],
            };
            for path in rule.commands.iter().filter(|path| **path != "orion") {
                let of = path.split(' ').fold(&cli, |of, name| of.find_subcommand(name).expect(path));
                for word in rule.options.iter().chain(others) {
                    let name = word.split(' ').next().unwrap();
                    let known = of.get_arguments().any(|arg| match arg.get_long() {
                        Some(long) => name.strip_prefix("--") == Some(long),
                        None => arg.get_value_names().is_some_and(|names| names[0] == name),
                    });
                    let is_its_level = levels.contains(&name) && *path != "sql" || of_sql.contains(&name);
                    assert!(known || is_level(word) && is_its_level, "{path}: {word}");
                }
            }
            assert!(rule.options.iter().all(|option| option.starts_with("--")), "{rule:?}");
        }
    }

    #[test]
    fn a_broken_rule_says_what_why_and_what_instead() {
        let line = |options: &[(&str, &str)]| Line {
            command: "run".into(),
            level: Some("OLTP".into()),
            options: options.iter().map(|(name, value)| ((*name).into(), vec![(*value).into()])).collect(),
        };
        let told = |options: &[(&str, &str)], front| line(options).check(front).unwrap_err().to_string();
        let text = told(&[("--rate", "5000")], Front::Rigel);
        assert!(text.starts_with("--rate cannot be combined with the level 'oltp'"), "{text}");
        assert!(text.contains("use `rigel run open --rate 5000`, or leave out --rate"), "{text}");
        let text = told(&[("--matrix", "basic")], Front::Orion);
        assert!(
            text.starts_with("-matrix cannot be combined with the level 'oltp'\n  where: -matrix\n"),
            "{text}"
        );
        assert!(
            text.contains("use `-run advanced`") && text.contains("-matrix row -num_large 0 of oltp"),
            "{text}"
        );
        let text = told(&[("--duration", "1s"), ("--levels", "Auto")], Front::Rigel);
        assert!(text.starts_with("--levels auto cannot be combined with --duration"), "{text}");
        assert!(line(&[("--duration", "1s"), ("--levels", "orion")]).check(Front::Rigel).is_ok());
    }

    #[test]
    fn the_page_has_a_row_for_each_rule() {
        let page = page();
        assert_eq!(page.lines().filter(|line| line.starts_with("| `")).count(), RULES.len());
        assert!(page.contains("| `--stripe` | only with `--simulate raid0` |"), "{page}");
    }
}
