//! Records that were honest once: read, judged and rendered, or refused.

use crate::{edits::EditedRecord, outputs};
use arbitrary::{Arbitrary as _, Unstructured};
use rigel_core::record::Record;

/// Takes any input; a panic is a failure.
pub fn target(bytes: &[u8]) {
    let Ok(changed) = EditedRecord::arbitrary_take_rest(Unstructured::new(bytes)) else { return };
    match Record::read(&changed.bytes()) {
        Ok(record) => outputs::all(&record),
        Err(problem) => assert_eq!(problem.kind.code(), 2),
    }
}
