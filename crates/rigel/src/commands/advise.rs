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
use rigel_core::record::Record;
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
        records.iter().for_each(|record| {
            streams.remark(&of_what(&record.header.targets, &record.header.started, &here))
        });
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

/// What the last calibration measured: the user may be asking about another disk.
fn of_what(targets: &[TargetFacts], started: &str, here: &Path) -> String {
    let place = |target: &TargetFacts| {
        let directory = Path::new(&target.real_path).parent().filter(|_| target.is_own_scratch());
        directory.map_or_else(|| target.path.clone(), path_text::encode)
    };
    let places: Vec<String> = targets.iter().map(place).collect();
    // What is named by its path may be meant from anywhere, a scratch file in a directory not.
    let own = || targets.iter().filter(|target| target.is_own_scratch());
    let is_here = |target: &TargetFacts| Path::new(&target.real_path).parent() == Some(here);
    let is_elsewhere = own().next().is_some() && !own().any(is_here);
    let elsewhere = if is_elsewhere { ", and not of the current directory" } else { "" };
    let day: String = started.chars().take(10).collect();
    format!("the last calibration, of {day}, is of {}{elsewhere}", listed(&places))
}

/// No figure that is good enough is an answer, and a failed check.
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

#[cfg(test)]
mod tests {
    use super::*;
    use rigel_core::facts::ScratchFacts;

    #[test]
    fn the_last_calibration_of_another_directory_says_so() {
        let target = |real_path: &str, own: bool| TargetFacts {
            path: "./rigel-scratch.dat".to_owned(),
            real_path: real_path.to_owned(),
            scratch: own.then_some(ScratchFacts { seed: 1, used_before: false, own: true, kept: false }),
            ..TargetFacts::default()
        };
        let told = |target: TargetFacts, here: &str| {
            of_what(&[target], "2026-01-02T03:04:05+00:00", Path::new(here))
        };
        let of_fast = || target("/mnt/fast/rigel-scratch.dat", true);
        assert_eq!(told(of_fast(), "/mnt/fast"), "the last calibration, of 2026-01-02, is of /mnt/fast");
        assert!(told(of_fast(), "/home").ends_with("is of /mnt/fast, and not of the current directory"));
        let device = TargetFacts { path: "/dev/sdb".to_owned(), ..target("/dev/sdb", false) };
        assert!(told(device, "/home").ends_with("is of /dev/sdb"), "named by its path");
    }
}
