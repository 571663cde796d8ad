//! Words in place of a command that are not commands: other programs, other names, targets.
//!
//! Must not look at a path: it is recognised by its spelling.

use super::{fio, offer, words};
use rigel_core::error::Problem;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::sql::SqlLevel;
use rigel_core::nearest::nearest;
use rigel_core::no_target::no_target;
use rigel_core::path_text::shell_word;
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// Other programs, and what does their work here.
const PROGRAMS: [(&[&str], &str); 14] = [
    (
        &["fio"],
        "a job is a level here: `rigel run oltp` does random reads, `rigel run advanced --type seq` \
         sequential ones; `rigel run` translates the options of fio, and `rigel run --load job.fio` takes a \
         job file",
    ),
    (
        &["vdbench", "diskspd", "elbencho", "iometer", "sqlio", "fs_mark", "filebench"],
        "`rigel run simple` measures small and large I/O at rising load, `rigel run open --rate 1000` lets it arrive at a rate, `rigel run --load FILE` takes a load of your own",
    ),
    (
        &["dd", "hdparm", "pv"],
        "`rigel run streams` measures sequential readers, like several dd; `rigel fill` fills a device or a \
         file",
    ),
    (
        &["bonnie", "bonnie++", "iozone", "tiobench", "postmark"],
        "`rigel run simple` measures the storage below this directory, with a scratch file",
    ),
    (
        &["pgbench", "pgio"],
        "`rigel sql simple` measures look-ups through PostgreSQL, `rigel sql commit` its commits; `rigel run --load postgresql` makes its load without a server",
    ),
    (
        &["sysbench", "hammerdb", "benchbase", "tpcc", "ycsb"],
        "`rigel sql simple --database mysql` measures look-ups through MySQL or MariaDB, `rigel run --load \
         mysql` makes a load like a database's, without a server; postgresql and oracle work, too",
    ),
    (
        &["swingbench", "slob"],
        "`rigel run --load oracle` makes a load like the database's, without a server; `rigel calibrate` \
         answers like CALIBRATE_IO",
    ),
    (
        &["ioping"],
        "`rigel run advanced --matrix point --num-small 1 --num-large 0` measures one small I/O at a time",
    ),
    (&["pg_test_fsync", "fsync", "sync"], "`rigel run commit` measures what a commit costs"),
    (&["calibrate_io"], "`rigel calibrate` answers what CALIBRATE_IO did, in about a minute"),
    (
        &["iostat", "sar", "sadf", "nmon", "dstat", "vmstat"],
        "`rigel capacity record` records the load on this host's disks, `rigel capacity import FILE` \
         imports what such a tool recorded",
    ),
    (
        &["badblocks", "f3", "f3write", "f3read", "stress-ng", "stressdisk"],
        "`rigel soak` loads a disk for hours to weeks and compares all data: `rigel help soak` shows what \
         it needs",
    ),
    (
        &["lsblk", "blkid", "fdisk", "lsscsi"],
        "`rigel targets` lists block devices and files, and what is on them",
    ),
    (
        &["smartctl", "tuned", "tuned-adm", "sysctl"],
        "`rigel doctor` finds settings that distort a measurement or slow a database",
    ),
];

/// Other names of commands: the right command, and what else may be meant.
const COMMANDS: [(&[&str], &str, &str); 10] = [
    (&["diff", "cmp", "delta"], "compare", "`rigel compare` judges the records of two runs"),
    (
        &["order", "sort", "top", "best", "choose"],
        "rank",
        "`rigel rank` ranks several storages, from their records",
    ),
    (
        &["verify", "validate", "mirror"],
        "scrub",
        "`rigel scrub` compares copies of data or reads every block of one device, `rigel soak` checks \
         every block that it wrote, `rigel durability` finds what a power cut lost",
    ),
    (
        &["bench", "benchmark", "measure", "test", "perf", "start"],
        "run",
        "`rigel calibrate` measures in a minute, `rigel run simple` at rising load",
    ),
    (&["history", "last"], "calibrate", "`rigel calibrate --history` shows past calibrations"),
    (&["disks", "devices", "ls", "info", "luns"], "targets", "`rigel targets` lists block devices and files"),
    (
        &["write", "prefill", "precondition", "format", "init"],
        "fill",
        "`rigel fill` writes random data over a target that has nothing to lose",
    ),
    (
        &["settings", "tune", "recommend", "advice"],
        "advise",
        "`rigel advise` derives database settings from what was measured, `rigel doctor` checks those of \
         this host",
    ),
    (
        &["html", "view", "export", "convert", "render"],
        "report",
        "`rigel report` makes every output again from a record",
    ),
    (&["resume", "continue"], "run", "`rigel run --resume RECORD` resumes a run"),
];

/// The problem of a word that is not a command; `arguments` begin with it.
pub fn problem(cli: &clap::Command, word: &str, arguments: &[OsString]) -> Problem {
    let rest = arguments.get(1..).unwrap_or_default();
    let problem = Problem::usage(format!("there is no command '{word}'")).at(word);
    if Path::new(word).file_name().is_some_and(|name| name.eq_ignore_ascii_case("orion")) {
        return problem.next(as_orion(rest));
    }
    if let Some(told) = no_target(word) {
        return problem.because(told.is).next(told.next);
    }
    if word.contains(['/', '.']) {
        let path = shell_word(word);
        return Problem::usage(format!("a command is missing before '{word}'"))
            .at(word)
            .next(format!("`rigel run simple {path}` measures it, `rigel targets {path}` shows what it is"));
    }
    if let Some(level) = words::find::<RunLevel>(word) {
        let is_help = arguments.first().is_some_and(|first| first == "help");
        let line = if is_help { "help run".to_owned() } else { format!("run {}", level.name()) };
        return problem.next(format!("did you mean `rigel {line}`?"));
    }
    let lower = word.to_ascii_lowercase();
    if let Some(told) = program(&lower, rest) {
        return problem.because(format!("{word} is another program")).next(told);
    }
    problem.next(meant(cli, &lower, rest))
}

/// The command that does the work of another program; `None` for an unknown one.
pub fn program(name: &str, rest: &[OsString]) -> Option<String> {
    let (_, told) = PROGRAMS.iter().find(|(names, _)| names.contains(&name))?;
    Some(of_program(name, rest).unwrap_or_else(|| (*told).to_owned()))
}

/// The words after another program's name are more specific than the name.
fn of_program(program: &str, rest: &[OsString]) -> Option<String> {
    let words: Vec<&str> = rest.iter().filter_map(|word| word.to_str()).collect();
    let next = |at: usize| words.get(at + 1).copied().filter(|next: &&str| !next.starts_with('-'));
    let hint = |(at, word): (usize, &&str)| fio::hint(word, next(at), false);
    let hints: Vec<String> = words.iter().enumerate().filter_map(hint).filter(|_| program == "fio").collect();
    if !hints.is_empty() {
        return Some(hints.join("\n    "));
    }
    words.iter().find_map(|word| no_target(word)).map(|told| told.next)
}

/// ORION's command line, with the typed words as far as they apply.
pub fn as_orion(rest: &[OsString]) -> String {
    let words: Vec<OsString> =
        std::iter::once(OsStr::new("orion").to_owned()).chain(rest.iter().cloned()).collect();
    let line = offer::line(&words).unwrap_or_else(|| "`rigel orion -run simple`".to_owned());
    format!("ORION's own command line begins with `rigel orion`: {line}")
}

/// The command that was probably meant, by its name or its work.
fn meant(cli: &clap::Command, word: &str, rest: &[OsString]) -> String {
    if let Some((_, command, told)) = COMMANDS.iter().find(|(names, ..)| names.contains(&word)) {
        let words: Vec<OsString> =
            std::iter::once(OsStr::new(command).to_owned()).chain(rest.iter().cloned()).collect();
        // What writes is for the reader to ask for.
        let line = offer::line(&words).filter(|_| !rest.is_empty() && *command != "fill");
        return line.map_or_else(|| (*told).to_owned(), |line| format!("{told}: {line}"));
    }
    let owners = cli.get_subcommands().filter(|owner| owner.find_subcommand(word).is_some());
    let mut own: Vec<String> = owners.map(|owner| format!("`rigel {} {word}`", owner.get_name())).collect();
    if words::find::<SqlLevel>(word).is_some() {
        own.push(format!("`rigel sql {word}`"));
    }
    if !own.is_empty() {
        return format!("did you mean {}?", own.join(" or "));
    }
    match nearest(word, cli.get_subcommands().map(clap::Command::get_name)) {
        Some(near) => format!("did you mean `rigel {near}`?"),
        None => "list the commands with `rigel --help`".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::command;

    #[test]
    fn every_name_is_of_no_command_and_leads_to_one() {
        let cli = command();
        let told = PROGRAMS.iter().map(|(names, told)| (*names, *told));
        for (names, told) in told.chain(COMMANDS.iter().map(|(names, _, told)| (*names, *told))) {
            assert!(told.contains("`rigel "), "{told}");
            for name in names {
                assert!(cli.find_subcommand(name).is_none(), "{name}");
                assert!(words::find::<RunLevel>(name).is_none(), "{name}");
            }
        }
        for (_, command, _) in COMMANDS {
            assert!(cli.find_subcommand(command).is_some(), "{command}");
        }
    }
}
