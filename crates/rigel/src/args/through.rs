//! `rigel run through`: a rate that is held while people pull paths and fail disks.
//!
//! Makes the request, which is a soak of one phase. Must not look at a path.

use super::level::LevelArgs;
use super::names::Front;
use super::open::{OPEN, most_outstanding};
use super::shaping;
use super::values::ValueError;
use rigel_core::error::Problem;
use rigel_core::load::class::{Arrival, LoadClass};
use rigel_core::load::demands::Demands;
use rigel_core::load::matrix::{Point, RunLevel};
use rigel_core::load::phase::Phase;
use rigel_core::load::request::{DEFAULT_SMALL, Request};
use rigel_core::load::task::Task;
use rigel_core::load::through::{self, Demand, SHORTEST, USUAL_IO_TIMEOUT, USUAL_TIME};

#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args)]
pub struct ThroughArgs {
    /// Fail 'through' unless it meets LIMIT: 'standstill < 30s', 'back < 60s', 'errors = 0', 'p99 < 10ms during'; repeatable
    ///
    /// The exit code is 1 if a limit is not met or the result is undecided. standstill: the longest time without any
    /// completion. back: the time from
    /// the first sign of trouble until rate and p99 are as before. errors: failed I/Os. A latency is a percentile or the mean, of a part of the run
    /// (before, during or after) or of all of it.
    #[arg(long, value_name = "LIMIT", value_parser = demand, help_heading = "Failures (only with 'through')", hide_short_help = true)]
    pub require: Vec<Demand>,
}

fn demand(text: &str) -> Result<Demand, ValueError> {
    text.parse().map_err(|next| ValueError { reason: "is not a limit of such a run".into(), next })
}

/// Refuses it for two sides, because one pauses while the other works.
pub fn for_one_side() -> Problem {
    Problem::usage("two sides cannot be loaded through a failure")
        .at("through")
        .because("they take turns, and a failure hits only one of them")
        .next("run `rigel run through --rate 1000` on each of them, at the same rate")
}

/// The request of the level; `given` is all that was typed.
pub fn request(given: &LevelArgs, own: &ThroughArgs) -> Result<Request, Problem> {
    let rate = match given.open.rate.as_slice() {
        [rate] => *rate,
        [] => {
            return Err(Problem::usage("the level 'through' needs the rate that is held")
                .at("--rate")
                .because("the cost of a failure shows at a rate that the storage sustains without it")
                .next("give one, such as --rate 1000; about half of what `rigel calibrate` finds is usual"));
        }
        _ => {
            return Err(Problem::usage("the level 'through' holds one rate")
                .at("--rate")
                .because("before, during and after are compared at the same rate")
                .next("give one rate, and run it again for another"));
        }
    };
    let time = given.own.precision.max_duration.unwrap_or(USUAL_TIME);
    if time < SHORTEST {
        return Err(Problem::usage(format!("{time} are too short to see a failure"))
            .at("--for")
            .because("there has to be a level before it, and one after it")
            .next(format!("give {SHORTEST} or more, such as 10m")));
    }
    let mut load = given.load.clone();
    let size = load.size_small.take().unwrap_or(DEFAULT_SMALL);
    let plain = shaping::request(Front::Rigel, RunLevel::Through, &load, &given.own)?;
    let arrival = Arrival::Open {
        shape: given.open.arrivals.unwrap_or_default(),
        most_outstanding: most_outstanding(given.open.max_outstanding)?,
    };
    let class =
        LoadClass { write_percent: plain.write_percent(), arrival, ..LoadClass::random(OPEN, size.0) };
    let phase = Phase { time, point: Point::alone(OPEN, rate), shape: None };
    let request = Request {
        classes: vec![class],
        task: Task::soak(through::soak(time), vec![phase]),
        demands: Demands { through: own.require.clone(), ..Demands::default() },
        io_timeout: given.own.how.engine.io_timeout.unwrap_or(USUAL_IO_TIMEOUT),
        ..plain
    };
    request.check()?;
    Ok(request)
}
