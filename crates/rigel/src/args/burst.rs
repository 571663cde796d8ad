//! `rigel run burst`: one kind of I/O at saturation until the rate falls, and again after a pause.
//!
//! Makes the request; the total outstanding is known once the targets are inspected. Must not look at a path.

use super::level::LevelArgs;
use super::names::Front;
use super::shaping;
use rigel_core::error::Problem;
use rigel_core::load::burst::Burst;
use rigel_core::load::class::{Class, LoadClass};
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::request::{CacheWarmUp, DEFAULT_LARGE, DEFAULT_SMALL, Request};
use rigel_core::load::task::Task;

#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args)]
pub struct BurstArgs {
    /// Search for a limit on bytes with large random I/O, not for one on I/Os
    #[arg(long, hide_short_help = true, help_heading = "Bursts (only with 'burst')")]
    pub large: bool,
}

/// Refuses it for two sides: one would refill while the other works.
pub fn for_one_side() -> Problem {
    Problem::usage("two sides cannot be loaded until the rate falls")
        .at("burst")
        .because("they take turns, and a bucket refills while the other side works")
        .next("run `rigel run burst` on each of them")
}

/// The request; `given` is all that was typed. Its load is that of one target until all are known.
pub fn request(given: &LevelArgs) -> Result<Request, Problem> {
    let (mut load, mut own) = (given.load.clone(), given.own.clone());
    // The sizes are those of this class, and the time is that of the first burst.
    let (small, large) = (load.size_small.take(), load.size_large.take());
    let time = own.precision.max_duration.take();
    let plain = shaping::request(Front::Rigel, RunLevel::Burst, &load, &own)?;
    if let (true, Some(_), _) | (false, _, Some(_)) = (given.burst.large, small, large) {
        let (typed, other, why) = if given.burst.large {
            ("--size-small", "--size-large", "with --large it has large I/O only")
        } else {
            ("--size-large", "--size-small", "it has small I/O only, unless --large is given")
        };
        return Err(Problem::usage(format!("{typed} is not a size of this load"))
            .at(typed)
            .because(why)
            .next(format!("give the size with {other}")));
    }
    let name = if given.burst.large { Class::LARGE } else { Class::SMALL };
    let pair = LoadClass::pair(small.unwrap_or(DEFAULT_SMALL).0, large.unwrap_or(DEFAULT_LARGE).0);
    let usual = Burst::usual(name);
    let burst =
        Burst { time: time.unwrap_or(usual.time), each: given.scaling.per_target.unwrap_or(usual.each) };
    let write_percent = shaping::write_percent(Front::Rigel, load.write)?;
    let own = pair.into_iter().filter(|class| class.name == name);
    let classes = own.map(|class| LoadClass { write_percent, ..class }).collect();
    let task = Task::Burst { burst, phases: burst.phases(name, burst.outstanding(1)) };
    let request = Request { task, classes, cache: CacheWarmUp::Off, ..plain };
    request.check()?;
    Ok(request)
}
