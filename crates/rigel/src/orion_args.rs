//! ORION's own command line, `-run simple -testname mytest ...`, read into the same arguments as `rigel run`.
//!
//! Units are ORION's: KB, MB, seconds. Options and values may be in upper or lower case. Rigel's own options
//! have two dashes and may stand anywhere between. Must not open the `.lun` file.

mod alternative;
mod given;
mod table;

use crate::args::level::LevelArgs;
use crate::args::load::LoadArgs;
use crate::args::names::{Front, Opt};
use crate::args::output::OutputArgs;
use crate::args::own::OwnArgs;
use crate::args::rules::Line;
use crate::args::run::RunArgs;
use crate::args::target_args::TargetArgs;
use crate::args::words::{OrionLevel, Words};
use crate::args::{self, Environment, Invocation, RunOptions};
use crate::output::dir_of;
use clap::FromArgMatches;
use given::OrionValues;
use rigel_core::error::Problem;
use rigel_core::load::class::Pattern;
use rigel_core::path_text;
use rigel_core::units::{Bytes, KIB, MIB, Nanos};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
pub use table::{after_usage, help, long_help};

/// ORION's own line, which scripts look for. It ends every usage problem of its command line.
const ORION_LINE: &str = "Error in input parameters. For help, run: orion -help.";
/// A cache size of this many MB was probably meant in bytes.
const LARGE_CACHE_MB: u64 = 1 << 20;

/// Reads ORION's arguments. A problem ends with ORION's own line.
pub fn read(arguments: &[OsString], environment: &Environment) -> Result<Invocation, Problem> {
    let asks_help =
        |argument: &OsString| [Some("-help"), Some("--help"), Some("-h")].contains(&argument.to_str());
    if arguments.iter().any(asks_help) {
        return Ok(Invocation::Show(help()));
    }
    options(arguments, environment).map(|options| Invocation::Run(Box::new(options))).map_err(with_orion_line)
}

/// Adds the line by which scripts recognise that ORION did not understand its arguments.
pub fn with_orion_line(mut problem: Problem) -> Problem {
    let step = problem.next.unwrap_or_else(|| "see the list of options".into());
    problem.next = Some(format!("{step}\n{ORION_LINE}"));
    problem
}

fn options(arguments: &[OsString], environment: &Environment) -> Result<RunOptions, Problem> {
    options_as_given(arguments, environment)
        .map_err(|problem| alternative::with_line_that_runs(problem, arguments, environment))
}

fn options_as_given(arguments: &[OsString], environment: &Environment) -> Result<RunOptions, Problem> {
    let given = OrionValues::read(arguments)?;
    let definition = table::own_command();
    let matches = definition.clone().try_get_matches_from(&given.own);
    let matches = matches.map_err(|error| args::clap_problem(&error))?;
    let own = OwnArgs::from_arg_matches(&matches).map_err(|error| args::clap_problem(&error))?;
    let run = Opt::LEVEL.spelled(Front::Orion);
    let OrionLevel(level) = given.word(run)?.ok_or_else(|| {
        Problem::usage(format!("{run} is missing"))
            .at(run)
            .next(format!("give {run} with {}", args::words::list::<OrionLevel>()))
    })?;
    let mut notes = Vec::new();
    let place = Place::of(given.text(Opt::NAME.spelled(Front::Orion)), &mut notes)?;
    let load = load(&given, &mut notes)?;
    let mut line = Line::new("orion".to_owned(), Some(level.name().to_owned()));
    line.add_all(&definition, &matches);
    for (opt, value) in given.of_both() {
        line.add(opt.spelled(Front::Rigel).to_owned(), vec![value]);
    }
    line.check(Front::Orion)?;
    note_storax(&given, &mut notes)?;
    let run = RunArgs {
        level: Some(level),
        targets: TargetArgs { lun: Some(place.lun), ..TargetArgs::default() },
        load: LevelArgs { load, own, ..LevelArgs::default() },
        output: OutputArgs { name: place.name, out: Some(place.dir), tui: false },
        verbose: given.flag(Opt::VERBOSE.spelled(Front::Orion)),
        ..RunArgs::default()
    };
    let mut options = run.options(Front::Orion, args::echo(arguments), environment)?;
    options.notes.splice(0..0, notes);
    Ok(options)
}

fn load(given: &OrionValues, notes: &mut Vec<String>) -> Result<LoadArgs, Problem> {
    let duration = given.number(Opt::DURATION)?.map(Nanos::from_secs);
    let size = |opt, unit| given.bytes(opt, unit).map(|bytes| bytes.map(Bytes));
    let cache_size = size(Opt::CACHE_SIZE, MIB)?;
    let pattern = given.word(Opt::TYPE.spelled(Front::Orion))?;
    if !matches!(pattern, Some(Pattern::Streams { .. })) && cache_size.is_some_and(|size| size.0 > 0) {
        notes.push(
            "-cache_size makes no difference here: caches are warmed only before large sequential data points \
             (-type seq)"
                .to_owned(),
        );
    } else if let Some(large) = cache_size.filter(|size| size.0 / MIB >= LARGE_CACHE_MB) {
        notes.push(format!(
            "-cache_size is in MB: {large} will be moved before each large sequential data point"
        ));
    }
    Ok(LoadArgs {
        num_disks: given.number(Opt::NUM_DISKS)?,
        write: given.number(Opt::WRITE)?,
        duration,
        cache_size,
        matrix: given.word(Opt::MATRIX.spelled(Front::Orion))?,
        num_small: given.number(Opt::NUM_SMALL)?,
        num_large: given.number(Opt::NUM_LARGE)?,
        size_small: size(Opt::SIZE_SMALL, KIB)?,
        size_large: size(Opt::SIZE_LARGE, KIB)?,
        pattern,
        stream_ios: given.number(Opt::STREAM_IOS)?,
        simulate: given.word(Opt::SIMULATE.spelled(Front::Orion))?,
        stripe: size(Opt::STRIPE, KIB)?,
        span: None,
    })
}

/// ORION's I/O interfaces. Rigel has engines instead, which `--engine` chooses.
#[derive(Clone, Copy)]
struct Storax(&'static str);

impl Words for Storax {
    fn all() -> Vec<(&'static str, Self)> {
        ["skgfr", "oss", "asmlib", "odmlib"].map(|word| (word, Self(word))).into()
    }
}

fn note_storax(given: &OrionValues, notes: &mut Vec<String>) -> Result<(), Problem> {
    match given.word("-storax")? {
        None | Some(Storax("skgfr")) => {}
        Some(Storax(other)) => notes.push(format!(
            "-storax {other}: not applicable here, the engine is the same as for skgfr; --engine chooses another"
        )),
    }
    Ok(())
}

#[derive(Debug, PartialEq, Eq)]
struct Place {
    dir: PathBuf,
    name: OsString,
    lun: PathBuf,
}

impl Place {
    /// A testname may begin with a directory, which then holds the `.lun` file and every output.
    fn of(testname: Option<&OsStr>, notes: &mut Vec<String>) -> Result<Self, Problem> {
        let asked = testname.unwrap_or(OsStr::new("orion"));
        // As some type it; ORION would look for mytest.lun.lun.
        let (bare, suffix) = asked.as_bytes().split_at(asked.len().saturating_sub(b".lun".len()));
        // A list of Windows may be mytest.LUN, which is another file here where there is one.
        let is_suffix = suffix.eq_ignore_ascii_case(b".lun");
        let testname = if is_suffix { OsStr::from_bytes(bare) } else { asked };
        let path = Path::new(testname);
        // `file_name` would overlook a slash at the end.
        let name = path.file_name().filter(|_| !testname.as_bytes().ends_with(b"/"));
        let name = name.ok_or_else(|| {
            let option = Opt::NAME.spelled(Front::Orion);
            Problem::usage(format!(
                "'{}' is a directory, not the name of a run",
                path_text::encode_os(testname)
            ))
            .at(option)
            .next("add a name after the directory, as in -testname /home/oracle/mytest")
        })?;
        let mut lun = testname.to_owned();
        lun.push(if is_suffix { OsStr::from_bytes(suffix) } else { OsStr::new(".lun") });
        if asked != testname {
            let [list, name] = [&lun, name].map(path_text::encode_os);
            notes.push(format!(
                "-testname takes the name without .lun: {list} is read, and outputs begin with {name}"
            ));
        }
        Ok(Self { dir: dir_of(path).to_owned(), name: name.to_owned(), lun: PathBuf::from(lun) })
    }
}

#[cfg(test)]
mod tests;
