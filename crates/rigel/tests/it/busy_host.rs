//! Real runs on a host that others keep busy: what still has to hold, and when a trial tells nothing.
//!
//! Must not excuse a run on a quiet host: Rigel itself has to say that others took the CPUs (`FOREIGN`).

use crate::support::ProgramOutput;
use rigel_testdev::{MissingNeed, needs};
use serde_json::Value;

/// Whether the run says that others used the CPUs meanwhile.
fn is_busy(told: &ProgramOutput) -> bool {
    told.stdout.contains("FOREIGN")
}

/// All flags of the points of a findings document: what a test that missed its figure shows, beside it.
pub fn flags_of_points(document: &Value) -> String {
    let points = document["points"].as_array().unwrap();
    points.iter().map(|point| point["flags"].to_string()).collect::<Vec<_>>().join(" ")
}

/// Tries until one trial holds, each of which says what it saw, with its flags. Fails when none does; where others had the CPUs in every
/// one the test is counted as not run.
#[track_caller]
pub fn of_a_few(name: &str, trials: usize, mut trial: impl FnMut() -> (bool, String)) {
    let mut seen = Vec::new();
    for _ in 0..trials {
        let (holds, told) = trial();
        if holds {
            return;
        }
        seen.push(told);
    }
    assert!(
        seen.iter().all(|told| told.contains("FOREIGN")),
        "{name}: none of {trials} trials holds: {seen:#?}"
    );
    let reason = format!("others had the CPUs in each of {trials} trials: {seen:?}");
    needs::<()>(&format!("{name} (busy host)"), Err(MissingNeed::new(reason)));
}

/// For a run that no number may be used of because of this flag. On a busy host it may stand behind another one, so it is looked for among
/// all causes.
#[track_caller]
pub fn expect_flag(told: ProgramOutput, flag: &str) -> ProgramOutput {
    if !is_busy(&told) {
        return told.expect_unusable(flag);
    }
    let named =
        told.stdout.contains(flag) && told.stderr.contains("error: measured, but no number is usable\n");
    assert!(named, "{flag}: {told:?}");
    told.expect_code(1)
}
