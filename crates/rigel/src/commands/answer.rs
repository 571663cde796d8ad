//! Looks at targets before there is a load, by calls that may never complete: then the program ends, and says at which target.
//!
//! Must not be around work that may rightly wait, such as for another node or for a flush.

use crate::failure;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::facts::TargetFacts;
use rigel_core::path_text;
use rigel_core::units::Nanos;
use rigel_io::stuck::watched;
use rigel_io::targets::inspect::{InspectedTarget, Snapshot, inspect};
use std::path::Path;
use std::time::Duration;

/// Does some work on a target in which no call may take as long as `limit`.
pub fn answering<T>(path: &Path, limit: Nanos, look: impl FnOnce() -> T) -> T {
    watched(Duration::from_nanos(limit.0), || failure::at_once(&silent(path, limit)), look)
}

/// The facts of a target, as `rigel_io` finds them.
pub fn facts_of(path: &Path, limit: Nanos, snapshot: &Snapshot) -> Result<TargetFacts, Problem> {
    answering(path, limit, || inspect(path, snapshot).map(InspectedTarget::into_facts))
}

fn silent(path: &Path, limit: Nanos) -> Problem {
    Problem::new(ExitKind::CutShort, format!("the target did not respond for {limit}"))
        .at(path_text::encode(path))
        .because("the device, its path or its server does not respond; nothing was measured or written")
        .next("check the kernel log (dmesg) for the device. The system may keep this process until the device responds")
}
