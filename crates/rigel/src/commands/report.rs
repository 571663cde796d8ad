//! `rigel report`: every output again, from the record of a run.
//!
//! Must not measure or look at a target; the record is all there is.

use crate::args::{ReportFormat, ReportOptions};
use crate::{commands, output};
use rigel_core::error::Problem;
use rigel_core::path_text;
use rigel_core::record::Record;
use rigel_report::{Format, View};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Makes what was asked for.
///
/// # Errors
/// When the record cannot be read or the outputs cannot be written.
pub fn report(options: &ReportOptions) -> Result<(), Problem> {
    let record = read(&options.record)?;
    let format = match options.format {
        ReportFormat::Orion => Format::Orion(options.orion_version),
        ReportFormat::Json => Format::Json,
        ReportFormat::Csv => Format::Csv,
        ReportFormat::Html => Format::Html,
    };
    let files = rigel_report::render(format, &View::of(&record))?;
    let dir = match (&options.out, options.format) {
        (Some(dir), _) => dir.clone(),
        (None, ReportFormat::Orion | ReportFormat::Html) => beside(&options.record),
        (None, ReportFormat::Json | ReportFormat::Csv) => {
            for file in &files {
                commands::to_stdout(&file.bytes)?;
            }
            return Ok(());
        }
    };
    let run_id = run_id(&record, &options.record)?;
    for path in output::write_files(&dir, &run_id, &files, options.force)? {
        commands::to_stdout(format!("{}\n", path_text::encode(&path)).as_bytes())?;
    }
    Ok(())
}

/// Reads a record; a last line that was not written whole is told, the rest of the record is good.
///
/// # Errors
/// When it cannot be opened, or is no record.
pub fn read(path: &Path) -> Result<Record, Problem> {
    let shown = path_text::encode(path);
    let bytes = fs::read(path).map_err(|error| unreadable(&shown, &error))?;
    let record = Record::read(&bytes).map_err(|problem| {
        let place = match &problem.place {
            Some(line) => format!("{shown}, {line}"),
            None => shown.clone(),
        };
        problem.at(place)
    })?;
    if let Some(torn) = &record.torn {
        commands::remark(&format!("{shown}: line {} was not written whole and is left out", torn.line));
    }
    Ok(record)
}

fn unreadable(shown: &str, error: &io::Error) -> Problem {
    let (problem, next): (fn(String) -> Problem, _) = match error.kind() {
        ErrorKind::NotFound => (Problem::usage, "give the file that ends in _record.jsonl"),
        ErrorKind::IsADirectory => (Problem::usage, "give the file in it that ends in _record.jsonl"),
        _ => (Problem::refused, "see with `ls -l` who may read it"),
    };
    problem(format!("the record cannot be read: {error}")).at(shown).next(next)
}

/// The directory of a record.
pub fn beside(record: &Path) -> PathBuf {
    match record.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// The name that the outputs begin with. A record is foreign text: it may not lead out of the directory.
///
/// # Errors
/// When it would.
pub fn run_id(record: &Record, path: &Path) -> Result<String, Problem> {
    let run_id = path_text::printable(&record.header.run_id);
    // A leading dot would hide the outputs, or name the directory above.
    if run_id.is_empty() || run_id.starts_with('.') || run_id.contains('/') {
        return Err(Problem::usage(format!("'{run_id}' is no name of a run"))
            .at(format!("{}, line 1", path_text::encode(path)))
            .because("the file was changed after Rigel wrote it")
            .next("use an undamaged copy"));
    }
    Ok(run_id.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_record_says_what_to_give() {
        let problem = read(Path::new("/nowhere/x_record.jsonl")).unwrap_err();
        assert_eq!(problem.kind.code(), 2);
        assert!(problem.to_string().contains("/nowhere/x_record.jsonl"));
    }

    #[test]
    fn a_file_that_is_no_record_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("notes.txt");
        fs::write(&path, "hello\n").unwrap();
        let problem = read(&path).unwrap_err();
        assert_eq!(problem.kind.code(), 2);
        assert!(problem.place.unwrap().ends_with("notes.txt, line 1"));
    }
}
