//! fio options that users type by habit, and their counterparts here.
//!
//! Must not know how an option came to be refused.

mod given;
mod table;

use table::OPTIONS;

/// A sentence about the option, which may have its value after an equals sign or as the next word; `None` if it is not one of fio's.
pub fn hint(argument: &str, next: Option<&str>, calibrates: bool) -> Option<String> {
    let (option, value) =
        argument.split_once('=').map_or((argument, next), |(option, value)| (option, Some(value)));
    // In this spelling it is Rigel's own, of another command.
    if ["--max-latency", "-max-latency"].contains(&option) {
        return None;
    }
    // fio takes one dash as well, before a whole name.
    let one_dash = || option.strip_prefix('-').filter(|name| name.len() > 1);
    let name = option.strip_prefix("--").or_else(one_dash)?.replace('-', "_");
    let (_, run, calibrate) = OPTIONS.iter().find(|(names, ..)| names.contains(&name.as_str()))?;
    let here = calibrate.filter(|_| calibrates).unwrap_or(run);
    Some(format!("fio's --{} {}", option.trim_start_matches('-'), given::put_in(&name, value, here)))
}

/// The level that measures a pattern with this name in fio's `rw`, and in other tools.
pub fn level(word: &str) -> Option<&'static str> {
    Some(match word {
        "randread" | "rand" | "random" => "`rigel run oltp` measures random reads",
        "randwrite" => "`rigel run oltp --write 100` measures random writes",
        "randrw" => "`rigel run oltp --write 50` measures random reads and writes, half of each",
        "read" | "seq" | "sequential" | "seqread" => {
            "`rigel run advanced --type seq` measures large sequential reads, next to small random ones; `rigel run streams` measures readers"
        }
        "write" | "seqwrite" => {
            "`rigel run advanced --type seq --write 100` measures large sequential writes"
        }
        "rw" | "readwrite" => {
            "`rigel run advanced --type seq --write 50` measures large sequential reads and writes"
        }
        _ => return None,
    })
}

/// Our name for an engine with this name in fio.
pub fn engine(name: &str) -> Option<&'static str> {
    match name {
        "io_uring_cmd" => Some("nvme"),
        "psync" | "vsync" | "pvsync" | "pvsync2" => Some("sync"),
        "posixaio" => Some("threads"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::command;

    /// The options that a hint names, each with the command that has it: that of the line, or the one in the same backticks.
    fn named<'a>(hint: &'a str, command: &'a str) -> Vec<(&'a str, &'a str)> {
        let parts = hint.split('`').enumerate().flat_map(|(place, part)| {
            let words = part.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
            let quoted = part.strip_prefix("rigel ").and_then(|line| line.split(' ').next());
            let command = quoted.filter(|_| place % 2 == 1).unwrap_or(command);
            words.filter_map(move |word| Some((command, word.strip_prefix("--")?)))
        });
        parts.collect()
    }

    /// An option that a hint names has to be there.
    #[test]
    fn every_option_that_is_named_exists() {
        let cli = command();
        let has = |command: &str, option: &str| {
            let known = cli.find_subcommand(command).unwrap_or_else(|| panic!("no command {command}"));
            known.get_arguments().any(|arg| arg.get_long() == Some(option))
        };
        for (names, run, calibrate) in OPTIONS {
            let told = [("run", run), ("calibrate", calibrate.unwrap_or(run))];
            for (command, option) in told.into_iter().flat_map(|(line, hint)| named(hint, line)) {
                // fio's own, which a hint may speak of.
                let is_own = option != "iodepth";
                assert!(!is_own || has(command, option), "{names:?}: {command} --{option}");
            }
        }
        assert!(has("run", "poll") && !has("calibrate", "poll"), "else this test could not fail");
    }

    #[test]
    fn with_a_value_or_without() {
        assert_eq!(
            hint("--bs=4k", None, true).unwrap(),
            "fio's --bs is --size-small 4k / --size-large 4k here"
        );
        assert!(hint("--iodepth", None, false).unwrap().contains("--num-small / --num-large"));
        assert!(hint("--time-based", None, false).unwrap().starts_with("fio's --time-based always applies"));
        assert_eq!((hint("--colour", None, false), hint("bs", None, false)), (None, None));
        assert_eq!(hint("-rw=randread", None, false), hint("--rw=randread", None, false));
        assert_eq!(hint("-b", None, false), None);
    }
}
