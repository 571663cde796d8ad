//! Answers that the history keeps, as JSON: what can be read can be shown.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rigel_fuzz::outputs;
use rigel_report::calibration::Document;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(document) = serde_json::from_slice::<Document>(bytes) {
        outputs::calibrated(&document);
    }
});
