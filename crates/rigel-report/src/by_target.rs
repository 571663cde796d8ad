//! What each target did, in a run of several: a table for each class, and its part of the JSON document.
//!
//! Must not call one unusual; the flag `OUTLIER_TARGET` does, of five or more.

use crate::document::{Block, Column, Room, Table};
use crate::json_text::text;
use crate::label;
use crate::view::View;
use rigel_core::documents;
use rigel_core::judge::by_target::{ClassByTarget, TargetIo};
use rigel_core::judge::outliers::LEAST_TARGETS;
use rigel_core::load::class::{Class, Pattern, PerClass};
use rigel_core::load::matrix::Point;
use rigel_core::path_text::printable;
use rigel_core::stats::{Basis, Estimate, Interval};
use rigel_core::units::say::{number, percent, time};
use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;

/// Targets that a terminal shows; a page and JSON have all.
const MOST_SHOWN: usize = 16;

/// A class, target by target.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ByTargetDocument {
    /// The class.
    class: Class,
    /// The load level of each class at the point that has the highest rate of this class; the figures are of that point.
    #[serde(serialize_with = "documents::levels")]
    #[schemars(with = "PerClass<u32>")]
    levels: Point,
    /// The lowest rate of a target divided by the mean of all: 1 if all are equal.
    evenness: f64,
    /// The highest mean latency of a target divided by the median of all: 1 if all are equal.
    slowest_of_median: f64,
    /// Each target that received some of its I/O, in the order of the run.
    targets: Vec<TargetDocument>,
    /// With two to four targets under the same load, the one that is certainly slower than each of the others; null if there is none. With more, the
    /// flag `OUTLIER_TARGET` names the slow ones.
    slower: Option<SlowerDocument>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SlowerTarget")]
struct SlowerDocument {
    /// Its path.
    path: String,
    /// The path of the next slowest.
    next: String,
    /// Its mean latency divided by that of the other one, in the same visits.
    ratio: Estimate,
}

/// A target. Its counts include settling and draining.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "TargetOfClass")]
struct TargetDocument {
    /// Its path.
    path: String,
    #[serde(flatten)]
    io: TargetIo,
}

/// The documents of a run; empty for a single target.
pub(crate) fn documents(view: &View<'_>) -> Vec<ByTargetDocument> {
    let target = |io: TargetIo| TargetDocument { path: text(path(view, io.target)), io };
    let class = |found: ClassByTarget| ByTargetDocument {
        class: found.class(),
        levels: found.point,
        evenness: found.evenness(),
        slowest_of_median: found.slowest(),
        slower: found.slower.map(|one| SlowerDocument {
            path: text(path(view, one.target)),
            next: text(path(view, one.next)),
            ratio: Estimate::of(one.ratio, Basis::Visits),
        }),
        targets: found.targets.into_iter().map(target).collect(),
    };
    ClassByTarget::all(view.record, &view.findings).into_iter().map(class).collect()
}

/// The tables, the slowest target of each first.
pub(crate) fn blocks(view: &View<'_>, room: Room) -> Vec<Block> {
    let all = ClassByTarget::all(view.record, &view.findings);
    let section = |found: &ClassByTarget| {
        let load = &found.load;
        let title = format!("{} by target", if load.level_is_targets() { load.noun() } else { load.title() });
        Block::section(title, vec![table(view, found, room), Block::about(about(view, found))])
    };
    all.iter().map(section).collect()
}

fn table(view: &View<'_>, found: &ClassByTarget, room: Room) -> Block {
    let mut rows: Vec<&TargetIo> = found.targets.iter().collect();
    let mean_us = |one: &TargetIo| one.latency_mean_us.unwrap_or(f64::INFINITY);
    rows.sort_by(|one, other| mean_us(other).total_cmp(&mean_us(one)));
    rows.truncate(if room.is_wide() { rows.len() } else { MOST_SHOWN });
    let share = |share: Option<f64>| share.map(|share| format!("{} %", percent(share)));
    Table::of("target", &rows)
        .column(Column::left("Target"), |one| printable(path(view, one.target)).into_owned())
        .column(Column::right("IOPS"), |one| number(one.iops))
        .column(Column::right("of mean"), |one| share(one.of_mean))
        .column(Column::right("latency"), |one| one.latency_mean_us.map(time))
        .column(Column::right("of median"), |one| share(one.of_median))
        .column(Column::right("longest"), |one| time(one.latency_max_us))
        .column_if(found.targets.iter().any(|one| one.errors > 0), Column::right("failed"), |one| one.errors)
        .done()
}

fn path<'a>(view: &View<'a>, target: usize) -> &'a str {
    view.record.header.targets.get(target).map_or("?", label::absolute)
}

/// The point, how even the targets are, and what that means.
fn about(view: &View<'_>, found: &ClassByTarget) -> String {
    let more = found.targets.len().saturating_sub(MOST_SHOWN);
    let more: Cow<'_, str> = if more > 0 {
        format!(" The slowest of {} come first.", found.targets.len()).into()
    } else {
        "".into()
    };
    let why = match found.load.pattern {
        _ if found.load.level_is_targets() => {
            "Each target has a load of its own, so a slow one shows in its IOPS and in its latency."
        }
        Pattern::Random if found.load.is_open() => {
            "Random I/O goes to all bytes alike, so a slow target shows in its latency, which counts from \
             the start of an I/O: one that waits for a slot is not at any target yet."
        }
        Pattern::Random => {
            "Random I/O goes to all bytes alike, so a slow target shows in its latency, not in its IOPS."
        }
        _ => "Streams may load some targets more than others.",
    };
    let slower = slower(view, found).map_or_else(String::new, |told| format!(" {told}"));
    format!(
        "At {}: the least busy target has {} % of the mean IOPS, the slowest {} % of the median latency.{more} {why}{slower}",
        view.named(found.point, ", "),
        percent(found.evenness()),
        percent(found.slowest())
    )
}

/// For targets too few for a flag: which one is slower than the others, or that this is unknown.
fn slower(view: &View<'_>, found: &ClassByTarget) -> Option<String> {
    if found.targets.len() >= LEAST_TARGETS {
        return None;
    }
    let Some(one) = found.slower else {
        return Some(format!(
            "None is clearly slower than the others; with fewer than {LEAST_TARGETS} targets, no flag names \
             one."
        ));
    };
    let [slow, next] = [one.target, one.next].map(|target| printable(path(view, target)));
    let Interval { mean, lo95, hi95, .. } = one.ratio;
    Some(format!(
        "{slow} is slower than the others: an I/O takes {} times as long as on {next} ({} to {}). With so \
         few, it is unknown which one is unusual.",
        number(mean),
        number(lo95),
        number(hi95)
    ))
}
