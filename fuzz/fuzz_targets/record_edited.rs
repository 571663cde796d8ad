//! Records that were honest once: read, judged and rendered, or refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rigel_core::record::Record;
use rigel_fuzz::{edits::EditedRecord, outputs};

fuzz_target!(|changed: EditedRecord| {
    match Record::read(&changed.bytes()) {
        Ok(record) => outputs::all(&record),
        Err(problem) => assert_eq!(problem.kind.code(), 2),
    }
});
