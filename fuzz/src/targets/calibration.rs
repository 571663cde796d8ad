//! Answers that the history keeps, as JSON: what can be read can be shown.

use crate::outputs;
use rigel_report::calibration::Document;

/// Takes any input; a panic is a failure.
pub fn target(bytes: &[u8]) {
    if let Ok(document) = serde_json::from_slice::<Document>(bytes) {
        outputs::calibrated(&document);
    }
}
