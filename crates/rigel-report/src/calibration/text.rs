//! Answers for people: a line for each figure, 80 columns wide.
//!
//! Must not depend on where a document came from: a run or the history.

use super::past::another;
use super::{Document, Figure};
use crate::numbers::{counted, percent, time, trimmed};
use crate::page::Page;
use crate::text::{Style, verdict_lines, wrapped};
use rigel_core::judge::flags::Flag;
use rigel_core::path_text::printable;
use rigel_core::stats::bound::{LatencyOf, relation};

/// The answers of one calibration.
pub fn answers(found: &Document, style: Style) -> String {
    let mut page = Page::default();
    wrapped(&mut page, "Calibration of ", "  ", &printable(&found.targets.join(", ")));
    page.line(format_args!("run {}, {}", printable(&found.run), printable(&found.started)));
    page.blank();
    if let Some(verdict) = &found.verdict {
        page.push(verdict_lines(verdict, style));
        page.blank();
    }
    // The verdict has said that it ended before.
    if found.complete || found.has_figures() {
        page.push(figures(found));
    }
    if found.verdict.is_none() {
        flags(&mut page, &found.flags);
    }
    style.spelled(page.into_string())
}

/// A line for each figure.
pub(crate) fn figures(found: &Document) -> String {
    let mut page = Page::default();
    let which = found.percentile.name();
    let is_above = found.actual_latency_ms.is_some_and(|actual| actual.mean > found.max_latency_ms);
    let bound = format!("IOPS {} a {which} latency of {}", relation(is_above), limit(found.max_latency_ms));
    figure(&mut page, "max_iops", found.max_iops, 0, &bound);
    if let Some(reason) = &found.reason {
        wrapped(&mut page, "                  ", "                  ", &printable(reason));
    }
    let at = found.outstanding.map_or_else(String::new, |level| format!(", with {level} outstanding"));
    latency(&mut page, "actual_latency", found.actual_latency_ms, 1000.0, &at);
    figure(&mut page, "unbounded_iops", found.unbounded_iops, 0, "IOPS at any latency");
    figure(&mut page, "max_mbps", found.max_mbps, 2, "MBPS of many large streams");
    figure(&mut page, "max_pmbps", found.max_pmbps, 2, "MBPS of one large stream");
    let of = if found.percentile == LatencyOf::Mean { String::new() } else { format!(" ({which})") };
    let alone = format!("{of} with one small I/O outstanding");
    latency(&mut page, "latency_at_1", found.latency_at_1_us, 1.0, &alone);
    if let Some(n_sat) = found.n_sat {
        let least = if n_sat.saturated { "" } else { "at least " };
        page.line(format_args!(
            "{:<15}{:>12}        outstanding small I/Os saturate it",
            "n_sat",
            format!("{least}{}-{}", n_sat.lo, n_sat.hi)
        ));
    }
    commits(&mut page, found);
    page.into_string()
}

/// What commits cost, or why that is not known, where there is something to tell.
fn commits(page: &mut Page, found: &Document) {
    if found.commit_latency_us.is_some() {
        latency(page, "commit_latency", found.commit_latency_us, 1.0, " for a commit of one writer (dsync)");
        latency(page, "with_fdatasync", found.commit_fdatasync_us, 1.0, " for it with a flush instead");
        latency(page, "without_sync", found.commit_unsynced_us, 1.0, " for the same write, not durable");
        let writers = found.commit_writers.unwrap_or(0);
        let unit = format!("commits/s of {} (dsync)", counted(writers, "writer"));
        figure(page, "max_commits", found.max_commits, 0, &unit);
    }
    if let Some(reason) = found.commits_news() {
        wrapped(page, "commits        ", "  ", &format!("not measured, because {}", printable(reason)));
    }
}

/// A bound on the latency as it was asked for, which [`time`] would round.
fn limit(ms: f64) -> String {
    match ms {
        _ if ms < 1.0 => format!("{} us", trimmed(1000.0 * ms)),
        _ if ms < 1000.0 => format!("{} ms", trimmed(ms)),
        _ => format!("{} s", trimmed(ms / 1000.0)),
    }
}

fn figure(page: &mut Page, name: &str, found: Option<Figure>, decimals: usize, unit: &str) {
    line(page, name, found, &mean(found, decimals), unit);
}

/// A figure that is `us` microseconds for each of its units, in the unit that suits it.
fn latency(page: &mut Page, name: &str, found: Option<Figure>, us: f64, more: &str) {
    let text = found.map_or_else(|| "- us".to_owned(), |found| time(us * found.mean));
    let (value, unit) = text.split_once(' ').unwrap_or((&text, ""));
    line(page, name, found, value, &format!("{unit}{more}"));
}

fn line(page: &mut Page, name: &str, found: Option<Figure>, value: &str, unit: &str) {
    let width = found.and_then(|found| found.width());
    let width = width.map_or_else(String::new, |width| format!("±{} %", percent(width)));
    page.line(format_args!("{name:<15}{value:>12} {width:<7} {unit}"));
}

fn mean(found: Option<Figure>, decimals: usize) -> String {
    found.map_or_else(|| "-".to_owned(), |found| format!("{:.decimals$}", found.mean))
}

/// A paragraph with every flag; nothing when there is none.
fn flags(page: &mut Page, flags: &[Flag]) {
    if !flags.is_empty() {
        page.blank();
    }
    for flag in flags {
        let mark = if flag.invalid { "! " } else { "" };
        wrapped(page, mark, "    ", &format!("{}: {}", flag.code.name(), printable(&flag.text)));
    }
    if flags.iter().any(|flag| flag.invalid) {
        page.line("! some numbers must not be used, as that flag says");
    }
}

/// Calibrations of the past, the newest first: a line each, as DBA_RSRC_IO_CALIBRATE had one row.
pub fn history(all: &[Document]) -> String {
    let mut page = Page::default();
    if all.is_empty() {
        page.line("No calibration is known yet.");
        return page.into_string();
    }
    page.line(format_args!(
        "{:<16} {:>9} {:>8} {:>6} {:>9} {:>9} {:>9} {:>9}  Targets",
        "Start", "max_iops", "ms", "at", "unbounded", "max_mbps", "max_pmbps", "commit_us"
    ));
    for found in all {
        let start: String = found.started.chars().take(16).collect();
        page.line(format_args!(
            "{:<16} {:>9} {:>8} {:>6} {:>9} {:>9} {:>9} {:>9}  {}",
            printable(&start.replace('T', " ")),
            mean(found.max_iops, 0),
            mean(found.actual_latency_ms, 3),
            found.outstanding.map_or_else(|| "-".to_owned(), |level| level.to_string()),
            mean(found.unbounded_iops, 0),
            mean(found.max_mbps, 1),
            mean(found.max_pmbps, 1),
            mean(found.commit_latency_us, 1),
            printable(&found.targets.join(", "))
        ));
    }
    page.blank();
    another(all).iter().for_each(|told| wrapped(&mut page, "", "  ", told));
    page.into_string()
}
