//! Real runs on a host that others keep busy: what still has to hold, and when a trial tells nothing.
//!
//! Must not excuse a run on a quiet host: Rigel itself has to say that others took the CPUs (`FOREIGN`).

use crate::support::Told;
use serde_json::Value;

/// Whether the run says that others used the CPUs meanwhile.
pub fn is_busy(told: &Told) -> bool {
    told.stdout.contains("FOREIGN")
}

/// All flags of the points of a findings document: what a test that missed its figure shows, beside it.
pub fn flags_of_points(document: &Value) -> String {
    let points = document["points"].as_array().unwrap();
    points.iter().map(|point| point["flags"].to_string()).collect::<Vec<_>>().join(" ")
}

/// For a run whose numbers are not what is looked at: it ended well, or others kept its workers waiting so long that Little's law did
/// not hold for the time that was counted.
#[track_caller]
pub fn expect_measured(told: Told) -> Told {
    let kept_waiting = is_busy(&told) && told.stdout.contains("LITTLE");
    if told.code == 1 && kept_waiting { expect_flag(told, "LITTLE") } else { told.expect_code(0) }
}

/// For a run that no number may be used of because of this flag. On a busy host it may stand behind another one, so it is looked for among
/// all causes.
#[track_caller]
pub fn expect_flag(told: Told, flag: &str) -> Told {
    if !is_busy(&told) {
        return told.expect_unusable(flag);
    }
    let named =
        told.stdout.contains(flag) && told.stderr.contains("error: measured, but no number may be used\n");
    assert!(named, "{flag}: {told:?}");
    told.expect_code(1)
}
