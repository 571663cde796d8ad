//! Words and numbers that the outputs of a comparison share.
//!
//! Must not know a layout.

use super::Compared;
use crate::label;
use crate::numbers::{counted, percent, signed_percent};
use crate::view::View;
use rigel_core::path_text::printable;
use rigel_core::stats::Estimate;
use rigel_core::uses::compare::change::{Change, Doubt, RestsOn};
use rigel_core::uses::compare::gate::Outcome;
use rigel_core::uses::compare::{Effect, Row};

/// A verdict in a column.
pub(crate) const fn verdict(verdict: Effect) -> &'static str {
    match verdict {
        Effect::NoEvidence(Doubt::Invalid) => "invalid",
        Effect::NoEvidence(Doubt::NoData) => "no data",
        Effect::NoEvidence(Doubt::OneVisit) => "one visit",
        Effect::NoEvidence(Doubt::NoInterval) => "no interval",
        Effect::NoEvidence(Doubt::WithinNoise) | Effect::Better | Effect::Worse => verdict.name(),
    }
}

/// Why a row has no verdict, for people; `None` when the interval simply holds no change.
pub(crate) const fn doubt(doubt: Doubt) -> Option<&'static str> {
    match doubt {
        Doubt::WithinNoise => None,
        Doubt::Invalid => Some("a flag says that a number of one side must not be used"),
        Doubt::NoData => Some("nothing completed on one side"),
        Doubt::OneVisit => Some(
            "each side had one visit to the point, and what another visit would give is not known; give several runs of each side, \
             or measure with a precision",
        ),
        Doubt::NoInterval => Some("a number of one side has no interval"),
    }
}

/// The names of the runs of a side, `2 runs: a, b`; a run with a label is `old-san (a)`.
pub(crate) fn names(views: &[View<'_>]) -> String {
    let name = |view: &View<'_>| {
        let header = &view.record.header;
        let run = printable(&header.run_id);
        let label = header.request.label.as_ref();
        label.map_or_else(|| run.to_string(), |label| format!("{} ({run})", printable(label)))
    };
    let names: Vec<String> = views.iter().map(name).collect();
    format!("{}: {}", counted(views.len(), "run"), names.join(", "))
}

/// What both sides are called in a legend: `base: old-san`, or `base` alone where their runs do not tell them apart.
pub(crate) fn legend(compared: &Compared<'_>) -> [String; 2] {
    let all: Vec<&View<'_>> = compared.base.iter().chain(compared.new).collect();
    let names = label::names(&all);
    let (base, new) = names.split_at(compared.base.len());
    let same = |side: &[String]| side.first().filter(|first| side.iter().all(|one| one == *first)).cloned();
    match (same(base), same(new)) {
        (Some(base), Some(new)) if base != new => [format!("base: {base}"), format!("new: {new}")],
        _ => ["base".to_owned(), "new".to_owned()],
    }
}

/// `small=5 large=0`; nothing for a quantity of runs.
pub(crate) fn place(row: &Row) -> Option<String> {
    row.point.map(|point| format!("small={} large={}", point.small(), point.large()))
}

/// A change and both ends of its interval in per cent.
pub(crate) fn percents(change: &Change) -> [String; 3] {
    [change.relative, change.lo, change.hi].map(signed_percent)
}

/// The longer side of an interval in per cent; `None` without one.
pub(crate) fn width(side: &Estimate) -> Option<String> {
    side.hi95().filter(|_| side.value > 0.0).map(|hi| percent(hi / side.value - 1.0))
}

/// The value of a side; `None` when nothing completed.
pub(crate) fn some(side: &Estimate) -> Option<f64> {
    (side.value > 0.0).then_some(side.value)
}

/// What the comparison comes to, as sentences.
pub(crate) fn verdict_of_all(compared: &Compared<'_>) -> String {
    let found = compared.comparison;
    let worse = found.count(|verdict| verdict == Effect::Worse);
    let better = found.count(|verdict| verdict == Effect::Better);
    let open = found.count(|verdict| matches!(verdict, Effect::NoEvidence(_)));
    if worse + better + open == 0 {
        return "The runs have no point in common.".to_owned();
    }
    let first = match (worse, better) {
        (0, 0) => "No change is shown.".to_owned(),
        (_, 0) => "The new side is worse.".to_owned(),
        (0, _) => "The new side is better.".to_owned(),
        _ => "The new side is worse at some points and better at others.".to_owned(),
    };
    format!(
        "{first} Of {} numbers of the points {worse} are worse, {better} better, {open} without evidence.",
        worse + better + open
    )
}

/// What the gates come to, as a sentence; nothing without gates.
pub(crate) fn verdict_of_gates(compared: &Compared<'_>) -> Option<String> {
    let count = |outcome| compared.gates.iter().filter(|gate| gate.outcome == outcome).count();
    (!compared.gates.is_empty()).then(|| {
        format!(
            "{}: {} passed, {} failed, {} undecided.",
            counted(compared.gates.len(), "gate"),
            count(Outcome::Passed),
            count(Outcome::Failed),
            count(Outcome::Undecided)
        )
    })
}

/// What the intervals hold, and what a change may be due to.
pub(crate) fn meaning(compared: &Compared<'_>) -> &'static str {
    let of_runs = |row: &Row| row.change.is_ok_and(|change| change.rests_on == RestsOn::Runs);
    if compared.comparison.rows.iter().any(of_runs) {
        "A change is the geometric mean of the new runs over that of the base. Its interval holds how much the runs of a side \
         differ, and all intervals of a quantity hold together in 95 of 100 comparisons; a row is worse or better when its interval \
         holds no zero."
    } else {
        "All intervals of a quantity hold together in 95 of 100 comparisons; a row is worse or better when its interval holds no \
         zero. With one run of each side, whatever differed between the two runs (other load, another fill level, another day) \
         counts as a change: give several runs of each side to tell it from the storage."
    }
}
