//! `--qd N` of `rigel run`: the number of outstanding I/Os under the name that each level uses.
//!
//! A level that raises its load itself has no such number: the parser refuses the option there, and says what to type instead. Must not judge a
//! number.

use std::ffi::OsString;

const NAME: &str = "--qd";

/// The words with the option that the level has in place of `--qd`.
pub fn spelled(argv: Vec<OsString>) -> Vec<OsString> {
    let is_run = argv.get(1).is_some_and(|word| word == "run");
    let level = argv.get(2).and_then(|word| word.to_str()).unwrap_or_default().to_ascii_lowercase();
    let own = match level.as_str() {
        "advanced" => "--num-small",
        "open" | "through" => "--max-outstanding",
        "commit" => "--writers",
        "streams" => "--readers",
        "scaling" | "burst" | "working-set" => "--per-target",
        _ => return argv,
    };
    let end = argv.iter().position(|word| word == "--").unwrap_or(argv.len());
    let begins = |option: &str| {
        argv[..end].iter().position(|word| {
            let rest = word.to_str().and_then(|word| word.strip_prefix(option));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
        })
    };
    let Some(at) = begins(NAME).filter(|_| is_run) else { return argv };
    // Alone it asks for one point of small I/O.
    let is_point = own == "--num-small" && begins("--matrix").is_none() && begins("--num-large").is_none();
    let mut argv = argv;
    let value = argv[at].to_str().map(|word| word[NAME.len()..].to_owned()).unwrap_or_default();
    argv[at] = format!("{own}{value}").into();
    if is_point {
        let point = ["--matrix", "point", "--num-large", "0"].map(OsString::from);
        argv.splice(at..at, point);
    }
    argv
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_depth_has_the_name_of_the_level() {
        for (typed, meant) in [
            ("run advanced f --qd 32", "run advanced f --matrix point --num-large 0 --num-small 32"),
            ("run advanced --matrix col --qd=4", "run advanced --matrix col --num-small=4"),
            ("run OPEN --rate 5 --qd 64", "run OPEN --rate 5 --max-outstanding 64"),
            ("run commit --qd 1,4", "run commit --writers 1,4"),
            ("run streams --qd 8", "run streams --readers 8"),
            ("run burst f --qd 64", "run burst f --per-target 64"),
            ("run working-set f --qd 64", "run working-set f --per-target 64"),
            ("run oltp --qd 8", "run oltp --qd 8"),
            ("run advanced -- --qd", "run advanced -- --qd"),
            ("slo --qd 8", "slo --qd 8"),
        ] {
            let argv =
                |line: &str| format!("rigel {line}").split(' ').map(OsString::from).collect::<Vec<_>>();
            assert_eq!(spelled(argv(typed)), argv(meant));
        }
    }
}
