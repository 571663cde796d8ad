//! The reader of records, on any bytes, and everything that is made of what it lets through.

use crate::outputs;
use rigel_core::record::Record;

/// Takes any input; a panic is a failure.
pub fn target(bytes: &[u8]) {
    match Record::read(bytes) {
        Ok(record) => outputs::all(&record),
        Err(problem) => assert_eq!(problem.kind.code(), 2),
    }
}
