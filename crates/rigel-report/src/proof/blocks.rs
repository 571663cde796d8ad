//! What is shown about proven settings: the answers, a table for each setting, and on a page a chart of each and the times of all plans.
//!
//! Must not leave out a value that was judged, and on a page no query.

use super::{ProofReport, words};
use crate::document::{Block, Blocks, Chart, Column, Document, Room, Table};
use crate::judgement::Tone;
use rigel_core::units::Bytes;
use rigel_core::units::say::{full_percent, number, short, time};
use rigel_uses::proof::page_cost::{self, Cell, Plan};
use rigel_uses::proof::{About, concurrency};

impl Document for ProofReport<'_> {
    fn blocks(&self, room: Room) -> Blocks {
        let proof = self.proof;
        let sentences = words::sentences(proof);
        let tone = if proof.refutes() { Tone::UseWithCare } else { Tone::Good };
        let mut all = vec![match room {
            Room::Narrow => Block::List(sentences),
            Room::Wide => Block::Verdict { tone, sentences },
        }];
        if let Some(found) = &proof.page_cost {
            all.extend(if room.is_wide() { costs(found) } else { short_costs(found) });
        }
        all.extend(proof.concurrency.iter().flat_map(|found| rates(found, room)));
        let about = about(&proof.about);
        all.push(match room {
            Room::Narrow => Block::part(about.map(Block::hanging).into()),
            Room::Wide => {
                let names = ["Server and table", "Storage"].map(str::to_owned);
                Block::evidence("Experiment", names.into_iter().zip(about).collect())
            }
        });
        all.into()
    }
}

fn short_costs(found: &page_cost::PageCostFindings) -> Vec<Block> {
    vec![Block::part(vec![
        Block::paragraph("random_page_cost: time of the chosen plan over the fastest one, in the median"),
        values(found, Room::Narrow),
        Block::hanging(
            "worst: the highest ratio of any query; slow, fast: how many queries get a slower, or a faster, plan than with the default, beyond noise",
        ),
    ])]
}

fn costs(found: &page_cost::PageCostFindings) -> Vec<Block> {
    let about = "How many times as long as the fastest plan the chosen plan takes: the median over queries \
        for 0.01 to 10 % of the rows; 1 is ideal.";
    let chart = Chart::new("regrets", "Regret", "over random_page_cost");
    vec![
        Block::drawn("random_page_cost", &[about], vec![chart]),
        Block::section("Values of random_page_cost", vec![values(found, Room::Wide)]),
        Block::section("Times of all plans", vec![times(found)]),
    ]
}

/// The rules and the values that were tried.
fn values(found: &page_cost::PageCostFindings, room: Room) -> Block {
    let is_wide = room.is_wide();
    let ratio =
        |value: f64| if is_wide || value < 9.995 { format!("{value:.2}") } else { format!("{value:.0}") };
    let right = |narrow, wide| Column::right(room.either(narrow, wide));
    let in_memory = room.either("", " in memory");
    Table::of("value", &found.judged)
        .column(Column::left(room.either("in memory:", "From")).width(14), |one| words::rule(one.rule))
        .column(right("value", "Value").width(10), |one| {
            let values = words::values(one);
            if is_wide { values } else { values.replace(" to ", "..") }
        })
        .columns(
            found.hit_rates.iter().enumerate(),
            |(_, hits)| Column::right(format!("{} %{in_memory}", full_percent(*hits))).width(5),
            |one, (place, _)| one.regrets.get(place).map(|regret| ratio(*regret)),
        )
        .column(right("all", "All").width(5), |one| ratio(one.median_regret))
        .column(right("worst", "Worst").width(6), |one| ratio(one.worst.ratio.value))
        .column_if(is_wide, Column::left("rows, in memory"), |one| {
            format!("{} %, {} %", full_percent(one.worst.selectivity), full_percent(one.worst.hit_rate))
        })
        .column(right("slow", "Slower than default").width(4), |one| one.slower.len())
        .column(right("fast", "Faster").width(4), |one| one.faster.len())
        .column(Column::left(room.either("", "Verdict")).gap(1), |one| one.verdict.name())
        .done()
}

/// Every query.
fn times(found: &page_cost::PageCostFindings) -> Block {
    let time_of = |cell: &Cell, plan| {
        let more = if cell.is_cut(plan) { "> " } else { "" };
        let text = cell.seconds(plan).map_or_else(|| "-".to_owned(), |seconds| time(1e6 * seconds));
        format!("{more}{text}")
    };
    let usual = |cell: &Cell| found.chosen(cell.selectivity, page_cost::DEFAULT).map(Plan::name);
    Table::of("row", &found.cells)
        .column(Column::right("Share of the rows"), |cell| format!("{} %", full_percent(cell.selectivity)))
        .column(Column::right("In memory"), |cell| format!("{} %", full_percent(cell.hit_rate)))
        .columns(Plan::ALL, |plan| Column::right(plan.name()), time_of)
        .column(Column::left("Fastest"), |cell| cell.best().map(|(plan, _)| plan.name()))
        .column(Column::left("By default"), usual)
        .done()
}

fn rates(found: &concurrency::ConcurrencyFindings, room: Room) -> Vec<Block> {
    let name = &found.setting;
    let meanings = [words::passes(found), words::undecided(found)].into_iter().flatten();
    if !room.is_wide() {
        let head = format!("{name}: {}, and share of the best", found.measures);
        let mut blocks = vec![Block::paragraph(head), short_shares(found)];
        blocks.extend(meanings.map(Block::hanging));
        return vec![Block::part(blocks)];
    }
    let about = format!(
        "{}, as a share of the best value with as many sessions; whiskers: 95 % intervals that hold all at once.",
        capital(&found.measures)
    );
    let chart = Chart::new(format!("shares-{name}"), "Share of the best rate", format!("over {name}"));
    // Words are no axis.
    let drawn = (!found.has_words()).then(|| Block::drawn(name, &[&about], vec![chart]));
    let mut blocks = vec![shares(found)];
    blocks.extend(meanings.map(|text| Block::about(format!("{text}."))));
    drawn.into_iter().chain([Block::section(format!("Values of {name}"), blocks)]).collect()
}

fn short_shares(found: &concurrency::ConcurrencyFindings) -> Block {
    let shown = |judged: &concurrency::ConcurrencyVerdict| {
        let is = match judged.value {
            value if value == found.default => " default",
            value if Some(value) == found.advised => " advised",
            _ => "",
        };
        format!("{}{is}", judged.shown())
    };
    let at = |judged: &concurrency::ConcurrencyVerdict, sessions| {
        judged.with(sessions).map_or_else(
            || "not in time".to_owned(),
            |at| format!("{}{:>6.0} %", short(at.rows_per_s), 100.0 * at.share.value),
        )
    };
    Table::of("value", &found.values)
        .column(Column::left("value").width(if found.has_words() { 16 } else { 12 }), shown)
        .columns(found.sessions.iter().copied(), |one| Column::right(words::sessions(one)).width(17), at)
        .column(Column::left("").gap(1), |judged| judged.verdict.name())
        .done()
}

fn shares(found: &concurrency::ConcurrencyFindings) -> Block {
    let rate = |judged: &concurrency::ConcurrencyVerdict, sessions| {
        judged.with(sessions).map_or_else(|| "not in time".to_owned(), |at| number(at.rows_per_s))
    };
    let share = |judged: &concurrency::ConcurrencyVerdict, sessions| {
        judged.with(sessions).map_or_else(String::new, |at| format!("{:.0} %", 100.0 * at.share.value))
    };
    let first = Table::of("value", &found.values).column(Column::right("Value"), |judged| judged.shown());
    let of_sessions = found.sessions.iter().fold(first, |table, &sessions| {
        table
            .column(Column::right(format!("Rows/s, {}", words::sessions(sessions))), |one| {
                rate(one, sessions)
            })
            .column(Column::right("Share"), |one| share(one, sessions))
    });
    of_sessions.column(Column::left("Verdict"), |judged| judged.verdict.name()).done()
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The test setup.
fn about(about: &About) -> [String; 2] {
    let (storage, block) = (&about.storage, Bytes(about.block_bytes));
    [
        format!(
            "{} {}, {} of {}; a table of {} with {} rows to a block{}; up to {} rounds; seed {}.",
            about.product,
            about.version,
            about.cache_setting,
            Bytes(about.shared_buffers),
            Bytes(about.table_bytes),
            about.rows_per_block,
            if about.shuffled { " and shuffled keys" } else { "" },
            about.rounds,
            about.seed
        ),
        format!(
            "The storage alone: {} for a random read of {block}, {} for {block} of a stream, {} times as long; {} outstanding reads saturate it{}.",
            time(storage.random_read_us),
            time(storage.stream_page_us),
            number(storage.ratio()),
            storage.saturating(),
            storage.writes_per_s.map_or_else(String::new, |rate| format!(
                "; {} random writes of {block} per second",
                number(rate)
            ))
        ),
    ]
}
