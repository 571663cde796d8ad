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
        "Warm-up before each large sequential data point, 0 for none [default: 2 minutes]",
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

pub fn help() -> String {
    format!(
        "rigel orion: calibrates storage, with ORION's command line and files\n\n\
         Usage: rigel orion -run LEVEL [-option value ...]\n\n{}",
        options_help()
    )
}

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
