//! What is shown about a ranking: the answer, a picture, the table, every pair, offers, conditions.
//!
//! Must not leave out a storage.

use super::sentences::{self, BEHIND_SO_FAR, effect};
use super::words::{noun, places};
use super::{RankView, conditions, offers};
use crate::compare::{self, value};
use crate::document::picture::{Bar, Bars, Panel, Picture, Shape};
use crate::document::{Block, Blocks, Cell, Column, Document, Kind, Room, Table};
use rigel_core::units::say::{self, plain_percent};
use rigel_uses::compare::gate::{Gate, GateBound};
use rigel_uses::compare::{MARGIN, SideUsability};
use rigel_uses::rank::{Pair, RankRow};

/// With more, a sheet has no room for the tables next to the picture.
const MOST_ON_PAPER: usize = 5;

impl Document for RankView<'_> {
    fn blocks(&self, room: Room) -> Blocks {
        let tone = sentences::tone(self);
        let mut all = vec![Block::Verdict { tone, sentences: sentences::sentences(self) }];
        if room.is_wide() {
            all.extend(picture(self));
        }
        all.push(Block::List(sentences::warnings(self, room)));
        all.push(on_paper(self, table(self, room)));
        all.push(on_paper(self, offers::table(self, room)));
        if room.is_wide() {
            all.push(pairs(self));
        }
        all.push(conditions::block(self, room));
        all.push(compare::differences(&self.ranking.differences, room));
        all.into()
    }
}

/// A table that is also on the printed sheet, if the storages are few enough.
fn on_paper(ranked: &RankView<'_>, table: Block) -> Block {
    if ranked.ranking.rows.len() > MOST_ON_PAPER { table } else { table.of_kind(Kind::Why) }
}

/// A bar for each storage, with its interval and the requirement.
fn picture(ranked: &RankView<'_>) -> Option<Block> {
    let quantity = ranked.ranking.quantity;
    let bar = |row: &RankRow| Bar {
        name: ranked.name(row).to_owned(),
        value: row.estimate.value,
        ends: row.estimate.ends(),
        text: value(quantity, row.estimate.value),
        is_bad: row.usability == SideUsability::Invalid,
    };
    let bound = |gate: &Gate| match gate.bound {
        GateBound::Value(bound) if gate.quantity.name() == quantity.name() => Some(bound),
        _ => None,
    };
    let limit = ranked.required.iter().find_map(bound);
    let bars = Bars {
        bars: ranked.ranking.rows.iter().map(bar).collect(),
        from: 0.0,
        limit: limit.map(|bound| (bound, format!("required: {}", value(quantity, bound)))),
        is_log: false,
    };
    let noun = noun(ranked);
    let title = noun.get(..1).map(str::to_uppercase).unwrap_or_default() + noun.get(1..).unwrap_or_default();
    Picture::of([Panel { title, shape: Shape::Bars(bars) }])
}

/// Each storage at its place.
fn table(ranked: &RankView<'_>, room: Room) -> Block {
    let ranking = ranked.ranking;
    let rows: Vec<(usize, &RankRow)> = ranking.rows.iter().enumerate().collect();
    let pair = |(place, _): &(usize, &RankRow)| ranking.pair(0, *place);
    let figure = |(_, row): &(usize, &RankRow)| {
        let some = (row.estimate.value > 0.0).then_some(row.estimate);
        match room {
            Room::Wide => Cell::figure(some, |figure| value(ranking.quantity, figure)),
            Room::Narrow => some.map(|figure| value(ranking.quantity, figure.value)).into(),
        }
    };
    let half = |(_, row): &(usize, &RankRow)| row.estimate.half_width().map(say::percent);
    let change = |row: &(usize, &RankRow)| Some(say::change(pair(row)?.change.ok()?.relative));
    let table = Table::of("storage", &rows)
        .bad(|(_, row)| row.usability == SideUsability::Invalid)
        .column(Column::left("Place"), |(_, row)| places(row))
        .column(Column::left("Storage"), |(_, row)| ranked.name(row).to_owned())
        .column(Column::right("Figure"), figure)
        .column_if(!room.is_wide(), Column::right("±%").gap(1), half)
        .column(Column::right("Change"), change)
        .column(Column::right("From .. to %"), |row| pair(row).and_then(range))
        .column(Column::left("To the first"), |row| pair(row).map(effect))
        .done();
    Block::section(ranking_title(ranked), vec![table, Block::about(meaning(ranked))])
}

fn ranking_title(ranked: &RankView<'_>) -> String {
    let at = ranked.ranking.point.map_or_else(String::new, |point| format!(" at {}", point.words()));
    format!("Ranking by {}{at}", ranked.ranking.quantity.name())
}

fn range(pair: &Pair) -> Option<String> {
    let change = pair.change.as_ref().ok()?;
    Some(say::change_range(change.relative, (change.lo, change.hi)))
}

fn meaning(ranked: &RankView<'_>) -> String {
    let behind = match (sentences::has_one_run(ranked), sentences::all_have_one_run(ranked)) {
        (true, true) => BEHIND_SO_FAR,
        (true, false) => "clearly behind, or behind so far if each has one run,",
        _ => "clearly behind",
    };
    format!(
        "Place: the ranks that a storage may have. Change: the difference from the first, with the range of \
         the true difference. A storage is {behind} \
         if that range does not include 0; otherwise it is the same if the whole range is within ±{} %. In \
         95 of 100 rankings, the ranges of all pairs of storages are right.",
        plain_percent(MARGIN)
    )
}

/// Every pair, from which the places and the groups follow.
fn pairs(ranked: &RankView<'_>) -> Block {
    let ranking = ranked.ranking;
    let name = |place: usize| ranked.name(&ranking.rows[place]).to_owned();
    let table = Table::of("pair", &ranking.pairs)
        .column(Column::left("Storage"), |pair| name(pair.behind))
        .column(Column::left("Behind"), |pair| name(pair.ahead))
        .column(Column::right("Change"), |pair| Some(say::change(pair.change.ok()?.relative)))
        .column(Column::right("From .. to %"), range)
        .column(Column::left("Result"), effect)
        .done();
    // Two storages are one pair, which the table above has.
    Block::section("Every pair", if ranking.rows.len() > 2 { vec![table] } else { Vec::new() })
}
