//! Option names that people expect but a command does not have, and their counterparts.
//!
//! Must not guess by spelling; [`rigel_core::nearest`] does.

/// Names for how long something may take.
const TIME: [&str; 11] = [
    "--budget",
    "--duration",
    "--for",
    "--length",
    "--max-duration",
    "--max-time",
    "--run-time",
    "--runtime",
    "--seconds",
    "--time",
    "--time-limit",
];

/// The option that sets the time of a command.
const TIME_OF: [(&str, &str); 8] = [
    ("run", "--for TIME limits the whole run, --duration TIME is the time of each data point"),
    ("calibrate", "--for TIME is how long it may take"),
    ("slo", "--for TIME is how long it may take"),
    ("versus", "--for TIME limits the whole run"),
    ("sql", "--for TIME limits the whole run"),
    ("soak", "--for TIME is how long it lasts"),
    ("capacity fit", "--for TIME is how long it may take"),
    ("capacity record", "--for TIME is how long it looks"),
];

/// Other names of an option: the commands, our name, the other names, and the message.
const NAMES: [(&[&str], &[&str], &str); 16] = [
    (
        &["report"],
        &["--csv", "--hlog", "--json", "--markdown", "--md", "--openmetrics"],
        "--format FORMAT chooses what it prints, such as --format json",
    ),
    (
        &["compare", "versus"],
        &["--assert", "--criterion", "--fail", "--gate", "--gates", "--limit", "--threshold"],
        "--fail-if GATE makes it fail, such as --fail-if 'small_iops < -5%'",
    ),
    (
        &["versus"],
        &["--against", "--b", "--other", "--side-b", "--to", "--versus", "--vs", "--with"],
        "--and TARGET names the other side",
    ),
    (
        &["compare"],
        &["--against", "--other", "--to", "--versus", "--vs", "--with"],
        "--and RECORD names the other side, once more a third storage",
    ),
    (
        &["rank"],
        &["--cost", "--costs", "--price", "--prices", "--sheet"],
        "--offers FILE has the price, disks and capacity of each storage",
    ),
    (
        &["rank"],
        &["--metric", "--order", "--order-by", "--quantity", "--sort"],
        "--by QUANTITY is what it ranks by",
    ),
    (
        &["slo", "capacity fit"],
        &[
            "--latency",
            "--latency-target",
            "--limit",
            "--max",
            "--max-latency",
            "--percentile",
            "--slo",
            "--target-latency",
        ],
        "--p99 TIME limits the latency of 99 of 100 I/Os, --mean TIME that of the mean",
    ),
    (
        &["capacity fit"],
        &["--add", "--without", "--database"],
        "the load in --load FILE has it already: `rigel capacity replay` takes --add FILE, --database NAME and --without HOST, and writes that load",
    ),
    (
        &["slo"],
        &["--block", "--block-size", "--blocksize", "--bs", "--io-size", "--iosize", "--size-small"],
        "--size SIZE is the size of an I/O",
    ),
    (
        &["slo"],
        &["--rate-iops", "--iops", "--rate-iops-min", "--rate-min"],
        "--require 'p99 < 2ms @ 5000' asks whether 5,000 I/Os per second meet a limit",
    ),
    (
        &["slo"],
        &["--outstanding", "--iodepth", "--queue-depth"],
        "--max-outstanding N limits how many I/Os are outstanding at once; the rate is what is tried",
    ),
    (
        &["slo"],
        &["--force", "--overwrite", "--replace", "--clobber"],
        "--name NAME sets how the outputs begin; a name with the time in it replaces nothing",
    ),
    (
        &["run", "calibrate", "slo"],
        &["--read", "--reads", "--read-percent", "--read-pct", "--read-ratio", "--reads-percent"],
        "--write PERCENT is the share of writes, and the others read: 70 % reads are --write 30; without \
         it, all I/Os are reads",
    ),
    (&["calibrate"], &["--max"], "--max-latency TIME limits the latency at the rate that is reported"),
    (
        &["calibrate"],
        &["--latency", "--limit", "--mean", "--target-latency"],
        "--max-latency TIME limits the latency at the rate that is reported",
    ),
    (
        &["run", "versus"],
        &["--overwrite", "--replace", "--clobber"],
        "--force replaces existing output files, and nothing on a target",
    ),
];

/// Names of the size of an I/O.
const SIZES: [&str; 7] =
    ["--block", "--block-size", "--blocksize", "--bs", "--io-size", "--iosize", "--size"];
/// Names of how many there are at a time.
const SESSIONS: [&str; 12] = [
    "--clients",
    "--concurrency",
    "--connections",
    "--iodepth",
    "--jobs",
    "--numjobs",
    "--outstanding",
    "--parallel",
    "--qd",
    "--queue-depth",
    "--sessions",
    "--threads",
];

/// What a calibration has in their place.
const OF_CALIBRATION: &str = "a calibration raises the load itself; `rigel run advanced --matrix point --num-small 4 --num-large 0` has 4 I/Os outstanding";

/// The same, depending on the level of `rigel run`.
const OF_LEVEL: [(&[&str], &[&str], &str); 9] = [
    (
        &["simple", "normal", "oltp", "dss"],
        &["--block", "--block-size", "--io-size", "--iosize", "--size"],
        "--size-small SIZE is the size of small I/O, --size-large SIZE that of large I/O, both with `rigel run advanced`",
    ),
    (
        &["simple", "normal", "oltp", "dss"],
        &[
            "--clients",
            "--concurrency",
            "--connections",
            "--jobs",
            "--outstanding",
            "--parallel",
            "--qd",
            "--queue-depth",
            "--sessions",
            "--threads",
        ],
        "the level raises the load itself; `rigel run advanced --matrix point --num-small 4 --num-large 0` has 4 I/Os outstanding",
    ),
    (&["commit"], &SIZES, "--commit-size SIZE is what a commit writes"),
    (
        &["advanced"],
        &SIZES,
        "--size-small SIZE is the size of small I/O, --size-large SIZE that of large I/O",
    ),
    (&["open", "zones"], &SIZES, "--size-small SIZE is the size of an I/O"),
    (&["streams"], &SIZES, "--size-large SIZE is what a reader reads at a time"),
    (&["commit"], &SESSIONS, "--writers N,.. is how many commit at the same time"),
    (&["streams"], &SESSIONS, "--readers N,.. is how many read at the same time"),
    (
        &["advanced"],
        &SESSIONS,
        "--num-small N is how many small I/Os are outstanding, --num-large N how many large ones, with --matrix point",
    ),
];

/// Values by names that people expect: of which option, what is typed, and the word for it.
const VALUES: [(&str, &[&str], &str); 5] = [
    ("--sync", &["fsync", "flush", "full", "always", "on", "fsync_writethrough"], "fdatasync"),
    // 1 and 0 are those of fio.
    (
        "--sync",
        &["sync", "o_dsync", "o_sync", "odsync", "open_datasync", "open_sync", "direct", "1"],
        "dsync",
    ),
    ("--sync", &["no", "off", "never", "async", "0"], "none"),
    ("--database", &["mariadb", "innodb", "percona"], "mysql"),
    ("--database", &["pg", "postgres", "pgsql"], "postgresql"),
];

/// The word for a value, by another name of it.
pub fn value(option: &str, typed: &str) -> Option<&'static str> {
    let typed = typed.to_ascii_lowercase();
    let row = VALUES.iter().find(|(of, names, _)| *of == option && names.contains(&typed.as_str()));
    row.map(|(.., word)| *word)
}

/// A sentence about what the level of `rigel run` has in the place of an option.
pub fn of_level(level: &str, name: &str) -> Option<&'static str> {
    let row = OF_LEVEL.iter().find(|(levels, names, _)| levels.contains(&level) && names.contains(&name));
    row.map(|(.., told)| *told)
}

/// All names that a sentence is for.
pub fn names() -> impl Iterator<Item = &'static str> {
    TIME.into_iter()
        .chain(SESSIONS)
        .chain(SIZES)
        .chain(NAMES.iter().flat_map(|(_, names, _)| names.iter().copied()))
}

/// The option that a sentence begins with.
pub fn first_option(told: &str) -> Option<&str> {
    told.split(' ').next().filter(|word| word.starts_with("--"))
}

/// A sentence about what the command has in the place of an option; `None` if nothing is known about it.
pub fn meant(command: &str, name: &str) -> Option<String> {
    // fio parts the words of a name with either.
    let name = &name.replace('_', "-");
    let name = name.as_str();
    let time = TIME_OF.iter().find(|(of, _)| *of == command && TIME.contains(&name));
    if let Some((_, told)) = time {
        return Some((*told).to_owned());
    }
    let named = NAMES.iter().find(|(of, names, _)| of.contains(&command) && names.contains(&name));
    if let Some((.., told)) = named {
        return Some((*told).to_owned());
    }
    if command == "calibrate" && SESSIONS.contains(&name) {
        return Some(OF_CALIBRATION.to_owned());
    }
    let percentile = name.strip_prefix("--p").filter(|digits| digits.parse::<f64>().is_ok()).map(percent);
    let is_share = |of: &String| of.parse::<f64>().is_ok_and(|of| of > 0.0 && of < 100.0);
    let percentile = percentile.filter(is_share);
    match (command, percentile) {
        ("slo" | "capacity fit", Some(of)) => {
            Some(format!("any percentile can have a limit: --bound 'p{of} < 2ms'"))
        }
        ("calibrate", Some(of)) => Some(format!(
            "here a limit is on the mean or on p99: --max-latency 2ms --percentile p99; `rigel slo --bound 'p{of} < 2ms'` takes any percentile"
        )),
        _ => None,
    }
}

/// `9999` as what it is short for: 99.99.
fn percent(digits: &str) -> String {
    match digits.split_at_checked(2) {
        Some((whole, rest)) if !rest.is_empty() && whole.starts_with('9') && !digits.contains('.') => {
            format!("{whole}.{rest}")
        }
        _ => digits.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::command;

    /// Options that a sentence names are there, and the names that it is for are not.
    #[test]
    fn each_command_has_what_is_offered_for_it() {
        for (path, told) in TIME_OF {
            let cli = command();
            let of = path.split(' ').fold(&cli, |of, name| of.find_subcommand(name).expect(path));
            let has =
                |option: &str| of.get_arguments().any(|arg| arg.get_long() == option.strip_prefix("--"));
            let named: Vec<&str> = told.split(' ').filter(|word| word.starts_with("--")).collect();
            assert!(!named.is_empty() && named.iter().all(|option| has(option)), "{path}: {told}");
            let foreign = TIME.iter().filter(|name| !has(name));
            for name in foreign {
                assert_eq!(meant(path, name).as_deref(), Some(told));
            }
        }
        for (commands, names, told) in NAMES {
            for path in commands {
                let cli = command();
                let of = path.split(' ').fold(&cli, |of, name| of.find_subcommand(name).expect(path));
                let has =
                    |option: &str| of.get_arguments().any(|arg| arg.get_long() == option.strip_prefix("--"));
                let option = told.split(' ').find(|word| word.starts_with("--")).unwrap();
                assert!(has(option), "{path}: {told}");
                for name in names {
                    assert!(!has(name), "rigel {path} has {name}");
                    assert_eq!(meant(path, name).as_deref(), Some(told));
                }
            }
        }
        assert_eq!(meant("targets", "--for"), None);
        assert!(meant("calibrate", "--outstanding").is_some_and(|told| told.contains("--num-small 4")));
    }

    #[test]
    fn of_a_level_and_of_a_percentile() {
        let cli = command();
        let run = cli.find_subcommand("run").unwrap();
        let has = |option: &str| run.get_arguments().any(|arg| arg.get_long() == option.strip_prefix("--"));
        for (levels, names, told) in OF_LEVEL {
            let options = told.split([' ', ',', '`']).filter(|word| word.starts_with("--"));
            assert!(options.clone().next().is_some() && options.clone().all(has), "{told}");
            for name in names {
                assert!(!has(name), "rigel run has {name}");
                assert_eq!(of_level(levels[0], name), Some(told));
            }
        }
        assert_eq!(of_level("oltp", "--bs"), None);
        assert_eq!((value("--sync", "FSYNC"), value("--sync", "x")), (Some("fdatasync"), None));
        assert_eq!(
            meant("slo", "--p95").as_deref(),
            Some("any percentile can have a limit: --bound 'p95 < 2ms'")
        );
        assert_eq!(
            meant("slo", "--p9999").as_deref(),
            Some("any percentile can have a limit: --bound 'p99.99 < 2ms'")
        );
        assert_eq!(meant("slo", "--poll"), None);
    }
}
