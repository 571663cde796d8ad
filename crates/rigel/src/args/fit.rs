//! `rigel capacity fit`: the arguments. It is a search like that of `rigel slo`, for the largest scale of a load in a file.
//!
//! Must not read the file.

use super::build::Frame;
use super::names::Front;
use super::output::OutputArgs;
use super::own::{HowArgs, beside_own};
use super::replay::scale;
use super::slo::{BOUNDS, BoundArgs, LOAD, PRECISION, asked_duration, in_order};
use super::target_args::TargetArgs;
use super::{Environment, Invocation, values};
use clap::Arg;
use rigel_capacity::headroom::Grow;
use rigel_core::error::Problem;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::pace::Adaptive;
use rigel_core::load::request::Request;
use rigel_core::load::slo::{ScaledPhases, Slo, USUAL_MOST_RATE};
use rigel_core::load::task::Task;
use rigel_core::units::Nanos;
use std::path::PathBuf;

const SUMMARY: &str = "\
Examples:
  rigel capacity fit --load week.toml --p99 5ms /dev/sdx                  how many times that load?
  rigel capacity fit --load week.toml --p99 5ms --require 1.5 /dev/sdx    fails unless 1.5 times fit
All options and more examples: rigel help capacity fit";

const EXAMPLES: &str = "\
Examples:
  rigel capacity fit --load week.toml --bound 'p99 < 5ms' /dev/sdx
      how many times the load from `rigel capacity replay` can this storage take if, in every phase, 99 of 100 I/Os must take at most 5 ms?
  rigel capacity fit --load week.toml --p99 5ms --p999 20ms --require 1.5 /dev/sdx && move
      two limits at once; exit code 0 only if 1.5 times the load certainly meets them
  rigel capacity fit --load week.toml --p99 5ms --grow 30% /dev/sdx
      what if all rates were 1.3 times as high? the load of another database comes with `rigel capacity replay --add FILE`
  rigel capacity fit --load week.toml --p99 5ms --destroy-data /dev/sdx /dev/sdx
      a load with writes, on a device whose data may be lost
  rigel capacity fit --load week.toml --p99 5ms --engine sim:servers=8,service=200us
      a simulated device, to see the result

All rates of the load are scaled together. Phases that are lighter than another in every respect need no search; the others are searched together at the same
scale, and the first to exceed a limit decides. The load slightly exceeds the scale that is found: other programs on the same disks are slow meanwhile.";

/// Thousandths.
const THOUSAND: f64 = 1000.0;

#[derive(Debug, clap::Args)]
#[command(after_help = SUMMARY, after_long_help = EXAMPLES, mut_args(adapted), override_usage = "rigel capacity fit [OPTIONS] --load FILE --bound LIMIT [TARGET]...")]
pub struct FitArgs {
    #[command(flatten)]
    targets: TargetArgs,

    #[command(flatten)]
    bounds: BoundArgs,

    /// Exit with 1 unless N times the load meets all limits, such as 1.5
    ///
    /// That scale is always measured. The exit code is 1 if it does not meet the limits, or if the result is undecided.
    #[arg(long, value_name = "N", value_parser = scale, help_heading = BOUNDS)]
    require: Option<f64>,

    /// The load to scale; `rigel capacity replay` makes one from recorded production
    #[arg(long = "load", value_name = "FILE", required = true, value_hint = clap::ValueHint::FilePath, help_heading = LOAD)]
    load_file: PathBuf,

    /// What if: raise (30%) or lower (-10%) all rates
    #[arg(long, value_name = "SHARE", value_parser = grow, allow_hyphen_values = true, help_heading = LOAD)]
    grow: Option<i32>,

    /// Highest rate to try, in the phase with the most I/Os per second [default: 250000]
    #[arg(long, value_name = "RATE", value_parser = values::rate, help_heading = LOAD, hide_short_help = true)]
    max_rate: Option<u32>,

    /// Time for everything but filling a scratch file; no measurement begins after it [default: 5m or more for each phase that decides]
    #[arg(long = "for", aliases = ["duration", "max-duration"], value_name = "TIME", value_parser = values::duration, help_heading = LOAD)]
    duration: Option<Nanos>,

    #[command(flatten)]
    how: HowArgs,

    #[command(flatten)]
    output: OutputArgs,
}

/// The options of a run, as the help of this command has them.
fn adapted(arg: Arg) -> Arg {
    match arg.get_id().as_str() {
        "name" => arg.default_value("fit"),
        _ => beside_own(arg),
    }
}

impl FitArgs {
    /// What was requested.
    pub fn invocation(self, command_line: String, environment: &Environment) -> Result<Invocation, Problem> {
        let request = self.request()?;
        let frame = Frame {
            front: Front::Slo,
            command_line,
            environment,
            targets: self.targets,
            load_file: Some(self.load_file),
            how: self.how,
            output: self.output,
            orion_version: None,
        };
        Ok(Invocation::Run(Box::new(frame.options(request)?)))
    }

    /// The request, without name and command line. Which phases decide is known once the file is read, and with it how long that takes.
    fn request(&self) -> Result<Request, Problem> {
        let bounds = in_order(self.bounds.all());
        if bounds.is_empty() {
            return Err(Problem::usage("no latency limit was given")
                .at("--bound")
                .because("the search is for the largest load that meets a latency limit")
                .next("give a limit, such as --p99 5ms or --bound 'p99.9 < 20ms'"));
        }
        let required = self.require.map(thousandths);
        let scaled = Some(ScaledPhases { required, more: self.grow, ..ScaledPhases::default() });
        let most_rate = self.max_rate.unwrap_or(USUAL_MOST_RATE);
        let slo = Slo { bounds, required: Vec::new(), most_rate, required_only: false, scaled };
        let max_duration = asked_duration(self.duration)?;
        let pace = Adaptive { precision: PRECISION, max_duration, fast: false };
        self.how.request(Request::of(Task::rate(RunLevel::Load, slo, pace)))
    }
}

/// The increase, in thousandths.
#[expect(clippy::cast_possible_truncation, reason = "of a share within bounds")]
fn grow(text: &str) -> Result<i32, String> {
    match text.parse()? {
        Grow::AtOnce(share) if share > -0.999 => Ok((share * THOUSAND).round() as i32),
        Grow::AtOnce(_) => Err(format!("'{text}' leaves no load")),
        Grow::ByYear(_) => Err(format!("'{text}' is growth per year, and a load has no date: write 30%")),
    }
}

/// A scale as the record keeps it.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "of a scale within bounds")]
fn thousandths(scale: f64) -> u32 {
    (scale * THOUSAND).round().max(1.0) as u32
}
