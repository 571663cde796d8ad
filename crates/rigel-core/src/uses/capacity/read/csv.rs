//! CSV with a line of column names.
//!
//! Must not know columns.

use csv_core::{ReadRecordResult, Reader};

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
