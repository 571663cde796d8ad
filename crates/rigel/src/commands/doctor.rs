//! `rigel doctor`: the settings that bend a result or a database, and how to change them.
//!
//! Must not judge, and changes nothing.

use crate::args::DoctorArgs;
use crate::history;
use crate::streams::Streams;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::facts::TargetFacts;
use rigel_core::path_text::encode;
use rigel_core::uses::doctor::{Checked, System, examine};
use rigel_io::host::host_facts;
use rigel_io::survey::survey;
use rigel_io::targets::inspect::{Inspected, Snapshot, directory_facts, inspect};
use rigel_report::calibration::Document;
use rigel_report::doctor::{Counts, findings, json};
use std::path::{Path, PathBuf};

/// Examines the host, or what lies below targets, and prints the findings.
/// A finding of severity error is a problem.
pub fn doctor(options: &DoctorArgs, streams: &Streams) -> Result<(), Problem> {
    let all = if options.targets.is_empty() {
        let found = survey(Path::new("/"));
        print(&System::whole(&found.host, &found.devices, &found.mounts), &[], options, streams)?
    } else {
        let host = host_facts();
        let snapshot = Snapshot::take();
        let (directories, targets): (Vec<&PathBuf>, Vec<&PathBuf>) =
            options.targets.iter().partition(|path| path.is_dir());
        let look = |path: &PathBuf| inspect(path, &snapshot).map(Inspected::into_facts);
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
    Err(Problem::new(ExitKind::GateFailed, "there are errors among the settings")
        .because("data may be lost, or numbers would be about something else than the storage")
        .next("see the findings of severity error; with --all each says what changes it"))
}

fn print(
    system: &System<'_>,
    named: &[&TargetFacts],
    options: &DoctorArgs,
    streams: &Streams,
) -> Result<Vec<Checked>, Problem> {
    let all = examine(system);
    if options.json {
        streams.results(&json(&all)?)?;
    } else {
        let paths: Vec<String> = options.targets.iter().map(|path| encode(path)).collect();
        let text = findings(system, &all, &paths, options.all, streams.style());
        streams.results(format!("{text}{}", commits(&all, named)).as_bytes())?;
    }
    Ok(all)
}

/// What the history knows of commits on the targets, where a write cache was found. A history that cannot be read is no matter of
/// the doctor.
fn commits(all: &[Checked], targets: &[&TargetFacts]) -> String {
    let known: Vec<(String, Document)> = targets
        .iter()
        .filter_map(|target| Some((target.path.clone(), history::with_commits(target).ok()??)))
        .collect();
    rigel_report::doctor::commits(all, &known)
}
