//! ORION's options: one table for reading, for the help and for suggestions.
//!
//! Must not know what the options lead to.

use crate::args::own::OwnArgs;
use clap::Args;
use rigel_core::path_text;
use std::ffi::OsStr;
use std::fmt::Write as _;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionArity {
    Nothing,
    /// A word or a path.
    Text,
    /// A number; only here a value may begin with a minus sign, so that the message can be about the number.
    Number,
}

#[derive(Debug)]
pub struct OrionOption {
    /// With its dash.
    pub name: &'static str,
    pub takes: OptionArity,
    value: &'static str,
    help: &'static str,
}

const fn flag(name: &'static str, help: &'static str) -> OrionOption {
    OrionOption { name, takes: OptionArity::Nothing, value: "", help }
}

const fn text(name: &'static str, value: &'static str, help: &'static str) -> OrionOption {
    OrionOption { name, takes: OptionArity::Text, value, help }
}

const fn number(name: &'static str, value: &'static str, help: &'static str) -> OrionOption {
    OrionOption { name, takes: OptionArity::Number, value, help }
}

/// The options of every run level, in the order of the help.
const OPTIONS: [OrionOption; 10] = [
    text("-run", "LEVEL", "Run level; the only required option"),
    text("-testname", "NAME", "NAME.lun lists the targets, output files start with NAME [default: orion]"),
    number("-num_disks", "N", "Disks behind the targets; sets the load range [default: number of targets]"),
    number("-write", "PERCENT", "Percentage of writes, 0 to 100 [default: 0]"),
    number("-duration", "SECONDS", "Measured time of each data point [default: 60]"),
    number(
        "-cache_size",
        "MB",
        "Warm-up before each large sequential data point, 0 for none [default: warm up for 2 minutes]",
    ),
    text("-storax", "API", "skgfr, oss, asmlib or odmlib: accepted without effect; see --engine"),
    flag("-hugenotneeded", "Accepted; huge pages are used if any are free"),
    flag("-verbose", "Print each data point as it begins, and the trace lines at the end"),
    flag("-help", "This list"),
];

/// The options that need `-run advanced`.
const ADVANCED: [OrionOption; 9] = [
    text("-matrix", "MATRIX", "basic, detailed, point, col, row or max [default: basic]"),
    number("-num_small", "N", "Outstanding small I/Os, for the matrices point, col and max"),
    number("-num_large", "N", "Outstanding large I/Os or streams, for the matrices point, row and max"),
    number("-size_small", "KB", "Size of a small I/O [default: 8]"),
    number("-size_large", "KB", "Size of a large I/O [default: 1024]"),
    text("-type", "TYPE", "Large I/O at random places or in streams: rand or seq [default: rand]"),
    number("-num_streamIO", "N", "Outstanding I/Os of each stream, with -type seq [default: 4]"),
    text("-simulate", "LAYOUT", "Volume that streams walk: concat or raid0 [default: concat]"),
    number("-stripe", "KB", "Stripe depth, with -simulate raid0 [default: 1024]"),
];

pub fn all() -> impl Iterator<Item = &'static OrionOption> {
    OPTIONS.iter().chain(&ADVANCED)
}

/// In upper or lower case, as people type it: `-RUN`, `-num_streamio`.
pub fn find(name: &str) -> Option<&'static OrionOption> {
    all().find(|option| option.name.eq_ignore_ascii_case(name))
}

/// Rigel's own options as a clap command without a program around it.
pub fn own_command() -> clap::Command {
    OwnArgs::augment_args(clap::Command::new("rigel orion"))
        .disable_help_flag(true)
        .disable_version_flag(true)
        .no_binary_name(true)
}

/// The option with a value that starts an argument, and the rest of it: `-runsimple`, `-run=simple`.
pub fn with_value(argument: &str) -> Option<(&'static str, &str)> {
    let takes_value = all().filter(|option| !matches!(option.takes, OptionArity::Nothing));
    let parts = takes_value.filter_map(|option| Some((option.name, argument.strip_prefix(option.name)?)));
    let values = parts.map(|(name, value)| (name, value.strip_prefix('=').unwrap_or(value).trim()));
    values.filter(|(_, value)| !value.is_empty()).max_by_key(|(name, _)| name.len())
}

/// The option that the user probably meant: one with the same letters but other dashes, underscores or case.
pub fn similar(name: &OsStr) -> Option<String> {
    let plain = |name: &str| -> String {
        name.chars().filter(|c| c.is_alphanumeric()).map(|c| c.to_ascii_lowercase()).collect()
    };
    let wanted = plain(&path_text::encode_os(name));
    let ours = all().map(|option| option.name.to_owned());
    let own = own_command();
    let own = own.get_arguments().filter_map(|arg| arg.get_long().map(|long| format!("--{long}")));
    ours.chain(own).find(|known| plain(known) == wanted)
}

/// What the summary of `--precision` says about its default, and the text that applies here.
const PRECISION_OF_RUN: &str = "[default of rigel run: 5%]";
const ONE_VISIT: &str = "[default: one visit per point, no interval]";

const HEAD: &str = "rigel orion: calibrates storage, with ORION's command line and files\n\n\
                    Usage: rigel orion -run LEVEL [-option value ...]\n\n";

/// What does not fit into the list of options.
const MORE: &str = "\
The list of targets:
  NAME.lun                   One path of a file or block device per line; no comments, blank lines are ignored
  -testname mytest           read mytest.lun in the current directory
  -testname /u01/mytest      read /u01/mytest.lun, and write all outputs to /u01
      Relative paths in the list are relative to the current directory.

Files that are written:
      Their names start with NAME_DATE_TIME_, such as mytest_20260101_1200_, and they are in the directory of the list. A second
      run in the same minute gets a number; no file is replaced.
  summary.txt                The load, the highest rates and the lowest latency
  iops.csv, mbps.csv         Rates; one row per number of large I/Os, one column per number of small ones
  lat.csv                    Latency of small I/Os, in the same layout
  hist.csv                   Histogram of latencies; hist.txt in format 11.2, none in 11.1
  trace.txt                  All results of each data point
  ci.csv, flags.csv          Rigel's own: intervals, and warnings about the results
  report.html, record.jsonl  Rigel's own: a page with charts, and the record from which `rigel report` makes all files

Precision:
      Like ORION, this command measures each data point once. The intervals in ci.csv then only cover variation within that one
      measurement (column basis: one_visit), not between measurements. With --precision 5% each data point is measured at
      least 4 times, and every number has an interval for the whole run.

Examples:
  rigel orion -run simple -testname mytest
      the targets in mytest.lun, one minute per data point; nothing is written to them
  rigel orion -run oltp -testname mytest -duration 10 --dry-run
      show data points, time and files; do nothing
  rigel orion -run normal -testname mytest -num_disks 8 --precision 5%
      the load of eight disks, with intervals
";

/// The summary, for `-help`.
pub fn help() -> String {
    format!("{HEAD}{}More, with examples: rigel help orion\n", options_help())
}

/// For `rigel help orion`.
pub fn long_help() -> String {
    format!("{HEAD}{}", after_usage())
}

/// The options and everything after them; also the end of the man page.
pub fn after_usage() -> String {
    format!("{}\n{MORE}", options_help())
}

fn options_help() -> String {
    let mut text = String::from(
        "Run levels:\n\
         \x20 simple                     Small random I/O alone, then large random I/O alone\n\
         \x20 normal                     All combinations of both\n\
         \x20 oltp                       Small I/O only, up to 20 outstanding per disk\n\
         \x20 dss                        Large I/O only, up to 15 outstanding per disk\n\
         \x20 advanced                   As the options say\n\n\
         Options:\n",
    );
    for OrionOption { name, value, help, .. } in &OPTIONS {
        line(&mut text, &format!("{name} {value}"), help);
    }
    text.push_str("\nOptions that need -run advanced:\n");
    for OrionOption { name, value, help, .. } in &ADVANCED {
        line(&mut text, &format!("{name} {value}"), help);
    }
    text.push_str("\nRigel's own options (details: `rigel help run`):\n");
    for arg in own_command().get_arguments() {
        let value = match (arg.get_action().takes_values(), arg.get_value_names()) {
            (true, Some([name, ..])) => name.as_str(),
            _ => "",
        };
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        let help = help.replace(PRECISION_OF_RUN, ONE_VISIT);
        let long = arg.get_long().unwrap_or_default();
        line(&mut text, &format!("--{long} {value}"), &help);
    }
    text.push_str(
        "\nNothing is written unless -write is above 0, and then only with consent: see --destroy-data.\n",
    );
    text
}

fn line(text: &mut String, option: &str, help: &str) {
    // Writing to a String cannot fail.
    let _ = writeln!(text, "  {option:<25}  {help}");
}
