//! From the options of the load to a request: the rules of ORION's options, once for both command lines.
//!
//! Every message names the option as the user typed it. Judges how options go together; what a single value may be is
//! known to [`Request::check`].

use super::load::LoadArgs;
use super::names::{Front, Opt};
use super::own::OwnArgs;
use super::values;
use rigel_core::error::Problem;
use rigel_core::load::class::{Class, Pattern};
use rigel_core::load::matrix::{MatrixShape, RunLevel};
use rigel_core::load::pace::{Adaptive, LevelChoice, Pace};
use rigel_core::load::request::{CacheWarmUp, Request};
use rigel_core::load::workload::{Layout, WritePercent};

/// The request, without name and command line.
pub fn request(front: Front, level: RunLevel, load: &LoadArgs, own: &OwnArgs) -> Result<Request, Problem> {
    if level == RunLevel::Load {
        refuse_beside_file(load, own)?;
    } else if level != RunLevel::Advanced && front != Front::Calibrate {
        // A calibration is no level of its own to its user, and takes sizes.
        refuse_shape(front, level, load)?;
    }
    let plain = Request::new(level);
    let mut request = Request {
        num_disks: count(front, Opt::NUM_DISKS, load.num_disks)?,
        cache: match load.cache_size {
            None => CacheWarmUp::Default,
            Some(size) if size.0 == 0 => CacheWarmUp::Off,
            Some(size) => CacheWarmUp::Bytes(size.0),
        },
        pace: pace(front, load, own)?.unwrap_or(plain.pace),
        levels: levels(front, load, own)?,
        layout: layout(front, load)?,
        shape: shape(front, load)?,
        label: own.label.clone(),
        workers: own.workers,
        io_timeout: own.io_timeout.unwrap_or(plain.io_timeout),
        engine: own.engine,
        buffered: own.buffered,
        allow_memory: own.consent.allow_memory,
        share: own.consent.share,
        poll: own.poll,
        cpus: own.cpus.clone().unwrap_or_default(),
        seed: own.seed.map_or_else(values::draw_seed, Ok)?,
        ..plain
    };
    request.set_writes(write_percent(front, load.write)?);
    request.set_large(large_pattern(front, load)?);
    for (class, size) in [(Class::SMALL, load.size_small), (Class::LARGE, load.size_large)] {
        if let Some(size) = size {
            request.set_size(class, size.0);
        }
    }
    request.check().map_err(|problem| match &problem.place {
        Some(place) => {
            let place = front.respelled(place);
            problem.at(place)
        }
        None => problem,
    })?;
    Ok(request)
}

/// What of the load a file says; an option beside it would contradict it.
fn refuse_beside_file(load: &LoadArgs, own: &OwnArgs) -> Result<(), Problem> {
    let given = [(Opt::NUM_DISKS, load.num_disks.is_some()), (Opt::WRITE, load.write.is_some())];
    let given = given.into_iter().chain(shape_options(load)).find(|&(_, given)| given);
    let levels = own.levels.map(|_| "--levels").or(load.span.map(|_| "--span"));
    let Some(option) = given.map(|(opt, _)| opt.spelled(Front::Rigel)).or(levels) else {
        return Ok(());
    };
    Err(Problem::usage(format!("{option} does not go with --load"))
        .at(option)
        .because("the file says what is loaded")
        .next(format!(
            "say it in the file, and leave out {option}; docs/reference/load-files.md has the keys"
        )))
}

/// The options of the load shape, and which of them are given.
fn shape_options(load: &LoadArgs) -> [(Opt, bool); 9] {
    [
        (Opt::MATRIX, load.matrix.is_some()),
        (Opt::NUM_SMALL, load.num_small.is_some()),
        (Opt::NUM_LARGE, load.num_large.is_some()),
        (Opt::SIZE_SMALL, load.size_small.is_some()),
        (Opt::SIZE_LARGE, load.size_large.is_some()),
        (Opt::TYPE, load.pattern.is_some()),
        (Opt::STREAM_IOS, load.stream_ios.is_some()),
        (Opt::SIMULATE, load.simulate.is_some()),
        (Opt::STRIPE, load.stripe.is_some()),
    ]
}

/// A predefined level has its load shape; changing it silently would measure something else under its name.
fn refuse_shape(front: Front, level: RunLevel, load: &LoadArgs) -> Result<(), Problem> {
    let Some((opt, _)) = shape_options(load).into_iter().find(|&(_, given)| given) else {
        return Ok(());
    };
    let option = opt.spelled(front);
    let matrix = Opt::MATRIX.spelled(front);
    let (this, instead) = match front {
        Front::Orion => (format!("-run {}", level.name()), "-run advanced"),
        Front::Rigel | Front::Calibrate | Front::Slo | Front::Soak => {
            (format!("rigel run {}", level.name()), "rigel run advanced")
        }
    };
    let nearest = match level {
        RunLevel::Normal => format!("{matrix} detailed"),
        RunLevel::Oltp => format!("{matrix} row {} 0", Opt::NUM_LARGE.spelled(front)),
        RunLevel::Dss => format!("{matrix} col {} 0", Opt::NUM_SMALL.spelled(front)),
        _ => format!("{matrix} basic"),
    };
    if level.is_own() {
        return Err(Problem::usage(format!("{option} does not go with {this}"))
            .at(option)
            .because(format!("the run level '{}' has its own load", level.name()))
            .next(format!("leave out {option}")));
    }
    Err(Problem::usage(format!("{option} does not go with {this}"))
        .at(option)
        .because(format!("the run level '{}' has its own load shape", level.name()))
        .next(format!("use `{instead}`, with {nearest} for the nearest shape, or leave out {option}")))
}

fn count(front: Front, opt: Opt, value: Option<u64>) -> Result<Option<u32>, Problem> {
    let count = |value| {
        u32::try_from(value).map_err(|_| {
            Problem::usage(format!("{value} is too large"))
                .at(opt.spelled(front))
                .next(format!("give at most {}", u32::MAX))
        })
    };
    value.map(count).transpose()
}

fn write_percent(front: Front, percent: Option<u64>) -> Result<WritePercent, Problem> {
    let percent = percent.unwrap_or(0);
    u8::try_from(percent).ok().and_then(WritePercent::new).ok_or_else(|| {
        Problem::usage(format!("a write share of {percent} per cent is above 100"))
            .at(Opt::WRITE.spelled(front))
            .next("give 0 to 100")
    })
}

/// A fixed time per data point, or a precision; `None` when ORION's command line asks for neither.
fn pace(front: Front, load: &LoadArgs, own: &OwnArgs) -> Result<Option<Pace>, Problem> {
    let adaptive = [
        ("--precision", own.precision.is_some()),
        ("--max-duration", own.max_duration.is_some()),
        ("--fast", own.fast),
        ("--levels auto", own.levels == Some(LevelChoice::Auto)),
    ];
    let asked = adaptive.into_iter().find(|&(_, given)| given).map(|(option, _)| option);
    match (load.duration, asked) {
        (Some(_), Some(option)) => {
            let duration = Opt::DURATION.spelled(front);
            Err(Problem::usage(format!("{option} does not go with {duration}"))
                .at(option)
                .because("a fixed time is spent on each data point, however sure its number is by then")
                .next(format!("leave out {duration} or {option}")))
        }
        (Some(duration), None) => Ok(Some(Pace::Fixed(duration))),
        (None, None) if front == Front::Orion => Ok(None),
        (None, _) => {
            let precision = own.precision.unwrap_or_default();
            Ok(Some(Pace::Adaptive(Adaptive { precision, max_duration: own.max_duration, fast: own.fast })))
        }
    }
}

fn levels(front: Front, load: &LoadArgs, own: &OwnArgs) -> Result<LevelChoice, Problem> {
    let levels = own.levels.unwrap_or_default();
    // A calibration searches as far as that many disks need.
    if levels == LevelChoice::Auto && load.num_disks.is_some() && front != Front::Calibrate {
        let disks = Opt::NUM_DISKS.spelled(front);
        return Err(Problem::usage(format!("{disks} does not go with --levels auto"))
            .at(disks)
            .because("the number of disks sets ORION's load levels; these are searched on the device")
            .next(format!("leave out {disks} or --levels auto")));
    }
    Ok(levels)
}

fn large_pattern(front: Front, load: &LoadArgs) -> Result<Pattern, Problem> {
    let pattern = load.pattern.unwrap_or(Pattern::Random);
    match (pattern, count(front, Opt::STREAM_IOS, load.stream_ios)?) {
        (pattern, None) => Ok(pattern),
        (Pattern::Streams { .. }, Some(ios_per_stream)) => Ok(Pattern::Streams { ios_per_stream }),
        (_, Some(_)) => Err(lacks(front, Opt::STREAM_IOS, "random I/O has no streams", Opt::TYPE, "seq")),
    }
}

fn layout(front: Front, load: &LoadArgs) -> Result<Layout, Problem> {
    match (load.simulate.unwrap_or(Layout::Concat), load.stripe) {
        (layout, None) => Ok(layout),
        (Layout::Raid0 { .. }, Some(stripe)) => Ok(Layout::Raid0 { stripe_bytes: stripe.0 }),
        (Layout::Concat, Some(_)) => {
            Err(lacks(front, Opt::STRIPE, "a concatenation has no stripes", Opt::SIMULATE, "raid0"))
        }
    }
}

/// `opt` only makes sense beside another option.
fn lacks(front: Front, opt: Opt, reason: &str, needs: Opt, word: &str) -> Problem {
    let (option, needs) = (opt.spelled(front), needs.spelled(front));
    Problem::usage(format!("{option} needs {needs} {word}"))
        .at(option)
        .because(reason)
        .next(format!("add {needs} {word}, or leave out {option}"))
}

/// The matrix with its counts.
pub fn shape(front: Front, load: &LoadArgs) -> Result<MatrixShape, Problem> {
    let matrix = load.matrix.unwrap_or(MatrixShape::Basic);
    let small = count(front, Opt::NUM_SMALL, load.num_small)?;
    let large = count(front, Opt::NUM_LARGE, load.num_large)?;
    match (matrix, small, large) {
        (MatrixShape::Basic | MatrixShape::Detailed, None, None) => Ok(matrix),
        (MatrixShape::Point { .. }, Some(small), Some(large)) => Ok(MatrixShape::Point { small, large }),
        (MatrixShape::Max { .. }, Some(small), Some(large)) => Ok(MatrixShape::Max { small, large }),
        (MatrixShape::Col { .. }, Some(small), None) => Ok(MatrixShape::Col { small }),
        (MatrixShape::Row { .. }, None, Some(large)) => Ok(MatrixShape::Row { large }),
        _ => Err(misfit(front, matrix, load)),
    }
}

/// The count that is missing, or the one that is too many.
fn misfit(front: Front, shape: MatrixShape, load: &LoadArgs) -> Problem {
    let matrix = format!("{} {}", Opt::MATRIX.spelled(front), shape.name());
    let (small, large) = shape.counts();
    let counts = [
        (Opt::NUM_SMALL, load.num_small.is_some(), small.is_some()),
        (Opt::NUM_LARGE, load.num_large.is_some(), large.is_some()),
    ];
    let missing = counts.iter().find(|&&(_, given, needed)| needed && !given);
    let extra = counts.iter().find(|&&(_, given, needed)| given && !needed);
    let reason =
        "point and max take both counts, col the small one, row the large one, basic and detailed none";
    let default = if load.matrix.is_none() { ", the default" } else { "" };
    match (missing, extra) {
        (Some(&(opt, ..)), _) => {
            let option = opt.spelled(front);
            Problem::usage(format!("{matrix} needs {option}"))
                .at(option)
                .because(reason)
                .next(format!("add {option} with a number"))
        }
        (None, extra) => {
            let option = extra.map_or(Opt::MATRIX, |&(opt, ..)| opt).spelled(front);
            Problem::usage(format!("{option} does not go with {matrix}{default}"))
                .at(option)
                .because(reason)
                .next(format!("leave out {option}, or choose another matrix"))
        }
    }
}
