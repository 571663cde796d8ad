//! Splits ORION's arguments into options and values. Options have a single dash and come in any order, each once.
//!
//! Must not judge values beyond reading them.

use super::table::{self, OptionArity};
use crate::args::names::{Front, Opt, is_called};
use crate::args::words::{self, Words};
use rigel_core::error::Problem;
use rigel_core::path_text;
use rigel_core::units::{Bytes, Nanos};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

#[derive(Debug, Default)]
pub struct OrionValues {
    /// ORION's, with their values.
    orion: BTreeMap<&'static str, OsString>,
    /// Rigel's own, in clap's form: `--name` or `--name=value`.
    pub own: Vec<OsString>,
}

impl OrionValues {
    /// Takes the arguments apart.
    /// Refuses an unknown option, one that is given twice, and one that lacks its value.
    pub fn read(arguments: &[OsString]) -> Result<Self, Problem> {
        let own_command = table::own_command();
        let mut given = Self::default();
        let mut rest = arguments.iter().peekable();
        while let Some(argument) = rest.next() {
            if argument.as_bytes().starts_with(b"--") {
                let takes_value = own_option(&own_command, argument)?;
                let value = rest.next_if(|next| takes_value && is_value(next, OptionArity::Number));
                given.own.push(joined(argument, value));
                continue;
            }
            let option = argument.to_str().and_then(table::find).ok_or_else(|| {
                given
                    .glued()
                    .filter(|_| is_value(argument, OptionArity::Number))
                    .unwrap_or_else(|| unknown(argument))
            })?;
            let value = match option.takes {
                OptionArity::Nothing => OsString::new(),
                takes => match rest.next_if(|next| is_value(next, takes)) {
                    Some(value) => value.clone(),
                    None => {
                        return Err(Problem::usage(format!("{} needs a value", option.name))
                            .at(option.name)
                            .next(format!("give it after {}, with a space between", option.name)));
                    }
                },
            };
            if given.orion.insert(option.name, value).is_some() {
                return Err(Problem::usage(format!("{} is given twice", option.name))
                    .at(option.name)
                    .next("give it once"));
            }
        }
        Ok(given)
    }

    /// A value that ends with the name of an option, so that a blank is missing: `-testname mytest-num_disks 1`.
    fn glued(&self) -> Option<Problem> {
        let values = self.orion.values().filter_map(|value| value.to_str());
        let (value, name) = values.into_iter().find_map(|value| {
            let name = table::all().map(|option| option.name).find(|name| value.ends_with(name))?;
            Some((value, name))
        })?;
        let first = value.strip_suffix(name)?;
        let problem = Problem::usage(format!("a space is missing before {name}")).at(value.to_owned());
        Some(problem.next(format!("write {first} {name}")))
    }

    pub fn flag(&self, name: &str) -> bool {
        self.orion.contains_key(name)
    }

    /// The options that both command lines have, with their values.
    pub fn of_both(&self) -> impl Iterator<Item = (Opt, String)> {
        let given = |opt: Opt| Some((opt, path_text::encode_os(self.text(opt.spelled(Front::Orion))?)));
        Opt::ALL.into_iter().filter_map(given)
    }

    pub fn text(&self, name: &str) -> Option<&OsStr> {
        self.orion.get(name).map(OsString::as_os_str)
    }

    pub fn number(&self, opt: Opt) -> Result<Option<u64>, Problem> {
        let name = opt.spelled(Front::Orion);
        let Some(value) = self.text(name) else {
            return Ok(None);
        };
        // `parse` alone would take a plus sign.
        let digits = value.to_str().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
        match digits.and_then(|digits| digits.parse().ok()) {
            Some(number) => Ok(Some(number)),
            None => Err(Problem::usage(format!(
                "'{}' is not a valid whole number for {name}",
                path_text::encode_os(value)
            ))
            .at(name)
            .next(meant(opt, value).map_or_else(
                || format!("give digits only; {}", unit(opt)),
                |meant| format!("{meant}; {}", unit(opt)),
            ))),
        }
    }

    /// A size in ORION's unit, or one that names its own, as people write it: `8k`, `1M`.
    pub fn bytes(&self, opt: Opt, unit_bytes: u64) -> Result<Option<u64>, Problem> {
        let text = self.text(opt.spelled(Front::Orion)).and_then(OsStr::to_str);
        let with_unit = text.filter(|text| text.ends_with(|last: char| last.is_ascii_alphabetic()));
        if let Some(Bytes(bytes)) = with_unit.and_then(|text| text.parse().ok()) {
            return Ok(Some(bytes));
        }
        let Some(number) = self.number(opt)? else {
            return Ok(None);
        };
        let bytes = number.checked_mul(unit_bytes).ok_or_else(|| {
            Problem::usage(format!("{number} is too large")).at(opt.spelled(Front::Orion)).next(unit(opt))
        })?;
        Ok(Some(bytes))
    }

    pub fn word<T: Words>(&self, name: &str) -> Result<Option<T>, Problem> {
        let Some(value) = self.text(name) else {
            return Ok(None);
        };
        match value.to_str().and_then(words::find) {
            Some(word) => Ok(Some(word)),
            None => {
                Err(Problem::usage(format!("'{}' is not a value of {name}", path_text::encode_os(value)))
                    .at(name)
                    .next(format!("choose {}", words::list::<T>())))
            }
        }
    }
}

/// What was meant by a value that is not a plain number, if that is clear.
fn meant(opt: Opt, value: &OsStr) -> Option<String> {
    let (text, name) = (value.to_str()?, opt.spelled(Front::Orion));
    match opt {
        Opt::DURATION => {
            let Nanos(time) = text.parse().ok()?;
            let seconds = Some(time / Nanos::from_secs(1).0).filter(|seconds| *seconds > 0)?;
            (Nanos::from_secs(seconds).0 == time).then(|| format!("write {name} {seconds}"))
        }
        Opt::WRITE => {
            let share: u8 = text.strip_suffix('%')?.trim().parse().ok()?;
            Some(format!("write {name} {share}"))
        }
        Opt::NUM_SMALL | Opt::NUM_LARGE => {
            let is_list = text.starts_with(|sign: char| sign.is_ascii_digit())
                && text.contains(['-', ',', ':'])
                && text.bytes().all(|byte| byte.is_ascii_digit() || b"-,:/".contains(&byte));
            is_list.then(|| "give one count; -matrix basic, detailed, col and row measure several".to_owned())
        }
        _ => None,
    }
}

/// The unit of an option, for the reader of a message.
fn unit(opt: Opt) -> &'static str {
    match opt {
        Opt::SIZE_SMALL | Opt::SIZE_LARGE | Opt::STRIPE => "the unit is KB (1024 bytes)",
        Opt::CACHE_SIZE => "the unit is MB (1024 KB)",
        Opt::DURATION => "the unit is seconds",
        Opt::WRITE => "the unit is per cent",
        _ => "it is a count",
    }
}

/// Whether the next argument belongs to the option before it. `-write -run` lacks a value; `-write -5` has a wrong one.
fn is_value(argument: &OsStr, takes: OptionArity) -> bool {
    match argument.as_bytes() {
        [b'-', b'0'..=b'9', ..] => takes == OptionArity::Number,
        [b'-', _, ..] => false,
        _ => true,
    }
}

/// Whether one of Rigel's own options still needs its value.
fn own_option(command: &clap::Command, argument: &OsStr) -> Result<bool, Problem> {
    let bytes = argument.as_bytes();
    let end = bytes.iter().position(|&byte| byte == b'=').unwrap_or(bytes.len());
    let name = std::str::from_utf8(&bytes[2..end]).unwrap_or_default();
    let found = command.get_arguments().find(|arg| !name.is_empty() && is_called(arg, name));
    match found {
        Some(arg) => Ok(end == bytes.len() && arg.get_action().takes_values()),
        None => Err(unknown(argument)),
    }
}

fn joined(name: &OsStr, value: Option<&OsString>) -> OsString {
    let mut joined = name.to_owned();
    if let Some(value) = value {
        joined.push("=");
        joined.push(value);
    }
    joined
}

fn unknown(argument: &OsStr) -> Problem {
    let shown = path_text::encode_os(argument);
    if !shown.starts_with('-') {
        return Problem::usage(format!("'{shown}' does not belong to an option"))
            .at(shown)
            .because("targets are listed in the .lun file, not named here")
            .next("give options with one value each");
    }
    let problem = Problem::usage(format!("{shown} is not an option")).at(shown.clone());
    if let Some((name, value)) = table::with_value(&shown) {
        return problem.next(format!("did you mean {name} {value}, with a space between?"));
    }
    match table::similar(argument) {
        Some(similar) => problem.next(format!("did you mean {similar}?")),
        None => problem.next("list the options with -help"),
    }
}
