//! The lines, columns and cells of a table, as ORION or a spreadsheet wrote them.
//!
//! Must not know what they are numbers of.

use super::super::cells::separator;
use super::super::text::{count, is_ambiguous, shortened};
use rigel_core::error::Problem;
use rigel_core::load::matrix::Point;
use rigel_core::path_text::printable;

/// The first cell of a header.
pub const HEADER: &str = "Large/Small";
/// Latencies have this many decimals before any spreadsheet rounded them.
const DECIMALS: usize = 2;

/// A line with its number.
pub type Line<'a> = (usize, &'a str);

/// The lines of a table.
pub(super) struct Lines<'a> {
    /// The text above it.
    pub(super) above: String,
    pub(super) header: Line<'a>,
    pub(super) rows: Vec<Line<'a>>,
}

/// Numbers with the outstanding I/Os of each, as texts.
pub(super) struct Table<'a> {
    /// Outstanding small I/Os of the columns.
    pub(super) levels: Vec<u32>,
    /// Outstanding large I/Os, and the values in the order of the columns; nothing if a cell was not measured.
    pub(super) rows: Vec<(u32, Vec<&'a str>)>,
    /// The width of the values, if the columns are as ORION writes them.
    pub(super) width: Option<usize>,
    /// Whether all its values look like `2.270` in a table that a spreadsheet wrote: thousands, or fractions.
    pub(super) may_have_thousands: bool,
}

impl<'a> Table<'a> {
    pub(super) fn read(lines: &Lines<'a>) -> Result<Self, Problem> {
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

/// Whether ORION's own decimals are there.
pub(super) const fn has_own_decimals(decimals: usize) -> bool {
    decimals == DECIMALS
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
