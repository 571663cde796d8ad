//! The runs of a side: records of Rigel, and results of other tools, each known by its content.
//!
//! Must not compare.

use super::records_in;
use crate::commands::records_in::instead_of_output;
use crate::commands::report::{read, unreadable};
use crate::output::RECORD_SUFFIX;
use crate::streams::Streams;
use rigel_core::error::Problem;
use rigel_core::path_text;
use rigel_core::record::{Record, other_form};
use rigel_uses::baseline::{self, Baseline, MOST_BYTES, Tool};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// A record is known by this many of its first bytes.
const HEAD_BYTES: u64 = 64;
/// What editors put before text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// Suffixes of other tools' files.
const ENDINGS: [&str; 4] = ["txt", "csv", "json", "xml"];

/// A run of a side, with the file that it came from.
#[expect(clippy::large_enum_variant, reason = "there are a few, one for each file that was named")]
pub(in crate::commands) enum LoadedRun {
    /// A record.
    Record(LoadedRecord),
    /// A result of another tool.
    Tool(PathBuf, Box<Baseline>),
}

/// A record with its file.
pub(in crate::commands) struct LoadedRecord {
    pub path: PathBuf,
    pub record: Record,
}

impl LoadedRun {
    pub fn path(&self) -> &Path {
        match self {
            Self::Record(loaded) => &loaded.path,
            Self::Tool(path, _) => path,
        }
    }
}

/// Reads every file of a side; a directory means its records, or the results of other tools if it has no record.
pub(in crate::commands) fn side(paths: &[PathBuf], streams: &Streams) -> Result<Vec<LoadedRun>, Problem> {
    let mut found: Vec<LoadedRun> = Vec::new();
    for path in paths {
        if !path.is_dir() {
            push(&mut found, one(path, streams)?);
            continue;
        }
        match records_in(path) {
            Ok(records) => {
                for path in records {
                    push(&mut found, one(&path, streams)?);
                }
            }
            Err(problem) => {
                let tools = tools_in(path)?;
                if tools.is_empty() {
                    return Err(problem);
                }
                tools.into_iter().for_each(|run| push(&mut found, run));
            }
        }
    }
    // Other files of the same run may have made them usable.
    for run in &found {
        if let LoadedRun::Tool(path, tool) = run {
            tool.check().map_err(|problem| problem.at(path_text::encode(path)))?;
        }
    }
    Ok(found)
}

fn one(path: &Path, streams: &Streams) -> Result<LoadedRun, Problem> {
    let shown = path_text::encode(path);
    // What is not a file, such as a pipe, can be read once.
    if !path.is_file() {
        return record(path, streams);
    }
    let Some(bytes) = bytes(path).map_err(|error| unreadable(path, &error))? else {
        return record(path, streams);
    };
    if let Some(problem) = other_form(&bytes) {
        return Err(problem.at(shown));
    }
    if let Some(found) = Baseline::read_file(name(path), &bytes) {
        return tool(path, found);
    }
    // A record that is torn or of another version says so itself.
    if is_record(path, &bytes) {
        return record(path, streams);
    }
    Err(instead_of_output(baseline::unknown(&bytes).at(shown), path))
}

fn name(path: &Path) -> &str {
    path.file_name().and_then(OsStr::to_str).unwrap_or_default()
}

/// Whether a file is meant to be a record: its lines are JSON, or its name says so.
fn is_record(path: &Path, bytes: &[u8]) -> bool {
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    bytes.first() == Some(&b'{') || name.ends_with(RECORD_SUFFIX.as_bytes())
}

fn record(path: &Path, streams: &Streams) -> Result<LoadedRun, Problem> {
    Ok(LoadedRun::Record(LoadedRecord { record: read(path, streams)?, path: path.to_owned() }))
}

fn tool(path: &Path, found: Result<Baseline, Problem>) -> Result<LoadedRun, Problem> {
    let shown = path_text::encode(path);
    let found = found.map_err(|problem| {
        let place = match &problem.place {
            Some(line) => format!("{shown}, {line}"),
            None => shown.clone(),
        };
        problem.at(place)
    })?;
    Ok(LoadedRun::Tool(path.to_owned(), Box::new(found)))
}

/// The bytes of a file; `None` of a record, and of what is larger than results of other tools are.
fn bytes(path: &Path) -> std::io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    let mut file = File::open(path)?;
    (&mut file).take(HEAD_BYTES).read_to_end(&mut bytes)?;
    let text = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&bytes);
    if text.starts_with(b"{\"line\":") {
        return Ok(None);
    }
    file.take(MOST_BYTES + 1 - HEAD_BYTES).read_to_end(&mut bytes)?;
    let is_whole = u64::try_from(bytes.len()).is_ok_and(|length| length <= MOST_BYTES);
    Ok(is_whole.then_some(bytes))
}

/// The results of other tools in a directory, by name. What no tool wrote is skipped.
fn tools_in(dir: &Path) -> Result<Vec<LoadedRun>, Problem> {
    let unreadable = |error: std::io::Error| unreadable(dir, &error);
    let mut paths = Vec::new();
    for entry in fs::read_dir(dir).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let is_named = path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known));
        // ORION's trace begins like its summary, and has no results.
        let is_trace = path.file_stem().and_then(OsStr::to_str).is_some_and(|name| name.ends_with("_trace"));
        if is_named && !is_trace && path.is_file() {
            paths.push(path);
        }
    }
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        if let Some(read) =
            bytes(&path).map_err(unreadable)?.and_then(|bytes| Baseline::read_file(name(&path), &bytes))
        {
            found.push(tool(&path, read)?);
        }
    }
    Ok(found)
}

/// Adds a run. The files that ORION writes about one run, `X_summary.txt` and `X_iops.csv`, are one.
fn push(found: &mut Vec<LoadedRun>, run: LoadedRun) {
    let LoadedRun::Tool(path, tool) = run else { return found.push(run) };
    let stem = stem_of_run(&path);
    let same = found.iter_mut().find_map(|own| match own {
        LoadedRun::Tool(other, own) if own.tool == Tool::Orion && stem_of_run(other) == stem => Some(own),
        _ => None,
    });
    let is_part = tool.tool == Tool::Orion && stem.is_some();
    match same.filter(|_| is_part) {
        Some(own) => {
            if let Err(other) = own.join(*tool) {
                found.push(LoadedRun::Tool(path, other));
            }
        }
        None => found.push(LoadedRun::Tool(path, tool)),
    }
}

/// A path up to the suffix that distinguishes the files of a run.
fn stem_of_run(path: &Path) -> Option<PathBuf> {
    let name = path.file_stem()?.to_str()?;
    let (run, part) = name.rsplit_once('_')?;
    ["summary", "iops", "mbps", "lat"].contains(&part).then(|| path.with_file_name(run))
}
