//! What is shown about a soak: the answer, the faults, a row for each phase and class, the targets, the drives, and on a page rates and
//! latencies over the whole time.
//!
//! Must not judge, and must not leave out a recorded fault without saying so.

use super::{SoakReport, TargetDocument, drives, words};
use crate::document::{Block, Blocks, Chart, Column, Document, Kind, Paragraph, Room, Table};
use crate::judgement::Tone;
use crate::nodes;
use crate::text::Ink;
use rigel_core::load::class::{Class, Figure};
use rigel_core::units::say::two_units as lasted;
use rigel_core::units::say::{counted, number, short, time};
use rigel_core::units::{mbps, to_f64, us_from_ns};
use rigel_uses::soak::{Change, DriveFindings, PhaseFindings, PhaseIo};

/// Faults, failures and targets that a text shows; JSON has more.
const MOST_SHOWN: usize = 20;

impl Document for SoakReport<'_> {
    fn blocks(&self, room: Room) -> Blocks {
        let (wrong, failed) = (words::findings(self), words::failures(self));
        let mut all = verdict(self, room);
        if room.is_wide() {
            all.extend([sentences("Wrong blocks", &wrong), sentences("Failed I/Os", &failed), charts(self)]);
            all.push(Block::section("Phases", vec![phases(self)]));
            all.extend(nodes::blocks(words::nodes(self), room));
            all.extend([targets(self), logs(self), about(self)]);
        } else {
            all.push(list("Wrong blocks", wrong, self.found.verified.faults.all()));
            all.push(list("Failed I/Os", failed, self.found.errors));
            all.extend([Block::part(vec![short_phases(self)]), loads(self)]);
            all.extend(nodes::blocks(words::nodes(self), room));
            all.push(short_targets(self));
            let drives = drives::lines(self.found);
            let count = drives.len() as u64;
            all.push(list("Drives whose logs were read", drives, count));
        }
        all.into()
    }
}

fn verdict(told: &SoakReport<'_>, room: Room) -> Vec<Block> {
    let sentences = words::sentences(told);
    if room.is_wide() {
        let tone = match told.found {
            found if found.is_faulty() => Tone::DoNotUse,
            found if found.has_delays() => Tone::UseWithCare,
            _ => Tone::Good,
        };
        let (shown, others) = sentences.split_at(sentences.len().min(2));
        let mut all = vec![Block::Verdict { tone, sentences: shown.to_vec() }];
        all.extend(super::page::picture(told));
        all.push(Block::section("Why", others.iter().map(Block::paragraph).collect()).of_kind(Kind::Why));
        return all;
    }
    let ink = if told.found.is_faulty() { Ink::Invalid } else { Ink::Heading };
    let mut sentences = sentences.into_iter();
    let head = sentences.next().map(|head| Paragraph::labelled("", 0, head).painted(ink).into());
    head.into_iter().chain(sentences.map(Block::paragraph)).collect()
}

/// As many of the sentences as fit into a text, after their number.
fn list(name: &str, mut lines: Vec<String>, all: u64) -> Block {
    if lines.is_empty() {
        return Block::part(Vec::new());
    }
    let left = lines.len().saturating_sub(MOST_SHOWN);
    lines.truncate(MOST_SHOWN);
    let more = || Block::whole("  ", format!("{left} more were kept; see --json"));
    let blocks = [Block::whole("", format!("{name}: {all}")), Block::List(lines)];
    Block::part(blocks.into_iter().chain((left > 0).then(more)).collect())
}

/// All of them, which a page can fold.
fn sentences(name: &str, lines: &[String]) -> Block {
    let table = || Table::of("line", lines).column(Column::left(name), String::clone).done();
    Block::section(name, (!lines.is_empty()).then(table).into_iter().collect())
}

fn charts(told: &SoakReport<'_>) -> Block {
    let mut about = vec![
        "Each point is an interval; the line is broken where the phase changes. A dashed line marks where \
         the soak resumed after an interruption, a \
         cross where an I/O failed or a block was wrong.",
    ];
    let mut charts = Vec::new();
    for class in &told.record.header.request.classes {
        let name = class.name.name();
        let of = format!("of {name} I/O over the time of load");
        charts.push(Chart::new(format!("rate-{name}"), "Rate", of.clone()));
        charts.push(Chart::new(format!("latency-{name}"), "Latency", of));
    }
    if told.found.beside.is_some() {
        about.push(
            "The share taken follows the share allowed; in a short interval it may be an I/O more or less.",
        );
        let of = "of the time of each target that the soak took, and was allowed";
        charts.push(Chart::new("share", "Share", of));
    }
    Block::drawn("Over time", &about, charts)
}

/// A class in a phase.
type Row<'a> = (&'a PhaseFindings, Class, &'a PhaseIo);

fn rows<'a>(told: &SoakReport<'a>) -> Vec<Row<'a>> {
    let of = |phase: &'a PhaseFindings| phase.classes.iter().map(move |(class, io)| (phase, *class, io));
    told.found.phases.iter().flat_map(of).collect()
}

fn phases(told: &SoakReport<'_>) -> Block {
    let us = |us: Option<f64>| us.map(time);
    let right = Column::right;
    Table::of("row", &rows(told))
        .column(Column::left("Phase"), |(phase, ..)| words::phase_in_words(told, phase))
        .column(Column::left("Class"), |(_, class, _)| class.to_string())
        .column(right("Lasted"), |(phase, ..)| lasted(phase.lasted))
        .column(right("IOPS"), |(.., io)| number(io.iops()))
        .column(right("MBPS"), |(.., io)| number(mbps(io.bytes, io.lasted.0)))
        .column(right("Mean"), |(.., io)| us(io.latency.mean_ns().map(us_from_ns)))
        .column(right("p99"), |(.., io)| us(io.beyond_us(10_000)))
        .column(right("p99.9"), |(.., io)| us(io.beyond_us(1000)))
        .column(right("Longest"), |(.., io)| us(words::max_us(io)))
        .column(right("Failed"), |(.., io)| io.errors)
        .column(right("Wrong blocks"), |(.., io)| io.wrong)
        .done()
}

fn short_phases(told: &SoakReport<'_>) -> Block {
    let ms = |us: Option<f64>| us.map(|us| short(us / 1000.0));
    let is_first = |phase: &PhaseFindings, class: &Class| phase.classes.keys().next() == Some(class);
    let right = |head: &str| Column::right(head).width(7);
    Table::of("row", &rows(told))
        .column(Column::left("phase").width(22), |(phase, class, _)| {
            let name = || format!("{}, {}", words::phase_of(told.record, phase.number), lasted(phase.lasted));
            if is_first(phase, class) { name() } else { String::new() }
        })
        .column(Column::left("class").width(6), |(_, class, _)| class.name().to_owned())
        .column(Column::right("rate").width(10), |(_, class, io)| {
            match told.record.header.request.class(*class).map(|class| &class.figure) {
                Some(Figure::Mbps) => format!("{} MBPS", short(mbps(io.bytes, io.lasted.0))),
                _ => format!("{} IOPS", short(io.iops())),
            }
        })
        .column(right("mean ms"), |(.., io)| ms(io.latency.mean_ns().map(us_from_ns)))
        .column(right("p99"), |(.., io)| ms(io.beyond_us(10_000)))
        .column(right("p99.9"), |(.., io)| ms(io.beyond_us(1000)))
        .column(right("longest"), |(.., io)| ms(words::max_us(io)))
        .column(Column::right("bad").width(4), |(.., io)| short(to_f64(io.wrong.saturating_add(io.errors))))
        .done()
}

/// The phases of the table.
fn loads(told: &SoakReport<'_>) -> Block {
    let load = |phase: &PhaseFindings| {
        let (number, load) = (words::phase_of(told.record, phase.number), words::load_of(told.record, phase));
        Block::paragraph(format!("Phase {number}: {load}; {}.", counted(phase.visits, "visit")))
    };
    let meaning = "Latencies in milliseconds. bad: failed I/Os and wrong blocks of 4 KiB.";
    Block::part(told.found.phases.iter().map(load).chain([Block::whole("", meaning)]).collect())
}

fn targets(told: &SoakReport<'_>) -> Block {
    if told.found.targets.is_none() {
        return Block::part(Vec::new());
    }
    let us = |us: Option<f64>| us.map(time);
    let table = Table::of("target", &super::targets(told))
        .column(Column::left("Target"), |row| row.path.clone())
        .column(Column::right("I/Os"), |row| short(to_f64(row.ios.unwrap_or(0))))
        .column(Column::right("Mean"), |row| us(row.latency_mean_us))
        .column(Column::right("Longest"), |row| us(row.latency_max_us))
        .column(Column::right("Failed"), |row| row.errors.unwrap_or(0))
        .column(Column::left(""), |row| if row.slower { "slower than the others" } else { "" })
        .done();
    let judged = words::targets_judged(told.found).map(Block::about);
    Block::section("Targets", judged.into_iter().chain([table]).collect())
}

/// The targets that failed or are slowest, if there are several.
fn short_targets(told: &SoakReport<'_>) -> Block {
    let Some(counts) = &told.found.targets else { return Block::part(Vec::new()) };
    let us = |us: Option<f64>| us.map(time);
    let mut shown: Vec<TargetDocument> = super::targets(told);
    shown.truncate(MOST_SHOWN);
    let table = Table::of("target", &shown)
        .column(Column::right("I/Os").width(9), |row| short(to_f64(row.ios.unwrap_or(0))))
        .column(Column::right("mean").width(10), |row| us(row.latency_mean_us))
        .column(Column::right("longest").width(10), |row| us(row.latency_max_us))
        .column(Column::right("failed").width(7), |row| row.errors.unwrap_or(0))
        .column(Column::left("target").gap(2), |row| row.path.clone())
        .done();
    let left = counts.ops.len().saturating_sub(MOST_SHOWN);
    let more = || Block::whole("", format!("{left} more, none of them slower; see --json"));
    let judged = words::targets_judged(told.found).map(Block::paragraph);
    Block::part(judged.into_iter().chain([table]).chain((left > 0).then(more)).collect())
}

/// The answers of the drives, a row for each counter.
fn logs(told: &SoakReport<'_>) -> Block {
    let all = drives::sorted(told.found);
    let of = |drive: &&DriveFindings| -> Vec<(String, Change)> {
        drive.changes.iter().map(|change| (drives::name(drive), *change)).collect()
    };
    let rows: Vec<(String, Change)> = all.iter().flat_map(of).collect();
    if rows.is_empty() {
        return Block::part(Vec::new());
    }
    let table = Table::of("row", &rows)
        .column(Column::left("Drive"), |(name, _)| name.clone())
        .column(Column::left("Counter"), |(_, change)| drives::label(change.counter))
        .column(Column::right("First"), |(_, change)| match change.looks {
            1 => String::new(),
            _ => drives::value(change.counter, change.first),
        })
        .column(Column::right("Last"), |(_, change)| drives::value(change.counter, change.last))
        .column(Column::left(""), |(_, change)| if change.worse { "worse" } else { "" })
        .done();
    let about = "SMART attributes, NVMe and SCSI logs at the first and last reading.";
    Block::section("Drives", vec![Block::about(about), table])
}

fn about(told: &SoakReport<'_>) -> Block {
    let header = &told.record.header;
    let node = header.nodes.first();
    let figures = format!(
        "every {}; percentiles over time are accurate to 13 %, those of phases to 1.6 %",
        told.found.soak.every
    );
    let facts = [
        ("Targets", words::targets(told.record)),
        ("Host", format!("{}, {} CPUs", node.host.kernel, node.host.cpus)),
        ("Engine", node.engine.kind.name().to_owned()),
        ("Figures", figures),
        ("Seed", header.request.seed.to_string()),
        ("Command", format!("rigel soak {}", header.request.command_line.trim_end())),
    ];
    Block::evidence("Run", facts.map(|(name, text)| (name.to_owned(), text)).into())
}
