//! ORION's options: one table for reading, for the help and for suggestions.
//!
//! Must not know what the options lead to.

use crate::args::own::OwnArgs;
use clap::Args;
use rigel_core::path_text;
use std::ffi::OsStr;
use std::fmt::Write as _;

/// What follows an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Nothing.
    Nothing,
    /// A word or a path.
    Text,
    /// A number; only here a value may begin with a minus sign, so that the message can be about the number.
    Number,
}

/// One option.
#[derive(Debug)]
pub struct OrionOption {
    /// With its dash.
    pub name: &'static str,
    /// What follows it.
    pub takes: Takes,
    /// The value in the help.
    value: &'static str,
    /// What the help says.
    help: &'static str,
}

const fn option(name: &'static str, takes: Takes, value: &'static str, help: &'static str) -> OrionOption {
    OrionOption { name, takes, value, help }
}

/// All of them, in the order of the help. Names are case-sensitive, as in ORION.
pub const OPTIONS: [OrionOption; 19] = [
    option("-run", Takes::Text, "LEVEL", "Run level; the only option that is needed"),
    option(
        "-testname",
        Takes::Text,
        "NAME",
        "NAME.lun lists the targets, every output begins with NAME [default: orion]",
    ),
    option(
        "-num_disks",
        Takes::Number,
        "N",
        "Disks behind the targets; sets the load range [default: number of targets]",
    ),
    option("-write", Takes::Number, "PERCENT", "Share of writes, 0 to 100 [default: 0]"),
    option("-duration", Takes::Number, "SECONDS", "Measured time of each data point [default: 60]"),
    option(
        "-cache_size",
        Takes::Number,
        "MB",
        "Warm-up before each large sequential data point, 0 for none [default: 2 minutes]",
    ),
    option("-matrix", Takes::Text, "MATRIX", "basic, detailed, point, col, row or max [default: basic]"),
    option("-num_small", Takes::Number, "N", "Outstanding small I/Os, for the matrices point, col and max"),
    option(
        "-num_large",
        Takes::Number,
        "N",
        "Outstanding large I/Os or streams, for the matrices point, row and max",
    ),
    option("-size_small", Takes::Number, "KB", "Size of a small I/O [default: 8]"),
    option("-size_large", Takes::Number, "KB", "Size of a large I/O [default: 1024]"),
    option(
        "-type",
        Takes::Text,
        "TYPE",
        "Large I/O at random places or in streams: rand or seq [default: rand]",
    ),
    option(
        "-num_streamIO",
        Takes::Number,
        "N",
        "Outstanding I/Os of each stream, with -type seq [default: 4]",
    ),
    option("-simulate", Takes::Text, "LAYOUT", "Volume that streams walk: concat or raid0 [default: concat]"),
    option("-stripe", Takes::Number, "KB", "Stripe depth, with -simulate raid0 [default: 1024]"),
    option(
        "-storax",
        Takes::Text,
        "API",
        "skgfr, oss, asmlib or odmlib: accepted, makes no difference; see --engine",
    ),
    option("-hugenotneeded", Takes::Nothing, "", "Accepted; huge pages are used when there are free ones"),
    option("-verbose", Takes::Nothing, "", "Tell more while measuring"),
    option("-help", Takes::Nothing, "", "This list"),
];

/// The options from -matrix to -stripe need `-run advanced`.
const ONLY_ADVANCED: [&str; 9] = [
    "-matrix",
    "-num_small",
    "-num_large",
    "-size_small",
    "-size_large",
    "-type",
    "-num_streamIO",
    "-simulate",
    "-stripe",
];

/// The option of that name.
pub fn find(name: &str) -> Option<&'static OrionOption> {
    OPTIONS.iter().find(|option| option.name == name)
}

/// Rigel's own options as a clap command without a program around it.
pub fn own_command() -> clap::Command {
    OwnArgs::augment_args(clap::Command::new("rigel orion"))
        .disable_help_flag(true)
        .disable_version_flag(true)
        .no_binary_name(true)
}

/// What the user may have meant by an unknown option: the same letters with other dashes, underscores or case.
pub fn similar(name: &OsStr) -> Option<String> {
    let plain = |name: &str| -> String {
        name.chars().filter(|c| c.is_alphanumeric()).map(|c| c.to_ascii_lowercase()).collect()
    };
    let wanted = plain(&path_text::encode_os(name));
    let ours = OPTIONS.iter().map(|option| option.name.to_owned());
    let own = own_command();
    let own = own.get_arguments().filter_map(|arg| arg.get_long().map(|long| format!("--{long}")));
    ours.chain(own).find(|known| plain(known) == wanted)
}

/// The text of `-help`.
pub fn help() -> String {
    format!(
        "rigel orion: calibrates storage, with ORION's command line and files\n\n\
         Usage: rigel orion -run LEVEL [-option value ...]\n\n{}",
        options_help()
    )
}

/// What `-help` lists.
pub fn options_help() -> String {
    let mut text = String::from(
        "Run levels:\n\
         \x20 simple                     Small random I/O alone, then large random I/O alone\n\
         \x20 normal                     Every pair of both\n\
         \x20 oltp                       Small I/O only, up to 20 outstanding per disk\n\
         \x20 dss                        Large I/O only, up to 15 outstanding per disk\n\
         \x20 advanced                   As the options say\n\n\
         Options:\n",
    );
    for OrionOption { name, value, help, .. } in OPTIONS.iter().filter(|o| !ONLY_ADVANCED.contains(&o.name)) {
        line(&mut text, &format!("{name} {value}"), help);
    }
    text.push_str("\nOptions that need -run advanced:\n");
    for OrionOption { name, value, help, .. } in OPTIONS.iter().filter(|o| ONLY_ADVANCED.contains(&o.name)) {
        line(&mut text, &format!("{name} {value}"), help);
    }
    text.push_str("\nRigel's own options (`rigel run --help` tells more):\n");
    for arg in own_command().get_arguments() {
        let value = match (arg.get_action().takes_values(), arg.get_value_names()) {
            (true, Some([name, ..])) => name.as_str(),
            _ => "",
        };
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
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
