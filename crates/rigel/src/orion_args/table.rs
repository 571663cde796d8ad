//! ORION's options: one table for reading, for the help and for suggestions.
//!
//! Must not know what the options lead to.

use crate::args::own::OwnArgs;
use clap::Args;
use rigel_core::path_text;
use std::ffi::OsStr;
use std::fmt::Write as _;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
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
    pub takes: Takes,
    value: &'static str,
    help: &'static str,
}

const fn flag(name: &'static str, help: &'static str) -> OrionOption {
    OrionOption { name, takes: Takes::Nothing, value: "", help }
}

const fn text(name: &'static str, value: &'static str, help: &'static str) -> OrionOption {
    OrionOption { name, takes: Takes::Text, value, help }
}

const fn number(name: &'static str, value: &'static str, help: &'static str) -> OrionOption {
    OrionOption { name, takes: Takes::Number, value, help }
}

/// The options of every run level, in the order of the help. Names are case-sensitive, as in ORION.
const OPTIONS: [OrionOption; 10] = [
    text("-run", "LEVEL", "Run level; the only option that is needed"),
    text("-testname", "NAME", "NAME.lun lists the targets, every output begins with NAME [default: orion]"),
    number("-num_disks", "N", "Disks behind the targets; sets the load range [default: number of targets]"),
    number("-write", "PERCENT", "Share of writes, 0 to 100 [default: 0]"),
    number("-duration", "SECONDS", "Measured time of each data point [default: 60]"),
    number(
        "-cache_size",
        "MB",
        "Warm-up before each large sequential data point, 0 for none [default: warm up for 2 minutes]",
    ),
    text("-storax", "API", "skgfr, oss, asmlib or odmlib: accepted, makes no difference; see --engine"),
    flag("-hugenotneeded", "Accepted; huge pages are used when there are free ones"),
    flag("-verbose", "Tell more while measuring"),
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

pub fn find(name: &str) -> Option<&'static OrionOption> {
    all().find(|option| option.name == name)
}

/// Rigel's own options as a clap command without a program around it.
pub fn own_command() -> clap::Command {
    OwnArgs::augment_args(clap::Command::new("rigel orion"))
        .disable_help_flag(true)
        .disable_version_flag(true)
        .no_binary_name(true)
}

/// The option with a value that begins an argument, and the rest of it: `-runsimple`, `-run=simple`.
pub fn with_value(argument: &str) -> Option<(&'static str, &str)> {
    let takes_value = all().filter(|option| !matches!(option.takes, Takes::Nothing));
    let parts = takes_value.filter_map(|option| Some((option.name, argument.strip_prefix(option.name)?)));
    let values = parts.map(|(name, value)| (name, value.strip_prefix('=').unwrap_or(value)));
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

/// What the summary of `--precision` says of its default, and what is so here.
const PRECISION_OF_RUN: &str = "[default of rigel run: 5%]";
const ONE_VISIT: &str = "[default: one visit per point, no interval]";

const HEAD: &str = "rigel orion: calibrates storage, with ORION's command line and files\n\n\
                    Usage: rigel orion -run LEVEL [-option value ...]\n\n";

/// What the list of options has no room for.
const MORE: &str = "\
The list of targets:
  NAME.lun                   One path of a file or block device in each line; no comments, blank lines count for nothing
  -testname mytest           reads mytest.lun in the current directory
  -testname /u01/mytest      reads /u01/mytest.lun, and every output goes to /u01
      A path in the list that does not begin with / counts from the current directory, wherever the list is.

Files that are written:
      All begin with NAME_DATE_TIME_, such as mytest_20260101_1200_, and lie where the list of targets is. A second run of
      a minute gets a number; nothing is replaced.
  summary.txt                The load, the highest rates and the lowest latency
  iops.csv, mbps.csv         Rates; a row for each number of large I/Os, a column for each number of small ones
  lat.csv                    Latency of small I/Os, in the same places
  hist.csv                   Histogram of latencies; hist.txt in layout 11.2, none in 11.1
  trace.txt                  All figures of each point
  ci.csv, flags.csv          Rigel's own: intervals, and what speaks against the numbers
  report.html, record.jsonl  Rigel's own: a page with charts, and the record that `rigel report` makes all of them from

How sure:
      ORION visits each point once, and so does this command. The intervals in ci.csv then show only what varied inside that
      one visit (column basis: one_visit); how much a second visit would differ is not known. With --precision 5% each point
      is visited 4 times or more, and every number has an interval that holds for the run.

Examples:
  rigel orion -run simple -testname mytest
      the targets in mytest.lun, a minute for each point; nothing is written to them
  rigel orion -run oltp -testname mytest -duration 10 --dry-run
      shows the points, the time and the files, and does nothing
  rigel orion -run normal -testname mytest -num_disks 8 --precision 5%
      the load of eight disks, with intervals
";

/// The summary, for `-help`.
pub fn help() -> String {
    format!(
        "{HEAD}{}`rigel help orion` tells more: the list of targets, the files, examples.\n",
        options_help()
    )
}

/// For `rigel help orion`.
pub fn long_help() -> String {
    format!("{HEAD}{}", after_usage())
}

/// The options and everything behind them; also the end of the man page.
pub fn after_usage() -> String {
    format!("{}\n{MORE}", options_help())
}

fn options_help() -> String {
    let mut text = String::from(
        "Run levels:\n\
         \x20 simple                     Small random I/O alone, then large random I/O alone\n\
         \x20 normal                     Every pair of both\n\
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
    text.push_str("\nRigel's own options (`rigel run --help` tells more):\n");
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
