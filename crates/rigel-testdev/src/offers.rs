//! The command lines that a text offers to whoever reads it: an output, an error, a help text, a page.
//!
//! A command is marked in one of three ways: it has a line of its own, indented or after a prompt; it stands in backticks; or a colon stands
//! before it, and it ends with its line or at a semicolon. A name of a command may stand anywhere, but without arguments: where those end,
//! nobody could see. Whatever is in no such shape is not a command that can be typed, and [`Judge`] refuses it.

mod judge;
mod places;
pub mod shell;
#[cfg(test)]
mod tests;

pub use judge::{Judge, Refusal};
pub use places::{in_html, in_json, in_string, in_text};

/// How a command is marked in its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A line of its own: to be copied as it stands.
    Line,
    /// A string on its own, such as one of a document, or the rest of one after a colon: a command as a whole, or a sentence that begins with the
    /// name of one.
    Whole,
    /// Within a sentence, in backticks: to be copied, or the name of a command.
    Quoted,
    /// Within a sentence without a mark: nothing but the name of a command. It has the rest of the line.
    Bare,
}

/// A command line in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// How it is marked.
    pub mark: Mark,
    /// What stands there.
    pub text: String,
    /// The line of the text, from 1.
    pub line: usize,
}

/// The name of the program, and of the one for many nodes.
pub(crate) const PROGRAMS: [&str; 2] = ["rigel", "rigel-mpi"];
