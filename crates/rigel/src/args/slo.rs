//! `rigel slo`: the arguments. It is a run of the level open that searches for a rate within latency limits.
//!
//! Must not judge what it shares with the arguments of a run; [`super::build`] does.

use super::build::Frame;
use super::names::Front;
use super::open::{OPEN, most_outstanding, shape};
use super::output::OutputArgs;
use super::own::{HowArgs, beside_own};
use super::target_args::TargetArgs;
use super::values::ValueError;
use super::{Environment, Invocation, shaping, values};
use clap::Arg;
use rigel_core::error::Problem;
use rigel_core::load::class::{Arrival, LoadClass, Shape};
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::pace::{Adaptive, Precision};
use rigel_core::load::request::{DEFAULT_SMALL, Request};
use rigel_core::load::slo::{LatencyCriterion, Requirement, Slo, SloBound, USUAL_MOST_RATE};
use rigel_core::load::task::Task;
use rigel_core::units::{Bytes, Nanos};
use std::error::Error;
use std::path::PathBuf;

pub const BOUNDS: &str = "Limits";
pub const LOAD: &str = "Load";
/// The points need no more: the bracket shows how certain the rate is.
pub const PRECISION: Precision = Precision(200);

const SUMMARY: &str = "\
Examples:
  rigel slo --p99 1ms /dev/nvme1n1                      highest rate with a p99 below 1 ms
  rigel slo --p99 1ms /mnt/fast                         with a scratch file in that directory
  rigel slo --require 'p99 < 2ms @ 12000' /dev/sdx      do 12,000/s meet it? (60 s; exit code 0: yes)
All options and more examples: rigel help slo";

const EXAMPLES: &str = "\
Examples:
  rigel slo --p99 1ms /dev/nvme1n1
      how many small reads per second may arrive if 99 of 100 must take at most 1 ms; nothing is written
  rigel slo --p50 300us --p999 5ms --write 20
      two limits at once, with 20 % writes, on a scratch file in this directory
  rigel slo --bound 'p99.99 < 20ms' --bound 'mean < 1ms' --load shop.toml /dev/sdx
      limits on any percentile, for a load of your own whose rates are scaled together
  rigel slo --p99 5ms --load postgresql
      how many pages per second PostgreSQL can read and write next to its log and a scan, on a scratch file in this directory
  rigel slo --require 'p99 < 2ms @ 12000' /dev/sdx && deploy
      exit code 0 only if 12,000 per second certainly meet the limit; takes 60 s
  rigel slo --p99 2ms --engine sim:servers=4,spread=exponential
      a simulated device, to see the result

Latency counts from the time at which the I/O should have started. The load slightly exceeds the rate that is found: other programs on the
same disks are slow meanwhile.";

/// Bounds on the latency, of every command that searches within some.
#[derive(Debug, clap::Args)]
pub struct BoundArgs {
    /// Limit on the median: at most half of the I/Os may take longer, such as 300us
    #[arg(long, alias = "median", value_name = "TIME", value_parser = limit, help_heading = BOUNDS)]
    pub p50: Option<Nanos>,

    /// At most 5 % of the I/Os may take longer
    #[arg(long, value_name = "TIME", value_parser = limit, help_heading = BOUNDS)]
    pub p95: Option<Nanos>,

    /// At most 1 % of the I/Os may take longer
    #[arg(long, value_name = "TIME", value_parser = limit, help_heading = BOUNDS)]
    pub p99: Option<Nanos>,

    /// At most 0.1 % of the I/Os may take longer
    #[arg(long, visible_alias = "p99.9", value_name = "TIME", value_parser = limit, help_heading = BOUNDS)]
    pub p999: Option<Nanos>,

    /// Limit on the mean latency
    #[arg(long, value_name = "TIME", value_parser = limit, help_heading = BOUNDS)]
    pub mean: Option<Nanos>,

    /// Limit on any percentile or the mean, such as 'p99.95 < 5ms'; repeatable
    #[arg(long, value_name = "LIMIT", value_parser = bound, help_heading = BOUNDS)]
    pub bound: Vec<SloBound>,
}

#[derive(Debug, clap::Args)]
#[command(after_help = SUMMARY, after_long_help = EXAMPLES, mut_args(adapted))]
pub struct SloArgs {
    #[command(flatten)]
    targets: TargetArgs,

    #[command(flatten)]
    bounds: BoundArgs,

    /// Exit with 1 unless a limit is met at a rate, such as 'p99 < 2ms @ 12000'; repeatable
    ///
    /// The exit code is 1 if the limit is not met or the result is undecided; the result says which. If no other limit is given, only the required
    /// rates are measured, in 60 seconds; with one (such as --p99), the highest rate that meets it is searched, too. `rigel versus --require` judges two storages by the same rule.
    #[arg(long, value_name = "LIMIT@RATE", value_parser = requirement, help_heading = BOUNDS)]
    require: Vec<Requirement>,

    /// Percentage of writes, 0 to 100 [default: 0]
    #[arg(long, value_name = "PERCENT", value_parser = values::per_cent, help_heading = LOAD)]
    write: Option<u64>,

    /// Size of an I/O [default: 8K]
    #[arg(long, value_name = "SIZE", help_heading = LOAD)]
    size: Option<Bytes>,

    /// Use the load in FILE, or of postgresql, mysql or oracle; the rates of its classes are scaled together
    ///
    /// FILE is TOML; docs/reference/load-files.md describes its keys and the three presets. The search scales the rates of all classes that have a
    /// rate, in the proportion given in FILE, and the limits apply to all their I/Os. Classes with a number of outstanding I/Os run alongside unchanged.
    #[arg(long = "load", value_name = "FILE", value_hint = clap::ValueHint::FilePath, help_heading = LOAD)]
    load_file: Option<PathBuf>,

    /// Distribution of the times between arrivals: even, poisson or bursty:N [default: poisson]
    #[arg(long, value_name = "SHAPE", value_parser = shape, help_heading = LOAD, hide_short_help = true)]
    arrivals: Option<Shape>,

    /// Most I/Os outstanding at once; further ones wait, and the wait counts as latency [default: 1024]
    #[arg(long, visible_alias = "qd", value_name = "N", help_heading = LOAD, hide_short_help = true)]
    max_outstanding: Option<u32>,

    /// Highest rate to try [default: 250000]
    #[arg(long, value_name = "RATE", value_parser = values::rate, help_heading = LOAD, hide_short_help = true)]
    max_rate: Option<u32>,

    /// Time for everything but filling a scratch file; no measurement begins after it [default: 5m or more; 60s with --require alone]
    ///
    /// The default is longer for a limit above 37 ms: the longer the limit, the longer a queue takes to settle, and with it each measurement.
    #[arg(long = "for", aliases = ["duration", "max-duration"], value_name = "TIME", value_parser = values::duration, help_heading = LOAD)]
    duration: Option<Nanos>,

    #[command(flatten)]
    how: HowArgs,

    #[command(flatten)]
    output: OutputArgs,
}

fn bound(text: &str) -> Result<SloBound, ValueError> {
    text.parse().map_err(|reason| misread(reason, hint(text, &["<"], "'p99.9 < 5ms'")))
}

pub fn requirement(text: &str) -> Result<Requirement, ValueError> {
    text.parse().map_err(|reason| misread(reason, hint(text, &["<", "@"], "'p99 < 2ms @ 12000'")))
}

fn misread(reason: String, next: String) -> ValueError {
    ValueError { reason: format!("cannot be read: {reason}"), next }
}

/// What the shell took away, if only what is judged is left; otherwise what is missing, or an example.
fn hint(text: &str, signs: &[&str], example: &str) -> String {
    if text.contains('>') {
        return format!("a limit is an upper one: write it with <, as in {example}");
    }
    if text.trim().parse::<LatencyCriterion>().is_ok() {
        return format!("quote it, because the shell interprets <: {example}");
    }
    // The other signs that a bound may have stand for this one.
    let text = text.replace(['\u{2264}', '\u{2a7d}'], "<");
    match signs.iter().find(|sign| !text.contains(**sign)) {
        Some(sign) => format!("it lacks {sign}: give it as in {example}"),
        None => format!("give it as in {example}"),
    }
}

/// Reads the latency of a bound.
fn limit(text: &str) -> Result<Nanos, Box<dyn Error + Send + Sync>> {
    match values::latency(text)? {
        Nanos(0) => Err(ValueError {
            reason: "must be greater than 0".into(),
            next: "give a time above 0, such as 1ms".into(),
        }
        .into()),
        limit => Ok(limit),
    }
}

/// The requested time.
pub fn asked_duration(duration: Option<Nanos>) -> Result<Option<Nanos>, Problem> {
    match duration {
        Some(Nanos(0)) => Err(Problem::usage("--for must be longer than 0")
            .at("--for")
            .next("give --for 3m or more, or leave it out")),
        duration => Ok(duration),
    }
}

/// The options of a run, as the help of this command has them.
fn adapted(arg: Arg) -> Arg {
    match arg.get_id().as_str() {
        "name" => arg.default_value("slo"),
        _ => beside_own(arg),
    }
}

/// The weakest percentile first, each once.
pub fn in_order(mut bounds: Vec<SloBound>) -> Vec<SloBound> {
    bounds.sort_by_key(|bound| (std::cmp::Reverse(bound.judged), bound.limit));
    bounds.dedup();
    bounds
}

impl BoundArgs {
    /// All bounds given.
    pub fn all(&self) -> Vec<SloBound> {
        let short = [
            (LatencyCriterion::Beyond(500_000), self.p50),
            (LatencyCriterion::Beyond(50_000), self.p95),
            (LatencyCriterion::Beyond(10_000), self.p99),
            (LatencyCriterion::Beyond(1000), self.p999),
            (LatencyCriterion::Mean, self.mean),
        ];
        let short = short.into_iter().filter_map(|(judged, limit)| Some(SloBound { judged, limit: limit? }));
        short.chain(self.bound.iter().copied()).collect()
    }
}

impl SloArgs {
    /// What was requested.
    pub fn invocation(self, command_line: String, environment: &Environment) -> Result<Invocation, Problem> {
        let request = self.request()?;
        let frame = Frame {
            front: Front::Slo,
            command_line,
            environment,
            targets: self.targets,
            load_file: self.load_file,
            how: self.how,
            output: self.output,
            orion_version: None,
        };
        Ok(Invocation::Run(Box::new(frame.options(request)?)))
    }

    /// The request, without name and command line. Of a load in a file only the search is known yet.
    fn request(&self) -> Result<Request, Problem> {
        let slo = Slo {
            bounds: self.bounds(),
            required: self.require.clone(),
            most_rate: self.max_rate.unwrap_or(USUAL_MOST_RATE),
            required_only: self.bounds.all().is_empty() && !self.require.is_empty(),
            scaled: None,
        };
        let level = if self.load_file.is_some() { RunLevel::Load } else { RunLevel::Open };
        let duration = match asked_duration(self.duration)? {
            Some(duration) => duration,
            None => slo.unasked_duration()?,
        };
        let pace = Adaptive { precision: PRECISION, max_duration: Some(duration), fast: false };
        let most_outstanding = most_outstanding(self.max_outstanding)?;
        let class = LoadClass {
            write_percent: shaping::write_percent(Front::Slo, self.write)?,
            arrival: Arrival::Open { shape: self.arrivals.unwrap_or_default(), most_outstanding },
            ..LoadClass::random(OPEN, self.size.unwrap_or(DEFAULT_SMALL).0)
        };
        let plain = self.how.request(Request::of(Task::rate(level, slo, pace)))?;
        let request = Request { classes: vec![class], ..plain };
        request.check()?;
        Ok(request)
    }

    /// All bounds; those of the requirements if there is no other. Duplicates are merged.
    fn bounds(&self) -> Vec<SloBound> {
        let mut bounds = self.bounds.all();
        if bounds.is_empty() {
            // The strictest of each percentile.
            bounds.extend(self.require.iter().map(|one| one.bound));
            bounds.sort_unstable();
            bounds.dedup_by_key(|bound| bound.judged);
        }
        in_order(bounds)
    }
}
