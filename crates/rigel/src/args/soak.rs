//! `rigel soak`: the arguments. It is a run whose phases repeat, and whose blocks are verified if it writes.
//!
//! Must not judge what it shares with the arguments of a run; [`super::build`] does.

use super::build::{Frame, display};
use super::names::Front;
use super::output::OutputArgs;
use super::own::{ConsentArgs, HowArgs, beside_own};
use super::target_args::TargetArgs;
use super::{Environment, Invocation, ResumeOptions, RunOptions, Versus, shaping, values};
use clap::Arg;
use rigel_core::error::Problem;
use rigel_core::load::class::LoadClass;
use rigel_core::load::governor::{Ppm, WHOLE};
use rigel_core::load::request::Request;
use rigel_core::load::soak::{Soak, usual_load};
use rigel_core::load::task::Task;
use rigel_core::load::workload::WritePercent;
use rigel_core::units::Nanos;
use std::path::PathBuf;

const LOAD: &str = "Load";
/// Share of writes if writing is allowed and nothing else is requested.
const USUAL_WRITES: u64 = 30;

const SUMMARY: &str = "\
Examples:
  rigel soak --for 2w --destroy-data /dev/sdx /dev/sdx   write, read back, compare
  rigel soak --for 7d /dev/sd[b-y]                       read only: which disks fail or are slow?
Writing wears flash: docs/guide/soak.md says how much.
All options and more examples: rigel help soak";

const EXAMPLES: &str = "\
Examples:
  rigel soak --for 2w --destroy-data /dev/sdx /dev/sdx
      is this new disk fit for production? Two weeks of writes and reads at high, low and very high load; small reads compare the data with what
      was written. The disk is named twice: as target, and as consent to lose its data
  rigel soak --for 12h
      the same on a scratch file in this directory
  rigel soak --for 12h /mnt/fast
      the same on a scratch file in another directory
  rigel soak --for 7d /dev/sd[b-y]
      read only, as no option allows writing: find failing I/Os, and disks that are slower than the others
  rigel soak --for 4h --load shop.toml --destroy-data /dev/sdx /dev/sdx
      a load of your own; classes with `verify = true` are verified, and its phases repeat
  rigel soak --for 4w --beside-production
      on a filesystem in use: the scratch file gets at most 5 % of the disk time, less when others wait
  rigel soak --resume soak_20260101_1200_record.jsonl --destroy-data /dev/sdx
      resume after a crash, a kill or a reboot; blocks that were durable before are compared as well
  rigel report soak_20260101_1200_record.jsonl
      interim results, from another terminal

The exit code is 1 if a block was wrong, an I/O failed, took ten seconds or never completed, a target is slower than the others (of five or more), or a drive
reports new damage or an alarm (SMART, NVMe and SCSI logs, read before and after if smartctl is installed). It is 4 if the soak was stopped early and found
nothing wrong. Writing wears flash; docs/guide/soak.md says how much. Other programs on the same disks are slow meanwhile.";

/// The options allowed with --resume: its record says everything else.
pub const BESIDE_RESUME: [&str; 7] = ["resume", "destroy_data", "dry_run", "json", "no_html", "quiet", "tui"];

#[derive(Debug, clap::Args)]
#[command(after_help = SUMMARY, after_long_help = EXAMPLES, mut_args(adapted))]
pub struct SoakArgs {
    #[command(flatten)]
    targets: TargetArgs,

    /// Duration of the load, such as 12h, 7d or 2w
    ///
    /// Interruptions do not count.
    #[arg(long = "for", value_name = "TIME", value_parser = values::duration, required_unless_present = "resume", help_heading = LOAD)]
    time: Option<Nanos>,

    /// Percentage of writes [default: 30 on a scratch file or with --destroy-data, else 0]
    ///
    /// Written blocks identify themselves and are checked by small reads; large reads only detect failures. Without writes no data is compared.
    #[arg(long, value_name = "PERCENT", value_parser = values::per_cent, help_heading = LOAD)]
    write: Option<u64>,

    /// Use the load in FILE, or of postgresql, mysql or oracle; its phases repeat
    ///
    /// FILE is TOML; docs/reference/load-files.md describes its keys and the three presets. Without it: random I/O of 8 KiB and reads of 1 MiB, in three
    /// phases per hour. high: 16 small and 2 large outstanding per target; low: 1 small; spike: 64 and 4. Only random I/O of one size can be
    /// verified; the large reads add load and detect failures.
    #[arg(long = "load", value_name = "FILE", value_hint = clap::ValueHint::FilePath, help_heading = LOAD)]
    load_file: Option<PathBuf>,

    /// Shared storage: use at most PERCENT [default: 5] of each disk's time, less when others wait
    ///
    /// Counts the time in which an I/O of the soak is outstanding. If its reads take far longer than usual, or the host waits for I/O far more than
    /// usual (PSI), the share is halved, down to a sixteenth, and rises again step by step. Without --load: small I/O only, one per target.
    #[arg(long, value_name = "PERCENT", num_args = 0..=1, require_equals = true, default_missing_value = "5", value_parser = values::per_cent, help_heading = LOAD)]
    beside_production: Option<u64>,

    /// Interval of the records in the log [default: 1m, less for a short soak]
    #[arg(long, value_name = "TIME", value_parser = values::duration, help_heading = LOAD, hide_short_help = true)]
    every: Option<Nanos>,

    /// Resume an interrupted soak: its NAME_record.jsonl
    ///
    /// The record holds all options; only --destroy-data has to be repeated if the soak writes. Completed measurements count; the phase that was cut
    /// short is not repeated.
    #[arg(long, value_name = "RECORD", value_hint = clap::ValueHint::FilePath, help_heading = LOAD)]
    resume: Option<PathBuf>,

    #[command(flatten)]
    how: HowArgs,

    #[command(flatten)]
    output: OutputArgs,
}

/// The options of a run, as the help of this command has them.
fn adapted(arg: Arg) -> Arg {
    match arg.get_id().as_str() {
        "targets" => arg.help("Files, block devices, or directories for a scratch file [default: .]"),
        "destroy_data" => arg.help_heading(LOAD),
        "io_timeout" => arg
            .help("Treat an I/O that takes longer as hung and end the soak [default: 60s]")
            .long_help(None::<&str>),
        "name" => arg.default_value("soak"),
        _ => beside_own(arg),
    }
}

impl SoakArgs {
    /// What was requested.
    pub fn invocation(
        mut self,
        command_line: String,
        environment: &Environment,
    ) -> Result<Invocation, Problem> {
        if let Some(record) = self.resume.take() {
            let display = display(self.how.show, self.output.tui, None, environment)?;
            let ConsentArgs { destroy_data: destroy, dry_run, .. } = self.how.consent;
            let (versus, server) = (Versus::default(), None);
            return Ok(Invocation::Resume(ResumeOptions {
                record,
                destroy,
                dry_run,
                display,
                versus,
                server,
            }));
        }
        let request = self.request()?;
        let usual = self.write.is_none() && self.load_file.is_none();
        let own_writes =
            usual.then(|| shaping::write_percent(Front::Soak, Some(USUAL_WRITES))).transpose()?;
        let frame = Frame {
            front: Front::Soak,
            command_line,
            environment,
            targets: self.targets,
            load_file: self.load_file,
            how: self.how,
            output: self.output,
            orion_version: None,
        };
        Ok(Invocation::Run(Box::new(RunOptions { own_writes, ..frame.options(request)? })))
    }

    /// The request, without name and command line. For a load in a file only the pace is known yet, and the usual
    /// load is that of one target: their number is known later.
    fn request(&self) -> Result<Request, Problem> {
        // clap asks for it.
        let soak = Soak::new(self.time.unwrap_or(Nanos(0)));
        let beside = self
            .beside_production
            .map(|percent| Ppm::try_from(percent).unwrap_or(Ppm::MAX).saturating_mul(WHOLE / 100));
        let soak = Soak { every: self.every.unwrap_or(soak.every), beside, ..soak };
        let write = self.write.unwrap_or_else(|| if self.may_write() { USUAL_WRITES } else { 0 });
        let plain = self.how.request(Request::of(Task::soak(soak, Vec::new())))?;
        let share = shaping::write_percent(Front::Soak, Some(write))?;
        let request = of_targets(plain, 1, share);
        soak.check(request.phases())?;
        if self.load_file.is_none() {
            request.check()?;
        }
        Ok(request)
    }

    /// Whether the data may go, by what was typed.
    fn may_write(&self) -> bool {
        let named = !self.targets.targets.is_empty() || self.targets.lun.is_some();
        !named || !self.how.consent.destroy_data.is_empty()
    }
}

/// The request of a soak with the usual load for this many targets.
pub fn of_targets(request: Request, targets: usize, write: WritePercent) -> Request {
    let Some(soak) = request.soak() else { return request };
    let (classes, phases) = usual_load(targets, write, &soak);
    // A simulated device moves no data that could be compared.
    let verify = !request.engine.is_simulated();
    let verified = |class: LoadClass| LoadClass { verify: class.verify && verify, ..class };
    let classes = classes.into_iter().map(verified).collect();
    Request { task: Task::soak(soak, phases), classes, ..request }
}
