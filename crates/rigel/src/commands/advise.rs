//! `rigel advise`: what records mean for the settings of a database, or of a cgroup.
//!
//! Must not measure or derive; the rules are in `rigel_uses::advice`.

use super::calibrations::none_known;
use super::report::read;
use crate::args::AdviseOptions;
use crate::history;
use crate::streams::Streams;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::facts::TargetFacts;
use rigel_core::path_text;
use rigel_core::record::{Header, Record};
use rigel_core::units::say::listed;
use rigel_report::View;
use rigel_report::advice::{Advisory, document, file, page};
use rigel_report::compare::runs;
use rigel_uses::advice::AdviceReport;
use std::path::{Path, PathBuf};

pub fn advise(options: &AdviseOptions, streams: &Streams) -> Result<(), Problem> {
    let paths =
        if options.records.is_empty() { vec![last_record(streams)?] } else { options.records.clone() };
    let records: Vec<Record> = paths.iter().map(|path| read(path, streams)).collect::<Result<_, _>>()?;
    if options.records.is_empty() {
        let here = std::env::current_dir().unwrap_or_default();
        records.iter().for_each(|record| streams.remark(&of_what(&record.header, &here)));
    }
    let views: Vec<View<'_>> = records.iter().map(View::of).collect();
    let advised = AdviceReport::of(&runs(&views), options.conditions, options.product)?;
    let advisory = Advisory { views: &views, advised: &advised };
    match options.product {
        Some(product) if !options.explain => {
            let file = file(&advisory, product, options.server_version)?;
            advisory.beside(product).iter().for_each(|note| streams.remark(note));
            streams.results(file.as_bytes())
        }
        _ if options.json => streams.results(&document(&advisory)?).and_then(|()| sure(&advised)),
        _ => streams.results(page(&advisory, options.explain).as_bytes()).and_then(|()| sure(&advised)),
    }
}

/// What the last calibration was of: whoever asks for it may stand in front of another disk by now.
fn of_what(header: &Header, here: &Path) -> String {
    let place = |target: &TargetFacts| {
        let own = target.scratch.is_some_and(|scratch| scratch.own);
        let directory = Path::new(&target.real_path).parent().filter(|_| own);
        directory.map_or_else(|| target.path.clone(), |directory| path_text::encode(directory))
    };
    let places: Vec<String> = header.targets.iter().map(place).collect();
    // What is named by its path may be meant from anywhere, a scratch file in a directory not.
    let own = header.targets.iter().filter(|target| target.scratch.is_some_and(|scratch| scratch.own));
    let is_elsewhere =
        own.clone().count() > 0 && !own.into_iter().any(|target| Path::new(&target.real_path).starts_with(here));
    let elsewhere = if is_elsewhere { ", and not of the current directory" } else { "" };
    let day: String = header.started.chars().take(10).collect();
    format!("the last calibration, of {day}, is of {}{elsewhere}", listed(&places))
}

/// That nothing measured is good enough is an answer, and a failed check.
fn sure(advised: &AdviceReport) -> Result<(), Problem> {
    if !advised.is_all_in_doubt() {
        return Ok(());
    }
    Err(Problem::new(ExitKind::GateFailed, "every setting is withheld: no measurement is good enough")
        .next("measure again as described next to each reason"))
}

/// The record of the newest calibration in the history, with a remark about its path.
pub(super) fn last_record(streams: &Streams) -> Result<PathBuf, Problem> {
    let last = history::last()?.ok_or_else(|| none_known(""))?;
    let name_it = "give its current location: rigel advise NAME_record.jsonl";
    let path = last.record.ok_or_else(|| {
        Problem::refused("the history does not know where the record of the last calibration is")
            .because("it was made by an older Rigel that did not store this")
            .next(name_it)
    })?;
    let shown = path_text::encode(&path);
    if !path.exists() {
        return Err(Problem::refused("the record of the last calibration no longer exists")
            .at(shown)
            .because("it was moved or removed after the calibration")
            .next(format!("calibrate again, or {name_it}")));
    }
    streams.remark(&format!("the settings come from the record {shown}"));
    Ok(path)
}
