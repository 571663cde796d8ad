//! The row of PostgreSQL's table `rigel.io_calibration` as CSV, or as psql draws it: the columns of Oracle's view, and some of its own, by which it is
//! known.
//!
//! Must not read Oracle's.

use super::super::cells::{csv, separator};
use super::super::text::{number, whole, whole_lines};
use super::super::{Baseline, ClassFacts, Content, Figures, LoadFacts, Tool, ToolFigure};
use super::{LACKS, document};
use rigel_core::error::Problem;
use rigel_core::judge::answers::{MAX_IOPS, MAX_MBPS, MAX_PMBPS};
use rigel_core::judge::quantity::{Figure, Quantity};
use rigel_core::load::class::{Class, Span};
use rigel_core::stats::Estimate;
use rigel_core::stats::bound::{LatencyBound, LatencyOf};
use rigel_core::units::Nanos;
use rigel_core::units::say::trimmed;
use std::collections::BTreeMap;

/// Every calibration has this one.
const RATE: &str = "max_iops";
/// Columns that Oracle's view does not have: one of these groups says that the row is Rigel's.
const OWN: [&[&str]; 2] = [&["max_latency"], &["files", "bytes"]];
/// The document with the intervals and the flags.
const DOCUMENT: &str = "additional_info";
const NO_INTERVAL: &str = "no interval, because the row lacks the column additional_info, which has them";
/// Rates of the row are whole numbers.
const HALF_UNIT: f64 = 0.5;
/// The size that `calibrate_io()` reads with.
const SMALL_BYTES: u64 = 8 << 10;
const LARGE_BYTES: u64 = 1 << 20;

type Cells = BTreeMap<String, String>;

/// Whether a text has the columns of Rigel's table.
pub fn is_row(text: &str) -> bool {
    let (lines, _) = whole_lines(text);
    let lines: Vec<&str> = lines.into_iter().map(|(_, line)| line).collect();
    header(&lines).is_some() || is_own(&down(&lines).into_keys().collect::<Vec<_>>())
}

fn is_own(names: &[String]) -> bool {
    let has = |name: &str| names.iter().any(|own| own == name);
    has(RATE) && OWN.iter().any(|group| group.iter().all(|name| has(name)))
}

/// The line of the names of the columns, with its separator.
fn header(lines: &[&str]) -> Option<(usize, char)> {
    lines.iter().enumerate().find_map(|(at, line)| {
        let separator = separator(line)?;
        is_own(&names(line, separator)).then_some((at, separator))
    })
}

fn names(line: &str, separator: char) -> Vec<String> {
    csv(line, separator).iter().map(|name| name.to_ascii_lowercase()).collect()
}

/// A column in a line, as `psql -x` draws it: `max_iops | 18341`.
fn down(lines: &[&str]) -> Cells {
    let cell = |line: &&str| {
        let (name, text) = line.split_once('|')?;
        let is_name = |c: char| c.is_ascii_lowercase() || c == '_';
        let name = name.trim();
        (!name.is_empty() && name.chars().all(is_name)).then(|| (name.to_owned(), text.trim().to_owned()))
    };
    lines.iter().filter_map(cell).collect()
}

/// The first row under the names, or the columns in a line each.
fn cells(text: &str) -> Option<Cells> {
    let (lines, _) = whole_lines(text);
    let lines: Vec<&str> = lines.into_iter().map(|(_, line)| line).collect();
    let Some((at, separator)) = header(&lines) else { return Some(down(&lines)) };
    let is_row = |line: &&&str| !line.trim().is_empty() && !line.chars().all(|c| "-+| ".contains(c));
    let row = csv(lines[at + 1..].iter().find(is_row)?, separator);
    // psql ends with the number of rows.
    (row.len() > 1).then(|| names(lines[at], separator).into_iter().zip(row).collect())
}

pub fn read(text: &str) -> Result<Baseline, Problem> {
    let cells = cells(text).ok_or_else(nothing)?;
    if let Some(info) = cells.get(DOCUMENT).filter(|info| info.starts_with('{')) {
        return document(info);
    }
    let text_of = |name: &str| cells.get(name).map(String::as_str).unwrap_or_default();
    let figure = |quantity: Quantity, name: &str| {
        let estimate = Estimate::bare(whole(text_of(name)).filter(|value| *value > 0.0)?);
        Some(ToolFigure { figure: Figure { quantity, estimate, point: None }, half_unit: HALF_UNIT })
    };
    let figures = [figure(MAX_IOPS, RATE), figure(MAX_MBPS, "max_mbps"), figure(MAX_PMBPS, "max_pmbps")];
    let figures: Vec<ToolFigure> = figures.into_iter().flatten().collect();
    if figures.is_empty() {
        return Err(nothing());
    }
    let limit = number(text_of("max_latency")).filter(|ms| *ms > 0.0);
    let in_ms = |name: &str| number(text_of(name)).map(|ms| format!("{} ms", trimmed(ms)));
    let conditions =
        [("latency limit", in_ms("max_latency")), ("mean latency at max_iops", in_ms("latency"))];
    let reads = |bytes, is_sequential| ClassFacts {
        bytes: Some(bytes),
        write_percent: Some(0.0),
        is_sequential,
        span: Some(Span::Whole),
        ..ClassFacts::default()
    };
    let facts = LoadFacts::from([
        (Class::SMALL, reads(SMALL_BYTES, Some(false))),
        (Class::LARGE, reads(LARGE_BYTES, None)),
    ]);
    Ok(Baseline {
        tool: Tool::Calibration,
        version: None,
        conditions: conditions.into_iter().filter_map(|(name, text)| Some((name, text?))).collect(),
        lacks: [NO_INTERVAL].into_iter().chain(LACKS.iter().copied()).collect(),
        passed_over: Vec::new(),
        bound: limit.and_then(bound),
        ran_s: None,
        content: Content::Figures(Figures::new(facts, figures)),
    })
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "of a time, and it saturates")]
fn bound(ms: f64) -> Option<LatencyBound> {
    let limit = Nanos((ms * 1e6).round() as u64);
    (limit.0 > 0).then_some(LatencyBound { limit, of: LatencyOf::Mean })
}

fn nothing() -> Problem {
    Problem::usage("the row of rigel.io_calibration contains no figure")
        .because("it is truncated, or the calibration ended before it had measured anything")
        .next("give the whole row: psql --csv -c 'TABLE rigel.io_calibration'")
}
