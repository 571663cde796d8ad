//! A rendered file on its way to whoever writes it. Must not know where it will lie.

use std::borrow::Cow;

/// One file of an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputFile {
    /// What follows the name of the run, `_summary.txt`; a `/` in it ends the name of a directory.
    pub suffix: Cow<'static, str>,
    /// The contents.
    pub bytes: Vec<u8>,
}

impl OutputFile {
    pub(crate) fn new(suffix: impl Into<Cow<'static, str>>, contents: impl Into<Vec<u8>>) -> Self {
        Self { suffix: suffix.into(), bytes: contents.into() }
    }
}
