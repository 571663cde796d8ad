//! A page of HTML as rows of cells, as far as reports need that: tags, cells, and the text around them.
//!
//! Memory is bounded: SQL text in cells is truncated. Must not know what a cell means.

use super::super::SampleSink;
use super::facts::Facts;
use rigel_core::error::Problem;

/// Bytes that are kept of a cell, and of a text outside cells.
const MOST_TEXT: usize = 512;
const MOST_TAG: usize = 16;
const MOST_CELLS: usize = 64;

/// The current position in the page.
#[derive(Debug, Default)]
pub struct Html {
    /// The name of the tag that is open, if one is.
    tag: Option<Vec<u8>>,
    /// Text of the cell, or outside of cells.
    text: Vec<u8>,
    /// The open cell, if any.
    cell: Option<Cell>,
    row: Vec<String>,
    headings: usize,
    line: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cell {
    Heading,
    Data,
}

impl Html {
    /// Takes the next bytes of a page.
    pub fn take(
        &mut self,
        mut bytes: &[u8],
        facts: &mut Facts,
        out: &mut SampleSink<'_>,
    ) -> Result<(), Problem> {
        while !bytes.is_empty() {
            let sign = if self.tag.is_some() { b'>' } else { b'<' };
            let at = bytes.iter().position(|&byte| byte == sign);
            let (part, rest) = bytes.split_at(at.unwrap_or(bytes.len()));
            self.line +=
                u64::try_from(part.iter().filter(|&&byte| byte == b'\n').count()).unwrap_or_default();
            let kept = self.tag.as_mut().map_or((&mut self.text, MOST_TEXT), |tag| (tag, MOST_TAG));
            let room = kept.1.saturating_sub(kept.0.len());
            kept.0.extend(part.iter().take(room));
            if at.is_some() {
                match self.tag.take() {
                    Some(tag) => self.tag(&tag, facts, out)?,
                    None => self.tag = Some(Vec::new()),
                }
            }
            bytes = rest.get(1..).unwrap_or_default();
        }
        Ok(())
    }

    fn tag(&mut self, tag: &[u8], facts: &mut Facts, out: &mut SampleSink<'_>) -> Result<(), Problem> {
        let end = tag.iter().position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'/');
        let name = tag[..end.unwrap_or(tag.len())].to_ascii_lowercase();
        match name.as_slice() {
            b"td" => self.begin(Cell::Data),
            b"th" => self.begin(Cell::Heading),
            b"/td" | b"/th" => self.close(),
            b"tr" => (self.row, self.headings, self.cell) = (Vec::new(), 0, None),
            b"/tr" => self.whole_row(facts),
            b"table" | b"/table" => {
                (self.row, self.headings, self.cell) = (Vec::new(), 0, None);
                facts.end_table();
            }
            // A line break, a link or a font within a cell.
            _ if self.cell.is_some() => self.text.push(b' '),
            _ => {
                let text = self.taken_text();
                facts.title(&text, self.line + 1, out)?;
                facts.remark(&text);
            }
        }
        if self.cell.is_none() {
            self.text.clear();
        }
        Ok(())
    }

    fn begin(&mut self, cell: Cell) {
        self.close();
        self.text.clear();
        self.cell = Some(cell);
    }

    fn close(&mut self) {
        let text = self.taken_text();
        let Some(cell) = self.cell.take() else { return };
        if self.row.len() < MOST_CELLS {
            self.headings += usize::from(cell == Cell::Heading);
            self.row.push(text);
        }
    }

    /// A row is complete only at its end: the rest of a truncated one is unknown.
    fn whole_row(&mut self, facts: &mut Facts) {
        self.close();
        let row = std::mem::take(&mut self.row);
        if !row.is_empty() && self.headings == row.len() {
            facts.heading(&row.join(" "), &row);
        } else if facts.is_identity() {
            facts.identity(&row);
        } else if let Some((label, cells)) = row.split_first() {
            let cells: Vec<&str> = cells.iter().map(String::as_str).filter(|cell| !cell.is_empty()).collect();
            facts.fact(label, &cells);
        }
        self.headings = 0;
    }

    fn taken_text(&mut self) -> String {
        let text = plain(&String::from_utf8_lossy(&self.text));
        self.text.clear();
        text
    }
}

/// Without the entities that occur in reports, and with single blanks.
fn plain(text: &str) -> String {
    let mut text = text.to_owned();
    if text.contains('&') {
        for (entity, sign) in [("&nbsp;", " "), ("&#160;", " "), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")]
        {
            text = text.replace(entity, sign);
        }
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
