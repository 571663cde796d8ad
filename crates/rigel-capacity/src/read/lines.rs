//! Lines of text that arrives in pieces.
//!
//! Must not know what a line means.

use super::seen::wrong;
use rigel_core::error::Problem;

/// Bytes of a line; no format here has longer ones.
const MOST_LINE: usize = 1 << 20;

/// Cuts bytes into lines.
#[derive(Debug, Default)]
pub struct Lines {
    rest: Vec<u8>,
    line: u64,
    /// Whether a line feed within quotes does not end a line.
    quoted: bool,
}

impl Lines {
    /// For CSV, where a line may continue after a line feed within quotes.
    pub fn of_csv() -> Self {
        Self { quoted: true, ..Self::default() }
    }

    /// Passes on each complete line, without its end, and its number.
    pub fn cut(
        &mut self,
        bytes: &[u8],
        mut each: impl FnMut(&[u8], u64) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        let mut from = 0;
        for at in 0..bytes.len() {
            if bytes[at] != b'\n' {
                continue;
            }
            let part = &bytes[from..at];
            if self.quoted && self.open_quote(part) {
                continue;
            }
            from = at + 1;
            if self.rest.is_empty() {
                self.line += 1;
                each(trimmed(part), self.line)?;
            } else {
                self.rest.extend_from_slice(part);
                let line = std::mem::take(&mut self.rest);
                self.line += 1;
                each(trimmed(&line), self.line)?;
            }
        }
        self.rest.extend_from_slice(&bytes[from..]);
        if self.rest.len() > MOST_LINE {
            return Err(wrong(self.line + 1, "a line is longer than 1 MiB")
                .because("the file is of another format, or damaged"));
        }
        Ok(())
    }

    /// Passes on the last line, if it has no line feed.
    pub fn end(&mut self, mut each: impl FnMut(&[u8], u64) -> Result<(), Problem>) -> Result<(), Problem> {
        let line = std::mem::take(&mut self.rest);
        if line.trim_ascii().is_empty() { Ok(()) } else { each(trimmed(&line), self.line + 1) }
    }

    /// Drops a last line without a line feed; whether there was one.
    pub fn drop_rest(&mut self) -> bool {
        !std::mem::take(&mut self.rest).trim_ascii().is_empty()
    }

    fn open_quote(&self, part: &[u8]) -> bool {
        let quotes = |bytes: &[u8]| bytes.iter().filter(|&&byte| byte == b'"').count();
        (quotes(&self.rest) + quotes(part)) % 2 == 1
    }
}

/// Without the rest of its line end, and the zero bytes that a crash of the host leaves in a log.
fn trimmed(line: &[u8]) -> &[u8] {
    let from = line.iter().take_while(|byte| **byte == 0).count();
    let line = &line[from..];
    let zeros = line.iter().rev().take_while(|byte| **byte == 0).count();
    let line = &line[..line.len() - zeros];
    line.strip_suffix(b"\r").unwrap_or(line)
}
