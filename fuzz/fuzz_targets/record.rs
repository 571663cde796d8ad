//! The reader of records, on any bytes, and everything that is made of what it lets through.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rigel_core::record::Record;
use rigel_fuzz::outputs;

fuzz_target!(|bytes: &[u8]| {
    match Record::read(bytes) {
        Ok(record) => outputs::all(&record),
        Err(problem) => assert_eq!(problem.kind.code(), 2),
    }
});
