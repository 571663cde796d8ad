//! A soak as one HTML page: the answer, rates and latencies over the whole time with the faults on the same axis, tables of phases and targets.
//!
//! In the same shell and with the same kit as other pages. Must not leave out a fault.

use super::{Told, drives, words};
use crate::duration::words as lasted;
use crate::html::assets;
use crate::html::markup::{Column, Text, chart, close_table, list, open_table};
use crate::html::nodes;
use crate::html::shell::Shell;
use crate::html::verdict::tone_class;
use crate::json::compact;
use crate::numbers::{number, short, time};
use crate::page::Page;
use crate::verdict::Tone;
use rigel_core::error::Problem;
use rigel_core::load::class::{Class, Figure};
use rigel_core::units::{Nanos, mbps, to_f64, us_from_ns};
use rigel_core::uses::soak::{Moment, MomentBeside, MomentIo, PhaseFound};
use serde::Serialize;

/// A longer table is folded.
const MOST_ROWS: usize = 60;
/// Most points of a line: more would be drawn over each other, so several intervals become one.
const MOST_POINTS: usize = 1500;

/// What the script draws.
#[derive(Serialize)]
struct Figures {
    /// The loads of the phases.
    phases: Vec<String>,
    classes: Vec<ClassFigures>,
    /// Beside production: hours of load, number of the phase, per cent of the time taken, per cent allowed.
    beside: Vec<(f64, u64, f64, f64)>,
    /// Hours of load at which it went on after an interruption.
    interruptions: Vec<f64>,
}

#[derive(Serialize)]
struct ClassFigures {
    name: String,
    unit: &'static str,
    rows: Vec<Row>,
}

/// Hours of load, number of the phase, rate, latencies in microseconds (median, 99th percentile, longest), failed I/Os, wrong blocks.
type Row = (f64, u64, f64, [Option<f64>; 3], u64, u64);

pub(super) fn page(told: &Told<'_>) -> Result<Vec<u8>, Problem> {
    let header = &told.record.header;
    let title =
        header.request.label.as_ref().map_or_else(|| "Soak".to_owned(), |label| format!("Soak of {label}"));
    let on = words::targets(told.record);
    let when = format!(
        "<p class=\"when\">{}<br>{}<br>{}</p>",
        Text(&on),
        Text(&header.run_id),
        Text(&header.started)
    );
    let shell = Shell {
        title: &title,
        heading: format!("<h1>{}</h1>{when}", Text(&title)),
        made_from: "the record",
        script: &assets::SOAK,
        figures: &[("soak".to_owned(), compact(&figures(told))?)],
    };
    Ok(shell.page(|page| {
        verdict(page, told);
        page.line("<p class=\"no-charts\">The charts are drawn by the script of this page, which did not run; the tables hold the figures of every phase.</p>");
        lines(page, "Wrong blocks", &words::findings(told));
        lines(page, "Failed I/Os", &words::failures(told));
        charts(page, told);
        phases(page, told);
        nodes::section(page, words::nodes(told));
        targets(page, told);
        logs(page, told);
        about(page, told);
    }))
}

fn phase_in_words(told: &Told<'_>, phase: &PhaseFound) -> String {
    format!("{}: {}", words::phase_of(told.record, phase.number), words::load_of(told.record, phase))
}

fn hours(ns: u64) -> f64 {
    Nanos(ns).seconds() / 3600.0
}

fn figures(told: &Told<'_>) -> Figures {
    let found = told.found;
    let class = |class: &rigel_core::load::class::LoadClass| {
        let in_bytes = class.figure == Figure::Mbps;
        ClassFigures {
            name: class.name.name().to_owned(),
            unit: if in_bytes { "MBPS" } else { "IOPS" },
            rows: rows(told, class.name, if in_bytes { mbps(class.io_bytes(), 1_000_000_000) } else { 1.0 }),
        }
    };
    Figures {
        phases: found.phases.iter().map(|phase| phase_in_words(told, phase)).collect(),
        classes: told.record.header.request.classes.iter().map(class).collect(),
        beside: shares(told),
        interruptions: found.interruptions.iter().map(|one| hours(one.run.0)).collect(),
    }
}

/// The intervals of a class, so many in one that the chart can show them; never two phases in one.
fn rows(told: &Told<'_>, class: Class, factor: f64) -> Vec<Row> {
    let own: Vec<(&Moment, &MomentIo)> =
        told.found.course.iter().filter_map(|moment| Some((moment, moment.ios.get(&class)?))).collect();
    let each = own.len().div_ceil(MOST_POINTS).max(1);
    let visits = own.chunk_by(|(one, _), (next, _)| one.phase == next.phase);
    visits.flat_map(|visit| visit.chunks(each)).filter_map(|part| joined(part, factor)).collect()
}

/// What was taken and allowed beside production, so many intervals in one that the chart can show them: the most that was taken, the least that was allowed.
fn shares(told: &Told<'_>) -> Vec<(f64, u64, f64, f64)> {
    let course = told.found.course.iter();
    let own: Vec<(&Moment, MomentBeside)> =
        course.filter_map(|moment| Some((moment, moment.beside?))).collect();
    let each = own.len().div_ceil(MOST_POINTS).max(1);
    let joined = |part: &[(&Moment, MomentBeside)]| {
        let (first, _) = part.first()?;
        let taken = part.iter().map(|(_, one)| one.taken).fold(0.0, f64::max);
        let allowed = part.iter().map(|(_, one)| one.allowed).fold(1.0, f64::min);
        Some((hours(first.began_ns), first.phase, 100.0 * taken, 100.0 * allowed))
    };
    own.chunks(each).filter_map(joined).collect()
}

/// The mean of the rates, and the worst of everything else that several intervals say.
fn joined(part: &[(&Moment, &MomentIo)], factor: f64) -> Option<Row> {
    let (first, _) = part.first()?;
    let rate = factor * part.iter().map(|(_, io)| io.iops).sum::<f64>() / to_f64(part.len() as u64);
    let worst = |of: fn(&MomentIo) -> Option<f64>| part.iter().filter_map(|(_, io)| of(io)).reduce(f64::max);
    let sum = |of: fn(&MomentIo) -> u64| part.iter().map(|(_, io)| of(io)).fold(0, u64::saturating_add);
    let latencies = [worst(|io| io.p50_us), worst(|io| io.p99_us), worst(|io| io.max_us)];
    Some((hours(first.began_ns), first.phase, rate, latencies, sum(|io| io.errors), sum(|io| io.wrong)))
}

fn verdict(page: &mut Page, told: &Told<'_>) {
    let tone = match told.found {
        found if found.is_faulty() => Tone::DoNotUse,
        found if found.has_delays() => Tone::UseWithCare,
        _ => Tone::Good,
    };
    page.line(format_args!("<section class=\"verdict{}\" aria-label=\"Verdict\">", tone_class(tone)));
    let mut sentences = words::told(told).into_iter();
    for sentence in sentences.by_ref().take(1) {
        page.line(format_args!("<p class=\"head\"><strong>{}</strong></p>", Text(&sentence)));
    }
    sentences.for_each(|sentence| page.line(format_args!("<p>{}</p>", Text(&sentence))));
    page.line("</section>");
}

fn charts(page: &mut Page, told: &Told<'_>) {
    page.line(
        "<section class=\"drawn-only\">\n<h2>Over time</h2>\n<p class=\"about\">Each point is an interval; the line is broken where the phase changes. A \
         dashed line stands where the soak went on after an interruption, a cross where an I/O failed or a block was wrong.</p>",
    );
    if told.found.beside.is_some() {
        page.line(
            "<p class=\"about\">The share that it took follows the share that it was allowed; in a short interval it may be an I/O more or less.</p>",
        );
    }
    page.line("<div class=\"charts\">");
    for class in &told.record.header.request.classes {
        let name = class.name.name();
        chart(page, format_args!("rate-{name}"), "Rate", format_args!("of {name} I/O over the time of load"));
        chart(
            page,
            format_args!("latency-{name}"),
            "Latency",
            format_args!("of {name} I/O over the time of load"),
        );
    }
    if told.found.beside.is_some() {
        chart(page, "share", "Share", "of the time of each target that the soak took, and was allowed");
    }
    page.line("</div>\n</section>");
}

fn lines(page: &mut Page, name: &str, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    page.line(format_args!("<section>\n<h2>{name}</h2>"));
    open_table(page, &[(name, false)], lines.len(), MOST_ROWS, "line");
    lines.iter().for_each(|line| page.line(format_args!("<tr><td>{}</td></tr>", Text(line))));
    close_table(page);
    page.line("</section>");
}

fn phases(page: &mut Page, told: &Told<'_>) {
    page.line("<section>\n<h2>Phases</h2>");
    let numbers = ["Lasted", "IOPS", "MBPS", "Mean", "p99", "p99.9", "Longest", "Failed", "Wrong blocks"];
    let mut columns: Vec<Column<'_>> = vec![("Phase", false), ("Class", false)];
    columns.extend(numbers.map(|name| (name, true)));
    let rows = told.found.phases.iter().map(|phase| phase.classes.len()).sum();
    open_table(page, &columns, rows, MOST_ROWS, "row");
    let of = |us: Option<f64>| us.map_or_else(|| "-".to_owned(), time);
    for phase in &told.found.phases {
        let load = phase_in_words(told, phase);
        for (class, io) in &phase.classes {
            let cells = [
                lasted(phase.lasted),
                number(io.iops()),
                number(mbps(io.bytes, io.lasted.0)),
                of(io.latency.mean_ns().map(us_from_ns)),
                of(io.beyond_us(10_000)),
                of(io.beyond_us(1000)),
                of(words::max_us(io)),
                io.errors.to_string(),
                io.wrong.to_string(),
            ];
            page.line(format_args!("<tr><td>{}</td><td>{class}</td>{}</tr>", Text(&load), numbered(&cells)));
        }
    }
    close_table(page);
    page.line("</section>");
}

fn numbered(cells: &[String]) -> String {
    cells.iter().map(|cell| format!("<td class=\"n\">{cell}</td>")).collect()
}

fn targets(page: &mut Page, told: &Told<'_>) {
    if told.found.targets.is_none() {
        return;
    }
    page.line("<section>\n<h2>Targets</h2>");
    if let Some(text) = words::targets_judged(told.found) {
        page.line(format_args!("<p class=\"about\">{}</p>", Text(&text)));
    }
    let rows = super::targets(told);
    let columns: [Column<'_>; 6] =
        [("Target", false), ("I/Os", true), ("Mean", true), ("Longest", true), ("Failed", true), ("", false)];
    open_table(page, &columns, rows.len(), MOST_ROWS, "target");
    for row in rows {
        let of = |us: Option<f64>| us.map_or_else(|| "-".to_owned(), time);
        let cells = [
            short(to_f64(row.ios.unwrap_or(0))),
            of(row.latency_mean_us),
            of(row.latency_max_us),
            row.errors.unwrap_or(0).to_string(),
        ];
        let slow = if row.slower { "slower than the others" } else { "" };
        page.line(format_args!("<tr><td>{}</td>{}<td>{slow}</td></tr>", Text(&row.path), numbered(&cells)));
    }
    close_table(page);
    page.line("</section>");
}

/// What the drives told, a row for each counter.
fn logs(page: &mut Page, told: &Told<'_>) {
    let all = drives::sorted(told.found);
    let rows = all.iter().map(|drive| drive.changes.len()).sum();
    if rows == 0 {
        return;
    }
    page.line("<section>\n<h2>Drives</h2>\n<p class=\"about\">SMART attributes, NVMe and SCSI logs at the first and the last look.</p>");
    let columns: [Column<'_>; 5] =
        [("Drive", false), ("Counter", false), ("First", true), ("Last", true), ("", false)];
    open_table(page, &columns, rows, MOST_ROWS, "row");
    for drive in all {
        for change in &drive.changes {
            let mut cells = [change.first, change.last].map(|value| drives::value(change.counter, value));
            if change.looks == 1 {
                cells[0].clear();
            }
            page.line(format_args!(
                "<tr><td>{}</td><td>{}</td>{}<td>{}</td></tr>",
                Text(&drives::name(drive)),
                drives::label(change.counter),
                numbered(&cells),
                if change.worse { "speaks against it" } else { "" }
            ));
        }
    }
    close_table(page);
    page.line("</section>");
}

fn about(page: &mut Page, told: &Told<'_>) {
    let header = &told.record.header;
    let node = header.nodes.first();
    page.line("<section id=\"evidence\">\n<h2>Run</h2>");
    let figures = format!(
        "every {}; percentiles over time are known to 13 %, those of phases to 1.6 %",
        told.found.soak.every
    );
    list(
        page,
        &[
            ("Targets", words::targets(told.record)),
            ("Host", format!("{}, {} CPUs", node.host.kernel, node.host.cpus)),
            ("Engine", node.engine.kind.name().to_owned()),
            ("Figures", figures),
            ("Seed", header.request.seed.to_string()),
            ("Command", format!("rigel soak {}", header.request.command_line.trim_end())),
        ],
    );
    page.line("</section>");
}
