//! From the options of the load to a request: the rules of ORION's options, once for both command lines.
//!
//! Every message names the option as the user typed it. [`Request::check`] knows the valid values, [`super::rules`] the valid combinations.

use super::load::LoadArgs;
use super::names::{Front, Opt};
use super::own::{OwnArgs, PrecisionArgs};
use rigel_core::error::Problem;
use rigel_core::load::class::{Class, Pattern};
use rigel_core::load::matrix::{MatrixShape, RunLevel};
use rigel_core::load::pace::{Adaptive, Pace};
use rigel_core::load::request::{CacheWarmUp, Request};
use rigel_core::load::task::Task;
use rigel_core::load::workload::{Layout, WritePercent};

/// The request, without name and command line.
pub fn request(front: Front, level: RunLevel, load: &LoadArgs, own: &OwnArgs) -> Result<Request, Problem> {
    let plain = own.how.request(Request::of(task(front, level, load, own)?))?;
    let mut request = Request {
        num_disks: count(front, Opt::NUM_DISKS, load.num_disks)?,
        cache: match load.cache_size {
            None => CacheWarmUp::Default,
            Some(size) if size.0 == 0 => CacheWarmUp::Off,
            Some(size) => CacheWarmUp::Bytes(size.0),
        },
        layout: layout(load),
        buffered: own.buffered,
        poll: own.poll,
        ..plain
    };
    request.set_writes(write_percent(front, load.write)?);
    request.set_large(large_pattern(front, load)?);
    for (class, size) in [(Class::SMALL, load.size_small), (Class::LARGE, load.size_large)] {
        if let Some(size) = size {
            request.set_size(class, size.0);
        }
    }
    // A level of its own gets its load later.
    let checked = if level.is_own() { request.check_how() } else { request.check() };
    checked.map_err(|problem| match &problem.place {
        Some(place) => {
            let place = front.respelled(place);
            problem.at(place)
        }
        None => problem,
    })?;
    Ok(request)
}

/// ORION's matrix, or what the load classes of the level name.
fn task(front: Front, level: RunLevel, load: &LoadArgs, own: &OwnArgs) -> Result<Task, Problem> {
    let pace = pace(front, load, &own.precision).unwrap_or(Pace::ORION);
    let (levels, shape) = (own.precision.levels.unwrap_or_default(), shape(front, load)?);
    Ok(match level.is_own() {
        true => Task::named(level, Vec::new(), pace),
        false => Task::Matrix { level, shape, levels, pace },
    })
}

pub fn count(front: Front, opt: Opt, value: Option<u64>) -> Result<Option<u32>, Problem> {
    let count = |value| {
        u32::try_from(value).map_err(|_| {
            Problem::usage(format!("{value} is too large"))
                .at(opt.spelled(front))
                .next(format!("give at most {}", u32::MAX))
        })
    };
    value.map(count).transpose()
}

pub fn write_percent(front: Front, percent: Option<u64>) -> Result<WritePercent, Problem> {
    let percent = percent.unwrap_or(0);
    u8::try_from(percent).ok().and_then(WritePercent::new).ok_or_else(|| {
        Problem::usage(format!("a write share of {percent} per cent is above 100"))
            .at(Opt::WRITE.spelled(front))
            .next("give 0 to 100")
    })
}

/// A fixed time per data point, or a precision; `None` when ORION's command line asks for neither.
fn pace(front: Front, load: &LoadArgs, asked: &PrecisionArgs) -> Option<Pace> {
    let PrecisionArgs { precision, max_duration, fast, .. } = *asked;
    match load.duration {
        Some(duration) => Some(Pace::Fixed(duration)),
        None if front == Front::Orion && !asked.is_adaptive() => None,
        None => {
            Some(Pace::Adaptive(Adaptive { precision: precision.unwrap_or_default(), max_duration, fast }))
        }
    }
}

fn large_pattern(front: Front, load: &LoadArgs) -> Result<Pattern, Problem> {
    Ok(match (load.pattern.unwrap_or(Pattern::Random), count(front, Opt::STREAM_IOS, load.stream_ios)?) {
        (Pattern::Streams { .. }, Some(ios_per_stream)) => Pattern::Streams { ios_per_stream },
        (pattern, _) => pattern,
    })
}

fn layout(load: &LoadArgs) -> Layout {
    match (load.simulate.unwrap_or(Layout::Concat), load.stripe) {
        (Layout::Raid0 { .. }, Some(stripe)) => Layout::Raid0 { stripe_bytes: stripe.0 },
        (layout, _) => layout,
    }
}

/// The matrix with its counts.
pub fn shape(front: Front, load: &LoadArgs) -> Result<MatrixShape, Problem> {
    let small = count(front, Opt::NUM_SMALL, load.num_small)?.unwrap_or(0);
    let large = count(front, Opt::NUM_LARGE, load.num_large)?.unwrap_or(0);
    Ok(match load.matrix.unwrap_or(MatrixShape::Basic) {
        MatrixShape::Basic => MatrixShape::Basic,
        MatrixShape::Detailed => MatrixShape::Detailed,
        MatrixShape::Point { .. } => MatrixShape::Point { small, large },
        MatrixShape::Max { .. } => MatrixShape::Max { small, large },
        MatrixShape::Col { .. } => MatrixShape::Col { small },
        MatrixShape::Row { .. } => MatrixShape::Row { large },
    })
}
