//! What a run is called where it stands beside others: its label, else what it measured.
//!
//! Must not judge, and must not use a time: nobody knows a run by its second.

use crate::view::View;
use rigel_core::facts::{TargetFacts, TargetKind};
use rigel_core::path_text::printable;
use std::collections::BTreeSet;

/// More targets are counted.
const MOST_TARGETS: usize = 3;

/// The title of a run's own page.
pub(crate) fn title(view: &View<'_>) -> String {
    let header = &view.record.header;
    printable(header.request.label.as_ref().unwrap_or(&header.run_id)).into_owned()
}

/// The path of a target from the root on; as it was named, when it was named so.
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
