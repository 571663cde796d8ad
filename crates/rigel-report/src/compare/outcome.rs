//! What a comparison comes to, in sentences: in what the new side is better or worse, and where nothing is known.
//!
//! Must not judge a row.

use super::Compared;
use super::words::{named, open as open_change};
use crate::numbers::{counted, plain_percent};
use crate::words::listed;
use rigel_core::load::class::Class;
use rigel_core::load::matrix::Point;
use rigel_core::uses::compare::change::{Doubt, RestsOn};
use rigel_core::uses::compare::{Comparison, Effect, MARGIN, Metric, Row};

/// More load levels are counted.
const MOST_LEVELS: usize = 3;

const ONE_RUN: &str = "One run of each side: a difference may be that of two days, not of the storage. Measure both sides several \
                       times, in turns (old, new, old, new), and give all runs of each side.";

const ONE_SESSION: &str = "One run of each side: how much the calibrations of these targets in the history differ from one another \
                           is in the ranges of rates and of the mean latency of small I/O. Those of other numbers hold the noise \
                           of the two runs alone.";

/// All of it, a sentence or more each.
pub(super) fn sentences(compared: &Compared<'_>) -> Vec<String> {
    let found = compared.comparison;
    if found.shown().next().is_none() {
        return vec!["The runs have no load level in common.".to_owned()];
    }
    let mut all = vec![changes(found), counts(found)];
    if (compared.base.len(), compared.new.len()) == (1, 1) {
        let of_sessions = |row: &Row| row.change.is_ok_and(|change| change.rests_on == RestsOn::Sessions);
        let judged = if found.rows.iter().any(of_sessions) { ONE_SESSION } else { ONE_RUN };
        all.push(judged.to_owned());
    }
    all
}

/// `The new side is better in rate and mean latency of small I/O at 1 outstanding. Undecided, by up to 18.4 %: ..`
fn changes(found: &Comparison) -> String {
    let [worse, better, alike, open, unjudged] =
        [Kind::Worse, Kind::Better, Kind::Alike, Kind::Open, Kind::Unjudged].map(|kind| told(found, kind));
    let mut text = match (worse.is_empty(), better.is_empty()) {
        (true, true) => "Neither side is shown to be better.".to_owned(),
        (false, true) => format!("The new side is worse in {worse}."),
        (true, false) => format!("The new side is better in {better}."),
        (false, false) => format!("The new side is worse in {worse}; it is better in {better}."),
    };
    if !alike.is_empty() {
        text += &format!(" No difference (within ±{} %): {alike}.", plain_percent(MARGIN));
    }
    if let Some(most) = most_open(found) {
        text += &format!(" Undecided, as a change of up to {most} is possible: {open}.");
    }
    if !unjudged.is_empty() {
        text += &format!(" Not judged: {unjudged}.");
    }
    text
}

/// The largest change that could still be there in some number that is undecided.
fn most_open(found: &Comparison) -> Option<String> {
    let open = found.shown().filter(|row| Kind::of(row) == Kind::Open);
    let changes = open.filter_map(|row| row.change.ok());
    changes.max_by(|a, b| a.most().total_cmp(&b.most())).map(|change| open_change(&change))
}

/// `8 numbers: 2 better, 0 worse, 1 alike, 3 undecided, 2 not judged.`
fn counts(found: &Comparison) -> String {
    let count = |kind| found.shown().filter(|row| Kind::of(row) == kind).count();
    format!(
        "{}: {} better, {} worse, {} alike, {} undecided, {} not judged.",
        counted(found.shown().count(), "number"),
        count(Kind::Better),
        count(Kind::Worse),
        count(Kind::Alike),
        count(Kind::Open),
        count(Kind::Unjudged)
    )
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

/// The rows of a kind: the quantities of the runs, then those of points, together where they are of the same levels.
fn told(found: &Comparison, kind: Kind) -> String {
    let is = |row: &&Row| Kind::of(row) == kind;
    let of_runs = found.shown().filter(is).filter(|row| row.point.is_none());
    let mut parts: Vec<String> = of_runs.map(|row| highest(found, row.metric).to_owned()).collect();
    for class in [Class::SMALL, Class::LARGE] {
        let mut groups: Vec<(String, Vec<String>)> = Vec::new();
        for metric in Metric::ALL.into_iter().filter(|metric| metric.class() == class) {
            let all: Vec<&Row> =
                found.shown().filter(|row| row.metric == metric && row.point.is_some()).collect();
            let some: Vec<Point> = all.iter().copied().filter(is).filter_map(|row| row.point).collect();
            if some.is_empty() {
                continue;
            }
            let at = levels(class, &some, all.len());
            match groups.iter_mut().find(|group| group.0 == at) {
                Some(group) => group.1.extend(nouns(metric)),
                None => groups.push((at, nouns(metric))),
            }
        }
        parts.extend(groups.iter().map(|(at, nouns)| format!("{} of {class} I/O {at}", listed(nouns))));
    }
    parts.join("; ")
}

/// A quantity of the runs. The bound that never binds needs no word.
fn highest(found: &Comparison, metric: Metric) -> &'static str {
    let merged =
        || found.rows.iter().filter_map(|row| found.repeated_by(row)).any(|row| row.metric == metric);
    match metric {
        Metric::MaxIops if !merged() => "highest rate of small I/O within the bound",
        Metric::MaxLargeMbps => "highest rate of large I/O",
        Metric::MinSmallLatency => "lowest latency of small I/O",
        Metric::CommitLatency => "latency of a commit (dsync)",
        Metric::CommitFdatasync => "latency of a commit (fdatasync)",
        Metric::MaxCommits => "most commits per second",
        _ => "highest rate of small I/O",
    }
}

/// In a closed loop the mean latency changes as the rate does.
fn nouns(metric: Metric) -> Vec<String> {
    let nouns: &[&str] = match metric {
        Metric::SmallP99 | Metric::LargeP99 => &["p99"],
        _ => &["rate", "mean latency"],
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
        return format!("at {} outstanding", listed(&levels));
    }
    format!("at {}", named(some))
}
