//! Sheets of offers: whatever the bytes are, they become offers with sound numbers, or a problem with its place and its next step.

use crate::assert_printable;
use rigel_uses::rank::offers;

/// Takes any input; a panic is a failure.
pub fn target(bytes: &[u8]) {
    if let Err(problem) = offers::read("offers.toml", bytes, &["old", "san", "cloud"]) {
        assert_eq!(problem.kind.code(), 2);
        assert!(problem.next.is_some());
        assert_printable("a problem", &problem.to_string());
    }
}
