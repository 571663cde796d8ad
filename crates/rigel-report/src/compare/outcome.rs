//! The result of a comparison, in sentences: in what the new side is better or worse, and where nothing is known.
//!
//! Must not judge a row.

use super::rows::quantities;
use super::words::{named, open as open_change};
use super::{ComparisonView, points};
use crate::words::listed;
use rigel_core::judge::answers::{Answer, MAX_IOPS, UNBOUNDED_IOPS};
use rigel_core::judge::quantity::{Quantity, Scope, What};
use rigel_core::load::class::Class;
use rigel_core::load::matrix::Point;
use rigel_core::path_text::printable;
use rigel_core::units::say::{counted, plain_percent};
use rigel_uses::compare::change::{Doubt, RestsOn};
use rigel_uses::compare::{Comparison, Effect, MARGIN, Row, SoakTotals};

/// More load levels are counted.
const MOST_LEVELS: usize = 3;

const ONE_RUN: &str = "Each side has one run, so the difference may be day-to-day variation. Measure old, \
    new, old, new, and give all \
                       runs of each side.";

const ONE_SESSION: &str = "Each side has one run. The ranges of the rates and of the mean latency of small I/O include how much earlier \
                           calibrations of these targets differed. The other ranges cover only the noise within these two runs.";

/// The result, then its quantities: a sentence each.
pub(super) fn sentences(compared: &ComparisonView<'_>) -> Vec<String> {
    let found = compared.comparison;
    if found.shown().next().is_none() {
        return vec!["Nothing to compare: the runs have no load level in common.".to_owned()];
    }
    let open = most_open(found).map_or_else(String::new, |most| format!(" (up to {most} possible)"));
    let within = format!("Same (within ±{} %)", plain_percent(MARGIN));
    let kinds = [
        ("Worse".to_owned(), Kind::Worse),
        ("Better".to_owned(), Kind::Better),
        (within, Kind::Alike),
        (format!("Undecided{open}"), Kind::Open),
        ("Not judged".to_owned(), Kind::Unjudged),
    ];
    let named = |(name, kind): (String, Kind)| {
        let rows = rows_in_words(found, kind);
        (!rows.is_empty()).then(|| format!("{name}: {rows}."))
    };
    // Levels that no row judges alone may say it together.
    let together = found.over_points();
    let has_direction = together.iter().any(|one| one.effect.is_direction());
    let answer = if has_direction && is_open(found) { None } else { Some(answer(found)) };
    let answer = answer.into_iter().chain(endured(found));
    together.iter().map(points::sentence).chain(answer).chain(kinds.into_iter().filter_map(named)).collect()
}

/// Whether no number is decided.
fn is_open(found: &Comparison) -> bool {
    found.shown().all(|row| matches!(Kind::of(row), Kind::Open | Kind::Unjudged))
}

/// That I/Os failed or blocks were wrong in a soak, which is counted and not judged.
fn endured(found: &Comparison) -> Option<String> {
    let [base, new] = found.endured?;
    let counts = |side: SoakTotals| {
        let told = [(side.errors, "failed I/O"), (side.wrong_blocks, "wrong block")];
        let told = told.into_iter().filter(|one| one.0 > 0);
        let told: Vec<String> = told.map(|(count, what)| counted(count, what)).collect();
        if told.is_empty() { "none".to_owned() } else { listed(&told) }
    };
    let is_sound = |side: SoakTotals| side.errors == 0 && side.wrong_blocks == 0;
    (!is_sound(base) || !is_sound(new))
        .then(|| format!("Faults of the soaks: base {}, new side {}.", counts(base), counts(new)))
}

/// That the sides share a run.
pub fn same_run(found: &Comparison) -> Option<String> {
    let names: Vec<String> = found.on_both.iter().map(|name| printable(name).into_owned()).collect();
    (!names.is_empty()).then(|| {
        let runs = if names.len() == 1 { "the same run" } else { "the same runs" };
        format!(
            "Do not use this comparison: both sides have {runs}, {}, which cannot differ from itself.",
            listed(&names)
        )
    })
}

/// That two runs may differ as two days do.
pub(super) fn days(compared: &ComparisonView<'_>) -> Option<String> {
    let of_sessions = |row: &Row| row.change.is_ok_and(|change| change.rests_on == RestsOn::Sessions);
    let is_pair = (compared.base.len(), compared.new.len()) == (1, 1);
    let is_told = is_pair && compared.comparison.shown().next().is_some();
    let told = if compared.comparison.rows.iter().any(of_sessions) { ONE_SESSION } else { ONE_RUN };
    is_told.then(|| told.to_owned())
}

/// `The new side is worse in 2 of 8 numbers, better in 1.`
fn answer(found: &Comparison) -> String {
    let count = |kind| found.shown().filter(|row| Kind::of(row) == kind).count();
    let all = counted(found.shown().count(), "number");
    match (count(Kind::Worse), count(Kind::Better), count(Kind::Alike)) {
        (0, 0, 0) => format!("Undecided: none of {all} shows whether a side is better."),
        (0, 0, same) if count(Kind::Open) + count(Kind::Unjudged) == 0 => {
            format!("No difference: {same} of {all} are the same within ±{} %.", plain_percent(MARGIN))
        }
        (0, 0, same) => {
            format!("No difference found: {same} of {all} are the same, the others are undecided.")
        }
        (worse, 0, _) => format!("The new side is worse in {worse} of {all}."),
        (0, better, _) => format!("The new side is better in {better} of {all}."),
        (worse, better, _) => format!("The new side is worse in {worse} of {all}, and better in {better}."),
    }
}

/// The largest change that an undecided number still allows.
fn most_open(found: &Comparison) -> Option<String> {
    let open = found.shown().filter(|row| Kind::of(row) == Kind::Open);
    let changes = open.filter_map(|row| row.change.ok());
    changes.max_by(|a, b| a.most().total_cmp(&b.most())).map(|change| open_change(&change))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Worse,
    Better,
    Alike,
    Open,
    Unjudged,
}

impl Kind {
    const fn of(row: &Row) -> Self {
        match row.verdict {
            Effect::Worse => Self::Worse,
            Effect::Better => Self::Better,
            Effect::Alike => Self::Alike,
            Effect::Undecided(Doubt::Wide) => Self::Open,
            Effect::Undecided(_) => Self::Unjudged,
        }
    }
}

/// The rows of a kind: the quantities of the runs, then those of points, grouped by level.
fn rows_in_words(found: &Comparison, kind: Kind) -> String {
    let is = |row: &&Row| Kind::of(row) == kind;
    let of_runs = found.shown().filter(is).filter(|row| row.point.is_none());
    let mut parts: Vec<String> = of_runs.map(|row| of_the_run(found, row.quantity)).collect();
    let mut classes: Vec<Class> = found.rows.iter().map(|row| row.quantity.class).collect();
    classes.sort();
    classes.dedup();
    for class in classes {
        let mut groups: Vec<(String, Vec<String>)> = Vec::new();
        for quantity in quantities(found).into_iter().filter(|one| one.class == class) {
            let all: Vec<&Row> =
                found.shown().filter(|row| row.quantity == quantity && row.point.is_some()).collect();
            let some: Vec<Point> = all.iter().copied().filter(is).filter_map(|row| row.point).collect();
            if some.is_empty() {
                continue;
            }
            let (at, nouns) = (levels(class, &some, all.len()), nouns(found, quantity));
            match groups.iter_mut().find(|group| group.0 == at) {
                Some(group) => group.1.extend(nouns),
                None => groups.push((at, nouns)),
            }
        }
        let io = io_of(class);
        parts.extend(groups.iter().map(|(at, nouns)| format!("{} of {io} {at}", listed(nouns))));
    }
    parts.join("; ")
}

/// `small I/O`; the name of another class.
pub(crate) fn io_of(class: Class) -> String {
    if class.is_of_pair() { format!("{class} I/O") } else { class.to_string() }
}

/// `B over A in the rate of small I/O`.
pub(super) fn ratio_of_sides(quantity: Quantity) -> String {
    let of = if quantity.what.is_rate() { "rate" } else { "mean latency" };
    format!("B over A in the {of} of {}", io_of(quantity.class))
}

/// A quantity of the runs. The bound that never binds needs no word.
fn of_the_run(found: &Comparison, quantity: Quantity) -> String {
    let merged =
        || found.rows.iter().filter_map(|row| found.repeated_by(row)).any(|row| row.quantity == quantity);
    let told = if quantity == MAX_IOPS && merged() { UNBOUNDED_IOPS } else { quantity };
    let io = io_of(quantity.class);
    match Answer::of(told) {
        Some(answer) => answer.noun.to_owned(),
        None if quantity.of == Scope::Ratio => ratio_of_sides(quantity),
        None if quantity.of == Scope::WithinBound => format!("rate of {io} within the limits"),
        None if quantity.what.is_rate() => format!("highest rate of {io}"),
        None => format!("lowest latency of {io}"),
    }
}

/// In a closed loop the mean latency changes with the rate.
fn nouns(found: &Comparison, quantity: Quantity) -> Vec<String> {
    let mean = Quantity { what: What::Mean, ..quantity };
    let follows = found.rows.iter().any(|row| row.quantity == mean && row.follows);
    let nouns: &[&str] = match quantity.what {
        what if what.is_percentile() => &["p99"],
        What::Mean => &["mean latency"],
        _ if follows => &["rate", "mean latency"],
        _ => &["rate"],
    };
    nouns.iter().map(|noun| (*noun).to_owned()).collect()
}

/// `at 1 and 2 outstanding`, `at 5 of 20 load levels`, `at every load level`.
fn levels(class: Class, some: &[Point], all: usize) -> String {
    if some.len() > MOST_LEVELS {
        return match some.len() {
            most if most == all => "at every load level".to_owned(),
            some => format!("at {some} of {all} load levels"),
        };
    }
    if some.iter().all(|point| point.is_alone(class)) {
        let levels: Vec<String> = some.iter().map(|point| point.of(class).to_string()).collect();
        return match (class.is_of_pair(), levels.as_slice()) {
            (true, _) => format!("at {} outstanding", listed(&levels)),
            (false, [one]) => format!("at load level {one}"),
            (false, many) => format!("at load levels {}", listed(many)),
        };
    }
    format!("at {}", named(some))
}
