//! Options of fio that users type by habit, and what stands for them here.
//!
//! docs/guide/from-fio.md has the same table for readers. Must not judge a value.

/// Names in fio, what each is for `rigel run`, and for `rigel calibrate` where that differs.
type Row = (&'static [&'static str], &'static str, Option<&'static str>);

const OPTIONS: [Row; 23] = [
    (
        &["bs", "blocksize"],
        "is --size-small / --size-large here, with `rigel run advanced`",
        Some("is --size-small / --size-large here"),
    ),
    (
        &["iodepth"],
        "is --num-small / --num-large here, with `rigel run advanced --matrix point ..`; the other levels choose the load themselves",
        Some("is searched here: leave it out"),
    ),
    (
        &["numjobs"],
        "times --iodepth is --num-small / --num-large here, with `rigel run advanced --matrix point ..`",
        Some("is searched here: leave it out"),
    ),
    (
        &["runtime"],
        "is --duration here, such as --duration 60s; without it each load is measured until its number is sure",
        Some("is --budget here, such as --budget 60s"),
    ),
    (&["time_based"], "is always so here: leave it out", None),
    (&["ramp_time"], "is automatic here: leave it out", None),
    (
        &["rw", "readwrite"],
        "is the level here: `rigel run oltp` for randread, `rigel run advanced --type seq` for read; --write PERCENT for writes",
        Some(
            "has no counterpart here: small random I/O and large streams are measured; --write PERCENT for writes",
        ),
    ),
    (&["rwmixread"], "is --write here, the share of writes: --write 20 for 80 % of reads", None),
    (&["rwmixwrite"], "is --write here", None),
    (
        &["filename"],
        "needs no option here: `rigel run simple TARGET`",
        Some("needs no option here: `rigel calibrate TARGET`"),
    ),
    (
        &["direct"],
        "is always 1 here: leave it out; --buffered is what 0 is",
        Some("is always 1 here: leave it out"),
    ),
    (&["ioengine"], "is --engine here", None),
    (
        &["size"],
        "is --scratch-size here, for a scratch file; of a target that is named all is measured",
        None,
    ),
    (&["hipri"], "is --poll here", Some("is `rigel run --poll`")),
    (&["randseed"], "is --seed here", None),
    (&["output_format"], "is --json here, and `rigel report RECORD --format fio` afterwards", None),
    (
        &["rate_iops", "rate_process", "thinktime"],
        "is `rigel run open --rate 1000` here: so many I/Os arrive in a second; `rigel slo` finds the highest rate that keeps a bound",
        None,
    ),
    (&["rate"], "counts bytes; `rigel run open --rate 1000` has so many I/Os arrive in a second", None),
    (
        &["fsync", "fdatasync", "sync"],
        "makes commits: `rigel run commit` measures them, and a class of a load file (`rigel run --load FILE`) has sync = \"fdatasync\" or \"dsync\"",
        None,
    ),
    (
        &["verify", "do_verify", "verify_fatal"],
        "is what `rigel soak` does with every block; a class of a load file (`rigel run --load FILE`) has verify = true",
        None,
    ),
    (
        &["offset", "offset_increment", "random_distribution"],
        "is span = \"0-25%\" of a class in a load file here: `rigel run --load FILE`",
        None,
    ),
    (
        &["bssplit", "bsrange"],
        "is size = { \"8K\" = 80, \"64K\" = 20 } of a class in a load file here: `rigel run --load FILE`",
        None,
    ),
    (
        &["latency_target", "latency_percentile", "latency_window"],
        "is `rigel slo --p99 2ms` here: it finds the rate that keeps the bound",
        None,
    ),
];

/// A sentence about the option, which may have its value behind an equals sign; `None` when it is not one of fio's.
pub fn hint(argument: &str, calibrates: bool) -> Option<String> {
    let option = argument.split('=').next()?;
    let name = option.strip_prefix("--")?.replace('-', "_");
    let (_, run, calibrate) = OPTIONS.iter().find(|(names, ..)| names.contains(&name.as_str()))?;
    let here = calibrate.filter(|_| calibrates).unwrap_or(run);
    Some(format!("fio's {option} {here}"))
}

/// What measures a pattern that is called so in fio's `rw`, and in other tools.
pub fn level(word: &str) -> Option<&'static str> {
    Some(match word {
        "randread" | "rand" | "random" => "`rigel run oltp` measures random reads",
        "randwrite" => "`rigel run oltp --write 100` measures random writes",
        "randrw" => "`rigel run oltp --write 50` measures random reads and writes, half of each",
        "read" | "seq" | "sequential" | "seqread" => {
            "`rigel run advanced --type seq` measures large sequential reads, beside small random ones; `rigel run streams` measures readers"
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

/// The word that chooses the engine that is called so in fio.
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
        assert_eq!(hint("--bs=4k", true).unwrap(), "fio's --bs is --size-small / --size-large here");
        assert!(hint("--iodepth", false).unwrap().contains("--num-small / --num-large"));
        assert!(hint("--time-based", false).unwrap().starts_with("fio's --time-based is always"));
        assert_eq!((hint("--colour", false), hint("bs", false)), (None, None));
    }
}
