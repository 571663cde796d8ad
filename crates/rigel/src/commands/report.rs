//! `rigel report`: every output again, from the record of a run, and one page about several.
//!
//! Must not measure or look at a target; it only uses the record.

use super::records_in;
use super::run::{soak, through};
use super::transfer;
use super::versus::SidesOutcome;
use super::whole::FullRecord;
use crate::args::{ReportOptions, Versus as Wish};
use crate::near;
use crate::output::{self, PlacedFile, RECORD_SUFFIX, dir_of};
use crate::streams::Streams;
use rigel_core::error::Problem;
use rigel_core::judge::answer::Answer;
use rigel_core::load::class::Class;
use rigel_core::path_text;
use rigel_core::record::Record;
use rigel_report::soak::SoakReport;
use rigel_report::through::ThroughReport;
use rigel_report::{Format, OutputFile, RUN_OUTPUTS, View, render, text};
use rigel_uses::soak::SoakFindings;
use rigel_uses::through::ThroughFindings;
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

pub fn report(options: &ReportOptions, streams: &Streams) -> Result<(), Problem> {
    let meant = |path: &PathBuf| records_in::meant(path, streams);
    let records = options.records.iter().map(meant).collect::<Result<_, _>>()?;
    of_files(&ReportOptions { records, ..options.clone() }, streams)
}

fn of_files(options: &ReportOptions, streams: &Streams) -> Result<(), Problem> {
    let to_stdout = options.out.is_none() && options.format.is_text();
    if to_stdout && options.records.len() > 1 {
        return Err(Problem::usage("several records cannot be combined into one document")
            .at("RECORD")
            .because("standard output would contain one after the other")
            .next("use --out DIR for a file each, or --html for one page about all"));
    }
    let records: Vec<Record> =
        options.records.iter().map(|path| read(path, streams)).collect::<Result<_, _>>()?;
    if matches!(options.format, Format::Orion(_)) {
        options
            .records
            .iter()
            .zip(&records)
            .try_for_each(|(path, record)| has_orions_classes(path, record))?;
    }
    if let (Some(size), [record], [path]) = (options.size, records.as_slice(), options.records.as_slice()) {
        return transfer::show(record, path, size, options.format, streams);
    }
    match (records.as_slice(), options.records.as_slice()) {
        ([record], [path]) if to_stdout && options.format == Format::Text => {
            return show(record, path, options.explain, streams);
        }
        ([record], _) if to_stdout => {
            // Of several files, the first one holds everything.
            let files = outputs(options.format, record, streams)?;
            return files.first().map_or(Ok(()), |file| streams.results(&file.bytes));
        }
        _ => {}
    }
    let files = match options.format {
        Format::Html if records.len() > 1 => vec![page_of_several(options, &records)?],
        _ => files_of_each(options, &records, streams)?,
    };
    let placed: Vec<PlacedFile<'_>> =
        files.iter().map(|(dir, run_id, file)| PlacedFile::new(dir, run_id, file)).collect();
    no_two_alike(&placed)?;
    streams.list(&output::write_all(&placed, options.force)?)
}

/// Each file of a format. A soak and two sides have their own, as their run showed them.
fn outputs(format: Format, record: &Record, streams: &Streams) -> Result<Vec<OutputFile>, Problem> {
    let view = View::of(record);
    let own = match view.answer() {
        Answer::Soak(_) => match SoakFindings::of(record) {
            Some(found) => rigel_report::soak::file(format, &soak_report(record, &found))?,
            None => None,
        },
        Answer::Through => match ThroughFindings::of(record) {
            Some(found) => rigel_report::through::file(format, &ThroughReport { record, found: &found })?,
            None => None,
        },
        Answer::Ratio(_) => match SidesOutcome::of(&view, &Wish::default(), streams) {
            Some(sides) => sides.file(format)?,
            None => None,
        },
        Answer::Points
        | Answer::Calibration(_)
        | Answer::Rate(_)
        | Answer::Scaling(_)
        | Answer::Burst(_)
        | Answer::WorkingSet(_) => None,
    };
    own.map_or_else(|| render(format, &view), |file| Ok(vec![file]))
}

fn soak_report<'a>(record: &'a Record, found: &'a SoakFindings) -> SoakReport<'a> {
    SoakReport { record, found, lost: 0 }
}

/// ORION's files have rows and columns for its two classes only.
fn has_orions_classes(path: &Path, record: &Record) -> Result<(), Problem> {
    let request = &record.header.request;
    if [Class::SMALL, Class::LARGE].into_iter().any(|class| request.class(class).is_some()) {
        return Ok(());
    }
    Err(Problem::usage("the record has neither small nor large I/O, and ORION's files hold nothing else")
        .at(path_text::encode(path))
        .because("the run measured other load classes, so the files would be empty")
        .next("--format csv, json or html has all of them"))
}

/// A file of an output: its directory, the name of its run, and what it holds.
type FileToWrite = (PathBuf, String, OutputFile);

fn files_of_each(
    options: &ReportOptions,
    records: &[Record],
    streams: &Streams,
) -> Result<Vec<FileToWrite>, Problem> {
    let mut made = Vec::new();
    for (path, record) in options.records.iter().zip(records) {
        let (dir, run_id) = place(options, path, record)?;
        let files = outputs(options.format, record, streams)?.into_iter();
        made.extend(files.map(|file| (dir.clone(), run_id.clone(), file)));
    }
    Ok(made)
}

/// Directory and first part of the name of the outputs of a record.
fn place(options: &ReportOptions, path: &Path, record: &Record) -> Result<(PathBuf, String), Problem> {
    Ok((options.out.clone().unwrap_or_else(|| dir_of(path).to_owned()), run_id(record, path)?))
}

/// One page, named after the first run and the number of others.
fn page_of_several(options: &ReportOptions, records: &[Record]) -> Result<FileToWrite, Problem> {
    let (dir, run_id) = place(options, &options.records[0], &records[0])?;
    let file = rigel_report::report_of_several(&records.iter().map(View::of).collect::<Vec<_>>())?;
    Ok((dir, format!("{run_id}_and_{}_more", records.len().saturating_sub(1)), file))
}

/// Runs of one name, from different machines or directories, have outputs of one name.
fn no_two_alike(files: &[PlacedFile<'_>]) -> Result<(), Problem> {
    let mut seen = BTreeSet::new();
    let twice = files.iter().map(PlacedFile::path).find(|path| !seen.insert(path.clone()));
    twice.map_or(Ok(()), |path| {
        Err(Problem::usage("two of the records would write the same file")
            .at(path_text::encode(&path))
            .because("they are from runs of the same name, or one is given twice")
            .next("use a separate --out for one of them"))
    })
}

/// Prints what was shown after the run, or everything, with the files that are next to the record now.
fn show(record: &Record, path: &Path, explain: bool, streams: &Streams) -> Result<(), Problem> {
    let view = View::of(record);
    if let (Answer::Soak(_), Some(found)) = (view.answer(), SoakFindings::of(record)) {
        return soak::again(&soak_report(record, &found), path, streams);
    }
    if let (Answer::Through, Some(found)) = (view.answer(), ThroughFindings::of(record)) {
        return through::again(&ThroughReport { record, found: &found }, path, streams);
    }
    let dir = dir_of(path);
    let run_id = run_id(record, path)?;
    let outputs = RUN_OUTPUTS
        .iter()
        .chain(&["_versus.html", "_sql.html"])
        .map(|suffix| dir.join(format!("{run_id}{suffix}")));
    let here = path.file_name().map(|name| dir.join(name));
    let files: Vec<PathBuf> = here.into_iter().chain(outputs.filter(|path| path.exists())).collect();
    match SidesOutcome::of(&view, &Wish::default(), streams) {
        Some(sides) => sides.show(false, &files, streams),
        None if explain => {
            streams.results(text::explained(&view, streams.style(), &printable(&files)).as_bytes())
        }
        None => shown(&view, &files, streams),
    }
}

/// Prints the results for people.
pub fn shown(view: &View<'_>, files: &[PathBuf], streams: &Streams) -> Result<(), Problem> {
    streams.results(text::report(view, streams.style(), &printable(files)).as_bytes())
}

fn printable(files: &[PathBuf]) -> Vec<String> {
    files.iter().map(|path| path_text::encode(path)).collect()
}

/// Reads a record, with its lines that wait elsewhere for room. A last line that was not written whole is left out, with a remark.
pub fn read(path: &Path, streams: &Streams) -> Result<Record, Problem> {
    let whole = whole(path, &[], streams)?;
    if let Some(files) = whole.elsewhere() {
        let shown = path_text::encode(path);
        streams.remark(&format!("the end of {shown} did not fit into it, and is taken from {files}"));
    }
    Ok(whole.record)
}

/// Reads the record of a run of this process. `unkept`: its lines that could not be stored anywhere.
pub fn read_own(path: &Path, unkept: &[&[u8]], streams: &Streams) -> Result<Record, Problem> {
    Ok(whole(path, unkept, streams)?.record)
}

fn whole(path: &Path, unkept: &[&[u8]], streams: &Streams) -> Result<FullRecord, Problem> {
    let shown = path_text::encode(path);
    let bytes = fs::read(path).map_err(|error| {
        let problem = unreadable(path, &error);
        if path.is_dir() { problem.next(records_in::next_step(path)) } else { problem }
    })?;
    let whole = FullRecord::of(path, bytes, unkept, streams)?;
    if let Some(torn) = &whole.record.torn {
        streams.remark(&format!("{shown}: line {} is incomplete and ignored", torn.line));
    }
    Ok(whole)
}

/// The record in the bytes of a file; problems name file and line.
pub fn parse(bytes: &[u8], path: &Path) -> Result<Record, Problem> {
    let shown = path_text::encode(path);
    Record::read(bytes).map_err(|problem| {
        let place = match &problem.place {
            Some(line) => format!("{shown}, {line}"),
            None => shown.clone(),
        };
        records_in::instead_of_output(problem.at(place), path)
    })
}

pub fn unreadable(path: &Path, error: &io::Error) -> Problem {
    let (problem, next): (fn(String) -> Problem, _) = match error.kind() {
        ErrorKind::NotFound => return missing(path),
        ErrorKind::IsADirectory => (Problem::usage, "give the file in it that ends in _record.jsonl"),
        _ => (Problem::refused, "check with `ls -l` who may read it"),
    };
    problem(format!("the record cannot be read: {error}")).at(path_text::encode(path)).next(next)
}

fn missing(path: &Path) -> Problem {
    let next = near::next_step(path, "a record", |name| name.ends_with(RECORD_SUFFIX));
    Problem::usage("there is no such file").at(path_text::encode(path)).next(next)
}

/// The name that the outputs begin with. A record is foreign text: it may not lead out of the directory.
pub fn run_id(record: &Record, path: &Path) -> Result<String, Problem> {
    let run_id = path_text::printable(&record.header.run_id);
    // A leading dot would hide the outputs, or name the directory above.
    if run_id.is_empty() || run_id.starts_with('.') || run_id.contains('/') {
        return Err(Problem::usage(format!("'{run_id}' is not a run name"))
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
        let problem = read(Path::new("/nowhere/x_record.jsonl"), &Streams::in_memory()).unwrap_err();
        assert_eq!(problem.kind.code(), 2);
        assert!(problem.to_string().contains("/nowhere/x_record.jsonl"));
    }

    #[test]
    fn a_file_that_is_no_record_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("notes.txt");
        fs::write(&path, "hello\n").unwrap();
        let problem = read(&path, &Streams::in_memory()).unwrap_err();
        assert_eq!(problem.kind.code(), 2);
        assert!(problem.place.unwrap().ends_with("notes.txt, line 1"));
    }
}
