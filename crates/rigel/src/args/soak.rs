//! `rigel soak`: the arguments. It is a run whose phases come round again and again, and whose blocks are verified where it writes.
//!
//! Must not judge what the arguments of a run hold as well; [`super::build`] does.

use super::load::LoadArgs;
use super::names::Front;
use super::output::OutputArgs;
use super::own::{ConsentArgs, OwnArgs};
use super::run::RunArgs;
use super::target_args::TargetArgs;
use super::{Environment, Invocation, ResumeOptions, Versus, shaping, values};
use clap::Arg;
use rigel_core::error::Problem;
use rigel_core::load::class::LoadClass;
use rigel_core::load::governor::{Ppm, WHOLE};
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::pace::{LevelChoice, Pace};
use rigel_core::load::request::{EngineRequest, Request};
use rigel_core::load::soak::{Soak, usual_load};
use rigel_core::load::workload::WritePercent;
use rigel_core::units::Nanos;
use std::path::PathBuf;

const LOAD: &str = "Load";
/// Share of writes where writing is allowed and nothing else is asked for.
const USUAL_WRITES: u64 = 30;

const SUMMARY: &str = "\
Examples:
  rigel soak --for 2w --destroy-data /dev/sdx /dev/sdx   writes, reads back, compares
  rigel soak --for 7d /dev/sd[b-y]                       only reads: what fails, what is slow
Writing wears flash: docs/guide/soak.md has figures.
All options and more examples: rigel help soak";

const EXAMPLES: &str = "\
Examples:
  rigel soak --for 2w --destroy-data /dev/sdx /dev/sdx
      is this new disk fit for production? Writes and reads at high, low and very high load for two weeks; what it wrote is compared when a small
      read finds it. The disk is named twice: as target, and as consent to lose what is on it
  rigel soak --for 12h
      the same on a scratch file in this directory
  rigel soak --for 7d /dev/sd[b-y]
      only reads, as nothing says that the data may go: I/Os that fail, and disks that are slower than the others
  rigel soak --for 4h --load shop.toml --destroy-data /dev/sdx /dev/sdx
      a load of your own; classes with `verify = true` are verified, its phases come round again and again
  rigel soak --for 4w --beside-production
      on a filesystem that others use: a scratch file there gets at most 5 % of the time, less while they have it hard
  rigel soak --resume soak_20260101_1200_record.jsonl --destroy-data /dev/sdx
      go on after a crash, a kill or a reboot; blocks that were durable before are compared as well
  rigel report soak_20260101_1200_record.jsonl
      how it stands, while it goes on, from another terminal

It ends with 1 when a block was wrong, an I/O failed, took ten seconds or never came back, a target is slower than the others (of five or more), or a drive reports
new damage or an alarm (SMART, NVMe and SCSI logs, read before and after where smartctl is installed); with 4 when it was stopped before its time and
nothing wrong was seen. Writing wears flash; docs/guide/soak.md says how much. What else uses the same disks is slow meanwhile.";

/// The options that may stand beside --resume: its record says everything else.
pub const BESIDE_RESUME: [&str; 6] = ["resume", "destroy_data", "json", "no_html", "quiet", "tui"];

#[derive(Debug, clap::Args)]
#[command(after_help = SUMMARY, after_long_help = EXAMPLES, mut_args(adapted))]
pub struct SoakArgs {
    #[command(flatten)]
    targets: TargetArgs,

    /// How long the load lasts, such as 12h, 7d or 2w
    ///
    /// Time during which it is interrupted is no part of it.
    #[arg(long = "for", value_name = "TIME", value_parser = values::duration, required_unless_present = "resume", help_heading = LOAD)]
    time: Option<Nanos>,

    /// Share of writes in per cent [default: 30 on a scratch file and with --destroy-data, else 0]
    ///
    /// What is written says what it is, and is compared when a small read finds it; a large read is only seen to fail or not. Without writes nothing is compared.
    #[arg(long, value_name = "PERCENT", value_parser = values::per_cent, help_heading = LOAD)]
    write: Option<u64>,

    /// The load in FILE, or of postgresql, mysql or oracle, instead of the usual one; its phases come round again and again
    ///
    /// FILE is TOML; docs/reference/load-files.md has every key, and what is in the presets of these three names. Without it: 8 KiB at random places beside reads of 1 MiB, in three phases an hour. high: 16
    /// small and 2 large outstanding for each target; low: 1 small; spike: 64 and 4. Only I/O of one size at random places can be verified: the large reads are there for
    /// the load, and show failures.
    #[arg(long = "load", value_name = "FILE", value_hint = clap::ValueHint::FilePath, help_heading = LOAD)]
    load_file: Option<PathBuf>,

    /// Storage that others use: take at most PERCENT of the time of each target [default: 5], and less while they have it hard
    ///
    /// The time in which an I/O of the soak is in flight. When its own reads take far longer than usual, or the host waits for I/O far more than usual (PSI), it
    /// halves what it takes, down to a sixteenth, and goes up again step by step. Without --load it is small I/O alone, one for each target.
    #[arg(long, value_name = "PERCENT", num_args = 0..=1, require_equals = true, default_missing_value = "5", value_parser = values::per_cent, help_heading = LOAD)]
    beside_production: Option<u64>,

    /// Time between two lines of figures in the record [default: 1m, less for a short soak]
    #[arg(long, value_name = "TIME", value_parser = values::duration, help_heading = LOAD, hide_short_help = true)]
    every: Option<Nanos>,

    /// How I/O reaches the kernel, as with rigel run
    #[arg(long, value_name = "ENGINE", default_value = "auto", value_parser = values::engine, help_heading = LOAD, hide_short_help = true)]
    engine: EngineRequest,

    /// Worker threads [default: as many as the load needs]
    #[arg(long, value_name = "N", help_heading = LOAD, hide_short_help = true)]
    workers: Option<u32>,

    /// An I/O that takes longer is hung, and the soak ends [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = values::duration, help_heading = LOAD, hide_short_help = true)]
    io_timeout: Option<Nanos>,

    /// Seed of every place and of what is written [default: drawn, and printed]
    #[arg(long, value_name = "N", value_parser = values::seed, help_heading = LOAD, hide_short_help = true)]
    seed: Option<u64>,

    /// Go on with an interrupted soak: its NAME_record.jsonl
    ///
    /// The load is that of the record: give no option of it again, but repeat --destroy-data where it writes. What was measured counts; the phase that was
    /// cut short is not made up for.
    #[arg(long, value_name = "RECORD", value_hint = clap::ValueHint::FilePath, help_heading = LOAD)]
    resume: Option<PathBuf>,

    #[command(flatten)]
    consent: ConsentArgs,

    #[command(flatten)]
    output: OutputArgs,
}

/// The options of a run, as the help of this command has them.
fn adapted(arg: Arg) -> Arg {
    match arg.get_id().as_str() {
        "targets" => arg.help("Files or block devices [default: a scratch file here]"),
        "lun" => arg.hide_short_help(true),
        "destroy_data" => arg.help_heading(LOAD),
        "allow_memory" | "share" | "dry_run" => arg.help_heading(LOAD).hide_short_help(true),
        "name" => arg.default_value("soak"),
        "out" => arg.default_value("."),
        "json" => arg.help("The result as JSON on standard output"),
        "quiet" => arg.help("No progress, no remarks; the result only").hide_short_help(false),
        _ => arg,
    }
}

impl SoakArgs {
    /// What was asked for.
    pub fn invocation(
        mut self,
        command_line: String,
        environment: &Environment,
    ) -> Result<Invocation, Problem> {
        if let Some(record) = self.resume.take() {
            let destroy = self.consent.destroy_data.clone();
            let display = self.run().display(Front::Soak, environment)?;
            let (versus, server) = (Versus::default(), None);
            return Ok(Invocation::Resume(ResumeOptions { record, destroy, display, versus, server }));
        }
        let request = self.request()?;
        let options = self.run().asking(Front::Soak, request, command_line, environment)?;
        Ok(Invocation::Run(Box::new(options)))
    }

    /// The request, without name and command line. Of a load in a file only the pace is known yet, and the usual load is that of one target: how
    /// many there are is seen later.
    fn request(&self) -> Result<Request, Problem> {
        // clap asks for it.
        let soak = Soak::new(self.time.unwrap_or(Nanos(0)));
        let beside = self
            .beside_production
            .map(|percent| Ppm::try_from(percent).unwrap_or(Ppm::MAX).saturating_mul(WHOLE / 100));
        let soak = Soak { every: self.every.unwrap_or(soak.every), beside, ..soak };
        let write = self.write.unwrap_or_else(|| if self.may_write() { USUAL_WRITES } else { 0 });
        if self.load_file.is_some() && self.write.is_some() {
            return Err(Problem::usage("--write does not go with --load")
                .at("--write")
                .because("the file says what is loaded")
                .next("say it in the file, and leave out --write"));
        }
        let level = if self.load_file.is_some() { RunLevel::Load } else { RunLevel::Simple };
        let load = LoadArgs { write: self.write, ..LoadArgs::default() };
        let load = if self.load_file.is_some() { LoadArgs::default() } else { load };
        let plain = shaping::request(Front::Soak, level, &load, &self.own())?;
        let share = u8::try_from(write).ok().and_then(WritePercent::new).unwrap_or_default();
        let request = of_targets(Request { pace: Pace::Soak(soak), ..plain }, 1, share);
        soak.check(&request.phases)?;
        if self.load_file.is_none() {
            request.check()?;
        }
        Ok(request)
    }

    /// Whether the data may go, by what was typed.
    fn may_write(&self) -> bool {
        let named = !self.targets.targets.is_empty() || self.targets.lun.is_some();
        !named || !self.consent.destroy_data.is_empty()
    }

    fn own(&self) -> OwnArgs {
        OwnArgs {
            engine: self.engine,
            workers: self.workers,
            seed: self.seed,
            io_timeout: self.io_timeout,
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

/// The request of a soak with the usual load for so many targets.
pub fn of_targets(request: Request, targets: usize, write: WritePercent) -> Request {
    let Some(soak) = request.pace.soak() else { return request };
    let (classes, phases) = usual_load(targets, write, &soak);
    // A simulated device moves no data that could be compared.
    let verify = !request.engine.is_simulated();
    let verified = |class: LoadClass| LoadClass { verify: class.verify && verify, ..class };
    let points = phases.iter().map(|phase| phase.point).collect();
    let classes = classes.into_iter().map(verified).collect();
    Request { level: RunLevel::Load, levels: LevelChoice::Own, classes, points, phases, ..request }
}
