//! The times for people: the answer, what casts doubt on it, the tables, and the commands for the remainder. Must not compute.

use super::TransferReport;
use crate::document::{Block, Blocks, Cell, Column, Document, Room, Table};
use crate::judgement::Suggestion;
use crate::verdict::Conclusion;
use crate::versus::{answered, warned};
use crate::words;
use rigel_core::load::class::{LoadClass, Pattern, Span};
use rigel_core::load::sides::Side;
use rigel_core::path_text::printable;
use rigel_core::stats::Estimate;
use rigel_core::units::say::{listed, number, percent, rough_span, whole};
use rigel_core::units::{NS_PER_S, Nanos, to_f64};
use rigel_uses::transfer::{TransferTime, Way};
use std::collections::BTreeSet;

/// What a rate of this storage alone does not show.
const OTHER_END: &str = "The other end of a backup or a restore has to keep up; a database that decompresses, checks or sorts \
                         what it reads may need longer.";

impl Document for TransferReport<'_> {
    fn blocks(&self, room: Room) -> Blocks {
        let conclusion = Conclusion::of(self.view);
        let mut all = vec![answered(&conclusion, conclusion.tone, answer(self))];
        all.extend(warned(&conclusion, room));
        let times = self.times;
        if !times.alone.is_empty() {
            let about = times.alone.iter().map(|one| Block::about(measured_with(one)));
            all.push(part("Nothing else running", std::iter::once(table(&times.alone, room)).chain(about)));
        }
        if !times.beside.is_empty() {
            let about = Block::about("Of each other load, the point with the highest MBPS.");
            all.push(part("Next to other load", [table(&times.beside, room), about]));
        }
        let sure = if self.view.is_adaptive() { words::INTERVAL } else { words::ONE_VISIT };
        all.push(Block::part(vec![Block::about(format!("95 % interval: {sure}. {OTHER_END}"))]));
        all.push(Block::part(times.missing.iter().map(suggestion).collect()));
        all.into()
    }
}

fn part(title: &str, blocks: impl IntoIterator<Item = Block>) -> Block {
    Block::section(title, blocks.into_iter().collect())
}

/// `A full scan or a backup of 10 TiB takes 54 min 37 s (53 min to 56 min).`; of two sides, on each of them.
fn answer(report: &TransferReport<'_>) -> Vec<String> {
    let times = report.times;
    let told = |way: Way| {
        let of_way: Vec<&TransferTime> = times.alone.iter().filter(|one| one.way == way).collect();
        let sides: BTreeSet<Option<Side>> = of_way.iter().map(|one| one.load.side).collect();
        let takes = |side: &Option<Side>| {
            let one = fastest(of_way.iter().copied().filter(|one| one.load.side == *side))?;
            let range = range(&one.seconds).map_or_else(String::new, |range| format!(" ({range})"));
            let on = side.map_or_else(String::new, |side| format!(" on {}", side.name()));
            Some(format!("{}{range}{on}", duration(one.seconds.value)))
        };
        let each: Vec<String> = sides.iter().filter_map(takes).collect();
        (!each.is_empty()).then(|| format!("{} of {} takes {}.", subject(way), times.size, listed(&each)))
    };
    let open = |(way, _): &(Way, String)| {
        let (what, does) = match way {
            Way::Read => ("a full scan or a backup", "reads"),
            Way::Write => ("a restore", "writes"),
        };
        format!("The time of {what} is not known: no large I/O of this record only {does}.")
    };
    let part = times.alone.iter().chain(&times.beside).find(|one| one.load.span != Span::Whole);
    let part = part.map(|one| {
        format!("Measured on {} of the targets only: the rest of a disk may be slower.", one.load.span)
    });
    let told = [Way::Read, Way::Write].into_iter().filter_map(told);
    told.chain(times.missing.iter().map(open)).chain(part).collect()
}

/// That of the highest rate which may be used, if any may.
fn fastest<'t>(times: impl Iterator<Item = &'t TransferTime>) -> Option<&'t TransferTime> {
    times.min_by(|one, other| {
        one.invalid.cmp(&other.invalid).then(one.seconds.value.total_cmp(&other.seconds.value))
    })
}

const fn names(way: Way) -> &'static str {
    match way {
        Way::Read => "Full scan, backup",
        Way::Write => "Restore",
    }
}

const fn subject(way: Way) -> &'static str {
    match way {
        Way::Read => "A full scan or a backup",
        Way::Write => "A restore",
    }
}

fn table(times: &[TransferTime], room: Room) -> Block {
    let is_beside = times.iter().any(|one| !one.beside.is_empty());
    let is_other = |one: &TransferTime| (one.way, one.load.side) != (times[0].way, times[0].load.side);
    let ways = times.iter().any(is_other) || !is_beside || room.is_wide();
    Table::of("time", times)
        .column_if(ways, Column::left("What"), named)
        .column_if(is_beside, Column::left("Next to"), beside)
        .column(Column::right("MBPS"), |one| Cell::figure(Some(one.mbps), number))
        .column(Column::right("Time"), |one| duration(one.seconds.value))
        .column(Column::left("95 % interval"), |one| interval(&one.seconds))
        .column_if(room.is_wide(), Column::left("Measured with"), |one| levels(&one.load, one))
        .bad(|one| one.invalid)
        .done()
}

/// `Full scan, backup`; of one of two sides with that.
fn named(one: &TransferTime) -> String {
    let name = names(one.way);
    one.load.side.map_or_else(|| name.to_owned(), |side| format!("{name}, {}", side.name()))
}

/// `3,952 small IOPS`
fn beside(one: &TransferTime) -> String {
    let rate = |(load, rate): &(LoadClass, Estimate)| {
        let width = rate.half_width().map_or_else(String::new, |half| format!(" ±{} %", percent(half)));
        format!("{} {} {}{width}", number(rate.value), load.plain_name(), printable(load.unit()))
    };
    listed(&one.beside.iter().map(rate).collect::<Vec<_>>())
}

fn levels(load: &LoadClass, one: &TransferTime) -> String {
    load.level_words(one.point.of(load.name))
}

/// `Full scan, backup: 8 outstanding large I/Os of 1 MiB, at random offsets.`
fn measured_with(one: &TransferTime) -> String {
    let load = &one.load;
    let walk = match load.pattern {
        Pattern::Streams { .. } => "one after the other",
        _ => "at random offsets",
    };
    format!("{}: {} of {}, {walk}.", named(one), levels(load, one), load.size_text())
}

fn suggestion((way, command): &(Way, String)) -> Block {
    let purpose = match way {
        Way::Read => "To measure large reads".to_owned(),
        Way::Write if command.starts_with("cd ") || command.contains("--engine sim") => {
            "To measure large writes".to_owned()
        }
        Way::Write => "To measure large writes, in a directory on this storage".to_owned(),
    };
    Block::Suggestion(Suggestion { purpose, command: command.clone(), is_longer: false })
}

fn duration(seconds: f64) -> String {
    rough_span(Nanos(whole(seconds * to_f64(NS_PER_S))))
}

/// `53 min to 56 min`; if it is narrower than what is shown, how narrow it is.
fn interval(seconds: &Estimate) -> Option<String> {
    let half = seconds.half_width()?;
    Some(range(seconds).unwrap_or_else(|| format!("±{} %", percent(half))))
}

/// The ends, if they look different.
fn range(seconds: &Estimate) -> Option<String> {
    let (least, most) = seconds.ends().map(|(lo95, hi95)| (duration(lo95), duration(hi95)))?;
    (least != most).then(|| format!("{least} to {most}"))
}
