//! `--dry-run`: what a run would do, as far as it is known without doing it.
//!
//! Must not read what is on a target, and must not write.

use super::present::Reporter;
use super::{consent, load, memory, room_for_outputs, scratch, unwritten};
use crate::args::{Front, RunOptions, TargetSource};
use crate::output::{self, RECORD_SUFFIX};
use crate::tui;
use rigel_cluster::meet::TargetNotice;
use rigel_core::error::Problem;
use rigel_core::facts::{HostFacts, TargetFacts, TargetKind};
use rigel_core::guard::safety::Evidence;
use rigel_core::load::plan::Plan;
use rigel_core::load::request::Request;
use rigel_core::load::sides::{Side, Sides};
use rigel_core::path_text;
use rigel_io::targets::inspect::{Snapshot, inspect};
use rigel_report::text::{self, Intent};
use rigel_report::{OrionVersion, RUN_OUTPUTS, orion};
use rigel_run::bench::make;

/// What this host can say about its targets. A simulated target has nothing to lose.
pub fn foretell(options: &RunOptions, looked: &[TargetFacts]) -> Result<TargetNotice, Problem> {
    if options.request.engine.is_simulated() {
        return Ok(TargetNotice::default());
    }
    Ok(TargetNotice { consent: consent::forecast(options, looked)?, notes: notes(options, looked)? })
}

/// Prints the plan. `looked`: the targets of the run, some of which other hosts may have; `foretold`: what the hosts with these targets say.
pub fn show(
    reporter: Reporter<'_>,
    (host, plan): (&HostFacts, &Plan),
    looked: &[TargetFacts],
    foretold: TargetNotice,
) -> Result<(), Problem> {
    let options = reporter.options;
    let request = &options.request;
    if options.as_load {
        return load::show(reporter, plan);
    }
    let TargetNotice { consent, notes } = foretold;
    let intent = if request.engine.is_simulated() {
        None
    } else {
        Some(Intent {
            scratch: looked.first().and_then(|target| scratch::intent(options, target.size_bytes)),
            consent,
            engine: engine(request, plan, host),
            notes,
            outputs: vec![outputs(options, request)],
        })
    };
    reporter.streams.results(text::plan(request, plan, looked, intent.as_ref()).as_bytes())
}

/// What the run would refuse before its load, with the same problem, as far as it can be known without reading targets or writing.
pub fn refusal(reporter: Reporter<'_>, plan: &Plan, looked: &[TargetFacts]) -> Result<(), Problem> {
    let options = reporter.options;
    if options.as_load {
        return Ok(());
    }
    outputs_refusal(reporter, plan)?;
    scratch::foresee_all(options, looked.first().map_or(0, |target| target.size_bytes))?;
    consent::foresee(options, looked)?;
    memory::check_answered_by_storage(&options.request, looked)?;
    make::foresee(&options.request, plan, looked)
}

/// The same for the outputs alone.
pub fn outputs_refusal(reporter: Reporter<'_>, plan: &Plan) -> Result<(), Problem> {
    let options = reporter.options;
    if options.display.tui {
        tui::check(reporter.streams)?;
    }
    output::look_at_directory(&options.out_dir, room_for_outputs(plan))
}

/// The engine that the run would use, for each side if they differ.
fn engine(request: &Request, plan: &Plan, host: &HostFacts) -> Option<String> {
    let engine = |side| make::engine(request, Some(side), plan, host);
    let differ = |sides: Sides| request.engine != sides.engine;
    match request.sides {
        Some(sides) if differ(sides) => {
            let named = |side: Side| Some(format!("{}: {}", side.name(), engine(side)?));
            Some(Side::BOTH.into_iter().filter_map(named).collect::<Vec<_>>().join("; "))
        }
        Some(_) => engine(Side::A).map(|engine| format!("{engine}, on both sides")),
        None => make::engine(request, None, plan, host),
    }
}

/// The files that the run would write. Date and time in their names are those of its start.
pub fn outputs(options: &RunOptions, request: &Request) -> String {
    let (display, name) = (options.display, &options.request.name);
    let directory = path_text::encode(&options.out_dir);
    let is_written = |suffix: &&str| match *suffix {
        "_report.html" => !display.no_html,
        // A calibration leaves none of ORION's files.
        _ if matches!(options.front, Front::Calibrate | Front::Slo | Front::Soak) => false,
        _ if !orion::has_content(&options.request, suffix) => false,
        "_hist.txt" => display.orion_version == OrionVersion::V11_2,
        "_hist.csv" => display.orion_version == OrionVersion::V19,
        _ => true,
    };
    let others: Vec<&str> = match (request.sides, request.is_beside_raw()) {
        (Some(_), _) if display.no_html => Vec::new(),
        (Some(_), true) => vec!["_sql.html"],
        (Some(_), false) => vec!["_versus.html"],
        (None, _) => {
            let of_soak = matches!(options.front, Front::Soak).then_some("_metrics.prom");
            RUN_OUTPUTS.into_iter().filter(is_written).chain(of_soak).collect()
        }
    };
    let beside = if others.is_empty() { String::new() } else { format!(", and {}", others.join(", ")) };
    let time = if options.dates_its_files() { "_DATE_TIME" } else { "" };
    format!("in the directory {directory}: {name}{time}{RECORD_SUFFIX}{beside}")
}

/// What to know about the targets before they are loaded. For a scratch file there is nothing.
fn notes(options: &RunOptions, looked: &[TargetFacts]) -> Result<Vec<String>, Problem> {
    if matches!(options.targets, TargetSource::Scratch { .. }) {
        return Ok(Vec::new());
    }
    let only_reads = !options.request.writes_at_all();
    let snapshot = Snapshot::take();
    let mut all = Vec::new();
    let looked = TargetFacts::each_once(looked).into_iter();
    for target in looked.filter(|target| target.kind != TargetKind::Simulated) {
        all.extend(unwritten::told(target));
        if only_reads {
            let users = inspect(&path_text::decode(&target.path), &snapshot)?.users(&snapshot);
            all.extend(slowed(&target.path, &users));
        }
    }
    Ok(all)
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
            "{path} is in use ({}): reading is safe, but loads it to its limit, so its users will be slow meanwhile",
            found.join("; ")
        )
    })
}
