//! `rigel doctor`: the settings that distort a result or harm a database, and how to change them.
//!
//! Must not judge, and changes nothing.

use crate::args::DoctorArgs;
use crate::history;
use crate::streams::Streams;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::facts::TargetFacts;
use rigel_core::path_text::encode;
use rigel_io::host::host_facts;
use rigel_io::survey::survey;
use rigel_io::targets::inspect::{InspectedTarget, Snapshot, directory_facts, inspect};
use rigel_report::calibration::Document;
use rigel_report::doctor::{Counts, DoctorReport, json};
use rigel_report::document::Document as _;
use rigel_uses::doctor::{RuleResult, System, examine};
use std::path::{Path, PathBuf};

/// Examines the host, or the devices below targets, and prints the findings. A finding of severity error is a problem.
pub fn doctor(options: &DoctorArgs, streams: &Streams) -> Result<(), Problem> {
    let all = if options.targets.is_empty() {
        let found = survey(Path::new("/"));
        print(&System::whole(&found.host, &found.devices, &found.mounts), &[], options, streams)?
    } else {
        let host = host_facts();
        let snapshot = Snapshot::take();
        let (directories, targets): (Vec<&PathBuf>, Vec<&PathBuf>) =
            options.targets.iter().partition(|path| path.is_dir());
        let look = |path: &PathBuf| inspect(path, &snapshot).map(InspectedTarget::into_facts);
        let targets: Vec<TargetFacts> = targets.into_iter().map(look).collect::<Result<_, _>>()?;
        // What a directory lies on is examined; it is no target itself.
        let look = |path: &PathBuf| directory_facts(path, &snapshot);
        let below: Vec<TargetFacts> = directories.into_iter().map(look).collect::<Result<_, _>>()?;
        let devices = below.iter().flat_map(|dir| dir.device.iter().chain(&dir.below));
        let mounts = below.iter().filter_map(|dir| dir.mount.as_ref());
        let named: Vec<&TargetFacts> = targets.iter().chain(&below).collect();
        print(&System::below(&host, &targets).with(devices, mounts), &named, options, streams)?
    };
    if Counts::of(&all).errors == 0 {
        return Ok(());
    }
    Err(Problem::new(ExitKind::GateFailed, "some settings are errors")
        .because("data may be lost, or numbers would not describe the storage")
        .next("see the findings of severity error; --all shows the fix for each"))
}

fn print(
    system: &System<'_>,
    named: &[&TargetFacts],
    options: &DoctorArgs,
    streams: &Streams,
) -> Result<Vec<RuleResult>, Problem> {
    let all = examine(system);
    if options.json {
        streams.results(&json(&all)?)?;
    } else {
        let paths: Vec<String> = options.targets.iter().map(|path| encode(path)).collect();
        let known = |target: &&TargetFacts| Some((target.path.clone(), history::with_commits(target).ok()??));
        // A history that cannot be read is no matter of the doctor.
        let known: Vec<(String, Document)> = named.iter().filter_map(known).collect();
        let report =
            DoctorReport { system, all: &all, named: &paths, known: &known, everything: options.all };
        streams.results(report.text(streams.style()).as_bytes())?;
    }
    Ok(all)
}
