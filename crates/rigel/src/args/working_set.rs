//! `rigel run working-set`: random reads of growing parts of a target, to find its caches.
//!
//! Makes the request; its sizes are known once the target is inspected. Must not look at a path.

use super::level::LevelArgs;
use super::names::Front;
use super::shaping;
use rigel_core::error::Problem;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::request::{CacheWarmUp, DEFAULT_SMALL, Request};
use rigel_core::load::task::Task;
use rigel_core::load::working_set::{SMALLEST, WorkingSet};
use rigel_core::units::Bytes;

const HEADING: &str = "Working sets (only with 'working-set')";

#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args)]
pub struct WorkingSetArgs {
    /// Sizes of 'working-set', such as 64M,1G,8G [default: 64M, doubled up to all of the target]
    #[arg(long, value_name = "SIZE,..", value_delimiter = ',', hide_short_help = true, help_heading = HEADING)]
    pub sizes: Vec<Bytes>,

    /// Largest size of 'working-set' [default: all of the target]
    #[arg(long, value_name = "SIZE", hide_short_help = true, help_heading = HEADING)]
    pub max_size: Option<Bytes>,
}

/// Refuses it for two sides, each of which would cool the cache of the other.
pub fn for_one_side() -> Problem {
    Problem::usage("two sides cannot be read over working sets")
        .at("working-set")
        .because("they take turns, and each could cool the cache of the other")
        .next("run `rigel run working-set` on each of them")
}

/// The request; `given` is all that was typed. Its sizes are those of the smallest target until the real one is known.
pub fn request(given: &LevelArgs) -> Result<Request, Problem> {
    let (mut load, mut own) = (given.load.clone(), given.own.clone());
    // The size is that of its reads, and the time is that of the whole run.
    let small = load.size_small.take().unwrap_or(DEFAULT_SMALL);
    let time = own.precision.max_duration.take();
    let plain = shaping::request(Front::Rigel, RunLevel::WorkingSet, &load, &own)?;
    let usual = WorkingSet::default();
    let asked = WorkingSet {
        time: time.unwrap_or(usual.time),
        each: given.scaling.per_target.unwrap_or(usual.each),
        sizes: given.working_set.sizes.iter().map(|size| size.0).collect(),
        max_size: given.working_set.max_size.map(|size| size.0),
    };
    let largest = asked.sizes.last().copied().or(asked.max_size).unwrap_or(0);
    let classes = asked.classes(small.0, largest.max(2 * SMALLEST))?;
    let request = Request { task: Task::WorkingSet(asked), classes, cache: CacheWarmUp::Off, ..plain };
    request.check()?;
    Ok(request)
}
