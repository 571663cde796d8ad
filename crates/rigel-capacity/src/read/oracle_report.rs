//! Reports of Oracle: AWR as text and as HTML (10g to 21c), and Statspack as text. Each holds one interval between two snapshots.
//!
//! Both forms are rows under headings; what a row means is in [`facts`]. A truncated report is used as far as it is complete. Must not read
//! reports about several instances, a comparison or a pluggable database: their numbers are about other subjects.

mod facts;
mod groups;
mod html;
pub mod notation;
mod text;

use super::lines::Lines;
use super::{Format, Room, SampleSink};
use facts::Facts;
use html::Html;
use rigel_core::error::Problem;
use text::TextTables;

/// A reader of them; a file may hold several.
pub struct OracleReport {
    facts: Facts,
    form: Option<Form>,
}

/// Lines of a report as text, or its markup.
enum Form {
    Text(Lines, TextTables),
    Html(Html),
}

impl OracleReport {
    /// A reader for a file.
    pub const fn new(format: Format) -> Self {
        Self { facts: Facts::new(format), form: None }
    }
}

/// Bytes within which an HTML page identifies itself.
const MOST_HEAD: usize = 4096;

/// Whether the first bytes are those of an HTML page.
fn is_html(bytes: &[u8]) -> bool {
    let bytes = &bytes[..bytes.len().min(MOST_HEAD)];
    let has = |word: &[u8]| bytes.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word));
    has(b"<html") || has(b"<body") || has(b"<table")
}

impl Room for OracleReport {
    fn bytes(&mut self, bytes: &[u8], out: &mut SampleSink<'_>) -> Result<(), Problem> {
        let Self { facts, form } = self;
        // The reader gives the head of a file at once.
        let form = form.get_or_insert_with(|| match is_html(bytes) {
            true => Form::Html(Html::default()),
            false => Form::Text(Lines::default(), TextTables::default()),
        });
        match form {
            Form::Html(html) => html.take(bytes, facts, out),
            Form::Text(lines, tables) => {
                lines.cut(bytes, |line, number| tables.line(line, number, facts, out))
            }
        }
    }

    fn end(&mut self, out: &mut SampleSink<'_>) -> Result<(), Problem> {
        if let Some(Form::Text(lines, _)) = &mut self.form {
            // A last line that is not whole may be half a number; but the last one of all has no number.
            lines.end(|line, _| {
                self.facts.remark(&String::from_utf8_lossy(line));
                Ok(())
            })?;
        }
        self.facts.end(out)
    }
}

#[cfg(test)]
mod tests;
