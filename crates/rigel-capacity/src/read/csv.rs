//! CSV with a line of column names, as database clients write it: what they say around the rows is none of them.
//!
//! Must not know what a column means.

use super::Format;
use super::lines::Lines;
use super::seen::wrong;
use csv_core::{ReadRecordResult, Reader};
use rigel_core::error::Problem;

/// Lines that may stand before the names of the columns.
pub const MOST_BEFORE: usize = 40;
/// Fields of a line.
const MOST_FIELDS: usize = 256;

/// A line without the mark of an encoding and the prompts of SQL*Plus, which it writes when its input is no terminal.
pub fn without_prompt(line: &[u8]) -> &[u8] {
    let mut line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
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
}

/// A line whose fields have names.
pub struct Row<'a> {
    heading: &'a Heading,
    fields: &'a Fields,
    /// The number of the line.
    pub line: u64,
}

impl Csv {
    /// Of a format, which knows the names of its columns.
    pub fn of(format: Format) -> Self {
        let table = Table { format, heading: None, fields: Fields::default() };
        Self { lines: Lines::of_csv(), table }
    }

    /// Gives each row that is whole.
    pub fn cut(
        &mut self,
        bytes: &[u8],
        mut each: impl FnMut(&Row<'_>) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        let Self { lines, table } = self;
        lines.cut(bytes, |line, number| table.line(line, number, &mut each))
    }

    /// Gives the last row, if it has no line feed.
    pub fn end(&mut self, mut each: impl FnMut(&Row<'_>) -> Result<(), Problem>) -> Result<(), Problem> {
        let Self { lines, table } = self;
        lines.end(|line, number| table.line(line, number, &mut each))
    }
}

impl Table {
    fn line(
        &mut self,
        line: &[u8],
        number: u64,
        each: &mut impl FnMut(&Row<'_>) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        let text = without_prompt(line);
        // A command that SQL*Plus repeats behind its prompt has no comma.
        if text.is_empty() || (line.starts_with(b"SQL>") && !text.contains(&b',')) {
            return Ok(());
        }
        let Some(heading) = &self.heading else {
            if Format::of_heading(text).is_some() {
                self.heading = Heading::of(text);
            }
            return Ok(());
        };
        let count = self.fields.read(text);
        // SQL*Plus ends with a line such as `25 rows selected.`
        let is_remark = count == Some(1)
            && ["rows selected.", "row selected."].iter().any(|end| self.fields.text(0).ends_with(end));
        if is_remark || heading.is_repeated(&self.fields) {
            return Ok(());
        }
        if count != Some(heading.len()) {
            return Err(self.format.miscounted(number, count.unwrap_or(0), heading.len()));
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
    /// The text in a column; empty where there is no such column.
    pub fn text(&self, name: &str) -> &str {
        self.heading.place(name).map_or("", |at| self.fields.text(at)).trim()
    }
}

/// The names of columns, in lower case.
#[derive(Clone, Debug, Default)]
pub struct Heading {
    names: Vec<String>,
}

impl Heading {
    /// Of the first line; `None` when it names less than two columns.
    pub fn of(line: &[u8]) -> Option<Self> {
        let mut fields = Fields::default();
        let names: Vec<String> =
            (0..fields.read(line)?).map(|at| fields.text(at).trim().to_ascii_lowercase()).collect();
        (names.len() >= 2).then_some(Self { names })
    }

    /// The place of a column.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    /// Whether a line has the names once more, as each snapshot may have them.
    fn is_repeated(&self, fields: &Fields) -> bool {
        let mut names = self.names.iter().enumerate();
        names.all(|(at, name)| fields.text(at).trim().eq_ignore_ascii_case(name))
    }

    /// How many there are.
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
    /// Reads a line, and says how many fields it has; `None` for more than any file here has.
    pub fn read(&mut self, line: &[u8]) -> Option<usize> {
        self.text.resize(line.len() + 16, 0);
        self.ends.resize(MOST_FIELDS, 0);
        let mut reader = Reader::new();
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

    /// A field; empty where there is none.
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
        assert_eq!(fields.read(b"a,\"b, \"\"c\"\"\",,d"), Some(4));
        let all: Vec<&str> = (0..5).map(|at| fields.text(at)).collect();
        assert_eq!(all, ["a", "b, \"c\"", "", "d", ""]);
        assert_eq!(fields.read(b"x,y"), Some(2));
        assert_eq!((fields.text(0), fields.text(1)), ("x", "y"));
        let heading = Heading::of(b"\"SNAP_TIME\",Value").unwrap();
        assert_eq!((heading.place("value"), heading.place("x"), heading.len()), (Some(1), None, 2));
    }
}
