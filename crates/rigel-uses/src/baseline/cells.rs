//! Rows of a table in text: CSV with quotes, or columns under dashes as SQL*Plus and psql draw them.
//!
//! Must not know what is in a cell.

use csv::{ReaderBuilder, Trim};

/// The cells of a line of CSV, trimmed. A quote that does not end takes all that follows.
pub fn csv(line: &str, separator: char) -> Vec<String> {
    let mut rows = ReaderBuilder::new()
        .has_headers(false)
        .delimiter(u8::try_from(separator).unwrap_or(b','))
        .trim(Trim::All)
        .from_reader(line.as_bytes());
    let row = rows.records().next().and_then(Result::ok).unwrap_or_default();
    row.iter().map(str::to_owned).collect()
}

/// The separator of a header: the first of these that it has.
pub fn separator(header: &str) -> Option<char> {
    ['|', ';', '\t', ','].into_iter().find(|&separator| header.contains(separator))
}

/// The columns of a line of dashes, or of SQLcl's underscores: where each begins.
pub fn dashes(line: &str) -> Option<Vec<usize>> {
    let is_rule = (line.contains("--") || line.contains("__")) && line.chars().all(|c| "-_ ".contains(c));
    let starts = || {
        let bytes = line.as_bytes();
        (0..bytes.len()).filter(|&at| bytes[at] != b' ' && (at == 0 || bytes[at - 1] == b' ')).collect()
    };
    is_rule.then(starts)
}

/// The cells of a line under such columns. A number wider than its column is not one that SQL*Plus writes.
pub fn under(line: &str, starts: &[usize]) -> Vec<String> {
    let chars: Vec<char> = line.chars().collect();
    let cell = |(at, &start): (usize, &usize)| {
        let end = starts.get(at + 1).copied().unwrap_or(usize::MAX).min(chars.len());
        chars.get(start.min(end)..end).unwrap_or_default().iter().collect::<String>().trim().to_owned()
    };
    starts.iter().enumerate().map(cell).collect()
}

/// Tabulators as SQL*Plus means them.
pub fn without_tabs(line: &str) -> String {
    let mut out = String::new();
    let mut columns = 0;
    for c in line.chars() {
        let width = if c == '\t' { 8 - columns % 8 } else { 1 };
        if c == '\t' {
            out.extend(std::iter::repeat_n(' ', width));
        } else {
            out.push(c);
        }
        columns += width;
    }
    out
}
