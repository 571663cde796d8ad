//! From what was typed to the options of a run: where both command lines come together.
//!
//! Judges name, targets, consent and output; the load is judged in [`super::shaping`]. Every message names the option as
//! the user typed it. Must not look at a path.

use super::load::LoadWish;
use super::names::{Front, Opt};
use super::own::OwnOptions;
use super::{Environment, RunOptions, TargetSource, shaping, values};
use rigel_core::error::Problem;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::request::Request;
use rigel_core::path_text;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// Longest name of a run: a stamp, an ending and the mark of a temporary file have to fit behind it into 255 bytes.
const MAX_NAME_BYTES: usize = 180;

/// What either command line read.
#[derive(Debug)]
pub struct Typed {
    /// Which one.
    pub front: Front,
    /// Run level.
    pub level: RunLevel,
    /// Name of the run, without a directory.
    pub name: OsString,
    /// Echo of the arguments.
    pub command_line: String,
    /// The load.
    pub load: LoadWish,
    /// Rigel's own options.
    pub own: OwnOptions,
    /// The targets, before the engine has its say.
    pub targets: TargetSource,
    /// Directory of the outputs.
    pub out_dir: PathBuf,
    /// More than usual.
    pub verbose: bool,
    /// A live view.
    pub tui: bool,
    /// Remarks so far.
    pub notes: Vec<String>,
}

/// The options of a run.
///
/// # Errors
/// A usage problem that names the option.
pub fn options(typed: Typed, environment: &Environment) -> Result<RunOptions, Problem> {
    let Typed { front, own, .. } = typed;
    check_voices(front, own.quiet, typed.verbose, typed.tui)?;
    check_name(front, &typed.name)?;
    let mut notes = typed.notes;
    let mut request = shaping::request(front, typed.level, &typed.load, &own)?;
    request.name = path_text::encode_os(&typed.name);
    request.command_line = typed.command_line;
    let targets = targets(front, &request, typed.targets, &mut notes)?;
    check_consent(&request, &targets, &own, &mut notes)?;
    let orion_version = values::orion_version(own.orion_version, environment.orion_version.as_deref())?;
    Ok(RunOptions {
        front,
        request,
        targets,
        out_dir: typed.out_dir,
        destroy: own.destroy_data,
        dry_run: own.dry_run,
        json: own.json,
        no_html: own.no_html,
        history: front == Front::Calibrate,
        quiet: own.quiet,
        verbose: typed.verbose,
        tui: typed.tui,
        force: own.force,
        orion_version,
        notes,
    })
}

/// How much is told, and how.
///
/// # Errors
/// When the options contradict each other.
pub fn check_voices(front: Front, quiet: bool, verbose: bool, tui: bool) -> Result<(), Problem> {
    if quiet && verbose {
        let verbose = Opt::Verbose.spelled(front);
        return Err(Problem::usage(format!("--quiet and {verbose} contradict each other"))
            .at(format!("--quiet, {verbose}"))
            .next("give one of them"));
    }
    check_view(tui, quiet, verbose)
}

/// A view takes the whole terminal: nothing else may be told on it, and something has to be shown.
fn check_view(tui: bool, quiet: bool, verbose: bool) -> Result<(), Problem> {
    let other = match (tui, quiet, verbose) {
        (true, true, _) => "--quiet",
        (true, _, true) => "--verbose",
        _ => return Ok(()),
    };
    Err(Problem::usage(format!("--tui and {other} contradict each other"))
        .at(format!("--tui, {other}"))
        .next("give one of them"))
}

fn check_name(front: Front, name: &OsStr) -> Result<(), Problem> {
    let shown = path_text::encode_os(name);
    let wrong = |what: &str| Problem::usage(what).at(Opt::Name.spelled(front));
    if name.is_empty() {
        return Err(wrong("the name of the run is empty")
            .because("the names of all outputs begin with it")
            .next("give a name, or leave the option out"));
    }
    if shown.contains('/') {
        return Err(wrong(&format!("the name of the run holds a directory: {shown}"))
            .next("give the directory with --out, the name alone with --name"));
    }
    if shown.starts_with('.') {
        return Err(wrong(&format!("the name of the run begins with a dot: {shown}"))
            .because("its outputs would be hidden files")
            .next("give another name"));
    }
    if shown.len() > MAX_NAME_BYTES {
        return Err(wrong(&format!("the name of the run has {} bytes", shown.len()))
            .because("a file name can have 255 bytes, and the names of the outputs are longer")
            .next(format!("give a name of at most {MAX_NAME_BYTES} bytes")));
    }
    Ok(())
}

/// A simulated engine has a target of its own and takes no other.
fn targets(
    front: Front,
    request: &Request,
    asked: TargetSource,
    notes: &mut Vec<String>,
) -> Result<TargetSource, Problem> {
    if !request.engine.is_simulated() {
        return check_paths(asked);
    }
    match (front, asked) {
        // ORION's command line cannot leave its list of targets out.
        (Front::Orion, TargetSource::LunFile(list)) => {
            let list = path_text::encode(&list);
            notes.push(format!("--engine: no storage is touched, {list} is not read"));
            Ok(TargetSource::Simulated)
        }
        (_, TargetSource::Simulated | TargetSource::Scratch { size: None, keep: false }) => {
            Ok(TargetSource::Simulated)
        }
        (_, TargetSource::Scratch { .. }) => Err(no_storage("a scratch file")),
        (_, TargetSource::Named(_) | TargetSource::LunFile(_)) => Err(no_storage("a target")),
    }
}

fn no_storage(what: &str) -> Problem {
    Problem::usage(format!("{what} does not go with an engine that touches no storage"))
        .at("--engine")
        .because("the engines sim and null have a target that exists only in memory")
        .next(format!("leave out {what}, or choose another engine"))
}

fn check_paths(asked: TargetSource) -> Result<TargetSource, Problem> {
    let empty = match &asked {
        TargetSource::Named(paths) => paths.iter().any(|path| path.as_os_str().is_empty()),
        TargetSource::LunFile(path) => path.as_os_str().is_empty(),
        TargetSource::Scratch { .. } | TargetSource::Simulated => false,
    };
    if empty {
        return Err(Problem::usage("the path of a target is empty")
            .because("a variable in the calling script may be unset")
            .next("name a file or device"));
    }
    Ok(asked)
}

/// Consent has to be about a target of the user's. That it names one of this run's targets is judged where targets are
/// looked at, because a device has many names.
fn check_consent(
    request: &Request,
    targets: &TargetSource,
    own: &OwnOptions,
    notes: &mut Vec<String>,
) -> Result<(), Problem> {
    if own.destroy_data.is_empty() {
        return Ok(());
    }
    if matches!(targets, TargetSource::Scratch { .. } | TargetSource::Simulated) {
        return Err(Problem::usage("--destroy-data is given, and no target of yours is part of the run")
            .at("--destroy-data")
            .because("each --destroy-data takes one path; the targets are named once more beside it")
            .next("name the target as well, or leave out --destroy-data"));
    }
    if !request.write_percent.writes() {
        notes.push("--destroy-data: nothing will be written, the run only reads".into());
    }
    Ok(())
}
