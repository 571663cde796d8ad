//! Whether a calibration measures commits: on a file of Rigel's own, and on targets that may be overwritten.
//!
//! Must not ask for more consent than the user gave, and must not fail a run for want of it.

use crate::args::{RunOptions, TargetSource};
use rigel_core::facts::TargetFacts;
use rigel_core::load::request::Request;
use rigel_core::units::Bytes;
use rigel_io::targets::guard;
use std::borrow::Cow;

/// The options with the commits of a calibration, or with the reason why it has none.
pub fn of_calibration<'a>(options: &'a RunOptions, targets: &[TargetFacts]) -> Cow<'a, RunOptions> {
    if !options.commits {
        return Cow::Borrowed(options);
    }
    let may_write = match options.targets {
        TargetSource::Scratch { .. } => true,
        TargetSource::Named(_)
        | TargetSource::LunFile(_)
        | TargetSource::Simulated
        | TargetSource::Server(_) => {
            targets.iter().all(|target| guard::consent_covers(&options.destroy, target))
        }
    };
    let request = options.request.clone().with_commits(may_write);
    Cow::Owned(RunOptions { request, ..options.clone() })
}

/// Said before anything is measured, since it writes.
pub fn remark(request: &Request) -> Option<String> {
    let size = Bytes(request.commits().next()?.io_bytes());
    Some(format!(
        "commits are measured as well: durable writes of {size} at the end (--no-commits leaves them out)"
    ))
}
