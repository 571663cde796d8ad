//! Turns arguments into the options of a run. Every command that measures comes through here.
//!
//! Judges name, targets and consent; the load is judged in [`super::shaping`], combinations of options in [`super::rules`]. Every message
//! names the option as the user typed it. Must not look at a path.

use super::names::{Front, Opt};
use super::output::OutputArgs;
use super::own::{HowArgs, ShowArgs};
use super::target_args::{HERE, TargetArgs};
use super::{Display, Environment, RunOptions, TargetSource, Versus, values, words};
use rigel_core::error::Problem;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::request::Request;
use rigel_core::load::task::Task;
use rigel_core::path_text;
use rigel_report::OrionVersion;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Longest name of a run: with a stamp, an ending and the mark of a temporary file, a file name has 255 bytes at most.
const MAX_NAME_BYTES: usize = 180;

/// The arguments of a measuring command other than its load.
#[derive(Debug)]
pub struct Frame<'a> {
    pub front: Front,
    /// The echo of what was typed.
    pub command_line: String,
    pub environment: &'a Environment,
    pub targets: TargetArgs,
    pub load_file: Option<PathBuf>,
    pub how: HowArgs,
    pub output: OutputArgs,
    pub orion_version: Option<OrionVersion>,
}

impl Frame<'_> {
    /// The options of a run that makes this request.
    ///
    /// # Errors
    /// When it has no name, no target or a consent for nothing.
    pub fn options(self, request: Request) -> Result<RunOptions, Problem> {
        let Self { front, command_line, environment, load_file, how, output, orion_version, .. } = self;
        let display = display(how.show, output.tui, orion_version, environment)?;
        check_name(front, &output.name)?;
        let request = Request { name: path_text::encode_os(&output.name), command_line, ..request };
        let mut notes = Vec::new();
        let asked = self.targets.source()?;
        let targets = targets(front, &request, asked, &mut notes)?;
        if request.soak().is_none() {
            check_load_file(request.level(), load_file.as_deref(), &targets)?;
        }
        let (destroy, dry_run) = (how.consent.destroy_data, how.consent.dry_run);
        // A calibration measures commits where it may write.
        let commits = matches!(request.task, Task::Calibrate { no_commits: None, .. });
        check_consent(&request, &targets, (&destroy, commits), &mut notes)?;
        Ok(RunOptions {
            front,
            request,
            targets,
            out_dir: output.out.unwrap_or_else(|| PathBuf::from(".")),
            destroy,
            dry_run,
            load: load_file,
            compress: None,
            as_load: false,
            own_writes: None,
            history: false,
            commits,
            force: false,
            display,
            versus: Versus::default(),
            notes,
        })
    }
}

/// What is shown, and in which form.
///
/// # Errors
/// When the environment names no layout of ORION's files.
pub fn display(
    show: ShowArgs,
    tui: bool,
    orion_version: Option<OrionVersion>,
    environment: &Environment,
) -> Result<Display, Problem> {
    let ShowArgs { json, no_html, quiet } = show;
    let orion_version = values::orion_version(orion_version, environment.orion_version.as_deref())?;
    Ok(Display { json, no_html, quiet, verbose: false, tui, orion_version })
}

/// The level 'load' is the word for a file.
fn check_load_file(level: RunLevel, file: Option<&Path>, targets: &TargetSource) -> Result<(), Problem> {
    if level == RunLevel::Load && file.is_none() {
        return Err(Problem::usage("the level 'load' needs a file that describes the load")
            .at("--load")
            .next(
                "give it, as in: rigel run --load shop.toml; docs/reference/load-files.md has an example",
            ));
    }
    let TargetSource::Named(paths) = targets else { return Ok(()) };
    let level = paths.first().and_then(|path| words::find::<RunLevel>(path.to_str()?));
    level.filter(|_| file.is_some()).map_or(Ok(()), |level| Err(level_beside_file(level)))
}

/// The word for a level next to a file that defines the load.
pub fn level_beside_file(level: RunLevel) -> Problem {
    Problem::usage(format!("--load cannot be combined with the level '{}'", level.name()))
        .at("--load")
        .because("the file says what is measured")
        .next(format!("leave out one of them; a target of that name is ./{}", level.name()))
}

fn check_name(front: Front, name: &OsStr) -> Result<(), Problem> {
    let shown = path_text::encode_os(name);
    let wrong = |what: &str| Problem::usage(what).at(Opt::NAME.spelled(front));
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

/// A simulated engine has its own target and accepts no other.
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
        (_, TargetSource::Simulated) => Ok(TargetSource::Simulated),
        (_, TargetSource::Scratch { dirs, .. }) if dirs != [Path::new(HERE)] => Err(no_storage("a target")),
        (_, TargetSource::Scratch { size: None, keep: false, .. }) => Ok(TargetSource::Simulated),
        (_, TargetSource::Scratch { .. }) => Err(no_storage("a scratch file")),
        (_, TargetSource::Named(_) | TargetSource::LunFile(_) | TargetSource::Server(_)) => {
            Err(no_storage("a target"))
        }
    }
}

/// Engines without storage take neither a target nor a scratch file.
pub(super) fn no_storage(what: &str) -> Problem {
    Problem::usage(format!("{what} cannot be combined with an engine that touches no storage"))
        .at("--engine")
        .because("the engines sim and null have a target that exists only in memory")
        .next(format!("leave out {what}, or choose another engine"))
}

fn check_paths(asked: TargetSource) -> Result<TargetSource, Problem> {
    let empty = match &asked {
        TargetSource::Named(paths) | TargetSource::Scratch { dirs: paths, .. } => {
            paths.iter().any(|path| path.as_os_str().is_empty())
        }
        TargetSource::LunFile(path) => path.as_os_str().is_empty(),
        TargetSource::Simulated | TargetSource::Server(_) => false,
    };
    if empty {
        return Err(Problem::usage("the path of a target is empty")
            .because("a variable in the calling script may be unset")
            .next("name a file or device"));
    }
    Ok(asked)
}

/// Consent needs a target that the user named. Whether it names one of this run's targets is judged later, when their
/// facts are known: a device has many names.
fn check_consent(
    request: &Request,
    targets: &TargetSource,
    (destroy, commits): (&[PathBuf], bool),
    notes: &mut Vec<String>,
) -> Result<(), Problem> {
    if destroy.is_empty() {
        return Ok(());
    }
    if matches!(targets, TargetSource::Scratch { .. } | TargetSource::Simulated) {
        return Err(Problem::usage("--destroy-data is given, and no target of yours is part of the run")
            .at("--destroy-data")
            .because("each --destroy-data takes one path; the targets have to be named as well")
            .next("name the target as well, or leave out --destroy-data"));
    }
    // What a file writes is known when it is read.
    if !commits && !request.write_percent().writes() && request.level() != RunLevel::Load {
        notes.push("--destroy-data: nothing will be written, the run only reads".into());
    }
    Ok(())
}
