//! What is shown about raw I/O beside SQL: how much reaches SQL and what the limit is, warnings, both by number of sessions, every load, where the
//! time went, the run.
//!
//! It has the same charts as a comparison of runs. Must not leave out a load.

use super::{RawAndSqlView, words};
use crate::compare::page::Figures;
use crate::document::html::Frame;
use crate::document::{Block, Blocks, Card, Cell, Column, Document, PageDocument, Room, Table};
use crate::html::assets;
use crate::json_text::compact;
use crate::verdict::Conclusion;
use crate::versus;
use rigel_core::error::Problem;
use rigel_core::facts::engine::EngineFacts;
use rigel_core::stats::Estimate;
use rigel_core::units::say::{number, percent};
use rigel_uses::beside::{BesideLoad, Limit, Way};
use rigel_uses::compare::Comparison;

/// The titles of rate, latency, and the percentile if it is one of reads.
const TITLES: [&str; 3] =
    ["Reads per second", "Mean latency of a read", "99th percentile of the latency of a read"];
/// A look-up may read blocks of the index as well.
const THROUGH_INDEX: [&str; 3] = [
    "Raw reads, and look-ups, per second",
    "Mean latency of a raw read, and of a look-up",
    "99th percentile of the latency of a raw read, and of a look-up",
];
const OF_COMMITS: [&str; 3] =
    ["Commits per second", "Mean latency of a commit", "99th percentile of the latency of a commit"];

impl Document for RawAndSqlView<'_> {
    fn blocks(&self, room: Room) -> Blocks {
        let conclusion = Conclusion::of(self.view);
        let answer = std::iter::once(words::verdict(self)).chain(words::evidence(self)).collect();
        let mut all = vec![versus::answered(&conclusion, conclusion.tone, answer)];
        let figures = figures(self);
        if room.is_wide() {
            all.push(Block::Cards(cards(self)));
            all.extend(figures.picture());
        }
        all.extend(versus::warned(&conclusion, room));
        let [raw, sql] = words::ways(self);
        let ways = vec![("Raw (A)".to_owned(), raw), ("SQL (B)".to_owned(), sql)];
        let about = vec![Block::about(words::SURE), Block::about(words::CPU)];
        if room.is_wide() {
            all.push(figures.curves());
            all.push(Block::section("Numbers", std::iter::once(loads(self, room)).chain(about).collect()));
            all.push(waits(self));
            all.push(run(self, ways));
        } else {
            all.push(Block::part(vec![loads(self, room)]));
            all.push(Block::part(about));
            all.push(Block::part(vec![Block::Facts(ways)]));
        }
        all.push(Block::part(versus::next(&conclusion)));
        all.into()
    }
}

impl PageDocument for RawAndSqlView<'_> {
    fn frame(&self) -> Result<Frame, Problem> {
        let [raw, sql] = words::ways(self);
        Ok(Frame {
            title: "How much of the raw I/O reaches SQL?".to_owned(),
            when: vec![
                format!("Raw (A): {raw}"),
                format!("SQL (B): {sql}"),
                self.view.record.header.started.clone(),
            ],
            made_from: "the record of the run",
            script: &assets::COMPARE,
            figures: ("comparison", compact(&figures(self))?),
            tables: "the tables hold every number",
        })
    }
}

fn figures(both: &RawAndSqlView<'_>) -> Figures {
    let commits = words::writes(both);
    let axis = if commits { "sessions, or raw writers" } else { "sessions, or outstanding raw reads" };
    let titles = match (commits, words::by_index(both)) {
        (true, _) => OF_COMMITS,
        (false, true) => THROUGH_INDEX,
        (false, false) => TITLES,
    };
    let sides = ["raw".to_owned(), "SQL".to_owned()];
    Figures::of(&comparison(both), sides, |_| axis.to_owned()).entitled(&titles)
}

/// If a statement has many look-ups, its percentiles are not those of reads.
fn comparison(both: &RawAndSqlView<'_>) -> Comparison {
    let sql = both.view.record.header.request.sql();
    let is_batch = sql.is_some_and(|sql| sql.probe.is_batch());
    let mut shown = both.sides.comparison.clone();
    shown.rows.retain(|row| !(is_batch && row.quantity.what.is_percentile()));
    shown
}

/// The highest rates, the part that reaches SQL, and the limit.
fn cards(both: &RawAndSqlView<'_>) -> Vec<Card> {
    let Some(best) = both.found.best() else { return Vec::new() };
    let card = |title: &str, value: String, about: String| Card {
        title: title.to_owned(),
        value,
        about: vec![about],
        ..Card::default()
    };
    let with = format!("with {} sessions", best.sessions);
    let [raw, sql] = words::units(both);
    let rate = |way: &Way, unit: &str| format!("{} {unit}", number(way.per_s.value));
    let ratio = best.efficiency.map(|ratio| {
        card("SQL of raw", format!("{} %", percent(ratio.mean)), format!("{} %", words::ends(&ratio)))
    });
    let limit = best.limit.map(|limit| card("Limit", limit.name().to_owned(), with.clone()));
    let rates = [
        card("Through SQL", rate(&best.sql, sql), with.clone()),
        card("Raw", rate(&best.raw, raw), with.clone()),
    ];
    ratio.into_iter().chain(limit).chain(rates).collect()
}

fn loads(both: &RawAndSqlView<'_>, room: Room) -> Block {
    let [of_raw, of_sql] = words::units(both).map(|unit| unit.trim_end_matches("/s"));
    let width = |found: &Estimate| found.interval.map(|one| percent(one.relative_half_width));
    let cost = |way: &Way| way.cpu_us.map(|us| format!("{us:.1}"));
    let idle = |way: &Way| way.idle.map(|idle| format!("{} %", percent(idle)));
    let limit = |load: &BesideLoad| match load.limit {
        _ if load.invalid => Cell::from("invalid"),
        limit => limit.map(Limit::name).into(),
    };
    let right = |narrow: &str, wide: &str| Column::right(room.either(narrow, wide));
    let rate = |narrow: &str, unit: &str| Column::right(format!("{narrow} {unit}"));
    Table::of("load", &both.found.loads)
        .column(Column::right("Sessions"), |load| load.sessions.to_string())
        .column(rate("Raw", of_raw), |load| number(load.raw.per_s.value))
        .column(Column::right("±%").gap(1), |load| width(&load.raw.per_s))
        .column(rate("SQL", of_sql), |load| number(load.sql.per_s.value))
        .column(Column::right("±%").gap(1), |load| width(&load.sql.per_s))
        .column(right("of raw", "SQL of raw"), |load| {
            load.efficiency.map(|ratio| format!("{} %", percent(ratio.mean)))
        })
        .column(right("from .. to", "From .. to %"), |load| {
            load.efficiency.map(|ratio| format!("{} .. {}", percent(ratio.lo95), percent(ratio.hi95)))
        })
        .column(right("us raw", "CPU us each, raw"), |load| cost(&load.raw))
        .column(right("SQL", "CPU us each, SQL"), |load| cost(&load.sql))
        .column_if(room.is_wide(), Column::right("CPU idle, raw"), |load| idle(&load.raw))
        .column(right("idle", "CPU idle, SQL"), |load| idle(&load.sql))
        .column(Column::left("Limit"), limit)
        .bad(|load| load.invalid)
        .done()
}

/// How the sessions spent their time.
fn waits(both: &RawAndSqlView<'_>) -> Block {
    let of = |load: &BesideLoad| -> Vec<(u32, String, f64)> {
        words::waits(load).map(|(event, share)| (load.sessions, event, share)).collect()
    };
    let rows: Vec<(u32, String, f64)> = both.found.loads.iter().flat_map(of).collect();
    let table = Table::of("line", &rows)
        .column(Column::right("Sessions"), |(sessions, ..)| sessions.to_string())
        .column(Column::left("Event"), |(_, event, _)| event.clone())
        .column(Column::right("Share"), |(.., share)| format!("{} %", percent(*share)))
        .done();
    let about = Block::about("From samples of what the sessions wait for, about ten a second.");
    Block::section(
        "Where the time of the sessions went",
        if rows.is_empty() { Vec::new() } else { vec![table, about] },
    )
}

/// What was measured, and the command line.
fn run(both: &RawAndSqlView<'_>, ways: Vec<(String, String)>) -> Block {
    let header = &both.view.record.header;
    // Which side is which is said already.
    let of_server = EngineFacts::note_of_b(header.request.product().engine());
    let notes = header.nodes.first().engine.notes.iter().filter(|note| **note != of_server);
    let notes: Vec<&str> = notes.map(String::as_str).collect();
    versus::run(header, [ways, vec![("Server".to_owned(), notes.join("; "))]].concat())
}
