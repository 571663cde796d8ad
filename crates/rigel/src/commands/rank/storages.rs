//! The storages of a ranking: their runs, and what each is called.
//!
//! Must not rank.

use crate::args::{RankArgs, StorageArg};
use crate::commands::compare::source::{LoadedRecord, LoadedRun, side};
use crate::commands::compare::tools::{PreparedRun, name, no_tool_twice};
use crate::commands::compare::{no_run_twice, no_sides};
use crate::commands::past;
use crate::streams::Streams;
use rigel_core::error::Problem;
use rigel_core::path_text::{self, printable};
use rigel_report::rank::StorageView;
use rigel_uses::compare::SessionSpread;
use rigel_uses::rank::Storage;

/// A storage with its runs, one or more.
pub(super) struct LoadedStorage {
    pub name: String,
    pub runs: Vec<LoadedRun>,
}

/// The same with what is computed once from its runs.
pub(super) struct PreparedStorage<'a> {
    loaded: &'a LoadedStorage,
    runs: Vec<PreparedRun<'a>>,
}

impl<'a> PreparedStorage<'a> {
    pub fn new(loaded: &'a LoadedStorage) -> Self {
        Self { loaded, runs: loaded.runs.iter().map(PreparedRun::new).collect() }
    }

    /// For the rules. A single run is one session; several show their spread themselves.
    pub fn contender(&self, options: &RankArgs, streams: &Streams) -> Storage<'_> {
        let past = match self.loaded.runs.as_slice() {
            [LoadedRun::Record(only)] if !options.judgement.no_history => past::of_run(&only.record, streams),
            _ => SessionSpread::default(),
        };
        Storage {
            name: self.loaded.name.clone(),
            sources: self.runs.iter().map(PreparedRun::source).collect(),
            past,
        }
    }

    /// For the outputs.
    pub fn view(&self) -> StorageView<'_> {
        StorageView {
            name: self.loaded.name.clone(),
            runs: self.runs.iter().map(PreparedRun::view).collect(),
        }
    }
}

/// Reads every run of every storage.
pub(super) fn load(options: &RankArgs, streams: &Streams) -> Result<Vec<LoadedStorage>, Problem> {
    let mut all: Vec<Vec<LoadedRun>> = Vec::new();
    for storage in &options.storages {
        let runs = side(&storage.paths, streams)?;
        let records: Vec<&LoadedRecord> = runs.iter().filter_map(record).collect();
        no_run_twice(&records)?;
        no_tool_twice(&runs)?;
        all.push(runs);
    }
    // Runs of two sides answer one question among each other: the ratio of B to A.
    let is_versus =
        |run: &LoadedRun| record(run).is_some_and(|own| own.record.header.request.sides.is_some());
    if !all.iter().flatten().all(is_versus) {
        all.iter().flatten().filter_map(record).try_for_each(no_sides)?;
    }
    let own: Vec<Option<String>> = all.iter().map(|runs| own_name(runs)).collect();
    let is_only = |name: &String| own.iter().flatten().filter(|other| *other == name).count() == 1;
    let mut found: Vec<LoadedStorage> = Vec::new();
    for (place, (runs, argument)) in all.into_iter().zip(&options.storages).enumerate() {
        let typed = argument.name.clone().or_else(|| label(&runs)).or_else(|| directory(argument));
        let name = match typed.or_else(|| own[place].clone().filter(is_only)) {
            Some(name) => name,
            None => name(&runs[0])?,
        };
        if let Some(other) = found.iter().find(|other| other.name == name) {
            return Err(two_of_a_name(&name, other, &runs));
        }
        found.push(LoadedStorage { name, runs });
    }
    Ok(found)
}

fn two_of_a_name(name: &str, other: &LoadedStorage, runs: &[LoadedRun]) -> Problem {
    let [one, another] = [&other.runs[0], &runs[0]].map(|run| path_text::encode(run.path()));
    Problem::usage(format!("two storages are called '{name}'"))
        .at(format!("{one} and {another}"))
        .because("they were named so, or their runs have the same label")
        .next("for two runs of one storage, write NAME=RECORD,RECORD; otherwise give each a name of its own: NAME=RECORD")
}

fn record(run: &LoadedRun) -> Option<&LoadedRecord> {
    match run {
        LoadedRun::Record(loaded) => Some(loaded),
        LoadedRun::Tool(..) => None,
    }
}

/// The label that all runs share.
fn label(runs: &[LoadedRun]) -> Option<String> {
    let label = |run: &LoadedRun| record(run)?.record.header.request.label.clone();
    let first = label(runs.first()?)?;
    let is_shared = runs.iter().all(|run| label(run).as_ref() == Some(&first));
    Some(printable(first.trim()).into_owned()).filter(|name| is_shared && !name.is_empty())
}

/// The name of the only directory of a storage.
fn directory(argument: &StorageArg) -> Option<String> {
    match argument.paths.as_slice() {
        [only] if only.is_dir() => Some(printable(&only.file_name()?.to_string_lossy()).into_owned()),
        _ => None,
    }
}

/// The name of its first run (`--name`).
fn own_name(runs: &[LoadedRun]) -> Option<String> {
    let name = &record(runs.first()?)?.record.header.request.name;
    Some(printable(name).into_owned()).filter(|name| !name.is_empty())
}
