//! CSV with a line of column names, as database clients and spreadsheets write it: the text that they print around the rows is not data.
//!
//! The line of names shows which sign parts the fields. A last line without its end was cut off, unless its last field is in quotes. Must not know
//! what a column means.

mod client;
mod synonyms;

use super::lines::Lines;
use super::seen::wrong;
use super::{Format, SampleSink};
use client::Remark;
use csv_core::{ReadRecordResult, Reader, ReaderBuilder};
use rigel_core::error::Problem;

/// Lines that may precede the column names.
pub const MOST_BEFORE: usize = 40;
/// Fields of a line.
const MOST_FIELDS: usize = 256;

/// Field separators: of clients, of spreadsheets with decimal commas, and of copied text.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// A line without a byte order mark and the prompts of SQL*Plus, which it writes when its input is not a terminal.
pub fn without_prompt(line: &[u8]) -> &[u8] {
    // A tab at the end is an empty field; a page of SQL*Plus begins with a form feed.
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\r' | b'\n' | b'\x0c');
    let mut line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    line = &line[line.iter().take_while(|byte| is_blank(byte)).count()..];
    line = &line[..line.len() - line.iter().rev().take_while(|byte| is_blank(byte)).count()];
    while let Some(rest) = line.strip_prefix(b"SQL>") {
        line = rest.trim_ascii_start();
    }
    line
}

/// A file of CSV that comes in pieces.
pub struct Csv {
    lines: Lines,
    table: Table,
}

struct Table {
    format: Format,
    heading: Option<Heading>,
    fields: Fields,
    /// Errors that the client printed between the rows.
    errors: u64,
}

/// A line whose fields have names.
pub struct Row<'a> {
    heading: &'a Heading,
    fields: &'a Fields,
    /// The number of the line.
    pub line: u64,
}

impl Csv {
    /// For a format that knows its column names.
    pub fn of(format: Format) -> Self {
        let table = Table { format, heading: None, fields: Fields::default(), errors: 0 };
        Self { lines: Lines::of_csv(), table }
    }

    /// Passes on each complete row.
    pub fn cut(
        &mut self,
        bytes: &[u8],
        mut each: impl FnMut(&Row<'_>) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        let Self { lines, table } = self;
        lines.cut(bytes, |line, number| table.line(line, number, &mut each))
    }

    /// Passes on the last row, if it has no line feed and is complete anyway. Returns whether something was truncated.
    pub fn end(&mut self, mut each: impl FnMut(&Row<'_>) -> Result<(), Problem>) -> Result<bool, Problem> {
        let Self { lines, table } = self;
        let mut is_cut = false;
        lines.end(|line, number| {
            // Of a number nobody knows whether it goes on.
            is_cut = table.is_row(line) && !line.ends_with(b"\"");
            if is_cut { Ok(()) } else { table.line(line, number, &mut each) }
        })?;
        Ok(is_cut)
    }

    /// Reports what the client said about missing rows, and a truncated last line.
    pub fn tell(&self, is_cut: bool, out: &mut SampleSink<'_>) {
        if is_cut {
            out.seen.notes.insert("the file ends in the middle of a line: that line is left out");
        }
        if self.table.errors > 0 {
            out.seen
                .notes
                .insert("the client reported errors (ORA- or SP2-) between the rows: some may be missing");
        }
    }
}

impl Table {
    /// Whether a line is one of the rows, or would be.
    fn is_row(&mut self, line: &[u8]) -> bool {
        let text = without_prompt(line);
        let Some(heading) = &self.heading else { return false };
        let count = self.fields.read(text, heading.delimiter);
        Remark::of(text, heading.delimiter).is_none()
            && !text.is_empty()
            && !heading.is_repeated(&self.fields, count)
    }

    fn line(
        &mut self,
        line: &[u8],
        number: u64,
        each: &mut impl FnMut(&Row<'_>) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        let text = without_prompt(line);
        let Some(heading) = &self.heading else {
            if Format::of_heading(text).is_some() {
                self.heading = Heading::of(text);
            }
            self.errors += u64::from(Remark::of(text, b',') == Some(Remark::Error));
            return Ok(());
        };
        // A command that SQL*Plus repeats behind its prompt has no comma.
        if text.is_empty() || (line.starts_with(b"SQL>") && !text.contains(&heading.delimiter)) {
            return Ok(());
        }
        let count = self.fields.read(text, heading.delimiter);
        if heading.is_repeated(&self.fields, count) {
            return Ok(());
        }
        if count != Some(heading.len()) {
            return match Remark::of(text, heading.delimiter) {
                Some(remark) => {
                    self.errors += u64::from(remark == Remark::Error);
                    Ok(())
                }
                None => Err(self.format.miscounted(number, count.unwrap_or(0), heading.len())),
            };
        }
        let may_be_rule = text.starts_with(b"-") || text.starts_with(b"\"-");
        if may_be_rule && Remark::of(text, heading.delimiter) == Some(Remark::Rule) {
            return Ok(());
        }
        each(&Row { heading, fields: &self.fields, line: number })
    }
}

impl Format {
    fn miscounted(self, line: u64, columns: usize, names: usize) -> Problem {
        let problem = wrong(line, format!("there are {columns} columns but {names} names"));
        match self {
            Self::PgStatIoCsv => {
                problem.because("the file is truncated, or contains snapshots of two PostgreSQL versions")
            }
            _ => problem
                .because("the file is truncated, or its numbers have decimal commas")
                .next("run the documented query again; it sets NLS_NUMERIC_CHARACTERS"),
        }
    }
}

impl Row<'_> {
    /// Whether the column exists.
    pub fn has(&self, name: &str) -> bool {
        self.heading.place(name).is_some()
    }

    /// The text in a column; empty if it does not exist.
    pub fn text(&self, name: &str) -> &str {
        self.heading.place(name).map_or("", |at| self.fields.text(at)).trim()
    }

    /// The number in a column; `None` if there is none, or it is ambiguous.
    pub fn number(&self, name: &str) -> Option<f64> {
        let is_local = self.heading.delimiter != b',';
        let text = self.text(name);
        // Beside a number with a comma for decimals, `1.234` has a group of thousands.
        let has_comma = || (0..self.heading.len()).any(|at| has_decimal_comma(self.fields.text(at).trim()));
        if is_local && is_grouped(text) && has_comma() {
            return text.replace('.', "").parse().ok();
        }
        number(text, is_local)
    }
}

/// Whether a number has an exponent and fewer digits than it counts: `1.2346E+11` of SQL*Plus and of spreadsheets. The difference of two such counters is lost.
pub fn has_lost_digits(text: &str) -> bool {
    let Some((digits, exponent)) = text.trim().split_once(['e', 'E']) else { return false };
    let decimals = digits.rsplit_once(['.', ',']).map_or(0, |(_, decimals)| decimals.len());
    exponent.parse::<usize>().is_ok_and(|exponent| exponent > decimals)
}

/// The message for such a number.
pub fn lost_digits(text: &str, column: &str, line: u64) -> Problem {
    wrong(line, format!("'{}' in the column {column} has lost its last digits", super::seen::shown(text)))
        .because("SQL*Plus and spreadsheets round a number that is too wide for its column, and the difference of two such counters is unknown")
        .next("run the query again, after SET NUMWIDTH 20 in SQL*Plus, and do not save its result from a spreadsheet")
}

/// Whether it can only be a number with points as group separators, or one with a decimal point: `1.234`, `1.234.567`.
fn is_grouped(text: &str) -> bool {
    let mut groups = text.trim_start_matches(['-', '+']).split('.');
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let first = groups.next().unwrap_or_default();
    let mut others = groups.peekable();
    is_digits(first)
        && first.len() <= 3
        && !first.starts_with('0')
        && others.peek().is_some()
        && others.all(|group| group.len() == 3 && is_digits(group))
}

/// Whether it is a number with one decimal comma.
fn has_decimal_comma(text: &str) -> bool {
    text.split_once(',').is_some_and(|(whole, decimals)| {
        let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        is_digits(&whole.trim_start_matches(['-', '+']).replace('.', "")) && is_digits(decimals)
    })
}

/// A number with a decimal point or comma. Unless a decimal comma is certain, `1,234` may be either.
fn number(text: &str, is_local: bool) -> Option<f64> {
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    if let Some((whole, decimals)) =
        text.split_once('.').filter(|(whole, _)| is_grouped(&whole.replace(',', ".")))
    {
        // Where a point stands behind it, a comma is one of thousands.
        return format!("{}.{decimals}", whole.replace(',', "")).parse().ok();
    }
    let (whole, decimals) = text.rsplit_once(',')?;
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let of_group = whole.trim_start_matches(['-', '+']);
    let may_be_group = decimals.len() == 3 && (1..=3).contains(&of_group.len()) && !of_group.starts_with('0');
    let is_grouped = of_group.contains('.')
        && of_group.split('.').skip(1).all(|group| group.len() == 3)
        && of_group.split('.').all(is_digits);
    // Behind decimals an exponent may stand.
    let is_plain = is_digits(of_group) && (is_local || !may_be_group);
    (is_plain || is_grouped).then(|| format!("{}.{decimals}", whole.replace('.', "")).parse().ok())?
}

/// The names of columns, in lower case.
#[derive(Clone, Debug, Default)]
pub struct Heading {
    /// Our names.
    names: Vec<String>,
    /// The names in the file.
    told: Vec<String>,
    /// The field separator.
    delimiter: u8,
}

impl Heading {
    /// From the first line; `None` if it names fewer than two columns. The separator is the one that gives the most fields.
    pub fn of(line: &[u8]) -> Option<Self> {
        let of = |delimiter: u8| {
            let mut fields = Fields::default();
            let count = fields.read(line, delimiter)?;
            let name = |at: usize| fields.text(at).trim().to_ascii_lowercase();
            let told: Vec<String> = (0..count).map(name).collect();
            // Clients show names of columns with blanks.
            let names = told.iter().map(|name| name.replace(' ', "_")).collect();
            Some(Self { names: synonyms::ours(names), told, delimiter })
        };
        let most = DELIMITERS
            .into_iter()
            .filter_map(of)
            .reduce(|one, next| if next.len() > one.len() { next } else { one });
        most.filter(|heading| heading.len() >= 2)
    }

    /// The place of a column.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    /// Whether a line repeats the names, as each snapshot may.
    fn is_repeated(&self, fields: &Fields, count: Option<usize>) -> bool {
        let mut names = self.told.iter().enumerate();
        count == Some(self.len()) && names.all(|(at, name)| fields.text(at).trim().eq_ignore_ascii_case(name))
    }

    /// The column that rows of AWR must have, if it is the missing one.
    pub fn missing(&self) -> Option<&'static str> {
        synonyms::missing(&self.names)
    }

    /// Number of columns.
    pub const fn len(&self) -> usize {
        self.names.len()
    }
}

/// The fields of a line, in memory that is used again.
#[derive(Debug, Default)]
pub struct Fields {
    text: Vec<u8>,
    ends: Vec<usize>,
}

impl Fields {
    /// Reads a line, and returns its number of fields; `None` for more than any file here has.
    pub fn read(&mut self, line: &[u8], delimiter: u8) -> Option<usize> {
        self.text.resize(line.len() + 16, 0);
        self.ends.resize(MOST_FIELDS, 0);
        let mut reader: Reader = ReaderBuilder::new().delimiter(delimiter).build();
        let (result, read, written, ends) = reader.read_record(line, &mut self.text, &mut self.ends);
        let (result, _, _, more) = match result {
            ReadRecordResult::InputEmpty => {
                reader.read_record(&line[read..], &mut self.text[written..], &mut self.ends[ends..])
            }
            other => (other, 0, 0, 0),
        };
        // csv-core keeps on counting the ends from the first byte of the record.
        match result {
            ReadRecordResult::Record | ReadRecordResult::End => Some(ends + more),
            _ => None,
        }
    }

    /// A field; empty if there is none.
    pub fn text(&self, at: usize) -> &str {
        let from = if at == 0 { 0 } else { self.ends.get(at - 1).copied().unwrap_or(usize::MAX) };
        let bytes = self.ends.get(at).and_then(|&end| self.text.get(from..end)).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_empty_fields_are_read() {
        let mut fields = Fields::default();
        assert_eq!(fields.read(b"a,\"b, \"\"c\"\"\",,d", b','), Some(4));
        let all: Vec<&str> = (0..5).map(|at| fields.text(at)).collect();
        assert_eq!(all, ["a", "b, \"c\"", "", "d", ""]);
        assert_eq!(fields.read(b"x;y", b';'), Some(2));
        assert_eq!((fields.text(0), fields.text(1)), ("x", "y"));
        let heading = Heading::of(b"\"SNAP_TIME\",Value").unwrap();
        assert_eq!((heading.place("value"), heading.place("x"), heading.len()), (Some(1), None, 2));
    }

    #[test]
    fn commas_of_decimals_are_read_where_they_are_none_of_thousands() {
        for (text, is_local, expected) in [
            ("40.25", false, Some(40.25)),
            (".5", false, Some(0.5)),
            ("40,25", false, Some(40.25)),
            (",5", false, Some(0.5)),
            ("-0,125", false, Some(-0.125)),
            ("1234,567", false, Some(1234.567)),
            ("1,234", false, None),
            ("1,234.5", false, Some(1234.5)),
            ("12,345,678.25", true, Some(12_345_678.25)),
            ("1,23.5", false, None),
            ("1,234", true, Some(1.234)),
            ("1.234,5", false, Some(1234.5)),
            ("1.234.567,25", true, Some(1_234_567.25)),
            ("1,5E+03", true, Some(1500.0)),
            ("1.5E3", false, Some(1500.0)),
            ("12.34,5", true, None),
            ("a,5", true, None),
            ("", true, None),
        ] {
            assert_eq!(number(text, is_local), expected, "{text}");
        }
    }
}
