//! A rendered file on its way to its writer. Must not know where it will lie.

use rigel_core::error::{ExitKind, Problem};
use std::borrow::Cow;
use std::fmt::Display;

/// One file of an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputFile {
    /// The text after the name of the run, `_summary.txt`; a `/` in it ends the name of a directory.
    pub suffix: Cow<'static, str>,
    /// The contents.
    pub bytes: Vec<u8>,
}

impl OutputFile {
    /// A file of that suffix.
    pub fn new(suffix: impl Into<Cow<'static, str>>, contents: impl Into<Vec<u8>>) -> Self {
        Self { suffix: suffix.into(), bytes: contents.into() }
    }
}

/// A library refused to write to memory: `what` cannot be written in a form.
pub(crate) fn unwritable(what: &str, form: &str, error: &dyn Display) -> Problem {
    Problem::new(ExitKind::Bug, format!("{what} cannot be written as {form}: {error}"))
        .next("report this with the record")
}
