//! Settings proven as text for the terminal: the answers, then a table for each setting. 80 columns wide.
//!
//! Must not leave out a value that was judged.

use super::{Proven, words};
use crate::numbers::{number, short, time};
use crate::page::Page;
use crate::text::{Ink, Style, files_section, wrapped};
use rigel_core::units::Bytes;
use rigel_core::uses::proof::page_cost::{self, Judged};
use rigel_core::uses::proof::{About, concurrency};

/// For the terminal; `files` are where the outputs are, printable.
pub fn text(proven: &Proven<'_>, style: Style, files: &[String]) -> String {
    let mut page = Page::default();
    for sentence in words::told(proven.proof) {
        wrapped(&mut page, "- ", "  ", &sentence);
    }
    if let Some(found) = &proven.proof.page_cost {
        page.blank();
        costs(&mut page, found, style);
    }
    for found in &proven.proof.concurrency {
        page.blank();
        rates(&mut page, found, style);
    }
    page.blank();
    about(&proven.proof.about).iter().for_each(|line| wrapped(&mut page, "", "  ", line));
    let files = files_section(files);
    if !files.is_empty() {
        page.blank();
        page.push(files);
    }
    page.into_string()
}

fn costs(page: &mut Page, found: &page_cost::Found, style: Style) {
    page.line("random_page_cost: time of the chosen plan over the fastest one, in the median");
    let hits = found.hit_rates.iter().map(|hits| format!("{:>6}", format!("{} %", words::share(*hits))));
    let heading = format!(
        "{:<14}{:>11}{}{:>6}{:>7} slow fast\n",
        "in memory:",
        "value",
        hits.collect::<String>(),
        "all",
        "worst"
    );
    page.push(style.painted(Ink::Heading, &heading));
    for judged in &found.judged {
        page.line(cost(judged));
    }
    wrapped(
        page,
        "",
        "  ",
        "worst: the highest ratio of any query; slow, fast: how many queries get a slower, or a faster, plan than with the default, beyond noise",
    );
}

fn cost(judged: &Judged) -> String {
    let regrets: String = judged.regrets.iter().map(|regret| format!("{:>6}", ratio(*regret))).collect();
    format!(
        "{:<14}{:>11}{regrets}{:>6}{:>7}{:>5}{:>5} {}",
        words::rule(judged.rule),
        words::values(judged).replace(" to ", ".."),
        ratio(judged.median_regret),
        ratio(judged.worst.ratio),
        judged.slower.len(),
        judged.faster.len(),
        judged.verdict.name()
    )
}

fn ratio(value: f64) -> String {
    if value < 9.995 { format!("{value:.2}") } else { format!("{value:.0}") }
}

fn rates(page: &mut Page, found: &concurrency::Found, style: Style) {
    page.line(format_args!("{}: rows per second of bitmap scans, and share of the best", found.setting));
    let sessions = found.sessions.iter().map(|number| format!("{:>18}", words::sessions(*number)));
    let width = if found.has_words() { 16 } else { 12 };
    let heading = format!("{:<width$}{}\n", "value", sessions.collect::<String>());
    page.push(style.painted(Ink::Heading, &heading));
    for judged in &found.values {
        let told = |at: &concurrency::At| format!("{:>10}{:>6.0} %", short(at.rows_per_s), 100.0 * at.share);
        let at = found
            .sessions
            .iter()
            .map(|&sessions| judged.with(sessions).map_or_else(|| format!("{:>18}", "not in time"), told));
        let is = match judged.value {
            value if value == found.default => " default",
            value if Some(value) == found.advised => " advised",
            _ => "",
        };
        page.line(format_args!(
            "{:<width$}{} {}",
            format!("{}{is}", judged.shown()),
            at.collect::<String>(),
            judged.verdict.name()
        ));
    }
    if let Some(undecided) = words::undecided(found) {
        wrapped(page, "", "  ", undecided);
    }
}

/// What was measured on.
pub fn about(about: &About) -> Vec<String> {
    let storage = &about.storage;
    vec![
        format!(
            "PostgreSQL {}, shared_buffers of {}; a table of {} with {} rows to a block and shuffled keys; up to {} rounds; seed {}.",
            about.version,
            Bytes(about.shared_buffers),
            Bytes(about.table_bytes),
            about.rows_per_block,
            about.rounds,
            about.seed
        ),
        format!(
            "The storage alone: {} for a random read of 8 KiB, {} for 8 KiB of a stream, {} times as long; {} outstanding reads saturate it.",
            time(storage.random_read_us),
            time(storage.stream_page_us),
            number(storage.ratio()),
            storage.saturating()
        ),
    ]
}
