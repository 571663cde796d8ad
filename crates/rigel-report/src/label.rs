//! What a run is called next to others: its label, else what it measured.
//!
//! Must not judge, and must not use a time: nobody identifies a run by its second.

use crate::view::View;
use crate::words::listed;
use rigel_core::facts::{TargetFacts, TargetKind};
use rigel_core::judge::answer::Answer;
use rigel_core::load::task::Task;
use rigel_core::path_text::printable;
use std::collections::BTreeSet;

/// More targets are counted.
const MOST_TARGETS: usize = 3;

/// The title of a run's own page.
pub(crate) fn title(view: &View<'_>) -> String {
    let header = &view.record.header;
    printable(header.request.label.as_ref().unwrap_or(&header.run_id)).into_owned()
}

/// The full path of a target; unchanged if it was named that way.
pub(crate) fn absolute(target: &TargetFacts) -> &str {
    let is_whole = target.path.starts_with('/') || target.kind == TargetKind::Simulated;
    if is_whole { &target.path } else { &target.real_path }
}

/// `/dev/sda, /dev/sdb, /dev/sdc and 2 more`.
pub(crate) fn targets(view: &View<'_>) -> String {
    let all = &view.record.header.targets;
    let shown: Vec<_> = all.iter().take(MOST_TARGETS).map(|target| printable(absolute(target))).collect();
    match all.len().saturating_sub(shown.len()) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// The title of a run's own page: the question and the storage, after the label if there is one.
pub(crate) fn question(view: &View<'_>) -> String {
    let request = &view.record.header.request;
    let storage = storage(&view.record.header.targets);
    let loads = view.main_loads();
    let question = match (&request.task, view.answer()) {
        (_, Answer::Rate(found)) => {
            let bounds: Vec<String> = found.bounds.iter().map(ToString::to_string).collect();
            let what =
                if found.scale.is_some() { "How many times the load" } else { "How many I/Os per second" };
            format!("{what} with {} on {storage}?", listed(&bounds))
        }
        (Task::Calibrate { .. }, _) => format!("What can {storage} do?"),
        (Task::Phases(_), _) => format!("How does {storage} serve the phases of the load?"),
        _ if !loads.is_empty() && loads.iter().all(|load| load.appends()) => {
            format!("How long does a commit take on {storage}?")
        }
        (_, Answer::WorkingSet(_)) => format!("What is the cache of {storage} worth?"),
        (_, Answer::Burst(_)) => format!("How long does the rate of {storage} last?"),
        (_, Answer::Scaling(_)) => format!("How does the rate grow with the targets on {storage}?"),
        _ if !loads.is_empty() && loads.iter().all(|load| load.places.is_some()) => {
            format!("Is {storage} equally fast everywhere?")
        }
        _ => {
            let mut units: Vec<String> =
                loads.iter().map(|load| printable(load.unit()).into_owned()).collect();
            units.dedup();
            match units.as_slice() {
                [] => format!("Measurement of {storage}"),
                units => format!("How many {} on {storage}?", listed(units)),
            }
        }
    };
    match &request.label {
        Some(label) => format!("{}: {question}", printable(label)),
        None => question,
    }
}

/// The line below the title: when, and by which version.
pub(crate) fn measured(view: &View<'_>) -> String {
    let header = &view.record.header;
    let parts = [&header.run_id, &targets(view), &header.started].map(|part| printable(part).into_owned());
    format!("{} · Rigel {}", parts.join(" · "), printable(&header.program_version))
}

/// The storage as people know it: `/u01 (Samsung SSD 990 PRO)`, `/dev/sdb (PM9A3)`, not the name of a scratch file.
pub(crate) fn storage(targets: &[TargetFacts]) -> String {
    let all: BTreeSet<String> = targets.iter().map(place).collect();
    let shown: Vec<&str> = all.iter().take(MOST_TARGETS).map(String::as_str).collect();
    match all.len().saturating_sub(shown.len()) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn place(target: &TargetFacts) -> String {
    if target.kind == TargetKind::Simulated {
        return "a simulated device".to_owned();
    }
    let of_file = target.mount_point.as_deref().filter(|_| !target.real_path.starts_with("/dev/"));
    let place = printable(of_file.unwrap_or_else(|| absolute(target)));
    let device = target.device.as_ref();
    let model = device.and_then(|device| device.model.as_deref().or(of_file.and(Some(device.name.as_str()))));
    match model.map(str::trim).filter(|model| !model.is_empty()) {
        Some(model) => format!("{place} ({})", printable(model)),
        None => place.into_owned(),
    }
}

/// A name for each of several runs. A run without a label is called by its targets, or by its own name where that tells the
/// runs apart and the targets do not.
pub(crate) fn names(views: &[&View<'_>]) -> Vec<String> {
    let is_nameless = |view: &&View<'_>| view.record.header.request.label.is_none();
    let nameless: Vec<&View<'_>> = views.iter().copied().filter(is_nameless).collect();
    let own = |view: &View<'_>| printable(&view.record.header.request.name).into_owned();
    let by_own = !distinct(nameless.iter().map(|view| targets(view)))
        && distinct(nameless.iter().map(|view| own(view)));
    let name = |view: &&View<'_>| match &view.record.header.request.label {
        Some(label) => printable(label).into_owned(),
        None if by_own => own(view),
        None => targets(view),
    };
    views.iter().map(name).collect()
}

fn distinct(names: impl ExactSizeIterator<Item = String>) -> bool {
    let all = names.len();
    names.collect::<BTreeSet<_>>().len() == all
}
