//! Load files: the one that a run needs (a preset by name, a file, or a fio job file), and the load of a run as one.
//!
//! Must not know the form; [`rigel_core::load::file`] does.

mod job;

use super::present::Reporter;
use crate::args::{RunOptions, on_both};
use crate::near;
use rigel_core::error::Problem;
use rigel_core::load::file::{self, LoadFile, Preset};
use rigel_core::load::fio;
use rigel_core::load::plan::Plan;
use rigel_core::load::request::Request;
use rigel_core::load::sides;
use rigel_core::path_text;
use rigel_core::units::Bytes;
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// The options with the load of the preset or the file that they name, if they name one.
pub fn with_file(options: &RunOptions) -> Result<Cow<'_, RunOptions>, Problem> {
    let Some(path) = &options.load else { return Ok(Cow::Borrowed(options)) };
    let name = path_text::encode(path);
    let (text, note) = match preset(path) {
        Some(preset) => (preset.text.as_bytes().to_vec(), preset_note(preset, path)),
        None => (bytes(path, &name)?, None),
    };
    let (load, options) = match str::from_utf8(&text).ok().filter(|text| fio::is_job_file(text)) {
        Some(text) => {
            let found = fio::read(&name, text)?;
            let options = job::with_job(options, &found, &name)?;
            (found.load, Cow::Owned(options))
        }
        None => (file::read(&name, &text)?, Cow::Borrowed(options)),
    };
    let load = match options.compress {
        Some(times) => load.compressed(times)?,
        None => load,
    };
    let request = asked_for(load, options.request.clone()).map_err(|problem| match problem.place {
        None => problem.at(name),
        Some(_) => problem,
    })?;
    let mut options = RunOptions { request, ..options.into_owned() };
    options.notes.extend(note);
    if !options.destroy.is_empty() && !options.request.write_percent().writes() {
        options.notes.push("--destroy-data has no effect: the load only reads".into());
    }
    Ok(Cow::Owned(options))
}

/// The preset that a word names. What has a directory is a file, so `./mysql` is one.
fn preset(path: &Path) -> Option<Preset> {
    Preset::named(path.to_str()?)
}

/// Says which one was taken, if the word also names a file.
fn preset_note(preset: Preset, path: &Path) -> Option<String> {
    path.exists().then(|| {
        let (name, file) = (preset.name, path_text::encode(path));
        format!("--load {file}: this is the preset '{name}'; the file of that name is ./{file}")
    })
}

/// The request with its load, on both sides if there are two.
fn asked_for(load: LoadFile, mut asked: Request) -> Result<Request, Problem> {
    let Some(sides) = asked.sides.take() else { return load.request(asked) };
    if !load.phases.is_empty() {
        return Err(sides::no_phases());
    }
    on_both(load.request(asked)?, sides)
}

/// The bytes of a load file, or of a job file.
fn bytes(path: &Path, name: &str) -> Result<Vec<u8>, Problem> {
    read(path, name, unread)
}

/// The bytes of a job file of fio.
pub fn job_bytes(path: &Path, name: &str) -> Result<Vec<u8>, Problem> {
    read(path, name, unread_job)
}

fn read(path: &Path, name: &str, unread: fn(&Path, &io::Error) -> Problem) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(file::MOST_BYTES + 1).read_to_end(&mut bytes));
    if let Err(error) = read {
        return Err(unread(path, &error).at(name));
    }
    if bytes.len() as u64 > file::MOST_BYTES {
        return Err(Problem::usage("the load file does not describe a load")
            .at(name)
            .because(format!("it is longer than {}", Bytes(file::MOST_BYTES)))
            .next("give the file that describes the load, not a target"));
    }
    Ok(bytes)
}

/// A file that cannot be read. A word that names none may be a slip of the name of a preset.
fn unread(path: &Path, error: &io::Error) -> Problem {
    if path.to_str().is_some_and(is_job_name) {
        return unread_job(path, error);
    }
    let problem = Problem::usage("the load file cannot be read").because(error.to_string());
    let is_word = path.components().count() == 1 && path.extension().is_none();
    match path.to_str().filter(|_| is_word && error.kind() == io::ErrorKind::NotFound) {
        Some(word) => match Preset::nearest(word) {
            Some(near) => {
                problem.next(format!("did you mean the preset '{near}'? the presets are {}", Preset::names()))
            }
            None => problem.next(format!("give a file, or the name of a preset: {}", Preset::names())),
        },
        None => problem.next("`rigel run simple --dry-run --as-load` prints one to start from"),
    }
}

/// Whether a name is one that job files of fio have.
fn is_job_name(name: &str) -> bool {
    [".fio", ".job", ".ini"].iter().any(|ending| name.ends_with(ending))
}

/// A job file that cannot be read.
fn unread_job(path: &Path, error: &io::Error) -> Problem {
    if error.kind() == io::ErrorKind::NotFound {
        let next = near::next_step(path, "a job file of fio", is_job_name);
        return Problem::usage("there is no such job file").because(error.to_string()).next(next);
    }
    let next = "give the job file that fio reads; check with `ls -l` who may read it";
    Problem::usage("the job file cannot be read").because(error.to_string()).next(next)
}

/// Prints the load of a run as a file; that of a preset with its comments, which give the source of each figure.
pub fn show(reporter: Reporter<'_>, plan: &Plan) -> Result<(), Problem> {
    let Reporter { options, streams } = reporter;
    if let Some(preset) = options.load.as_deref().and_then(preset) {
        return streams.results(preset.text.as_bytes());
    }
    let request = &options.request;
    let asked = request.command_line.trim_end();
    let comment = format!("The load of: rigel run {asked}");
    streams.results(LoadFile::of(request, plan)?.text(&comment).as_bytes())
}
