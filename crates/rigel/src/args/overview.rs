//! The first screen: every command in its group, one line each. Also requests for help or the version in forms that the parser does not know.
//!
//! Must not hold a description: those are the parser's.

use super::words;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::sql::SqlLevel;
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;

/// The groups in their order, each with its commands.
const GROUPS: [(&str, &[&str]); 6] = [
    ("measure", &["calibrate", "run", "slo", "load", "orion"]),
    ("choose", &["versus", TO_COMPARE, "advise"]),
    ("trust", &["soak", "scrub", "durability", "doctor"]),
    ("plan", &["capacity"]),
    ("database", &["sql"]),
    ("more", &[OF_RUNS, OF_TARGETS, "selftest", OF_SHELLS]),
];

/// Two commands in one line, so that all fit.
const TOGETHER: [(&str, &str); 4] = [
    (TO_COMPARE, "Finished runs: what changed, and which storage is best"),
    (OF_RUNS, "Outputs of a record; mark a moment during a run"),
    (OF_TARGETS, "List devices and what they hold; write random data"),
    (OF_SHELLS, "Print shell completions, or man pages"),
];
const TO_COMPARE: &str = "compare, rank";
const OF_RUNS: &str = "report, mark";
const OF_TARGETS: &str = "targets, fill";
const OF_SHELLS: &str = "completions, man";

const USAGE: &str = "Usage: rigel COMMAND [OPTIONS] [TARGET ..]  TARGET: a file, device or directory";

const MORE: &str = "Start with `rigel calibrate`. `rigel help COMMAND` shows examples and options.\n";

/// All commands. With a prompt it fits 24 lines of 80 columns.
pub fn text(cli: &clap::Command) -> String {
    let about = |name: &str| {
        if let Some((_, about)) = TOGETHER.iter().find(|(names, _)| *names == name) {
            return (*about).to_owned();
        }
        let about = cli.find_subcommand(name).and_then(clap::Command::get_about);
        about.map(ToString::to_string).unwrap_or_default()
    };
    let purpose = cli.get_about().map(ToString::to_string).unwrap_or_default();
    let mut text = format!("{purpose}\n{USAGE}\n\n");
    for (group, commands) in GROUPS {
        for (at, name) in commands.iter().enumerate() {
            let group = if at == 0 { group } else { "" };
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{group:<10}{name:<11}  {}", about(name));
        }
    }
    text + "\n" + MORE
}

/// The words in the usual spelling of the request: `rigel` alone, `rigel version`, `rigel run help`.
pub fn usual(cli: &clap::Command, argv: &[OsString]) -> Vec<OsString> {
    let Some((program, words)) = argv.split_first() else { return Vec::new() };
    let own = |command: &OsStr| cli.find_subcommand(command);
    let is = |word: &OsString, names: &[&str]| names.iter().any(|name| word == name);
    let with = |words: &[&OsStr]| {
        let words = words.iter().map(|word| (*word).to_owned());
        std::iter::once(program.clone()).chain(words).collect()
    };
    match words {
        [] => with(&["help".as_ref()]),
        [word] if is(word, &["version"]) => with(&["--version".as_ref()]),
        [word] if is(word, &["-v"]) => with(&["-V".as_ref()]),
        // They only have parts, which are listed.
        [command] if own(command).is_some_and(clap::Command::is_subcommand_required_set) => {
            with(&[command, "-h".as_ref()])
        }
        [command, help] if is(help, &["help"]) && own(command).is_some() => with(&["help".as_ref(), command]),
        [command, part, help]
            if is(help, &["help"]) && own(command).is_some_and(|of| of.find_subcommand(part).is_some()) =>
        {
            with(&["help".as_ref(), command, part])
        }
        [help, again, rest @ ..] if is(help, &["help"]) && is(again, &["help"]) => {
            let words = std::iter::once(help).chain(rest).map(OsString::as_os_str);
            with(&words.collect::<Vec<_>>())
        }
        // The page of a command has all of its levels.
        [help, command, level] if is(help, &["help"]) && is_level(command, level) => with(&[help, command]),
        _ => argv.to_vec(),
    }
}

/// Whether a word is a level of that command.
fn is_level(command: &OsStr, word: &OsStr) -> bool {
    let Some(word) = word.to_str() else { return false };
    match command.to_str() {
        Some("run") => words::find::<RunLevel>(word).is_some(),
        Some("sql") => words::find::<SqlLevel>(word).is_some(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::command;

    #[test]
    fn every_command_is_in_one_group_and_all_fit_a_small_terminal() {
        let cli = command();
        let rows = GROUPS.iter().flat_map(|(_, commands)| *commands);
        let listed: Vec<&str> = rows.flat_map(|row| row.split(", ")).collect();
        for command in cli.get_subcommands() {
            let name = command.get_name();
            assert_eq!(listed.iter().filter(|listed| **listed == name).count(), 1, "{name}");
        }
        let text = text(&cli);
        assert!(text.lines().count() <= 23, "{text}");
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }

    #[test]
    fn help_and_version_are_understood_in_every_usual_way() {
        let cli = command();
        let usual = |line: &str| {
            let argv: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            usual(&cli, &argv).join(" ".as_ref()).into_string().unwrap()
        };
        for (typed, meant) in [
            ("rigel", "rigel help"),
            ("rigel version", "rigel --version"),
            ("rigel -v", "rigel -V"),
            ("rigel capacity", "rigel capacity -h"),
            ("rigel durability", "rigel durability -h"),
            ("rigel calibrate help", "rigel help calibrate"),
            ("rigel capacity fit help", "rigel help capacity fit"),
            ("rigel calibrate", "rigel calibrate"),
            ("rigel help run open", "rigel help run"),
            ("rigel help sql users", "rigel help sql"),
            ("rigel help capacity import", "rigel help capacity import"),
            ("rigel help help run", "rigel help run"),
            ("rigel help run nonsense", "rigel help run nonsense"),
            ("rigel run simple help", "rigel run simple help"),
            ("rigel run -v", "rigel run -v"),
        ] {
            assert_eq!(usual(typed), meant);
        }
    }
}
