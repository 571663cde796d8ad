//! What is shown about a comparison: the verdict, warnings, gates, both sides overlaid, every change, other differences, the next command.
//!
//! Must not leave out a row with its own information.

use super::page::Figures;
use super::quantity::title;
use super::rows::{of_row, tables};
use super::verdict as answer;
use super::words::{DOUBTS, doubt, meaning, named, percents, some, value, verdict};
use super::{ComparisonView, gates, levels, measured};
use crate::document::{Block, Blocks, Card, Column, Document, Room, Table};
use crate::label;
use crate::view::View;
use rigel_core::judge::answers::{MAX_IOPS, UNBOUNDED_IOPS};
use rigel_core::judge::quantity::{Quantity, Scope};
use rigel_core::path_text::printable;
use rigel_core::units::say::{self, time, two_units};
use rigel_core::units::{to_f64, us_from_ns};
use rigel_uses::compare::{Comparison, Difference, Effect, Row, SoakTotals};

/// Characters of both sides that fit into a row.
const MOST_OF_ROW: usize = 100;
const COUNTED: &str = "Counted, not judged: another soak may find different ones.";

impl Document for ComparisonView<'_> {
    fn blocks(&self, room: Room) -> Blocks {
        let found = self.comparison;
        let figures = Figures::of_runs(self);
        let mut all = answer::blocks(self, room);
        let warnings = all.split_off(1);
        if room.is_wide() {
            all.push(Block::Cards(cards(found)));
            all.extend(figures.picture());
        }
        all.extend(warnings);
        all.push(gates::table(self.gates, |judged| gates::reason(judged, found)));
        all.extend(changes(found, &figures, room));
        all.push(Block::part(explanations(self)));
        all.extend(found.endured.map(endured));
        all.extend(others(self, room));
        all.push(answer::next(self));
        all.into()
    }
}

/// Every row, with its charts; on a terminal only the rows that add something.
pub(super) fn changes(found: &Comparison, figures: &Figures, room: Room) -> Vec<Block> {
    if !room.is_wide() {
        let rows: Vec<_> = found.shown().map(of_row).collect();
        return tables(&rows, ["Base", "New"], |quantity| all_names(found, quantity), room);
    }
    let rows: Vec<_> = found.rows.iter().map(of_row).collect();
    let mut all = vec![figures.curves(), figures.changes("the new side")];
    all.extend(tables(&rows, ["Base", "New"], Quantity::name, room));
    all
}

/// A card for each quantity of the runs. The rate within a limit that never binds is the highest rate.
pub(super) fn cards(found: &Comparison) -> Vec<Card> {
    let is_told = |row: &&Row| found.repeated_by(row).is_some_and(|other| other.point.is_none());
    let card = |row: &Row| {
        let change = row.change.as_ref().ok().map(percents);
        let effect = verdict(row.verdict);
        let stands_for_both = row.quantity == MAX_IOPS
            && found.rows.iter().filter_map(|one| found.repeated_by(one)).any(|one| one.quantity == MAX_IOPS);
        let quantity = if stands_for_both { UNBOUNDED_IOPS } else { row.quantity };
        Card {
            title: title(quantity),
            value: row.seen().map_or_else(|| "-".to_owned(), |seen| say::change(seen.relative)),
            about: vec![
                change.map_or_else(
                    || format!("as seen; {effect}"),
                    |[_, lo, hi]| format!("{lo} to {hi} %, {effect}"),
                ),
                format!(
                    "from {} to {}",
                    value(row.quantity, row.base.value),
                    value(row.quantity, row.new.value)
                ),
            ],
            ..Card::default()
        }
    };
    found.rows.iter().filter(|row| row.point.is_none() && !is_told(row)).map(card).collect()
}

/// A quantity with those that say the same: `small_iops = small_latency`.
fn all_names(found: &Comparison, quantity: Quantity) -> String {
    let same = found.rows.iter().filter(|row| row.quantity.is_of_a_run() == quantity.is_of_a_run());
    let same = same.filter(|row| found.repeated_by(row).is_some_and(|other| other.quantity == quantity));
    let mut names: Vec<String> = same.map(|row| row.quantity.name()).collect();
    names.insert(0, quantity.name());
    names.dedup();
    names.join(" = ")
}

/// The meaning of the columns, the lowest latency if a rate of the table implies it, and why rows have no verdict.
pub(super) fn explanations(compared: &ComparisonView<'_>) -> Vec<Block> {
    let found = compared.comparison;
    let repeated = |row: &Row| {
        let other = found.repeated_by(row)?;
        let [base, new] = [&row.base, &row.new].map(|side| some(side).map_or_else(|| "-".to_owned(), time));
        Some(Block::hanging(format!(
            "{}: from {base} to {new}, as {} at {} says already.",
            row.quantity.name(),
            other.quantity.name(),
            named(&[other.point?])
        )))
    };
    let best = found.rows.iter().filter(|row| row.quantity.of == Scope::Best).filter_map(repeated);
    let doubts = DOUBTS.into_iter().filter_map(|reason| {
        let effect = Effect::Undecided(reason);
        let text = doubt(reason).filter(|_| found.rows.iter().any(|row| row.verdict == effect))?;
        Some(Block::hanging(format!("{}: {text}.", verdict(effect))))
    });
    std::iter::once(Block::about(meaning(compared))).chain(best).chain(doubts).collect()
}

/// The counts of soaks, side by side.
fn endured([base, new]: [SoakTotals; 2]) -> Block {
    let count = |count: u64, ios: u64| format!("{} of {}", grouped(count), grouped(ios));
    let failed = |side: SoakTotals| count(side.errors, side.ios.saturating_add(side.errors));
    let rows = [
        ("Failed I/Os", failed(base), failed(new)),
        ("Wrong blocks", grouped(base.wrong_blocks), grouped(new.wrong_blocks)),
        ("Longest I/O", longest(base), longest(new)),
        ("Time under load", two_units(base.lasted), two_units(new.lasted)),
    ];
    let table = Table::of("count", &rows)
        .column(Column::left("Counted"), |row| row.0)
        .column(Column::right("Base"), |row| row.1.clone())
        .column(Column::right("New"), |row| row.2.clone())
        .done();
    Block::section("What each side endured", vec![table, Block::about(COUNTED)])
}

fn grouped(count: u64) -> String {
    say::grouped(&count.to_string())
}

fn longest(side: SoakTotals) -> String {
    time(us_from_ns(to_f64(side.longest.0)))
}

/// What was compared, and what differs besides the numbers.
fn others(compared: &ComparisonView<'_>, room: Room) -> Vec<Block> {
    let found = compared.comparison;
    let points = levels::left_out(compared, |point| format!("({})", named(&[point])));
    let left_out = points
        .map(|points| Block::hanging(format!("Not compared, because not every run has them: {points}")));
    let sides = [("Base", compared.base), ("New", compared.new)];
    let what = |(side, views): (&str, &[View<'_>])| (side.to_owned(), measured::of_side(views).join("; "));
    let runs = sides.into_iter().flat_map(|(side, views)| views.iter().flat_map(move |view| run(side, view)));
    vec![
        differences(&found.differences, room),
        Block::part(left_out.into_iter().collect()),
        match room {
            Room::Narrow => Block::part(vec![Block::Facts(sides.map(what).to_vec())]),
            Room::Wide => Block::evidence("Runs", runs.collect()),
        },
    ]
}

/// What differs besides the numbers.
pub(crate) fn differences(all: &[Difference], room: Room) -> Block {
    // On a terminal a table has no room for sentences.
    let is_long = |one: &&Difference| !room.is_wide() && one.base.len() + one.other.len() > MOST_OF_ROW;
    let (long, short): (Vec<&Difference>, Vec<&Difference>) = all.iter().partition(is_long);
    let label = |one: &Difference| {
        let mark = if one.incomparable { " (numbers do not measure the same thing)" } else { "" };
        format!("{}{mark}", one.what)
    };
    let line = |one: &Difference| {
        let [base, other, run] = [&one.base, &one.other, &one.run_id].map(|text| printable(text));
        Block::hanging(format!("{}: {base}; {run} has {other}.", label(one)))
    };
    let lines = long.into_iter().map(line);
    let table = Table::of("difference", &short)
        .column(Column::left("Differs"), |one| label(one))
        .column(Column::left("Base"), |one| printable(&one.base).into_owned())
        .column(Column::left("Other run"), |one| printable(&one.other).into_owned())
        .column_if(room.is_wide(), Column::left("Its name"), |one| printable(&one.run_id).into_owned())
        .done();
    let table = (!short.is_empty()).then_some(table);
    Block::section("Other differences", table.into_iter().chain(lines).collect())
}

fn run(side: &str, view: &View<'_>) -> Vec<(String, String)> {
    let header = &view.record.header;
    let facts = [
        (side, header.run_id.clone()),
        ("Label", header.request.label.clone().unwrap_or_default()),
        ("Started", header.started.clone()),
        ("Targets", label::targets(view)),
        ("Command line", header.request.command_line.clone()),
    ];
    facts.map(|(name, text)| (name.to_owned(), text)).to_vec()
}
