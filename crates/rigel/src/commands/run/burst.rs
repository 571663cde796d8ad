//! What `rigel run burst` needs to know about its targets, and what it prints before it begins.
//!
//! Must not measure.

use crate::args::RunOptions;
use rigel_core::error::Problem;
use rigel_core::facts::TargetFacts;
use rigel_core::load::request::Request;
use rigel_core::load::task::Task;
use rigel_core::units::say::two_units;
use std::borrow::Cow;

/// The options with the load of as many targets as there are.
pub fn of_targets<'a>(options: &'a RunOptions, targets: &[TargetFacts]) -> Cow<'a, RunOptions> {
    let (Some(burst), Some(class)) = (options.request.burst(), options.request.classes.first()) else {
        return Cow::Borrowed(options);
    };
    let phases = burst.phases(class.name, burst.outstanding(targets.len()));
    let request = Request { task: Task::Burst { burst, phases }, ..options.request.clone() };
    Cow::Owned(RunOptions { request, ..options.clone() })
}

/// How long it may take; shown before it begins.
pub fn remark(options: &RunOptions) -> Option<String> {
    let burst = options.request.burst()?;
    Some(format!(
        "note: full load for up to {}, less if the rate falls earlier; then a pause, and a second burst \
         (--for sets the time)",
        two_units(burst.time)
    ))
}

/// Refuses several nodes: each would end its burst by its own counts.
pub fn check_alone(request: &Request) -> Result<(), Problem> {
    match request.burst() {
        Some(_) => Err(Problem::usage("several nodes cannot search for a bucket together")
            .because("each would end its burst when its own rate falls")
            .next("run `rigel run burst` on one host")),
        None => Ok(()),
    }
}

/// Refuses to resume an interrupted one.
pub fn check_resumable(request: &Request) -> Result<(), Problem> {
    match request.burst() {
        Some(_) => Err(Problem::usage("a run of bursts cannot be resumed")
            .because("a bucket refills while nothing runs, and it is unknown how much")
            .next("start it again; `rigel report` shows what the record says")),
        None => Ok(()),
    }
}
