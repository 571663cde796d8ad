//! What is reported of a record that cannot be read.
//!
//! Must not read one.

use crate::error::Problem;

/// Of a line.
pub(super) fn broken(line: usize, reason: &str) -> Problem {
    Problem::usage(format!("the record cannot be read: {reason}"))
        .at(format!("line {line}"))
        .because("the file was changed or damaged after Rigel wrote it")
        .next("use an undamaged copy, or save the lines before this one with `head`")
}

/// The same for one field.
pub(super) fn broken_at(line: usize, field: &str, reason: &str) -> Problem {
    broken(line, reason).at(format!("line {line}, field {field}"))
}
