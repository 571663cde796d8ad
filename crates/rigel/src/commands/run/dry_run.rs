//! `--dry-run`: what a run would do, as far as it can be known without doing it.
//!
//! Must not read what is on a target, and must not write.

use super::{consent, load, measure, targets};
use crate::args::{Front, RunOptions, TargetSource};
use crate::commands;
use crate::output::RECORD_SUFFIX;
use rigel_core::error::Problem;
use rigel_core::facts::{TargetFacts, TargetKind};
use rigel_core::guard::safety::Evidence;
use rigel_core::load::plan::Plan;
use rigel_core::path_text;
use rigel_core::units::Bytes;
use rigel_io::targets::inspect::{Snapshot, inspect};
use rigel_report::text::{self, Intent};
use rigel_report::{OrionVersion, RUN_OUTPUTS};

pub fn show(options: &RunOptions, plan: &Plan, looked: &[TargetFacts]) -> Result<(), Problem> {
    let request = &options.request;
    if options.as_load {
        return load::show(request, plan);
    }
    // A simulated target has nothing to lose.
    let intent = if request.engine.is_simulated() {
        None
    } else {
        Some(Intent {
            scratch: looked.first().and_then(|target| targets::scratch_intent(options, target.size_bytes)),
            consent: consent::forecast(options, looked)?,
            engine: measure::engine(request, plan),
            notes: notes(options, looked)?,
            outputs: vec![outputs(options)],
        })
    };
    commands::to_stdout(text::plan(request, plan, looked, intent.as_ref()).as_bytes())
}

/// The files that the run would leave. Date and time of their names are those of its start.
fn outputs(options: &RunOptions) -> String {
    let (display, name) = (options.display, &options.request.name);
    let directory = path_text::encode(&options.out_dir);
    let is_written = |suffix: &&str| match *suffix {
        "_report.html" => !display.no_html,
        // A calibration leaves none of ORION's files.
        _ if options.front == Front::Calibrate => false,
        "_hist.txt" => display.orion_version == OrionVersion::V11_2,
        "_hist.csv" => display.orion_version == OrionVersion::V19,
        _ => true,
    };
    let others: Vec<&str> = RUN_OUTPUTS.into_iter().filter(is_written).collect();
    let beside = if others.is_empty() { String::new() } else { format!(", and {}", others.join(", ")) };
    format!("in the directory {directory}: {name}_DATE_TIME{RECORD_SUFFIX}{beside}")
}

/// What to know of the targets before they are loaded. Of a scratch file there is nothing to know.
fn notes(options: &RunOptions, looked: &[TargetFacts]) -> Result<Vec<String>, Problem> {
    if matches!(options.targets, TargetSource::Scratch { .. }) {
        return Ok(Vec::new());
    }
    let only_reads = !options.request.write_percent().writes();
    let snapshot = Snapshot::take();
    let mut all = Vec::new();
    for target in looked.iter().filter(|target| target.kind != TargetKind::Simulated) {
        all.extend(without_data(target));
        if only_reads {
            let users = inspect(&path_text::decode(&target.path), &snapshot)?.users(&snapshot);
            all.extend(slowed(&target.path, &users));
        }
    }
    Ok(all)
}

/// Parts of a file that the filesystem answers for.
fn without_data(target: &TargetFacts) -> Option<String> {
    let found = target.extents?;
    let path = &target.path;
    let never = found.unwritten_bytes.saturating_add(found.hole_bytes);
    if never == 0 {
        return None;
    }
    let answered = "reads of it are answered without the disk (flag ZEROS)";
    Some(if consent::holds_no_data(target) {
        format!("{path} holds no data: no block of it was ever written, and {answered}")
    } else {
        format!(
            "{} of {} of {path} were never written, and {answered}",
            Bytes(never),
            Bytes(found.looked_bytes())
        )
    })
}

/// A run that reads takes nothing from others but speed.
fn slowed(path: &str, users: &[Evidence]) -> Option<String> {
    let uses = |found: &&Evidence| {
        matches!(
            found,
            Evidence::Mounted { .. }
                | Evidence::Held { .. }
                | Evidence::Swap { .. }
                | Evidence::ExclusivelyOpen
                | Evidence::OpenElsewhere { .. }
        )
    };
    let found: Vec<String> = users.iter().filter(uses).map(ToString::to_string).collect();
    (!found.is_empty()).then(|| {
        format!(
            "{path} is in use ({}): reading loses nothing of it, but loads it to its limit, and what uses it will be slow meanwhile",
            found.join("; ")
        )
    })
}
