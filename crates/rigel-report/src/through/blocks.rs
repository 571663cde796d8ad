//! What is shown about a run through a failure: the answer, the three levels, the timeline with its marks, and on a page a chart of both.
//!
//! Must not judge, and must not leave out a mark without saying so.

use super::{ThroughReport, words};
use crate::document::picture::{Axis, Dot, Line, Lines, Panel, Picture, Shape};
use crate::document::{Block, Blocks, Card, Column, Document, Kind, Paragraph, Room, Table};
use crate::judgement::{Cause, Tone};
use crate::text::Ink;
use crate::{run, warnings};
use rigel_core::stats::Estimate;
use rigel_core::units::say::{number, percent, rough_span, short, time};
use rigel_core::units::{Nanos, to_f64, us_from_ns};
use rigel_uses::through::{Figures, Level, ThroughFindings, Trouble, TroubleKind};

/// Lines of a timeline that a text shows; page and JSON have all.
const MOST_SHOWN: usize = 40;
/// More would overlap.
const MOST_DOTS: usize = 240;
/// Marks that a chart labels; more would overlap.
const MOST_NAMED: usize = 12;

impl Document for ThroughReport<'_> {
    fn blocks(&self, room: Room) -> Blocks {
        let causes = self.causes();
        let mut all = verdict(self, !causes.is_empty(), room);
        all.extend(warnings(&causes, room));
        all.push(demands(self));
        all.push(Block::section("Before, during, after", vec![levels(self), about_levels(self)]));
        all.push(Block::section("Timeline", timeline(self, room)));
        if room.is_wide() {
            all.push(about(self));
        }
        all.into()
    }
}

/// A line each on a terminal, all of it on a page.
fn warnings(causes: &[Cause], room: Room) -> Vec<Block> {
    if room.is_wide() { warnings::list(causes, room) } else { causes.iter().map(run::warning).collect() }
}

fn verdict(told: &ThroughReport<'_>, is_warned: bool, room: Room) -> Vec<Block> {
    let sentences = words::sentences(told);
    let found = told.found;
    if room.is_wide() {
        let tone = match found {
            found if found.is_unkept() => Tone::DoNotUse,
            found if found.has_trouble() || found.far.is_some() || is_warned => Tone::UseWithCare,
            _ => Tone::Good,
        };
        let (shown, others) = sentences.split_at(sentences.len().min(2));
        let mut all = vec![Block::Verdict { tone, sentences: shown.to_vec() }];
        all.push(Block::Cards(cards(found)));
        all.extend(picture(told));
        all.push(Block::part(others.iter().map(Block::paragraph).collect()));
        return all;
    }
    let ink = if found.is_unkept() { Ink::Invalid } else { Ink::Heading };
    let mut sentences = sentences.into_iter();
    let head = sentences.next().map(|head| Paragraph::labelled("", 0, head).painted(ink).into());
    head.into_iter().chain(sentences.map(Block::paragraph)).collect()
}

/// The headline numbers of a page.
fn cards(found: &ThroughFindings) -> Vec<Card> {
    let card = |title: &str, value: String, about: Vec<String>| Card {
        title: title.to_owned(),
        value,
        about,
        ..Card::default()
    };
    let longest = found.standstill.map_or_else(
        || card("Longest standstill", "none".to_owned(), Vec::new()),
        |still| {
            let (least, most) = (rough_span(still.least), rough_span(still.most));
            let (value, about) = match still.is_open {
                true => (least, Some("until the run ended".to_owned())),
                false if still.is_rough() => {
                    (rough_span(still.length()), Some(format!("at least {least}, at most {most}")))
                }
                false => (rough_span(still.length()), None),
            };
            card("Longest standstill", value, about.into_iter().collect())
        },
    );
    let errors = card("Failed I/Os", number(to_f64(found.errors)), Vec::new());
    let back = found.has_trouble().then(|| {
        let value = found.back_after().map_or_else(|| "not back".to_owned(), rough_span);
        card("Time until back", value, vec!["rate and p99, from the first sign".to_owned()])
    });
    let p99 = found.levels.iter().filter_map(|level| {
        let p99 = level.p99_us?;
        let ends = p99.ends().map(|(lo, hi)| format!("{} to {} (95 %)", time(lo), time(hi)));
        Some(card(&format!("p99 {}", level.span.name()), time(p99.value), ends.into_iter().collect()))
    });
    [longest, errors].into_iter().chain(back).chain(p99).collect()
}

fn demands(told: &ThroughReport<'_>) -> Block {
    if told.found.demands.is_empty() {
        return Block::part(Vec::new());
    }
    let table = Table::of("limit", &told.found.demands)
        .column(Column::left("limit").width(26), |one| one.demand.to_string())
        .column(Column::left("result"), words::verdict_of)
        .done();
    Block::section("Limits", vec![table]).of_kind(Kind::Paper)
}

fn levels(told: &ThroughReport<'_>) -> Block {
    let us = |one: &Option<Estimate>| one.map(|one| time(one.value) + &words::ends(&one, time));
    let seconds = |level: &Level| rough_span(Nanos(level.to_ns.saturating_sub(level.from_ns)));
    Table::of("level", &told.found.levels)
        .column(Column::left("").width(7), |level| level.span.name())
        .column(Column::right("lasted").width(9), seconds)
        .column(Column::right("IOPS (95 %)").width(24), |level| {
            number(level.rate.value) + &words::ends(&level.rate, number)
        })
        .column(Column::right("p99 (95 %)").width(30), move |level| us(&level.p99_us))
        .column(Column::right("longest").width(9), |level| rough_span(level.longest))
        .column(Column::right("failed").width(7), |level| level.errors)
        .done()
}

fn about_levels(told: &ThroughReport<'_>) -> Block {
    let above = told.found.limit.filter(|_| !told.found.levels.is_empty()).map(|limit| {
        let of = |level: &Level| Some(format!("{} {} %", level.span.name(), percent(level.above?)));
        let all: Vec<String> = told.found.levels.iter().filter_map(of).collect();
        Block::paragraph(format!("I/Os that took longer than {limit} or failed: {}.", all.join(", ")))
    });
    let none = told.found.levels.is_empty().then(|| Block::paragraph("There are no levels to compare."));
    Block::part(above.into_iter().chain(none).collect())
}

/// A mark, or an event of the load.
struct Row {
    at_ns: u64,
    at: String,
    who: &'static str,
    what: String,
}

fn rows(told: &ThroughReport<'_>) -> Vec<Row> {
    let found = told.found;
    let row = |at_ns, who, what| Row { at_ns, at: words::moment(at_ns), who, what };
    let marks = found.marks.iter().map(|mark| row(mark.run_ns, words::who(mark), mark.marked.words()));
    let troubles = found.trouble.troubles.iter().map(|one| row(one.began_ns, "load", trouble(one)));
    let back = found.trouble.back_ns.filter(|_| found.has_trouble());
    let back = back.map(|ns| row(ns, "load", "rate and p99 are back".to_owned()));
    let far = found
        .far_alone()
        .map(|one| row(one.began_ns, "load", format!("an I/O began that took {}", rough_span(one.length))));
    let mut all: Vec<Row> = marks.chain(troubles).chain(back).chain(far).collect();
    all.sort_by_key(|row| row.at_ns);
    all
}

fn trouble(one: &Trouble) -> String {
    let lasted = rough_span(Nanos(one.ended_ns.saturating_sub(one.began_ns)));
    match one.kind {
        TroubleKind::Standstill => format!("nothing completed for at least {lasted}"),
        TroubleKind::Errors => format!("{} I/Os failed within {lasted}", one.errors),
        TroubleKind::Slow => format!("slow for {lasted}, p99 up to {}", time(us_from_ns(to_f64(one.p99_ns)))),
        TroubleKind::Low => format!("low rate for {lasted}"),
    }
}

fn timeline(told: &ThroughReport<'_>, room: Room) -> Vec<Block> {
    let mut rows = rows(told);
    if rows.is_empty() {
        return vec![Block::paragraph("Nothing was marked, and nothing happened.")];
    }
    let left = if room.is_wide() { 0 } else { rows.len().saturating_sub(MOST_SHOWN) };
    rows.truncate(rows.len() - left);
    let table = Table::of("row", &rows)
        .column(Column::right("after").width(9), |row| row.at.clone())
        .column(Column::left("who").width(5), |row| row.who)
        .column(Column::left("what"), |row| row.what.clone())
        .done();
    let more = (left > 0).then(|| Block::paragraph(format!("{left} more; --json and the page have them.")));
    std::iter::once(table).chain(more).collect()
}

/// Rate and latency over the time of load, with the marks.
fn picture(told: &ThroughReport<'_>) -> Option<Block> {
    let found = told.found;
    let step = found.course.len().div_ceil(MOST_DOTS).max(1);
    let seconds = |ns: u64| to_f64(ns) / 1e9;
    let line = |name: &str, figure: &dyn Fn(&Figures) -> Option<f64>, worst: fn(f64, f64) -> f64| {
        let dot = |part: &[Figures]| {
            let up = part.iter().filter_map(figure).reduce(worst)?;
            Some(Dot { across: seconds(part.first()?.began_ns), up, ends: None })
        };
        Line { name: name.to_owned(), dots: found.course.chunks(step).filter_map(dot).collect() }
    };
    let us = |ns: u64| us_from_ns(to_f64(ns));
    let marks: Vec<(f64, String)> =
        found.marks.iter().take(MOST_NAMED).map(|mark| (seconds(mark.run_ns), mark.marked.words())).collect();
    let band = found.trouble.sign.filter(|_| found.has_trouble()).map(|sign| {
        (seconds(sign.at_ns), seconds(found.trouble.back_ns.unwrap_or(found.lasted.1)), "during".to_owned())
    });
    let panel = |title: &str, up: Axis, lines: Vec<Line>, marks: Vec<(f64, String)>| Panel {
        title: title.to_owned(),
        shape: Shape::Lines(Lines {
            across: Axis::linear("seconds of the run", short),
            up,
            lines,
            limit: None,
            band: band.clone(),
            marks,
        }),
    };
    let rate = vec![line("", &|one| Some(one.rate()), f64::min)];
    let p99 = line("p99", &|one| one.p99_ns().map(us), f64::max);
    let longest = line("longest", &|one| Some(one.longest_ns).filter(|&ns| ns > 0).map(us), f64::max);
    let values: Vec<f64> = p99.dots.iter().chain(&longest.dots).map(|dot| dot.up).collect();
    Picture::of([
        panel("IOPS", Axis::linear("IOPS", short), rate, marks.clone()),
        panel("Latency", Axis::spread("latency", time, values.into_iter()), vec![p99, longest], marks),
    ])
}

fn about(told: &ThroughReport<'_>) -> Block {
    let header = &told.record.header;
    let node = header.nodes.first();
    let facts = [
        ("Host", format!("{}, {} CPUs", node.host.kernel, node.host.cpus)),
        ("Engine", node.engine.kind.name().to_owned()),
        ("Seed", header.request.seed.to_string()),
        ("Command", format!("rigel run {}", header.request.command_line.trim_end())),
    ];
    Block::evidence("Run", facts.map(|(name, text)| (name.to_owned(), text)).into())
}
