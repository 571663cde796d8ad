//! What `rigel run working-set` needs to know about its target, and what it prints before it begins.
//!
//! Must not measure.

use crate::args::RunOptions;
use rigel_core::error::Problem;
use rigel_core::facts::TargetFacts;
use rigel_core::load::class::LoadClass;
use rigel_core::load::request::Request;
use rigel_core::load::working_set::MANY;
use rigel_core::units::say::two_units;
use std::borrow::Cow;

/// The options with the sizes of the target.
pub fn of_targets<'a>(
    options: &'a RunOptions,
    targets: &[TargetFacts],
) -> Result<Cow<'a, RunOptions>, Problem> {
    let (Some(asked), Some(load)) = (options.request.working_set(), options.request.class(MANY)) else {
        return Ok(Cow::Borrowed(options));
    };
    if options.as_load {
        return Err(Problem::usage("a load file has no working sets")
            .at("--as-load")
            .next("leave out --as-load; --dry-run shows the sizes"));
    }
    let [target] = targets else {
        return Err(Problem::usage(format!("{} targets have no common working set", targets.len()))
            .at("working-set")
            .because("a working set is a part of one target")
            .next("name one target"));
    };
    let classes = asked.classes(load.io_bytes(), target.size_bytes)?;
    asked.check_time(sizes(&classes))?;
    let request = Request { classes, ..options.request.clone() };
    Ok(Cow::Owned(RunOptions { request, ..options.clone() }))
}

fn sizes(classes: &[LoadClass]) -> usize {
    classes.first().map_or(0, |class| class.levels.len())
}

/// How long it may take; shown before it begins.
pub fn remark(options: &RunOptions) -> Option<String> {
    let request = &options.request;
    let asked = request.working_set()?;
    let least = asked.least_time(sizes(&request.classes));
    Some(format!(
        "note: {} to {}: each working set is read until its rate is steady (--for sets the time, --max-size the largest)",
        two_units(least),
        two_units(asked.time)
    ))
}

/// Refuses several nodes: each would warm up what the others read.
pub fn check_alone(request: &Request) -> Result<(), Problem> {
    match request.working_set() {
        Some(_) => Err(Problem::usage("several nodes cannot read a working set together")
            .because("each would find what the others have warmed up")
            .next("run `rigel run working-set` on one host")),
        None => Ok(()),
    }
}

/// Refuses to resume an interrupted one.
pub fn check_resumable(request: &Request) -> Result<(), Problem> {
    match request.working_set() {
        Some(_) => Err(Problem::usage("a run over working sets cannot be resumed")
            .because("a cache cools while nothing runs, and it is unknown how much")
            .next("start it again; `rigel report` shows what the record says")),
        None => Ok(()),
    }
}
