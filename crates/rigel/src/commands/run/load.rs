//! Load files: the one that a run is asked for, and the load of a run as one.
//!
//! Must not know the form; [`rigel_core::load::file`] does.

use crate::args::{RunOptions, on_both};
use crate::commands;
use rigel_core::error::Problem;
use rigel_core::load::file::{self, LoadFile};
use rigel_core::load::plan::Plan;
use rigel_core::load::request::Request;
use rigel_core::load::sides;
use rigel_core::path_text;
use rigel_core::units::Bytes;
use std::borrow::Cow;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// The options with the load of the file that they name, if they name one.
pub fn with_file(options: &RunOptions) -> Result<Cow<'_, RunOptions>, Problem> {
    let Some(path) = &options.load else { return Ok(Cow::Borrowed(options)) };
    let name = path_text::encode(path);
    let load = file::read(&name, &bytes(path, &name)?)?;
    let load = match options.compress {
        Some(times) => load.compressed(times)?,
        None => load,
    };
    let request = asked_for(load, options.request.clone()).map_err(|problem| match problem.place {
        None => problem.at(name),
        Some(_) => problem,
    })?;
    let mut options = RunOptions { request, ..options.clone() };
    if !options.destroy.is_empty() && !options.request.write_percent().writes() {
        options.notes.push("--destroy-data: nothing will be written, the load only reads".into());
    }
    Ok(Cow::Owned(options))
}

/// The request with its load, on both sides where there are two.
fn asked_for(load: LoadFile, mut asked: Request) -> Result<Request, Problem> {
    let Some(sides) = asked.sides.take() else { return load.request(asked) };
    if !load.phases.is_empty() {
        return Err(sides::no_phases());
    }
    on_both(load.request(asked)?, sides)
}

fn bytes(path: &Path, name: &str) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(file::MOST_BYTES + 1).read_to_end(&mut bytes));
    if let Err(error) = read {
        return Err(Problem::usage("the load file cannot be read")
            .at(name)
            .because(error.to_string())
            .next("`rigel run simple --dry-run --as-load` prints one to begin with"));
    }
    if bytes.len() as u64 > file::MOST_BYTES {
        return Err(Problem::usage("the load file is no load")
            .at(name)
            .because(format!("it is longer than {}", Bytes(file::MOST_BYTES)))
            .next("give the file that describes the load, not a target"));
    }
    Ok(bytes)
}

/// Prints the load of a run as a file.
pub fn show(request: &Request, plan: &Plan) -> Result<(), Problem> {
    let asked = request.command_line.trim_end();
    let comment = format!("The load of: rigel run {asked}");
    commands::to_stdout(LoadFile::of(request, plan)?.text(&comment).as_bytes())
}
