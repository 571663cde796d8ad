//! Whether a calibration measures commits: on a file of Rigel's own, and on targets that may be overwritten.
//!
//! Must not ask for more consent than the user gave, and must not fail a run for lack of it.

use crate::args::{RunOptions, TargetSource};
use rigel_core::facts::TargetFacts;
use rigel_core::load::commits::NoCommits;
use rigel_core::load::request::{EngineRequest, Request};
use rigel_core::units::Bytes;
use rigel_io::targets::guard;
use rigel_io::{durable, engine};
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
    let mut request = options.request.clone().with_commits(may_write);
    if !kernel_knows(&request) {
        request = options.request.clone();
        request.leave_out_commits(NoCommits::Kernel);
    }
    Cow::Owned(RunOptions { request, ..options.clone() })
}

/// Kernels before 4.18 lack some of it. Who names an engine is refused instead, when its commits turn out to be impossible.
fn kernel_knows(request: &Request) -> bool {
    if request.engine != EngineRequest::Auto {
        return true;
    }
    let syncs = request.commits().map(|class| class.sync);
    engine::choose(None, request.poll, &[1]).is_ok_and(|chosen| durable::known(chosen.kind, syncs).is_ok())
}

/// Shown before anything is measured, because it writes.
pub fn remark(request: &Request) -> Option<String> {
    let size = Bytes(request.commits().next()?.io_bytes());
    Some(format!("commits are also measured: durable writes of {size} at the end (--no-commits skips them)"))
}
