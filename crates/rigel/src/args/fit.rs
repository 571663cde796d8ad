//! `rigel capacity fit`: the arguments. It is a search of `rigel slo` for the largest scale of a load in a file.
//!
//! Must not read the file.

use super::names::Front;
use super::output::OutputArgs;
use super::own::{ConsentArgs, OwnArgs};
use super::replay::scale;
use super::run::RunArgs;
use super::slo::{BOUNDS, BoundArgs, LOAD, PRECISION, adapted, asked_duration, in_order};
use super::target_args::TargetArgs;
use super::{Environment, Invocation, shaping, values};
use clap::Arg;
use rigel_core::error::Problem;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::pace::{Adaptive, LevelChoice, Pace};
use rigel_core::load::request::{EngineRequest, Request};
use rigel_core::load::slo::{Scaled, Slo, USUAL_MOST_RATE};
use rigel_core::units::Nanos;
use std::path::PathBuf;

const SUMMARY: &str = "\
Examples:
  rigel capacity fit --load week.toml --bound 'p99 < 5ms' /dev/sdx        how many times that week the storage carries
  rigel capacity fit --load week.toml --p99 5ms --require 1.5 /dev/sdx    fails when it is not half as much again
All options and more examples: rigel help capacity fit";

const EXAMPLES: &str = "\
Examples:
  rigel capacity fit --load week.toml --bound 'p99 < 5ms' /dev/sdx
      how many times the load of `rigel capacity replay` this storage carries so that, in every phase, 99 of 100 I/Os take at most 5 ms
  rigel capacity fit --load week.toml --p99 5ms --p999 20ms --require 1.5 /dev/sdx && move
      two bounds at once; the exit code is 0 only when half as much again as the week surely keeps them
  rigel capacity fit --load week.toml --p99 5ms --destroy-data /dev/sdx /dev/sdx
      a week that wrote, on a device whose contents may be lost
  rigel capacity fit --load week.toml --p99 5ms --engine sim:servers=8,service=200us
      a simulated device, to see what comes out

All rates of the load are scaled together. Phases that have less of everything than another one need no search; the others are
searched at once, at the same scale, and the first that breaks a bound decides. The load goes up to, and a little beyond, the scale that
is found: what else uses the same disks is slow meanwhile.";

/// Thousandths.
const THOUSAND: f64 = 1000.0;

#[derive(Debug, clap::Args)]
#[command(after_help = SUMMARY, after_long_help = EXAMPLES, mut_args(adapted_here), override_usage = "rigel capacity fit [OPTIONS] --load FILE --bound BOUND [TARGET]...")]
pub struct FitArgs {
    #[command(flatten)]
    targets: TargetArgs,

    #[command(flatten)]
    bounds: BoundArgs,

    /// Fail unless so many times the load keep all bounds, such as 1.5
    ///
    /// That scale is visited as well, whatever is found. The exit code is 1 when it does not keep them, or when the visits do not tell.
    #[arg(long, value_name = "N", value_parser = scale, help_heading = BOUNDS)]
    require: Option<f64>,

    /// The load that is scaled; `rigel capacity replay` makes one of what production did
    #[arg(long = "load", value_name = "FILE", required = true, value_hint = clap::ValueHint::FilePath, help_heading = LOAD)]
    load_file: PathBuf,

    /// The highest rate that is tried, in the phase with the most I/Os per second [default: 250000]
    #[arg(long, value_name = "RATE", value_parser = values::rate, help_heading = LOAD, hide_short_help = true)]
    max_rate: Option<u32>,

    /// Time for everything but filling a scratch file: no visit begins after it [default: 5m or more for each phase that decides]
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

/// As with `rigel slo`, under another name.
fn adapted_here(arg: Arg) -> Arg {
    match arg.get_id().as_str() {
        "name" => arg.default_value("fit"),
        _ => adapted(arg),
    }
}

impl FitArgs {
    /// What was asked for.
    pub fn invocation(self, command_line: String, environment: &Environment) -> Result<Invocation, Problem> {
        let request = self.request()?;
        let options = self.run().asking(Front::Slo, request, command_line, environment)?;
        Ok(Invocation::Run(Box::new(options)))
    }

    /// The request, without name and command line. Which phases decide is known once the file is read, and with it how long that takes.
    fn request(&self) -> Result<Request, Problem> {
        let bounds = in_order(self.bounds.all());
        if bounds.is_empty() {
            return Err(Problem::usage("no latency is bounded")
                .at("--bound")
                .because("the largest load is searched that keeps a bound on the latency")
                .next("give a bound, such as --p99 5ms or --bound 'p99.9 < 20ms'"));
        }
        let required = self.require.map(thousandths);
        let scaled = Some(Scaled { required, ..Scaled::default() });
        let most_rate = self.max_rate.unwrap_or(USUAL_MOST_RATE);
        let slo = Slo { bounds, required: Vec::new(), most_rate, scaled };
        let plain =
            shaping::request(Front::Slo, RunLevel::Load, &super::load::LoadArgs::default(), &self.own())?;
        let max_duration = asked_duration(self.duration)?;
        let pace = Pace::Adaptive(Adaptive { precision: PRECISION, max_duration, fast: false });
        Ok(Request { levels: LevelChoice::Own, pace, slo: Some(slo), ..plain })
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
        RunArgs { targets: self.targets, load_file: Some(self.load_file), ..self.output.of_run(own) }
    }
}

/// A scale as the record keeps it.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "of a scale within bounds")]
fn thousandths(scale: f64) -> u32 {
    (scale * THOUSAND).round().max(1.0) as u32
}
