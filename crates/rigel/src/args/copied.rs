//! Characters that a word processor or a web page has substituted in a copied command.
//!
//! Must not guess beyond characters.

use rigel_core::error::Problem;
use std::ffi::OsString;

/// Hyphens and dashes that look like the sign before an option.
const DASHES: [char; 9] = [
    '\u{2010}', '\u{2011}', '\u{2012}', '\u{2013}', '\u{2014}', '\u{2015}', '\u{2212}', '\u{fe63}',
    '\u{ff0d}',
];
const QUOTES: [char; 6] = ['\u{201c}', '\u{201d}', '\u{201e}', '\u{2018}', '\u{2019}', '\u{201a}'];
/// Blanks that part no words for a shell.
const BLANKS: [char; 3] = ['\u{a0}', '\u{202f}', '\u{2009}'];

/// Refuses the first argument with such a character if it would change the meaning. ORION's options have one hyphen;
/// word processors turn two into one dash.
pub fn check(arguments: &[OsString], is_orion: bool) -> Result<(), Problem> {
    let lone = arguments.windows(2).find_map(|pair| lone_dash(pair[0].to_str()?, pair[1].to_str()?));
    if let Some(problem) = lone.filter(|_| is_orion) {
        return Err(problem);
    }
    let texts = arguments.iter().filter_map(|argument| argument.to_str()).take_while(|text| *text != "--");
    texts.into_iter().try_for_each(|text| wrong(text, is_orion).map_or(Ok(()), Err))
}

/// A dash separated by a blank from the option after it, as word processors write it.
fn lone_dash(text: &str, next: &str) -> Option<Problem> {
    let is_dash = !text.is_empty() && text.chars().all(|sign| sign == '-' || DASHES.contains(&sign));
    let is_name = next.starts_with(|sign: char| sign.is_ascii_alphabetic());
    (is_dash && text != "--" && is_name).then(|| {
        Problem::usage(format!("'{text}' stands alone before {next}"))
            .at(text.to_owned())
            .because("the command was copied from a document that had replaced what was typed")
            .next(format!("write -{next}"))
    })
}

fn wrong(text: &str, is_orion: bool) -> Option<Problem> {
    let is_option = |text: &str| {
        let name = text.trim_start_matches('-');
        name.len() < text.len() && name.starts_with(|sign: char| sign.is_ascii_alphabetic())
    };
    let meant: String = text
        .chars()
        .map(|sign| match sign {
            _ if DASHES.contains(&sign) => '-',
            _ if BLANKS.contains(&sign) => ' ',
            _ => sign,
        })
        .filter(|sign| !QUOTES.contains(sign))
        .collect();
    let is_word = |text: &str| text.bytes().take_while(u8::is_ascii_alphanumeric).count() > 1;
    let meant = match meant.strip_prefix('-') {
        Some(name) if !is_orion && text.starts_with(DASHES) && is_word(name) => format!("--{name}"),
        _ => meant,
    };
    let what = if text.trim_start_matches('-').starts_with(DASHES) && is_option(&meant) {
        "begins with a typographic dash"
    } else if is_option(&meant) && text.split('=').next().is_some_and(|name| name.contains(DASHES)) {
        "has a typographic dash in its name"
    } else if is_option(&meant) && text.contains(BLANKS) {
        "has a blank that does not end a word"
    } else if text.starts_with(QUOTES) || (is_option(&meant) && text.contains(QUOTES)) {
        "has typographic quotation marks"
    } else {
        return None;
    };
    Some(
        Problem::usage(format!("'{text}' {what}"))
            .at(text.to_owned())
            .because("the command was copied from a document that had replaced characters")
            .next(format!("write {meant}; a file with such a name can be given as ./{text}")),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typographic_signs_are_told_with_what_was_meant() {
        for (typed, meant) in [
            ("\u{2013}write", "write --write;"),
            ("\u{2212}write", "write --write;"),
            ("-\u{2013}write", "write --write;"),
            ("\u{2013}q", "write -q;"),
            ("\u{2013}\u{2013}max-latency=2ms", "write --max-latency=2ms;"),
            ("--max\u{2011}latency", "write --max-latency;"),
            ("--max\u{2013}latency=2ms", "write --max-latency=2ms;"),
            ("--max\u{2014}latency", "write --max-latency;"),
            ("-run\u{a0}simple", "write -run simple;"),
            ("\u{201c}oltp\u{201d}", "write oltp;"),
            ("--name=\u{201c}a\u{201d}", "write --name=a;"),
        ] {
            let problem = check(&["run".into(), typed.into()], false).map_err(|problem| problem.to_string());
            let problem = problem.expect_err(typed);
            assert!(problem.contains(meant), "{problem}");
        }
        let orion = check(&["\u{2013}run".into()], true).unwrap_err().to_string();
        assert!(orion.contains("write -run;"), "{orion}");
        let lone = check(&["\u{2014}".into(), "run".into(), "simple".into()], true).unwrap_err().to_string();
        assert!(lone.contains("next step: write -run"), "{lone}");
        for sound in ["data\u{2013}1", "\u{2013}", "/u\u{a0}1/f", "--name=a\u{2013}b", "-run", "\u{2013}5"] {
            assert!(check(&[sound.into()], false).is_ok(), "{sound}");
        }
        assert!(check(&["--".into(), "\u{2013}run".into()], false).is_ok(), "a target behind --");
    }
}
