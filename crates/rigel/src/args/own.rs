//! The options that Rigel adds to those of ORION. Every command that measures spells them alike.
//!
//! Must not judge combinations with other options; [`super::rules`] does.

use super::values;
use super::words;
use clap::Arg;
use rigel_core::error::Problem;
use rigel_core::load::pace::{LevelChoice, Precision};
use rigel_core::load::placement::CpuChoice;
use rigel_core::load::request::{EngineRequest, Request};
use rigel_core::units::Nanos;
use rigel_report::OrionVersion;
use std::path::PathBuf;

const PRECISION: &str = "Precision";
const ENGINE: &str = "Engine";
const SAFETY: &str = "Safety";
const OUTPUT: &str = "Output";

/// What a run takes whose load is a level or a file: `rigel run`, `rigel versus` and `rigel orion`.
#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args)]
pub struct OwnArgs {
    #[command(flatten)]
    pub precision: PrecisionArgs,

    #[command(flatten)]
    pub how: HowArgs,

    /// Poll the device for completions instead of waiting for interrupts; uses a whole CPU per worker
    ///
    /// Needs the engine io_uring or nvme, and a driver with poll queues.
    #[arg(long, help_heading = ENGINE, hide_short_help = true)]
    pub poll: bool,

    /// Measure through the page cache: memory rather than storage; every result is marked
    #[arg(long, help_heading = ENGINE, hide_short_help = true)]
    pub buffered: bool,

    /// Replace existing output files
    #[arg(long, help_heading = OUTPUT)]
    pub force: bool,

    /// Format of the ORION files: 10.2, 11.1, 11.2 or 19 [default: RIGEL_ORION_VERSION, else 19]
    #[arg(long, value_name = "VERSION", help_heading = OUTPUT, hide_short_help = true)]
    pub orion_version: Option<OrionVersion>,
}

/// How precise the numbers must be, and how long that may take.
#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args)]
pub struct PrecisionArgs {
    /// Precision to reach, ±PERCENT [default of rigel run: 5%]
    ///
    /// Measure until the 95 % interval of every number is at most ±PERCENT, such as 5%, 2% or 1%. Each data point is measured 4 to 12 times for 2 s, in random order. A number that does not
    /// reach the precision is shown with the interval that was reached. Excludes a fixed time per data point (--duration).
    #[arg(long, value_name = "PERCENT", help_heading = PRECISION)]
    pub precision: Option<Precision>,

    /// Stop measuring after TIME, such as 10m [default: no limit]
    ///
    /// The whole run, without filling a scratch file: no measurement begins after TIME. A number that is less precise than requested by then says so.
    #[arg(long = "for", alias = "max-duration", value_name = "TIME", value_parser = values::duration, help_heading = PRECISION)]
    pub max_duration: Option<Nanos>,

    /// Measure 1 s at a time instead of 2 s: faster, but less reliable on devices that start slowly
    #[arg(long, help_heading = PRECISION, hide_short_help = true)]
    pub fast: bool,

    /// Load levels: by number of disks (orion), the lowest and highest of these (ends), or searched (auto)
    ///
    /// auto first finds the load that saturates the device, and measures around it.
    #[arg(long, value_name = "LEVELS", ignore_case = true, hide_possible_values = true, value_parser = words::parser::<LevelChoice>(), help_heading = PRECISION)]
    pub levels: Option<LevelChoice>,
}

/// The options of every command that measures. A new option of all of them is a field here or in one of the groups, and a line in
/// [`HowArgs::request`]; a command that has no use for it says so in a row of the rules ([`super::rules`]).
#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args)]
pub struct HowArgs {
    #[command(flatten)]
    pub engine: EngineArgs,

    #[command(flatten)]
    pub consent: ConsentArgs,

    /// Your name for this storage, such as old-san
    ///
    /// Stored in the record; reports and comparisons of several runs use it.
    #[arg(long, value_name = "TEXT", help_heading = OUTPUT, hide_short_help = true)]
    pub label: Option<String>,

    #[command(flatten)]
    pub show: ShowArgs,
}

/// How I/O is made.
#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args)]
pub struct EngineArgs {
    /// How I/O is submitted; sim simulates a device
    ///
    /// auto uses io_uring unless short trials show that libaio or sync is faster on this target, and reports its choice. Any other engine is used as
    /// named; if the trials show that another one is faster, the run has the flag ENGINE_LIMITED. sync runs each
    /// outstanding I/O in a thread of its own (pread, pwrite). nvme sends commands directly to NVMe namespaces, bypassing the block layer. null
    /// completes at once and shows the overhead of Rigel itself; nop does the same through the kernel's ring. sim simulates a device in virtual
    /// time, such as sim:servers=4,service=1ms,rate=1000M (all parts are optional; also spread=exponential and size=1G). It can simulate
    /// disturbances such as between=2%; docs/method/simulated-device.md lists them.
    #[arg(long, value_name = "ENGINE", default_value = "auto", value_parser = values::engine, help_heading = ENGINE)]
    pub engine: EngineRequest,

    /// Do not compare engines before the run
    ///
    /// The trials read from the targets for 0.2 s, or for about a second if the kernel hands I/Os to other threads.
    /// Without them auto uses the first of io_uring, libaio and threads that works.
    #[arg(long, help_heading = ENGINE, hide_short_help = true)]
    pub no_trials: bool,

    /// Worker threads [default: as many as the load needs]
    #[arg(long, value_name = "N", help_heading = ENGINE, hide_short_help = true)]
    pub workers: Option<u32>,

    /// Treat an I/O that takes longer as hung and end the run; results so far are kept [default: 60s]
    ///
    /// The data point is flagged with offset and age of the oldest hung I/O, and all outstanding I/Os are cancelled.
    #[arg(long, value_name = "TIME", value_parser = values::duration, help_heading = ENGINE, hide_short_help = true)]
    pub io_timeout: Option<Nanos>,

    /// CPUs of the workers: auto, any, or a list such as 2,4-7 [default: auto]
    ///
    /// auto pins each worker to a CPU, on the NUMA node of the devices if there are several nodes. With more workers than CPUs, and with the
    /// engine threads, the scheduler decides, as with any. CPUs of a list are assigned round-robin.
    #[arg(long, value_name = "CPUS", help_heading = ENGINE, hide_short_help = true)]
    pub cpus: Option<CpuChoice>,

    /// Seed of offsets, of the mix of reads and writes, and of written data [default: random, printed]
    ///
    /// The same seed on the same targets gives the same sequence of I/Os. 0 to 2^53 - 1.
    #[arg(long, value_name = "N", value_parser = values::seed, help_heading = ENGINE, hide_short_help = true)]
    pub seed: Option<u64>,
}

/// What may be overwritten, or be memory, if anything is done at all.
#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args)]
pub struct ConsentArgs {
    /// Allow Rigel to overwrite TARGET; repeatable
    ///
    /// Required before Rigel writes to a target that holds data, or may. What is found on it is shown first. A device that is mounted, in use as
    /// swap or part of another device is always refused.
    #[arg(long, value_name = "TARGET", help_heading = SAFETY)]
    pub destroy_data: Vec<PathBuf>,

    /// Measure memory on purpose, and exit with 0
    ///
    /// A file on tmpfs, on a compressed filesystem or behind a page cache is answered from memory. Without this option Rigel refuses such targets
    /// and scratch files, and exits with 1 after measuring a device that is memory, such as zram. The numbers are flagged MEMORY in either case.
    #[arg(long, help_heading = SAFETY, hide_short_help = true)]
    pub allow_memory: bool,

    /// Measure even while another run of Rigel reads the same target
    ///
    /// Two runs on one target disturb each other, so the second one is normally refused. With this option both continue, and both records are
    /// flagged CHANGED. Has no effect if either of them writes.
    #[arg(long, help_heading = SAFETY, hide_short_help = true)]
    pub share: bool,

    /// Show the plan and do nothing
    ///
    /// Lists data points, time, engine, files, and for each target whether writing to it would be refused. What the run would refuse is refused
    /// with the same message and exit code. Targets are neither read nor written.
    #[arg(long, help_heading = SAFETY)]
    pub dry_run: bool,
}

/// What is shown after the run and meanwhile.
#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args)]
pub struct ShowArgs {
    /// Print the results as JSON
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,

    /// Do not write the page with charts (NAME_report.html)
    #[arg(long, help_heading = OUTPUT, hide_short_help = true)]
    pub no_html: bool,

    /// Show no progress and no notes, only problems
    #[arg(long, help_heading = OUTPUT, hide_short_help = true)]
    pub quiet: bool,
}

/// The default time where a minute is enough for most decisions.
const A_MINUTE: Nanos = Nanos::from_secs(60);

impl PrecisionArgs {
    /// Limits the answer to a minute, unless a precision or levels were requested; returns whether it did.
    pub fn take_a_minute(&mut self) -> bool {
        let is_free = self.precision.is_none() && self.levels.is_none();
        if is_free {
            self.max_duration.get_or_insert(A_MINUTE);
            self.fast = true;
        }
        is_free
    }

    /// Whether something is requested that one visit to each point cannot give.
    pub fn is_adaptive(&self) -> bool {
        let Self { precision, max_duration, fast, levels } = self;
        precision.is_some() || max_duration.is_some() || *fast || *levels == Some(LevelChoice::Auto)
    }
}

impl HowArgs {
    /// A request with these options applied.
    ///
    /// # Errors
    /// When no seed could be drawn.
    pub fn request(&self, plain: Request) -> Result<Request, Problem> {
        let EngineArgs { engine, no_trials, workers, io_timeout, cpus, seed } = &self.engine;
        Ok(Request {
            engine: *engine,
            no_trials: *no_trials,
            workers: *workers,
            io_timeout: io_timeout.unwrap_or(plain.io_timeout),
            cpus: cpus.clone().unwrap_or_default(),
            seed: seed.map_or_else(values::draw_seed, Ok)?,
            label: self.label.clone(),
            allow_memory: self.consent.allow_memory,
            share: self.consent.share,
            ..plain
        })
    }
}

/// The options of every run, for a command that is a special kind of run: its summary has no room for most of them.
pub fn beside_own(arg: Arg) -> Arg {
    match arg.get_id().as_str() {
        "lun" | "allow_memory" | "share" | "destroy_data" | "dry_run" => arg.hide_short_help(true),
        "engine" => arg
            .help("How I/O is submitted, as with `rigel run`")
            .long_help(None::<&str>)
            .hide_short_help(true),
        "out" => arg.default_value("."),
        "json" => arg.help("Print the result as JSON"),
        "quiet" => arg.help("Show no progress and no notes, only the result").hide_short_help(false),
        _ => arg,
    }
}
