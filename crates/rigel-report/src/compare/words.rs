//! Words and numbers that the outputs of a comparison share.
//!
//! Must not know a layout.

use super::{ComparisonView, seen};
use crate::label;
use crate::view::View;
use crate::words::listed;
use rigel_core::judge::quantity::{Quantity, Unit};
use rigel_core::load::class::Class;
use rigel_core::load::matrix::Point;
use rigel_core::path_text::printable;
use rigel_core::stats::Estimate;
use rigel_core::units::say::{counted, number, percent, plain_percent, signed_percent, time};
use rigel_uses::compare::change::{Change, Doubt, RestsOn};
use rigel_uses::compare::{Effect, MARGIN, Row};

/// A verdict in a column.
pub(crate) const fn verdict(verdict: Effect) -> &'static str {
    match verdict {
        Effect::Undecided(Doubt::Invalid) => "invalid",
        Effect::Undecided(Doubt::NoData) => "no data",
        Effect::Undecided(Doubt::OneVisit) => "one visit",
        Effect::Undecided(Doubt::FewVisits) => "few visits",
        Effect::Undecided(Doubt::FewRounds) => "few rounds",
        Effect::Undecided(Doubt::FewRuns) => "few runs",
        Effect::Undecided(Doubt::NoInterval) => "no interval",
        Effect::Undecided(Doubt::UnequalLevels) => "other loads",
        Effect::Undecided(Doubt::Wide) | Effect::Better | Effect::Worse | Effect::Alike => verdict.name(),
    }
}

/// Reasons for missing verdicts that need an explanation.
pub(crate) const DOUBTS: [Doubt; 8] = [
    Doubt::Invalid,
    Doubt::NoData,
    Doubt::OneVisit,
    Doubt::FewVisits,
    Doubt::FewRounds,
    Doubt::FewRuns,
    Doubt::NoInterval,
    Doubt::UnequalLevels,
];

/// Why a row has no verdict, for people; `None` if the interval simply includes no change and more.
pub(crate) const fn doubt(doubt: Doubt) -> Option<&'static str> {
    match doubt {
        Doubt::Wide => None,
        Doubt::Invalid => Some("a flag says that a number of one side must not be used"),
        Doubt::NoData => Some("nothing completed on one side"),
        Doubt::OneVisit => Some(
            "each side visited the point once, so it is unknown what another visit would give; give several \
             runs of each side, or measure with --precision",
        ),
        Doubt::FewVisits => Some(
            "a side had fewer than four visits to the point, too few to show how much visits differ; \
             measure longer, or give three \
             runs of each side",
        ),
        Doubt::FewRounds => Some(
            "fewer than four rounds visited both sides, too few to show how much their ratios differ; give \
             the run more time",
        ),
        Doubt::FewRuns => {
            Some("a side has too few runs to show how much runs differ; give three runs of each side")
        }
        Doubt::NoInterval => Some("a number of one side has no interval"),
        Doubt::UnequalLevels => Some("a run was best at a load level that another run was not given"),
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

/// The names of both sides in a legend: `base: old-san`, or `base` alone if their runs do not distinguish them.
pub(crate) fn legend(compared: &ComparisonView<'_>) -> [String; 2] {
    match sides(compared) {
        Some([base, new]) => [format!("base: {base}"), format!("new: {new}")],
        None => ["base".to_owned(), "new".to_owned()],
    }
}

/// The question that a comparison answers.
pub(crate) fn question(compared: &ComparisonView<'_>) -> String {
    match sides(compared) {
        Some([base, new]) => format!("What changed from {base} to {new}?"),
        None => "What changed?".to_owned(),
    }
}

/// The names of both sides, if their runs distinguish them.
fn sides(compared: &ComparisonView<'_>) -> Option<[String; 2]> {
    let all: Vec<&View<'_>> = compared.base.iter().chain(compared.new).collect();
    let names = label::names(&all);
    let (base, new) = names.split_at(compared.base.len());
    let same = |side: &[String]| side.first().filter(|first| side.iter().all(|one| one == *first)).cloned();
    let (base, new) = same(base).zip(same(new))?;
    (base != new).then_some([base, new])
}

/// `small=5 large=0`; `None` for a quantity of runs.
pub(crate) fn place(row: &Row) -> Option<String> {
    row.point.map(|point| {
        let levels = point.shown().map(|(class, level)| format!("{class}={level}"));
        levels.collect::<Vec<_>>().join(" ")
    })
}

/// A change and both ends of its interval in per cent.
pub(crate) fn percents(change: &Change) -> [String; 3] {
    [change.relative, change.lo, change.hi].map(signed_percent)
}

/// The largest change that an interval leaves open, `18.4 %`.
pub(crate) fn open(change: &Change) -> String {
    format!("{} %", plain_percent(change.most()))
}

/// The longer side of an interval in per cent; `None` without one.
pub(crate) fn width(side: &Estimate) -> Option<String> {
    side.hi95().filter(|_| side.value > 0.0).map(|hi| percent(hi / side.value - 1.0))
}

/// A value in the unit of its quantity.
pub(crate) fn value(quantity: Quantity, value: f64) -> String {
    match quantity.unit() {
        Unit::Us => time(value),
        unit => format!("{} {}", number(value), unit.name()),
    }
}

/// The value of a side; `None` if nothing completed.
pub(crate) fn some(side: &Estimate) -> Option<f64> {
    (side.value > 0.0).then_some(side.value)
}

/// What the intervals mean, and what may cause a change.
pub(crate) fn meaning(compared: &ComparisonView<'_>) -> String {
    let of_runs = |row: &Row| row.change.is_ok_and(|change| change.rests_on == RestsOn::Runs);
    let runs = if compared.comparison.rows.iter().any(of_runs) {
        " A change is the geometric mean of the new runs over that of the base; its range includes how much \
         the runs of a side differ."
    } else {
        ""
    };
    let brackets = if seen::has_brackets(compared.comparison) { seen::BRACKETS } else { "" };
    format!(
        "From .. to is the range in which the true change lies: better or worse if 0 is outside it, alike \
         if all of it is within \
         ±{} %, else undecided. In 95 of 100 comparisons, all ranges under one heading are \
         right.{runs}{brackets}",
        plain_percent(MARGIN)
    )
}

/// Load levels in words: `small 1; large 1 and 2`, or `small 4 large 2` if classes run together.
pub(crate) fn named(points: &[Point]) -> String {
    let alone = |class: Class| {
        let levels = points.iter().filter(|point| point.is_alone(class));
        levels.map(|point| point.of(class).to_string()).collect::<Vec<_>>()
    };
    let [small, large] = [Class::SMALL, Class::LARGE].map(|class| (class, alone(class)));
    if small.1.len() + large.1.len() < points.len() {
        return listed(&points.iter().map(|point| point.words()).collect::<Vec<_>>());
    }
    let of_class = |(class, levels): (Class, Vec<String>)| {
        (!levels.is_empty()).then(|| format!("{class} {}", listed(&levels)))
    };
    [small, large].into_iter().filter_map(of_class).collect::<Vec<_>>().join("; ")
}
