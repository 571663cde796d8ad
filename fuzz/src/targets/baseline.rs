//! Results of other tools: whatever the bytes are, they become numbers that are numbers, or a problem with its next step.

use crate::assert_printable;
use rigel_uses::baseline::{Baseline, LoadFacts, unknown};

/// Takes any input; a panic is a failure.
pub fn target(bytes: &[u8]) {
    let problem = match Baseline::read(bytes) {
        None => unknown(bytes),
        Some(Err(problem)) => problem,
        Some(Ok(found)) => {
            let results = found.results(&LoadFacts::new());
            assert!(results.figures.iter().all(|figure| figure.estimate.value.is_finite()));
            let mut joined = found.clone();
            let _ = joined.join(found);
            return;
        }
    };
    assert_eq!(problem.kind.code(), 2);
    assert!(problem.cause.is_some() && problem.next.is_some());
    assert_printable("a problem", &problem.to_string());
}
