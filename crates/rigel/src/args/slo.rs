//! `rigel slo`: the arguments. It is a run of the level open whose rates are searched, within bounds on the latency.
//!
//! Must not judge what the arguments of a run hold as well; [`super::build`] does.

use super::load::LoadArgs;
use super::names::Front;
use super::open::{OPEN, most_outstanding, shape};
use super::output::OutputArgs;
use super::own::{ConsentArgs, OwnArgs};
use super::run::RunArgs;
use super::target_args::TargetArgs;
use super::values::Misread;
use super::{Environment, Invocation, shaping, values};
use clap::Arg;
use rigel_core::error::Problem;
use rigel_core::load::class::{Arrival, LoadClass, Shape};
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::pace::{Adaptive, LevelChoice, Pace, Precision};
use rigel_core::load::request::{DEFAULT_SMALL, EngineRequest, Request};
use rigel_core::load::slo::{Judged, Requirement, Slo, SloBound, USUAL_MOST_RATE, USUAL_SEARCH};
use rigel_core::units::{Bytes, Nanos};
use std::error::Error;
use std::path::PathBuf;

pub const BOUNDS: &str = "Bounds";
pub const LOAD: &str = "Load";
/// The points need no more: how sure the rate is, its bracket tells.
pub const PRECISION: Precision = Precision(200);

const SUMMARY: &str = "\
Examples:
  rigel slo --p99 1ms /dev/nvme1n1                      the highest rate whose p99 is within 1 ms
  rigel slo --p99 2ms --require 'p99 < 2ms @ 12000'     fails when 12,000/s do not keep it
All options and more examples: rigel help slo";

const EXAMPLES: &str = "\
Examples:
  rigel slo --p99 1ms /dev/nvme1n1
      how many small reads per second may arrive so that 99 of 100 take at most 1 ms; nothing is written
  rigel slo --p50 300us --p999 5ms --write 20
      two bounds at once, with 20 % writes, on a scratch file in this directory
  rigel slo --bound 'p99.99 < 20ms' --bound 'mean < 1ms' --load shop.toml /dev/sdx
      bounds of any percentile, for a load of your own whose rates are scaled together
  rigel slo --p99 5ms --load postgresql
      how many pages per second PostgreSQL can use beside its log and a scan, on a scratch file in this directory
  rigel slo --require 'p99 < 2ms @ 12000' /dev/sdx && deploy
      the exit code is 0 only when 12,000 per second surely keep it
  rigel slo --p99 2ms --engine sim:servers=4,spread=exponential
      a simulated device, to see what comes out

A latency counts from the time at which the I/O should have begun. The load goes up to, and a little beyond, the rate that is
found: what else uses the same disks is slow meanwhile.";

/// Bounds on the latency, of every command that searches within some.
#[derive(Debug, clap::Args)]
pub struct BoundArgs {
    /// At most half of the I/Os may take longer than TIME, such as 300us
    #[arg(long, value_name = "TIME", value_parser = limit, help_heading = BOUNDS)]
    pub p50: Option<Nanos>,

    /// At most 5 % may
    #[arg(long, value_name = "TIME", value_parser = limit, help_heading = BOUNDS)]
    pub p95: Option<Nanos>,

    /// At most 1 % may
    #[arg(long, value_name = "TIME", value_parser = limit, help_heading = BOUNDS)]
    pub p99: Option<Nanos>,

    /// At most 0.1 % may
    #[arg(long, value_name = "TIME", value_parser = limit, help_heading = BOUNDS)]
    pub p999: Option<Nanos>,

    /// The mean latency may be at most TIME
    #[arg(long, value_name = "TIME", value_parser = limit, help_heading = BOUNDS)]
    pub mean: Option<Nanos>,

    /// A bound of any percentile, such as 'p99.95 < 5ms'; may be given several times
    #[arg(long, value_name = "BOUND", value_parser = bound, help_heading = BOUNDS)]
    pub bound: Vec<SloBound>,
}

#[derive(Debug, clap::Args)]
#[command(after_help = SUMMARY, after_long_help = EXAMPLES, mut_args(adapted))]
pub struct SloArgs {
    #[command(flatten)]
    targets: TargetArgs,

    #[command(flatten)]
    bounds: BoundArgs,

    /// Fail unless a rate keeps a bound, such as 'p99 < 2ms @ 12000'; may be given several times
    ///
    /// The rate is visited as well, whatever is found. The exit code is 1 when it does not keep the bound, or when the visits do not
    /// tell; the result says which. Without a bound elsewhere, this one is searched for as well. `rigel versus --require` judges two
    /// storages by the same.
    #[arg(long, value_name = "BOUND@RATE", value_parser = requirement, help_heading = BOUNDS)]
    require: Vec<Requirement>,

    /// Share of writes in per cent, 0 to 100 [default: 0]
    #[arg(long, value_name = "PERCENT", value_parser = values::per_cent, help_heading = LOAD)]
    write: Option<u64>,

    /// Size of an I/O [default: 8K]
    #[arg(long, value_name = "SIZE", help_heading = LOAD)]
    size: Option<Bytes>,

    /// Measure the load in FILE, or of postgresql, mysql or oracle; the rates of its classes are scaled together
    ///
    /// FILE is TOML; docs/reference/load-files.md has every key and an example, and what is in the presets of these three names. The rate that is searched is that of all classes with a
    /// rate together, in the proportion in which FILE has them. The bounds are about the I/Os of all of these. Classes with an
    /// outstanding number run beside them as they are.
    #[arg(long = "load", value_name = "FILE", value_hint = clap::ValueHint::FilePath, help_heading = LOAD)]
    load_file: Option<PathBuf>,

    /// How the times between arrivals spread: even, poisson or bursty:N [default: poisson]
    #[arg(long, value_name = "SHAPE", value_parser = shape, help_heading = LOAD, hide_short_help = true)]
    arrivals: Option<Shape>,

    /// Most I/Os outstanding at once; what arrives beyond that waits, and its latency counts [default: 1024]
    #[arg(long, value_name = "N", help_heading = LOAD, hide_short_help = true)]
    max_outstanding: Option<u32>,

    /// The highest rate that is tried [default: 250000]
    #[arg(long, value_name = "RATE", value_parser = values::rate, help_heading = LOAD, hide_short_help = true)]
    max_rate: Option<u32>,

    /// Time for everything but filling a scratch file: no visit begins after it [default: 5m or more]
    ///
    /// Without it, 5m, and more for a bound above 37 ms: the longer the bound, the longer a queue takes to settle, and with it each visit.
    #[arg(long, value_name = "TIME", value_parser = values::duration, help_heading = LOAD)]
    duration: Option<Nanos>,

    /// How I/O reaches the kernel, as with rigel run
    #[arg(long, value_name = "ENGINE", default_value = "auto", value_parser = values::engine, help_heading = LOAD, hide_short_help = true)]
    engine: EngineRequest,

    /// Worker threads [default: as many as the highest rate needs]
    #[arg(long, value_name = "N", help_heading = LOAD, hide_short_help = true)]
    workers: Option<u32>,

    /// Seed of every offset and every arrival [default: drawn, and printed]
    #[arg(long, value_name = "N", value_parser = values::seed, help_heading = LOAD, hide_short_help = true)]
    seed: Option<u64>,

    #[command(flatten)]
    consent: ConsentArgs,

    #[command(flatten)]
    output: OutputArgs,
}

fn bound(text: &str) -> Result<SloBound, Misread> {
    text.parse().map_err(|reason| misread(reason, hint(text, &["<"], "'p99.9 < 5ms'")))
}

pub fn requirement(text: &str) -> Result<Requirement, Misread> {
    text.parse().map_err(|reason| misread(reason, hint(text, &["<", "@"], "'p99 < 2ms @ 12000'")))
}

fn misread(reason: String, next: String) -> Misread {
    Misread { reason: format!("cannot be read: {reason}"), next }
}

/// What a shell takes away, when nothing is left but what is judged; else what is missing, or an example.
fn hint(text: &str, signs: &[&str], example: &str) -> String {
    if text.contains('>') {
        return format!("a bound is an upper one: write it with <, as in {example}");
    }
    if text.trim().parse::<Judged>().is_ok() {
        return format!("quote it, as < means something to the shell: {example}");
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
        Nanos(0) => Err(Misread {
            reason: "is a latency that cannot be kept".into(),
            next: "give a time above 0, such as 1ms".into(),
        }
        .into()),
        limit => Ok(limit),
    }
}

/// The time that was asked for.
pub fn asked_duration(duration: Option<Nanos>) -> Result<Option<Nanos>, Problem> {
    match duration {
        Some(Nanos(0)) => Err(Problem::usage("in no time no rate can be found")
            .at("--duration")
            .next("give --duration 3m or more, or leave it out")),
        duration => Ok(duration),
    }
}

/// The options of a run, as the help of this command has them.
pub fn adapted(arg: Arg) -> Arg {
    match arg.get_id().as_str() {
        "lun" => arg.hide_short_help(true),
        "destroy_data" | "allow_memory" | "share" | "dry_run" => arg.help_heading(LOAD).hide_short_help(true),
        "name" => arg.default_value("slo"),
        "out" => arg.default_value("."),
        "json" => arg.help("The result as JSON on standard output"),
        "quiet" => arg.help("No progress, no remarks; the result only").hide_short_help(false),
        _ => arg,
    }
}

/// The weakest percentile first, each once.
pub fn in_order(mut bounds: Vec<SloBound>) -> Vec<SloBound> {
    bounds.sort_by_key(|bound| (std::cmp::Reverse(bound.judged), bound.limit));
    bounds.dedup();
    bounds
}

impl BoundArgs {
    /// All that were given.
    pub fn all(&self) -> Vec<SloBound> {
        let short = [
            (Judged::Beyond(500_000), self.p50),
            (Judged::Beyond(50_000), self.p95),
            (Judged::Beyond(10_000), self.p99),
            (Judged::Beyond(1000), self.p999),
            (Judged::Mean, self.mean),
        ];
        let short = short.into_iter().filter_map(|(judged, limit)| Some(SloBound { judged, limit: limit? }));
        short.chain(self.bound.iter().copied()).collect()
    }
}

impl SloArgs {
    /// What was asked for.
    pub fn invocation(self, command_line: String, environment: &Environment) -> Result<Invocation, Problem> {
        let request = self.request()?;
        let options = self.run().asking(Front::Slo, request, command_line, environment)?;
        Ok(Invocation::Run(Box::new(options)))
    }

    /// The request, without name and command line. Of a load in a file only the search is known yet.
    fn request(&self) -> Result<Request, Problem> {
        let slo = Slo {
            bounds: self.bounds(),
            required: self.require.clone(),
            most_rate: self.max_rate.unwrap_or(USUAL_MOST_RATE),
            scaled: None,
        };
        let level = if self.load_file.is_some() { RunLevel::Load } else { RunLevel::Open };
        let load = LoadArgs { write: self.write, ..LoadArgs::default() };
        self.refuse_beside_file()?;
        let plain = shaping::request(Front::Slo, level, &load, &self.own())?;
        let duration = match asked_duration(self.duration)? {
            Some(duration) => duration,
            None => slo.unasked_duration(USUAL_SEARCH)?,
        };
        let pace =
            Pace::Adaptive(Adaptive { precision: PRECISION, max_duration: Some(duration), fast: false });
        let most_outstanding = most_outstanding(self.max_outstanding)?;
        let class = LoadClass {
            write_percent: plain.write_percent(),
            arrival: Arrival::Open { shape: self.arrivals.unwrap_or_default(), most_outstanding },
            ..LoadClass::random(OPEN, self.size.unwrap_or(DEFAULT_SMALL).0)
        };
        let request =
            Request { classes: vec![class], levels: LevelChoice::Own, pace, slo: Some(slo), ..plain };
        request.check()?;
        Ok(request)
    }

    /// All bounds; those of the requirements where there is no other. The same one twice is one.
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

    /// What of the load a file says.
    fn refuse_beside_file(&self) -> Result<(), Problem> {
        let given = [
            ("--write", self.write.is_some()),
            ("--size", self.size.is_some()),
            ("--arrivals", self.arrivals.is_some()),
            ("--max-outstanding", self.max_outstanding.is_some()),
        ];
        let Some((option, _)) = given.into_iter().find(|one| one.1 && self.load_file.is_some()) else {
            return Ok(());
        };
        Err(Problem::usage(format!("{option} does not go with --load"))
            .at(option)
            .because("the file says what is loaded")
            .next(format!("say it in the file, and leave out {option}")))
    }

    fn own(&self) -> OwnArgs {
        OwnArgs {
            engine: self.engine,
            workers: self.workers,
            seed: self.seed,
            label: self.output.label.clone(),
            consent: self.consent.clone(),
            show: self.output.show.clone(),
            ..OwnArgs::default()
        }
    }

    fn run(self) -> RunArgs {
        let own = self.own();
        RunArgs { targets: self.targets, load_file: self.load_file, ..self.output.of_run(own) }
    }
}
