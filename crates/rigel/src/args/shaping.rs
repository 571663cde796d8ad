//! From the load as it was asked for to a request: the rules of ORION's options, once for both command lines.
//!
//! Every message names the option as the user typed it. What a single value may be is known to [`Request::check`]; it
//! is asked after each option, so that a refusal can be put down to that option.

use super::load::LoadWish;
use super::names::{Front, Opt};
use super::own::OwnOptions;
use super::values;
use super::words::{Arrangement, LevelWord, MatrixName, Pattern, Words};
use rigel_core::error::Problem;
use rigel_core::load::matrix::{MatrixShape, RunLevel};
use rigel_core::load::pace::{Adaptive, LevelChoice, Pace};
use rigel_core::load::request::{CacheWarmUp, DEFAULT_STREAM_IOS, DEFAULT_STRIPE, Request};
use rigel_core::load::workload::{LargePattern, Layout, WritePercent};

/// The request, without name and command line.
///
/// # Errors
/// A usage problem that names the option.
pub fn request(front: Front, level: RunLevel, load: &LoadWish, own: &OwnOptions) -> Result<Request, Problem> {
    // A calibration is no level of its own to its user, and takes sizes.
    if level != RunLevel::Advanced && front != Front::Calibrate {
        refuse_shape(front, level, load)?;
    }
    let mut made = Maker { front, request: Request::new(level) };
    made.scale(load)?;
    made.pace(load, own)?;
    made.sizes(load)?;
    made.streams(load)?;
    made.shape(load)?;
    if own.workers.is_some() {
        made.set("--workers", |request| request.workers = own.workers)?;
    }
    if let Some(limit) = own.io_timeout {
        made.set("--io-timeout", |request| request.io_timeout = limit)?;
    }
    made.request.engine = own.engine;
    made.request.buffered = own.buffered;
    made.request.poll = own.poll;
    made.request.cpus = own.cpus.clone().unwrap_or_default();
    made.request.seed = match own.seed {
        Some(seed) => seed,
        None => values::draw_seed()?,
    };
    made.request.check()?;
    Ok(made.request)
}

/// A predefined level has its load shape; changing it silently would measure something else under its name.
fn refuse_shape(front: Front, level: RunLevel, load: &LoadWish) -> Result<(), Problem> {
    let given = [
        (Opt::Matrix, load.matrix.is_some()),
        (Opt::NumSmall, load.num_small.is_some()),
        (Opt::NumLarge, load.num_large.is_some()),
        (Opt::SizeSmall, load.size_small.is_some()),
        (Opt::SizeLarge, load.size_large.is_some()),
        (Opt::Type, load.pattern.is_some()),
        (Opt::StreamIos, load.stream_ios.is_some()),
        (Opt::Simulate, load.simulate.is_some()),
        (Opt::Stripe, load.stripe.is_some()),
    ];
    let Some((opt, _)) = given.into_iter().find(|&(_, given)| given) else {
        return Ok(());
    };
    let option = opt.spelled(front);
    let matrix = Opt::Matrix.spelled(front);
    let (this, instead) = match front {
        Front::Orion => (format!("-run {}", level.name()), "-run advanced"),
        Front::Rigel | Front::Calibrate => (format!("rigel run {}", level.name()), "rigel run advanced"),
    };
    let nearest = match level {
        RunLevel::Simple | RunLevel::Advanced => format!("{matrix} basic"),
        RunLevel::Normal => format!("{matrix} detailed"),
        RunLevel::Oltp => format!("{matrix} row {} 0", Opt::NumLarge.spelled(front)),
        RunLevel::Dss => format!("{matrix} col {} 0", Opt::NumSmall.spelled(front)),
    };
    Err(Problem::usage(format!("{option} does not go with {this}"))
        .at(option)
        .because(format!("the run level '{}' has its own load shape", level.name()))
        .next(format!("use `{instead}`, with {nearest} for the nearest shape, or leave out {option}")))
}

/// A request in the making.
struct Maker {
    front: Front,
    request: Request,
}

impl Maker {
    /// Changes the request and puts a refusal down to `place`.
    fn set(&mut self, place: &str, change: impl FnOnce(&mut Request)) -> Result<(), Problem> {
        change(&mut self.request);
        self.request.check().map_err(|problem| problem.at(place))
    }

    fn spelled(&self, opt: Opt) -> &'static str {
        opt.spelled(self.front)
    }

    fn count(&self, opt: Opt, value: u64) -> Result<u32, Problem> {
        u32::try_from(value).map_err(|_| {
            Problem::usage(format!("{value} is too large"))
                .at(self.spelled(opt))
                .next(format!("give at most {}", u32::MAX))
        })
    }

    fn optional_count(&self, opt: Opt, value: Option<u64>) -> Result<Option<u32>, Problem> {
        value.map(|value| self.count(opt, value)).transpose()
    }

    fn scale(&mut self, load: &LoadWish) -> Result<(), Problem> {
        let num_disks = self.optional_count(Opt::NumDisks, load.num_disks)?;
        self.set(self.spelled(Opt::NumDisks), |request| request.num_disks = num_disks)?;
        if let Some(percent) = load.write {
            let share = u8::try_from(percent).ok().and_then(WritePercent::new);
            self.request.write_percent = share.ok_or_else(|| {
                Problem::usage(format!("a write share of {percent} per cent is above 100"))
                    .at(self.spelled(Opt::Write))
                    .next("give 0 to 100")
            })?;
        }
        self.request.cache = match load.cache_size {
            None => CacheWarmUp::Default,
            Some(size) if size.0 == 0 => CacheWarmUp::Off,
            Some(size) => CacheWarmUp::Bytes(size.0),
        };
        Ok(())
    }

    /// A fixed time per data point, or a precision. ORION's command line is fixed unless a precision is asked for.
    fn pace(&mut self, load: &LoadWish, own: &OwnOptions) -> Result<(), Problem> {
        let wishes = [
            ("--precision", own.precision.is_some()),
            ("--max-duration", own.max_duration.is_some()),
            ("--fast", own.fast),
            ("--levels auto", own.levels == Some(LevelWord::Auto)),
        ];
        let wish = wishes.into_iter().find(|&(_, given)| given).map(|(option, _)| option);
        match (load.duration, wish) {
            (Some(_), Some(option)) => {
                let duration = self.spelled(Opt::Duration);
                return Err(Problem::usage(format!("{option} does not go with {duration}"))
                    .at(option)
                    .because("a fixed time is spent on each data point, however sure its number is by then")
                    .next(format!("leave out {duration} or {option}")));
            }
            (Some(duration), None) => {
                self.set(self.spelled(Opt::Duration), |request| request.pace = Pace::Fixed(duration))?;
            }
            (None, None) if self.front == Front::Orion => {}
            (None, _) => {
                let precision = own.precision.unwrap_or_default();
                let adaptive = Adaptive { precision, max_duration: own.max_duration, fast: own.fast };
                self.set("--max-duration", |request| request.pace = Pace::Adaptive(adaptive))?;
            }
        }
        if own.levels == Some(LevelWord::Auto) {
            // A calibration goes as far as so many disks need.
            if load.num_disks.is_some() && self.front != Front::Calibrate {
                let disks = self.spelled(Opt::NumDisks);
                return Err(Problem::usage(format!("{disks} does not go with --levels auto"))
                    .at(disks)
                    .because("the number of disks sets ORION's load levels; these are searched on the device")
                    .next(format!("leave out {disks} or --levels auto")));
            }
            self.set("--levels", |request| request.levels = LevelChoice::Auto)?;
        }
        Ok(())
    }

    fn sizes(&mut self, load: &LoadWish) -> Result<(), Problem> {
        if let Some(size) = load.size_small {
            self.set(self.spelled(Opt::SizeSmall), |request| request.small_bytes = size.0)?;
        }
        if let Some(size) = load.size_large {
            self.set(self.spelled(Opt::SizeLarge), |request| request.large_bytes = size.0)?;
        }
        Ok(())
    }

    fn streams(&mut self, load: &LoadWish) -> Result<(), Problem> {
        let ios = self.optional_count(Opt::StreamIos, load.stream_ios)?;
        match (load.pattern, ios) {
            (Some(Pattern::Seq), ios) => {
                let ios_per_stream = ios.unwrap_or(DEFAULT_STREAM_IOS);
                self.set(self.spelled(Opt::StreamIos), |request| {
                    request.large_pattern = LargePattern::Sequential { ios_per_stream };
                })?;
            }
            (_, Some(_)) => {
                return Err(self.lacks(Opt::StreamIos, "random I/O has no streams", Opt::Type, Pattern::Seq));
            }
            (_, None) => {}
        }
        match (load.simulate, load.stripe) {
            (Some(Arrangement::Raid0), stripe) => {
                let stripe_bytes = stripe.unwrap_or(DEFAULT_STRIPE).0;
                self.set(self.spelled(Opt::Stripe), |request| {
                    request.layout = Layout::Raid0 { stripe_bytes };
                })
            }
            (_, Some(_)) => Err(self.lacks(
                Opt::Stripe,
                "a concatenation has no stripes",
                Opt::Simulate,
                Arrangement::Raid0,
            )),
            (_, None) => Ok(()),
        }
    }

    /// `opt` only makes sense beside another option.
    fn lacks<T: Words>(&self, opt: Opt, reason: &str, needs: Opt, word: T) -> Problem {
        let (option, needs, word) = (self.spelled(opt), self.spelled(needs), word.word());
        Problem::usage(format!("{option} needs {needs} {word}"))
            .at(option)
            .because(reason)
            .next(format!("add {needs} {word}, or leave out {option}"))
    }

    fn shape(&mut self, load: &LoadWish) -> Result<(), Problem> {
        let name = load.matrix.unwrap_or(MatrixName::Basic);
        let small = self.optional_count(Opt::NumSmall, load.num_small)?;
        let large = self.optional_count(Opt::NumLarge, load.num_large)?;
        let shape = match (name, small, large) {
            (MatrixName::Basic, None, None) => MatrixShape::Basic,
            (MatrixName::Detailed, None, None) => MatrixShape::Detailed,
            (MatrixName::Point, Some(small), Some(large)) => MatrixShape::Point { small, large },
            (MatrixName::Max, Some(small), Some(large)) => MatrixShape::Max { small, large },
            (MatrixName::Col, Some(small), None) => MatrixShape::Col { small },
            (MatrixName::Row, None, Some(large)) => MatrixShape::Row { large },
            _ => return Err(self.misfit(name, load)),
        };
        let (small, large) = (self.spelled(Opt::NumSmall), self.spelled(Opt::NumLarge));
        let place = match shape.counts() {
            (Some(_), None) => small.to_owned(),
            (None, Some(_)) => large.to_owned(),
            _ => format!("{small}, {large}"),
        };
        self.set(&place, |request| request.shape = shape)
    }

    /// The count that is missing, or the one that is too many.
    fn misfit(&self, name: MatrixName, load: &LoadWish) -> Problem {
        let matrix = format!("{} {}", self.spelled(Opt::Matrix), name.word());
        let (needs_small, needs_large) = match name {
            MatrixName::Basic | MatrixName::Detailed => (false, false),
            MatrixName::Point | MatrixName::Max => (true, true),
            MatrixName::Col => (true, false),
            MatrixName::Row => (false, true),
        };
        let counts = [
            (Opt::NumSmall, load.num_small.is_some(), needs_small),
            (Opt::NumLarge, load.num_large.is_some(), needs_large),
        ];
        let missing = counts.iter().find(|&&(_, given, needed)| needed && !given);
        let extra = counts.iter().find(|&&(_, given, needed)| given && !needed);
        let reason =
            "point and max take both counts, col the small one, row the large one, basic and detailed none";
        let default = if load.matrix.is_none() { ", the default" } else { "" };
        match (missing, extra) {
            (Some(&(opt, ..)), _) => {
                let option = self.spelled(opt);
                Problem::usage(format!("{matrix} needs {option}"))
                    .at(option)
                    .because(reason)
                    .next(format!("add {option} with a number"))
            }
            (None, extra) => {
                let option = self.spelled(extra.map_or(Opt::Matrix, |&(opt, ..)| opt));
                Problem::usage(format!("{option} does not go with {matrix}{default}"))
                    .at(option)
                    .because(reason)
                    .next(format!("leave out {option}, or choose another matrix"))
            }
        }
    }
}
