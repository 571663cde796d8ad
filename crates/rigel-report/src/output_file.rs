//! A rendered file on its way to whoever writes it. Must not know where it will lie.

/// One file of an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputFile {
    /// What follows the name of the run, `_summary.txt`.
    pub suffix: &'static str,
    /// The contents.
    pub bytes: Vec<u8>,
}

impl OutputFile {
    pub(crate) fn new(suffix: &'static str, contents: impl Into<Vec<u8>>) -> Self {
        Self { suffix, bytes: contents.into() }
    }
}
