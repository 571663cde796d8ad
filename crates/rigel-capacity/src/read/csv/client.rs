//! What database clients say between rows and around them: the number of rows, the time taken, the connection, errors.
//!
//! Must not know what a column means.

/// A line that is not a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remark {
    /// A line of text.
    Words,
    /// Dashes below the names of columns.
    Rule,
    /// Something failed, and rows may be missing.
    Error,
}

/// Prefixes of error lines.
const ERRORS: [&str; 7] = ["ORA-", "SP2-", "PLS-", "TNS-", "CPY-", "ERROR", "FATAL"];
/// Prefixes of lines of text that may contain the field separator.
const WORDS: [&str; 16] = [
    "With the ",
    "and ",
    "Copyright ",
    "SQL*Plus: ",
    "Version ",
    "Connected to",
    "Disconnected from",
    "Last Successful login time",
    "Oracle ",
    "Session ",
    "Elapsed: ",
    "Help: ",
    "Data Mining",
    "JServer ",
    "PL/SQL ",
    "Warning: ",
];

impl Remark {
    /// From a line without surrounding blanks; `None` for one that may be a row.
    pub fn of(text: &[u8], delimiter: u8) -> Option<Self> {
        let text = String::from_utf8_lossy(text);
        let is_mark = |sign: char| {
            matches!(sign, '-' | '=' | '+' | '"' | ' ') || u32::from(sign) == u32::from(delimiter)
        };
        if text.contains("--") && text.chars().all(is_mark) {
            return Some(Self::Rule);
        }
        if ERRORS.iter().any(|begin| text.starts_with(begin)) {
            return Some(Self::Error);
        }
        // A row has several fields; what clients say in other languages has blanks instead.
        let is_alone = !text.contains(char::from(delimiter));
        let is_word =
            |word: &&str| text.get(..word.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(word));
        // Repeated commands have a number before each further line.
        let is_numbered = text.split_once("  ").is_some_and(|(number, _)| number.parse::<u32>().is_ok());
        (is_alone || WORDS.iter().any(is_word) || is_numbered).then_some(Self::Words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_no_remarks_and_remarks_are_no_rows() {
        for (text, expected) in [
            ("25 rows selected.", Some(Remark::Words)),
            ("Elapsed: 00:00:01.23", Some(Remark::Words)),
            ("25 Zeilen ausgew\u{e4}hlt.", Some(Remark::Words)),
            (
                "Disconnected from Oracle Database 19c Enterprise Edition Release 19.0.0.0.0 - Production",
                Some(Remark::Words),
            ),
            (
                "With the Partitioning, OLAP, Data Mining and Real Application Testing options",
                Some(Remark::Words),
            ),
            ("Copyright (c) 1982, 2022, Oracle.  All rights reserved.", Some(Remark::Words)),
            ("  3  m.metric_name, m.average".trim(), Some(Remark::Words)),
            ("----------,---------,---", Some(Remark::Rule)),
            ("\"------\",\"---\"", Some(Remark::Rule)),
            (
                "ORA-01555: snapshot too old: rollback segment number 3, name \"x\", too small",
                Some(Remark::Error),
            ),
            ("SP2-0310: unable to open file", Some(Remark::Error)),
            ("db1,ORCL,1,2026-06-10 00:00:22,2026-06-10 01:00:22,Redo Writes Per Sec,10", None),
            ("\"db1\",\"ORCL\",1,\"2026-06-10 00:00:22\",40.5", None),
        ] {
            assert_eq!(Remark::of(text.as_bytes(), b','), expected, "{text}");
        }
    }
}
