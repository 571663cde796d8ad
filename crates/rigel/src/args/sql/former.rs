//! Options of `rigel sql` that are commands now, in any order: `rigel sql --dsn DSN --drop` is `rigel sql drop --dsn DSN`.
//!
//! Must not judge what the words mean.

use clap::Command;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

/// Options that became commands, and whether the next word was their value, which now follows the command alone.
const FORMER: [(&str, &str, bool); 3] =
    [("--resume", "resume", true), ("--record", "record", true), ("--drop", "drop", false)];

/// The words of `rigel sql`, its command first if they name one. A level stays where it is.
pub fn with_command(sql: &Command, words: &[OsString]) -> Vec<OsString> {
    let mut words = words.to_vec();
    match first_word(sql, &words) {
        Some(at) => {
            let named = words[at].to_str().map(str::to_ascii_lowercase);
            if let Some(name) = named.filter(|name| sql.find_subcommand(name).is_some()) {
                words.remove(at);
                words.insert(0, name.into());
            }
        }
        None => {
            let place = |(option, command, has_value): (&str, &'static str, bool)| {
                let at = words.iter().position(|word| before_equals(word) == option.as_bytes())?;
                let value = words[at].as_bytes().get(option.len() + 1..).filter(|_| has_value);
                Some((at, command, value.map(|value| OsString::from_vec(value.to_vec()))))
            };
            if let Some((at, command, value)) = FORMER.into_iter().find_map(place) {
                words.splice(at..=at, value);
                words.insert(0, command.into());
            }
        }
    }
    words
}

/// The first word that is neither an option nor the value of one.
fn first_word(sql: &Command, words: &[OsString]) -> Option<usize> {
    let takes_value = |word: &OsString| {
        let is_it = |arg: &clap::Arg| {
            let mut names = arg.get_long().into_iter().chain(arg.get_all_aliases().unwrap_or_default());
            let name = word.to_str().and_then(|word| word.strip_prefix("--"));
            arg.get_action().takes_values() && names.any(|long| Some(long) == name)
        };
        let commands = std::iter::once(sql).chain(sql.get_subcommands());
        let is_former = FORMER.iter().any(|(option, _, has_value)| *has_value && word == option);
        is_former || commands.flat_map(Command::get_arguments).any(is_it)
    };
    let mut is_value = false;
    words.iter().position(|word| {
        let is_word = !is_value && !word.as_bytes().starts_with(b"-");
        is_value = !is_value && takes_value(word);
        is_word
    })
}

fn before_equals(word: &OsString) -> &[u8] {
    let bytes = word.as_bytes();
    bytes.split(|byte| *byte == b'=').next().unwrap_or(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_comes_first_however_it_was_spelled() {
        let cli = crate::args::command();
        let sql = cli.find_subcommand("sql").unwrap();
        for (typed, meant) in [
            ("--dsn d=e --drop", "drop --dsn d=e"),
            ("--dsn d=e --resume r --json", "resume --dsn d=e r --json"),
            ("--resume=r --dsn d=e --drop", "resume r --dsn d=e --drop"),
            ("--record r --out o", "record r --out o"),
            ("--dsn d=e PROVE --size 1G", "prove --dsn d=e --size 1G"),
            ("--max-duration 1s prove", "prove --max-duration 1s"),
            ("--size 1G simple prove", "--size 1G simple prove"),
            ("simple --dsn d=e --drop", "simple --dsn d=e --drop"),
            ("", ""),
        ] {
            let words: Vec<OsString> = typed.split_whitespace().map(OsString::from).collect();
            let found = with_command(sql, &words);
            assert_eq!(found.join(" ".as_ref()), meant, "{typed}");
        }
    }
}
