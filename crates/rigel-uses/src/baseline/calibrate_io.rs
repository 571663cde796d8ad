//! The answer of `DBMS_RESOURCE_MANAGER.CALIBRATE_IO`: the row of `DBA_RSRC_IO_CALIBRATE` as CSV, as SQL*Plus or psql draw it, or
//! a column in a line; or the lines that the procedure prints.
//!
//! Must not run a query.

mod exported;

use super::cells::{csv, dashes, separator, under, without_tabs};
use super::text::{cut_line, number, whole, whole_lines};
use super::{Baseline, ClassFacts, Content, Figures, LoadFacts, Tool, ToolFigure};
use rigel_core::error::Problem;
use rigel_core::judge::answers::{MAX_IOPS, MAX_MBPS, MAX_PMBPS, UNBOUNDED_IOPS};
use rigel_core::judge::quantity::{Figure, Quantity};
use rigel_core::load::class::{Class, Span};
use rigel_core::stats::Estimate;
use rigel_core::units::say::trimmed;
use std::collections::BTreeMap;

const LACKS: &[&str] = &[
    "no interval, because it stores one number; how much another calibration would differ is not known",
    "no latency limit, because max_latency of the call (20 ms unless given) is not stored: max_iops is \
     compared with that of any limit",
    "no I/O sizes; small I/Os usually have the block size of the database, large ones 1 MiB",
];
/// The columns that are numbers, as people also write them.
const COLUMNS: [(&str, &[&str]); 5] = [
    ("MAX_IOPS", &["MAX_IOPS", "MAX IOPS"]),
    ("MAX_MBPS", &["MAX_MBPS", "MAX MBPS", "MAX MB/S"]),
    ("MAX_PMBPS", &["MAX_PMBPS", "MAX PMBPS"]),
    ("LATENCY", &["LATENCY", "ACTUAL_LATENCY", "ACTUAL LATENCY"]),
    ("NUM_PHYSICAL_DISKS", &["NUM_PHYSICAL_DISKS", "NUM_DISKS"]),
];
const GIVE: &str = "give the row of DBA_RSRC_IO_CALIBRATE with its column names: select max_iops, max_mbps, max_pmbps, latency, \
                    num_physical_disks from dba_rsrc_io_calibrate";

/// For its rates, which are whole numbers.
const HALF_UNIT: f64 = 0.5;

type Values = BTreeMap<&'static str, f64>;

pub fn is_calibrate_io(head: &str) -> bool {
    let head = head.to_ascii_uppercase();
    let is_status = head.contains("CALIBRATION_TIME") && head.contains("STATUS");
    is_status || (names(&head, "MAX_IOPS") && (names(&head, "MAX_MBPS") || names(&head, "LATENCY")))
}

/// Whether a text, in capitals, has a column under one of its names.
fn names(text: &str, column: &str) -> bool {
    COLUMNS.iter().filter(|own| own.0 == column).flat_map(|own| own.1).any(|name| text.contains(name))
}

pub fn read(text: &str) -> Result<Baseline, Problem> {
    let (lines, cut) = whole_lines(text);
    // What people paste has no end of a line, and a value of a single line has nothing to be compared with.
    let lines: Vec<String> = lines.iter().map(|(_, line)| without_tabs(line)).collect();
    let mut passed_over: Vec<String> = cut.map(cut_line).into_iter().collect();
    let values = exported::values(text, &mut passed_over)
        .or_else(|| drawn(&lines, &mut passed_over))
        .or_else(|| separated(text, &mut passed_over))
        .unwrap_or_else(|| named(&lines, &mut passed_over));
    if lines.iter().flat_map(|line| line.split([' ', ',', '|', ';', '"'])).any(is_too_wide) {
        passed_over.push("a number that was too wide for its column (####)".to_owned());
    }
    let number_of = |column: &str| values.get(column).copied().filter(|value| *value > 0.0);
    let figure = |quantity: Quantity, column: &str| {
        let figure = Figure { quantity, estimate: Estimate::bare(number_of(column)?), point: None };
        Some(ToolFigure { figure, half_unit: HALF_UNIT })
    };
    // The bound of the other side may never bind: then its highest rate is what corresponds.
    let figures: Vec<ToolFigure> = [
        figure(MAX_IOPS, "MAX_IOPS"),
        figure(UNBOUNDED_IOPS, "MAX_IOPS"),
        figure(MAX_MBPS, "MAX_MBPS"),
        figure(MAX_PMBPS, "MAX_PMBPS"),
    ]
    .into_iter()
    .flatten()
    .collect();
    if figures.is_empty() {
        return Err(nothing(&lines, cut));
    }
    let condition = |name: &'static str, column: &str, unit: &str| {
        Some((name, format!("{}{unit}", trimmed(number_of(column)?))))
    };
    let conditions = [
        condition("physical disks as given", "NUM_PHYSICAL_DISKS", ""),
        condition("mean latency at max_iops", "LATENCY", " ms"),
    ];
    let reads = ClassFacts {
        write_percent: Some(0.0),
        is_sequential: Some(false),
        span: Some(Span::Whole),
        ..ClassFacts::default()
    };
    let large = ClassFacts { is_sequential: None, ..reads };
    Ok(Baseline {
        tool: Tool::CalibrateIo,
        version: None,
        conditions: conditions.into_iter().flatten().collect(),
        lacks: LACKS.to_vec(),
        passed_over,
        bound: None,
        ran_s: None,
        content: Content::Figures(Figures::new(
            LoadFacts::from([(Class::SMALL, reads), (Class::LARGE, large)]),
            figures,
        )),
    })
}

/// What SQL*Plus writes in place of a number that is too wide.
fn is_too_wide(word: &str) -> bool {
    word.len() > 2 && word.bytes().all(|byte| byte == b'#')
}

fn nothing(lines: &[String], cut: Option<&str>) -> Problem {
    let upper = lines.join(" ").to_ascii_uppercase();
    let error = lines.iter().map(|line| line.trim()).find(|line| line.starts_with("ORA-"));
    if let Some(error) = error {
        let error = rigel_core::path_text::printable(&super::text::shortened(error)).into_owned();
        return Problem::usage("the text of CALIBRATE_IO contains no result")
            .because(format!("Oracle failed: '{error}'"))
            .next(GIVE);
    }
    let cause = if cut.is_some() {
        "the text is cut off before its numbers"
    } else if lines.iter().flat_map(|line| line.split_whitespace()).any(is_too_wide) {
        "its numbers are too wide for their columns (####): SET NUMWIDTH 12"
    } else if upper.contains("NO ROWS SELECTED") {
        "the query found no row, as in a database that was never calibrated"
    } else if upper.contains("NOT AVAILABLE")
        || (upper.contains("CALIBRATION_TIME") && !names(&upper, "MAX_IOPS"))
    {
        "V$IO_CALIBRATION_STATUS only says whether there are results"
    } else {
        "the columns are empty, as in a database that was never calibrated"
    };
    Problem::usage("the text of CALIBRATE_IO contains no result").because(cause).next(GIVE)
}

/// The column of a name.
fn column(name: &str) -> Option<&'static str> {
    let name = name.trim().trim_matches('"').trim_end_matches('.').to_ascii_uppercase();
    let name = name.strip_prefix("L_").unwrap_or(&name);
    COLUMNS.iter().find(|own| own.1.contains(&name)).map(|own| own.0)
}

/// The value of a column. All but latencies are whole numbers.
fn value(column: &str, text: &str) -> Option<f64> {
    if column == "LATENCY" { number(text) } else { whole(text) }
}

/// The values of a row under the names of a header.
fn row(header: &[String], cells: &[String]) -> Values {
    let known = header.iter().zip(cells).filter_map(|(name, cell)| {
        let column = column(name)?;
        Some((column, value(column, cell)?))
    });
    known.collect()
}

/// SQL*Plus: names, dashes below them, rows. Columns that do not fit into a line have their own lines, in the same order.
fn drawn(lines: &[String], passed_over: &mut Vec<String>) -> Option<Values> {
    let rules: Vec<usize> = (1..lines.len()).filter(|&at| dashes(&lines[at]).is_some()).collect();
    let last = *rules.last()?;
    let rows: Vec<&String> = lines[last + 1..].iter().filter(|line| !line.trim().is_empty()).collect();
    let mut values = Values::new();
    for (part, &at) in rules.iter().enumerate() {
        let starts = dashes(&lines[at])?;
        let header = under(&lines[at - 1], &starts);
        // Numbers stand on the right, and end where their dashes do.
        if let Some(cells) = rows.get(part) {
            values.extend(row(&header, &under(cells, &starts)));
        }
    }
    let is_more = |line: &&String| line.split_whitespace().all(|cell| number(cell).is_some());
    if rules.len() == 1 && rows.iter().skip(1).any(is_more) {
        passed_over.push("further rows: one calibration is one row".to_owned());
    }
    (!values.is_empty()).then_some(values)
}

/// CSV, or the table of psql with bars.
fn separated(text: &str, passed_over: &mut Vec<String>) -> Option<Values> {
    let (lines, _) = whole_lines(text);
    let lines: Vec<&str> = lines.iter().map(|(_, line)| *line).collect();
    let is_header = |line: &&str| column_names(line) >= 2;
    let at = lines.iter().position(is_header)?;
    let separator = separator(lines[at])?;
    let header = csv(lines[at], separator);
    let is_row = |line: &&&str| !line.trim().is_empty() && !line.chars().all(|c| "-+| ".contains(c));
    let rows: Vec<Values> =
        lines[at + 1..].iter().filter(is_row).map(|line| row(&header, &csv(line, separator))).collect();
    let mut rows = rows.into_iter().filter(|row| !row.is_empty());
    let first = rows.next()?;
    if rows.next().is_some() {
        passed_over.push("further rows: one calibration is one row".to_owned());
    }
    Some(first)
}

fn column_names(line: &str) -> usize {
    separator(line).map_or(0, |separator| csv(line, separator).iter().filter_map(|cell| column(cell)).count())
}

/// Values of one result, of which one is rounded, differ by less than this, as a share.
const ROUNDED: f64 = 0.01;

/// A name and its value in each line: `max_iops = 11518`, `MAX_IOPS : 11518`, and psql's `max_iops | 11518`. The first of each name, which has the most digits.
fn named(lines: &[String], passed_over: &mut Vec<String>) -> Values {
    let mut values = Values::new();
    let mut has_more = false;
    for line in lines {
        let Some((name, text)) = line.split_once([':', '=', '|']) else { continue };
        let digits = text.trim().split(' ').next().unwrap_or_default();
        let Some(column) = column(name) else { continue };
        if let Some(value) = value(column, digits) {
            let first = *values.entry(column).or_insert(value);
            has_more |= column.starts_with("MAX_") && (value - first).abs() > ROUNDED * first.abs();
        }
    }
    if has_more {
        passed_over
            .push("further results: the text has several calibrations, and the first is read".to_owned());
    }
    values
}
