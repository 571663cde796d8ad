//! What a soak found, for people: the answer, the faults, a row for each phase and class, the targets. Must not judge.

use super::{Told, drives, words};
use crate::duration::words as lasted;
use crate::numbers::{counted, short, time};
use crate::page::Page;
use crate::text::{Ink, Style, nodes_section, paragraph, wrapped};
use rigel_core::load::class::Figure;
use rigel_core::units::{mbps, to_f64, us_from_ns};
use rigel_core::uses::soak::PhaseIo;

/// Faults, failures and targets that are shown; JSON has more.
const MOST_SHOWN: usize = 20;

/// The text; `files` are the outputs, the record first.
pub fn text(told: &Told<'_>, style: Style, files: &[String]) -> String {
    let mut page = Page::default();
    let mut sentences = words::told(told).into_iter();
    let ink = if told.found.is_faulty() { Ink::Invalid } else { Ink::Heading };
    if let Some(head) = sentences.next() {
        page.push(style.painted(ink, &paragraph(&head)));
    }
    sentences.for_each(|sentence| wrapped(&mut page, "", "", &sentence));
    list(&mut page, "Wrong blocks", &words::findings(told), told.found.verified.faults.all());
    list(&mut page, "Failed I/Os", &words::failures(told), told.found.errors);
    phases(&mut page, told, style);
    nodes_section(&mut page, words::nodes(told));
    targets(&mut page, told, style);
    let drives = drives::lines(told.found);
    list(&mut page, "Drives that told their logs", &drives, drives.len() as u64);
    for (number, file) in files.iter().enumerate() {
        if number == 0 {
            page.blank();
        }
        page.line(format_args!("{}  {file}", if number == 0 { "record" } else { "output" }));
    }
    page.into_string()
}

fn list(page: &mut Page, name: &str, lines: &[String], all: u64) {
    if lines.is_empty() {
        return;
    }
    page.blank();
    page.line(format_args!("{name}: {all}"));
    lines.iter().take(MOST_SHOWN).for_each(|line| wrapped(page, "- ", "  ", line));
    if let more @ 1.. = lines.len().saturating_sub(MOST_SHOWN) {
        page.line(format_args!("  {more} more of those that were kept; --json has them"));
    }
}

fn phases(page: &mut Page, told: &Told<'_>, style: Style) {
    page.blank();
    let heading = format!(
        "{:<22} {:<6} {:>10} {:>7} {:>7} {:>7} {:>7} {:>4}",
        "phase", "class", "rate", "mean ms", "p99", "p99.9", "longest", "bad"
    );
    page.line(style.painted(Ink::Heading, &heading));
    for phase in &told.found.phases {
        let name = format!("{}, {}", words::phase_of(told.record, phase.number), lasted(phase.lasted));
        for (place, (class, io)) in phase.classes.iter().enumerate() {
            let figure = told.record.header.request.class(*class).map(|class| &class.figure);
            let rate = match figure {
                Some(Figure::Mbps) => format!("{} MBPS", short(mbps(io.bytes, io.lasted.0))),
                _ => format!("{} IOPS", short(io.iops())),
            };
            page.line(format_args!(
                "{:<22} {:<6} {rate:>10} {:>7} {:>7} {:>7} {:>7} {:>4}",
                if place == 0 { name.as_str() } else { "" },
                class.name(),
                ms(io.latency.mean_ns().map(us_from_ns)),
                ms(io.beyond_us(10_000)),
                ms(io.beyond_us(1000)),
                ms(words::max_us(io)),
                bad(io)
            ));
        }
    }
    page.blank();
    for phase in &told.found.phases {
        let (number, load) = (words::phase_of(told.record, phase.number), words::load_of(told.record, phase));
        wrapped(page, "", "", &format!("Phase {number}: {load}; {}.", counted(phase.visits, "visit")));
    }
    page.line("Latencies in milliseconds. bad: failed I/Os and wrong blocks of 4 KiB.");
}

fn ms(us: Option<f64>) -> String {
    us.map_or_else(|| "-".to_owned(), |us| short(us / 1000.0))
}

fn bad(io: &PhaseIo) -> String {
    short(to_f64(io.wrong.saturating_add(io.errors)))
}

/// The targets that failed or are slowest, where there are several.
fn targets(page: &mut Page, told: &Told<'_>, style: Style) {
    let Some(counts) = &told.found.targets else { return };
    page.blank();
    if let Some(text) = words::targets_judged(told.found) {
        wrapped(page, "", "", &text);
    }
    let heading = format!("{:>9} {:>10} {:>10} {:>7}  target", "I/Os", "mean", "longest", "failed");
    page.line(style.painted(Ink::Heading, &heading));
    let rows = super::targets(told);
    for row in rows.iter().take(MOST_SHOWN) {
        page.line(format_args!(
            "{:>9} {:>10} {:>10} {:>7}  {}",
            short(to_f64(row.ios.unwrap_or(0))),
            row.latency_mean_us.map_or_else(|| "-".to_owned(), time),
            row.latency_max_us.map_or_else(|| "-".to_owned(), time),
            row.errors.unwrap_or(0),
            row.path
        ));
    }
    if let more @ 1.. = counts.ops.len().saturating_sub(MOST_SHOWN) {
        page.line(format_args!("{more} more, none of them slower; --json has them"));
    }
}
