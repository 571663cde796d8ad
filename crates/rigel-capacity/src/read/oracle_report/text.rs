//! A report as text: tables whose columns a line of dashes or tildes marks out, and lines with a label.
//!
//! Must not know what a label means.

use super::super::SampleSink;
use super::facts::{Facts, Section};
use super::groups::joined;
use rigel_core::error::Problem;
use std::ops::Range;

/// Characters of a line that are checked; reports have 80 to 132.
const MOST_LINE: usize = 1_000;
/// Numbers after the name of a statistic: in total, per second, per transaction.
const STATISTIC_NUMBERS: usize = 3;

/// The table in which a line is.
#[derive(Debug, Default)]
pub struct TextTables {
    /// The line before, which may be a heading.
    before: String,
    columns: Vec<Range<usize>>,
}

impl TextTables {
    /// A line of the report.
    pub fn line(
        &mut self,
        line: &[u8],
        number: u64,
        facts: &mut Facts,
        out: &mut SampleSink<'_>,
    ) -> Result<(), Problem> {
        let line = String::from_utf8_lossy(line);
        let line: String = without_quote(&line).chars().take(MOST_LINE).collect();
        facts.title(&line, number, out)?;
        facts.remark(&line);
        let columns = columns(&line);
        match columns.len() {
            0 => self.row(&line, facts),
            1 => facts.end_table(),
            _ => {
                self.columns = columns;
                facts.heading(&self.before, &self.cells(&self.before));
            }
        }
        self.before = line;
        Ok(())
    }

    fn row(&self, line: &str, facts: &mut Facts) {
        // Of the sizes of caches, in the middle of a line, whatever table stands before them.
        if let Some((_, rest)) = line.split_once("Std Block Size:") {
            rest.split_whitespace()
                .next()
                .into_iter()
                .for_each(|size| facts.fact("Std Block Size:", &[size]));
            return;
        }
        match facts.section() {
            // The next line may be the names of other columns.
            Some(Section::Identity) if line.trim().is_empty() => facts.end_table(),
            Some(Section::Identity) => facts.identity(&self.cells(line)),
            Some(Section::Activity) => {
                let line = joined(line, &self.columns);
                let all: Vec<&str> = line.split_whitespace().collect();
                let Some(at) = all.len().checked_sub(STATISTIC_NUMBERS).filter(|&at| at > 0) else { return };
                facts.fact(&all[..at].join(" "), &all[at..]);
            }
            Some(_) => {
                let line = joined(line, &self.columns);
                let Some((label, rest)) = line.split_once(':') else { return };
                facts.fact(label, &rest.split_whitespace().collect::<Vec<_>>());
            }
            None => {}
        }
    }

    /// A line cut where the columns begin.
    fn cells(&self, line: &str) -> Vec<String> {
        let signs: Vec<char> = line.chars().collect();
        let ends = self.columns.iter().skip(1).map(|column| column.start).chain([signs.len()]);
        let cell = |(column, end): (&Range<usize>, usize)| {
            let from = column.start.min(signs.len());
            signs[from..end.clamp(from, signs.len())].iter().collect::<String>().trim().to_owned()
        };
        self.columns.iter().zip(ends).map(cell).collect()
    }
}

/// A line without the marks of a mail that quotes it.
fn without_quote(line: &str) -> &str {
    let mut line = line;
    while let Some(rest) = line.strip_prefix('>') {
        line = rest.strip_prefix(' ').unwrap_or(rest);
    }
    line
}

/// The columns of a line of dashes and tildes; `None` for another line.
fn columns(line: &str) -> Vec<Range<usize>> {
    let is_mark = |sign: char| matches!(sign, '-' | '~');
    if !line.contains("--") || !line.chars().all(|sign| is_mark(sign) || sign.is_whitespace()) {
        return Vec::new();
    }
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, _) in line.chars().enumerate().filter(|(_, sign)| is_mark(*sign)) {
        match found.last_mut() {
            Some(last) if last.end == at => last.end = at + 1,
            _ => found.push(at..at + 1),
        }
    }
    found
}
