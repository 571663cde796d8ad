//! A table of `_iops.csv`, `_mbps.csv` or `_lat.csv`, alone or several in one text, with or without the text that 11.2 writes above it.
//!
//! That text, or its columns and decimals, show what a table contains. If neither decides, it is refused. Must not know the summary.

use super::super::ToolFigure;
use super::super::cells::separator;
use super::super::text::{count, half_unit, is_ambiguous, number, shortened, whole};
use super::unit::{self, LatencyUnit};
use rigel_core::error::Problem;
use rigel_core::judge::quantity::{Figure, Quantity, Scope, What};
use rigel_core::load::class::Class;
use rigel_core::load::matrix::Point;
use rigel_core::path_text::printable;
use rigel_core::stats::Estimate;

/// The first cell of a header.
pub const HEADER: &str = "Large/Small";
/// Latencies have this many decimals before any spreadsheet rounded them.
const DECIMALS: usize = 2;

/// A line with its number.
pub type Line<'a> = (usize, &'a str);

/// What a table gives.
pub struct TableNumbers {
    /// What it contains, and how that is known.
    pub what: String,
    pub figures: Vec<ToolFigure>,
    /// Latencies of unknown unit, as if they were microseconds.
    pub unscaled: Vec<ToolFigure>,
}

/// The lines of a table.
struct Lines<'a> {
    /// The text above it.
    above: String,
    header: Line<'a>,
    rows: Vec<Line<'a>>,
}

/// Numbers with the outstanding I/Os of each, as texts.
pub(super) struct Table<'a> {
    /// Outstanding small I/Os of the columns.
    levels: Vec<u32>,
    /// Outstanding large I/Os, and the values in the order of the columns; nothing if a cell was not measured.
    rows: Vec<(u32, Vec<&'a str>)>,
    /// How wide ORION wrote the values, where the columns are as ORION writes them.
    pub(super) width: Option<usize>,
    /// Whether all its values are like `2.270` in a table that a spreadsheet wrote: thousands, or fractions.
    may_have_thousands: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum TableKind {
    Rates,
    Mbps,
    Latencies,
}

pub fn is_header(line: &str) -> bool {
    line.trim_start().trim_start_matches('"').starts_with(HEADER)
}

/// Whether lines are rows of such a table without its header, after any text.
pub fn has_lost_header(lines: &[Line<'_>]) -> bool {
    let cells = |line: &str| separator(line).map_or(0, |separator| line.split(separator).count());
    let is_row = |line: &str| {
        cells(line) > 1
            && line.split([',', ';', '\t', '|']).all(|cell| number(cell).is_some() || cell.trim().is_empty())
    };
    let filled = || lines.iter().map(|(_, line)| line.trim()).filter(|line| !line.is_empty());
    let has_text = filled().any(|line| line.to_ascii_lowercase().contains("small i"));
    let is_number = |line: &str| is_row(line) || count(line).is_some();
    filled().any(is_row) && (has_text || filled().all(is_number))
}

/// Each table of a text; `name` is that of its file, or empty.
pub fn read(lines: &[Line<'_>], name: &str) -> Result<Vec<TableNumbers>, Problem> {
    let tables = parts(lines).into_iter().map(|part| numbers(&part, name));
    let found: Vec<Option<TableNumbers>> = tables.collect::<Result<_, _>>()?;
    Ok(found.into_iter().flatten().collect())
}

/// A table is a header with the rows below; after them the text of the next one may begin.
fn parts<'a>(lines: &[Line<'a>]) -> Vec<Lines<'a>> {
    let headers: Vec<usize> = (0..lines.len()).filter(|&at| is_header(lines[at].1)).collect();
    let mut found = Vec::new();
    let mut from = 0;
    for (place, &at) in headers.iter().enumerate() {
        let next = headers.get(place + 1).copied().unwrap_or(lines.len());
        let is_last = next == lines.len();
        let begins_row = |line: &str| line.split([',', ';', '\t']).next().and_then(count).is_some();
        let rows = lines[at + 1..next]
            .iter()
            .take_while(|(_, line)| is_last || line.trim().is_empty() || begins_row(line));
        let rows: Vec<Line<'a>> = rows.copied().collect();
        // The labels and results of a summary have words of their own, which are not about the table.
        let is_text = |(_, line): &&Line<'a>| !line.contains(['=', ':', '@']);
        let above = lines[from..at].iter().filter(is_text);
        let above: String = above.map(|(_, line)| line.to_ascii_lowercase() + " ").collect();
        from = at + 1 + rows.len();
        found.push(Lines { above, header: lines[at], rows });
    }
    found
}

/// The numbers of a table; `None` of one without any.
fn numbers(lines: &Lines<'_>, name: &str) -> Result<Option<TableNumbers>, Problem> {
    let table = Table::read(lines)?;
    if table.cells().next().is_none() {
        return Ok(None);
    }
    let told = by_text(&lines.above).or_else(|| by_name(name));
    if table.may_have_thousands && told != Some(TableKind::Rates) {
        return Err(in_thousands(lines.header.0));
    }
    let kind = told.or_else(|| by_shape(&table)).ok_or_else(|| no_kind(lines.header.0))?;
    let figures = |scale: f64| {
        let mut figures: Vec<ToolFigure> =
            table.cells().filter_map(|(point, text)| figure(kind, point, text, scale)).collect();
        best(&mut figures);
        figures
    };
    let known = |what: &str, figures: Vec<ToolFigure>| TableNumbers {
        what: what.to_owned(),
        figures,
        unscaled: Vec::new(),
    };
    Ok(Some(match kind {
        TableKind::Rates => known("rates of small I/O", figures(1.0)),
        TableKind::Mbps => known("rates of large I/O", figures(1.0)),
        TableKind::Latencies => match unit::of_table(&lines.above, &table) {
            Some((unit, why)) => known(&format!("{}, {why}", unit::words(unit)), figures(unit.in_us())),
            None => TableNumbers {
                what: "mean latencies of small I/O".to_owned(),
                figures: Vec::new(),
                unscaled: figures(LatencyUnit::Us.in_us()),
            },
        },
    }))
}

impl<'a> Table<'a> {
    fn read(lines: &Lines<'a>) -> Result<Self, Problem> {
        let (at, header) = lines.header;
        let separator = separator(header).unwrap_or(',');
        let levels: Option<Vec<u32>> = cells(header, separator).iter().map(|cell| count(cell)).collect();
        let levels = levels.filter(|levels| !levels.is_empty()).ok_or_else(|| no_header(at, header))?;
        let mut rows = Vec::new();
        for (number, line) in &lines.rows {
            if line.trim().is_empty() {
                continue;
            }
            let label = fields(line, separator).next().unwrap_or_default();
            let large = count(label).ok_or_else(|| no_row(*number, line))?;
            let values = cells(line, separator);
            let is_read = |value: &&str| value.is_empty() || super::super::text::number(value).is_some();
            if values.len() > levels.len() || !values.iter().all(is_read) {
                return Err(no_row(*number, line));
            }
            rows.push((large, values));
        }
        let all: Vec<&str> = lines.rows.iter().map(|(_, line)| *line).collect();
        let is_foreign = separator != ',' || all.iter().any(|line| line.contains('"'));
        let mut values =
            rows.iter().flat_map(|(_, values)| values).filter(|value| !value.is_empty()).peekable();
        let may_have_thousands =
            is_foreign && values.peek().is_some() && values.all(|value| is_ambiguous(value));
        Ok(Self { levels, rows, width: width(header, &all), may_have_thousands })
    }

    /// What was measured, as texts.
    pub(super) fn cells(&self) -> impl Iterator<Item = (Point, &'a str)> {
        let row = |(large, values): &'_ (u32, Vec<&'a str>)| {
            let large = *large;
            let cells = values.iter().copied().zip(&self.levels).filter(|(value, _)| !value.is_empty());
            cells.map(move |(value, small)| (Point::pair(*small, large), value)).collect::<Vec<_>>()
        };
        self.rows.iter().flat_map(row).collect::<Vec<_>>().into_iter()
    }

    /// Most decimals of its values.
    pub(super) fn decimals(&self) -> usize {
        let decimals = |text: &str| text.rsplit_once(['.', ',']).map_or(0, |(_, digits)| digits.len());
        self.cells().map(|(_, text)| decimals(text)).max().unwrap_or(0)
    }
}

/// The cells of a line. A separator within quotes belongs to the cell.
fn fields(line: &str, separator: char) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    let parts = line.split(move |sign| {
        is_quoted ^= sign == '"';
        sign == separator && !is_quoted
    });
    parts.map(|cell| cell.trim().trim_matches('"').trim())
}

/// The cells after the first one. A spreadsheet adds empty ones at the end.
fn cells(line: &str, separator: char) -> Vec<&str> {
    let mut cells: Vec<&str> = fields(line, separator).skip(1).collect();
    while cells.last().is_some_and(|cell| cell.is_empty()) {
        cells.pop();
    }
    cells
}

/// The width of the values where every column is as ORION writes it: a label of 11 characters, levels of 7.
fn width(header: &str, rows: &[&str]) -> Option<usize> {
    const LABEL: usize = HEADER.len();
    const LEVEL: usize = 7;
    let cells = |line: &str| line.split(',').skip(1).map(str::len).collect::<Vec<_>>();
    let has_label = |line: &&str| line.split(',').next().is_some_and(|label| label.trim_end().len() == LABEL);
    let is_own = |line: &&&str| !line.trim().is_empty();
    let is_written = header.starts_with(HEADER)
        && cells(header).iter().all(|&width| width == LEVEL)
        && rows.iter().filter(is_own).all(has_label);
    let widths: Vec<usize> = rows.iter().flat_map(|line| cells(line.trim_end())).collect();
    let first = widths.first().copied()?;
    (is_written && widths.iter().all(|&width| width == first)).then_some(first)
}

fn figure(kind: TableKind, point: Point, text: &str, scale: f64) -> Option<ToolFigure> {
    let (what, class) = match kind {
        TableKind::Rates => (What::Rate, Class::SMALL),
        TableKind::Mbps => (What::Mbps, Class::LARGE),
        TableKind::Latencies => (What::Mean, Class::SMALL),
    };
    let value = if kind == TableKind::Rates { whole(text) } else { number(text) }?;
    let quantity = Quantity::at_points(what, class);
    let figure = Figure { quantity, estimate: Estimate::bare(scale * value), point: Some(point) };
    (point.of(class) > 0).then_some(ToolFigure { figure, half_unit: scale * half_unit(text, value) })
}

/// Adds the best of a table, as the summary has it.
fn best(figures: &mut Vec<ToolFigure>) {
    let by_value =
        |a: &&ToolFigure, b: &&ToolFigure| a.figure.estimate.value.total_cmp(&b.figure.estimate.value);
    let best = match figures.first().map(|one| one.figure.quantity.what) {
        Some(What::Mean) => figures.iter().min_by(by_value),
        _ => figures.iter().max_by(by_value),
    };
    let of_run = |one: ToolFigure| {
        let quantity = Quantity { of: Scope::Best, ..one.figure.quantity };
        ToolFigure { figure: Figure { quantity, ..one.figure }, ..one }
    };
    figures.extend(best.copied().map(of_run));
}

/// What a table contains, judged by the text above it.
fn by_text(above: &str) -> Option<TableKind> {
    let has = |word: &str| above.contains(word);
    if has("latency") || has("latencies") {
        return Some(TableKind::Latencies);
    }
    if has("mbps") {
        return Some(TableKind::Mbps);
    }
    has("iops").then_some(TableKind::Rates)
}

/// ORION calls its files `X_iops.csv`, `X_mbps.csv` and `X_lat.csv`.
fn by_name(name: &str) -> Option<TableKind> {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    match stem.rsplit_once('_')?.1 {
        "iops" => Some(TableKind::Rates),
        "mbps" => Some(TableKind::Mbps),
        "lat" => Some(TableKind::Latencies),
        _ => None,
    }
}

/// Rates of large I/O begin without small I/O, and those of small I/O have no decimals.
fn by_shape(table: &Table<'_>) -> Option<TableKind> {
    if table.levels.contains(&0) {
        return Some(TableKind::Mbps);
    }
    // A spreadsheet leaves the decimals of a round number out.
    let is_lone = table.cells().count() == 1 && table.width.is_none();
    match table.decimals() {
        0 => (!is_lone).then_some(TableKind::Rates),
        // Without the row of no large I/Os, it may be either.
        _ => table.rows.iter().any(|row| row.0 == 0).then_some(TableKind::Latencies),
    }
}

/// Whether ORION's own decimals are there.
pub(super) const fn has_own_decimals(decimals: usize) -> bool {
    decimals == DECIMALS
}

fn in_thousands(line: usize) -> Problem {
    Problem::usage("the numbers of ORION's table may be thousands or fractions")
        .at(format!("line {line}"))
        .because("a spreadsheet wrote them with a separator before three digits, and no text above the table says that they are IOPS")
        .next("write 'IOPS' above the table if they are, or give the file as ORION wrote it")
}

fn no_kind(line: usize) -> Problem {
    Problem::usage("it is unknown what ORION's table contains")
        .at(format!("line {line}"))
        .because(
            "it has no text above it, and its columns and decimals do not decide: rates of large I/O, \
            rates of small I/O or latencies",
        )
        .next(
            "give the _summary.txt of the run, or write above the table what it contains: IOPS, MBPS, \
            latency in microseconds, or latency in milliseconds",
        )
}

fn no_header(line: usize, text: &str) -> Problem {
    Problem::usage("the header of ORION's table cannot be read")
        .at(format!("line {line}"))
        .because(format!(
            "'{}' does not give the outstanding small I/Os of each column",
            printable(&shortened(text.trim()))
        ))
        .next("give the file as ORION wrote it, or the _summary.txt of the run")
}

fn no_row(line: usize, text: &str) -> Problem {
    Problem::usage("a row of ORION's table cannot be read")
        .at(format!("line {line}"))
        .because(format!(
            "'{}' is not the outstanding large I/Os and a number for each column",
            printable(&shortened(text.trim()))
        ))
        .next("give the file as ORION wrote it")
}
