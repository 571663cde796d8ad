//! ORION's files about a run: the summary (10.2, 11.1, 11.2, 12, 19), or a table of `_iops.csv`, `_mbps.csv`, `_lat.csv`.
//!
//! Latencies are milliseconds up to 11.1 and microseconds from 11.2 on. The tables of rates and latencies look alike; what they
//! hold is told by the text above them, or by their rows and decimals. Must not open a file.

use super::text::{bytes, count, cut_line, number, whole, whole_lines};
use super::{Baseline, ClassFacts, Content, LoadFacts, Tool};
use rigel_core::error::Problem;
use rigel_core::judge::quantity::{Figure, Quantity, Scope, What};
use rigel_core::load::class::Class;
use rigel_core::load::matrix::Point;
use rigel_core::stats::Estimate;

const HEADER: &str = "Large/Small";
const RESULTS: [&str; 3] = ["Maximum Large MBPS", "Maximum Small IOPS", "Minimum Small Latency"];
const LACKS: &[&str] = &[
    "no interval, as it visits each load level once and gives one number; how much another run would differ is not known",
    "no percentile of the latency",
];

pub fn is_orion(head: &str) -> bool {
    let is_own = |line: &str| {
        let line = line.trim_start();
        line.starts_with("ORION VERSION")
            || line.starts_with("ORION: ORacle IO Numbers")
            || line.starts_with(HEADER)
            || RESULTS.iter().any(|result| line.starts_with(result))
    };
    head.lines().any(is_own)
}

pub fn read(text: &str) -> Result<Baseline, Problem> {
    let is_table = text.lines().any(|line| line.trim_start().starts_with(HEADER));
    let found = if is_table { table(text)? } else { summary(text)? };
    Ok(found)
}

/// Takes what another file tells of the same run.
pub fn join((facts, figures): (&mut LoadFacts, &mut Vec<Figure>), (others, more): (&LoadFacts, &[Figure])) {
    for (class, other) in others {
        let own = facts.entry(*class).or_default();
        own.bytes = own.bytes.or(other.bytes);
        own.write_percent = own.write_percent.or(other.write_percent);
        own.is_sequential = own.is_sequential.or(other.is_sequential);
    }
    for figure in more {
        let same = |own: &&mut Figure| own.quantity == figure.quantity && own.place() == figure.place();
        match figures.iter_mut().find(same) {
            // A table has more digits than a summary, and the best of a table is that of its points.
            Some(own) if own.estimate.value.fract() == 0.0 => *own = *figure,
            Some(_) => {}
            None => figures.push(*figure),
        }
    }
}

/// The text behind a label at the start of a line, whatever its case.
fn behind<'a>(line: &'a str, label: &str) -> Option<&'a str> {
    let line = line.trim();
    let start = line.get(..label.len())?;
    start.eq_ignore_ascii_case(label).then(|| line[label.len()..].trim())
}

fn summary(text: &str) -> Result<Baseline, Problem> {
    let (lines, cut) = whole_lines(text);
    let first = |labels: &[&str]| {
        let found = lines.iter().find_map(|(_, line)| labels.iter().find_map(|label| behind(line, label)));
        found.map(str::to_owned)
    };
    let mut figures = Vec::new();
    for (at, line) in &lines {
        if RESULTS.iter().any(|result| behind(line, result).is_some()) {
            let found = result(line).ok_or_else(|| unread(*at, line))?;
            for figure in found {
                let is_known =
                    |own: &Figure| own.quantity == figure.quantity && own.place() == figure.place();
                if !figures.iter().any(is_known) {
                    figures.push(figure);
                }
            }
        }
    }
    if figures.is_empty() {
        let cause = cut.map_or_else(
            || "the run was aborted before its results, or the file was cut".to_owned(),
            |line| {
                let line = super::text::shortened(line);
                format!(
                    "the file ends in the middle of a line, '{}'",
                    rigel_core::path_text::printable(&line)
                )
            },
        );
        return Err(Problem::usage("the summary of ORION has no results")
            .because(cause)
            .next("give the _summary.txt of a run that ended, or its _iops.csv, _mbps.csv and _lat.csv"));
    }
    let version = first(&["ORION VERSION", "ORION: ORacle IO Numbers -- Version"]);
    let conditions = [
        ("command", first(&["Command line:", "Commandline:"])),
        ("test", first(&["Test:"])),
        ("cache size", first(&["Cache size:"])),
        ("time of a load level", first(&["Duration for each data point:"])),
        ("target", first(&["Name:"])),
        ("outstanding small I/Os", first(&["Small Columns:,"]).map(list)),
        ("outstanding large I/Os", first(&["Large Columns:,"]).map(list)),
    ];
    // The command stands on a line of its own.
    let command = lines.windows(2).find(|pair| {
        behind(pair[0].1, "Command line:").or_else(|| behind(pair[0].1, "Commandline:")).is_some()
    });
    let command = command.map(|pair| pair[1].1.trim().to_owned());
    let conditions = conditions.into_iter().filter_map(|(name, text)| {
        let text = if name == "command" { command.clone() } else { text };
        Some((name, text.filter(|text| !text.is_empty())?))
    });
    let facts = facts(&first);
    Ok(Baseline {
        tool: Tool::Orion,
        version,
        conditions: conditions.collect(),
        lacks: LACKS.to_vec(),
        passed_over: cut.map(cut_line).into_iter().collect(),
        bound: None,
        content: Content::Figures(facts, figures),
    })
}

/// `0,      1,      2` as `0, 1, 2`.
fn list(columns: String) -> String {
    columns.split(',').map(str::trim).collect::<Vec<_>>().join(", ")
}

fn unread(line: usize, text: &str) -> Problem {
    Problem::usage("a result of ORION cannot be read")
        .at(format!("line {line}"))
        .because(format!(
            "'{}' is not a number with its load (@ Small=.. and Large=..)",
            rigel_core::path_text::printable(&super::text::shortened(text.trim()))
        ))
        .next("give the file as ORION wrote it")
}

/// The sizes, the share of writes and the pattern that the summary tells.
fn facts(first: &impl Fn(&[&str]) -> Option<String>) -> LoadFacts {
    let size = |label: &str| bytes(&first(&[label])?.replace(" KB", "k").replace(" MB", "m"));
    let write_percent =
        first(&["Writes:", "Write:"]).and_then(|text| number(text.trim_end_matches('%').trim_end()));
    let types = first(&["IO types:"]).map(|types| types.to_ascii_lowercase());
    let is_sequential = types.filter(|types| types.contains("large")).map(|types| {
        let large = types.split(',').find(|part| part.contains("large")).unwrap_or_default().to_owned();
        large.contains("sequential")
    });
    let small = ClassFacts { bytes: size("Small IO size:"), write_percent, is_sequential: Some(false) };
    let large = ClassFacts { bytes: size("Large IO size:"), write_percent, is_sequential };
    LoadFacts::from([(Class::SMALL, small), (Class::LARGE, large)])
}

/// `Maximum Small IOPS=19019 @ Small=5 and Large=0`: the number of the run, and that of its point.
fn result(line: &str) -> Option<Vec<Figure>> {
    let line = line.trim();
    let (name, others) = line.split_once('=')?;
    let (value, point) = others.split_once('@')?;
    let value = value.trim();
    let (digits, unit) = value.split_once(' ').unwrap_or((value, ""));
    let value = if name.trim().ends_with("IOPS") { whole(digits) } else { number(digits) }?;
    let (small, large) = point.trim().strip_prefix("Small=")?.split_once(" and Large=")?;
    let point = Point::pair(count(small)?, count(large)?);
    let scale = match unit.trim() {
        "usecs" | "us" => 1.0,
        _ => 1000.0,
    };
    let (what, class, value) = match name.trim() {
        "Maximum Large MBPS" => (What::Mbps, Class::LARGE, value),
        "Maximum Small IOPS" => (What::Rate, Class::SMALL, value),
        "Minimum Small Latency" => (What::Mean, Class::SMALL, scale * value),
        _ => return None,
    };
    let of = |scope: Scope| Figure {
        quantity: Quantity::new(scope, what, class),
        estimate: Estimate::bare(value),
        point: Some(point),
    };
    Some(vec![of(Scope::Best), of(Scope::Point)])
}

/// What a table holds.
#[derive(Clone, Copy, PartialEq)]
enum TableKind {
    Iops,
    Mbps,
    Us,
    Ms,
}

/// A row of a table: large I/Os, and the values in the order of the header.
type Row<'a> = (u32, Vec<&'a str>);

fn table(text: &str) -> Result<Baseline, Problem> {
    let (lines, cut) = whole_lines(text);
    let is_header = |(_, line): &&(usize, &str)| line.trim_start().starts_with(HEADER);
    let at = lines.iter().position(|line| is_header(&line)).ok_or_else(|| no_rows(cut))?;
    let levels: Vec<u32> = lines[at].1.split(',').skip(1).filter_map(count).collect();
    let mut rows: Vec<Row<'_>> = Vec::new();
    for (number, line) in &lines[at + 1..] {
        if line.trim().is_empty() {
            continue;
        }
        let mut cells = line.split(',').map(str::trim);
        let large = cells.next().and_then(count).ok_or_else(|| no_row(*number, line))?;
        let values: Vec<&str> = cells.collect();
        if values.len() > levels.len() || values.iter().any(|value| super::text::number(value).is_none()) {
            return Err(no_row(*number, line));
        }
        rows.push((large, values));
    }
    let above: String = lines[..at].iter().map(|(_, line)| line.to_ascii_lowercase() + " ").collect();
    let kind = kind(&above, &levels, &rows).ok_or_else(|| no_rows(cut))?;
    let mut figures = Vec::new();
    for (large, values) in &rows {
        let cells = values.iter().zip(&levels).filter_map(|(value, small)| Some((*small, number(value)?)));
        figures.extend(cells.filter_map(|(small, value)| figure(kind, Point::pair(small, *large), value)));
    }
    if figures.is_empty() {
        return Err(no_rows(cut));
    }
    best(&mut figures);
    let what = match kind {
        TableKind::Iops => "rates of small I/O",
        TableKind::Mbps => "rates of large I/O",
        TableKind::Us => "mean latencies of small I/O in microseconds",
        TableKind::Ms => "mean latencies of small I/O in milliseconds",
    };
    Ok(Baseline {
        tool: Tool::Orion,
        version: None,
        conditions: vec![("table", what.to_owned())],
        lacks: LACKS.to_vec(),
        passed_over: cut.map(cut_line).into_iter().collect(),
        bound: None,
        content: Content::Figures(LoadFacts::new(), figures),
    })
}

fn figure(kind: TableKind, point: Point, value: f64) -> Option<Figure> {
    let (what, class, value) = match kind {
        TableKind::Iops => (What::Rate, Class::SMALL, value),
        TableKind::Mbps => (What::Mbps, Class::LARGE, value),
        TableKind::Us => (What::Mean, Class::SMALL, value),
        TableKind::Ms => (What::Mean, Class::SMALL, 1000.0 * value),
    };
    let quantity = Quantity::at_points(what, class);
    (point.of(class) > 0).then_some(Figure { quantity, estimate: Estimate::bare(value), point: Some(point) })
}

/// Adds the best of a table, as the summary has it.
fn best(figures: &mut Vec<Figure>) {
    let by_value = |a: &&Figure, b: &&Figure| a.estimate.value.total_cmp(&b.estimate.value);
    let best = match figures.first().map(|figure| figure.quantity.what) {
        Some(What::Mean) => figures.iter().min_by(by_value),
        _ => figures.iter().max_by(by_value),
    };
    let best =
        best.copied().map(|one| Figure { quantity: Quantity { of: Scope::Best, ..one.quantity }, ..one });
    figures.extend(best);
}

/// What a table holds, by the text above it, or by its rows and decimals.
fn kind(above: &str, levels: &[u32], rows: &[Row<'_>]) -> Option<TableKind> {
    let has = |word: &str| above.contains(word);
    if has("latency") || has("latencies") {
        return Some(if has("millisecond") { TableKind::Ms } else { TableKind::Us });
    }
    if has("mbps") {
        return Some(TableKind::Mbps);
    }
    if has("iops") {
        return Some(TableKind::Iops);
    }
    let decimals = |value: &&str| value.split_once('.').map_or(0, |(_, digits)| digits.len());
    let decimals = rows.iter().flat_map(|row| &row.1).map(decimals).max()?;
    let has_no_small = levels.contains(&0) || rows.iter().all(|row| row.0 > 0);
    Some(match decimals {
        _ if has_no_small => TableKind::Mbps,
        0 => TableKind::Iops,
        1 | 2 => TableKind::Ms,
        _ => TableKind::Us,
    })
}

fn no_row(line: usize, text: &str) -> Problem {
    Problem::usage("a row of ORION's table cannot be read")
        .at(format!("line {line}"))
        .because(format!(
            "'{}' is not the outstanding large I/Os and a number for each column",
            rigel_core::path_text::printable(&super::text::shortened(text.trim()))
        ))
        .next("give the file as ORION wrote it")
}

fn no_rows(cut: Option<&str>) -> Problem {
    let cause =
        if cut.is_some() { "the file is cut" } else { "the run was aborted before its first load level" };
    Problem::usage("the table of ORION holds no number")
        .because(cause)
        .next("give the _iops.csv, _mbps.csv or _lat.csv of a run that ended, or its _summary.txt")
}
