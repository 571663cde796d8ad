//! A complete command line in place of the refused one: offered only if the program would accept it.
//!
//! Must not know what is offered.

use super::{Environment, cli, typed};
use std::ffi::OsString;

/// The line with these words, the command first, between backticks; `None` if its words are refused as well.
pub fn line(words: &[OsString]) -> Option<String> {
    let argv: Vec<OsString> = std::iter::once("rigel".into()).chain(words.iter().cloned()).collect();
    let is_understood = cli::is_understood(&argv) && cli::read(&argv, &Environment::default()).is_ok();
    let line = typed(words);
    (is_understood && !line.contains('`')).then(|| format!("`rigel {}`", line.trim_end()))
}

/// The line with another option in place of one, which may have its value after an equals sign.
pub fn with_option(words: &[OsString], option: &str, other: &str) -> Option<String> {
    let renamed = |word: &OsString| {
        let rest = word.to_str()?.strip_prefix(option)?;
        (rest.is_empty() || rest.starts_with('=')).then(|| OsString::from(format!("{other}{rest}")))
    };
    let words: Vec<OsString> =
        words.iter().map(|word| renamed(word).unwrap_or_else(|| word.clone())).collect();
    line(&words)
}

/// What was typed for an option: after an equals sign, or as the next word.
pub fn value<'a>(words: &'a [OsString], option: &str) -> Option<&'a str> {
    let at = words.iter().position(|word| {
        word.to_str()
            .and_then(|word| word.strip_prefix(option))
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
    })?;
    match words[at].to_str()?.split_once('=') {
        Some((_, value)) => Some(value),
        None => words.get(at + 1)?.to_str().filter(|next| !next.starts_with('-')),
    }
    .filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn only_what_would_be_taken_is_offered() {
        assert_eq!(line(&words("run simple f")).as_deref(), Some("`rigel run simple f`"));
        assert_eq!(line(&words("run simpel f")), None);
        assert_eq!(line(&words("run simple --write 200")), None, "well-formed, and refused all the same");
        assert_eq!(line(&words("run simple a`b")), None);
        assert_eq!(
            with_option(&words("slo --latency=2ms f"), "--latency", "--p99").as_deref(),
            Some("`rigel slo --p99=2ms f`")
        );
        assert_eq!(with_option(&words("slo --latency p99"), "--latency", "--p99"), None);
    }

    #[test]
    fn a_value_stands_behind_its_option() {
        let words = words("run --a=1 --b 2 --c --d=");
        let all = ["--a", "--b", "--c", "--d", "--e"].map(|option| value(&words, option));
        assert_eq!(all, [Some("1"), Some("2"), None, None, None]);
    }
}
