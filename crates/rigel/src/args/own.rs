//! The options that Rigel adds to those of ORION. Every command that measures spells them alike.
//!
//! Must not judge how they go together with the rest; [`super::build`] does.

use super::values;
use super::words;
use rigel_core::load::pace::{LevelChoice, Precision};
use rigel_core::load::placement::CpuChoice;
use rigel_core::load::request::EngineRequest;
use rigel_core::units::Nanos;
use rigel_report::OrionVersion;
use std::path::PathBuf;

const PRECISION: &str = "Precision";
const ENGINE: &str = "Engine";
const SAFETY: &str = "Safety";
const OUTPUT: &str = "Output";

#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args)]
pub struct OwnArgs {
    /// How narrow every 95 % interval has to get [default of rigel run: 5%]
    ///
    /// Half its width, relative to the number: 5%, 2%, 1% or others. Points are visited for 2 s each, again and
    /// again in random order, 4 to 12 times. Where the precision is not reached, the width that was reached is
    /// printed. Not together with a fixed time per data point (--duration).
    #[arg(long, value_name = "PERCENT", help_heading = PRECISION)]
    pub precision: Option<Precision>,

    /// Begin no visit after that time, such as 10m
    ///
    /// What was not reached by then says so.
    #[arg(long, value_name = "TIME", value_parser = values::duration, help_heading = PRECISION)]
    pub max_duration: Option<Nanos>,

    /// Visits that measure 1 s instead of 2 s: faster, and less sure on devices that start slowly
    #[arg(long, help_heading = PRECISION, hide_short_help = true)]
    pub fast: bool,

    /// By the number of disks (orion), or searched (auto)
    ///
    /// auto searches the load that saturates the device first, and measures around it.
    #[arg(long, value_name = "LEVELS", ignore_case = true, hide_possible_values = true, value_parser = words::parser::<LevelChoice>(), help_heading = PRECISION)]
    pub levels: Option<LevelChoice>,

    /// How I/O reaches the kernel, or sim for a simulated device
    ///
    /// auto takes io_uring unless short trials show that libaio or sync is faster on this target, and says which. sync
    /// gives each outstanding I/O a thread that waits in pread or pwrite. nvme sends commands to whole NVMe
    /// namespaces, past the block layer. null completes at once and shows what the tool itself costs; nop does so through the
    /// kernel's ring. sim is a device in virtual time with a known answer, as in sim:servers=4,service=1ms,rate=1000M (each
    /// part may be left out; there are also spread=exponential and size=1G). It can have the disturbances of real devices, such as
    /// between=2% (docs/method/simulated-device.md lists them).
    #[arg(long, value_name = "ENGINE", default_value = "auto", value_parser = values::engine, help_heading = ENGINE)]
    pub engine: EngineRequest,

    /// Look for completions on the device instead of waiting for interrupts; takes a whole CPU per worker
    ///
    /// For the engines io_uring and nvme, on devices whose driver has poll queues.
    #[arg(long, help_heading = ENGINE, hide_short_help = true)]
    pub poll: bool,

    /// Worker threads [default: as many as the load needs]
    #[arg(long, value_name = "N", help_heading = ENGINE, hide_short_help = true)]
    pub workers: Option<u32>,

    /// An I/O that takes longer is hung: the run ends, with what was measured [default: 60s]
    ///
    /// The point is flagged with the place and the age of the oldest one, and the kernel is asked to take all of
    /// them back.
    #[arg(long, value_name = "TIME", value_parser = values::duration, help_heading = ENGINE, hide_short_help = true)]
    pub io_timeout: Option<Nanos>,

    /// CPUs of the workers: auto, any, or a list such as 2,4-7 [default: auto]
    ///
    /// auto gives each worker a CPU of its own, on the NUMA node of the devices where there are several; with more
    /// workers than CPUs, and with the engine threads, the scheduler decides, as with any. A list is dealt out in turn.
    #[arg(long, value_name = "CPUS", help_heading = ENGINE, hide_short_help = true)]
    pub cpus: Option<CpuChoice>,

    /// Seed of every offset, of reads and writes and of what is written [default: drawn, and printed]
    ///
    /// The same seed on the same targets asks for the same I/Os. 0 to 2^53 - 1.
    #[arg(long, value_name = "N", value_parser = values::seed, help_heading = ENGINE, hide_short_help = true)]
    pub seed: Option<u64>,

    /// Measure through the page cache: memory rather than storage; every result says so
    #[arg(long, help_heading = ENGINE, hide_short_help = true)]
    pub buffered: bool,

    #[command(flatten)]
    pub consent: ConsentArgs,

    /// What you call this storage, such as old-san
    ///
    /// Kept in the record. Reports of several runs and comparisons name the runs by it.
    #[arg(long, value_name = "TEXT", help_heading = OUTPUT, hide_short_help = true)]
    pub label: Option<String>,

    /// Replace existing output files
    #[arg(long, help_heading = OUTPUT)]
    pub force: bool,

    #[command(flatten)]
    pub show: ShowArgs,

    /// Layout of the ORION files: 11.1, 11.2 or 19 [default: RIGEL_ORION_VERSION, else 19]
    #[arg(long, value_name = "VERSION", help_heading = OUTPUT, hide_short_help = true)]
    pub orion_version: Option<OrionVersion>,
}

/// What may be overwritten, or be memory, if anything is done at all.
#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args)]
pub struct ConsentArgs {
    /// Allow to overwrite everything on TARGET; may be given several times
    ///
    /// Needed to write to a target that holds something, or may hold something. What is found on it is shown first. A
    /// device that is mounted, in use as swap or part of another device is refused all the same.
    #[arg(long, value_name = "TARGET", help_heading = SAFETY)]
    pub destroy_data: Vec<PathBuf>,

    /// Measure memory on purpose: allow a scratch file in memory, and end such a run with 0
    ///
    /// What lies on tmpfs, zram or the like is memory, and no storage. Without this option a scratch file there is refused, and a run
    /// that measured nothing but memory ends with 1. Its numbers are flagged MEMORY, with the option as well.
    #[arg(long, help_heading = SAFETY, hide_short_help = true)]
    pub allow_memory: bool,

    /// Measure even while another run of Rigel reads the same target
    ///
    /// Two runs on one target measure each other, so the second one is normally refused. With this option both go on, and both records say so
    /// (flag CHANGED). It does not help where either of them writes.
    #[arg(long, help_heading = SAFETY, hide_short_help = true)]
    pub share: bool,

    /// Show what would be done and do nothing
    ///
    /// Names the points, the time, the engine, the files, and for each target that would be written whether the run would be refused. What
    /// the run would refuse ends it with the same message and exit code. The targets are not read, and nothing is written.
    #[arg(long, help_heading = SAFETY)]
    pub dry_run: bool,
}

/// What is shown after the run and meanwhile.
#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args)]
pub struct ShowArgs {
    /// Write the results as JSON to standard output
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,

    /// Do not write the page with charts, NAME_report.html
    #[arg(long, help_heading = OUTPUT, hide_short_help = true)]
    pub no_html: bool,

    /// No progress, no remarks; problems only
    #[arg(long, help_heading = OUTPUT, hide_short_help = true)]
    pub quiet: bool,
}
