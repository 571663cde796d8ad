//! `rigel load from-fio`: the load of a job file of fio as a load file, and which part of it is lost.
//!
//! Must not know fio's options; [`rigel_core::load::fio`] and [`crate::args::fio_hint`] do.

use super::remark::remark_text;
use crate::args::FromFioArgs;
use crate::commands::run::load_job_bytes;
use crate::streams::Streams;
use rigel_core::error::Problem;
use rigel_core::load::file::Comments;
use rigel_core::load::fio::{self, FioLoad};
use rigel_core::path_text::{encode, shell_word};
use rigel_core::units::say::{typed_size, typed_time};

pub fn from_fio(options: &FromFioArgs, streams: &Streams) -> Result<(), Problem> {
    let name = encode(&options.file);
    let bytes = load_job_bytes(&options.file, &name)?;
    let found = fio::read(&name, text(&name, &bytes)?)?;
    let remarks: Vec<String> = found.remarks.iter().map(remark_text).collect();
    let mut head = vec![format!("The load of the fio job file {name}"), line(&found)];
    head.extend(remarks.iter().map(|remark| format!("fio: {remark}")));
    if !options.quiet {
        for remark in &remarks {
            streams.aside(&format!("{name}: {remark}\n"));
        }
        streams.aside(&format!("to measure it: {}\n", line(&found)));
    }
    streams.results(found.load.commented(&Comments { head, phases: Vec::new() }).as_bytes())
}

/// The text of a job file.
pub fn text<'a>(name: &str, bytes: &'a [u8]) -> Result<&'a str, Problem> {
    str::from_utf8(bytes).map_err(|_| {
        Problem::usage("the job file is not UTF-8 text").at(name).next("give the job file that fio reads")
    })
}

/// The command that measures it as long as fio does, where fio did.
fn line(found: &FioLoad) -> String {
    let time = found.runtime.map_or_else(String::new, |time| format!(" --duration {}", typed_time(time)));
    let size = match found.size {
        Some(size) if found.targets.is_empty() => format!(" --scratch-size {}", typed_size(size.0)),
        _ => String::new(),
    };
    let targets: String = found.targets.iter().map(|target| format!(" {}", shell_word(target))).collect();
    format!("rigel run --load FILE{time}{size}{targets}")
}
