//! Text that grows line by line.
//!
//! `write!` returns an error type, but writing to a `String` cannot fail; this type hides that. Must not know the
//! contents.

use std::fmt::{Display, Write as _};

/// Puts an empty line between the parts that are not empty.
pub(crate) fn join_paragraphs<const N: usize>(parts: [String; N]) -> String {
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("\n")
}

/// Text that is being written.
#[derive(Default)]
pub(crate) struct Page(String);

impl Page {
    /// An empty text with room for this many bytes.
    pub fn with_capacity(bytes: usize) -> Self {
        Self(String::with_capacity(bytes))
    }

    /// Adds text without changes.
    pub fn push(&mut self, text: impl Display) {
        // Writing to a String cannot fail.
        let _ = write!(self.0, "{text}");
    }

    /// Adds text and ends the line.
    pub fn line(&mut self, text: impl Display) {
        self.push(text);
        self.0.push('\n');
    }

    /// Adds an empty line.
    pub fn blank(&mut self) {
        self.0.push('\n');
    }

    /// Whether nothing was written yet.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text.
    pub fn into_string(self) -> String {
        self.0
    }
}
